//===- What must hold, and which of it is checked --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Obligations.h"
#include "Expressions/Node.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

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
  Solver facts = solver.fork(), guarded = solver.fork();
  uint64_t firstClient = 1 + solver.getReasonCount();
  for (const PlannedGuard &guard : plan) {
    ReasonId reason = guarded.addReason({"guard", "", firstClient + guard.index});
    guarded.addPredicate(obligations[guard.index], reason);
  }
  for (unsigned index : order) {
    if (llvm::any_of(plan, [&](const PlannedGuard &guard) { return guard.index == index; }))
      continue;
    std::vector<Predicate> needed = getDefinedness(obligations[index]);
    needed.push_back(obligations[index]);
    for (const Predicate &need : needed) {
      if (facts.implies(need) == Verdict::Yes)
        continue;
      std::vector<ExplainStep> chain = guarded.explain(need);
      for (PlannedGuard &guard : plan) {
        // Where no chain is found, it may be any of them.
        bool isInChain = chain.empty() || llvm::any_of(chain, [&](const ExplainStep &step) {
                           return step.reason.text == "guard" && step.reason.client == firstClient + guard.index;
                         });
        if (isInChain && !llvm::is_contained(guard.reliedOnBy, index))
          guard.reliedOnBy.push_back(index);
      }
    }
  }
  return plan;
}
