//===- Recursive descent over expressions ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Text/TextReader.h"
#include "Expressions/Polynomial.h"
#include "Text/Keywords.h"
#include "llvm/ADT/bit.h"
#include <limits>
#include <numeric>

using namespace dyn::symbolic;

static constexpr int64_t maximalExponent = 16;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TextReader::Fraction TextReader::makeFraction(Expr numerator, Expr denominator) {
  if (!numerator || !denominator || getTerms(denominator).empty() || denominator.isConstant(1))
    return {numerator, denominator};
  // Divide both by their content.
  SymbolicContext::Impl &impl = context.getImpl();
  Poly top(getTerms(numerator)), bottom(getTerms(denominator));
  if (int64_t common = std::gcd(getContent(top), getContent(bottom)); common > 1) {
    top = divideCoefficients(top, common);
    bottom = divideCoefficients(bottom, common);
  }
  Fraction result{impl.getExpr(top), impl.getExpr(bottom)};
  if (result.denominator.isConstant(-1))
    return {-result.numerator, -result.denominator};
  return result;
}

TextReader::Value TextReader::makeValue(Fraction number, size_t column, Joined joined, llvm::ArrayRef<Expr> operands) {
  if (!errors.failed() && (!number.numerator || !number.denominator))
    errors.fail(describeLimit(joined, operands), column);
  return {number, std::nullopt, column};
}

TextReader::Fraction TextReader::getNumber(const Value &value) {
  if (value.predicate)
    errors.fail("expected an expression, found a predicate", value.column);
  return errors.failed() ? Fraction() : value.number;
}

Expr TextReader::getInteger(const Value &value) {
  Fraction fraction = getNumber(value);
  if (errors.failed())
    return {};
  if (fraction.denominator.isConstant(1))
    return fraction.numerator;
  // A dim is an integer, so who writes `s/2` knows that 2 divides s.
  std::optional<int64_t> divisor = fraction.denominator.getConstant();
  Expr rest = divisor && *divisor != 0 ? symbolic::mod(fraction.numerator, fraction.denominator) : Expr();
  if (rest && rest.getConstant().value_or(0) != 0) {
    errors.fail(describeFraction(fraction.numerator, fraction.denominator) + " is no integer", value.column);
    return {};
  }
  if (divisor && *divisor != 0)
    return divideExactly(fraction.numerator, fraction.denominator, /*isWritten=*/false, value.column);
  errors.fail("'/' by something that is no constant needs 'floor' or 'ceiling' around it", value.column);
  return {};
}

bool TextReader::expect(llvm::StringRef punctuation) {
  if (lexer.consume(punctuation))
    return true;
  errors.failExpected(("'" + punctuation + "'").str(), lexer);
  return false;
}

void TextReader::expectEnd() {
  if (!lexer.isEnd())
    errors.failExpected("an operator or the end of the text", lexer);
}

