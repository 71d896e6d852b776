//===- Sizes of runs on random inputs -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Target/ONNX/DimSpec.h"
#include "llvm/ADT/StringExtras.h"

using namespace dyn;
using llvm::StringRef;

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

/// Lines of predicate, tab, reason, tab, node.
static std::vector<symbolic::SizeProblem::Fact> readFacts(StringRef text) {
  std::vector<symbolic::SizeProblem::Fact> facts;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [predicate, rest] = line.split('\t');
    auto [because, node] = rest.split('\t');
    facts.push_back({predicate.str(), because.str(), node.str()});
  }
  return facts;
}

ModelSizes dyn::getModelSizes(const DynModel &model) {
  return {
      dynModelGetSymbolFacts(&model), readFacts(dynModelGetGuards(&model)), readFacts(dynModelGetAliases(&model)), {}};
}

/// What the left side of `total == n + p` names, or the symbols of a dim.
static llvm::SmallVector<std::string> getSymbols(StringRef text) {
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  llvm::SmallVector<std::string> names;
  if (symbolic::Expr expr = symbolic::parseExpr(text, context, error))
    for (symbolic::Expr symbol : expr.getSymbols())
      names.push_back(symbol.getSymbolName().str());
  return names;
}

namespace {
class DimInference {
public:
  DimInference(llvm::ArrayRef<InputSignature> signatures, const Sizes &given, const Inputs &files)
      : signatures(signatures), given(given), files(files) {}

  /// Nothing is left to infer or to compare: what is wrong is found by the run then.
  std::optional<std::vector<std::vector<int64_t>>> takeOver();
  llvm::Error verifyNames(const ModelSizes &sizes);
  llvm::Expected<std::vector<std::vector<int64_t>>> infer(const ModelSizes &sizes);

private:
  const Tensor *findFile(const InputSignature &signature) const {
    for (const auto &[name, tensor] : files)
      if (name == signature.name)
        return &tensor;
    return nullptr;
  }
  llvm::SmallVector<StringRef> getNames() const {
    llvm::SmallVector<StringRef> names(given.keys().begin(), given.keys().end());
    llvm::sort(names);
    return names;
  }
  llvm::ArrayRef<InputSignature> signatures;
  const Sizes &given;
  const Inputs &files;
};
} // namespace

std::optional<std::vector<std::vector<int64_t>>> DimInference::takeOver() {
  bool isCompared = !given.empty() && !files.empty();
  std::vector<std::vector<int64_t>> dims;
  llvm::StringMap<bool> isUsed;
  for (const InputSignature &signature : signatures) {
    std::vector<int64_t> &sizes = dims.emplace_back();
    if (const Tensor *file = findFile(signature)) {
      sizes.assign(file->dims.begin(), file->dims.end());
      continue;
    }
    for (const std::string &text : signature.dims.value_or(std::vector<std::string>())) {
      symbolic::SymbolicContext context;
      symbolic::ParseError error;
      symbolic::Expr dim = symbolic::parseExpr(text, context, error);
      std::optional<int64_t> size;
      if (dim)
        size = symbolic::evaluate(dim, [&](StringRef name) -> std::optional<int64_t> {
          isUsed[name] = true;
          auto known = given.find(name);
          return known == given.end() ? std::nullopt : std::optional(known->second);
        });
      if (!size || *size < 0)
        return std::nullopt;
      sizes.push_back(*size);
    }
  }
  if (isCompared || !llvm::all_of(given.keys(), [&](StringRef name) { return isUsed.contains(name); }))
    return std::nullopt;
  return dims;
}

