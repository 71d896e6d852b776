//===- Symbols and types of a model's inputs --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "dyn/Symbolic/LinearForms.h"
#include "dyn/Target/ONNX/DimSpec.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::symbolic;
using llvm::Error;
using llvm::SmallVector;
using llvm::StringRef;

static bool isFixed(const SymbolFacts &facts) { return facts.range.lower && facts.range.lower == facts.range.upper; }

Expr Signature::readText(StringRef text) {
  if (names.contains(text))
    return context.getSymbol(text);
  auto [entry, isNew] = texts.try_emplace(text);
  if (isNew)
    entry->second = parseDimText(text, context);
  return entry->second;
}

Expr Signature::readDim(const Dim &dim) {
  if (dim.kind == Dim::Kind::Value)
    return context.getConstant(dim.value);
  return dim.kind == Dim::Kind::Text ? readText(dim.text) : Expr();
}

Error Signature::readInput(const ValueInfo &input) {
  std::optional<SmallVector<Expr>> &result = dims.emplace_back();
  auto given = llvm::find_if(options.inputDims, [&](const auto &entry) { return entry.first == input.name; });
  if (given == options.inputDims.end()) {
    if (!input.dims)
      return Error::success();
    result = llvm::map_to_vector(*input.dims, [&](const Dim &dim) { return readDim(dim); });
    for (auto [index, dim] : llvm::enumerate(*input.dims))
      if (dim.kind == Dim::Kind::Value && dim.value < 0)
        return llvm::createStringError("dim " + std::to_string(index) + " of input " + quoteName(input.name) +
                                       " is declared as " + std::to_string(dim.value) + ", which is no size");
    return Error::success();
  }
  llvm::Expected<SmallVector<Expr>> list = parseDimList(given->second, context);
  if (!list)
    return llvm::createStringError("dims of input " + quoteName(input.name) + ": " + llvm::toString(list.takeError()));
  result = std::move(*list);
  if (input.dims && input.dims->size() != result->size())
    return llvm::createStringError("input " + quoteName(input.name) + " has " + std::to_string(input.dims->size()) +
                                   " dims in the model, but " + std::to_string(result->size()) +
                                   " were given: " + given->second);
  return Error::success();
}

/// `batch-size`: programs that write differences put spaces around the sign.
static bool isWordWithHyphen(StringRef text) {
  for (size_t place = text.find('-'); place != StringRef::npos; place = text.find('-', place + 1))
    if (place > 0 && llvm::isAlpha(text[place - 1]) && place + 1 < text.size() && llvm::isAlpha(text[place + 1]))
      return true;
  return false;
}

/// A text of which the inputs do not determine every symbol is no expression but a name, such as `batch-size`. Where
/// nothing is run, and others may tell more of the symbols, only one that hardly is an expression.
void Signature::findNames() {
  Substitution given;
  for (const auto &[name, facts] : options.dims)
    if (isFixed(facts))
      given[context.getSymbol(name).getNode()] = context.getConstant(*facts.range.lower);
  // A name less may leave symbols of other texts without an input that determines them.
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Expr> all;
    for (const auto &inputDims : dims)
      for (Expr dim : inputDims ? llvm::ArrayRef<Expr>(*inputDims) : llvm::ArrayRef<Expr>())
        if (Expr known = dim ? substitute(dim, given) : Expr())
          all.push_back(known);
    std::vector<Expr> undetermined = findUndetermined(all);
    auto isOpen = [&](Expr symbol) { return llvm::is_contained(undetermined, symbol); };
    for (auto [input, inputDims] : llvm::zip_equal(inputs, dims)) {
      bool isGiven =
          llvm::any_of(options.inputDims, [&name = input->name](const auto &entry) { return entry.first == name; });
      if (!inputDims || isGiven)
        continue;
      for (auto [declared, dim] : llvm::zip_equal(*input->dims, *inputDims)) {
        if (!dim || dim.isSymbol() || !llvm::any_of(dim.getSymbols(), isOpen) ||
            (options.allowForeign && !isWordWithHyphen(declared.text)))
          continue;
        names.try_emplace(declared.text);
        dim = readDim(declared);
        changed = true;
      }
    }
  }
}

llvm::StringMap<char> Signature::collectNames() {
  llvm::StringMap<char> names;
  auto collect = [&](Expr dim) {
    for (Expr symbol : dim ? dim.getSymbols() : SmallVector<Expr, 4>())
      names.try_emplace(symbol.getSymbolName());
  };
  for (const auto &inputDims : dims)
    if (inputDims)
      llvm::for_each(*inputDims, collect);
  for (const ValueInfo &input : allInputs)
    if (input.elementDims)
      for (const Dim &dim : *input.elementDims)
        collect(readDim(dim));
  for (const ValueInfo &output : outputs)
    if (output.dims)
      for (const Dim &dim : *output.dims)
        collect(readDim(dim));
  return names;
}

