//===- Functions in expressions and predicates -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Text/TextReader.h"
#include "llvm/ADT/StringSwitch.h"

using namespace dyn::symbolic;

llvm::SmallVector<TextReader::Value> TextReader::readArguments(bool areSides) {
  llvm::SmallVector<Value> arguments;
  expect("(");
  do {
    size_t firstDivisor = divisors.size();
    arguments.push_back(readSum());
    if (areSides)
      arguments.back().number = makeInteger(getSide(arguments.back(), firstDivisor));
  } while (!errors.failed() && lexer.consume(","));
  if (!errors.failed())
    expect(")");
  return arguments;
}

/// Division towards zero. The two halves are where the dividend is positive and where it is negative.
Expr TextReader::truncatingDiv(Expr dividend, Expr divisor, const Token &function) {
  std::optional<int64_t> constant = divisor.getConstant();
  if (!constant || *constant == 0 || *constant == INT64_MIN) {
    errors.fail("'" + function.text + "' needs a constant divisor other than 0", function.column);
    return {};
  }
  Expr zero = context.getConstant(0);
  int64_t magnitude = std::abs(*constant);
  Expr quotient =
      floorDiv(symbolic::max({dividend, zero}), magnitude) - floorDiv(symbolic::max({-dividend, zero}), magnitude);
  return *constant < 0 ? -quotient : quotient;
}

std::optional<TextReader::Value> TextReader::readFunction() {
  enum class Function {
    Floor,
    Ceiling,
    Truncate,
    TrueDiv,
    Number,
    Power,
    FloorDiv,
    CeilDiv,
    Mod,
    ExactDiv,
    TruncDiv,
    Min,
    Max,
    Bcast,
    Abs,
    BcOk,
    Equal,
    NotEqual,
    None
  };
  Function function = llvm::StringSwitch<Function>(lexer.peek().text)
                          .Cases({"floor", "FloorToInt"}, Function::Floor)
                          .Cases({"ceiling", "CeilToInt"}, Function::Ceiling)
                          .Case("TruncToInt", Function::Truncate)
                          .Cases({"IntTrueDiv", "FloatTrueDiv"}, Function::TrueDiv)
                          .Case("ToFloat", Function::Number)
                          .Case("PowByNatural", Function::Power)
                          .Cases({"floordiv", "FloorDiv"}, Function::FloorDiv)
                          .Cases({"ceildiv", "CeilDiv"}, Function::CeilDiv)
                          .Cases({"mod", "Mod", "PythonMod"}, Function::Mod)
                          .Cases({"exactdiv", "CleanDiv"}, Function::ExactDiv)
                          .Case("tdiv", Function::TruncDiv)
                          .Cases({"min", "Min"}, Function::Min)
                          .Cases({"max", "Max"}, Function::Max)
                          .Case("bcast", Function::Bcast)
                          .Cases({"abs", "Abs"}, Function::Abs)
                          .Case("bc_ok", Function::BcOk)
                          .Case("Eq", Function::Equal)
                          .Case("Ne", Function::NotEqual)
                          .Default(Function::None);
  if (function == Function::None || lexer.peekBehind() != '(')
    return std::nullopt;
  Token name = lexer.take();
  size_t column = name.column;
  bool isPredicate = function == Function::BcOk || function == Function::Equal || function == Function::NotEqual;
  llvm::SmallVector<Value> arguments = readArguments(/*areSides=*/isPredicate);
  if (errors.failed())
    return Value();
  bool isUnary = function == Function::Floor || function == Function::Ceiling || function == Function::Truncate ||
                 function == Function::Number || function == Function::Abs;
  size_t expected = isUnary ? 1 : 2;
  bool anyCount = function == Function::Min || function == Function::Max || function == Function::Bcast;
  if (!anyCount && arguments.size() != expected) {
    errors.fail("'" + name.text + "' takes " + llvm::Twine(expected) + (expected == 1 ? " operand" : " operands"),
                column);
    return Value();
  }
  switch (function) {
  case Function::Floor:
  case Function::Ceiling:
  case Function::Truncate: {
    Fraction number = getNumber(arguments[0]);
    if (errors.failed())
      return Value();
    if (number.denominator.isConstant(1))
      return makeValue(number, column);
    Expr quotient = function == Function::Floor     ? floorDiv(number.numerator, number.denominator)
                    : function == Function::Ceiling ? ceilDiv(number.numerator, number.denominator)
                                                    : truncatingDiv(number.numerator, number.denominator, name);
    return makeInteger(quotient, column, {number.numerator, number.denominator});
  }
  case Function::Number:
    return makeValue(getNumber(arguments[0]), column);
  case Function::TrueDiv:
    return divide(arguments[0], arguments[1]);
  case Function::Power:
    return raise(arguments[0], arguments[1]);
  default:
    break;
  }
  llvm::SmallVector<Expr, 4> operands;
  for (const Value &argument : arguments)
    operands.push_back(getInteger(argument));
  if (errors.failed())
    return Value();
  if (function == Function::FloorDiv || function == Function::CeilDiv || function == Function::Mod)
    noteDivisor(operands[1], arguments[1].column);
  if ((function == Function::ExactDiv && promises && operands[1].isConstant(0)) ||
      (function == Function::TruncDiv && operands[1].isConstant(0)))
    errors.fail("division by zero", arguments[1].column);
  if (errors.failed())
    return Value();
  switch (function) {
  case Function::FloorDiv:
    return makeInteger(floorDiv(operands[0], operands[1]), column, operands);
  case Function::CeilDiv:
    return makeInteger(ceilDiv(operands[0], operands[1]), column, operands);
  case Function::Mod:
    return makeInteger(symbolic::mod(operands[0], operands[1]), column, operands);
  case Function::ExactDiv:
    return makeInteger(divideExactly(operands[0], operands[1], /*isWritten=*/true, column), column, operands);
  case Function::TruncDiv:
    return makeInteger(truncatingDiv(operands[0], operands[1], name), column, operands);
  case Function::Min:
    return makeInteger(symbolic::min(operands), column, operands);
  case Function::Max:
    return makeInteger(symbolic::max(operands), column, operands);
  case Function::Bcast:
    return makeInteger(broadcast(operands, column), column, operands);
  case Function::Abs:
    return makeInteger(symbolic::max({operands[0], -operands[0]}), column, operands);
  case Function::BcOk:
    return makeValue(Predicate::broadcastable(operands[0], operands[1]), column);
  case Function::Equal:
    return makeValue(Predicate::equal(operands[0], operands[1]), column);
  case Function::NotEqual:
    return makeValue(Predicate::notEqual(operands[0], operands[1]), column);
  default:
    return std::nullopt;
  }
}
