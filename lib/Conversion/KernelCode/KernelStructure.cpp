//===- What kinds of kernels consist of ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/KernelStructure.h"
#include "dyn/Conversion/KernelCode/Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace dyn::codegen;

void dyn::codegen::allowFusedMultiplyAdd(func::FuncOp kernel) {
  auto contract = arith::FastMathFlagsAttr::get(kernel.getContext(), arith::FastMathFlags::contract);
  kernel.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    for (Operation &inner : *op.getBlock())
      if (isa<arith::AddFOp, arith::MulFOp>(inner))
        inner.setAttr("fastmath", contract);
  });
}

static bool isOfArgumentFromBeginning(tensor::ExtractSliceOp slice) {
  return isa<BlockArgument>(slice.getSource()) && slice.getSourceType().getRank() == slice.getType().getRank() &&
         llvm::all_of(slice.getMixedOffsets(), [](OpFoldResult offset) { return isConstantIntValue(offset, 0); });
}

LogicalResult dyn::codegen::verifyKernel(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("is a kernel and must have one block");
  auto verifyType = [](Operation *op, Type type) -> LogicalResult {
    auto tensor = dyn_cast<ShapedType>(type);
    if (!tensor || (isa<RankedTensorType>(type) && getStoredType(tensor.getElementType())))
      return success();
    return op->emitOpError("has a value of type ") << type << ", which kernels do not handle";
  };
  for (Type type : kernel.getArgumentTypes()) {
    if (failed(verifyType(kernel, type)))
      return failure();
    if (!isa<RankedTensorType, IndexType>(type))
      return kernel.emitOpError("has an argument of type ") << type << ", not a tensor or an index";
  }
  bool isAttention = cast<StringAttr>(kernel->getAttr("dyn.kernel")) == "attention";
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return WalkResult::interrupt();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool isViewInLoop = isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) && isa<scf::ForOp>(op->getParentOp());
    if (!linalgOp && llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>) && !isViewInLoop &&
        !isa<tensor::EmptyOp, tensor::ExtractSliceOp, tensor::InsertOp, tensor::InsertSliceOp, scf::ForOp, scf::IfOp>(
            op))
      return op->emitOpError("has no lowering in a kernel: it gives a tensor, for which there is no memory"),
             WalkResult::interrupt();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op); slice && !isOfArgumentFromBeginning(slice))
      return op->emitOpError("is no slice of an argument from index 0 on"), WalkResult::interrupt();
    if (!linalgOp)
      return WalkResult::advance();
    for (OpOperand &init : linalgOp.getDpsInitsMutable())
      if (!linalgOp.getMatchingIndexingMap(&init).isProjectedPermutation())
        return op->emitOpError("has an output whose map is no permutation of loops"), WalkResult::interrupt();
    for (AffineMap map : linalgOp.getIndexingMapsArray())
      for (AffineExpr expr : map.getResults())
        if (!expr.isPureAffine() || expr.walk([&](AffineExpr e) -> WalkResult {
                                          bool isSum = (isAttention || e.getKind() != AffineExprKind::FloorDiv) &&
                                                       e.getKind() != AffineExprKind::CeilDiv &&
                                                       e.getKind() != AffineExprKind::Mod &&
                                                       e.getKind() != AffineExprKind::SymbolId;
                                          return isSum ? WalkResult::advance() : WalkResult::interrupt();
                                        })
                                        .wasInterrupted())
          return op->emitOpError("has an indexing map that is no sum of loops times constants"),
                 WalkResult::interrupt();
    return WalkResult(verifyBody(*linalgOp.getBlock()));
  });
  return failure(result.wasInterrupted());
}

SmallVector<linalg::LinalgOp> dyn::codegen::getStages(func::FuncOp kernel) {
  SmallVector<linalg::LinalgOp> stages;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (!isReductionStart(op))
      stages.push_back(op);
  return stages;
}

static bool writesArguments(linalg::LinalgOp op) {
  return llvm::all_of(op.getDpsInitsMutable(), [](OpOperand &init) {
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    return isa<BlockArgument>(fill && isReductionStart(fill) ? fill.output() : init.get());
  });
}

/// Whether `op` reads the only result of `producer` at its own point only and needs no other value of it.
static bool isEpilogueOf(linalg::GenericOp op, linalg::LinalgOp producer) {
  if (!op || producer->getNumResults() != 1 || !producer->getResult(0).hasOneUse() || op.getNumReductionLoops())
    return false;
  OpOperand &use = *producer->getResult(0).use_begin();
  return use.getOwner() == op && op.isDpsInput(&use) && op.getMatchingIndexingMap(&use).isIdentity();
}

std::optional<FusedOps> dyn::codegen::matchSingleNest(func::FuncOp kernel) {
  SmallVector<linalg::LinalgOp> stages = getStages(kernel);
  if (stages.size() == 1 && writesArguments(stages[0]))
    return FusedOps{{}, stages[0], {}};
  if (stages.size() != 2 || !writesArguments(stages[1]))
    return std::nullopt;
  auto epilogue = dyn_cast<linalg::GenericOp>(*stages[1]);
  if (!isEpilogueOf(epilogue, stages[0]))
    return std::nullopt;
  return FusedOps{{}, stages[0], epilogue};
}
