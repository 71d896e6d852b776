//===- Any sequence of calls of the C functions ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Bytes are read as calls on two contexts, with null and foreign operands among the
// arguments. Facts that the solver takes are remembered, and a verdict is checked at
// the points of a grid at which all of them hold.
//
//===----------------------------------------------------------------------===//

#include "dyn-c/Symbolic.h"
#include "dyn/Symbolic/Predicate.h"
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <string>

namespace {

constexpr const char *names[] = {"a", "b", "s", "t"};

class Session {
public:
  explicit Session(FuzzedDataProvider &input) : input(input) {
    for (const char *name : names)
      exprs.push_back(dynSymbolicSymbol(context, name));
    exprs.push_back({nullptr});
    exprs.push_back(dynSymbolicSymbol(other, "a"));
  }
  ~Session() {
    dynSymbolicSolverFree(branch);
    dynSymbolicSolverFree(solver);
    dynSymbolicContextFree(context);
    dynSymbolicContextFree(other);
  }

  void step() {
    switch (input.ConsumeIntegralInRange(0, 16)) {
    case 0:
      return keep(dynSymbolicConstant(context, pickValue()));
    case 1:
    case 2:
    case 3:
      return apply();
    case 4:
      return keep(dynSymbolicParse(context, input.ConsumeRandomLengthString(24).c_str()));
    case 5:
      return keep(dynSymbolicSolverSimplify(solver, pick()));
    case 6:
    case 7:
      return learn();
    case 8:
    case 9:
      return ask();
    case 10:
      return look();
    case 12:
      return compare();
    case 13:
      return findSigns();
    case 14:
      return planGuards();
    case 15:
      return join();
    case 16:
      return widen();
    default:
      DynSymbolicExpr symbols[] = {pick(), pick()}, values[] = {pick(), pick()};
      return keep(dynSymbolicSubstitute(context, pick(), symbols, values, 2));
    }
  }

private:
  using Relation = DynSymbolicRelation;
  struct Fact {
    DynSymbolicExpr lhs, rhs;
    Relation relation;
  };

  DynSymbolicExpr pick() { return exprs[input.ConsumeIntegralInRange<size_t>(0, exprs.size() - 1)]; }
  int64_t pickValue() {
    constexpr int64_t special[] = {0, 1, -1, 2, 7, 8, INT64_MAX, INT64_MIN, int64_t(1) << 32};
    return input.ConsumeBool() ? input.PickValueInArray(special) : input.ConsumeIntegralInRange<int64_t>(-20, 20);
  }
  void keep(DynSymbolicExpr expr) {
    if (exprs.size() < 64)
      exprs.push_back(expr);
  }

  /// One of so many constants of an enumeration, or a number far from these.
  int pickConstant(int count) {
    int constant = input.ConsumeIntegralInRange(0, count);
    return constant < count ? constant : -1000;
  }

  void apply() {
    DynSymbolicExpr operands[] = {pick(), pick(), pick()};
    auto operation = static_cast<DynSymbolicOperation>(pickConstant(10));
    keep(dynSymbolicApply(context, operation, operands, input.ConsumeIntegralInRange(0, 3)));
  }

  void learn() {
    Fact fact = {pick(), pick(), input.ConsumeBool() ? DYN_SYMBOLIC_EQUAL : DYN_SYMBOLIC_LESS_EQUAL};
    DynSymbolicResult result = fact.relation == DYN_SYMBOLIC_EQUAL
                                   ? dynSymbolicSolverLearnEqual(solver, fact.lhs, fact.rhs, "fuzz", nullptr)
                                   : dynSymbolicSolverLearnLessEqual(solver, fact.lhs, fact.rhs, nullptr, "here");
    if (result == DYN_SYMBOLIC_OK)
      facts.push_back(fact);
    else if (!*dynSymbolicContextGetError(context))
      fail("a fact is refused without a word");
  }

  void ask() {
    Fact question = {pick(), pick(), static_cast<Relation>(pickConstant(6))};
    DynSymbolicVerdict verdict = dynSymbolicSolverAsk(solver, question.lhs, question.relation, question.rhs);
    if (verdict == DYN_SYMBOLIC_UNKNOWN)
      return;
    forEachPoint([&](const int64_t *point) {
      std::optional<bool> truth = holds(question, point);
      if (truth && *truth != (verdict == DYN_SYMBOLIC_YES))
        fail("a verdict is wrong");
    });
  }

  void look() {
    DynSymbolicExpr expr = pick();
    DynSymbolicBounds bounds;
    dynSymbolicExprGetText(context, expr, DYN_SYMBOLIC_SYNTAX_SYMPY);
    if (!dynSymbolicSolverGetBounds(solver, expr, &bounds))
      return;
    forEachPoint([&](const int64_t *point) {
      int64_t value;
      if (dynSymbolicExprEvaluate(context, expr, names, point, 4, &value) &&
          ((bounds.hasLower && value < bounds.lower) || (bounds.hasUpper && value > bounds.upper)))
        fail("a bound is wrong");
    });
  }

  void compare() {
    DynSymbolicExpr lhs = pick(), rhs = pick();
    DynSymbolicOrder order = dynSymbolicSolverCompareSizes(solver, lhs, rhs);
    if (order == DYN_SYMBOLIC_ORDER_UNKNOWN)
      return;
    forEachPoint([&](const int64_t *point) {
      std::optional<bool> isLess = holds({lhs, rhs, DYN_SYMBOLIC_LESS}, point),
                          isEqual = holds({lhs, rhs, DYN_SYMBOLIC_EQUAL}, point);
      if (!isLess || !isEqual)
        return;
      bool mayBeLess = order <= DYN_SYMBOLIC_ORDER_LESS_OR_EQUAL,
           mayBeGreater = order >= DYN_SYMBOLIC_ORDER_GREATER_OR_EQUAL,
           mayBeEqual = order != DYN_SYMBOLIC_ORDER_LESS && order != DYN_SYMBOLIC_ORDER_GREATER;
      if (*isEqual ? !mayBeEqual : *isLess ? !mayBeLess : !mayBeGreater)
        fail("an order is wrong");
    });
  }

