//===- What a solver knows -------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Knowledge is kept solved. An equation removes a symbol: it gets a value in terms
// of the others. A congruence `s mod 8 == 3` removes one too: s = 8*k + 3, with a
// fresh parameter k. What is left of ranges, congruences and inequalities of a
// removed symbol is asserted of its value, so nothing is forgotten. Facts that
// can't be solved are kept in lists and asserted again whenever a symbol in them is
// removed.
//
// Inside, everything is in terms of the remaining symbols ("inner form");
// parameters are turned into expressions of named symbols before anything is shown
// ("outer form").
//
// A store is a value: copy it, assert something, and see whether it contradicts.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_FACTSTORE_H
#define DYN_LIB_SYMBOLIC_FACTSTORE_H

#include "Expressions/Builder.h"
#include "Solver/PagedTable.h"
#include "Solver/ValueUsers.h"
#include "dyn/Symbolic/Solver.h"

namespace dyn::symbolic {

/// Values of symbols by name.
using Point = llvm::DenseMap<llvm::StringRef, int64_t>;

/// The part of a store that is copied with it.
struct Knowledge {
  struct Symbol {
    SymbolClass symbolClass = SymbolClass::Internal;
    bool isParameter = false;
    uint16_t tightenings = 0;
    unsigned uses = 0;         ///< values that mentioned it, or something that got a value in terms of it
    unsigned order = UINT_MAX; ///< of declaration; the largest for a symbol that was not declared
    Interval range{0, Interval::plusInfinity};
    llvm::SmallVector<int64_t, 2> notEqual;
    Expr value; ///< of a symbol that was removed: inner form, or a sum of symbols some of which may have been removed
                ///< since
    Expr definition; ///< of a parameter: what it stands for, in inner form at that time
  };
  /// A fact that waits to be looked at.
  struct Task {
    enum Kind : uint8_t { Zero, NonNegative, NonZero, Disjunction } kind;
    Expr expr;
    Predicate disjunction;
  };

  /// Expressions that are 0, at least 0, and not 0, which could not be solved.
  enum FactKind : uint8_t { Equation, Inequality, Disequality };

  PagedTable<Symbol, 8> symbols; ///< by index in the context
  PagedList<const Atom *> removed;
  /// Of removed symbols whose values are more than a symbol and a constant; shared by copies. Those in the list may
  /// mention anything.
  std::shared_ptr<ValueUsers> valueUsers;
  std::vector<const Atom *> recentlyValued;
  llvm::SmallVector<std::pair<const Monomial *, Expr>, 0> multiples; ///< of divisors
  std::array<std::vector<Expr>, 3> open; ///< by kind; among the inequalities are both directions of each equation too
  std::vector<Term> rewritten;           ///< a term of each equation
  /// Shared by the copies of a store.
  struct Disjunction {
    std::shared_ptr<const Predicate> predicate;
    uint64_t symbolMask;
  };
  std::vector<Disjunction> disjunctions;
  std::vector<Task> tasks;
  unsigned declarations = 0, parameters = 0;
  bool contradictory = false;
  std::vector<const Atom *> stale; ///< symbols of which something was learnt since disjunctions were looked at
  bool hypothetical = false;       ///< made to look for a contradiction, with less effort
  bool keepsUsed = false;          ///< see `keepMostUsed`
};

class ProductEquations;

class FactStore : private BoundFacts, private Knowledge {
public:
  using Knowledge::Disequality, Knowledge::Equation, Knowledge::Inequality;
  using Knowledge::Disjunction;
  using Knowledge::FactKind;
  /// For one of many looks at what is known, of which few find something.
  static constexpr unsigned fuelOfLook = 100;

  explicit FactStore(SymbolicContext::Impl &context)
      : context(context), prover(context, this), builder(context, prover) {}
  FactStore(const FactStore &other) : FactStore(other.context) { *this = other; }
  FactStore(FactStore &&other) : FactStore(other.context) { *this = std::move(other); }
  FactStore &operator=(const FactStore &other) {
    static_cast<Knowledge &>(*this) = other;
    users = other.users;
    shareResults(other);
    return *this;
  }
  FactStore &operator=(FactStore &&other) {
    static_cast<Knowledge &>(*this) = std::move(static_cast<Knowledge &>(other));
    users = std::move(other.users);
    shareResults(other);
    return *this;
  }

