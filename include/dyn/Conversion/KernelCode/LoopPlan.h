//===- The loops of a linalg op and how operands depend on them --*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_LOOPPLAN_H
#define DYN_CONVERSION_KERNELCODE_LOOPPLAN_H

#include "dyn/Conversion/KernelCode/Body.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dyn::codegen {

/// Linalg ops that run in the loops of one of them, `main`; what one computes at a point and another reads there need
/// not go through memory.
struct FusedOps {
  /// Generics without reductions whose results `main`, or one of them that follows, reads at the same point.
  llvm::SmallVector<mlir::linalg::GenericOp> prologue;
  mlir::linalg::LinalgOp main;
  /// A generic without reductions that reads the one result of `main` with an identity map; may be null.
  mlir::linalg::GenericOp epilogue;
};

/// For each op of the prologue, its loops as loops of `main`; none if they do not run in the same loops.
std::optional<llvm::SmallVector<llvm::SmallVector<unsigned>>>
mapPrologueLoops(llvm::ArrayRef<mlir::linalg::GenericOp> prologue, mlir::linalg::LinalgOp main);

/// The loops of a linalg op as they will run: those of extent 1 are gone, neighbours that every operand sees as one
/// loop are one.
class LoopPlan {
public:
  struct Loop {
    /// Loops of the op that run as this one.
    llvm::SmallVector<unsigned, 2> members;
    mlir::Value extent;
    bool isReduction;
  };
  struct Operand {
    /// Null if the operand is a scalar or a result that is computed at the same point.
    TensorMemory *memory = nullptr;
    mlir::Value scalar, computed;
    /// Whether an output is read elsewhere than at the same point.
    bool isStored = true;
    /// Indices as functions of the op's loops.
    mlir::AffineMap map;
    /// Per loop of the plan; null if the operand does not depend on it.
    llvm::SmallVector<mlir::Value> strides;
    mlir::Value offset;

    bool dependsOn(unsigned loop) const { return bool(strides[loop]); }
    bool isContiguous(unsigned loop) const { return strides[loop] && isConstant(strides[loop], 1); }
  };
  /// A linalg op as the plan sees it.
  struct Stage {
    mlir::linalg::LinalgOp op;
    llvm::SmallVector<Operand> inputs, outputs;
    /// The op's loops as loops of the main op.
    llvm::SmallVector<unsigned> loopOf;
  };
  /// An index for each loop of the plan.
  using Place = llvm::SmallVector<Lanes>;

  /// `fixed`: the first so many loops of the main op stay as they are, in front of all others.
  LoopPlan(KernelCode &kernel, const FusedOps &ops, unsigned fixed);

protected:
  /// The op whose results are written.
  Stage &last() { return epilogue ? *epilogue : main; }
  Lanes offsetOf(const Operand &operand, const Place &place, const Points &points);
  /// What the main op yields at a place, after the prologue; `outputs` are the old values of its outputs.
  llvm::SmallVector<Lanes> evaluate(const Place &place, const Points &points, llvm::ArrayRef<Lanes> outputs);
  /// Writes the values of the main op, or what the epilogue makes of them.
  void finish(const Place &place, const Points &points, llvm::ArrayRef<Lanes> results);
  /// Puts a loop of one index, which no operand depends on, in front of the reductions.
  void addUnitLoop();
  /// Calls `visit` for the prologue, the main op and the epilogue.
  void forEachStage(llvm::function_ref<void(Stage &)> visit);

  KernelCode &kernel;
  Code &code;
  unsigned fixed;
  llvm::SmallVector<Stage, 0> prologue;
  Stage main;
  std::optional<Stage> epilogue;
  /// Of the op's loops.
  llvm::SmallVector<mlir::Value> extents;
  /// Fixed loops, parallel loops in the order of the dims of the first output, reductions.
  llvm::SmallVector<Loop> loops;
  unsigned firstReduction = 0;
  /// Whether outputs that are large are written past the caches.
  bool writesPastCaches = false;
  /// What some inputs are at the place where the next points are, if they have been loaded before.
  llvm::SmallDenseMap<const Operand *, Lanes> loaded;

private:
  /// Results computed at the point that is being built.
  using Results = llvm::SmallDenseMap<mlir::Value, Lanes>;

  Stage describe(mlir::linalg::LinalgOp op, llvm::ArrayRef<unsigned> loopOf, const FusedOps &ops);
  llvm::SmallVector<Lanes> evaluateStage(Stage &stage, const Place &place, const Points &points,
                                         llvm::ArrayRef<Lanes> outputs, const Results &results);
  void write(const Operand &output, const Lanes &value, const Place &place, const Points &points);
  void findExtents();
  void formLoops();
  bool canMerge(unsigned outer, unsigned inner);
  void computeStrides(Operand &operand);
};

/// A `linalg.fill` with a known value that only begins a reduction is no work of its own.
mlir::Value getReductionStart(mlir::OpOperand &init);
bool isReductionStart(mlir::linalg::LinalgOp op);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_LOOPPLAN_H
