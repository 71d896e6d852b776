//===- What must hold, and which of it is checked --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Obligations.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Definedness
//===----------------------------------------------------------------------===//

static void collectDefinedness(Expr expr, llvm::SmallPtrSetImpl<const Atom *> &seen, std::vector<Predicate> &result) {
  SymbolicContext &context = expr.getContext();
  auto require = [&](Predicate predicate) {
    // What sizes that are numbers say of each other.
    if (std::optional<bool> truth = evaluate(predicate, [](llvm::StringRef) { return std::nullopt; })) {
      if (*truth)
        return;
      predicate = Predicate{Predicate::Kind::False, {}, {}, {}};
    }
    if (!llvm::is_contained(result, predicate))
      result.push_back(std::move(predicate));
  };
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    if (!seen.insert(atom).second)
      continue;
    for (Expr operand : atom->operands)
      collectDefinedness(operand, seen, result);
    if (atom->kind == AtomKind::FloorDiv || atom->kind == AtomKind::ExactDiv) {
      Expr dividend = atom->operands[0], divisor = atom->operands[1], zero = context.getConstant(0);
      if (!divisor.getConstant() || divisor == zero)
        require(Predicate::notEqual(divisor, zero));
      if (atom->kind == AtomKind::ExactDiv)
        require(Predicate::equal(mod(dividend, divisor), zero));
    }
    if (atom->kind == AtomKind::Bcast)
      for (size_t i = 0; i < atom->operands.size(); ++i)
        for (size_t j = i + 1; j < atom->operands.size(); ++j)
          require(Predicate::broadcastable(atom->operands[i], atom->operands[j]));
  }
}

std::vector<Predicate> dyn::symbolic::getDefinedness(Expr expr) {
  std::vector<Predicate> result;
  llvm::SmallPtrSet<const Atom *, 8> seen;
  if (expr)
    collectDefinedness(expr, seen, result);
  return result;
}

std::vector<Predicate> dyn::symbolic::getDefinedness(Solver &solver, Expr expr) {
  std::vector<Predicate> result = getDefinedness(expr);
  llvm::erase_if(result, [&](const Predicate &predicate) { return solver.implies(predicate) == Verdict::Yes; });
  return result;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

std::vector<PlannedGuard> dyn::symbolic::planGuards(const Solver &solver, llvm::ArrayRef<Predicate> obligations,
                                                    llvm::function_ref<unsigned(Expr symbol)> stageOf) {
  auto getStage = [&](const Predicate &predicate) {
    unsigned stage = 0;
    for (Expr symbol : predicate.getSymbols())
      stage = std::max(stage, stageOf(symbol));
    return stage;
  };
  // Early and cheap ones first: among equivalent guards, the first is kept.
  std::vector<unsigned> order;
  for (unsigned i = 0; i < obligations.size(); ++i)
    order.push_back(i);
  std::vector<unsigned> stages, costs;
  for (const Predicate &obligation : obligations) {
    stages.push_back(getStage(obligation));
    costs.push_back(countNodes(obligation));
  }
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tuple(stages[a], costs[a], a) < std::tuple(stages[b], costs[b], b);
  });
  std::vector<Predicate> sorted;
  for (unsigned index : order)
    sorted.push_back(obligations[index]);
  Solver known = solver.fork();
  std::vector<PlannedGuard> plan;
  for (unsigned position : known.minimizeGuards(sorted)) {
    unsigned index = order[position];
    plan.push_back({index, stages[index], costs[index], {index}});
  }
  // What was dropped rests on the guards in its chain of reasons.
  Solver guarded = solver.fork();
  uint64_t firstClient = 1 + solver.getReasonCount();
  for (const PlannedGuard &guard : plan) {
    Reason reason{"guard", "", firstClient + guard.index};
    guarded.addPredicate(obligations[guard.index], guarded.addReason(std::move(reason)));
  }
  for (unsigned index : order) {
    if (llvm::any_of(plan, [&](const PlannedGuard &guard) { return guard.index == index; }))
      continue;
    for (const ExplainStep &step : guarded.explain(obligations[index]))
      for (PlannedGuard &guard : plan)
        if (step.reason.text == "guard" && step.reason.client == firstClient + guard.index)
          guard.reliedOnBy.push_back(index);
  }
  return plan;
}
