//===- How much launches compute and move -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Transforms/Kernels/Passes.h"
#include "dyn/Transforms/Memory/SizeExprs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace dyn {
#define GEN_PASS_DEF_ANNOTATEWORKPASS
#include "dyn/Transforms/Kernels/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using symbolic::Expr;

/// Operations on elements that an op of a body stands for.
static int64_t countOperations(Operation &op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect()) ||
      isa<CastOpInterface, arith::SelectOp>(op) || op.getNumOperands() == 0 || op.getOperand(0).getType().isIndex())
    return 0;
  return isa<math::FmaOp>(op) ? 2 : 1;
}

namespace {

/// Follows the sizes of one launch through its kernel. A null expression is an unknown number.
class LaunchWork {
public:
  LaunchWork(shape::LaunchOp launch, func::FuncOp kernel, SizeExprs &sizes)
      : kernel(kernel), zero(sizes.getSolver().getContext().getConstant(0)) {
    unsigned next = 0;
    auto addBuffers = [&](ValueRange buffers) {
      for (Value buffer : buffers) {
        BlockArgument argument = kernel.getArgument(next++);
        dims[argument] = sizes.getDims(buffer);
        bufferOf[argument] = buffer;
      }
    };
    addBuffers(launch.getInputs());
    for (Value size : launch.getSizes())
      values[kernel.getArgument(next++)] = sizes.getExpr(size);
    firstOutput = next;
    addBuffers(launch.getOutputs());
  }

  Expr getOperations() { return count(kernel.front(), zero + 1); }

  /// After `getOperations`, which finds out how often elements are read.
  Expr getBytes() {
    Expr bytes = zero;
    DenseSet<Value> seen;
    for (BlockArgument argument : kernel.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      Expr all = getElements(argument);
      bool isOutput = argument.getArgNumber() >= firstOutput;
      if (!isOutput && (argument.use_empty() || !seen.insert(bufferOf[argument]).second))
        continue;
      auto reads = elementReads.find(argument);
      if (!isOutput && !isReadAsAWhole(argument) && reads != elementReads.end())
        all = reads->second ? symbolic::min({all, reads->second}) : Expr();
      bytes = bytes + all * getBytesOfElement(type.getElementType()).value_or(1);
    }
    return bytes;
  }

private:
  static bool isReadAsAWhole(Value tensor) {
    return llvm::any_of(tensor.getUsers(),
                        [](Operation *user) { return !isa<tensor::ExtractOp, tensor::DimOp>(user); });
  }

  Expr getElements(Value tensor) {
    Expr elements = zero + 1;
    for (Expr dim : dims.lookup(tensor))
      elements = elements * dim;
    return elements;
  }

  Expr getValue(OpFoldResult size) {
    if (auto attribute = dyn_cast<Attribute>(size))
      return zero + cast<IntegerAttr>(attribute).getInt();
    IntegerAttr constant;
    if (matchPattern(cast<Value>(size), m_Constant(&constant)))
      return zero + constant.getInt();
    return values.lookup(cast<Value>(size));
  }

  /// Operations of a block that is executed so many times.
  Expr count(Block &block, Expr times) {
    Expr operations = zero;
    for (Operation &op : block)
      operations = operations + count(op, times);
    return operations;
  }

  Expr count(Operation &op, Expr times) {
    if (auto generic = dyn_cast<linalg::LinalgOp>(op)) {
      for (auto [result, init] : llvm::zip(op.getResults(), generic.getDpsInits()))
        dims[result] = dims.lookup(init);
      return isa<linalg::FillOp>(op) ? zero : count(*generic.getBlock(), times * getIterations(generic));
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [result, init, argument] : llvm::zip(loop.getResults(), loop.getInitArgs(), loop.getRegionIterArgs()))
        dims[result] = dims[argument] = dims.lookup(init);
      Expr step = getValue(loop.getStep());
      bool isConstant = step && step.getConstant().value_or(0) > 0;
      Expr length = isConstant ? symbolic::ceilDiv(getValue(loop.getUpperBound()) - getValue(loop.getLowerBound()),
                                                   *step.getConstant())
                               : Expr();
      return count(*loop.getBody(), length ? times * symbolic::max({length, zero}) : Expr());
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      // How often a branch is taken, data determine.
      Expr operations = zero;
      for (Region &region : branch->getRegions())
        for (Block &inner : region)
          operations = operations + count(inner, times);
      for (auto [index, result] : llvm::enumerate(branch.getResults()))
        dims[result] = dims.lookup(branch.thenYield().getOperand(index));
      return operations == zero ? zero : Expr();
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      auto [entry, isNew] = elementReads.try_emplace(extract.getTensor(), times);
      if (!isNew)
        entry->second = entry->second + times;
      return zero;
    }
    follow(op);
    int64_t operations = countOperations(op);
    return operations ? times * operations : zero;
  }

