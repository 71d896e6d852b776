//===- What is linear in a store -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/LinearFacts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Unknowns
//===----------------------------------------------------------------------===//

/// What is larger has more parts than there may be unknowns.
static bool isSmall(Expr expr) {
  constexpr unsigned maximalNodes = 100;
  return !expr || expr.getNode()->nodeCount <= maximalNodes;
}

/// Makes unknowns of the monomials of an expression.
bool LinearFacts::reach(Expr expr) {
  return isSmall(expr) &&
         llvm::all_of(dropConstant(getTerms(expr)), [&](const Term &term) { return addUnknown(term.monomial); });
}

bool LinearFacts::addUnknown(const Monomial *monomial) {
  if (!columns.try_emplace(monomial, unknowns.size()).second)
    return true;
  unknowns.push_back(monomial);
  if (unknowns.size() > maximalUnknowns)
    return false;
  for (Expr symbol : context.getExpr(Term{monomial, 1}).getSymbols()) {
    const Atom *atom = getSymbolAtom(symbol);
    symbols.insert(atom);
    symbolMask |= atom->symbolMask;
  }
  addRange(monomial);
  addMeaning(monomial);
  return unknowns.size() <= maximalUnknowns;
}

void LinearFacts::addRange(const Monomial *monomial) {
  Expr value = context.getExpr(Term{monomial, 1});
  Interval range = store.getMonomialRange(monomial);
  if (range.hasLower())
    facts.literals.push_back({builder.subtract(value, context.getConstant(range.lower)), false, {}});
  if (range.hasUpper())
    facts.literals.push_back({builder.subtract(context.getConstant(range.upper), value), false, {}});
  if (const Atom *atom = monomial->getAtom(); atom && atom->isSymbol())
    for (auto [index, excluded] : llvm::enumerate(store.getExcluded(atom))) {
      if (index < maximalExcluded)
        exclude(builder.subtract(value, context.getConstant(excluded)));
      else
        isComplete = false;
    }
}

