//===- Systems of broadcasts -----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"
#include "dyn/Symbolic/Obligations.h"

namespace dyn::symbolic::test {
namespace {

RandomTree pickSize(RandomSource &random, bool mayBeNumber = true) {
  RandomTree tree;
  tree.kind = RandomTree::Symbol;
  tree.name = random.names[random.pick(0, random.names.size() - 1)];
  if (mayBeNumber && random.chance(10)) {
    tree.kind = RandomTree::Constant;
    tree.value = random.pick(0, 3);
  }
  return tree;
}

/// Without numbers: the form of `bcast(s, 3)` is 3, which does not say any more where it has a value.
RandomTree pickBroadcast(RandomSource &random) {
  RandomTree tree;
  tree.kind = RandomTree::Bcast;
  for (int64_t i = random.pick(2, 3); i > 0; --i)
    tree.operands.push_back(pickSize(random, /*mayBeNumber=*/false));
  return tree;
}

Relation pickFact(RandomSource &random) {
  switch (random.pick(0, 5)) {
  case 0:
  case 1:
    return {Relation::Broadcastable, pickSize(random), pickSize(random)};
  case 2:
    return {Relation::NotEqual, pickSize(random), pickSize(random)};
  default:
    return {Relation::Equal, pickSize(random), pickBroadcast(random)};
  }
}

Relation pickQuestion(RandomSource &random) {
  static constexpr std::array<Relation::Kind, 6> kinds = {Relation::Equal,         Relation::Equal,
                                                          Relation::LessEqual,     Relation::NotEqual,
                                                          Relation::Broadcastable, Relation::Broadcastable};
  Relation relation{kinds[random.pick(0, kinds.size() - 1)], pickSize(random), pickSize(random)};
  if (relation.kind != Relation::Broadcastable && random.chance(40))
    relation.rhs = pickBroadcast(random);
  return relation;
}
} // namespace

std::string checkBroadcasts(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed);
  random.names = {"r", "s", "t", "u", "v"};
  std::vector<Relation> facts;
  for (int64_t i = random.pick(3, 6); i > 0; --i)
    facts.push_back(pickFact(random));
  // More values than are of use: what broadcasts say is the same of all but 1, and of 0 and 2 as ends of ranges.
  std::vector<Point> points = {{}};
  for (const std::string &name : random.names) {
    std::vector<Point> longer;
    for (const Point &point : points)
      for (int64_t value : {0, 1, 2, 3, 5}) {
        longer.push_back(point);
        longer.back()[name] = value;
      }
    points = std::move(longer);
  }
  llvm::erase_if(points, [&](const Point &point) {
    return !llvm::all_of(facts, [&](const Relation &fact) { return fact.evaluate(point) == true; });
  });
  SymbolicContext context;
  Solver solver(context);
  std::string text = "seed " + std::to_string(seed) + ": ";
  bool holds = true;
  for (const Relation &fact : facts) {
    text += fact.str() + "; ";
    Predicate built = fact.build(context);
    // Who knows that a broadcast has a value says so.
    for (const Predicate &promise : getDefinedness(built))
      holds = holds && solver.addPredicate(promise, solver.addReason({"promised", "", 0}));
    holds = holds && solver.addPredicate(built, solver.addReason({"given", "", 0}));
  }
  if (!holds)
    return points.empty() ? "" : text + "refused";
  if (points.empty())
    return "";
  for (unsigned i = 0; i < 8; ++i) {
    std::vector<Relation> parts;
    for (int64_t joined = random.chance(30) ? 2 : 1; joined > 0; --joined)
      parts.push_back(pickQuestion(random));
    std::vector<Predicate> built;
    for (const Relation &part : parts)
      built.push_back(part.build(context));
    Verdict verdict = solver.implies(built.size() == 1 ? built[0] : Predicate::disjunction(built));
    bool isTrue = true, isFalse = true, isSeen = false;
    for (const Point &point : points) {
      std::optional<bool> truth = parts[0].evaluate(point);
      if (parts.size() > 1) {
        std::optional<bool> other = parts[1].evaluate(point);
        truth = !truth || !other ? std::nullopt : std::optional(*truth || *other);
      }
      isSeen |= truth.has_value();
      isTrue &= truth != false;
      isFalse &= truth != true;
    }
    count.evaluations += points.size();
    std::string question = parts[0].str() + (parts.size() > 1 ? " or " + parts[1].str() : "");
    if (isSeen && ((verdict == Verdict::Yes && !isTrue) || (verdict == Verdict::No && !isFalse)))
      return text + "so " + question + "? " + getName(verdict);
    if (isSeen && isTrue != isFalse) {
      ++count.decidable;
      count.decided += verdict != Verdict::Unknown;
    }
  }
  return "";
}

} // namespace dyn::symbolic::test
