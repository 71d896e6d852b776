//===- Conditions that end loops --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Where the condition of a loop compares lines over the trip's number, it tells the
// number of trips, or the most that there can be; and so it does of an integer that
// each trip multiplies or divides by a constant.
//
//===----------------------------------------------------------------------===//

#include "LoopCounters.h"
#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/Compare.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// Behind trip i, counted from 0, the condition for the next one implies i + 1 < `count`; if `isExact`, and is nothing
/// else.
struct dyn::ConditionEnd {
  Expr count;
  bool isExact;
};

/// Both conditions must hold for the loop to go on. Where nothing is known of one, the other still ends the loop.
static std::optional<ConditionEnd> join(std::optional<ConditionEnd> lhs, std::optional<ConditionEnd> rhs) {
  if (!lhs || !rhs) {
    std::optional<ConditionEnd> known = lhs ? lhs : rhs;
    if (known)
      known->isExact = false;
    return known;
  }
  return ConditionEnd{min({lhs->count, rhs->count}), lhs->isExact && rhs->isExact};
}

/// Where `size` is not negative; it has to be a falling line over the trip's number.
static std::optional<ConditionEnd> findEndOfLine(Expr size, Expr trip) {
  auto getAt = [&](int64_t number) {
    return size ? substitute(size, {{trip.getNode(), trip.getContext().getConstant(number)}}) : Expr();
  };
  Expr first = getAt(0), difference = first - getAt(1);
  std::optional<int64_t> fall = difference ? difference.getConstant() : std::nullopt;
  if (!fall || *fall < 1 || size != first - trip * *fall)
    return std::nullopt;
  Expr count = floorDiv(first, *fall) + 2;
  return count ? std::optional(ConditionEnd{count, true}) : std::nullopt;
}

/// Where `difference`, a line over the trip's number, is not 0: up to the trip where it is, if it ever is.
static std::optional<ConditionEnd> findEndAtZero(Expr difference, Expr trip, Solver &solver) {
  for (Expr distance : {difference, -difference}) {
    std::optional<ConditionEnd> end = findEndOfLine(distance, trip);
    if (!end)
      continue;
    auto getAt = [&](int64_t number) {
      return substitute(distance, {{trip.getNode(), trip.getContext().getConstant(number)}});
    };
    Expr first = getAt(0);
    int64_t fall = *(first - getAt(1)).getConstant();
    bool isMet = solver.isLessEqual(first.getContext().getConstant(0), first) == Verdict::Yes &&
                 solver.isDivisible(first, fall) == Verdict::Yes;
    // The line is 0 in this trip, behind which there is none.
    Expr count = isMet ? floorDiv(first, fall) + 1 : Expr();
    return count ? std::optional(ConditionEnd{count, true}) : std::nullopt;
  }
  return std::nullopt;
}

static std::optional<ConditionEnd> findPredicateEnd(const Predicate &condition, Expr trip, Solver &solver) {
  switch (condition.kind) {
  case Predicate::Kind::NotEqual:
    return findEndAtZero(condition.rhs - condition.lhs, trip, solver);
  case Predicate::Kind::Less:
    return findEndOfLine(condition.rhs - condition.lhs - 1, trip);
  case Predicate::Kind::LessEqual:
    return findEndOfLine(condition.rhs - condition.lhs, trip);
  case Predicate::Kind::Not: {
    const Predicate &inner = condition.operands.front();
    if (inner.kind == Predicate::Kind::Equal)
      return findEndAtZero(inner.rhs - inner.lhs, trip, solver);
    if (inner.kind == Predicate::Kind::Less)
      return findEndOfLine(inner.lhs - inner.rhs, trip);
    return inner.kind == Predicate::Kind::LessEqual ? findEndOfLine(inner.lhs - inner.rhs - 1, trip) : std::nullopt;
  }
  case Predicate::Kind::And: {
    std::optional<ConditionEnd> end = findPredicateEnd(condition.operands.front(), trip, solver);
    for (const Predicate &operand : ArrayRef(condition.operands).drop_front())
      end = join(end, findPredicateEnd(operand, trip, solver));
    return end;
  }
  default:
    return std::nullopt;
  }
}

