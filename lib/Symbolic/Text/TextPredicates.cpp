//===- Recursive descent over predicates ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Text/TextReader.h"

using namespace dyn::symbolic;

Predicate TextReader::getPredicate(Value value) {
  if (!value.predicate)
    errors.fail("expected a predicate, found an expression", value.column);
  return errors.failed() ? Predicate() : std::move(*value.predicate);
}

Predicate TextReader::join(Predicate::Kind kind, std::vector<Predicate> operands) {
  Predicate result;
  result.kind = kind;
  for (Predicate &operand : operands) {
    if (operand.kind == kind)
      result.operands.insert(result.operands.end(), operand.operands.begin(), operand.operands.end());
    else
      result.operands.push_back(std::move(operand));
  }
  return result;
}

std::optional<Predicate> TextReader::readPredicate() {
  Value value = readDisjunction();
  // What stands behind an expression keeps it from being a predicate, wherever it began.
  if (!errors.failed() && !value.predicate && !lexer.isEnd())
    errors.failExpected("an operator or a relation such as '=='", lexer);
  Predicate result = getPredicate(std::move(value));
  return errors.failed() ? std::nullopt : std::optional(std::move(result));
}

Predicate TextReader::getEnclosed(Value value) {
  if (value.isComparison)
    errors.fail("expected parentheses around an operand of '&', '|' or '~'", value.column);
  return getPredicate(std::move(value));
}

template <TextReader::Value (TextReader::*readOperand)()>
TextReader::Value TextReader::readJoined(Predicate::Kind kind, llvm::StringRef word) {
  Value first = (this->*readOperand)();
  if (!lexer.isWord(word))
    return first;
  std::vector<Predicate> operands = {getPredicate(std::move(first))};
  while (!errors.failed() && lexer.consumeWord(word))
    operands.push_back(getPredicate((this->*readOperand)()));
  return makeValue(join(kind, std::move(operands)), first.column);
}

template <TextReader::Value (TextReader::*readOperand)()>
TextReader::Value TextReader::readMarked(Predicate::Kind kind, llvm::StringRef mark) {
  Value first = (this->*readOperand)();
  if (!lexer.is(mark))
    return first;
  std::vector<Predicate> operands = {getEnclosed(std::move(first))};
  while (!errors.failed() && lexer.consume(mark))
    operands.push_back(getEnclosed((this->*readOperand)()));
  return makeValue(join(kind, std::move(operands)), first.column);
}

TextReader::Value TextReader::readDisjunction() {
  return readJoined<&TextReader::readConjunction>(Predicate::Kind::Or, "or");
}

TextReader::Value TextReader::readConjunction() {
  return readJoined<&TextReader::readNegation>(Predicate::Kind::And, "and");
}

TextReader::Value TextReader::readNegation() {
  size_t column = lexer.peek().column;
  if (!lexer.consumeWord("not"))
    return readMarkedDisjunction();
  enter(column);
  Value result;
  if (!errors.failed())
    result = makeValue(Predicate::negation(getPredicate(readNegation())), column);
  --depth;
  return result;
}

TextReader::Value TextReader::readMarkedDisjunction() {
  return readMarked<&TextReader::readMarkedConjunction>(Predicate::Kind::Or, "|");
}

TextReader::Value TextReader::readMarkedConjunction() {
  return readMarked<&TextReader::readMarkedNegation>(Predicate::Kind::And, "&");
}

TextReader::Value TextReader::readMarkedNegation() {
  size_t column = lexer.peek().column;
  if (!lexer.consume("~"))
    return readComparison();
  enter(column);
  Value result;
  if (!errors.failed())
    result = makeValue(Predicate::negation(getEnclosed(readMarkedNegation())), column);
  --depth;
  return result;
}

/// The predicate kind of a relation and whether its sides are swapped.
static std::optional<std::pair<Predicate::Kind, bool>> getRelation(const Lexer &lexer) {
  using Kind = Predicate::Kind;
  if (lexer.is("=="))
    return std::pair(Kind::Equal, false);
  if (lexer.is("!=") || lexer.isWord("ne"))
    return std::pair(Kind::NotEqual, false);
  if (lexer.is("<="))
    return std::pair(Kind::LessEqual, false);
  if (lexer.is("<"))
    return std::pair(Kind::Less, false);
  if (lexer.is(">="))
    return std::pair(Kind::LessEqual, true);
  if (lexer.is(">"))
    return std::pair(Kind::Less, true);
  return std::nullopt;
}

TextReader::Value TextReader::readComparison() {
  size_t firstDivisor = divisors.size();
  Value first = readSum();
  if (errors.failed())
    return first;
  if (lexer.consumeWord("in")) {
    Expr element = getSide(first, firstDivisor);
    std::optional<Predicate> set = errors.failed() ? std::nullopt : readSet(element);
    if (!set)
      return {};
    Value result = makeValue(std::move(*set), first.column);
    result.isComparison = true;
    return result;
  }
  std::vector<Predicate> comparisons;
  Expr left;
  while (auto relation = getRelation(lexer)) {
    if (!left)
      left = getSide(first, firstDivisor);
    lexer.take();
    Expr right = readExpr();
    if (errors.failed())
      return {};
    Predicate comparison;
    comparison.kind = relation->first;
    comparison.lhs = relation->second ? right : left;
    comparison.rhs = relation->second ? left : right;
    comparisons.push_back(std::move(comparison));
    left = right;
  }
  if (comparisons.empty())
    return first;
  Value result = comparisons.size() == 1 ? makeValue(std::move(comparisons.front()), first.column)
                                         : makeValue(Predicate::conjunction(std::move(comparisons)), first.column);
  result.isComparison = true;
  return result;
}

std::optional<Predicate> TextReader::readSet(Expr element) {
  bool braces = lexer.is("{");
  if (braces || lexer.is("(")) {
    lexer.take();
    std::vector<Predicate> members;
    do {
      Expr member = readExpr();
      if (errors.failed())
        return std::nullopt;
      members.push_back(Predicate::equal(element, member));
    } while (lexer.consume(","));
    if (!expect(braces ? "}" : ")"))
      return std::nullopt;
    return members.size() == 1 ? members.front() : Predicate::disjunction(std::move(members));
  }
  std::vector<Predicate> bounds;
  auto readBound = [&](bool isLower) {
    if (lexer.consume("?"))
      return;
    Expr bound = readExpr();
    if (!errors.failed())
      bounds.push_back(isLower ? Predicate::lessEqual(bound, element) : Predicate::lessEqual(element, bound));
  };
  readBound(true);
  if (errors.failed() || !expect(".."))
    return std::nullopt;
  readBound(false);
  if (errors.failed())
    return std::nullopt;
  if (bounds.empty())
    return Predicate();
  return bounds.size() == 1 ? bounds.front() : Predicate::conjunction(std::move(bounds));
}
