//===- Facts that could not be solved, by their symbols --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

/// As long as there are no more, a walk along all of them is quick, and questions are asked of all of them.
static constexpr size_t fewFacts = 64;

/// What a slice takes of many facts, and of those that mention one symbol.
static constexpr size_t factsOfSlice = 24, factsOfSymbol = 8;

/// How many of the many facts that mention one symbol are looked at: inequalities in the search for a bound, equations
/// that may rewrite, and those whose quotients an inequality may tell.
static constexpr size_t factsOfLongList = 128;

//===----------------------------------------------------------------------===//
// FactUsers
//===----------------------------------------------------------------------===//

void FactStore::FactUsers::add(FactKind kind, Expr expr) {
  for (Expr symbol : expr.getSymbols())
    exprs[kind].get(getSymbolAtom(symbol)->index).push_back(expr);
}

void FactStore::FactUsers::addRewriter(SymbolicContext::Impl &context, Expr equation, Term leading) {
  for (Expr symbol : context.getExpr(Term{leading.monomial, 1}).getSymbols())
    rewriters.get(getSymbolAtom(symbol)->index).emplace_back(equation, leading);
}

void FactStore::FactUsers::add(const Disjunction &disjunction) {
  for (Expr symbol : disjunction.predicate->getSymbols())
    disjunctions.get(getSymbolAtom(symbol)->index).push_back(disjunction);
}

/// One symbol may be in all of them: its list is gone through once.
void FactStore::FactUsers::remove(FactKind kind, llvm::ArrayRef<Expr> taken) {
  llvm::SmallPtrSet<const ExprNode *, 8> nodes;
  llvm::SmallPtrSet<const Atom *, 16> symbols;
  for (Expr expr : taken) {
    nodes.insert(expr.getNode());
    for (Expr symbol : expr.getSymbols())
      symbols.insert(getSymbolAtom(symbol));
  }
  for (const Atom *symbol : symbols) {
    llvm::erase_if(exprs[kind].get(symbol->index), [&](Expr known) { return nodes.contains(known.getNode()); });
    if (kind == Equation)
      llvm::erase_if(rewriters.get(symbol->index),
                     [&](const auto &known) { return nodes.contains(known.first.getNode()); });
  }
}

void FactStore::FactUsers::remove(llvm::ArrayRef<Disjunction> taken) {
  llvm::SmallPtrSet<const Predicate *, 8> predicates;
  llvm::SmallPtrSet<const Atom *, 16> symbols;
  for (const Disjunction &disjunction : taken) {
    predicates.insert(disjunction.predicate.get());
    for (Expr symbol : disjunction.predicate->getSymbols())
      symbols.insert(getSymbolAtom(symbol));
  }
  for (const Atom *symbol : symbols)
    llvm::erase_if(disjunctions.get(symbol->index),
                   [&](const Disjunction &known) { return predicates.contains(known.predicate.get()); });
}

bool FactStore::isLarge() const { return countOpenFacts() > fewFacts; }

bool FactStore::hasOpenFactsAbout(Expr lhs, Expr rhs) {
  if (!hasOpenFacts() || isLarge())
    return hasOpenFacts();
  Expr left = getInner(lhs), right = getInner(rhs);
  uint64_t mask = left && right ? left.getNode()->symbolMask | right.getNode()->symbolMask : ~uint64_t(0);
  auto isAbout = [&](Expr expr) { return (expr.getNode()->symbolMask & mask) != 0; };
  return llvm::any_of(open, [&](const std::vector<Expr> &list) { return llvm::any_of(list, isAbout); }) ||
         llvm::any_of(disjunctions,
                      [&](const Disjunction &disjunction) { return (disjunction.symbolMask & mask) != 0; });
}

bool FactStore::hasOpenProductsOf(Expr symbol, Expr other) const {
  uint64_t mask = symbol.getNode()->symbolMask | other.getNode()->symbolMask;
  auto isAbout = [&](Expr expr) {
    Terms terms = getTerms(expr);
    return (expr.getNode()->symbolMask & mask) == mask &&
           llvm::any_of(terms, [](const Term &term) { return term.monomial->degree > 1; }) &&
           mentions(terms, getSymbolAtom(symbol)) && mentions(terms, getSymbolAtom(other));
  };
  return !isLarge() && (llvm::any_of(open[Equation], isAbout) || llvm::any_of(open[Inequality], isAbout));
}

