//===- What a fact leads to, step by step ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Steps that one fact may cause, and those after its fuel is used up. What is left then is kept as it is.
static constexpr unsigned maximalTasks = 4000, maximalHypotheticalTasks = 100, maximalTasksWithoutFuel = 2;

/// Disjunctions that are looked at again because of one fact.
static constexpr size_t maximalDisjunctions = 256;

/// What it takes at least to look at one.
static constexpr unsigned costOfDisjunction = 60;

/// Symbols that one fact may replace by parameters: congruences and equations could do so in turn for long.
static constexpr unsigned maximalParameters = 32;

bool FactStore::settle() {
  unsigned limit = hypothetical ? maximalHypotheticalTasks : maximalTasks;
  size_t looks = 0;
  unsigned parameterLimit = parameters + maximalParameters;
  unsigned withoutFuel = 0;
  for (unsigned step = 0; !contradictory && step < limit && parameters <= parameterLimit; ++step) {
    // A hypothesis shares the effort of its question.
    constexpr unsigned costOfTask = 20;
    if (context.fuel < costOfTask && (hypothetical || ++withoutFuel > maximalTasksWithoutFuel))
      break;
    context.spend(costOfTask);
    if (tasks.empty()) {
      if (stale.empty())
        return true;
      // Not in the order in which they were mentioned first.
      llvm::sort(stale, [](const Atom *a, const Atom *b) { return a->name < b->name; });
      stale.erase(llvm::unique(stale), stale.end());
      // Those that are left out, or that no effort is left for, stay as they are, which is weaker and therefore right.
      llvm::SmallVector<Disjunction> taken =
          takeDisjunctions(stale, std::min<size_t>(maximalDisjunctions - looks, context.fuel / costOfDisjunction));
      looks += taken.size();
      for (const Disjunction &disjunction : taken)
        tasks.push_back({Task::Disjunction, Expr(), *disjunction.predicate});
      stale.clear();
      continue;
    }
    // Equations first: they make the other facts simpler. Then ranges of symbols, which cost least and which products
    // need, for which there may be no fuel left otherwise.
    auto next = llvm::find_if(tasks, [](const Task &task) { return task.kind == Task::Zero; });
    if (next == tasks.end())
      next = llvm::find_if(tasks, [](const Task &task) {
        return task.kind == Task::NonNegative && task.expr && getLinearSymbol(task.expr);
      });
    // What is left of a disjunction may be an equation, and products may take all the effort that there is.
    if (next == tasks.end())
      next = llvm::find_if(tasks, [](const Task &task) { return task.kind == Task::Disjunction; });
    if (next == tasks.end())
      next = std::prev(tasks.end());
    Task task = std::move(*next);
    tasks.erase(next);
    bool holds = true;
    switch (task.kind) {
    case Task::Zero:
      holds = assertZero(getInner(task.expr));
      break;
    case Task::NonNegative:
      holds = assertNonNegative(getInner(task.expr));
      break;
    case Task::NonZero:
      holds = assertNonZero(getInner(task.expr));
      break;
    case Task::Disjunction:
      holds = assertDisjunction(task.disjunction);
      break;
    }
    if (!holds)
      return contradict();
  }
  // A hypothesis that knows less refutes less.
  if (hypothetical)
    tasks.clear();
  for (const Task &task : std::exchange(tasks, {}))
    if (!contradictory)
      keepUnsolved(task);
  changed();
  return !contradictory;
}

void FactStore::keepUnsolved(const Task &task) {
  if (task.kind == Task::Disjunction)
    return keep(std::make_shared<const Predicate>(getInner(task.disjunction)));
  Expr inner = getInner(task.expr);
  FactKind kind = task.kind == Task::Zero ? Equation : task.kind == Task::NonNegative ? Inequality : Disequality;
  if (inner && !inner.getConstant() && !contains(kind, inner))
    keep(kind, inner);
}

bool FactStore::keepTrue(const Predicate &predicate) {
  bool holds = !contradictory && assume(predicate, true);
  for (const Task &task : std::exchange(tasks, {}))
    if (holds)
      keepUnsolved(task);
  return holds;
}

bool FactStore::assertTrue(const Predicate &predicate) { return !contradictory && assume(predicate, true) && settle(); }

/// rule apart: d == y - x - n |- y == x + n + d
bool FactStore::assertApart(const Atom *small, const Atom *large, int64_t least) {
  if (contradictory || look(small).value || look(large).value)
    return !contradictory;
  Expr from = builder.add(context.getExpr(small), context.getConstant(least));
  const Atom *distance = createParameter(large, builder.subtract(context.getExpr(large), from));
  return restrictRange(distance, {0, Interval::plusInfinity}) &&
         assign(large, builder.add(from, context.getExpr(distance))) && settle();
}

/// rule strict: x < y |- y - x - 1 >= 0
/// rule not-less: not x < y |- x - y >= 0
ComparisonToZero dyn::symbolic::compareToZero(ExprBuilder &builder, const Predicate &comparison, bool truth) {
  using Kind = Predicate::Kind;
  using Task = Knowledge::Task;
  Expr difference = builder.subtract(comparison.rhs, comparison.lhs);
  if (comparison.kind == Kind::Equal || comparison.kind == Kind::NotEqual)
    return {truth == (comparison.kind == Kind::Equal) ? Task::Zero : Task::NonZero, difference};
  // lhs <= rhs, and not lhs < rhs is rhs <= lhs; strict ones are one apart.
  bool strict = truth == (comparison.kind == Kind::Less);
  Expr oriented = truth ? difference : builder.scale(difference, -1);
  return {Task::NonNegative, strict ? builder.add(oriented, builder.getContext().getConstant(-1)) : oriented};
}

/// Turns a predicate, or its negation, into tasks.
bool FactStore::assume(const Predicate &predicate, bool truth) {
  using Kind = Predicate::Kind;
  switch (predicate.kind) {
  case Kind::True:
    return truth || contradict();
  case Kind::False:
    return !truth || contradict();
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less: {
    auto [kind, difference] = compareToZero(builder, predicate, truth);
    push(kind, difference);
    return true;
  }
  case Kind::Not:
    return assume(predicate.operands.front(), !truth);
  case Kind::And:
  case Kind::Or:
    break;
  }
  if (truth == (predicate.kind == Kind::And))
    return llvm::all_of(predicate.operands, [&](const Predicate &operand) { return assume(operand, truth); });
  std::vector<Predicate> alternatives;
  for (const Predicate &operand : predicate.operands)
    alternatives.push_back(truth ? operand : Predicate::negation(operand));
  tasks.push_back({Task::Disjunction, Expr(), Predicate::disjunction(std::move(alternatives))});
  return true;
}

bool FactStore::assertDisjunction(const Predicate &predicate) {
  std::vector<Predicate> open;
  for (const Predicate &alternative : predicate.operands) {
    switch (decide(alternative)) {
    case Verdict::Yes:
      return true;
    case Verdict::No:
      break;
    case Verdict::Unknown:
      // In inner form, so that it is found by the symbols that are left.
      open.push_back(getInner(alternative));
      break;
    }
  }
  if (open.empty())
    return contradict();
  if (open.size() == 1)
    return assume(open.front(), true);
  Predicate left = Predicate::disjunction(std::move(open));
  llvm::SmallVector<Expr, 4> symbols = left.getSymbols();
  auto isKnown = [&](const Disjunction &known) { return *known.predicate == left; };
  if (symbols.empty() || llvm::none_of(getDisjunctions(getTerms(symbols[0])[0].monomial->getAtom()), isKnown))
    keep(std::make_shared<const Predicate>(std::move(left)));
  return true;
}
