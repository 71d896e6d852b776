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
  auto [known, isNew] = nodes.try_emplace(term, broadcastOf.size());
  Node node = known->second;
  if (isNew) {
    broadcastOf.emplace_back();
    state.parents.push_back(node);
    std::optional<int64_t> constant = term.getConstant();
    Own own = constant ? Own{{}, *constant != 1} : getOwn(term);
    // The ends of 64 bits stand for no ends.
    if (constant && *constant != Interval::minusInfinity && *constant != Interval::plusInfinity)
      own.range = {*constant, *constant};
    state.classes.push_back({own.range, own.isNotOne, {}});
    if (const Atom *atom = getAtomOf(term, AtomKind::Bcast)) {
      Broadcast broadcast{{node}};
      for (Expr operand : atom->operands)
        broadcast.nodes.push_back(getNode(operand, hasValue, getOwn));
      broadcastOf[node] = broadcasts.size();
      broadcasts.push_back(std::move(broadcast));
      hasBroadcasts = true;
    }
  }
  if (hasValue)
    addBroadcast(node);
  return node;
}

void BroadcastFacts::addBroadcast(Node node) {
  if (!broadcastOf[node] || std::exchange(broadcasts[*broadcastOf[node]].hasValue, true))
    return;
  llvm::SmallVector<Node, 4> nodes = broadcasts[*broadcastOf[node]].nodes;
  addConstraint({/*isBroadcast=*/true, nodes, {}});
  for (Node operand : llvm::drop_begin(nodes))
    addBroadcast(operand);
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

static std::optional<BroadcastFacts::Comparison> translate(ExprBuilder &builder, const Predicate &comparison) {
  using Kind = Predicate::Kind;
  using Comparison = BroadcastFacts::Comparison;
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
  if (!right)
    return std::nullopt;
  if (comparison.kind == Kind::LessEqual || comparison.kind == Kind::Less)
    return Comparison{Comparison::AtMost, right, left, -constant};
  // left + constant == right, the number beside what is no broadcast, or alone.
  if (isAloneLeft || subtracted.empty())
    right = builder.subtract(right, context.getConstant(constant));
  else
    left = builder.add(left, context.getConstant(constant));
  if (!left || !right)
    return std::nullopt;
  return Comparison{comparison.kind == Kind::Equal ? Comparison::Equal : Comparison::NotEqual, left, right};
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

/// Each alternative is a conjunction of comparisons, or nothing is said.
static std::optional<BroadcastFacts::Statement> translateDisjunction(ExprBuilder &builder,
                                                                     const Predicate &disjunction) {
  BroadcastFacts::Statement statement;
  for (const Predicate &operand : disjunction.operands) {
    auto &alternative = statement.emplace_back();
    for (const Predicate &part : operand.kind == Predicate::Kind::And ? operand.operands : std::vector{operand}) {
      auto comparison = part.operands.empty() ? translate(builder, part) : std::nullopt;
      if (!comparison)
        return std::nullopt;
      alternative.push_back(*comparison);
    }
  }
  return statement;
}

std::vector<BroadcastFacts::Statement> BroadcastFacts::getStatements(SymbolicContext::Impl &context,
                                                                     const Predicate &predicate) {
  ExprBuilder builder(context);
  std::vector<Statement> statements;
  auto addComparison = [&](const Predicate &part) {
    if (std::optional<Comparison> comparison = translate(builder, part))
      statements.push_back({Conjunction{*comparison}});
  };
  auto addDisjunction = [&](const Predicate &part) {
    if (std::optional<Statement> statement = translateDisjunction(builder, part))
      statements.push_back(std::move(*statement));
  };
  for (const Predicate &part : SortedFacts::getParts(predicate)) {
    if (part.kind == Predicate::Kind::False) {
      statements.emplace_back();
    } else if (!part.operands.empty()) {
      addDisjunction(part);
    } else {
      addComparison(part);
      // One maximum: of a sum of several there would be more sums than anyone counts.
      std::optional<Predicate> split = splitMax(builder, part);
      if (split && split->kind == Predicate::Kind::Or)
        addDisjunction(*split);
      else if (split)
        llvm::for_each(split->operands, addComparison);
    }
  }
  return statements;
}

/// Where there are several alternatives, which one holds may decide which broadcasts have values.
void BroadcastFacts::add(const Statement &statement, bool hasValues, GetOwn getOwn) {
  Constraint constraint;
  // The pair of nodes of which each alternative says that they are equal, or that one is 1.
  std::optional<std::pair<Node, Node>> pair;
  bool isOfPair = statement.size() > 1, hasEquation = false;
  for (const Conjunction &conjunction : statement) {
    auto &alternative = constraint.alternatives.emplace_back();
    for (const Comparison &comparison : conjunction) {
      Node first = getNode(comparison.first, hasValues && statement.size() == 1, getOwn);
      Node second = getNode(comparison.second, hasValues && statement.size() == 1, getOwn);
      alternative.push_back({comparison.kind, first, second, comparison.offset});
      isOfPair &= conjunction.size() == 1 && comparison.kind == Comparison::Equal;
      if (isOfPair && !comparison.first.isConstant(1) && !comparison.second.isConstant(1)) {
        isOfPair = !std::exchange(hasEquation, true);
        pair = std::minmax(first, second);
      }
    }
  }
  for (const Conjunction &conjunction : statement)
    for (const Comparison &comparison : conjunction)
      if (isOfPair && pair && (comparison.first.isConstant(1) || comparison.second.isConstant(1))) {
        Node node = nodes.lookup(comparison.first.isConstant(1) ? comparison.second : comparison.first);
        isOfPair = node == pair->first || node == pair->second;
      }
  if (isOfPair && pair)
    broadcastable.insert(*pair);
  hasBroadcasts |= statement.size() > 1;
  addConstraint(std::move(constraint));
}

bool BroadcastFacts::areBroadcastable(Node first, Node second) {
  if (broadcastable.contains(std::minmax(first, second)))
    return true;
  State before = state;
  setNotOne(first);
  setNotOne(second);
  if (find(first) == find(second))
    state.contradictory = true;
  else
    setDifferent(find(first), find(second));
  bool isRefutation = isRefuted();
  state = std::move(before);
  pending.clear();
  return isRefutation;
}

void BroadcastFacts::finish() {
  constexpr size_t maximalOperands = 8;
  for (bool isNew = !isRefuted(); isNew && !isRefuted();) {
    isNew = false;
    for (const Broadcast &broadcast : broadcasts) {
      llvm::ArrayRef<Node> operands = llvm::ArrayRef(broadcast.nodes).drop_front();
      bool hasValue = !broadcast.hasValue && operands.size() <= maximalOperands;
      for (size_t place = 1; hasValue && place < operands.size(); ++place)
        hasValue = llvm::all_of(operands.take_front(place),
                                [&](Node other) { return areBroadcastable(other, operands[place]); });
      if (!hasValue)
        continue;
      addBroadcast(broadcast.nodes.front());
      isNew = true;
      // What it leads to without what the next ones assume.
      if (isRefuted())
        return;
    }
  }
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

bool BroadcastFacts::refutes(const Predicate &assumption, GetOwn getOwn) const {
  std::vector<Statement> statements = getStatements(context, assumption);
  // One alternative after the other, each of which has a value where it holds.
  if (statements.size() == 1 && statements[0].size() > 1)
    return llvm::all_of(statements[0],
                        [&](const Conjunction &alternative) { return refutes(Statement{alternative}, getOwn); });
  return refutes(statements, getOwn);
}

bool BroadcastFacts::refutes(llvm::ArrayRef<Statement> statements, GetOwn getOwn) const {
  BroadcastFacts assumed(*this);
  size_t known = constraints.size();
  for (const Statement &statement : statements)
    assumed.add(statement, /*hasValues=*/true, getOwn);
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
  return refutes(Predicate::negation(question), getOwn) ? Verdict::Yes
         : refutes(question, getOwn)                    ? Verdict::No
                                                        : Verdict::Unknown;
}