/// rule quotient-in-system: q >= 1 |- 0 <= P - q*floordiv(P, q) <= q - 1
/// rule maximum-in-system: True |- max(x, y) >= x and max(x, y) >= y and (x >= max(x, y) or y >= max(x, y))
/// rule bcast-in-system: True |- bcast(x, y) == x or bcast(x, y) == y
/// rule product-in-system: p >= 0 and q >= 0 |- p*q >= 0
void LinearFacts::addMeaning(const Monomial *monomial) {
  Expr value = context.getExpr(Term{monomial, 1});
  auto addChoice = [&](llvm::ArrayRef<Expr> operands, bool isEquation) {
    Choice choice;
    for (Expr operand : operands)
      choice.alternatives.push_back({{{builder.subtract(operand, value), isEquation, {}}}, {}});
    facts.choices.push_back(std::move(choice));
  };
  const Atom *atom = monomial->getAtom();
  std::optional<int64_t> divisor =
      atom && atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
  isComplete &= atom && (atom->isSymbol() || atom->kind == AtomKind::Max || (divisor && *divisor > 0));
  if (atom && atom->kind == AtomKind::FloorDiv) {
    if (!divisor || *divisor <= 0 || !reach(atom->operands[0]))
      return;
    Expr remainder = builder.subtract(atom->operands[0], builder.scale(value, *divisor));
    facts.literals.push_back({remainder, false, {}});
    facts.literals.push_back({builder.subtract(context.getConstant(*divisor - 1), remainder), false, {}});
  } else if (atom && (atom->kind == AtomKind::Max || atom->kind == AtomKind::Bcast)) {
    if (!llvm::all_of(atom->operands, [&](Expr operand) { return reach(operand); }))
      return;
    bool isMax = atom->kind == AtomKind::Max;
    for (Expr operand : isMax ? atom->operands : llvm::ArrayRef<Expr>())
      facts.literals.push_back({builder.subtract(value, operand), false, {}});
    addChoice(atom->operands, /*isEquation=*/!isMax);
  } else if (monomial->degree == 2) {
    // What lies above its lower or below its upper bound, times what does.
    auto getDistances = [&](const Atom *factor) {
      Interval range = store.getMonomialRange(context.getMonomial(factor));
      llvm::SmallVector<Expr, 2> distances;
      if (range.hasLower())
        distances.push_back(builder.subtract(context.getExpr(factor), context.getConstant(range.lower)));
      if (range.hasUpper())
        distances.push_back(builder.subtract(context.getConstant(range.upper), context.getExpr(factor)));
      return distances;
    };
    const Atom *x = monomial->getPowers().front().atom, *y = monomial->getPowers().back().atom;
    if (!reach(context.getExpr(x)) || !reach(context.getExpr(y)))
      return;
    for (Expr first : getDistances(x))
      for (Expr second : getDistances(y))
        facts.literals.push_back({builder.multiply(first, second), false, {}});
  }
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool LinearFacts::isReached(Expr expr) const {
  return expr && (expr.getNode()->symbolMask & symbolMask) &&
         llvm::any_of(expr.getSymbols(), [&](Expr symbol) { return symbols.contains(getSymbolAtom(symbol)); });
}

bool LinearFacts::isReached(const Predicate &predicate) const {
  return isReached(predicate.lhs) || isReached(predicate.rhs) ||
         llvm::any_of(predicate.operands, [&](const Predicate &operand) { return isReached(operand); });
}

bool LinearFacts::undoUnless(bool fits, size_t unknownCount, size_t literalCount, size_t choiceCount) {
  if (fits && facts.literals.size() <= maximalLiterals)
    return true;
  isComplete = false;
  while (unknowns.size() > unknownCount)
    columns.erase(unknowns.pop_back_val());
  facts.literals.resize(std::min(facts.literals.size(), literalCount));
  facts.choices.resize(std::min(facts.choices.size(), choiceCount));
  return false;
}

bool LinearFacts::require(Expr expr, bool isEquation) {
  size_t unknownCount = unknowns.size(), literalCount = facts.literals.size(), choiceCount = facts.choices.size();
  bool fits = reach(expr);
  facts.literals.push_back({expr, isEquation, {}});
  return undoUnless(fits, unknownCount, literalCount, choiceCount);
}

/// rule excluded-in-system: x != 0 |- x - 1 >= 0 or -x - 1 >= 0
bool LinearFacts::exclude(Expr expr) {
  size_t unknownCount = unknowns.size(), literalCount = facts.literals.size(), choiceCount = facts.choices.size();
  bool fits = reach(expr);
  if (expr)
    excluded.insert(expr.getNode());
  Choice choice;
  for (Expr side : {expr, builder.scale(expr, -1)})
    choice.alternatives.push_back({{{side ? add(side, -1) : Expr(), false, {}}}, {}});
  facts.choices.push_back(std::move(choice));
  return undoUnless(fits, unknownCount, literalCount, choiceCount);
}

bool LinearFacts::require(const Predicate &predicate) {
  size_t unknownCount = unknowns.size(), literalCount = facts.literals.size(), choiceCount = facts.choices.size();
  Conjunction conjunction;
  bool fits = translate(predicate, true, conjunction);
  for (Choice &choice : conjunction.choices)
    facts.choices.push_back(std::move(choice));
  for (Conjunction::Literal &literal : conjunction.literals)
    facts.literals.push_back(std::move(literal));
  return undoUnless(fits, unknownCount, literalCount, choiceCount);
}

bool LinearFacts::isDefined(Expr expr) {
  return llvm::all_of(getAtoms(getTerms(expr)), [&](const Atom *atom) {
    if (atom->kind == AtomKind::ExactDiv)
      return false;
    if (atom->kind == AtomKind::FloorDiv && store.decideZero(atom->operands[1]) != Verdict::No)
      return false;
    return llvm::all_of(atom->operands, [&](Expr operand) { return isDefined(operand); });
  });
}

bool LinearFacts::translate(const Predicate &predicate, bool truth, Conjunction &into, bool isAlternative) {
  using Kind = Predicate::Kind;
  switch (predicate.kind) {
  case Kind::Not:
    return translate(predicate.operands.front(), !truth, into, isAlternative);
  case Kind::True:
  case Kind::False:
    if (truth != (predicate.kind == Kind::True))
      into.literals.push_back({context.getConstant(-1), false, {}});
    return true;
  case Kind::And:
  case Kind::Or: {
    if (truth == (predicate.kind == Kind::And))
      return llvm::all_of(predicate.operands,
                          [&](const Predicate &operand) { return translate(operand, truth, into, isAlternative); });
    Choice choice;
    for (const Predicate &operand : predicate.operands)
      if (!translate(operand, truth, choice.alternatives.emplace_back(), /*isAlternative=*/true))
        return false;
    into.choices.push_back(std::move(choice));
    return true;
  }
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less:
    break;
  }
  if (!isSmall(predicate.lhs) || !isSmall(predicate.rhs))
    return false;
  Expr difference = store.getInner(builder.subtract(predicate.rhs, predicate.lhs));
  // What is said of a quotient holds for all alternatives, also where another one is true and it has no value.
  if (!difference || (isAlternative && !isDefined(difference)) || !reach(difference))
    return false;
  Expr negated = builder.scale(difference, -1);
  auto require = [&](Expr expr, int64_t constant, bool isEquation, Conjunction &conjunction) {
    conjunction.literals.push_back({add(expr, constant), isEquation, {}});
  };
  if (predicate.kind == Kind::LessEqual)
    require(truth ? difference : negated, truth ? 0 : -1, false, into);
  else if (predicate.kind == Kind::Less)
    require(truth ? difference : negated, truth ? -1 : 0, false, into);
  else if (truth == (predicate.kind == Kind::Equal))
    require(difference, 0, true, into);
  else {
    Choice choice;
    require(difference, -1, false, choice.alternatives.emplace_back());
    require(negated, -1, false, choice.alternatives.emplace_back());
    into.choices.push_back(std::move(choice));
  }
  return true;
}

void LinearFacts::collect(llvm::ArrayRef<Expr> around) {
  collectFacts(around);
  tightenByExcluded();
}

/// Values that are excluded one after another from the end of a range leave no choice.
/// rule excluded-end: x >= 0 and x != 0 |- x - 1 >= 0
void LinearFacts::tightenByExcluded() {
  auto isExcluded = [&](Expr expr) {
    Expr negated = builder.scale(expr, -1);
    return excluded.contains(expr.getNode()) || (negated && excluded.contains(negated.getNode()));
  };
  if (excluded.empty())
    return;
  for (Conjunction::Literal &literal : facts.literals) {
    while (!literal.isEquation && literal.expr && context.fuel > 0 && isExcluded(literal.expr)) {
      context.spend(getTerms(literal.expr).size());
      literal.expr = add(literal.expr, -1);
    }
  }
}

void LinearFacts::collectFacts(llvm::ArrayRef<Expr> around) {
  for (Expr expr : around) {
    size_t unknownCount = unknowns.size(), literalCount = facts.literals.size(), choiceCount = facts.choices.size();
    undoUnless(reach(expr), unknownCount, literalCount, choiceCount);
  }
  // Facts that share symbols with what is there, then those that share symbols with them, and so on.
  // The same sum may be at least 0 and not 0.
  llvm::SmallDenseSet<std::pair<unsigned, const ExprNode *>, 32> taken;
  llvm::SmallPtrSet<const Predicate *, 16> takenPredicates;
  llvm::ArrayRef<std::vector<Expr>> lists = store.getOpenExprs();
  // Nobody can decide what is found without effort.
  auto isOutOfFuel = [&] {
    isComplete &= context.fuel > 0;
    return context.fuel == 0;
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (unsigned kind = 0; kind < lists.size(); ++kind)
      for (Expr expr : lists[kind]) {
        if (isOutOfFuel())
          return;
        if (!isReached(expr) || !taken.insert({kind, expr.getNode()}).second)
          continue;
        grown |= kind == FactStore::Disequality ? exclude(expr) : require(expr, kind == FactStore::Equation);
      }
    for (const FactStore::Disjunction &disjunction : store.getDisjunctions()) {
      if (isOutOfFuel())
        return;
      if ((disjunction.symbolMask & symbolMask) && isReached(*disjunction.predicate) &&
          takenPredicates.insert(disjunction.predicate.get()).second)
        grown |= require(*disjunction.predicate);
    }
  }
}

void LinearFacts::makeRows(Conjunction &conjunction) {
  llvm::erase_if(conjunction.literals, [&](Conjunction::Literal &literal) {
    // What has no expression says nothing.
    if (!literal.expr) {
      isComplete = false;
      return true;
    }
    literal.row.coefficients.assign(unknowns.size(), 0);
    literal.row.constant = getConstantTerm(getTerms(literal.expr));
    literal.row.isEquation = literal.isEquation;
    return llvm::any_of(dropConstant(getTerms(literal.expr)), [&](const Term &term) {
      auto column = columns.find(term.monomial);
      if (column != columns.end())
        literal.row.coefficients[column->second] = term.coefficient;
      isComplete &= column != columns.end();
      return column == columns.end();
    });
  });
  for (Choice &choice : conjunction.choices)
    for (Conjunction &alternative : choice.alternatives)
      makeRows(alternative);
}