  void findSigns() {
    DynSymbolicExpr difference = pick();
    size_t place = input.ConsumeIntegralInRange<size_t>(0, 5);
    DynSymbolicSignInterval intervals[6];
    size_t count = dynSymbolicSolverGetSigns(solver, difference, exprs[place], intervals,
                                             input.ConsumeIntegralInRange<size_t>(0, 6));
    if (count == 0 || place >= std::size(names))
      return;
    forEachPoint([&](const int64_t *point) {
      int64_t value;
      if (!dynSymbolicExprEvaluate(context, difference, names, point, 4, &value))
        return;
      for (const DynSymbolicSignInterval &interval : llvm::ArrayRef(intervals, count))
        if ((!interval.hasLower || interval.lower <= point[place]) &&
            (!interval.hasUpper || point[place] <= interval.upper)) {
          if (interval.hasSign && interval.sign != (value > 0) - (value < 0))
            fail("a sign is wrong");
          return;
        }
      fail("no interval covers a point");
    });
  }

  void planGuards() {
    DynSymbolicExpr expr = pick();
    const char *needed = dynSymbolicSolverGetDefinedness(solver, expr);
    std::string obligation = needed ? needed : "a == b";
    obligation = obligation.substr(0, obligation.find('\n'));
    std::string other = input.ConsumeRandomLengthString(24);
    const char *obligations[] = {obligation.c_str(), "s <= 7", other.c_str()};
    auto stageOf = [](const char *symbol, void *) { return static_cast<unsigned>(*symbol == 's'); };
    DynSymbolicExpr sizes[] = {pick(), pick()};
    dynSymbolicInstantiate(context, "a: [1, 9] mod 2, s: [0, ?]", exprs.data(), sizes, 2);
    dynSymbolicSolverMayAssumeEqual(solver, pick(), pick());
    dynSymbolicSolverPlanGuards(solver, obligations, input.ConsumeIntegralInRange<size_t>(0, 3), stageOf, nullptr);
  }

  void join() {
    dynSymbolicSolverFree(branch);
    branch = dynSymbolicSolverFork(solver);
    dynSymbolicSolverLearnLessEqual(branch, pick(), pick(), nullptr, nullptr);
    keep(dynSymbolicSolverJoin(solver, branch, pick(), input.ConsumeBool() ? solver : branch, pick(), "j"));
  }

  void widen() {
    DynSymbolicExpr exit = {nullptr};
    dynSymbolicSolverWiden(solver, pick(), pick(), pick(), pick(), input.ConsumeBool() ? &exit : nullptr);
    keep(exit);
  }

  std::optional<bool> holds(const Fact &fact, const int64_t *point) {
    int64_t lhs, rhs;
    if (!dynSymbolicExprEvaluate(context, fact.lhs, names, point, 4, &lhs) ||
        !dynSymbolicExprEvaluate(context, fact.rhs, names, point, 4, &rhs))
      return std::nullopt;
    switch (fact.relation) {
    case DYN_SYMBOLIC_EQUAL:
      return lhs == rhs;
    case DYN_SYMBOLIC_NOT_EQUAL:
      return lhs != rhs;
    case DYN_SYMBOLIC_LESS_EQUAL:
      return lhs <= rhs;
    case DYN_SYMBOLIC_LESS:
      return lhs < rhs;
    case DYN_SYMBOLIC_BROADCASTABLE:
      return lhs == rhs || lhs == 1 || rhs == 1;
    case DYN_SYMBOLIC_DIVISIBLE:
      if (rhs == 0 || rhs == -1)
        return std::nullopt;
      return lhs % rhs == 0;
    }
    return std::nullopt;
  }

  /// Undeclared symbols are at least 0.
  template <typename Visit>
  void forEachPoint(Visit visit) {
    constexpr int64_t values[] = {0, 1, 2, 3, 8};
    for (int64_t a : values)
      for (int64_t b : values)
        for (int64_t s : values)
          for (int64_t t : values) {
            const int64_t point[] = {a, b, s, t};
            bool allowed = true;
            for (const Fact &fact : facts)
              allowed = allowed && holds(fact, point) == true;
            if (allowed)
              visit(point);
          }
  }

  [[noreturn]] void fail(const char *what) {
    std::fprintf(stderr, "%s\n", what);
    for (const Fact &fact : facts)
      std::fprintf(stderr, "  %s %s", dynSymbolicExprGetText(context, fact.lhs, DYN_SYMBOLIC_SYNTAX_DYN),
                   fact.relation == DYN_SYMBOLIC_EQUAL ? "==" : "<="),
          std::fprintf(stderr, " %s\n", dynSymbolicExprGetText(context, fact.rhs, DYN_SYMBOLIC_SYNTAX_DYN));
    std::abort();
  }

  FuzzedDataProvider &input;
  DynSymbolicContext *context = dynSymbolicContextCreate(), *other = dynSymbolicContextCreate();
  DynSymbolicSolver *solver = dynSymbolicSolverCreate(context), *branch = nullptr;
  std::vector<DynSymbolicExpr> exprs;
  std::vector<Fact> facts;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzedDataProvider input(data, size);
  Session session(input);
  for (int step = 0; step < 60 && input.remaining_bytes() > 0; ++step)
    session.step();
  return 0;
}
