//===- What follows from broadcasts -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Polynomial.h"
#include "Solver/Broadcasts/BroadcastFacts.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

BroadcastFacts::Node BroadcastFacts::find(Node node) const {
  while (state.parents[node] != node)
    node = state.parents[node] = state.parents[state.parents[node]];
  return node;
}

void BroadcastFacts::wake(const Class &changed) {
  pending.insert(pending.end(), changed.users.begin(), changed.users.end());
}

void BroadcastFacts::restrict(Node node, Interval range) {
  Class &known = state.classes[find(node)];
  Interval narrowed = intersect(known.range, withFiniteEnds(range));
  if (known.isNotOne && narrowed.lower == 1)
    ++narrowed.lower;
  if (known.isNotOne && narrowed.upper == 1)
    --narrowed.upper;
  state.contradictory |= narrowed.isEmpty();
  if (state.contradictory || narrowed == known.range)
    return;
  known.range = narrowed;
  wake(known);
}

void BroadcastFacts::setNotOne(Node node) {
  Class &known = state.classes[find(node)];
  if (known.isNotOne)
    return;
  known.isNotOne = true;
  wake(known);
  restrict(node, known.range);
}

void BroadcastFacts::merge(Node first, Node second) {
  first = find(first), second = find(second);
  if (first == second)
    return;
  if (state.classes[first].users.size() < state.classes[second].users.size())
    std::swap(first, second);
  // Who mentions both finds that they are the same. Others see a class that is different from more, if the one that
  // goes was; what else they learn of it wakes them below.
  wake(state.classes[second]);
  if (llvm::any_of(state.different,
                   [&](const auto &known) { return find(known.first) == second || find(known.second) == second; }))
    wake(state.classes[first]);
  state.parents[second] = first;
  Class merged = std::exchange(state.classes[second], {});
  state.classes[first].users.append(merged.users);
  if (merged.isNotOne)
    setNotOne(first);
  restrict(first, merged.range);
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

std::optional<bool> BroadcastFacts::isTrue(const Literal &literal) const {
  Node first = find(literal.first), second = find(literal.second);
  const Class &left = state.classes[first], &right = state.classes[second];
  if (literal.kind == Comparison::AtMost) {
    // left + offset <= right
    auto add = [](int64_t bound, int64_t offset) { return static_cast<__int128>(bound) + offset; };
    if (first == second)
      return literal.offset <= 0;
    if (left.range.hasUpper() && right.range.hasLower() && add(left.range.upper, literal.offset) <= right.range.lower)
      return true;
    if (left.range.hasLower() && right.range.hasUpper() && add(left.range.lower, literal.offset) > right.range.upper)
      return false;
    return std::nullopt;
  }
  bool isPositive = literal.kind == Comparison::Equal;
  if (first == second || (left.range.isSingleton() && left.range == right.range))
    return isPositive;
  bool areApart = intersect(left.range, right.range).isEmpty() || (left.isOne() && right.isNeverOne()) ||
                  (right.isOne() && left.isNeverOne()) || llvm::any_of(state.different, [&](const auto &known) {
                    Node a = find(known.first), b = find(known.second);
                    return (a == first && b == second) || (a == second && b == first);
                  });
  return areApart ? std::optional(!isPositive) : std::nullopt;
}

void BroadcastFacts::assertTrue(const Literal &literal) {
  if (std::optional<bool> truth = isTrue(literal); truth == false)
    state.contradictory = true;
  Node first = find(literal.first), second = find(literal.second);
  if (state.contradictory)
    return;
  switch (literal.kind) {
  case Comparison::Equal:
    merge(first, second);
    return;
  case Comparison::AtMost:
    // Bounds of terms that are no numbers are not followed: they may push each other up without end, and where that
    // ends would depend on the order of facts.
    if (Interval number = state.classes[first].range; number.isSingleton())
      restrict(second,
               {checkedAdd(number.lower, literal.offset).value_or(Interval::minusInfinity), Interval::plusInfinity});
    else if (Interval number = state.classes[second].range; number.isSingleton())
      restrict(first,
               {Interval::minusInfinity, checkedSub(number.lower, literal.offset).value_or(Interval::plusInfinity)});
    if (literal.offset >= 1)
      setDifferent(first, second);
    return;
  case Comparison::NotEqual:
    setDifferent(first, second);
  }
}

void BroadcastFacts::setDifferent(Node first, Node second) {
  auto isSame = [&](const auto &known) { return find(known.first) == first && find(known.second) == second; };
  if (llvm::none_of(state.different, isSame)) {
    state.different.push_back({first, second});
    wake(state.classes[first]);
    wake(state.classes[second]);
  }
  for (auto [one, other] : {std::pair(first, second), std::pair(second, first)}) {
    Interval number = state.classes[one].range, range = state.classes[other].range;
    if (!number.isSingleton())
      continue;
    if (number.lower == 1)
      setNotOne(other);
    else if (range.lower == number.lower)
      restrict(other, {range.lower + 1, range.upper});
    else if (range.upper == number.lower)
      restrict(other, {range.lower, range.upper - 1});
  }
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// rule operand-of-broadcast: x != 1 |- bcast(x, y) == x
/// rule broadcast-that-is-one: bcast(x, y) == 1 |- x == 1 and y == 1
/// rule other-operand-is-one: bcast(x, y) != x |- x == 1
/// rule only-operand-left: x == 1 |- bcast(x, y) == y
void BroadcastFacts::propagateBroadcast(llvm::ArrayRef<Node> constraint) {
  Node result = constraint.front();
  llvm::ArrayRef<Node> operands = constraint.drop_front();
  for (Node operand : operands) {
    Node known = find(operand);
    if (known == find(result))
      continue;
    if (state.classes[known].isNeverOne())
      merge(operand, result);
    else if (state.classes[find(result)].isOne() || isTrue({Comparison::Equal, operand, result}) == false)
      setOne(operand);
    if (state.contradictory)
      return;
  }
  // One that is the same as another counts once.
  std::optional<Node> left;
  for (Node operand : operands) {
    Node known = find(operand);
    if (state.classes[known].isOne() || left == known)
      continue;
    if (left)
      return;
    left = known;
  }
  if (left)
    merge(*left, result);
  else
    setOne(result);
}

/// The only one that is left holds. It says more of terms of which more is known by now, also where it holds already.
void BroadcastFacts::propagateAlternatives(llvm::ArrayRef<Alternative> alternatives) {
  const Alternative *left = nullptr;
  for (const Alternative &alternative : alternatives) {
    if (llvm::any_of(alternative, [&](const Literal &literal) { return isTrue(literal) == false; }))
      continue;
    if (left)
      return;
    left = &alternative;
  }
  state.contradictory |= !left;
  for (size_t place = 0; left && !state.contradictory && place < left->size(); ++place)
    assertTrue((*left)[place]);
}

/// Each step is due to classes that have become one, not 1 or smaller at an end that is a number they differ from: all
/// of that ends, at the same in whichever order it is followed.
bool BroadcastFacts::isRefuted() {
  // In the order in which they came: along a row, each finds what the one before has led to.
  std::vector<bool> isWaiting(constraints.size(), false);
  while (!state.contradictory && !pending.empty()) {
    std::vector<unsigned> round = std::exchange(pending, {});
    for (unsigned place : round)
      isWaiting[place] = true;
    for (unsigned place : round) {
      if (state.contradictory || !isWaiting[place])
        continue;
      isWaiting[place] = false;
      context.spend(1);
      if (constraints[place]->isBroadcast)
        propagateBroadcast(constraints[place]->nodes);
      else
        propagateAlternatives(constraints[place]->alternatives);
    }
  }
  pending.clear();
  return state.contradictory;
}
