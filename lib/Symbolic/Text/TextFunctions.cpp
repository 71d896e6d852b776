//===- Functions in expressions and predicates -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Text/TextReader.h"
#include "llvm/ADT/STLExtras.h"

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

enum class TextReader::Function : uint8_t {
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
  NotEqual
};

/// A name, in our syntax, in SymPy's or that of PyTorch's exporter.
struct TextReader::FunctionName {
  llvm::StringLiteral text;
  Function function;
  unsigned numOperands; ///< or AnyNumber
  enum Kind : uint8_t {
    OfNumbers,  ///< takes fractions
    OfIntegers, ///< gives an integer
    OfSides     ///< gives a predicate
  } kind = OfIntegers;
  static constexpr unsigned AnyNumber = 0;
};

const TextReader::FunctionName *TextReader::findFunction(llvm::StringRef text) {
  using Name = FunctionName;
  static constexpr FunctionName names[] = {
      {"floor", Function::Floor, 1, Name::OfNumbers},
      {"FloorToInt", Function::Floor, 1, Name::OfNumbers},
      {"ceiling", Function::Ceiling, 1, Name::OfNumbers},
      {"CeilToInt", Function::Ceiling, 1, Name::OfNumbers},
      {"TruncToInt", Function::Truncate, 1, Name::OfNumbers},
      {"IntTrueDiv", Function::TrueDiv, 2, Name::OfNumbers},
      {"FloatTrueDiv", Function::TrueDiv, 2, Name::OfNumbers},
      {"ToFloat", Function::Number, 1, Name::OfNumbers},
      {"PowByNatural", Function::Power, 2, Name::OfNumbers},
      {"floordiv", Function::FloorDiv, 2},
      {"FloorDiv", Function::FloorDiv, 2},
      {"ceildiv", Function::CeilDiv, 2},
      {"CeilDiv", Function::CeilDiv, 2},
      {"mod", Function::Mod, 2},
      {"Mod", Function::Mod, 2},
      {"PythonMod", Function::Mod, 2},
      {"exactdiv", Function::ExactDiv, 2},
      {"CleanDiv", Function::ExactDiv, 2},
      {"tdiv", Function::TruncDiv, 2},
      {"min", Function::Min, Name::AnyNumber},
      {"Min", Function::Min, Name::AnyNumber},
      {"max", Function::Max, Name::AnyNumber},
      {"Max", Function::Max, Name::AnyNumber},
      {"bcast", Function::Bcast, Name::AnyNumber},
      {"abs", Function::Abs, 1},
      {"Abs", Function::Abs, 1},
      {"bc_ok", Function::BcOk, 2, Name::OfSides},
      {"Eq", Function::Equal, 2, Name::OfSides},
      {"Ne", Function::NotEqual, 2, Name::OfSides},
  };
  const FunctionName *found = llvm::find_if(names, [&](const FunctionName &name) { return name.text == text; });
  return found == std::end(names) ? nullptr : found;
}

TextReader::Value TextReader::callOnNumbers(Function function, const Token &name, llvm::ArrayRef<Value> arguments) {
  if (function == Function::TrueDiv)
    return divide(arguments[0], arguments[1]);
  if (function == Function::Power)
    return raise(arguments[0], arguments[1]);
  Fraction number = getNumber(arguments[0]);
  if (errors.failed())
    return Value();
  if (function == Function::Number || number.denominator.isConstant(1))
    return makeValue(number, name.column);
  Expr quotient = function == Function::Floor     ? floorDiv(number.numerator, number.denominator)
                  : function == Function::Ceiling ? ceilDiv(number.numerator, number.denominator)
                                                  : truncatingDiv(number.numerator, number.denominator, name);
  return makeInteger(quotient, name.column, {number.numerator, number.denominator});
}

Expr TextReader::callOnIntegers(Function function, const Token &name, llvm::ArrayRef<Expr> operands) {
  switch (function) {
  case Function::FloorDiv:
    return floorDiv(operands[0], operands[1]);
  case Function::CeilDiv:
    return ceilDiv(operands[0], operands[1]);
  case Function::Mod:
    return symbolic::mod(operands[0], operands[1]);
  case Function::ExactDiv:
    return divideExactly(operands[0], operands[1], /*isWritten=*/true, name.column);
  case Function::TruncDiv:
    return truncatingDiv(operands[0], operands[1], name);
  case Function::Min:
    return symbolic::min(operands);
  case Function::Max:
    return symbolic::max(operands);
  case Function::Bcast:
    return broadcast(operands, name.column);
  default: // Abs: the others are no functions of integers.
    return symbolic::max({operands[0], -operands[0]});
  }
}

void TextReader::checkDivisor(Function function, Expr divisor, size_t column) {
  if (function == Function::FloorDiv || function == Function::CeilDiv || function == Function::Mod)
    noteDivisor(divisor, column);
  bool isRefused = function == Function::TruncDiv || (function == Function::ExactDiv && promises);
  if (isRefused && divisor.isConstant(0))
    errors.fail("division by zero", column);
}

std::optional<TextReader::Value> TextReader::readFunction() {
  const FunctionName *called = findFunction(lexer.peek().text);
  if (!called || lexer.peekBehind() != '(')
    return std::nullopt;
  Token name = lexer.take();
  llvm::SmallVector<Value> arguments = readArguments(/*areSides=*/called->kind == FunctionName::OfSides);
  if (errors.failed())
    return Value();
  if (unsigned expected = called->numOperands; expected != FunctionName::AnyNumber && arguments.size() != expected) {
    errors.fail("'" + name.text + "' takes " + llvm::Twine(expected) + (expected == 1 ? " operand" : " operands"),
                name.column);
    return Value();
  }
  if (called->kind == FunctionName::OfNumbers)
    return callOnNumbers(called->function, name, arguments);
  llvm::SmallVector<Expr, 4> operands;
  for (const Value &argument : arguments)
    operands.push_back(getInteger(argument));
  if (!errors.failed() && operands.size() == 2)
    checkDivisor(called->function, operands[1], arguments[1].column);
  if (errors.failed())
    return Value();
  if (called->kind == FunctionName::OfIntegers)
    return makeInteger(callOnIntegers(called->function, name, operands), name.column, operands);
  return makeValue(called->function == Function::BcOk    ? Predicate::broadcastable(operands[0], operands[1])
                   : called->function == Function::Equal ? Predicate::equal(operands[0], operands[1])
                                                         : Predicate::notEqual(operands[0], operands[1]),
                   name.column);
}
