//===- Integer code for expressions and predicates ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ExprEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::host;
using namespace dyn::symbolic;

namespace {

using Bound = std::optional<int64_t>;

Bound addBounds(Bound lhs, Bound rhs) {
  int64_t result;
  return lhs && rhs && !llvm::AddOverflow(*lhs, *rhs, result) ? Bound(result) : std::nullopt;
}

Bound subtractBounds(Bound lhs, Bound rhs) {
  int64_t result;
  return lhs && rhs && !llvm::SubOverflow(*lhs, *rhs, result) ? Bound(result) : std::nullopt;
}

Bound multiplyBounds(Bound lhs, Bound rhs) {
  int64_t result;
  return lhs && rhs && !llvm::MulOverflow(*lhs, *rhs, result) ? Bound(result) : std::nullopt;
}

bool isAtLeast(const symbolic::Range &range, int64_t value) { return range.lower && *range.lower >= value; }

/// Both ends fit in 64 bits: computing something of this range does not overflow.
bool isFinite(const symbolic::Range &range) { return range.lower && range.upper; }

symbolic::Range multiplyRanges(const symbolic::Range &lhs, const symbolic::Range &rhs) {
  if (isAtLeast(lhs, 0) && isAtLeast(rhs, 0)) {
    Bound lower = multiplyBounds(lhs.lower, rhs.lower);
    return {lower ? lower : Bound(0), multiplyBounds(lhs.upper, rhs.upper)};
  }
  symbolic::Range result{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (Bound left : {lhs.lower, lhs.upper})
    for (Bound right : {rhs.lower, rhs.upper}) {
      Bound product = multiplyBounds(left, right);
      if (!product)
        return {std::nullopt, std::nullopt};
      result.lower = std::min(*result.lower, *product);
      result.upper = std::max(*result.upper, *product);
    }
  return result;
}

Number maximum(OpBuilder &builder, Location loc, Number lhs, Number rhs, Value invalid) {
  symbolic::Range range{lhs.range.lower && rhs.range.lower ? Bound(std::max(*lhs.range.lower, *rhs.range.lower))
                        : lhs.range.lower                  ? lhs.range.lower
                                                           : rhs.range.lower,
                        lhs.range.upper && rhs.range.upper ? Bound(std::max(*lhs.range.upper, *rhs.range.upper))
                                                           : std::nullopt};
  return {builder.createOrFold<arith::MaxSIOp>(loc, lhs.value, rhs.value), range, invalid};
}

Number minimum(OpBuilder &builder, Location loc, Number lhs, Number rhs, Value invalid) {
  symbolic::Range range{lhs.range.lower && rhs.range.lower ? Bound(std::min(*lhs.range.lower, *rhs.range.lower))
                                                           : std::nullopt,
                        lhs.range.upper && rhs.range.upper ? Bound(std::min(*lhs.range.upper, *rhs.range.upper))
                        : lhs.range.upper                  ? lhs.range.upper
                                                           : rhs.range.upper};
  return {builder.createOrFold<arith::MinSIOp>(loc, lhs.value, rhs.value), range, invalid};
}

} // namespace

Value ExprEmitter::either(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return builder.createOrFold<arith::OrIOp>(*loc, lhs, rhs);
}

Value ExprEmitter::isValid(Value condition, Value invalid) {
  if (!invalid)
    return condition;
  Value zero = arith::ConstantIntOp::create(builder, *loc, 0, 1);
  return builder.createOrFold<arith::SelectOp>(*loc, invalid, zero, condition);
}

Number ExprEmitter::constant(int64_t value) {
  return {arith::ConstantIntOp::create(builder, *loc, value, 64), symbolic::Range{value, value}, Value()};
}

template <typename Plain, typename WithOverflow>
static Number emitChecked(OpBuilder &builder, Location loc, Number lhs, Number rhs, symbolic::Range range,
                          Value invalid, bool checked, llvm::function_ref<Value(Value, Value)> either) {
  if (!checked || isFinite(range))
    return {builder.createOrFold<Plain>(loc, lhs.value, rhs.value), range, invalid};
  Type pair = LLVM::LLVMStructType::getLiteral(builder.getContext(), {builder.getI64Type(), builder.getI1Type()});
  Value both = WithOverflow::create(builder, loc, pair, lhs.value, rhs.value);
  Value value = LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{0});
  Value overflow = LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{1});
  return {value, range, either(invalid, overflow)};
}