Expr TextReader::readExpr() {
  size_t firstDivisor = divisors.size();
  return getSide(readSum(), firstDivisor);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

TextReader::Value TextReader::add(const Value &left, const Value &right, bool minus) {
  Fraction a = getNumber(left), b = getNumber(right);
  if (errors.failed())
    return {};
  Expr added = minus ? -b.numerator : b.numerator;
  Fraction sum = a.denominator == b.denominator
                     ? makeFraction(a.numerator + added, a.denominator)
                     : makeFraction(a.numerator * b.denominator + added * a.denominator, a.denominator * b.denominator);
  return makeValue(sum, left.column, Joined::Sum, {a.numerator, b.numerator});
}

TextReader::Value TextReader::readSum() {
  // A long sum is put together from parts, of which two of a length are joined: one by one, each term would take as
  // much as all before it.
  constexpr unsigned termsOfPart = 64;
  std::vector<std::pair<Value, unsigned>> parts;
  Value result = readProduct();
  unsigned terms = 1;
  auto joinLast = [&](const Value &last) {
    Value sum = add(parts.back().first, last, /*minus=*/false);
    parts.pop_back();
    return sum;
  };
  while (!errors.failed() && (lexer.is("+") || lexer.is("-"))) {
    bool minus = lexer.is("-") && !isLowestInteger();
    if (minus || lexer.is("+"))
      lexer.take();
    Value next = readProduct();
    if (terms++ % termsOfPart != 0) {
      result = add(result, next, minus);
      continue;
    }
    unsigned length = 1;
    for (; !parts.empty() && parts.back().second == length; length *= 2)
      result = joinLast(result);
    parts.emplace_back(std::move(result), length);
    result = add(makeValue(makeInteger(context.getConstant(0)), next.column), next, minus);
  }
  while (!errors.failed() && !parts.empty())
    result = joinLast(result);
  return result;
}

TextReader::Value TextReader::divide(const Value &dividend, const Value &divisor) {
  Fraction a = getNumber(dividend), b = getNumber(divisor);
  if (errors.failed())
    return {};
  if (b.numerator.isConstant(0)) {
    errors.fail("division by zero", divisor.column);
    return {};
  }
  noteDivisor(b.numerator, divisor.column);
  return makeValue(makeFraction(a.numerator * b.denominator, a.denominator * b.numerator), dividend.column,
                   Joined::Product, {a.numerator, b.numerator});
}

TextReader::Value TextReader::readProduct() {
  Value result = readSign();
  while (!errors.failed()) {
    enum { Times, Divide, Floor, Ceil, Mod } operation;
    if (lexer.is("*"))
      operation = Times;
    else if (lexer.is("/"))
      operation = Divide;
    else if (lexer.is("//") || lexer.isWord("floordiv"))
      operation = Floor;
    else if (lexer.isWord("ceildiv"))
      operation = Ceil;
    else if (lexer.is("%") || lexer.isWord("mod"))
      operation = Mod;
    else
      break;
    lexer.take();
    Value next = readSign();
    Fraction a = getNumber(result), b = getNumber(next);
    if (errors.failed())
      return {};
    if (operation == Floor || operation == Ceil || operation == Mod)
      noteDivisor(b.numerator, next.column);
    Fraction value;
    switch (operation) {
    case Times:
      value = makeFraction(a.numerator * b.numerator, a.denominator * b.denominator);
      break;
    case Divide:
      result = divide(result, next);
      continue;
    case Floor:
      value = makeInteger(floorDiv(a.numerator * b.denominator, a.denominator * b.numerator));
      break;
    case Ceil:
      value = makeInteger(ceilDiv(a.numerator * b.denominator, a.denominator * b.numerator));
      break;
    case Mod:
      value = makeInteger(symbolic::mod(getInteger(result), getInteger(next)));
      break;
    }
    result = makeValue(value, result.column, operation == Times ? Joined::Product : Joined::Call,
                       {a.numerator, b.numerator});
  }
  return result;
}

/// Is it -2^63, whose digits alone do not fit?
bool TextReader::isLowestInteger() const {
  if (!lexer.is("-"))
    return false;
  Lexer behind = lexer;
  behind.take();
  return behind.take().text == "9223372036854775808" && !behind.is("**");
}

TextReader::Value TextReader::readSign() {
  size_t column = lexer.peek().column;
  if (isLowestInteger()) {
    lexer.take();
    lexer.take();
    return makeValue(makeInteger(context.getConstant(std::numeric_limits<int64_t>::min())), column);
  }
  bool minus = lexer.is("-");
  if (!minus && !lexer.is("+"))
    return readPower();
  lexer.take();
  enter(column);
  Value operand = errors.failed() ? Value() : readSign();
  --depth;
  Fraction number = getNumber(operand);
  if (errors.failed())
    return {};
  return makeValue({minus ? -number.numerator : number.numerator, number.denominator}, column);
}

TextReader::Value TextReader::readPower() {
  Value base = readPrimary();
  size_t power = lexer.peek().column;
  if (errors.failed() || !lexer.consume("**"))
    return base;
  enter(power);
  Value exponent = errors.failed() ? Value() : readSign();
  --depth;
  return errors.failed() ? Value() : raise(base, exponent);
}

TextReader::Value TextReader::raise(const Value &base, const Value &power) {
  Fraction number = getNumber(base);
  Expr exponent = getInteger(power);
  if (errors.failed())
    return {};
  std::optional<int64_t> constant = exponent.getConstant();
  if (!constant) {
    errors.fail("expected a constant exponent, found '" + shorten(exponent.str()) + "'", power.column);
    return {};
  }
  // Of numbers the 64 bits are the limit, which other powers than those of 0 and of 1 reach.
  auto isUnit = [](Expr part) { return part.isConstant(0) || part.isConstant(1) || part.isConstant(-1); };
  if (isUnit(number.numerator) && isUnit(number.denominator) && std::abs(*constant / 2) > 1)
    *constant = (*constant < 0 ? -1 : 1) * (2 + std::abs(*constant % 2));
  bool isNumber = number.numerator.getConstant() && number.denominator.getConstant();
  if (!isNumber && (*constant < -maximalExponent || *constant > maximalExponent)) {
    errors.fail("an exponent of what is no number is at most " + llvm::Twine(maximalExponent) + ", found " +
                    llvm::Twine(*constant),
                power.column);
    return {};
  }
  if (*constant < 0) {
    noteDivisor(number.numerator, base.column);
    number = {number.denominator, number.numerator};
  }
  Fraction result = makeInteger(context.getConstant(1));
  Expr before = number.numerator;
  for (int64_t i = 0; i != *constant && result.numerator && result.denominator; *constant < 0 ? --i : ++i) {
    before = result.numerator;
    result = makeFraction(result.numerator * number.numerator, result.denominator * number.denominator);
  }
  if (isNumber && !(result.numerator && result.denominator)) {
    errors.fail("'" + base.number.numerator.str() + "' to the power of " + exponent.str() +
                    " does not fit into 64 bits",
                base.column);
    return {};
  }
  return makeValue(result, base.column, Joined::Product, {before, number.numerator});
}

TextReader::Value TextReader::readNumber() {
  Token token = lexer.take();
  if (!llvm::all_of(token.text, [](char c) { return llvm::isDigit(c) || c == '.'; })) {
    bool hasExponent =
        token.text.find_if_not([](char c) { return llvm::isDigit(c) || c == '.'; }) == token.text.find_first_of("eE");
    errors.fail("'" + shorten(token.text) +
                    (hasExponent ? "' is not read: numbers have no exponents, only digits" : "' is no number"),
                token.column);
    return {};
  }
  auto [whole, decimals] = token.text.split('.');
  int64_t numerator = 0, denominator = 1;
  std::string digits = (whole + decimals.rtrim('0')).str();
  bool fits = !llvm::StringRef(digits).getAsInteger(10, numerator);
  for (size_t i = 0; i < decimals.rtrim('0').size(); ++i)
    fits &= !__builtin_mul_overflow(denominator, 10, &denominator);
  if (!fits) {
    errors.fail("the number '" + shorten(token.text) + "' does not fit into 64 bits", token.column);
    return {};
  }
  // Of other decimals floats hold something nearby, so that what is rounded may be another integer: 0.29 * 100 < 29.
  if (!llvm::has_single_bit(static_cast<uint64_t>(denominator / std::gcd(numerator, denominator)))) {
    errors.fail("the number '" + shorten(token.text) + "' is held by no float", token.column);
    return {};
  }
  return makeValue(makeFraction(context.getConstant(numerator), context.getConstant(denominator)), token.column);
}

TextReader::Value TextReader::readPrimary() {
  const Token &token = lexer.peek();
  size_t column = token.column;
  if (errors.failed())
    return {};
  enter(column, /*isOperand=*/true);
  if (errors.failed()) {
    --depth;
    return {};
  }
  Value result;
  switch (token.kind) {
  case Token::Kind::Number:
    result = readNumber();
    break;
  case Token::Kind::QuotedName:
    if (token.name.empty())
      errors.fail("a name is empty", column);
    else if (isReservedName(token.name))
      errors.fail("a name starts with a control character", column);
    else
      result = makeValue(makeInteger(context.getSymbol(lexer.take().name)), column);
    break;
  case Token::Kind::Name:
    if (std::optional<Value> call = readFunction())
      result = std::move(*call);
    else if (token.text == "true" || token.text == "True" || token.text == "false" || token.text == "False") {
      Predicate truth;
      truth.kind = token.text.lower() == "true" ? Predicate::Kind::True : Predicate::Kind::False;
      lexer.take();
      result = makeValue(std::move(truth), column);
    } else if (token.text == "oo" || token.text == "int_oo") {
      errors.fail("'" + token.text + "' is no size: a bound that is infinite is left out", column);
    } else if (lexer.peekBehind() == '(') {
      errors.fail("'" + shorten(token.text) + "' is no function of sizes", column);
    } else {
      result = makeValue(makeInteger(context.getSymbol(lexer.take().name)), column);
    }
    break;
  default:
    if (lexer.consume("(")) {
      result = readDisjunction();
      result.column = column;
      result.isComparison = false;
      if (!errors.failed())
        expect(")");
    } else {
      errors.failExpected("an expression", lexer);
    }
  }
  --depth;
  return errors.failed() ? Value() : result;
}
