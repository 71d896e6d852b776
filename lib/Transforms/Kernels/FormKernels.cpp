//===- dyn-form-kernels: kernels and their launches ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelGrouping.h"
#include "dyn/Transforms/Kernels/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dyn {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "dyn/Transforms/Kernels/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// Erases what nobody uses, from the end.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// A generic that writes `inputs`' elements, or the scalar that a fill writes, to a destination of its own.
static Value createCopy(OpBuilder &b, Location loc, Value tensor, ArrayRef<OpFoldResult> sizes, Value scalar) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  if (!scalar)
    inputs.push_back(tensor);
  SmallVector<AffineMap> maps(inputs.size() + 1, identity);
  return linalg::GenericOp::create(b, loc, TypeRange{type}, inputs, empty, maps, iterators,
                                   [&](OpBuilder &b, Location loc, ValueRange elements) {
                                     linalg::YieldOp::create(b, loc, scalar ? scalar : elements.front());
                                   })
      .getResult(0);
}

/// A fill whose result is read becomes a generic; as a destination every kernel makes its own.
static void separateFills(Block &block) {
  for (auto fill : llvm::make_early_inc_range(block.getOps<linalg::FillOp>())) {
    if (isDestinationOnly(fill))
      continue;
    OpBuilder b(fill);
    auto empty = fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      continue;
    Value copy = createCopy(b, fill.getLoc(), fill.getResult(0), empty.getMixedSizes(), fill.getInputs().front());
    fill.getResult(0).replaceUsesWithIf(copy, [](OpOperand &use) {
      auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return !destinationStyle || !destinationStyle.isDpsInit(&use);
    });
  }
}

/// What a view shows.
static Value getViewed(Value value) {
  while (isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

namespace {
/// The sizes of tensors of one function, as values that are there already.
class SizeFinder {
public:
  explicit SizeFinder(func::FuncOp function) : function(function) {
    for (Operation &op : function.front()) {
      if (auto symbol = dyn_cast<shape::SymOp>(op))
        known[ExprAttr::get(op.getContext(), context.getSymbol(symbol.getName()))] = symbol;
      else if (auto apply = dyn_cast<shape::ApplyOp>(op))
        known[apply.getExpr()] = apply;
    }
  }

  SmallVector<OpFoldResult> find(OpBuilder &b, Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      sizes.push_back(type.isDynamicDim(dim) ? findDim(b, tensor, dim)
                                             : OpFoldResult(b.getIndexAttr(type.getDimSize(dim))));
    return sizes;
  }

private:
  OpFoldResult findDim(OpBuilder &b, Value tensor, int64_t dim) {
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      auto dims = function.getArgAttrOfType<DimsAttr>(argument.getArgNumber(), DynDialect::kDimsAttrName);
      if (Value value = dims ? known.lookup(dims.getDims()[dim]) : Value())
        return value;
    }
    Operation *op = tensor.getDefiningOp();
    if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
      return empty.getMixedSizes()[dim];
    if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
      return expand.getMixedOutputShape()[dim];
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
      OpFoldResult product = b.getIndexAttr(1);
      Value value;
      for (int64_t inner : collapse.getReassociationIndices()[dim]) {
        OpFoldResult size = findDimOrConstant(b, collapse.getSrc(), inner);
        Value factor = getValueOrCreateConstantIndexOp(b, op->getLoc(), size);
        value = value ? arith::MulIOp::create(b, op->getLoc(), value, factor).getResult() : factor;
      }
      return value ? OpFoldResult(value) : product;
    }
    if (op)
      if (OpOperand *destination = getDestination(cast<OpResult>(tensor)))
        return findDim(b, destination->get(), dim);
    return tensor::DimOp::create(b, tensor.getLoc(), tensor, dim).getResult();
  }
  OpFoldResult findDimOrConstant(OpBuilder &b, Value tensor, int64_t dim) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.isDynamicDim(dim) ? findDim(b, tensor, dim) : OpFoldResult(b.getIndexAttr(type.getDimSize(dim)));
  }

  func::FuncOp function;
  symbolic::SymbolicContext context;
  llvm::DenseMap<Attribute, Value> known;
};
} // namespace

/// Copies what main returns unless a kernel writes it, for this place alone.
static void separateResults(func::FuncOp function) {
  Operation *terminator = function.front().getTerminator();
  OpBuilder b(terminator);
  std::optional<SizeFinder> sizes;
  llvm::SmallPtrSet<Value, 4> returned;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    Value viewed = getViewed(value);
    Operation *op = viewed.getDefiningOp();
    if (op && !staysOnHost(op) && returned.insert(viewed).second)
      continue;
    if (!sizes)
      sizes.emplace(function);
    operand.set(createCopy(b, terminator->getLoc(), value, sizes->find(b, value), Value()));
  }
}

namespace {
class FormKernelsPass : public dyn::impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    KernelOutliner outliner(getOperation());
    SmallVector<func::FuncOp> functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function.isExternal() || function->hasAttr(DynDialect::kKernelAttrName))
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError() << "'dyn-form-kernels' expects one block";
        return signalPassFailure();
      }
      if (failed(formKernels(function, outliner)))
        return signalPassFailure();
    }
    numKernels += outliner.getNumKernels();
    numLaunches += outliner.getNumLaunches();
  }

  LogicalResult formKernels(func::FuncOp function, KernelOutliner &outliner) {
    Block &block = function.front();
    eraseDeadOps(block);
    separateFills(block);
    separateResults(function);
    FailureOr<SmallVector<KernelGroup>> groups = groupSeparately(block);
    if (failed(groups))
      return failure();
    for (const KernelGroup &group : *groups)
      if (failed(outliner.outline(group)))
        return failure();
    // A launch stands where the last op of its group stood, maybe behind users of its other results.
    sortTopologically(&block);
    eraseDeadOps(block);
    return success();
  }
};
} // namespace