Number ExprEmitter::add(Number lhs, Number rhs) {
  symbolic::Range range{addBounds(lhs.range.lower, rhs.range.lower), addBounds(lhs.range.upper, rhs.range.upper)};
  return emitChecked<arith::AddIOp, LLVM::SAddWithOverflowOp>(
      builder, *loc, lhs, rhs, range, either(lhs.invalid, rhs.invalid), checked,
      [&](Value left, Value right) { return either(left, right); });
}

Number ExprEmitter::subtract(Number lhs, Number rhs) {
  symbolic::Range range{subtractBounds(lhs.range.lower, rhs.range.upper),
                        subtractBounds(lhs.range.upper, rhs.range.lower)};
  return emitChecked<arith::SubIOp, LLVM::SSubWithOverflowOp>(
      builder, *loc, lhs, rhs, range, either(lhs.invalid, rhs.invalid), checked,
      [&](Value left, Value right) { return either(left, right); });
}

Number ExprEmitter::multiply(Number lhs, Number rhs) {
  return emitChecked<arith::MulIOp, LLVM::SMulWithOverflowOp>(
      builder, *loc, lhs, rhs, multiplyRanges(lhs.range, rhs.range), either(lhs.invalid, rhs.invalid), checked,
      [&](Value left, Value right) { return either(left, right); });
}

Number ExprEmitter::floorDivide(Number lhs, Number rhs) { return divide(lhs, rhs, ExprTree::Kind::FloorDiv); }

/// Quotient rounded down or up, or the remainder that goes with the quotient rounded down.
Number ExprEmitter::divide(Number lhs, Number rhs, ExprTree::Kind kind) {
  Value invalid = either(lhs.invalid, rhs.invalid), divisor = rhs.value;
  Value zero = constant(0).value, one = constant(1).value;
  // What is known of an invalid divisor does not hold, and zero would trap.
  bool positive = isAtLeast(rhs.range, 1) && !rhs.invalid;
  if (!positive) {
    // -1 divides the lowest integer to one that does not fit.
    Value minusOne = constant(-1).value, lowest = constant(std::numeric_limits<int64_t>::min()).value;
    Value isZero = arith::CmpIOp::create(builder, *loc, arith::CmpIPredicate::eq, divisor, zero);
    Value isMinusOne = arith::CmpIOp::create(builder, *loc, arith::CmpIPredicate::eq, divisor, minusOne);
    Value isLowest = arith::CmpIOp::create(builder, *loc, arith::CmpIPredicate::eq, lhs.value, lowest);
    Value overflows = arith::AndIOp::create(builder, *loc, isMinusOne, isLowest);
    Value refused = either(isZero, overflows);
    divisor = arith::SelectOp::create(builder, *loc, refused, one, divisor);
    if (checked)
      invalid = either(invalid, refused);
  }
  bool unsignedOperands = positive && isAtLeast(lhs.range, 0);
  Value quotient, remainder;
  if (unsignedOperands) {
    quotient = builder.createOrFold<arith::DivUIOp>(*loc, lhs.value, divisor);
    remainder = builder.createOrFold<arith::RemUIOp>(*loc, lhs.value, divisor);
  } else {
    // Rounded towards zero; one less, or a divisor more, where the remainder has not the sign of the divisor.
    quotient = builder.createOrFold<arith::DivSIOp>(*loc, lhs.value, divisor);
    remainder = builder.createOrFold<arith::RemSIOp>(*loc, lhs.value, divisor);
    Value differs = builder.createOrFold<arith::XOrIOp>(*loc, remainder, divisor);
    Value wrongSign = builder.createOrFold<arith::CmpIOp>(*loc, arith::CmpIPredicate::slt, differs, zero);
    Value inexact = builder.createOrFold<arith::CmpIOp>(*loc, arith::CmpIPredicate::ne, remainder, zero);
    Value adjust = builder.createOrFold<arith::AndIOp>(*loc, wrongSign, inexact);
    Value lower = builder.createOrFold<arith::SubIOp>(*loc, quotient, one);
    Value higher = builder.createOrFold<arith::AddIOp>(*loc, remainder, divisor);
    quotient = builder.createOrFold<arith::SelectOp>(*loc, adjust, lower, quotient);
    remainder = builder.createOrFold<arith::SelectOp>(*loc, adjust, higher, remainder);
  }
  if (kind == ExprTree::Kind::Mod) {
    symbolic::Range range{std::nullopt, std::nullopt};
    if (positive)
      range = {0, subtractBounds(rhs.range.upper, 1)};
    return {remainder, range, invalid};
  }
  symbolic::Range range{std::nullopt, std::nullopt};
  if (unsignedOperands)
    range = {0, lhs.range.upper};
  else if (positive)
    // Division by a positive integer brings nothing further from zero.
    range = {lhs.range.lower ? Bound(std::min<int64_t>(*lhs.range.lower, 0)) : std::nullopt,
             lhs.range.upper ? Bound(std::max<int64_t>(*lhs.range.upper, 0)) : std::nullopt};
  if (kind == ExprTree::Kind::CeilDiv) {
    Value inexact = builder.createOrFold<arith::CmpIOp>(*loc, arith::CmpIPredicate::ne, remainder, zero);
    Value higher = builder.createOrFold<arith::AddIOp>(*loc, quotient, one);
    quotient = builder.createOrFold<arith::SelectOp>(*loc, inexact, higher, quotient);
    range.upper = addBounds(range.upper, 1);
  }
  return {quotient, range, invalid};
}

