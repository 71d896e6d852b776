//===- Reductions that choose one of the elements -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Selections.h"
#include "dyn/Conversion/KernelCode/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn::codegen;

namespace {

/// How two values of one type lie to each other; integers only in the first three ways.
enum class Relation { less, equal, greater, firstIsNaN, secondIsNaN, bothAreNaN };

/// What comparisons of x and y, and logic on them, give; nothing if something else is in it.
class Comparisons {
public:
  Comparisons(Value x, Value y, Relation relation) : x(x), y(y), relation(relation) {}

  std::optional<bool> evaluate(Value value) {
    if (auto known = values.find(value); known != values.end())
      return known->second;
    std::optional<bool> result = compute(value.getDefiningOp());
    values[value] = result;
    return result;
  }

private:
  std::optional<bool> compute(Operation *op) {
    if (!op)
      return std::nullopt;
    if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
      std::optional<Relation> found = relate(compare.getLhs(), compare.getRhs());
      return found ? std::optional(holds(compare.getPredicate(), *found)) : std::nullopt;
    }
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      std::optional<Relation> found = relate(compare.getLhs(), compare.getRhs());
      // Orders of signed and unsigned numbers do not go together.
      if (!found || (isUnsigned && *isUnsigned != isUnsignedOrder(compare.getPredicate()) && isOrder(compare)))
        return std::nullopt;
      if (isOrder(compare))
        isUnsigned = isUnsignedOrder(compare.getPredicate());
      return holds(compare.getPredicate(), *found);
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto integer = dyn_cast<IntegerAttr>(constant.getValue());
      return integer && integer.getType().isInteger(1) ? std::optional(!integer.getValue().isZero()) : std::nullopt;
    }
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isInteger(1) ||
        !isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(op))
      return std::nullopt;
    SmallVector<bool, 3> operands;
    for (Value operand : op->getOperands()) {
      std::optional<bool> known = evaluate(operand);
      if (!known)
        return std::nullopt;
      operands.push_back(*known);
    }
    if (isa<arith::SelectOp>(op))
      return operands[0] ? operands[1] : operands[2];
    if (isa<arith::AndIOp>(op))
      return operands[0] && operands[1];
    return isa<arith::OrIOp>(op) ? operands[0] || operands[1] : operands[0] != operands[1];
  }

  std::optional<Relation> relate(Value lhs, Value rhs) const {
    bool isXNaN = relation == Relation::firstIsNaN || relation == Relation::bothAreNaN;
    bool isYNaN = relation == Relation::secondIsNaN || relation == Relation::bothAreNaN;
    if (lhs == rhs && (lhs == x || lhs == y))
      return (lhs == x ? isXNaN : isYNaN) ? Relation::bothAreNaN : Relation::equal;
    if (lhs == x && rhs == y)
      return relation;
    if (lhs != y || rhs != x)
      return std::nullopt;
    switch (relation) {
    case Relation::less:
      return Relation::greater;
    case Relation::greater:
      return Relation::less;
    case Relation::firstIsNaN:
      return Relation::secondIsNaN;
    case Relation::secondIsNaN:
      return Relation::firstIsNaN;
    default:
      return relation;
    }
  }

  static bool holds(arith::CmpFPredicate predicate, Relation relation) {
    // The bits of a predicate: equal, greater, less, unordered.
    unsigned bits = static_cast<unsigned>(predicate);
    switch (relation) {
    case Relation::equal:
      return bits & 1;
    case Relation::greater:
      return bits & 2;
    case Relation::less:
      return bits & 4;
    default:
      return bits & 8;
    }
  }

  static bool holds(arith::CmpIPredicate predicate, Relation relation) {
    using P = arith::CmpIPredicate;
    switch (predicate) {
    case P::eq:
      return relation == Relation::equal;
    case P::ne:
      return relation != Relation::equal;
    case P::slt:
    case P::ult:
      return relation == Relation::less;
    case P::sle:
    case P::ule:
      return relation != Relation::greater;
    case P::sgt:
    case P::ugt:
      return relation == Relation::greater;
    case P::sge:
    case P::uge:
      return relation != Relation::less;
    }
    llvm_unreachable("unknown predicate");
  }

  static bool isOrder(arith::CmpIOp op) {
    return op.getPredicate() != arith::CmpIPredicate::eq && op.getPredicate() != arith::CmpIPredicate::ne;
  }

  static bool isUnsignedOrder(arith::CmpIPredicate predicate) { return predicate >= arith::CmpIPredicate::ult; }

  Value x, y;
  Relation relation;
  std::optional<bool> isUnsigned;
  llvm::DenseMap<Value, std::optional<bool>> values;
};

} // namespace

/// Whether `take` says that the rank of x is higher than that of y, or not lower.
static bool isRanking(Value take, Value x, Value y) {
  auto evaluate = [&](Relation relation) { return Comparisons(x, y, relation).evaluate(take); };
  std::optional<bool> less = evaluate(Relation::less), greater = evaluate(Relation::greater);
  if (!less || !greater || *less == *greater || !evaluate(Relation::equal))
    return false;
  if (!isa<FloatType>(x.getType()))
    return true;
  // NaN is the highest, the lowest, or neither taken nor replaced: then it stays only where all parts start with it.
  std::optional<bool> taken = evaluate(Relation::firstIsNaN), replaced = evaluate(Relation::secondIsNaN);
  return taken && replaced && evaluate(Relation::bothAreNaN) && !(*taken && *replaced);
}

std::optional<Selection> dyn::codegen::matchSelection(Block &body, unsigned numInputs) {
  Operation *yield = body.getTerminator();
  Selection selection;
  for (auto [output, value] : llvm::enumerate(yield->getOperands())) {
    auto select = value.getDefiningOp<arith::SelectOp>();
    if (!select || select->getBlock() != &body || select.getFalseValue() != body.getArgument(numInputs + output) ||
        !select.getCondition().getType().isInteger(1) || readsOutputs(select.getTrueValue(), body, numInputs) ||
        (selection.take && select.getCondition() != selection.take))
      return std::nullopt;
    selection.take = select.getCondition();
  }
  if (!selection.take || selection.take.getParentBlock() != &body)
    return std::nullopt;
  if (!readsOutputs(selection.take, body, numInputs))
    return selection;
  for (auto [output, value] : llvm::enumerate(yield->getOperands())) {
    Value candidate = value.getDefiningOp<arith::SelectOp>().getTrueValue();
    if (!isRanking(selection.take, candidate, body.getArgument(numInputs + output)))
      continue;
    selection.ranked = output;
    selection.candidate = candidate;
    return selection;
  }
  return std::nullopt;
}

/// Clones what computes `value` from values that `mapping` has.
static Value cloneWithOperands(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneWithOperands(builder, operand, mapping);
  return builder.clone(*op, mapping)->getResult(0);
}

Value Selection::emitTake(OpBuilder &builder, Value later, Value earlier) const {
  Block &body = *take.getDefiningOp()->getBlock();
  unsigned firstOutput = body.getNumArguments() - body.getTerminator()->getNumOperands();
  IRMapping mapping;
  mapping.map(candidate, later);
  mapping.map(body.getArgument(firstOutput + *ranked), earlier);
  return cloneWithOperands(builder, take, mapping);
}