/// The constant factor, at least 2, by which `next` multiplies a carried integer, or divides it; nothing for others.
static std::optional<int64_t> findFactor(BlockArgument argument, Value next, ShapeRelations &relations) {
  Value other;
  if (auto product = next.getDefiningOp<MulOp>();
      product && (product.getLhs() == argument || product.getRhs() == argument))
    other = product.getLhs() == argument ? product.getRhs() : product.getLhs();
  else if (auto quotient = next.getDefiningOp<DivOp>(); quotient && quotient.getLhs() == argument)
    other = quotient.getRhs();
  Expr factor = other ? getInvariant(other, relations) : Expr();
  std::optional<int64_t> constant = factor ? factor.getConstant() : std::nullopt;
  return constant && *constant >= 2 ? constant : std::nullopt;
}

/// The other way round: `a < b` is `b > a`.
static CompareDirection mirror(CompareDirection direction) {
  switch (direction) {
  case CompareDirection::LT:
    return CompareDirection::GT;
  case CompareDirection::LE:
    return CompareDirection::GE;
  case CompareDirection::GT:
    return CompareDirection::LT;
  case CompareDirection::GE:
    return CompareDirection::LE;
  default:
    return direction;
  }
}

/// Where a condition compares a carried integer that each trip multiplies, or divides, with a limit: the trips that it
/// takes from the farthest start to the farthest limit.
static std::optional<ConditionEnd> findEndOfPower(CompareOp condition, ShapeRelations &relations) {
  auto loop = condition ? dyn_cast<LoopOp>(condition->getParentOp()) : LoopOp();
  if (!loop)
    return std::nullopt;
  for (auto [initial, argument, next] : llvm::zip_equal(loop.getInitial(), loop.getCarried(), loop.getNext())) {
    bool isLeft = condition.getLhs() == argument || condition.getLhs() == next;
    Value compared = isLeft ? condition.getLhs() : condition.getRhs();
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(initial));
    std::optional<int64_t> factor = findFactor(cast<BlockArgument>(argument), next, relations);
    if (!factor || !type || type.isUnsigned() || (compared != argument && compared != next))
      continue;
    CompareDirection direction = isLeft ? condition.getDirection() : mirror(condition.getDirection());
    Expr first = relations.getScalar(initial),
         limit = getInvariant(isLeft ? condition.getRhs() : condition.getLhs(), relations);
    bool grows = isa<MulOp>(next.getDefiningOp());
    bool includesLimit = direction == CompareDirection::LE || direction == CompareDirection::GE;
    bool goesThere = includesLimit || direction == (grows ? CompareDirection::LT : CompareDirection::GT);
    if (!first || !limit || !goesThere || (includesLimit && (direction == CompareDirection::LE) != grows))
      return std::nullopt;
    Range from = relations.getSolver().getRange(first), to = relations.getSolver().getRange(limit);
    std::optional<int64_t> start = grows ? from.lower : from.upper, end = grows ? to.upper : to.lower;
    // From 0, or down to less than 0, it never gets.
    if (!start || !end || (grows && *start < 1) || (!grows && *end < (includesLimit ? 1 : 0)))
      return std::nullopt;
    int64_t trips = 0;
    for (int64_t value = *start, after;; value = after) {
      // What wraps around may be anything.
      if (!grows)
        after = value / *factor;
      else if (llvm::MulOverflow(value, *factor, after) || !llvm::isIntN(type.getWidth(), after))
        return std::nullopt;
      ++trips;
      if (!dyn::compare(direction, compared == next ? after : value, *end))
        break;
    }
    return ConditionEnd{relations.getConstant(trips), first.getConstant() && limit.getConstant()};
  }
  return std::nullopt;
}

std::optional<ConditionEnd> ShapeAnalysis::findEnd(Value condition, Expr trip) {
  if (getTruth(condition) == false)
    return ConditionEnd{getConstant(1), true};
  if (std::optional<ElementValues> elements = getElements(condition); elements && elements->size() == 1)
    if (elements->front().kind == ElementValue::Kind::Boolean)
      if (std::optional<ConditionEnd> end = findPredicateEnd(elements->front().getPredicate(), trip, scope->solver))
        return end;
  if (std::optional<ConditionEnd> end = findEndOfPower(condition.getDefiningOp<CompareOp>(), *this))
    return end;
  if (auto both = condition.getDefiningOp<AndOp>())
    return join(findEnd(both.getLhs(), trip), findEnd(both.getRhs(), trip));
  // Where one branch ends the loop, the condition of the other one is needed to go on.
  auto branch = condition.getDefiningOp<IfOp>();
  auto regions = branch ? branches.find(branch) : branches.end();
  std::optional<ElementValues> decision = branch ? getElements(branch.getCondition()) : std::nullopt;
  if (regions == branches.end() || !decision || decision->size() != 1 ||
      decision->front().kind != ElementValue::Kind::Boolean)
    return std::nullopt;
  unsigned index = cast<OpResult>(condition).getResultNumber();
  auto endsLoop = [&](Scope *inner) {
    if (!inner)
      return false;
    llvm::SaveAndRestore inside(scope, inner);
    return getTruth(inner->block->getTerminator()->getOperand(index)) == false;
  };
  auto [thenScope, elseScope] = regions->second;
  const Predicate &decided = decision->front().getPredicate();
  std::optional<ConditionEnd> end;
  if (endsLoop(elseScope))
    end = findPredicateEnd(decided, trip, scope->solver);
  else if (endsLoop(thenScope))
    end = findPredicateEnd(Predicate::negation(decided), trip, scope->solver);
  if (end)
    end->isExact = false;
  return end;
}