/// Can a value of the block be used at the insertion point? "No" is also said where that takes long to find out.
static bool isVisible(Block *defining, OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  if (defining == block)
    return builder.getInsertionPoint() == block->end();
  // Tests that end the function leave the rest of it in a block of its own.
  for (unsigned steps = 0; block && steps < 8; ++steps)
    if ((block = block->getSinglePredecessor()) == defining)
      return block;
  return false;
}

/// Goes on from the last sum if its terms are among these: of many pieces behind each other each one's place has one
/// term more than that of the one before, wherever it stands among the names. All of them would grow with the square.
Number ExprEmitter::emitSum(ArrayRef<Number> terms) {
  llvm::DenseMap<Value, unsigned> open;
  for (const Number &term : terms)
    ++open[term.value];
  bool goesOn = lastSum && isVisible(lastSum->total.value.getParentBlock(), builder) &&
                llvm::all_of(lastSum->terms, [&](Value term) {
                  auto found = open.find(term);
                  return found != open.end() && found->second-- > 0;
                });
  Number total = goesOn ? lastSum->total : terms.front();
  for (const Number &term : goesOn ? terms : terms.drop_front()) {
    if (goesOn && open[term.value] == 0)
      continue;
    if (goesOn)
      --open[term.value];
    total = add(total, term);
  }
  lastSum = {llvm::map_to_vector(terms, [](const Number &term) { return term.value; }), total};
  return total;
}

Number ExprEmitter::emit(Expr expr, Symbols symbols) { return emitTree(*getTree(expr), symbols); }

