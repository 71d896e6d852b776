//===- Inputs from files, and random ones -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "dyn/Symbolic/LinearForms.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <random>

using namespace dyn;
using llvm::StringRef;

/// Where the name of an input ends in `NAME=FILE`: both may have a `=`.
static size_t findNameEnd(StringRef text, llvm::ArrayRef<InputSignature> inputs) {
  for (size_t end = text.find('='); end != StringRef::npos; end = text.find('=', end + 1))
    if (llvm::any_of(inputs, [&](const InputSignature &input) { return text.take_front(end) == input.name; }))
      return end;
  return text.find('=');
}

llvm::Expected<std::vector<InputFile>> dyn::parseInputFiles(llvm::ArrayRef<std::string> texts,
                                                            llvm::ArrayRef<InputSignature> inputs) {
  std::vector<InputFile> files;
  for (StringRef text : texts) {
    size_t end = findNameEnd(text, inputs);
    StringRef name = text.take_front(end),
              path = text.drop_front(std::min(text.size(), end)).drop_front(end < text.size());
    if (name.empty() || path.empty())
      return llvm::createStringError("--input=" + text + ": must be NAME=FILE.npy");
    if (llvm::any_of(files, [&](const InputFile &file) { return file.name == name; }))
      return llvm::createStringError("--input=" + text + ": '" + name + "' is given twice");
    files.push_back({name.str(), path.str()});
  }
  return files;
}

llvm::Expected<Inputs> dyn::readInputs(llvm::ArrayRef<InputFile> files) {
  Inputs result;
  for (const InputFile &file : files) {
    auto tensor = readNpy(file.path);
    if (!tensor)
      return tensor.takeError();
    result.emplace_back(file.name, std::move(*tensor));
  }
  return result;
}