llvm::Error DimInference::verifyNames(const ModelSizes &sizes) {
  std::vector<std::string> names;
  auto add = [&](StringRef text) {
    for (std::string &name : getSymbols(text))
      if (!llvm::is_contained(names, name))
        names.push_back(std::move(name));
  };
  for (const InputSignature &signature : signatures)
    for (const std::string &text : signature.dims.value_or(std::vector<std::string>()))
      add(text);
  for (const symbolic::SizeProblem::Fact &alias : sizes.aliases)
    add(StringRef(alias.predicate).split(" == ").first);
  for (StringRef name : getNames())
    if (!llvm::is_contained(names, name))
      return llvm::createStringError(
          "--dim=" + name + "=...: the model has no size '" + name + "'" +
          (onnx::isUnnamedDim(name) ? ", which stands for a dim without a name" : "") +
          "; its sizes: " + (names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'"));
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::vector<int64_t>>> DimInference::infer(const ModelSizes &sizes) {
  symbolic::SizeProblem problem;
  problem.declarations = sizes.declarations;
  problem.facts = sizes.guards;
  llvm::append_range(problem.facts, sizes.aliases);
  for (StringRef name : getNames())
    problem.given.push_back({name.str(), ("--dim=" + name).str(), given.lookup(name), /*isName=*/true});
  for (const InputSignature &signature : signatures) {
    const Tensor *file = findFile(signature);
    for (auto [index, dim] : llvm::enumerate(signature.dims.value_or(std::vector<std::string>()))) {
      std::string number = std::to_string(index);
      problem.wanted.push_back({dim, "dim " + number + " of input '" + signature.name + "'"});
      if (file)
        problem.given.push_back({dim, "input '" + signature.name + "' dim " + number, file->dims[index]});
    }
  }
  symbolic::ParseError error;
  std::optional<symbolic::InferredSizes> inferred = symbolic::inferSizes(problem, error);
  if (!inferred)
    return llvm::createStringError("sizes of the model can't be read: " + error.message);
  if (!inferred->conflict.empty()) {
    llvm::SmallVector<StringRef> lines;
    StringRef(inferred->conflict).split(lines, '\n');
    return llvm::createStringError(
        llvm::join(llvm::map_range(lines, [](StringRef line) { return line.trim(); }), "; "));
  }
  if (!inferred->missing.empty())
    return llvm::createStringError("missing: " + llvm::join(inferred->missing, ", ") + ": give --dim=NAME=VALUE");
  std::vector<std::vector<int64_t>> dims;
  size_t number = 0;
  for (const InputSignature &signature : signatures) {
    std::vector<int64_t> &shape = dims.emplace_back();
    for (const std::string &dim : signature.dims.value_or(std::vector<std::string>())) {
      std::optional<int64_t> size = inferred->sizes[number++];
      if (!size || *size < 0)
        return llvm::createStringError("input '" + signature.name + "': dim '" + dim + "' is no size for these values");
      shape.push_back(*size);
    }
  }
  return dims;
}

llvm::Expected<std::vector<std::vector<int64_t>>> dyn::inferInputDims(llvm::ArrayRef<InputSignature> signatures,
                                                                      const Sizes &given, const Inputs &files,
                                                                      llvm::function_ref<ModelSizes()> getSizes) {
  DimInference inference(signatures, given, files);
  if (auto dims = inference.takeOver())
    return *dims;
  ModelSizes sizes = getSizes();
  if (llvm::Error error = inference.verifyNames(sizes))
    return error;
  return inference.infer(sizes);
}

llvm::Error dyn::verifyOutputs(llvm::ArrayRef<InputSignature> inputs, const Sizes &given, const Inputs &outputs,
                               llvm::function_ref<ModelSizes()> getSizes) {
  Sizes open(given);
  for (const InputSignature &input : inputs)
    for (const std::string &dim : input.dims.value_or(std::vector<std::string>()))
      for (const std::string &name : getSymbols(dim))
        open.erase(name);
  if (open.empty())
    return llvm::Error::success();
  ModelSizes sizes = getSizes();
  Sizes sizesOf(given);
  llvm::StringMap<StringRef> names; // by the symbols that they stand for
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  for (const symbolic::SizeProblem::Fact &alias : sizes.aliases) {
    std::optional<symbolic::Predicate> equality = symbolic::parsePredicate(alias.predicate, context, error);
    auto value = equality ? open.find(equality->lhs.getSymbolName()) : open.end();
    if (value == open.end() || !equality->rhs.isSymbol())
      continue;
    sizesOf[equality->rhs.getSymbolName()] = value->second;
    names[equality->rhs.getSymbolName()] = value->first();
  }
  for (const auto &[signature, output] : llvm::zip(sizes.outputs, outputs))
    for (auto [text, size] : llvm::zip(signature.dims.value_or(std::vector<std::string>()), output.second.dims)) {
      symbolic::Expr dim = symbolic::parseExpr(text, context, error);
      auto find = [&](StringRef symbol) {
        auto known = sizesOf.find(symbol);
        return known == sizesOf.end() ? std::nullopt : std::optional(known->second);
      };
      std::optional<int64_t> wanted = dim ? symbolic::evaluate(dim, find) : std::nullopt;
      if (!wanted || *wanted == size)
        continue;
      auto name = names.find(dim.getSymbolName());
      return llvm::createStringError("output '" + signature.name + "': '" +
                                     (name == names.end() ? StringRef(text) : name->second) + "' is " +
                                     llvm::Twine(*wanted) + " by --dim, but " + llvm::Twine(size) + " in this run");
    }
  return llvm::Error::success();
}

std::string dyn::adviseValues(llvm::ArrayRef<InputSignature> signatures, const Inputs &given, StringRef declarations) {
  symbolic::ParseError error;
  auto symbols = symbolic::parseSymbolDeclarations(declarations, error);
  std::string advice;
  for (auto [index, signature] : llvm::enumerate(signatures)) {
    size_t elements = 0;
    for (const symbolic::SymbolDeclaration &symbol : symbols.value_or(llvm::SmallVector<symbolic::SymbolDeclaration>()))
      elements += symbol.origin == symbolic::SymbolDeclaration::Origin::ArgumentValue && symbol.argument == index;
    if (!elements || llvm::any_of(given, [&name = signature.name](const auto &input) { return input.first == name; }))
      continue;
    advice += " --input-values=" + signature.name + "=VALUE" + (elements > 1 ? ",..." : "");
  }
  return advice.empty() ? "" : "elements of random inputs decide sizes here; they can be given:" + advice;
}
