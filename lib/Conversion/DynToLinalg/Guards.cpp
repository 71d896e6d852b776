//===- What runs are checked for ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

void FunctionReifier::createCheck(Location loc, const Predicate &predicate, StringRef because) {
  SmallVector<Expr, 4> symbols = predicate.getSymbols();
  SmallVector<Value> operands = getSymbolValues(symbols);
  auto names = llvm::map_to_vector(symbols, [](Expr symbol) { return symbol.getSymbolName(); });
  OpBuilder entry(anchor);
  shape::CheckOp::create(entry, loc, PredAttr::get(entry.getContext(), predicate), entry.getStringAttr(because),
                         entry.getStrArrayAttr(names), operands);
  // What follows may rely on it. A contradiction shows at run time, in this check.
  (void)solver.addPredicate(predicate, solver.addReason({because.str(), "", 0}));
}

void FunctionReifier::require(Location loc, const Predicate &predicate, StringRef because) {
  if (solver.implies(predicate) == Verdict::Yes)
    return;
  std::vector<Predicate> cases(withoutTrips.begin(), withoutTrips.end());
  cases.push_back(predicate);
  Predicate wanted = cases.size() == 1 ? predicate : Predicate::disjunction(std::move(cases));
  if (solver.implies(wanted) != Verdict::Yes)
    createCheck(loc, wanted, because);
}

void FunctionReifier::requireNonEmpty(Location loc, Expr limit, ArrayRef<Expr> counts) {
  if (solver.isLessEqual(context.getConstant(1), limit) == Verdict::Yes)
    return;
  std::vector<Predicate> cases{Predicate::lessEqual(context.getConstant(1), limit)};
  for (Expr count : counts)
    if (!count.getConstant() || count.isConstant(0))
      cases.push_back(Predicate::equal(count, context.getConstant(0)));
  require(loc, cases.size() == 1 ? cases.front() : Predicate::disjunction(std::move(cases)),
          "indices into an empty dim");
}

/// The input whose elements those of `value` are, perhaps of another width or in another order: all of them, or in a
/// loop those of a slice.
static BlockArgument findInput(Value value) {
  while (value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = argument ? dyn_cast<LoopOp>(argument.getOwner()->getParentOp()) : LoopOp();
    if (loop) {
      auto slices = loop.getSlices();
      auto place = llvm::find(slices, argument);
      if (place == slices.end())
        return {};
      value = loop.getSliced()[place - slices.begin()];
      continue;
    }
    if (argument)
      return argument;
    Operation *op = value.getDefiningOp();
    bool keepsElements = isa<BroadcastOp, ReshapeOp, TransposeOp>(op) ||
                         (isa<CastOp>(op) && isa<IntegerType>(getElementType(op->getOperand(0))));
    if (!keepsElements)
      return {};
    value = op->getOperand(0);
  }
  return {};
}

int64_t FunctionReifier::addIndexGuard(Location loc, Value indices, StringRef noun) {
  auto node = builder.getStringAttr(getNodeName(loc));
  BlockArgument input = findInput(indices);
  auto name =
      input ? function.getArgAttrOfType<StringAttr>(input.getArgNumber(), DynDialect::kNameAttrName) : StringAttr();
  NamedAttrList texts;
  if (name)
    texts.set("input", name);
  if (!noun.empty())
    texts.set("noun", builder.getStringAttr(noun));
  if (texts.empty()) {
    indexGuards.push_back(node);
  } else {
    texts.set("index_of", node);
    indexGuards.push_back(texts.getDictionary(builder.getContext()));
  }
  return indexGuards.size() - 1;
}

int64_t FunctionReifier::addDivisorGuard(Location loc) {
  indexGuards.push_back(
      builder.getDictionaryAttr(builder.getNamedAttr("divisor_of", builder.getStringAttr(getNodeName(loc)))));
  return indexGuards.size() - 1;
}