void FactStore::buildUsers() const {
  if (users.isBuilt || !isLarge())
    return;
  users.isBuilt = true;
  for (FactKind kind : {Equation, Inequality, Disequality})
    for (Expr expr : open[kind])
      users.add(kind, expr);
  for (auto [equation, leading] : llvm::zip_equal(open[Equation], rewritten))
    users.addRewriter(context, equation, leading);
  for (const Disjunction &disjunction : disjunctions)
    users.add(disjunction);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

void FactStore::keep(FactKind kind, Expr expr) {
  open[kind].push_back(expr);
  if (kind == Equation)
    rewritten.push_back(getRewrittenTerm(expr));
  if (users.isBuilt)
    users.add(kind, expr);
  if (users.isBuilt && kind == Equation)
    users.addRewriter(context, expr, rewritten.back());
}

void FactStore::keep(std::shared_ptr<const Predicate> disjunction) {
  uint64_t mask = getSymbolMask(*disjunction);
  disjunctions.push_back({std::move(disjunction), mask});
  if (users.isBuilt)
    users.add(disjunctions.back());
}

static bool mentionsSymbol(Expr expr, const Atom *symbol) {
  return expr && (expr.getNode()->symbolMask & symbol->symbolMask) && mentions(getTerms(expr), symbol);
}

static bool mentionsSymbol(const Predicate &predicate, const Atom *symbol) {
  return mentionsSymbol(predicate.lhs, symbol) || mentionsSymbol(predicate.rhs, symbol) ||
         llvm::any_of(predicate.operands, [&](const Predicate &operand) { return mentionsSymbol(operand, symbol); });
}

llvm::ArrayRef<Expr> FactStore::getUsers(FactKind kind, const Atom *symbol, llvm::SmallVectorImpl<Expr> &found) const {
  buildUsers();
  if (users.isBuilt)
    return users.exprs[kind].look(symbol->index);
  found.clear();
  for (Expr expr : open[kind])
    if (mentionsSymbol(expr, symbol))
      found.push_back(expr);
  return found;
}

llvm::SmallVector<Knowledge::Disjunction> FactStore::getDisjunctions(const Atom *symbol) const {
  buildUsers();
  if (users.isBuilt)
    return llvm::to_vector(users.disjunctions.look(symbol->index));
  llvm::SmallVector<Disjunction> result;
  for (const Disjunction &disjunction : disjunctions)
    if ((disjunction.symbolMask & symbol->symbolMask) && mentionsSymbol(*disjunction.predicate, symbol))
      result.push_back(disjunction);
  return result;
}

bool FactStore::contains(FactKind kind, Expr expr) const {
  buildUsers();
  if (!expr || !users.isBuilt)
    return expr && llvm::is_contained(open[kind], expr);
  // By the symbol that the fewest facts mention.
  std::optional<llvm::ArrayRef<Expr>> fewest;
  llvm::SmallVector<Expr> found;
  for (Expr symbol : expr.getSymbols())
    if (llvm::ArrayRef<Expr> list = getUsers(kind, getSymbolAtom(symbol), found);
        !fewest || list.size() < fewest->size())
      fewest = list;
  return fewest && llvm::is_contained(*fewest, expr);
}

llvm::SmallVector<Expr> FactStore::take(FactKind kind, const Atom *symbol) {
  llvm::SmallVector<Expr> found;
  llvm::SmallVector<Expr> taken(getUsers(kind, symbol, found));
  if (taken.empty())
    return taken;
  if (users.isBuilt)
    users.remove(kind, taken);
  llvm::SmallPtrSet<const ExprNode *, 8> nodes;
  for (Expr expr : taken)
    nodes.insert(expr.getNode());
  std::vector<Expr> &list = open[kind];
  size_t kept = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (nodes.contains(list[i].getNode()))
      continue;
    if (kind == Equation)
      rewritten[kept] = rewritten[i];
    list[kept++] = list[i];
  }
  list.resize(kept);
  if (kind == Equation)
    rewritten.resize(kept);
  return taken;
}

llvm::SmallVector<Knowledge::Disjunction> FactStore::takeDisjunctions(llvm::ArrayRef<const Atom *> symbols,
                                                                      size_t limit) {
  llvm::SmallVector<Disjunction> taken;
  llvm::SmallPtrSet<const Predicate *, 8> predicates;
  buildUsers();
  for (const Atom *symbol : symbols) {
    if (taken.size() == limit)
      break;
    llvm::SmallVector<Disjunction> found;
    if (!users.isBuilt)
      found = getDisjunctions(symbol);
    for (const Disjunction &disjunction :
         users.isBuilt ? llvm::ArrayRef<Disjunction>(users.disjunctions.look(symbol->index)) : found)
      if (taken.size() < limit && predicates.insert(disjunction.predicate.get()).second)
        taken.push_back(disjunction);
  }
  if (taken.empty())
    return taken;
  if (users.isBuilt)
    users.remove(taken);
  llvm::erase_if(disjunctions,
                 [&](const Disjunction &disjunction) { return predicates.contains(disjunction.predicate.get()); });
  return taken;
}

llvm::SmallVector<Expr> dyn::symbolic::getSizesThatDivide(Expr expr) {
  llvm::SmallVector<Expr> divisors;
  if (expr.getNode()->depth > 0)
    for (const Atom *atom : getAtoms(getTerms(expr)))
      if (atom->kind == AtomKind::FloorDiv && !atom->operands[1].getConstant())
        divisors.push_back(atom->operands[1]);
  return divisors;
}

