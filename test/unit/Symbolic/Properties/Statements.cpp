//===- Verdicts on statements as they are written --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Text is judged by what it says, not by what is built of it: where an exactdiv or a
// bcast has no value nothing is asked, and where something divides by 0 its side has
// none, though the division may cancel.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Statements.h"
#include "SmallSystem.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

/// What a tree comes to at a point.
struct Outcome {
  std::optional<int64_t> value;
  bool isDivided = false; ///< by 0
  bool isBroken = false;  ///< what an exactdiv or a bcast promises
};

RandomTree makeConstant(int64_t value) { return {RandomTree::Constant, value, "", {}}; }

Outcome evaluateAt(const RandomTree &tree, const Point &point) {
  RandomTree known{tree.kind, tree.value, tree.name, {}};
  Outcome outcome;
  for (const RandomTree &operand : tree.operands) {
    Outcome inner = evaluateAt(operand, point);
    outcome.isDivided |= inner.isDivided;
    outcome.isBroken |= inner.isBroken;
    if (inner.value)
      known.operands.push_back(makeConstant(*inner.value));
  }
  bool areKnown = known.operands.size() == tree.operands.size();
  bool divides = tree.kind == RandomTree::FloorDiv || tree.kind == RandomTree::CeilDiv || tree.kind == RandomTree::Mod;
  if (divides && areKnown)
    outcome.isDivided |= known.operands[1].value == 0;
  if (areKnown && !outcome.isDivided)
    outcome.value = known.evaluate(point);
  outcome.isBroken |= (tree.kind == RandomTree::ExactDiv || tree.kind == RandomTree::Bcast) && !outcome.value;
  return outcome;
}

/// The comparisons that a relation consists of: one holds if any of them does.
std::vector<Relation> getComparisons(const Relation &relation) {
  if (relation.kind != Relation::Broadcastable)
    return {relation};
  RandomTree one = makeConstant(1);
  return {{Relation::Equal, relation.lhs, relation.rhs},
          {Relation::Equal, relation.lhs, one},
          {Relation::Equal, relation.rhs, one}};
}

std::string getText(const Relation &relation) {
  return relation.kind == Relation::Broadcastable ? "bc_ok(" + relation.lhs.str() + ", " + relation.rhs.str() + ")"
                                                  : relation.str();
}

bool hasValue(const Relation &relation, const Point &point) {
  return evaluateAt(relation.lhs, point).value && evaluateAt(relation.rhs, point).value;
}

bool isBroken(const Relation &relation, const Point &point) {
  return evaluateAt(relation.lhs, point).isBroken || evaluateAt(relation.rhs, point).isBroken;
}

/// Is a comparison, or its opposite, right at a point? Of sides that are equal, both have values or none.
bool isRight(const Relation &comparison, bool isNegated, const Point &point) {
  Outcome left = evaluateAt(comparison.lhs, point), right = evaluateAt(comparison.rhs, point);
  bool isEquation = comparison.kind == (isNegated ? Relation::NotEqual : Relation::Equal);
  if (left.isDivided || right.isDivided)
    return !isEquation || left.isDivided == right.isDivided;
  std::optional<bool> holds = comparison.evaluate(point);
  return !holds || *holds != isNegated;
}

struct Judgement {
  bool isRight = true, saysSomething = false;
};
Judgement judge(const Relation &question, bool isNegated, const std::vector<Point> &points) {
  std::vector<Relation> comparisons = getComparisons(question);
  Judgement judgement;
  for (const Point &point : points) {
    auto holds = [&](const Relation &comparison) { return isRight(comparison, isNegated, point); };
    judgement.isRight &= isNegated ? llvm::all_of(comparisons, holds) : llvm::any_of(comparisons, holds);
    judgement.saysSomething |= hasValue(question, point);
  }
  return judgement;
}

/// A side of which little is left: a multiple of 0, a difference to itself, a quotient that is multiplied again.
RandomTree cancelSomewhere(RandomSource &random, RandomTree tree) {
  auto join = [](RandomTree::Kind kind, RandomTree lhs, RandomTree rhs) {
    return RandomTree{kind, 0, "", {std::move(lhs), std::move(rhs)}};
  };
  switch (random.pick(0, 5)) {
  case 0:
    return join(RandomTree::Mul, makeConstant(0), std::move(tree));
  case 1:
    return join(RandomTree::Sub, tree, tree);
  case 2: {
    RandomTree divisor = random.chance(50) ? makeConstant(random.pickConstant()) : random.pickTree(0);
    RandomTree::Kind kind = random.chance(70) ? RandomTree::ExactDiv : RandomTree::FloorDiv;
    return join(RandomTree::Mul, join(kind, std::move(tree), divisor), divisor);
  }
  default:
    return tree;
  }
}

bool saysThatNothingHasAValue(llvm::StringRef message) {
  return message == "division by zero" || message.contains("does not divide") || message.contains("do not broadcast");
}

} // namespace

std::string dyn::symbolic::test::checkStatements(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  random.constantDivisors = 50;
  SmallSystem system(random, random.pick(0, 2));
  if (system.allowed.empty())
    return "";
  auto describe = [&](auto... parts) {
    return "seed " + std::to_string(seed) + ": " + (... + std::string(parts)) + " given " + system.str();
  };
  SymbolicContext context;
  Solver solver(context);
  ReasonId reason = solver.addReason({"given", "", 0});
  if (!system.teach(solver, {}))
    return describe("declarations are refused");
  for (const Relation &fact : system.facts) {
    ParseError error;
    std::optional<Statement> statement = parseStatement(getText(fact), context, error);
    if (statement ? !addStatement(solver, *statement, reason) : saysThatNothingHasAValue(error.message))
      return describe("refused ", getText(fact));
    if (!statement)
      return "";
  }
  for (int i = 0; i < 8; ++i) {
    Relation question = SmallSystem::pickRelation(random);
    question.lhs = cancelSomewhere(random, std::move(question.lhs));
    question.rhs = cancelSomewhere(random, std::move(question.rhs));
    ParseError error;
    std::optional<Statement> statement = parseStatement(getText(question), context, error);
    if (!statement) {
      bool isRefused = saysThatNothingHasAValue(error.message);
      if (isRefused && llvm::any_of(system.points, [&](const Point &point) { return hasValue(question, point); }))
        return describe(error.message, " in ", getText(question));
      continue;
    }
    std::vector<Point> points = system.allowed;
    llvm::erase_if(points, [&](const Point &point) { return isBroken(question, point); });
    Answer answer = ask(solver, *statement);
    if (answer.saysNothing && !points.empty())
      return describe("nothing is said by ", getText(question));
    Judgement yes = judge(question, /*isNegated=*/false, points), no = judge(question, /*isNegated=*/true, points);
    count.evaluations += points.size();
    count.decidable += (yes.isRight && yes.saysSomething) || (no.isRight && no.saysSomething);
    if (answer.verdict == Verdict::Unknown)
      continue;
    const Judgement &judgement = answer.verdict == Verdict::Yes ? yes : no;
    (judgement.saysSomething ? count.decided : count.empty) += 1;
    if (!judgement.isRight)
      return describe(getName(answer.verdict), " for ", getText(question), ", that is ", statement->predicate.str());
  }
  return "";
}
