//===- Where guards stand ----------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "InsertGuards.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// The op of a block that is the first to have a result of which a symbol is a dim: what data determine is known there.
static llvm::StringMap<Operation *> findBinders(Block &block, ShapeAnalysis &analysis) {
  llvm::StringMap<Operation *> binders;
  for (const SymbolDeclaration &symbol : analysis.getSymbols())
    if (!analysis.areKnownAtEntry(analysis.getContext().getSymbol(symbol.name)))
      binders[symbolic::printSymbolName(symbol.name)] = nullptr;
  if (binders.empty())
    return binders;
  for (Operation &op : block)
    for (Type type : op.getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (DimsAttr dims = DimsAttr::of(tensor))
          for (ExprAttr dim : dims.getDims())
            if (auto binder = binders.find(dim.getText()); binder != binders.end() && !binder->second)
              binder->second = &op;
  return binders;
}

void dyn::insertGuards(Block &block, ArrayRef<ShapeGuard> guards, ShapeAnalysis &analysis, bool leavesOut) {
  llvm::StringMap<Operation *> binders = findBinders(block, analysis);
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (const ShapeGuard &guard : guards) {
    Operation *last = nullptr;
    bool isOpen = false;
    for (Expr symbol : guard.predicate.getSymbols()) {
      auto binder = binders.find(symbolic::printSymbolName(symbol.getSymbolName()));
      if (binder == binders.end())
        continue;
      isOpen |= !binder->second;
      if (binder->second && (!last || last->isBeforeInBlock(binder->second)))
        last = binder->second;
    }
    // What no value has as a dim is seen by the op alone that needs the guard.
    if (isOpen && leavesOut)
      continue;
    OpBuilder::InsertionGuard atEntry(builder);
    if (last)
      builder.setInsertionPointAfter(last);
    RequireOp::create(builder, guard.loc, PredAttr::get(builder.getContext(), guard.predicate),
                      builder.getStringAttr(guard.because));
  }
}
