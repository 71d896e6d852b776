//===- Broadcasts and questions as terms that are equal or 1 ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Broadcasts/BroadcastFacts.h"
#include "Expressions/Polynomial.h"
#include "Solver/SortedFacts.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// The atom that an expression is, if it is of that kind.
static const Atom *getAtomOf(Expr expr, AtomKind kind) {
  Terms terms = getTerms(expr);
  const Atom *atom = terms.size() == 1 && terms[0].coefficient == 1 ? terms[0].monomial->getAtom() : nullptr;
  return atom && atom->kind == kind ? atom : nullptr;
}

BroadcastFacts::Node BroadcastFacts::getNode(Expr term, bool hasValue, GetOwn getOwn) {
  auto [known, isNew] = nodes.try_emplace(term, areBroadcasts.size());
  Node node = known->second;
  if (isNew) {
    areBroadcasts.push_back(false);
    state.parents.push_back(node);
    std::optional<int64_t> constant = term.getConstant();
    Own own = constant ? Own{Interval{*constant, *constant}, *constant != 1} : getOwn(term);
    state.classes.push_back({own.range, own.isNotOne, {}});
  }
  const Atom *broadcast = getAtomOf(term, AtomKind::Bcast);
  if (broadcast && hasValue && !areBroadcasts[node]) {
    areBroadcasts[node] = true;
    Constraint constraint{Constraint::Broadcast, {node}, {}};
    for (Expr operand : broadcast->operands)
      constraint.nodes.push_back(getNode(operand, hasValue, getOwn));
    addConstraint(std::move(constraint));
  }
  return node;
}

void BroadcastFacts::addConstraint(Constraint constraint) {
  for (const Alternative &alternative : constraint.alternatives)
    for (const Literal &literal : alternative)
      constraint.nodes.append({literal.first, literal.second});
  for (Node node : constraint.nodes) {
    auto &users = state.classes[find(node)].users;
    if (users.empty() || users.back() != constraints.size())
      users.push_back(constraints.size());
  }
  pending.push_back(constraints.size());
  constraints.push_back(std::make_shared<const Constraint>(std::move(constraint)));
}

std::optional<BroadcastFacts::Literal> BroadcastFacts::getLiteral(const Predicate &comparison, bool hasValue,
                                                                  GetOwn getOwn) {
  using Kind = Predicate::Kind;
  SymbolicContext::Impl &context = builder.getContext();
  Expr difference = comparison.lhs && comparison.rhs ? builder.subtract(comparison.rhs, comparison.lhs) : Expr();
  if (difference && comparison.kind == Kind::Less)
    difference = builder.add(difference, context.getConstant(-1));
  if (!difference || difference.getConstant() || getConstantTerm(getTerms(difference)) == INT64_MIN)
    return std::nullopt;
  // difference == left - right + constant. A broadcast is alone on its side, since it says something of its operands.
  int64_t constant = getConstantTerm(getTerms(difference));
  Terms variable = dropConstant(getTerms(difference));
  const Term *broadcast = llvm::find_if(variable, [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return isUnit(term.coefficient) && atom && atom->kind == AtomKind::Bcast;
  });
  bool isAloneLeft = broadcast != variable.end() && broadcast->coefficient > 0;
  Poly added, subtracted;
  for (const Term &term : variable) {
    bool isLeft = broadcast == variable.end() ? term.coefficient > 0 : (&term == broadcast) == isAloneLeft;
    (isLeft ? added : subtracted).push_back(term);
  }
  Expr left = context.getExpr(added), right = builder.scale(context.getExpr(subtracted), -1);
  bool isOrder = comparison.kind == Kind::LessEqual || comparison.kind == Kind::Less;
  if (isOrder) {
    if (!right)
      return std::nullopt;
    return Literal{Literal::AtMost, getNode(right, hasValue, getOwn), getNode(left, hasValue, getOwn), -constant};
  }
  // left + constant == right, the number beside what is no broadcast, or alone.
  if (isAloneLeft || subtracted.empty())
    right = builder.subtract(right, context.getConstant(constant));
  else
    left = builder.add(left, context.getConstant(constant));
  if (!left || !right)
    return std::nullopt;
  Literal::Kind kind = comparison.kind == Kind::Equal ? Literal::Equal : Literal::NotEqual;
  return Literal{kind, getNode(left, hasValue, getOwn), getNode(right, hasValue, getOwn)};
}

/// Each is a conjunction of literals.
std::optional<std::vector<BroadcastFacts::Alternative>> BroadcastFacts::getAlternatives(const Predicate &disjunction,
                                                                                        GetOwn getOwn) {
  std::vector<Alternative> alternatives;
  for (const Predicate &operand : disjunction.operands) {
    Alternative alternative;
    for (const Predicate &part : operand.kind == Predicate::Kind::And ? operand.operands : std::vector{operand}) {
      // Whether a broadcast has a value may go by which alternative holds.
      std::optional<Literal> literal =
          part.operands.empty() ? getLiteral(part, /*hasValue=*/false, getOwn) : std::nullopt;
      if (!literal)
        return std::nullopt;
      alternative.push_back(*literal);
    }
    alternatives.push_back(std::move(alternative));
  }
  return alternatives;
}