  SymbolicContext::Impl &getContext() const { return context; }
  /// From now on, of symbols that are not declared, an equation removes the one that the fewest values and facts
  /// mention, whatever it is called: of a long row of equations, each changes little then, in whichever order they
  /// come.
  void keepMostUsed() { keepsUsed = true; }
  size_t getCostOfCopy() const {
    constexpr size_t costOfSmallest = 40;
    return costOfSmallest + countOpenFacts();
  }
  /// A copy to look for contradictions in.
  FactStore makeHypothesis() const {
    // What a copy costs is taken from the effort that may be spent on the question.
    context.spend(getCostOfCopy());
    FactStore copy = *this;
    copy.hypothetical = true;
    return copy;
  }
  /// What was computed for a question depends on how much effort that had left.
  void forgetAnswers();
  /// Are there so many open facts that questions are asked of the nearest only?
  bool isLarge() const;
  /// A copy that knows all solved facts, and of the open ones the nearest to the expressions, which are in inner form.
  FactStore makeSlice(llvm::ArrayRef<Expr> around) const;
  /// A copy that is told which products in the expressions, which are in inner form, and in inequalities are multiples
  /// of each other by equations of others; nothing where there are none.
  std::optional<FactStore> relateProducts(llvm::ArrayRef<Expr> around);

  // False on contradiction; the store is of no use then.
  bool declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass);
  bool assertTrue(const Predicate &predicate);
  /// That a symbol is larger than another one by `least` or more, by writing it as a sum of the other one, `least` and
  /// a size, also in products. Nothing is learnt where either was removed.
  bool assertApart(const Atom *small, const Atom *large, int64_t least);
  /// Takes away the default that a symbol which is not declared is a size.
  void widen(const Atom *symbol);
  /// The same as `assertTrue` without a look at what it leads to. Answers are to be forgotten before the next question.
  bool keepTrue(const Predicate &predicate);

  // Null for null, where 64 bits overflow, and where the form is too large.
  Expr getInner(Expr expr);
  Expr getOuter(Expr expr);
  /// Symbols that have values, in the order in which they got them.
  const PagedList<const Atom *> &getRemoved() const { return removed; }
  /// The symbol that a parameter stands for; else null.
  Expr getAlias(const Atom *symbol) const {
    Expr definition = look(symbol).isParameter ? look(symbol).definition : Expr();
    return definition && definition.isSymbol() && !look(getSymbolAtom(definition)).isParameter ? definition : Expr();
  }
  /// Is it a sum of products of symbols that have names?
  bool isNamedPolynomial(Expr inner) const;
  /// With sides in inner form, but for those that have none.
  Predicate getInner(const Predicate &predicate);

  // Decisions without case splits.
  Verdict decideZero(Expr inner);        ///< is it 0?
  Verdict decideNonNegative(Expr inner); ///< is it >= 0?
  Verdict decide(const Predicate &predicate);

  Interval getRange(Expr inner) { return prover.getRange(inner); }
  bool isNonZero(Expr inner) { return prover.isNonZero(inner); }
  /// By intervals alone.
  Interval getMonomialRange(const Monomial *monomial);
  /// What is known of a symbol by itself.
  Interval getOwnRange(const Atom *symbol) const { return look(symbol).range; }
  /// What a symbol that was removed stands for, perhaps in terms of others that were; else null.
  Expr getAssigned(const Atom *symbol) const { return look(symbol).value; }
  /// What a symbol that was not removed is known not to be.
  llvm::ArrayRef<int64_t> getExcluded(const Atom *symbol) const { return look(symbol).notEqual; }
  /// (modulus, remainder), (0, value) for a constant.
  std::pair<int64_t, int64_t> getCongruence(Expr inner);
  /// Puts what is known in place of the range, the congruence and the excluded values.
  void refine(Expr expr, SymbolFacts &facts);
  /// Are there facts that only refutation uses?
  bool hasOpenFacts() const { return countOpenFacts() > 0; }
  /// Those that share a symbol with either side, as far as masks tell, or that are too many to look at.
  bool hasOpenFactsAbout(Expr lhs, Expr rhs);
  /// Is the difference of two symbols at least 0 by inequalities that order two symbols each? Takes no fuel.
  bool followsFromChain(Expr inner) const;
  /// Equations and inequalities with products that mention both symbols; none of facts that are too many to look at.
  bool hasOpenProductsOf(Expr symbol, Expr other) const;
  size_t countOpenFacts() const {
    return open[Equation].size() + open[Inequality].size() + open[Disequality].size() + disjunctions.size();
  }
  llvm::ArrayRef<Disjunction> getDisjunctions() const { return disjunctions; }
  /// All other facts that only refutation uses, by kind.
  llvm::ArrayRef<std::vector<Expr>> getOpenExprs() const { return open; }
  /// Values for the symbols that the facts seem to allow, by giving one after another a value that `choose` picks from
  /// its range. The store is of no use afterwards.
  std::optional<Point> pickPoint(llvm::ArrayRef<const Atom *> wanted,
                                 llvm::function_ref<int64_t(Interval range, unsigned ordinal)> choose);

private:
  // BoundFacts
  Interval getSymbolRange(const Atom *symbol) const override;
  llvm::ArrayRef<Expr> getInequalities(Terms terms, llvm::SmallVectorImpl<Expr> &found) const override;
  const Monomial *findMultiple(const Monomial *monomial, Expr divisor) const override;