void FactStore::revisitQuotients(Expr inequality) {
  for (Expr symbol : inequality.getSymbols()) {
    const Atom *atom = getSymbolAtom(symbol);
    llvm::SmallVector<Expr> found;
    if (llvm::any_of(getUsers(Equation, atom, found).take_front(factsOfLongList), [&](Expr equation) {
          return !getSizesThatDivide(equation).empty() && getInner(equation) != equation;
        }))
      for (Expr equation : take(Equation, atom))
        push(Task::Zero, equation);
  }
}

const Monomial *FactStore::findMultiple(const Monomial *monomial, Expr divisor) const {
  for (const auto &[multiple, known] : multiples)
    if (known == divisor && divide(context, monomial, multiple))
      return multiple;
  return nullptr;
}

/// Facts of symbols that few mention first: among many of one symbol, what matters mentions the others too.
template <typename Fact>
static void insertByLength(llvm::SmallVectorImpl<llvm::ArrayRef<Fact>> &lists, llvm::ArrayRef<Fact> list) {
  auto isShorter = [](llvm::ArrayRef<Fact> a, llvm::ArrayRef<Fact> b) { return a.size() < b.size(); };
  lists.insert(llvm::upper_bound(lists, list, isShorter), list);
}

llvm::ArrayRef<Expr> FactStore::getInequalities(Terms terms, llvm::SmallVectorImpl<Expr> &found) const {
  buildUsers();
  if (!users.isBuilt)
    return open[Inequality];
  llvm::SmallVector<llvm::ArrayRef<Expr>, 8> lists;
  llvm::SmallVector<Expr> unused;
  for (Expr symbol : context.getExpr(terms).getSymbols())
    insertByLength(lists, getUsers(Inequality, getSymbolAtom(symbol), unused).take_front(factsOfLongList));
  llvm::SmallPtrSet<const ExprNode *, 16> seen;
  for (llvm::ArrayRef<Expr> list : lists)
    for (Expr inequality : list)
      if (seen.insert(inequality.getNode()).second)
        found.push_back(inequality);
  return found;
}

bool FactStore::visitEquations(Terms terms, llvm::function_ref<bool(Expr equation, Term leading)> visit) {
  buildUsers();
  if (!users.isBuilt)
    return llvm::any_of(llvm::zip_equal(open[Equation], rewritten),
                        [&](auto pair) { return visit(std::get<0>(pair), std::get<1>(pair)); });
  // What rewrites a term is in the list of each of its symbols, so that the first ones of long lists are enough: of
  // thousands of products of one size, those that matter are in the list of another one.
  llvm::SmallVector<llvm::ArrayRef<std::pair<Expr, Term>>, 8> lists;
  for (Expr symbol : context.getExpr(terms).getSymbols())
    insertByLength(lists, llvm::ArrayRef(users.rewriters.look(getSymbolAtom(symbol)->index)));
  llvm::SmallPtrSet<const ExprNode *, 16> seen;
  for (llvm::ArrayRef<std::pair<Expr, Term>> list : lists)
    for (auto [equation, leading] : list.take_front(factsOfLongList))
      if (seen.insert(equation.getNode()).second && visit(equation, leading))
        return true;
  return false;
}

FactStore FactStore::makeSlice(llvm::ArrayRef<Expr> around) const {
  FactStore slice(context);
  slice.symbols = symbols;
  slice.removed = removed;
  slice.valueUsers = valueUsers;
  slice.recentlyValued = recentlyValued;
  slice.multiples = multiples;
  slice.declarations = declarations;
  slice.parameters = parameters;
  slice.contradictory = contradictory;
  slice.keepsUsed = keepsUsed;
  slice.hypothetical = true;
  // From near to far, a few facts of each symbol.
  llvm::SmallVector<Expr> reached;
  llvm::SmallPtrSet<const ExprNode *, 32> seen;
  // The same sum may be at least 0 and not 0.
  llvm::SmallDenseSet<std::pair<unsigned, const void *>, 32> taken;
  auto reach = [&](llvm::ArrayRef<Expr> symbols) {
    for (Expr symbol : symbols)
      if (seen.insert(symbol.getNode()).second)
        reached.push_back(symbol);
  };
  for (Expr expr : around)
    if (expr)
      reach(expr.getSymbols());
  for (size_t next = 0; next < reached.size() && taken.size() < factsOfSlice; ++next) {
    const Atom *symbol = getSymbolAtom(reached[next]);
    for (FactKind kind : {Equation, Inequality, Disequality}) {
      llvm::SmallVector<Expr> found;
      for (Expr expr : getUsers(kind, symbol, found).take_front(factsOfSymbol)) {
        if (!taken.insert({kind, expr.getNode()}).second)
          continue;
        slice.keep(kind, expr);
        reach(expr.getSymbols());
      }
    }
    llvm::SmallVector<Disjunction> candidates = getDisjunctions(symbol);
    for (const Disjunction &disjunction : llvm::ArrayRef(candidates).take_front(factsOfSymbol)) {
      if (!taken.insert({Disequality + 1, disjunction.predicate.get()}).second)
        continue;
      slice.keep(disjunction.predicate);
      reach(disjunction.predicate->getSymbols());
    }
  }
  return slice;
}