llvm::Expected<std::vector<Sizes>> dyn::parseSizes(llvm::ArrayRef<std::string> texts) {
  std::vector<Sizes> result(1);
  StringRef first; // the text that says how many runs there are
  for (StringRef text : texts) {
    auto [name, list] = text.rsplit('=');
    llvm::SmallVector<StringRef> values;
    list.split(values, ',');
    if (result.front().contains(name))
      return llvm::createStringError("--dim=" + text + ": '" + name + "' is given twice");
    if (values.size() > 1 && result.size() > 1 && values.size() != result.size())
      return llvm::createStringError("--dim=" + text + " gives " + llvm::Twine(values.size()) +
                                     " sizes, --dim=" + first + " gives " + llvm::Twine(result.size()) +
                                     ": must be as many, or one for all runs");
    if (values.size() > result.size()) {
      result.resize(values.size(), Sizes(result.front()));
      first = text;
    }
    for (size_t i = 0; i < result.size(); ++i) {
      int64_t value;
      if (name.empty() || values[std::min(i, values.size() - 1)].getAsInteger(10, value) || value < 0)
        return llvm::createStringError("--dim=" + text + ": must be NAME=V[,V...] with sizes V");
      result[i][name] = value;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// A dim of an input.
class Dim {
public:
  static llvm::Expected<Dim> parse(StringRef input, StringRef text) {
    Dim dim;
    symbolic::ParseError error;
    dim.expr = symbolic::parseExpr(text, *dim.context, error);
    if (!dim.expr)
      return llvm::createStringError("input '" + input + "': dim '" + text + "' can't be read: " + error.message);
    for (symbolic::Expr symbol : dim.expr.getSymbols())
      dim.symbols.push_back(symbol.getSymbolName().str());
    return dim;
  }
  llvm::ArrayRef<std::string> getSymbols() const { return symbols; }
  bool isDetermined(const Sizes &sizes) const {
    return llvm::all_of(symbols, [&](const std::string &symbol) { return sizes.contains(symbol); });
  }
  /// If this dim is `size`, and linear in the one symbol that has no size yet: that symbol and its size.
  std::optional<std::pair<StringRef, int64_t>> solve(const Sizes &sizes, int64_t size) const {
    auto isOpen = [&](const std::string &symbol) { return !sizes.contains(symbol); };
    auto open = llvm::find_if(symbols, isOpen);
    if (open == symbols.end() || std::any_of(open + 1, symbols.end(), isOpen))
      return std::nullopt;
    std::optional<symbolic::LinearForm> form = symbolic::getLinearForm(expr, context->getSymbol(*open));
    if (!form)
      return std::nullopt;
    auto lookUp = [&](StringRef name) { return std::optional<int64_t>(sizes.lookup(name)); };
    std::optional<int64_t> factor = symbolic::evaluate(form->factor, lookUp),
                           rest = symbolic::evaluate(form->rest, lookUp);
    int64_t product;
    if (!factor || !rest || *factor == 0 || *factor == -1 || __builtin_sub_overflow(size, *rest, &product) ||
        product % *factor != 0 || product / *factor < 0)
      return std::nullopt;
    return std::pair(StringRef(*open), product / *factor);
  }
  /// Nothing for what is no size.
  std::optional<int64_t> evaluate(const Sizes &sizes) const {
    std::optional<int64_t> value =
        symbolic::evaluate(expr, [&](StringRef name) { return std::optional<int64_t>(sizes.lookup(name)); });
    return value && *value >= 0 ? value : std::nullopt;
  }

private:
  std::unique_ptr<symbolic::SymbolicContext> context = std::make_unique<symbolic::SymbolicContext>();
  symbolic::Expr expr;
  std::vector<std::string> symbols;
};
} // namespace

/// Calls `visit` with each dim of the signatures and its number; ends at the first error.
static llvm::Error
visitDims(llvm::ArrayRef<InputSignature> signatures,
          llvm::function_ref<llvm::Error(const InputSignature &, size_t, StringRef, const Dim &)> visit) {
  for (const InputSignature &signature : signatures)
    for (auto [number, text] : llvm::enumerate(signature.dims.value_or(std::vector<std::string>()))) {
      llvm::Expected<Dim> dim = Dim::parse(signature.name, text);
      if (!dim)
        return dim.takeError();
      if (llvm::Error error = visit(signature, number, text, *dim))
        return error;
    }
  return llvm::Error::success();
}

llvm::Error dyn::verifySizes(llvm::ArrayRef<InputSignature> signatures, const Sizes &sizes,
                             llvm::ArrayRef<InputFile> files) {
  std::vector<std::string> names;
  std::optional<std::string> missing; // what to say of the first one
  auto note = [&](const InputSignature &signature, size_t, StringRef, const Dim &dim) {
    bool isGiven = llvm::any_of(files, [&](const InputFile &file) { return file.name == signature.name; });
    for (const std::string &symbol : dim.getSymbols()) {
      if (!llvm::is_contained(names, symbol))
        names.push_back(symbol);
      if (!isGiven && !sizes.contains(symbol) && !missing)
        missing = "input '" + signature.name + "' needs a value for '" + symbol + "': give --dim=" + symbol + "=VALUE";
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = visitDims(signatures, note))
    return error;
  // A name that is misspelt is why another one is missing. In their own order, so that the same one is always named.
  std::vector<StringRef> given(sizes.keys().begin(), sizes.keys().end());
  llvm::sort(given);
  for (StringRef name : given)
    if (!llvm::is_contained(names, name))
      return llvm::createStringError("--dim=" + name + "=...: no input has a size '" + name + "'; their sizes: " +
                                     (names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'"));
  return missing ? llvm::createStringError(*missing) : llvm::Error::success();
}

llvm::Error dyn::addSizesOf(const Inputs &inputs, llvm::ArrayRef<InputSignature> signatures, Sizes &sizes) {
  for (bool grown = true; grown;) {
    grown = false;
    auto learn = [&](const InputSignature &signature, size_t number, StringRef, const Dim &dim) {
      auto input = llvm::find_if(inputs, [&](const auto &each) { return each.first == signature.name; });
      if (input != inputs.end() && input->second.dims.size() == signature.dims->size())
        if (auto solution = dim.solve(sizes, input->second.dims[number]))
          grown |= sizes.insert(*solution).second;
      return llvm::Error::success();
    };
    if (llvm::Error error = visitDims(signatures, learn))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error dyn::verifyRanks(llvm::ArrayRef<InputSignature> signatures, const Inputs &inputs) {
  for (const InputSignature &signature : signatures)
    for (const auto &[name, tensor] : inputs)
      if (name == signature.name && signature.dims && tensor.dims.size() != signature.dims->size())
        return llvm::createStringError(
            "input '" + name + "' has rank " + llvm::Twine(tensor.dims.size()) + " (dims [" +
            llvm::join(llvm::map_range(tensor.dims, [](int64_t dim) { return std::to_string(dim); }), ", ") +
            "]), must be " + llvm::Twine(signature.dims->size()) + ": [" + llvm::join(*signature.dims, ", ") + "]");
  return llvm::Error::success();
}

llvm::Error dyn::verifyInputs(llvm::ArrayRef<InputSignature> signatures, const Sizes &sizes, const Inputs &inputs) {
  return visitDims(
      signatures, [&](const InputSignature &signature, size_t number, StringRef text, const Dim &dim) -> llvm::Error {
        auto input = llvm::find_if(inputs, [&](const auto &each) { return each.first == signature.name; });
        if (input == inputs.end() || dim.getSymbols().empty() || !dim.isDetermined(sizes))
          return llvm::Error::success();
        int64_t actual = input->second.dims[number];
        std::optional<int64_t> value = dim.evaluate(sizes);
        if (value == actual)
          return llvm::Error::success();
        return llvm::createStringError("input '" + signature.name + "' dim " + llvm::Twine(number) + " is " +
                                       llvm::Twine(actual) + ", but --dim makes it " + text +
                                       (value ? " = " + std::to_string(*value) : ", which is no size then"));
      });
}

llvm::Error dyn::addGivenValues(llvm::ArrayRef<onnx::InputValues> values, llvm::ArrayRef<InputSignature> signatures,
                                Inputs &inputs) {
  for (const onnx::InputValues &given : values) {
    auto signature = llvm::find_if(signatures, [&](const auto &each) { return each.name == given.input; });
    if (signature == signatures.end())
      return llvm::createStringError("--input-values=" + given.input + "=...: the model has no input '" + given.input +
                                     "'");
    if (llvm::any_of(inputs, [&](const auto &input) { return input.first == given.input; }))
      continue;
    Tensor tensor;
    tensor.elementType = signature->elementType;
    int64_t count = 1;
    for (const std::string &text : signature->dims.value_or(std::vector<std::string>{"?"})) {
      int64_t size;
      if (StringRef(text).getAsInteger(10, size))
        return llvm::createStringError("--input-values=" + given.input + "=...: dim '" + text + "' of input '" +
                                       given.input + "' is not one size");
      tensor.dims.push_back(size);
      count *= size;
    }
    bool isFloat = llvm::is_contained({DYN_FLOAT16, DYN_BFLOAT16, DYN_FLOAT32, DYN_FLOAT64}, tensor.elementType);
    if (isFloat || count != static_cast<int64_t>(given.values.size()))
      return llvm::createStringError("--input-values=" + given.input + "=...: input '" + given.input + "' has " +
                                     llvm::Twine(count) + (isFloat ? " floats" : " elements") + ", but " +
                                     llvm::Twine(given.values.size()) + " integers were given");
    if (llvm::Error error = allocate(tensor, "input '" + given.input + "'"))
      return error;
    // The bytes of an integer of less than 64 bits are the first ones.
    size_t bytes = getElementBytes(tensor.elementType);
    for (auto [index, value] : llvm::enumerate(given.values)) {
      if (bytes < sizeof(value) && value >> (8 * bytes) != 0 && value >> (8 * bytes - 1) != -1)
        return llvm::createStringError("--input-values=" + given.input + "=...: " + llvm::Twine(value) +
                                       " does not fit into the elements of input '" + given.input + "'");
      std::memcpy(tensor.data.data() + index * bytes, &value, bytes);
    }
    inputs.emplace_back(given.input, std::move(tensor));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Random values
//===----------------------------------------------------------------------===//

template <typename T, typename Draw>
static void fill(Tensor &tensor, Draw draw) {
  for (size_t i = 0; i + sizeof(T) <= tensor.data.size(); i += sizeof(T)) {
    T value = T(draw());
    std::memcpy(tensor.data.data() + i, &value, sizeof(T));
  }
}

static void fillRandomly(Tensor &tensor, std::mt19937 &generator) {
  std::normal_distribution<double> normal;
  auto real = [&] { return normal(generator); };
  auto bit = [&] { return generator() & 1; };
  switch (tensor.elementType) {
  case DYN_FLOAT32:
    return fill<float>(tensor, real);
  case DYN_FLOAT64:
    return fill<double>(tensor, real);
  case DYN_FLOAT16:
    return fill<uint16_t>(tensor, [&] { return bit() ? 0x3C00 : 0; });
  case DYN_BFLOAT16:
    return fill<uint16_t>(tensor, [&] { return bit() ? 0x3F80 : 0; });
  default:
    break;
  }
  switch (getElementBytes(tensor.elementType)) {
  case 1:
    return fill<uint8_t>(tensor, bit);
  case 2:
    return fill<uint16_t>(tensor, bit);
  case 4:
    return fill<uint32_t>(tensor, bit);
  default:
    return fill<uint64_t>(tensor, bit);
  }
}

std::vector<InputSignature> dyn::getInputSignatures(const DynModel &model) {
  std::vector<InputSignature> signatures;
  for (size_t i = 0; i < dynModelGetNumInputs(&model); ++i) {
    DynTensorInfo info = dynModelGetInput(&model, i);
    signatures.push_back({info.name, info.elementType, std::vector<std::string>(info.dims, info.dims + info.rank)});
  }
  return signatures;
}

llvm::Error dyn::addRandomInputs(llvm::ArrayRef<InputSignature> signatures, const Sizes &sizes, unsigned seed,
                                 Inputs &inputs) {
  std::mt19937 generator(seed);
  for (const InputSignature &signature : signatures) {
    if (llvm::any_of(inputs, [&](const auto &input) { return input.first == signature.name; }))
      continue;
    if (!signature.dims)
      return llvm::createStringError("input '" + signature.name + "' has no rank or dims without names: give --input=" +
                                     signature.name + "=FILE.npy");
    Tensor tensor;
    tensor.elementType = signature.elementType;
    for (const std::string &text : *signature.dims) {
      llvm::Expected<Dim> dim = Dim::parse(signature.name, text);
      if (!dim)
        return dim.takeError();
      std::optional<int64_t> value = dim->evaluate(sizes);
      if (!value)
        return llvm::createStringError("input '" + signature.name + "': dim '" + text +
                                       "' is no size for these values");
      tensor.dims.push_back(*value);
    }
    if (llvm::Error error = allocate(tensor, "input '" + signature.name + "'"))
      return error;
    fillRandomly(tensor, generator);
    inputs.emplace_back(signature.name, std::move(tensor));
  }
  return llvm::Error::success();
}