  const Symbol &look(const Atom *symbol) const { return symbols.look(symbol->index); }
  Symbol &getSymbol(const Atom *symbol) { return symbols.get(symbol->index); }

  // Open facts, by the symbols in them.
  bool contains(FactKind kind, Expr expr) const;
  void keep(FactKind kind, Expr expr);
  void keep(std::shared_ptr<const Predicate> disjunction);
  /// May be kept in `found`; valid until facts change.
  llvm::ArrayRef<Expr> getUsers(FactKind kind, const Atom *symbol, llvm::SmallVectorImpl<Expr> &found) const;
  llvm::SmallVector<Disjunction> getDisjunctions(const Atom *symbol) const;
  /// Those that mention the symbol, which are not kept any more.
  llvm::SmallVector<Expr> take(FactKind kind, const Atom *symbol);
  /// The first ones that mention any of the symbols.
  llvm::SmallVector<Disjunction> takeDisjunctions(llvm::ArrayRef<const Atom *> symbols, size_t limit);
  /// A symbol of our own. `definition` is its value in terms of the others, and `owner` the most important of those.
  const Atom *createParameter(const Atom *owner, Expr definition);
  /// What was computed from facts is stale.
  void changed();
  void shareResults(const FactStore &other);
  bool contradict() {
    contradictory = true;
    return false;
  }
  /// Disjunctions that mention it are to be looked at again.
  void touch(const Atom *symbol) {
    if (!disjunctions.empty())
      stale.push_back(symbol);
  }
  void touch(Expr expr);
  void push(Task::Kind kind, Expr expr) { tasks.push_back({kind, expr, {}}); }

  // Assertions. Those of expressions take inner forms.
  bool assume(const Predicate &predicate, bool truth);
  /// Works off the tasks.
  bool settle();
  /// Adds what there is no effort for to the open facts.
  void keepUnsolved(const Task &task);
  bool assertZero(Expr expr);
  bool assertNonNegative(Expr expr);
  bool assertNonZero(Expr expr);
  bool assertCongruent(Expr expr, int64_t modulus, int64_t remainder);
  const Atom *findOwner(Expr expr);
  const Term *findInvertible(llvm::ArrayRef<Term> terms, int64_t modulus);
  bool assertDisjunction(const Predicate &predicate);

  // Ways to solve an equation; nothing where the way does not apply.
  using Solved = std::optional<bool>;
  Solved solveForSymbol(Expr expr);
  Solved solveRemainder(Expr expr);
  Solved solveMultiple(Expr expr);
  Solved solveTwoSymbols(Expr expr);
  Solved solveLinear(Expr expr);
  Solved solvePowers(Expr expr);
  Solved solveDivisorsOfPowers(Expr expr);
  Solved solveFactors(Expr expr);
  Solved solveFactoring(Expr expr);
  Solved solveForAtom(Expr expr);
  bool areBroadcastable(llvm::ArrayRef<Expr> sizes);
  /// With a broadcast where products of a maximum and a minimum say what one does.
  Expr joinBroadcasts(Expr expr);
  bool divides(Expr divisor, Expr dividend);
  bool solveForChoice(Expr expr, const Atom *atom, int64_t coefficient, Expr rest);
  Solved solveSumOfOneSign(Expr expr);
  Solved nameQuotient(Expr expr);
  void learnModuli(Expr expr);
  void learnSizeModuli(Expr expr);
  bool solveMultipleInSum(Expr expr, const Poly &others, Expr modulus);
  bool learnFactors(Expr expr);
  void learnMultiple(Expr expr);
  bool learnResidues(Expr equation);
  bool namesValue(Expr equation) const;
  Expr cancelNonZeroFactors(Expr expr);
  bool vanishesWith(Expr sum, Expr other);
  bool narrowFactors(Expr expr);
  bool store(Expr equation);