bool ShapeAnalysis::startsBelow(LoopOp op, Expr count) {
  std::optional<ElementValues> elements = getElements(op.getCondition());
  if (!elements || elements->size() != 1 || elements->front().kind != ElementValue::Kind::Boolean)
    return false;
  const Predicate &starts = elements->front().getPredicate();
  Predicate isPositive = Predicate::less(getConstant(0), count);
  auto holdsWhere = [&](const Predicate &predicate, const Predicate &wanted) {
    Solver supposed = scope->solver.fork();
    return !supposed.addPredicate(predicate, supposed.addReason({})) || supposed.implies(wanted) == Verdict::Yes;
  };
  return holdsWhere(starts, isPositive) && holdsWhere(Predicate::negation(starts), Predicate::negation(isPositive));
}

/// The ops of the body that the condition is computed from. Nothing where regions are among them, or no counter.
static std::optional<llvm::SmallPtrSet<Operation *, 8>> findConditionOps(LoopOp op,
                                                                         llvm::function_ref<bool(Value)> isCounter) {
  llvm::SmallPtrSet<Operation *, 8> ops;
  SmallVector<Value> values = {op.getNextCondition()};
  bool hasCounter = false;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    hasCounter |= isCounter(value);
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != &op.getBody().front() || !ops.insert(producer).second)
      continue;
    if (producer->getNumRegions() != 0)
      return std::nullopt;
    llvm::append_range(values, producer->getOperands());
  }
  return hasCounter ? std::optional(std::move(ops)) : std::nullopt;
}

void ShapeAnalysis::limitByCondition(LoopOp op, std::optional<bool> starts, LoopFacts &facts) {
  // Where counters alone decide, the condition tells as much before anything is known of what else is carried. If it
  // does not, `facts` stay as they are.
  bool isAhead = !facts.body;
  Scope *body = facts.body;
  if (isAhead) {
    auto isCounter = [&](Value value) {
      auto argument = llvm::find(op.getCarried(), value);
      return argument != op.getCarried().end() && bool(facts.counters[argument - op.getCarried().begin()].step);
    };
    std::optional<llvm::SmallPtrSet<Operation *, 8>> deciding = findConditionOps(op, isCounter);
    if (!deciding)
      return;
    SmallVector<Operation *> others;
    for (Operation &inner : op.getBody().front())
      if (!deciding->contains(&inner))
        others.push_back(&inner);
    LoopFacts open = facts;
    open.carried.resize(op.getInitial().size());
    leftOut.insert_range(others);
    body = relateBody(op, open);
    for (Operation *other : others)
      leftOut.erase(other);
    if (!body)
      return;
  }
  std::optional<ConditionEnd> end;
  {
    llvm::SaveAndRestore inside(scope, body);
    end = findEnd(op.getNextCondition(), tripSymbols[op]);
  }
  // Sizes that trips change may end the loop earlier.
  if (isAhead && end && !end->isExact)
    return;
  Expr count = end ? getOutside(*body, end->count) : Expr();
  if (!count)
    return;
  // A trip that is started is one, whatever it says of the next.
  bool isCounted = starts != true && startsBelow(op, count);
  LoopFacts limited = facts;
  limited.limit = max({count, getConstant(isCounted ? 0 : 1)});
  if (facts.limit)
    limited.limit = min({facts.limit, limited.limit});
  if (Expr simple = scope->solver.simplify(limited.limit))
    limited.limit = simple;
  // A counter that wraps around is no line.
  if (!limited.limit || mayWrap(op, limited, 32) || mayWrap(op, limited, 64))
    return;
  limited.runsToLimit = facts.areLimitsKnown && end->isExact && (isCounted || starts == true);
  // What is known of trips that there are may say more of what they carry.
  limited.carried.clear();
  findCarried(op, limited);
  findSteps(op, limited);
  facts = std::move(limited);
}
