//===- Inputs whose elements users give -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What reads such an input reads a constant. The elements are symbols of one value,
// which every run checks.
//
//===----------------------------------------------------------------------===//

#include "../Importer.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Analysis/ShapeRelations.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using symbolic::SymbolDeclaration;

static std::string print(const symbolic::Range &range) {
  return std::to_string(range.lower.value_or(INT64_MIN)) + ".." + std::to_string(range.upper.value_or(INT64_MAX));
}

/// Checks values against the input that they are for. Its type, null after an error.
static RankedTensorType verifyValues(const InputValues &given, Type input,
                                     llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto tensor = dyn_cast<TensorType>(input);
  auto element = tensor ? dyn_cast<IntegerType>(tensor.getElementType()) : IntegerType();
  if (!element || (element.getWidth() < 8 && element.getWidth() != 1)) {
    emitError() << "is " << input << ": only integers of 8 bits or more and booleans can be given";
    return {};
  }
  auto type = dyn_cast<RankedTensorType>(input);
  if (!type || !type.hasStaticShape()) {
    emitError() << "is " << input << ": give it dims of one size as well, so that the number of its elements is known";
    return {};
  }
  if (type.getNumElements() > ShapeRelations::kMaxElements) {
    emitError() << "has " << type.getNumElements() << " elements, at most " << ShapeRelations::kMaxElements
                << " can be given";
    return {};
  }
  if (type.getNumElements() != static_cast<int64_t>(given.values.size())) {
    emitError() << "has " << type.getNumElements() << " elements, but " << given.values.size() << " were given";
    return {};
  }
  symbolic::Range range = getElementRange(element);
  for (int64_t value : given.values)
    if ((range.lower && value < *range.lower) || (range.upper && value > *range.upper)) {
      emitError() << "has elements of type " << element << ", which are " << print(range) << ", not " << value;
      return {};
    }
  return type;
}

LogicalResult Importer::fixInputs() {
  if (options.inputValues.empty())
    return success();
  std::vector<SymbolDeclaration> symbols = signature->getSymbols();
  llvm::StringMap<char> names = signature->collectNames();
  llvm::StringMap<char> fixed;
  for (const InputValues &given : options.inputValues) {
    auto input = llvm::find_if(arguments, [&](const ValueInfo *argument) { return argument->name == given.input; });
    if (input == arguments.end())
      return emitError(fileLoc) << "values were given for " << quoteName(given.input)
                                << ", which is no input of the model that a run reads numbers from";
    if (!fixed.try_emplace(given.input).second)
      return emitError(fileLoc) << "values of input " << quoteName(given.input) << " are given twice";
    auto number = static_cast<unsigned>(input - arguments.begin());
    RankedTensorType type = verifyValues(given, function.getArgumentTypes()[number], [&] {
      return emitError(fileLoc) << "values of input " << quoteName(given.input) << ": it ";
    });
    if (!type)
      return failure();
    unsigned width = type.getElementTypeBitWidth();
    SmallVector<APInt> elements;
    for (auto [index, value] : llvm::enumerate(given.values)) {
      elements.emplace_back(width, static_cast<uint64_t>(value), /*isSigned=*/false, /*implicitTrunc=*/true);
      SymbolDeclaration &symbol = symbols.emplace_back();
      symbol.name = type.getRank() ? given.input + "_" + std::to_string(index) : given.input;
      while (!names.try_emplace(symbol.name).second)
        symbol.name += "_";
      symbol.facts.range = {value, value};
      symbol.origin = SymbolDeclaration::Origin::ArgumentValue;
      symbol.argument = number;
      symbol.index = static_cast<unsigned>(index);
    }
    values[given.input] = constants->create(fileLoc, DenseElementsAttr::get(type, elements));
  }
  function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(builder.getContext(), symbols));
  return success();
}
