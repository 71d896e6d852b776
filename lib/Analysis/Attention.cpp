//===- Attention among linalg ops ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/Attention.h"
#include "dyn/Analysis/Softmax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

SmallVector<GenericOp> Attention::getOps() {
  SmallVector<GenericOp> ops{scores};
  if (scoresEpilogue)
    ops.push_back(scoresEpilogue);
  llvm::append_range(ops, softmax);
  ops.push_back(values);
  if (valuesEpilogue)
    ops.push_back(valuesEpilogue);
  return ops;
}

namespace {

/// Looks for the ops from the last one up.
class AttentionMatcher {
public:
  explicit AttentionMatcher(function_ref<bool(GenericOp)> mayJoin) : mayJoin(mayJoin) {}

  bool match(GenericOp values, GenericOp epilogue);
  Attention result;

private:
  bool matchWeights(GenericOp quotient);
  bool matchScores(Value scores);
  bool haveOneType();
  bool chooseLoops();
  /// The op that makes `value`, if it may join.
  GenericOp producerOf(Value value);

  function_ref<bool(GenericOp)> mayJoin;
  Value weights;
};

} // namespace

/// What a 16-bit float is widened from; anything else itself.
static Value skipWidening(Value value) {
  auto widening = value.getDefiningOp<arith::ExtFOp>();
  return widening && isa<Float16Type, BFloat16Type>(widening.getIn().getType()) ? widening.getIn() : value;
}

/// `out + a * b` over one loop, of f32 or f64, where a and b may be widened.
static bool isProductSum(GenericOp op) {
  if (op.getNumReductionLoops() != 1 || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !startsFrom(op, m_AnyZeroFloat()))
    return false;
  Block &body = *op.getBlock();
  if (!isa<Float32Type, Float64Type>(body.getArgument(2).getType()))
    return false;
  auto sum = getYielded(op).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  bool isFirst = sum.getLhs() == body.getArgument(2);
  auto product = (isFirst ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product || (!isFirst && sum.getRhs() != body.getArgument(2)))
    return false;
  Value a = body.getArgument(0), b = body.getArgument(1);
  Value lhs = skipWidening(product.getLhs()), rhs = skipWidening(product.getRhs());
  return (lhs == a && rhs == b) || (lhs == b && rhs == a);
}

GenericOp AttentionMatcher::producerOf(Value value) {
  auto producer = value.getDefiningOp<GenericOp>();
  return producer && producer->getNumResults() == 1 && mayJoin(producer) ? producer : GenericOp();
}

bool AttentionMatcher::matchWeights(GenericOp quotient) {
  std::optional<Softmax> softmax = quotient ? matchSoftmax(quotient, mayJoin) : std::nullopt;
  if (!softmax || !isReadOnlyBy(softmax->getInput(), {softmax->maximum, softmax->exponential}))
    return false;
  result.softmax = {softmax->maximum, softmax->exponential, softmax->sum, softmax->quotient};
  result.nanBecomesZero = softmax->nanBecomesZero;
  result.hasRoundedSteps = softmax->hasRoundedSteps;
  return matchScores(softmax->getInput());
}

bool AttentionMatcher::matchScores(Value scores) {
  GenericOp producer = producerOf(scores);
  if (!producer)
    return false;
  if (isProductSum(producer)) {
    result.scores = producer;
    return true;
  }
  if (producer.getNumReductionLoops() != 0 || producer.getNumDpsInits() != 1 ||
      !producer.getMatchingIndexingMap(producer.getDpsInitOperand(0)).isPermutation())
    return false;
  for (OpOperand *input : producer.getDpsInputOperands()) {
    GenericOp sum = producerOf(input->get());
    if (!sum || !isProductSum(sum) || !sum->getResult(0).hasOneUse() ||
        !producer.getMatchingIndexingMap(input).isIdentity())
      continue;
    result.scores = sum;
    result.scoresEpilogue = producer;
    return true;
  }
  return false;
}

/// The number of times `loop` is an index of the map, if it stands nowhere else.
static unsigned countPlain(AffineMap map, unsigned loop) {
  unsigned count = 0;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && dim.getPosition() == loop)
      ++count;
    else if (expr.isFunctionOfDim(loop))
      return 2;
  }
  return count;
}

/// Whether the map has nothing but loops, quotients of loops and constants.
static bool isSimple(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr expr) {
    if (auto quotient = dyn_cast<AffineBinaryOpExpr>(expr))
      return quotient.getKind() == AffineExprKind::FloorDiv && isa<AffineDimExpr>(quotient.getLHS()) &&
             isa<AffineConstantExpr>(quotient.getRHS());
    return isa<AffineDimExpr, AffineConstantExpr>(expr);
  });
}