  /// Which of two symbols stays?
  bool isPreferred(const Atom *a, const Atom *b);
  /// The same of the symbols of an equation.
  bool isLeftRather(const Atom *a, const Atom *b);
  size_t countUses(const Atom *symbol) const;
  bool assign(const Atom *symbol, Expr value);
  void setValue(const Atom *symbol, Expr value);
  /// Larger inner forms are not looked at.
  static bool isTooLarge(Expr inner);
  /// In inner form, of a symbol that was removed; else null.
  Expr getValue(const Atom *symbol);
  const Atom *findRemoved(Expr sum) const;
  const Atom *getLastLinked(const Atom *symbol) const;
  const Atom *findLate(Expr sum) const;
  void updateValue(const Atom *symbol);
  /// Removed symbols whose values mention the symbol and are more than it and a constant.
  llvm::SmallVector<const Atom *> getValueUsers(const Atom *symbol, size_t limit = SIZE_MAX) const;
  void refreshValues(Term rewritten);
  bool restrictRange(const Atom *symbol, Interval range);
  bool excludeValue(const Atom *symbol, int64_t value);
  bool followsFromRanges(Expr sum) const;
  bool propagateBounds(Expr inequality);
  void propagateToFactors(Terms terms, const Term &product);
  /// Lets the facts that mention the symbol be looked at again.
  void revisit(const Atom *symbol);
  /// The same of equations in which the inequality, now known, tells a quotient by a size.
  void revisitQuotients(Expr inequality);

  /// Visits equations with the terms that they rewrite: all that may rewrite one of these terms, and perhaps others,
  /// until a visit returns true.
  bool visitEquations(Terms terms, llvm::function_ref<bool(Expr equation, Term leading)> visit);
  bool followsFromExcluded(Expr expr);
  bool isOrderOfProducts(Expr expr);
  bool isRewrittenRather(const Monomial *a, const Monomial *b, uint16_t depth);
  Term getRewrittenTerm(Expr equation);
  bool isZeroByEquations(Expr expr);
  /// The quotient of a floordiv with these operands that an equation or an inequality shows, or null.
  Expr divideByEquation(AtomKind kind, llvm::ArrayRef<Expr> operands);
  Expr divideByInequality(AtomKind kind, llvm::ArrayRef<Expr> operands);
  bool isNonNegativeByEquation(Expr expr);
  Expr joinParts(Expr expr);
  bool isZeroByHalves(Expr expr);
  void withProductEquations(uint64_t symbolMask, llvm::function_ref<void(ProductEquations &)> use);
  Expr reduceByProducts(Expr expr);
  bool learnFromProducts(Expr equation);
  bool learnOfFactors(Expr inequality, Expr equation);
  /// Of an equation and all inequalities, or of an inequality and all equations. False on contradiction.
  bool learnOfAllFactors(FactKind kind, Expr fact);
  Expr reduceByEquations(Expr expr);
  class NamedForm;

  /// The open facts by their symbols, once there are many: a walk along the lists is quicker before.
  struct FactUsers {
    bool isBuilt = false;
    // By the index of a symbol in the context.
    std::array<PagedTable<llvm::SmallVector<Expr, 2>>, 3> exprs;
    PagedTable<llvm::SmallVector<std::pair<Expr, Term>, 1>> rewriters; ///< of terms that mention it
    PagedTable<llvm::SmallVector<Disjunction, 1>> disjunctions;
    void add(FactKind kind, Expr expr);
    void addRewriter(SymbolicContext::Impl &context, Expr equation, Term leading);
    void add(const Disjunction &disjunction);
    void remove(FactKind kind, llvm::ArrayRef<Expr> taken);
    void remove(llvm::ArrayRef<Disjunction> taken);
  };
  /// Where facts have become many.
  void buildUsers() const;

  SymbolicContext::Impl &context;
  BoundProver prover;
  ExprBuilder builder;
  mutable FactUsers users;
  SharedMemo<const Atom *, Expr> innerAtoms;
  SharedMemo<Expr, Expr> innerForms;
};

/// What is no number and divides, outside of other atoms.
llvm::SmallVector<Expr> getSizesThatDivide(Expr expr);

/// What a comparison, or its negation, says of a difference of its sides, which is null where there is none.
struct ComparisonToZero {
  Knowledge::Task::Kind kind;
  Expr difference;
};
ComparisonToZero compareToZero(ExprBuilder &builder, const Predicate &comparison, bool truth);

/// What `facts` say of a size, as predicates, the weakest first; nothing of what is no promise.
void appendPredicates(SymbolicContext &context, Expr size, const SymbolFacts &facts,
                      std::vector<Predicate> &predicates);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_FACTSTORE_H
