//===- dyn-verify-kernels: the contract between kernels and targets ----------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelGrouping.h"
#include "dyn/Transforms/Kernels/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "dyn/Transforms/Kernels/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

static constexpr StringLiteral kCulprit{"; 'dyn-form-kernels' should have seen to it"};

/// What main returns is written by kernels, each tensor by one.
static LogicalResult verifyReturn(func::ReturnOp op) {
  llvm::SmallPtrSet<Value, 4> seen;
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    while (isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    if (!value.getDefiningOp<shape::LaunchOp>())
      return op.emitOpError() << "returns as result " << index << " what no launch wrote" << kCulprit;
    if (!seen.insert(value).second)
      return op.emitOpError() << "returns as result " << index << " a tensor that it returns elsewhere too" << kCulprit;
  }
  return success();
}

static LogicalResult verifyLaunch(shape::LaunchOp op, SymbolTable &symbols) {
  SmallVector<Type> types;
  llvm::append_range(types, op.getInputs().getTypes());
  llvm::append_range(types, op.getSizes().getTypes());
  llvm::append_range(types, op.getOutputs().getTypes());
  SmallVector<StringRef> names{op.getKernel()};
  for (auto version : op.getVersions().getAsRange<FlatSymbolRefAttr>())
    names.push_back(version.getValue());
  for (StringRef name : names) {
    auto kernel = symbols.lookup<func::FuncOp>(name);
    if (!kernel || !kernel->hasAttr(DynDialect::kKernelAttrName))
      return op.emitOpError() << "launches '" << name << "', which is no kernel" << kCulprit;
    if (TypeRange(types) != TypeRange(kernel.getArgumentTypes()) || op.getResultTypes() != kernel.getResultTypes())
      return op.emitOpError() << "passes other types than kernel '" << name << "' has" << kCulprit;
  }
  for (Value output : op.getOutputs())
    if (!output.getDefiningOp<tensor::EmptyOp>() || !output.hasOneUse())
      return op.emitOpError() << "writes to what is no 'tensor.empty' of its own" << kCulprit;
  return success();
}

static LogicalResult verifyMainOp(Operation *op, SymbolTable &symbols) {
  if (auto launch = dyn_cast<shape::LaunchOp>(op))
    return verifyLaunch(launch, symbols);
  if (auto terminator = dyn_cast<func::ReturnOp>(op))
    return verifyReturn(terminator);
  if (isa_and_nonnull<shape::DynShapeDialect, arith::ArithDialect>(op->getDialect()))
    return success();
  if (isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, ConstantOp>(op))
    return success();
  return op->emitOpError() << "is left outside kernels" << kCulprit;
}

static LogicalResult verifyGeneric(linalg::GenericOp op) {
  bool wasReduction = false;
  for (utils::IteratorType type : op.getIteratorTypesArray()) {
    if (wasReduction && type == utils::IteratorType::parallel)
      return op.emitOpError() << "has a parallel loop after a reduction loop" << kCulprit;
    wasReduction |= type != utils::IteratorType::parallel;
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return op.emitOpError() << "writes where not each loop gives one dim" << kCulprit;
  return success();
}

static LogicalResult verifySlice(tensor::ExtractSliceOp op) {
  if (!isRepeatedOperand(op) || !isa<BlockArgument>(op.getSource()))
    return op.emitOpError() << "is not of an argument from its beginning on" << kCulprit;
  for (Operation *user : op->getUsers())
    if (auto generic = dyn_cast<linalg::GenericOp>(user); !generic || generic.getNumReductionLoops() == 0)
      return op.emitOpError() << "is read by other than a sum of products" << kCulprit;
  return success();
}

/// Ops write in place, so that two of them would write over each other.
static LogicalResult verifyTemporary(tensor::EmptyOp op) {
  unsigned numWriters = 0;
  for (OpOperand &use : op->getUses()) {
    auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    numWriters += isa<scf::ForOp, tensor::InsertSliceOp, tensor::InsertOp>(use.getOwner()) ||
                  (destinationStyle && destinationStyle.isDpsInit(&use));
  }
  if (numWriters > 1)
    return op.emitOpError() << "is what " << numWriters << " ops write to" << kCulprit;
  return success();
}

static LogicalResult verifyKernelOp(Operation *op, bool isSequential) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return verifySlice(slice);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return verifyGeneric(generic);
  if (isa<linalg::FillOp, tensor::DimOp, tensor::InsertSliceOp, func::ReturnOp>(op) ||
      isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return success();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return verifyTemporary(empty);
  if (isSequential && isa<scf::ForOp, scf::IfOp, tensor::ExtractOp, tensor::InsertOp>(op))
    return success();
  return op->emitOpError() << "may not stand in a kernel of this kind" << kCulprit;
}

static LogicalResult verifyKernel(func::FuncOp kernel) {
  auto kind = kernel->getAttrOfType<StringAttr>(DynDialect::kKernelAttrName);
  static constexpr StringLiteral kinds[] = {"pointwise", "row", "contraction", "attention", "concat", "sequential"};
  if (!kind || !llvm::is_contained(kinds, kind.getValue()))
    return kernel.emitError() << "has an unknown kind of kernel" << kCulprit;
  if (!kernel.isPrivate() || !kernel.getBody().hasOneBlock())
    return kernel.emitError() << "a kernel is a private function of one block" << kCulprit;
  if (kernel->hasAttr(DynDialect::kRowsAttrName) != (kind == "row"))
    return kernel.emitError() << "a kernel says its number of row loops if it is a row kernel" << kCulprit;
  for (Operation &op : kernel.front())
    if (failed(verifyKernelOp(&op, kind == "sequential")))
      return failure();
  return success();
}

namespace {
class VerifyKernelsPass : public dyn::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (function->hasAttr(DynDialect::kKernelAttrName)) {
        if (failed(verifyKernel(function)))
          return signalPassFailure();
        continue;
      }
      for (Block &block : function.getBody())
        for (Operation &op : block)
          if (failed(verifyMainOp(&op, symbols)))
            return signalPassFailure();
    }
  }
};
} // namespace