/// `x_0` for dim 0 of input `x`.
static std::string makeSymbolName(StringRef input, size_t dim) {
  std::string name;
  for (char character : input)
    name += llvm::isAlnum(character) ? character : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name = "input_" + name;
  return name + "_" + std::to_string(dim);
}

/// A fresh symbol for each dim without a name, called after its place.
void Signature::nameUnnamed() {
  llvm::StringMap<char> used = collectNames();
  for (auto [input, inputDims] : llvm::zip_equal(inputs, dims)) {
    if (!inputDims)
      continue;
    for (auto [index, dim] : llvm::enumerate(*inputDims)) {
      if (dim)
        continue;
      std::string name = makeSymbolName(input->name, index);
      while (!used.try_emplace(name).second)
        name += "_";
      dim = context.getSymbol(name);
      if (options.defaultDim && llvm::none_of(options.dims, [&](const auto &entry) { return entry.first == name; }))
        facts[name] = *options.defaultDim;
    }
  }
}

/// Facts that are given twice must agree; likely sizes add up.
Error Signature::addFacts(StringRef name, const SymbolFacts &given) {
  auto [entry, isNew] = facts.try_emplace(name, given);
  SymbolFacts &known = entry->second;
  if (isNew)
    return Error::success();
  if (!(known.range == given.range) || known.modulus != given.modulus || known.remainder != given.remainder ||
      known.notEqual != given.notEqual)
    return llvm::createStringError("dim " + quoteName(name) + " is given twice, with different facts");
  for (int64_t likely : given.likely)
    if (!llvm::is_contained(known.likely, likely))
      known.likely.push_back(likely);
  return Error::success();
}

/// Of the dims of tensors in sequences and optionals, those that are no dims of inputs, by an input that declares them.
llvm::StringMap<StringRef> Signature::findNamesInLists(const llvm::StringMap<char> &known) {
  llvm::StringMap<StringRef> names;
  for (const ValueInfo &input : allInputs)
    for (const Dim &dim : input.elementDims ? llvm::ArrayRef<Dim>(*input.elementDims) : llvm::ArrayRef<Dim>())
      if (Expr expr = readDim(dim))
        for (Expr symbol : expr.getSymbols())
          if (!known.contains(symbol.getSymbolName()))
            names.try_emplace(symbol.getSymbolName(), input.name);
  return names;
}

/// Checks what users say about dims, and replaces those of which there is one size.
Error Signature::applyFacts() {
  llvm::StringMap<char> known;
  std::vector<std::string> names;
  for (const auto &inputDims : dims)
    for (Expr dim : inputDims ? llvm::ArrayRef<Expr>(*inputDims) : llvm::ArrayRef<Expr>())
      for (Expr symbol : dim.getSymbols())
        if (known.try_emplace(symbol.getSymbolName()).second)
          names.push_back(symbol.getSymbolName().str());
  llvm::StringMap<StringRef> inLists = findNamesInLists(known);
  for (const auto &entry : inLists)
    names.push_back(entry.first().str());
  for (const auto &[name, given] : options.dims) {
    if (auto list = inLists.find(name); list != inLists.end() && !isFixed(given))
      return llvm::createStringError("dim " + quoteName(name) + " is one of the tensors in input " +
                                     quoteName(list->second) + " alone: it can be given a size, but no other facts");
    if (!known.contains(name) && !inLists.contains(name))
      return llvm::createStringError("no input has a dim named " + quoteName(name) +
                                     (isUnnamedDim(name) ? ", which stands for a dim without a name" : "") +
                                     "; there " +
                                     (names.empty() ? "are none with a name" : "are: " + llvm::join(names, ", ")));
    if (Error error = verifyDimFacts(given))
      return llvm::createStringError("dim " + quoteName(name) + ": " + llvm::toString(std::move(error)));
    if (Error error = addFacts(name, given))
      return error;
  }
  for (const auto &entry : facts)
    if (isFixed(entry.second))
      fixed[context.getSymbol(entry.first()).getNode()] = context.getConstant(*entry.second.range.lower);
  for (auto [input, inputDims] : llvm::zip_equal(inputs, dims)) {
    if (!inputDims)
      continue;
    for (auto [index, dim] : llvm::enumerate(*inputDims)) {
      dim = substitute(dim, fixed);
      std::optional<int64_t> constant = dim ? dim.getConstant() : std::nullopt;
      if (!dim || (constant && *constant < 0))
        return llvm::createStringError("dim " + std::to_string(index) + " of input " + quoteName(input->name) +
                                       " has no possible size with the dims given");
    }
  }
  return Error::success();
}

