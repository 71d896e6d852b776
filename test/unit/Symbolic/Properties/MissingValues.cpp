//===- Verdicts where sides have no values -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

/// What an expression comes to at a point.
struct Outcome {
  std::optional<int64_t> value;
  bool isDivided = false; ///< by 0
};

Outcome evaluateAt(const ExprTree &tree, const Point &point) {
  using Kind = ExprTree::Kind;
  static const std::map<Kind, RandomTree::Kind> kinds = {
      {Kind::FloorDiv, RandomTree::FloorDiv}, {Kind::CeilDiv, RandomTree::CeilDiv}, {Kind::Mod, RandomTree::Mod},
      {Kind::ExactDiv, RandomTree::ExactDiv}, {Kind::Min, RandomTree::Min},         {Kind::Max, RandomTree::Max},
      {Kind::Bcast, RandomTree::Bcast},       {Kind::Add, RandomTree::Add},         {Kind::Mul, RandomTree::Mul}};
  if (tree.kind == Kind::Constant)
    return {tree.value};
  if (tree.kind == Kind::Symbol)
    return {point.at(tree.symbol.str())};
  std::vector<RandomTree> operands;
  Outcome outcome;
  for (const auto &operand : tree.operands) {
    Outcome inner = evaluateAt(*operand, point);
    outcome.isDivided |= inner.isDivided;
    if (inner.value)
      operands.push_back(RandomTree{RandomTree::Constant, *inner.value, "", {}});
  }
  bool areKnown = operands.size() == tree.operands.size();
  bool divides = tree.kind == Kind::FloorDiv || tree.kind == Kind::CeilDiv || tree.kind == Kind::Mod;
  if (divides && areKnown)
    outcome.isDivided |= operands[1].value == 0;
  if (!areKnown || outcome.isDivided)
    return outcome;
  // Sums and products have any number of operands.
  RandomTree result = operands.front();
  if (tree.kind == Kind::Add || tree.kind == Kind::Mul)
    for (const RandomTree &operand : llvm::drop_begin(operands))
      result = RandomTree{kinds.at(tree.kind), 0, "", {result, operand}};
  else
    result = RandomTree{kinds.at(tree.kind), 0, "", operands};
  outcome.value = result.evaluate(point);
  return outcome;
}

/// A comparison as it was built, which may have fewer divisions than what it was built of.
class Comparison {
public:
  Comparison(const Predicate &predicate, bool isNegated)
      : predicate(isNegated ? Predicate::negation(predicate) : predicate), lhs(getTree(predicate.lhs)),
        rhs(getTree(predicate.rhs)),
        isEquation(predicate.kind == (isNegated ? Predicate::Kind::NotEqual : Predicate::Kind::Equal)) {}

  /// Nothing where a side has no value for another reason than a division by 0.
  std::optional<bool> holdsAt(const Point &point) const {
    Outcome left = evaluateAt(*lhs, point), right = evaluateAt(*rhs, point);
    if ((!left.value && !left.isDivided) || (!right.value && !right.isDivided))
      return std::nullopt;
    if (left.isDivided || right.isDivided)
      return !isEquation || left.isDivided == right.isDivided;
    return evaluate(predicate, lookup(point)) == true;
  }
  /// Does it say something at one of the points?
  bool saysSomething(const std::vector<Point> &points) const {
    return isEquation || llvm::any_of(points, [&](const Point &point) {
             return !evaluateAt(*lhs, point).isDivided && !evaluateAt(*rhs, point).isDivided;
           });
  }

private:
  Predicate predicate;
  std::shared_ptr<const ExprTree> lhs, rhs;
  bool isEquation;
};

/// Is an answer right at the points, as the rule has it, and does it say something? Of disjunctions, those of sizes
/// that broadcast.
struct Judgement {
  bool isRight, saysSomething;
};
Judgement judge(const Predicate &question, bool isNegated, const std::vector<Point> &allowed) {
  bool isDisjunction = question.kind == Predicate::Kind::Or;
  std::vector<Comparison> parts;
  for (const Predicate &part : isDisjunction ? llvm::ArrayRef(question.operands) : llvm::ArrayRef(question))
    parts.emplace_back(part, isNegated);
  auto holdsAt = [&](const Point &point) {
    auto mayHold = [&](const Comparison &part) { return part.holdsAt(point).value_or(true); };
    return isDisjunction && !isNegated ? llvm::any_of(parts, mayHold) : llvm::all_of(parts, mayHold);
  };
  auto saysSomething = [&](const Comparison &part) { return part.saysSomething(allowed); };
  return {llvm::all_of(allowed, holdsAt), llvm::all_of(parts, saysSomething)};
}

} // namespace

std::string dyn::symbolic::test::checkMissingValues(uint64_t seed, bool isAmongMany, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  random.constantDivisors = 25;
  SmallSystem system(random, random.pick(0, 3));
  if (system.allowed.empty())
    return "";
  SymbolicContext context, shuffledContext;
  Solver solver(context), shuffled(shuffledContext);
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size()));
  auto describe = [&](auto... parts) {
    return "seed " + std::to_string(seed) + ": " + (... + std::string(parts)) + " given " + system.str();
  };
  bool isTaught = !isAmongMany || (addUnrelatedFacts(solver) && addUnrelatedFacts(shuffled));
  isTaught &= system.teach(solver, order);
  std::shuffle(order.begin(), order.end(), random.engine);
  if (!isTaught || !system.teach(shuffled, order))
    return describe("refused");
  // That facts have values at a point is not relied on.
  std::vector<Point> open;
  for (const Point &point : system.points)
    if (llvm::none_of(system.facts, [&](const Relation &fact) { return fact.evaluate(point) == false; }))
      open.push_back(point);
  for (int i = 0; i < 8; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    Predicate question = query.build(context);
    if (question.kind != Predicate::Kind::Or && (!question.lhs || !question.rhs))
      continue;
    Verdict verdict = solver.implies(question), other = shuffled.implies(query.build(shuffledContext));
    // What has a value nowhere is true and false.
    bool hasValue = llvm::any_of(system.allowed, [&](const Point &point) { return query.evaluate(point).has_value(); });
    if (hasValue && verdict != other)
      return describe(getName(verdict), ", and in another order ", getName(other), " for ", query.str());
    count.evaluations += system.allowed.size();
    Judgement yes = judge(question, /*isNegated=*/false, system.allowed);
    Judgement no = judge(question, /*isNegated=*/true, system.allowed);
    if (verdict == Verdict::Unknown) {
      count.decidable += (yes.saysSomething && judge(question, /*isNegated=*/false, open).isRight) ||
                         (no.saysSomething && judge(question, /*isNegated=*/true, open).isRight);
      continue;
    }
    const Judgement &judgement = verdict == Verdict::Yes ? yes : no;
    count.decided += judgement.saysSomething;
    count.decidable += judgement.saysSomething;
    // That no point is left need not be found.
    count.empty += !judgement.saysSomething && question.lhs != question.rhs;
    if (!judgement.isRight)
      return describe(getName(verdict), " for ", query.str(), ", that is ", question.str());
  }
  return "";
}