static SmallVector<unsigned> getLoops(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
}

static AffineMap getOutputMap(GenericOp op) { return op.getMatchingIndexingMap(op.getDpsInitOperand(0)); }

/// Sums, and what softmax computes of them but for what it rounds to 16 bits.
bool AttentionMatcher::haveOneType() {
  Type type = result.getSumType();
  if (result.hasRoundedSteps && !type.isF32())
    return false;
  auto isOfType = [&](GenericOp op) { return getElementTypeOrSelf(op->getResult(0).getType()) == type; };
  auto isRoundedOrOfType = [&](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return element == type || (result.hasRoundedSteps && isa<Float16Type, BFloat16Type>(element));
  };
  return isOfType(result.values) && isRoundedOrOfType(result.getScores()) &&
         llvm::all_of(ArrayRef(result.softmax).drop_back(),
                      [&](GenericOp step) { return isRoundedOrOfType(step->getResult(0)); });
}

bool AttentionMatcher::chooseLoops() {
  GenericOp scores = result.scores, values = result.values;
  SmallVector<unsigned> written = getLoops(getOutputMap(scores));
  result.loopOfScoreDim = written;
  if (result.scoresEpilogue)
    for (auto [dim, loop] : llvm::enumerate(getLoops(getOutputMap(result.scoresEpilogue))))
      result.loopOfScoreDim[dim] = written[loop];
  result.keyLoop = result.loopOfScoreDim.back();
  result.depthLoop = scores.getNumLoops() - 1;
  SmallVector<AffineMap> maps = scores.getIndexingMapsArray();
  result.keyOperand = maps[1].isFunctionOfDim(result.keyLoop) ? 1 : 0;
  AffineMap queries = maps[1 - result.keyOperand], keys = maps[result.keyOperand];
  if (queries.isFunctionOfDim(result.keyLoop) || countPlain(keys, result.keyLoop) != 1 ||
      countPlain(keys, result.depthLoop) != 1 || countPlain(queries, result.depthLoop) != 1 || !isSimple(queries) ||
      !isSimple(keys))
    return false;

  result.valueOperand = values.getDpsInputs()[0] == weights ? 1 : 0;
  AffineMap ofWeights = values.getIndexingMapsArray()[1 - result.valueOperand],
            ofValues = values.getIndexingMapsArray()[result.valueOperand];
  unsigned reduction = values.getNumLoops() - 1;
  if (!ofWeights.isProjectedPermutation() || !isSimple(ofValues) ||
      ofWeights.getNumResults() + 1 != values.getNumLoops())
    return false;
  SmallVector<unsigned> weightLoops = getLoops(ofWeights);
  if (weightLoops.back() != reduction || countPlain(ofValues, reduction) != 1)
    return false;
  result.scoresLoopOf.assign(values.getNumLoops(), ~0u);
  for (auto [dim, loop] : llvm::enumerate(weightLoops))
    result.scoresLoopOf[loop] = result.loopOfScoreDim[dim];
  result.columnLoop = llvm::find(result.scoresLoopOf, ~0u) - result.scoresLoopOf.begin();
  if (countPlain(ofValues, result.columnLoop) != 1)
    return false;
  for (auto [dim, loop] : llvm::enumerate(ArrayRef(result.loopOfScoreDim).drop_back()))
    if (countPlain(queries, loop) == 1 && !keys.isFunctionOfDim(loop) && !ofValues.isFunctionOfDim(weightLoops[dim]))
      result.queryLoop = loop;
  for (unsigned loop : ArrayRef(result.loopOfScoreDim).drop_back())
    if (loop != result.queryLoop)
      result.outerLoops.push_back(loop);
  return true;
}

bool AttentionMatcher::match(GenericOp values, GenericOp epilogue) {
  result.values = values;
  result.valuesEpilogue = epilogue;
  if (!isProductSum(values))
    return false;
  if (epilogue && (epilogue.getNumReductionLoops() != 0 || epilogue.getNumDpsInits() != 1))
    return false;
  for (Value input : values.getDpsInputs()) {
    weights = input;
    if (input.hasOneUse() && matchWeights(producerOf(input)))
      return haveOneType() && chooseLoops();
    result.nanBecomesZero = false;
  }
  return false;
}

std::optional<Attention> dyn::matchAttention(GenericOp values, GenericOp epilogue,
                                             function_ref<bool(GenericOp)> mayJoin) {
  AttentionMatcher matcher(mayJoin);
  if (!matcher.match(values, epilogue))
    return std::nullopt;
  return matcher.result;
}
