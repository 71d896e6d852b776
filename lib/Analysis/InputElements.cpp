//===- Elements of inputs that decide sizes -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

symbolic::Range dyn::getElementRange(IntegerType type) {
  unsigned width = type.getWidth();
  if (type.isUnsigned() || width == 1)
    return {0, width < 64 ? std::optional<int64_t>(llvm::maxUIntN(width)) : std::nullopt};
  return width < 64 ? symbolic::Range{llvm::minIntN(width), llvm::maxIntN(width)}
                    : symbolic::Range{std::nullopt, std::nullopt};
}

void ShapeAnalysis::addElementSymbols(BlockArgument argument) {
  std::optional<SmallVector<int64_t>> dims = getSmallDims(argument);
  if (!dims || !isa<IntegerType>(getElementTypeOrSelf(argument)) || getElementTypeOrSelf(argument).isInteger(1))
    return;
  int64_t count = 1;
  for (int64_t dim : *dims)
    count *= dim;
  unsigned number = argument.getArgNumber();
  ElementValues elements;
  for (int64_t i = 0; i < count; ++i) {
    // A second analysis of the same function finds what the first one declared.
    SymbolDeclaration *declared = llvm::find_if(symbols, [&](const SymbolDeclaration &symbol) {
      return symbol.origin == Origin::ArgumentValue && symbol.argument == number && symbol.index == i;
    });
    if (declared != symbols.end()) {
      elements.push_back(ElementValue::getInteger(context.getSymbol(declared->name)));
      continue;
    }
    // What outputs are declared with is another size under the same name.
    for (unsigned result = 0; result < function.getNumResults(); ++result)
      if (auto given = function.getResultAttrOfType<DimsAttr>(result, DynDialect::kDeclaredDimsAttrName))
        for (ExprAttr dim : given.getDims())
          (void)dim.getExpr(context);
    SymbolDeclaration declaration;
    std::string name = getInputName(number);
    declaration.name =
        context.createSymbol(dims->empty() ? name : name + "_" + std::to_string(i)).getSymbolName().str();
    declaration.facts.range = getElementRange(cast<IntegerType>(getElementTypeOrSelf(argument)));
    declaration.origin = Origin::ArgumentValue;
    declaration.argument = number;
    declaration.index = i;
    elements.push_back(
        ElementValue::getInteger(createSymbol(std::move(declaration), SymbolClass::Declared, "element of an input")));
  }
  root.knowledge[argument].elements = std::move(elements);
}

void ShapeAnalysis::survey() {
  SmallVector<Value> pending;
  size_t count = 0;
  function.getFunctionBody().walk([&](Operation *op) {
    count += op->getNumResults();
    hasSequences |= llvm::any_of(op->getResultTypes(), llvm::IsaPred<SequenceType, OptionalType>);
    if (auto *relations = op->getName().getInterface<ShapeRelationsOpInterface>())
      llvm::append_range(pending, relations->getShapeOperands(relations, op));
    if (auto guard = dyn_cast<RequireOp>(op))
      required[op->getBlock()].push_back(guard);
    if (auto branch = dyn_cast<IfOp>(op))
      pending.push_back(branch.getCondition());
    if (auto loop = dyn_cast<LoopOp>(op)) {
      pending.push_back(loop.getNextCondition());
      for (Value limit : {Value(loop.getTripCount()), Value(loop.getCondition())})
        if (limit)
          pending.push_back(limit);
    }
  });
  // Dims were found with them, though the ops that asked may have been resolved.
  for (const SymbolDeclaration &symbol : symbols)
    if (symbol.origin == Origin::ArgumentValue)
      pending.push_back(function.getArgument(symbol.argument));
  root.knowledge.reserve(function.getNumArguments() + count);
  nameInputElements(std::move(pending));
}

/// What a trip carries is what the loop begins with, or what the trip before gives.
static void addSources(LoopOp loop, BlockArgument argument, SmallVectorImpl<Value> &sources) {
  for (auto [carried, initial, next] : llvm::zip_equal(loop.getCarried(), loop.getInitial(), loop.getNext()))
    if (carried == argument)
      sources.append({initial, next});
}

void ShapeAnalysis::nameInputElements(SmallVector<Value> deciders) {
  while (!deciders.empty()) {
    Value value = deciders.pop_back_val();
    if (!deciding.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &function.getFunctionBody().front())
        addElementSymbols(argument);
      else if (auto loop = dyn_cast_if_present<LoopOp>(argument.getOwner()->getParentOp()))
        addSources(loop, argument, deciders);
      continue;
    }
    // Dims of an operand are known without its elements.
    Operation *op = value.getDefiningOp();
    if (isa<ShapeOfOp>(op))
      continue;
    auto tensor = dyn_cast<TensorType>(value.getType());
    bool isInteger = isa<IntegerType>(tensor ? tensor.getElementType() : value.getType());
    // Of floats those that lead from a size to a size: arithmetic, and what brings scales to where they are used.
    if (isInteger || isa<CastOp, AddOp, SubOp, MulOp, DivOp, FloorOp, CeilOp, RoundOp, MinOp, MaxOp>(op) ||
        isa<ConcatOp, GatherOp, SliceOp, SliceToOp, ReshapeOp, ReshapeToOp, SqueezeOp, UnsqueezeOp>(op))
      llvm::append_range(deciders, op->getOperands());
  }
}