/// A run reads the values of symbols off the sizes of its inputs.
Error Signature::checkDetermined() {
  std::vector<Expr> all;
  for (const auto &inputDims : dims)
    if (inputDims)
      llvm::append_range(all, *inputDims);
  std::vector<Expr> undetermined = findUndetermined(all);
  if (undetermined.empty())
    return Error::success();
  std::string name = undetermined.front().getSymbolName().str();
  for (auto [input, inputDims] : llvm::zip_equal(inputs, dims))
    for (auto [index, dim] : llvm::enumerate(inputDims ? llvm::ArrayRef<Expr>(*inputDims) : llvm::ArrayRef<Expr>()))
      if (llvm::is_contained(dim.getSymbols(), undetermined.front()))
        return llvm::createStringError("no input determines " + quoteName(name) + ": dim " + std::to_string(index) +
                                       " of input " + quoteName(input->name) + " is " + dim.str() + ", and no dim is " +
                                       printSymbolName(name) +
                                       ", or linear in it with the rest known; a fixed size for it would do");
  llvm_unreachable("what is undetermined stands in some dim");
}

void Signature::declareSymbols() {
  llvm::StringMap<size_t> places;
  for (auto [argument, inputDims] : llvm::enumerate(dims)) {
    if (!inputDims)
      continue;
    for (auto [index, dim] : llvm::enumerate(*inputDims)) {
      for (Expr symbol : dim.getSymbols()) {
        StringRef name = symbol.getSymbolName();
        auto place = places.try_emplace(name, symbols.size());
        if (place.second) {
          SymbolDeclaration &declaration = symbols.emplace_back();
          declaration.name = name.str();
          auto given = facts.find(name);
          if (given != facts.end())
            declaration.facts = given->second;
        }
        SymbolDeclaration &declaration = symbols[place.first->second];
        if (declaration.origin != SymbolDeclaration::Origin::None || !dim.isSymbol())
          continue;
        declaration.origin = SymbolDeclaration::Origin::ArgumentDim;
        declaration.argument = static_cast<unsigned>(argument);
        declaration.index = static_cast<unsigned>(index);
      }
    }
  }
  findTellingDims();
}

/// Of symbols that are no dim: the dims in which they stand with a number as their factor, and with nothing else that
/// these dims do not tell.
void Signature::findTellingDims() {
  auto isTold = [](const SymbolDeclaration &symbol) { return symbol.origin != SymbolDeclaration::Origin::None; };
  llvm::StringSet<> told;
  for (const SymbolDeclaration &symbol : symbols)
    if (isTold(symbol))
      told.insert(symbol.name);
  auto tells = [&](Expr dim, const SymbolDeclaration &symbol) {
    std::optional<LinearForm> form = getLinearForm(dim, context.getSymbol(symbol.name));
    return form && form->factor.getConstant() &&
           llvm::all_of(form->rest.getSymbols(), [&](Expr other) { return told.contains(other.getSymbolName()); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (SymbolDeclaration &symbol : symbols)
      for (auto [argument, inputDims] : llvm::enumerate(dims)) {
        if (isTold(symbol) || !inputDims)
          continue;
        auto dim = llvm::find_if(*inputDims, [&](Expr each) { return tells(each, symbol); });
        if (dim == inputDims->end())
          continue;
        symbol.origin = SymbolDeclaration::Origin::ArgumentDim;
        symbol.argument = static_cast<unsigned>(argument);
        symbol.index = static_cast<unsigned>(dim - inputDims->begin());
        told.insert(symbol.name);
        changed = true;
      }
  }
}

Error Signature::build() {
  for (const auto &given : options.inputDims)
    if (llvm::none_of(inputs, [&](const ValueInfo *input) { return input->name == given.first; }))
      return llvm::createStringError("dims were given for " + quoteName(given.first) +
                                     ", which is no input of the model");
  for (const ValueInfo *input : inputs)
    if (Error error = readInput(*input))
      return error;
  findNames();
  nameUnnamed();
  if (Error error = applyFacts())
    return error;
  declareSymbols();
  return options.allowForeign ? Error::success() : checkDetermined();
}

std::vector<Predicate> Signature::getFixed() {
  std::vector<Predicate> result;
  for (const auto &[name, given] : options.dims) {
    if (!isFixed(given))
      continue;
    Predicate size = Predicate::equal(context.getSymbol(name), context.getConstant(*given.range.lower));
    if (!llvm::is_contained(result, size))
      result.push_back(std::move(size));
  }
  return result;
}

SmallVector<Expr> Signature::readDims(llvm::ArrayRef<Dim> declared) {
  return llvm::map_to_vector(declared, [&](const Dim &dim) {
    bool isSize = dim.kind != Dim::Kind::Value || dim.value >= 0;
    Expr expr = isSize ? readDim(dim) : Expr();
    if (expr)
      expr = substitute(expr, fixed);
    return expr ? expr : context.getSymbol("?");
  });
}

SmallVector<Expr> Signature::readOutputDims(llvm::ArrayRef<Dim> declared) {
  Expr nothing = context.getSymbol("?");
  SmallVector<Expr> result = readDims(declared);
  if (llvm::all_equal(result) && llvm::is_contained(result, nothing))
    result.clear();
  return result;
}