/// `0 <= R - max(x, y)` as conjunction, `0 <= R + max(x, y)` as disjunction of what it says of each operand.
/// rule at-least-max: R - max(x, y) >= 0 |- R - x >= 0 and R - y >= 0
/// rule at-most-max: R + max(x, y) >= 0 |- R + x >= 0 or R + y >= 0
static std::optional<Predicate> splitMax(ExprBuilder &builder, const Predicate &part) {
  if (part.kind != Predicate::Kind::LessEqual || !part.lhs.isConstant(0))
    return std::nullopt;
  for (const Term &term : getTerms(part.rhs)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || atom->kind != AtomKind::Max || !isUnit(term.coefficient))
      continue;
    Expr rest = builder.subtract(part.rhs, builder.getContext().getExpr(term));
    std::vector<Predicate> operands;
    for (Expr operand : atom->operands)
      operands.push_back(Predicate::lessEqual(part.lhs, builder.add(rest, builder.scale(operand, term.coefficient))));
    return term.coefficient < 0 ? Predicate::conjunction(std::move(operands))
                                : Predicate::disjunction(std::move(operands));
  }
  return std::nullopt;
}

/// All of a conjunction holds, so all of it has a value.
void BroadcastFacts::assume(const Predicate &predicate, bool truth, GetOwn getOwn) {
  for (const Predicate &part : SortedFacts::getParts(truth ? predicate : Predicate::negation(predicate))) {
    if (part.kind == Predicate::Kind::False) {
      state.contradictory = true;
    } else if (!part.operands.empty()) {
      if (std::optional<std::vector<Alternative>> alternatives = getAlternatives(part, getOwn))
        addConstraint({Constraint::Clause, {}, std::move(*alternatives)});
    } else if (std::optional<Literal> literal = getLiteral(part, /*hasValue=*/true, getOwn)) {
      addConstraint({Constraint::Relation, {}, {Alternative{*literal}}});
      std::optional<Predicate> split = splitMax(builder, part);
      if (split && isComplete(*split))
        assume(*split, /*truth=*/true, getOwn);
    }
  }
}

void BroadcastFacts::add(const Predicate &part, GetOwn getOwn) {
  auto isBroadcast = [](const auto &constraint) {
    return constraint->kind == Constraint::Broadcast || constraint->alternatives.size() > 1;
  };
  size_t known = constraints.size();
  assume(part, /*truth=*/true, getOwn);
  hasBroadcasts |= llvm::any_of(llvm::ArrayRef(constraints).drop_front(known), isBroadcast);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool BroadcastFacts::isRefutedInCases(llvm::ArrayRef<Node> open, unsigned &cases) {
  constexpr unsigned maximalCases = 48;
  if (isRefuted())
    return true;
  open = open.drop_while([&](Node node) { return !isOpen(node); });
  if (open.empty())
    return isRefutedByProbing();
  if (++cases > maximalCases)
    return false;
  // What is not 1 is the same all along a row, so that this case leads to more.
  State before = state;
  setNotOne(open.front());
  if (!isRefutedInCases(open.drop_front(), cases))
    return false;
  state = std::move(before);
  pending.clear();
  setOne(open.front());
  return isRefutedInCases(open.drop_front(), cases);
}

/// An operand of broadcasts with results that differ is 1, wherever these are: nothing else tells.
/// rule operand-of-different-results: r != s and bcast(x, y) == r and bcast(x, z) == s |- x == 1
bool BroadcastFacts::isRefutedByProbing() {
  constexpr size_t maximalProbes = 24;
  llvm::SmallVector<Node, maximalProbes> probed;
  for (Node node = 0; node < state.parents.size() && probed.size() <= maximalProbes; ++node)
    if (state.parents[node] == node && isOpen(node))
      probed.push_back(node);
  // Which of more are looked at would depend on the order of facts.
  if (probed.size() > maximalProbes)
    return false;
  for (size_t place = 0, left = probed.size(); left > 0; --left, place = (place + 1) % probed.size()) {
    if (!isOpen(probed[place]))
      continue;
    State before = state;
    setNotOne(probed[place]);
    bool isOne = isRefuted();
    state = std::move(before);
    pending.clear();
    if (!isOne)
      continue;
    setOne(probed[place]);
    if (isRefuted())
      return true;
    // What came before it may lead to more now.
    left = probed.size() + 1;
  }
  return false;
}

bool BroadcastFacts::refutes(const Predicate &assumption, bool truth, GetOwn getOwn) const {
  // One alternative after the other, each of which has a value where it holds.
  if (std::vector<Predicate> parts = SortedFacts::getParts(truth ? assumption : Predicate::negation(assumption));
      parts.size() == 1 && parts[0].kind == Predicate::Kind::Or)
    return llvm::all_of(parts[0].operands,
                        [&](const Predicate &alternative) { return refutes(alternative, /*truth=*/true, getOwn); });
  BroadcastFacts assumed(*this);
  size_t known = constraints.size();
  assumed.assume(assumption, truth, getOwn);
  llvm::SmallVector<Node, 16> asked;
  for (const auto &constraint : llvm::ArrayRef(assumed.constraints).drop_front(known))
    for (Node node : constraint->nodes)
      if (!llvm::is_contained(asked, node))
        asked.push_back(node);
  unsigned cases = 0;
  return !asked.empty() && assumed.isRefutedInCases(asked, cases);
}

static bool hasBroadcast(const Predicate &predicate) {
  return (predicate.lhs && hasAtom(predicate.lhs, AtomKind::Bcast)) ||
         (predicate.rhs && hasAtom(predicate.rhs, AtomKind::Bcast)) || llvm::any_of(predicate.operands, hasBroadcast);
}

Verdict BroadcastFacts::decide(const Predicate &question, GetOwn getOwn) const {
  if (state.contradictory || !(hasBroadcasts || hasBroadcast(question)))
    return Verdict::Unknown;
  return refutes(question, /*truth=*/false, getOwn)  ? Verdict::Yes
         : refutes(question, /*truth=*/true, getOwn) ? Verdict::No
                                                     : Verdict::Unknown;
}