Number ExprEmitter::emitTree(const ExprTree &tree, Symbols symbols) {
  using Kind = ExprTree::Kind;
  switch (tree.kind) {
  case Kind::Constant:
    return constant(tree.value);
  case Kind::Symbol:
    return symbols(tree.symbol);
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Mod:
  case Kind::ExactDiv: {
    Number lhs = emitTree(*tree.operands[0], symbols);
    return divide(lhs, emitTree(*tree.operands[1], symbols), tree.kind);
  }
  case Kind::Add:
    return emitSum(llvm::map_to_vector(
        tree.operands, [&](const std::shared_ptr<const ExprTree> &operand) { return emitTree(*operand, symbols); }));
  case Kind::Mul:
  case Kind::Min:
  case Kind::Max:
  case Kind::Bcast:
    break;
  }
  Number result = emitTree(*tree.operands.front(), symbols);
  for (const std::shared_ptr<const ExprTree> &operand : llvm::drop_begin(tree.operands)) {
    Number next = emitTree(*operand, symbols);
    Value invalid = either(result.invalid, next.invalid);
    if (tree.kind == Kind::Mul) {
      result = multiply(result, next);
    } else if (tree.kind == Kind::Max) {
      result = maximum(builder, *loc, result, next, invalid);
    } else if (tree.kind == Kind::Min) {
      result = minimum(builder, *loc, result, next, invalid);
    } else {
      // Sizes that broadcast are equal or 1: the one that is not 1, if there is one.
      Value isOne =
          builder.createOrFold<arith::CmpIOp>(*loc, arith::CmpIPredicate::eq, result.value, constant(1).value);
      Value value = builder.createOrFold<arith::SelectOp>(*loc, isOne, next.value, result.value);
      symbolic::Range range{
          result.range.lower && next.range.lower ? Bound(std::min(*result.range.lower, *next.range.lower))
                                                 : std::nullopt,
          result.range.upper && next.range.upper ? Bound(std::max(*result.range.upper, *next.range.upper))
                                                 : std::nullopt};
      result = {value, range, invalid};
    }
  }
  return result;
}

Value ExprEmitter::emit(const Predicate &predicate, Symbols symbols) { return emitTruth(predicate, symbols).yes; }

ExprEmitter::Truth ExprEmitter::emitTruth(const Predicate &predicate, Symbols symbols) {
  using Kind = Predicate::Kind;
  auto compare = [&](arith::CmpIPredicate condition, arith::CmpIPredicate opposite) -> Truth {
    Number lhs = emit(predicate.lhs, symbols), rhs = emit(predicate.rhs, symbols);
    Value invalid = either(lhs.invalid, rhs.invalid);
    Value yes = builder.createOrFold<arith::CmpIOp>(*loc, condition, lhs.value, rhs.value);
    Value no = builder.createOrFold<arith::CmpIOp>(*loc, opposite, lhs.value, rhs.value);
    return {isValid(yes, invalid), isValid(no, invalid), !invalid};
  };
  switch (predicate.kind) {
  case Kind::True:
  case Kind::False: {
    Value yes = arith::ConstantIntOp::create(builder, *loc, predicate.kind == Kind::True, 1);
    return {yes, arith::ConstantIntOp::create(builder, *loc, predicate.kind != Kind::True, 1)};
  }
  case Kind::Equal:
    return compare(arith::CmpIPredicate::eq, arith::CmpIPredicate::ne);
  case Kind::NotEqual:
    return compare(arith::CmpIPredicate::ne, arith::CmpIPredicate::eq);
  case Kind::LessEqual:
    return compare(arith::CmpIPredicate::sle, arith::CmpIPredicate::sgt);
  case Kind::Less:
    return compare(arith::CmpIPredicate::slt, arith::CmpIPredicate::sge);
  case Kind::Not: {
    Truth operand = emitTruth(predicate.operands.front(), symbols);
    return {operand.no, operand.yes, operand.isCertain};
  }
  case Kind::And:
  case Kind::Or:
    break;
  }
  bool conjunction = predicate.kind == Kind::And;
  Truth result = emitTruth(Predicate{conjunction ? Kind::True : Kind::False, {}, {}, {}}, symbols);
  for (const Predicate &operand : predicate.operands) {
    Truth next = emitTruth(operand, symbols);
    Value both = builder.createOrFold<arith::AndIOp>(*loc, conjunction ? result.yes : result.no,
                                                     conjunction ? next.yes : next.no);
    Value any = builder.createOrFold<arith::OrIOp>(*loc, conjunction ? result.no : result.yes,
                                                   conjunction ? next.no : next.yes);
    bool isCertain = result.isCertain && next.isCertain;
    result = conjunction ? Truth{both, any, isCertain} : Truth{any, both, isCertain};
  }
  return result;
}
