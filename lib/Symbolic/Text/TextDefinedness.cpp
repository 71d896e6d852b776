//===- What text says of where it has a value --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Construction takes for granted that what it is given has a value: nothing is left of
// the division in `0 * (s floordiv t)`, nor of what `exactdiv(s, 2)` promises. Both are
// kept here. `0 floordiv t` is 0 where t is not, and has no value where it is, so a sum
// with it has a value where the text says so.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Limits.h"
#include "Expressions/Polynomial.h"
#include "Text/TextReader.h"
#include "dyn/Symbolic/Statements.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <utility>

using namespace dyn::symbolic;

void TextReader::noteDivisor(Expr divisor, size_t column) {
  std::optional<int64_t> constant = divisor ? divisor.getConstant() : 1;
  if (constant == 0 && promises)
    errors.fail("division by zero", column);
  if (constant.value_or(0) == 0)
    divisors.push_back(divisor);
}

/// What is 0 where the divisor is: without a common factor and with a positive first coefficient.
static Expr getPrimitive(Expr divisor) {
  Terms terms = getTerms(divisor);
  int64_t content = getContent(terms);
  if (content == 0)
    return divisor;
  Poly primitive = divideCoefficients(terms, content);
  MaybePoly negated = primitive.front().coefficient < 0 ? scale(primitive, -1) : std::nullopt;
  return divisor.getContext().getImpl().getExpr(negated ? *negated : primitive);
}

Expr TextReader::getSide(const Value &value, size_t firstDivisor) {
  Expr side = getInteger(value), before = side, added;
  if (errors.failed())
    return {};
  if (divisors.size() > firstDivisor) {
    llvm::SmallPtrSet<const ExprNode *, 8> seen;
    visitDivisors(side, [&](Expr divisor) { seen.insert(getPrimitive(divisor).getNode()); });
    for (Expr divisor : llvm::ArrayRef(divisors).drop_front(firstDivisor)) {
      Expr primitive = getPrimitive(divisor);
      if (seen.insert(primitive.getNode()).second)
        added = floorDiv(context.getConstant(0), primitive), before = std::exchange(side, side + added);
      if (!side)
        break;
    }
    divisors.resize(firstDivisor);
  }
  return makeValue(makeInteger(side), value.column, Joined::Sum, {before, added}).number.numerator;
}

/// What is beyond so many counts for nothing: each is a fact that a question is asked with.
static constexpr size_t maximalPromises = 64;

void TextReader::promise(const Predicate &predicate, const llvm::Twine &otherwise, size_t column) {
  if (!promises || !isComplete(predicate))
    return;
  std::optional<bool> truth = evaluate(predicate, [](llvm::StringRef) { return std::nullopt; });
  if (truth == false)
    errors.fail(otherwise, column);
  else if (!truth && promises->size() < maximalPromises && !llvm::is_contained(*promises, predicate))
    promises->push_back(predicate);
}

std::string TextReader::describeFraction(Expr numerator, Expr denominator) {
  std::string text = numerator.str();
  return (numerator.getConstant() ? text : "(" + text + ")") + "/" + denominator.str();
}

Expr TextReader::divideExactly(Expr dividend, Expr divisor, bool isWritten, size_t column) {
  if (promises && divisor) {
    Expr zero = context.getConstant(0);
    promise(Predicate::notEqual(divisor, zero), "division by zero", column);
    if (!divisor.isConstant(0))
      promise(Predicate::equal(symbolic::mod(dividend, divisor), zero),
              isWritten ? divisor.str() + " does not divide " + dividend.str()
                        : describeFraction(dividend, divisor) + " is no integer",
              column);
  }
  return exactDiv(dividend, divisor);
}

Expr TextReader::broadcast(llvm::ArrayRef<Expr> operands, size_t column) {
  llvm::SmallSetVector<Expr, 4> sizes(operands.begin(), operands.end());
  // Of more, it is their number that is wrong.
  bool areFew = sizes.size() <= limits::operandsOfBcast;
  for (size_t i = 0; promises && areFew && i < sizes.size(); ++i)
    for (Expr other : sizes.getArrayRef().drop_front(i + 1))
      if (promises->size() < maximalPromises || (sizes[i].getConstant() && other.getConstant()))
        promise(Predicate::broadcastable(sizes[i], other), sizes[i].str() + " and " + other.str() + " do not broadcast",
                column);
  return symbolic::bcast(operands);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

std::optional<Statement> dyn::symbolic::parseStatement(llvm::StringRef text, SymbolicContext &context,
                                                       ParseError &error) {
  Statement statement;
  TextReader reader(text, context, error, &statement.promises);
  std::optional<Predicate> predicate = reader.readPredicate();
  if (predicate)
    reader.expectEnd();
  if (reader.getErrors().failed())
    return std::nullopt;
  statement.predicate = std::move(*predicate);
  return statement;
}

Expr dyn::symbolic::parseSide(llvm::StringRef text, SymbolicContext &context, std::vector<Predicate> &promises,
                              ParseError &error) {
  TextReader reader(text, context, error, &promises);
  Expr side = reader.readExpr();
  reader.expectEnd();
  return reader.getErrors().failed() ? Expr() : side;
}
