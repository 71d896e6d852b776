//===- The rows and columns of a contraction ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/ContractionPlan.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace dyn::codegen;

ContractionPlan::ContractionPlan(KernelCode &kernel, linalg::GenericOp op, linalg::GenericOp epilogue)
    : LoopPlan(kernel, FusedOps{{}, op, epilogue}, 0) {
  choose();
}

/// Whether the body is arithmetic on its arguments, of two inputs and a result, and constants.
static bool standsAlone(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Block &body = *op.getBlock();
  for (Operation &inner : body) {
    if (!isa<linalg::YieldOp>(inner) && !isa_and_nonnull<arith::ArithDialect>(inner.getDialect()))
      return false;
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != &body && !operand.getDefiningOp<arith::ConstantOp>())
        return false;
  }
  return llvm::all_of(body.getArgumentTypes(), [](Type type) { return !type.isInteger(1) && !type.isIndex(); });
}

bool ContractionPlan::isPossible(linalg::GenericOp op, bool mayHaveOneRow) {
  if (!standsAlone(op) || op.getNumReductionLoops() == 0 || !getReductionStart(*op.getDpsInitOperand(0)) ||
      !llvm::all_of(op.getDpsInputs(), [](Value v) { return isa<TensorType>(v.getType()); }))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool hasOfFirst = false, hasOfSecond = false;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inFirst = maps[0].isFunctionOfDim(loop), inSecond = maps[1].isFunctionOfDim(loop);
    if (ranges[loop] == 1 || inFirst == inSecond || kind == utils::IteratorType::reduction)
      continue;
    (inFirst ? hasOfFirst : hasOfSecond) = true;
  }
  bool hasSteps = llvm::any_of(llvm::zip_equal(ranges, op.getIteratorTypesArray()), [](auto pair) {
    return std::get<0>(pair) != 1 && std::get<1>(pair) == utils::IteratorType::reduction;
  });
  return hasSteps && (mayHaveOneRow ? hasOfFirst || hasOfSecond : hasOfFirst && hasOfSecond);
}

bool ContractionPlan::isRowTimesColumns(linalg::GenericOp op) {
  if (!isPossible(op, /*mayHaveOneRow=*/true))
    return false;
  for (unsigned number : {0u, 1u}) {
    OpOperand *operand = op.getDpsInputOperand(number);
    AffineMap own = op.getMatchingIndexingMap(operand),
              other = op.getMatchingIndexingMap(op.getDpsInputOperand(1 - number));
    auto argument = dyn_cast<BlockArgument>(operand->get());
    auto kernel = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    if (kernel && kernel.getArgAttr(argument.getArgNumber(), dyn::DynDialect::kLayoutAttrName))
      return true;
    if (own.getNumResults() == 0)
      continue;
    auto last = dyn_cast<AffineDimExpr>(own.getResults().back());
    if (last && !other.isFunctionOfDim(last.getPosition()) && op.getStaticLoopRanges()[last.getPosition()] != 1)
      return true;
  }
  return false;
}

bool ContractionPlan::isInPanels(const Operand &operand, unsigned loop) {
  if (!operand.memory || !operand.memory->panels)
    return false;
  auto column = dyn_cast<AffineDimExpr>(operand.map.getResult(operand.memory->panels->columnDim));
  return column && loops[loop].members.size() == 1 && loops[loop].members.front() == column.getPosition();
}

bool ContractionPlan::isReducedInOrder(const Operand &operand) {
  if (firstReduction + 1 >= loops.size())
    return false;
  std::optional<int64_t> stride = constantOf(operand.strides.back());
  for (unsigned loop = loops.size(); loop-- > firstReduction;) {
    std::optional<int64_t> own = constantOf(operand.strides[loop]), extent = constantOf(loops[loop].extent);
    if (!operand.dependsOn(loop) || !own || own != stride || (!extent && loop > firstReduction))
      return false;
    stride = *own * extent.value_or(1);
  }
  return true;
}

bool ContractionPlan::isOverWindows() {
  std::optional<int64_t> inner = constantOf(loops.back().extent);
  return firstReduction + 1 < loops.size() && inner && *inner <= 16;
}

void ContractionPlan::choose() {
  // The columns: those of panels, else best if contiguous both in the output and in an input.
  int best = -1;
  for (unsigned loop = 0; loop < firstReduction; ++loop) {
    bool inFirst = main.inputs[0].dependsOn(loop), inSecond = main.inputs[1].dependsOn(loop);
    if (inFirst == inSecond)
      continue;
    const Operand &input = main.inputs[inFirst ? 0 : 1];
    int score = isInPanels(input, loop) ? 4 : 2 * last().outputs[0].isContiguous(loop) + input.isContiguous(loop);
    if (score < best)
      continue;
    best = score;
    columnLoop = loop;
    rhs = inFirst ? 0 : 1;
  }
  std::optional<unsigned> rows;
  for (unsigned loop = 0; loop < firstReduction; ++loop)
    if (left().dependsOn(loop) && !right().dependsOn(loop))
      rows = loop;
  if (!rows) {
    rows = firstReduction;
    addUnitLoop();
  }
  rowLoop = *rows;
  for (unsigned loop = 0; loop < firstReduction; ++loop)
    if (loop != columnLoop && loop != rowLoop)
      outer.push_back(loop);
}