  /// Keeps track of what sizes an op computes.
  void follow(Operation &op) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      for (OpFoldResult size : empty.getMixedSizes())
        dims[empty.getResult()].push_back(getValue(size));
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      for (OpFoldResult size : slice.getMixedSizes())
        dims[slice.getResult()].push_back(getValue(size));
    } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      SmallVector<Expr> shape = dims.lookup(dim.getSource());
      std::optional<int64_t> index = dim.getConstantIndex();
      if (index && *index >= 0 && size_t(*index) < shape.size())
        values[dim.getResult()] = shape[*index];
    } else if (isa<tensor::InsertSliceOp, tensor::InsertOp>(op)) {
      dims[op.getResult(0)] = dims.lookup(op.getOperand(1));
    } else if (isa<arith::AddIOp>(op) && op.getResult(0).getType().isIndex()) {
      values[op.getResult(0)] = getValue(op.getOperand(0)) + getValue(op.getOperand(1));
    } else if (isa<arith::SubIOp>(op) && op.getResult(0).getType().isIndex()) {
      values[op.getResult(0)] = getValue(op.getOperand(0)) - getValue(op.getOperand(1));
    } else if (isa<arith::MulIOp>(op) && op.getResult(0).getType().isIndex()) {
      values[op.getResult(0)] = getValue(op.getOperand(0)) * getValue(op.getOperand(1));
    }
  }

  /// The product of the lengths of all loops.
  Expr getIterations(linalg::LinalgOp op) {
    SmallVector<Expr> lengths(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      SmallVector<Expr> shape = dims.lookup(operand.get());
      for (auto [index, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(result); loop && index < shape.size() && !lengths[loop.getPosition()])
          lengths[loop.getPosition()] = shape[index];
    }
    Expr iterations = zero + 1;
    for (Expr length : lengths)
      iterations = iterations * length;
    return iterations;
  }

  func::FuncOp kernel;
  Expr zero;
  unsigned firstOutput = 0;
  DenseMap<Value, SmallVector<Expr>> dims; ///< of the kernel's tensors
  DenseMap<Value, Expr> values;            ///< of the kernel's integers
  DenseMap<Value, Value> bufferOf;         ///< of the kernel's arguments: the launch's operand
  DenseMap<Value, Expr> elementReads;      ///< at computed indices
};

bool takesOperands(func::FuncOp kernel, shape::LaunchOp launch) {
  ValueRange operands = launch->getOperands().drop_back(launch.getConditions().size());
  return llvm::equal(kernel.getArgumentTypes(), operands.getTypes(), [](Type argument, Type operand) {
    return isa<ShapedType>(operand) ? isa<RankedTensorType>(argument) : argument == operand;
  });
}

struct AnnotateWorkPass : dyn::impl::AnnotateWorkPassBase<AnnotateWorkPass> {
  void runOnOperation() override {
    SymbolTable table(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(DynDialect::kKernelAttrName))
        continue;
      SizeExprs sizes(function);
      function.walk([&](shape::LaunchOp launch) {
        auto kernel = table.lookup<func::FuncOp>(launch.getKernel());
        // Sizes come from memory; and kernels that are no longer on tensors have other arguments.
        bool isOnMemory =
            llvm::all_of(launch.getOutputs(), [](Value output) { return isa<MemRefType>(output.getType()); });
        if (!kernel || kernel.isExternal() || !isOnMemory || !takesOperands(kernel, launch))
          return;
        LaunchWork work(launch, kernel, sizes);
        auto annotate = [&](StringRef name, Expr expr) {
          // A value that is no expression of symbols would have a name of its own, which tells nobody anything.
          if (expr && expr.isWithinBudget() && sizes.isOverSymbols(expr))
            launch->setAttr(name, ExprAttr::get(&getContext(), expr));
        };
        annotate(DynDialect::kOperationsAttrName, work.getOperations());
        annotate(DynDialect::kBytesAttrName, work.getBytes());
      });
    }
  }
};

} // namespace
