//===- The op that chooses a plan of memory -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DynShape/IR/PlanOp.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::shape;

#define GET_OP_CLASSES
#include "dyn/Dialect/DynShape/IR/PlanOp.cpp.inc"

LogicalResult PlanOp::verify() {
  symbolic::SymbolicContext context;
  llvm::SmallVector<symbolic::Expr> exprs;
  auto addExprs = [&](DimsAttr dims) { llvm::append_range(exprs, dims.getExprs(context)); };
  addExprs(getSizes()), addExprs(getLines()), addExprs(getLive());
  for (DimsAttr offsets : getOffsets().getAsRange<DimsAttr>()) {
    if (offsets.getDims().size() != getPlaces().size())
      return emitOpError() << "has a plan with " << offsets.getDims().size() << " offsets for " << getPlaces().size()
                           << " places";
    addExprs(offsets);
  }
  llvm::SmallSetVector<symbolic::Expr, 4> symbols;
  for (symbolic::Expr expr : exprs)
    symbols.insert_range(expr.getSymbols());
  for (PredAttr predicate : getPredicates().getAsRange<PredAttr>())
    symbols.insert_range(predicate.getPredicate(context).getSymbols());
  size_t plans = getPredicates().size();
  if (plans == 0 || getSizes().getDims().size() != plans || getOffsets().size() != plans)
    return emitOpError() << "has " << plans << " predicates, " << getSizes().getDims().size() << " sizes and "
                         << getOffsets().size() << " lists of offsets";
  if (getLines().getDims().size() != getPlaces().size() || getLifetimes().size() != 2 * getPlaces().size())
    return emitOpError() << "has " << getLines().getDims().size() << " lines and " << getLifetimes().size()
                         << " ends of lifetimes for " << getPlaces().size() << " places";
  auto isPlace = [&](int64_t place) { return place >= 0 && place < int64_t(getPlaces().size()); };
  if (getBeside().size() % 2 != 0 || !llvm::all_of(getBeside(), isPlace))
    return emitOpError() << "has 'beside' that is no list of pairs of its " << getPlaces().size() << " places";
  if (getNames().size() != getOperands().size())
    return emitOpError() << "has " << getNames().size() << " symbol names for " << getOperands().size() << " operands";
  llvm::StringSet<> bound;
  for (StringRef name : getNames().getAsValueRange<StringAttr>())
    if (!bound.insert(name).second)
      return emitOpError() << "binds symbol '" << name << "' twice";
  for (symbolic::Expr symbol : symbols)
    if (!bound.contains(symbol.getSymbolName()))
      return emitOpError() << "has no operand for symbol '" << symbol.getSymbolName() << "'";
  return success();
}
