//===- Which ops make a kernel ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelGrouping.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;

/// Looks through conversions of the operands of a product.
static bool isCastOf(Value value, Block &body, unsigned argument) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(op))
      return false;
    value = op->getOperand(0);
  }
  return value == body.getArgument(argument);
}

bool dyn::isContraction(linalg::GenericOp generic) {
  if (generic.getNumReductionLoops() == 0 || generic.getNumDpsInputs() != 2 || generic.getNumDpsInits() != 1)
    return false;
  auto fill = generic.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  if (!fill ||
      !(matchPattern(fill.getInputs().front(), m_AnyZeroFloat()) || matchPattern(fill.getInputs().front(), m_Zero())))
    return false;
  Block &body = *generic.getBody();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  bool isFirst = sum->getOperand(0) == body.getArgument(2);
  if (!isFirst && sum->getOperand(1) != body.getArgument(2))
    return false;
  Operation *product = sum->getOperand(isFirst ? 1 : 0).getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(product))
    return false;
  return isCastOf(product->getOperand(0), body, 0) && isCastOf(product->getOperand(1), body, 1);
}

KernelGroup dyn::classify(linalg::GenericOp generic) {
  KernelGroup group{KernelKind::Pointwise, {generic}};
  if (generic.getNumReductionLoops() == 0)
    return group;
  if (isContraction(generic)) {
    group.kind = KernelKind::Contraction;
    return group;
  }
  group.kind = KernelKind::Row;
  group.rows = generic.getNumParallelLoops();
  return group;
}

bool dyn::isRepeatedOperand(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return slice && slice.getSourceType().getRank() == slice.getType().getRank() &&
         llvm::all_of(slice.getMixedOffsets(), [](OpFoldResult offset) { return isConstantIntValue(offset, 0); }) &&
         llvm::all_of(slice.getStaticStrides(),
                      [](int64_t stride) { return stride == 1 || ShapedType::isDynamic(stride); });
}

/// The kernel of each product that reads it slices itself.
static bool isForProducts(Operation *op) {
  return isRepeatedOperand(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
           auto generic = dyn_cast<linalg::GenericOp>(user);
           return generic && isContraction(generic);
         });
}

bool dyn::staysOnHost(Operation *op) {
  if (isDestinationOnly(op) || isForProducts(op) ||
      isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, ConstantOp>(op) ||
      isa_and_nonnull<shape::DynShapeDialect>(op->getDialect()) || op->hasTrait<mlir::OpTrait::IsTerminator>())
    return true;
  return llvm::none_of(llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
                       [](Type type) { return isa<ShapedType>(type); });
}

/// The chain of slices written into one destination, of which `last` is the last.
static SmallVector<Operation *> getConcatChain(tensor::InsertSliceOp last) {
  SmallVector<Operation *> chain{last};
  while (auto previous = cast<tensor::InsertSliceOp>(chain.back()).getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (!previous->hasOneUse())
      break;
    chain.push_back(previous);
  }
  return llvm::to_vector(llvm::reverse(chain));
}

/// A loop that updates tensors, and the op that makes their first contents.
static SmallVector<Operation *> getLoopWithInit(scf::ForOp loop) {
  SmallVector<Operation *> ops;
  for (Value init : loop.getInitArgs())
    if (auto generic = init.getDefiningOp<linalg::GenericOp>(); generic && generic->hasOneUse())
      ops.push_back(generic);
  ops.push_back(loop);
  return ops;
}

FailureOr<SmallVector<KernelGroup>> dyn::groupSeparately(Block &block) {
  SmallVector<KernelGroup> groups;
  llvm::SmallPtrSet<Operation *, 16> taken;
  // Backwards, so that updates take what they update.
  for (Operation &op : llvm::reverse(block)) {
    if (staysOnHost(&op) || taken.contains(&op))
      continue;
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      groups.push_back(classify(generic));
    else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      groups.push_back({KernelKind::Concat, getConcatChain(slice)});
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      groups.push_back({KernelKind::Sequential, getLoopWithInit(loop)});
    else
      return op.emitOpError() << "fits no kind of kernel; 'dyn-reify-shapes' should not have left it";
    taken.insert(groups.back().ops.begin(), groups.back().ops.end());
  }
  std::reverse(groups.begin(), groups.end());
  return groups;
}
