//===- Which facts say something of a question -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A fact may be about a symbol that nothing else mentions, and may hold for some value of
// it whatever the others are within what bounds these: `s <= z`, `z == s ceildiv 3`, and
// `z < s` beside `s >= 1`. Without it, the same follows for the others. So does the same for a question without facts
// that share no symbol with it, nor with facts that do. What shares symbols with it soonest tells most.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "Solver/Naming/NamedFacts.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace dyn::symbolic;

FactStore &NamedFacts::getBounds() {
  if (bounds)
    return *bounds;
  constexpr unsigned fuelOfBound = 200;
  declared.forgetAnswers();
  bounds.emplace(declared);
  for (const Predicate &fact : namedFacts.get()) {
    own->getImpl().refuel(fuelOfBound);
    // That they contradict each other is found elsewhere.
    if (SortedFacts::getRank(fact) == 0 && !bounds->assertTrue(fact)) {
      bounds.emplace(declared);
      break;
    }
  }
  return *bounds;
}

/// Is there a size for the symbol with which the fact holds, whatever the others are within what bounds them?
bool NamedFacts::isAlwaysMet(const Predicate &fact, const Atom *symbol) {
  const Atom *there = getSymbolAtom(inside.find(symbol));
  // What is known of it is to be no more than that it is at least something.
  Interval range = declared.getOwnRange(there);
  if (declared.getAssigned(there) || !range.hasLower() || range.hasUpper() || !declared.getExcluded(there).empty() ||
      !fact.lhs || !fact.rhs || !isTotal(fact))
    return false;
  Expr difference = fact.kind == Predicate::Kind::LessEqual ? fact.rhs : fact.lhs;
  std::optional<Isolated> isolated = isolate(*given, getTerms(difference), symbol);
  if (!isolated)
    return false;
  int64_t coefficient = isolated->coefficient;
  if (fact.kind == Predicate::Kind::NotEqual || (fact.kind == Predicate::Kind::LessEqual && coefficient > 0))
    return true;
  if (!isUnit(coefficient))
    return false;
  // That it is at least its lower end.
  MaybePoly value = scale(isolated->rest, fact.kind == Predicate::Kind::Equal ? -coefficient : 1);
  Expr inner = value ? inside(given->getExpr(*value)) : Expr();
  Expr above = inner ? inner - own->getConstant(range.lower) : Expr();
  // Those that say so bound other symbols, and stay as long as these are mentioned.
  constexpr unsigned fuelOfLook = 200;
  FactStore &known = getBounds();
  known.forgetAnswers();
  own->getImpl().refuel(fuelOfLook);
  return above && known.decideNonNegative(known.getInner(above)) == Verdict::Yes;
}

/// A fact by its place, and its symbols.
using Placed = std::pair<unsigned, llvm::SmallVector<Expr, 4>>;

static std::vector<Placed> place(llvm::ArrayRef<Predicate> facts) {
  std::vector<Placed> result;
  for (auto [place, fact] : llvm::enumerate(facts))
    result.emplace_back(place, fact.getSymbols());
  return result;
}

/// Takes those out of `facts` that share symbols with `reached`, then those that share symbols with them, and so on, as
/// long as they are no more than that.
static std::vector<unsigned> takeReached(std::vector<Placed> &facts, llvm::SmallVectorImpl<Expr> &reached,
                                         size_t maximalFacts) {
  std::vector<unsigned> taken;
  while (true) {
    auto next = std::partition(facts.begin(), facts.end(), [&](const Placed &fact) {
      return llvm::none_of(fact.second, [&](Expr symbol) { return llvm::is_contained(reached, symbol); });
    });
    if (next == facts.end() || taken.size() + (facts.end() - next) > maximalFacts)
      break;
    for (const auto &[place, symbols] : llvm::make_range(next, facts.end())) {
      taken.push_back(place);
      llvm::append_range(reached, symbols);
    }
    facts.erase(next, facts.end());
  }
  llvm::sort(taken);
  return taken;
}

std::vector<unsigned> NamedFacts::findNearest(llvm::ArrayRef<Expr> asked, size_t maximalFacts) const {
  std::vector<Placed> left = place(facts.get());
  llvm::SmallVector<Expr> reached(asked);
  return takeReached(left, reached, maximalFacts);
}

std::optional<std::vector<unsigned>> NamedFacts::findNeeded(llvm::ArrayRef<Expr> asked) {
  tellDeclarations();
  if (!isDeclaredConsistent || facts.get().empty())
    return std::nullopt;
  nameMentioned();
  std::vector<Placed> left = place(facts.get()), idle;
  llvm::DenseMap<Expr, unsigned> uses;
  for (Expr symbol : asked)
    ++uses[symbol];
  for (const Placed &fact : left)
    for (Expr symbol : fact.second)
      ++uses[symbol];
  std::set<std::pair<unsigned, const ExprNode *>> tried;
  auto isIdle = [&](const Placed &fact) {
    return llvm::any_of(fact.second, [&](Expr symbol) {
      return uses[symbol] == 1 && tried.emplace(fact.first, symbol.getNode()).second &&
             isAlwaysMet(facts.get()[fact.first], getSymbolAtom(symbol));
    });
  };
  for (auto next = llvm::find_if(left, isIdle); next != left.end(); next = llvm::find_if(left, isIdle)) {
    for (Expr symbol : next->second)
      --uses[symbol];
    idle.push_back(std::move(*next));
    left.erase(next);
  }
  llvm::SmallVector<Expr> reached(asked);
  std::vector<unsigned> needed = takeReached(left, reached, left.size());
  bool isAnyNear = llvm::any_of(idle, [&](const Placed &fact) {
    return llvm::any_of(fact.second, [&](Expr symbol) { return llvm::is_contained(reached, symbol); });
  });
  return isAnyNear ? std::optional(std::move(needed)) : std::nullopt;
}

std::vector<const Atom *> NamedFacts::getDeclared(llvm::ArrayRef<Expr> asked, llvm::ArrayRef<unsigned> places) const {
  llvm::SmallPtrSet<const Atom *, 16> mentioned;
  auto mention = [&](llvm::ArrayRef<Expr> symbols) {
    for (Expr symbol : symbols)
      mentioned.insert(getSymbolAtom(symbol));
  };
  mention(asked);
  for (unsigned place : places)
    mention(facts.get()[place].getSymbols());
  std::vector<const Atom *> result;
  for (const Declaration &declaration : declarations)
    if (mentioned.erase(declaration.symbol))
      result.push_back(declaration.symbol);
  return result;
}

void NamedFacts::tell(NamedFacts &others, llvm::ArrayRef<const Atom *> declared,
                      llvm::ArrayRef<unsigned> places) const {
  for (const Declaration &declaration : declarations)
    if (llvm::is_contained(declared, declaration.symbol))
      others.declare(declaration.symbol, declaration.facts, declaration.symbolClass);
  for (unsigned place : places)
    others.add(facts.get()[place]);
}
