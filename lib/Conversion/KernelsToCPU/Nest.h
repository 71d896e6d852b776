//===- One linalg op as a vectorised loop nest ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_NEST_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_NEST_H

#include "Body.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dyn::cpu {

/// The loops of a linalg op, whatever its maps and its body are: right for every op, fast for those that read memory in
/// order.
///
/// Neighbouring loops that every operand sees as one become one. Parallel loops run in the order of the dims of the
/// first output, reductions inside them. One loop runs in vectors: the one along which the output is contiguous, unless
/// inputs are not and the reduction is over contiguous inputs; then each lane holds a partial result.
class Nest {
public:
  /// `fixed`: the first so many loops of `op` are given an index by the user of the nest (`run`). `epilogue`, if any,
  /// is a generic without reductions that reads the one result of `op` with an identity map; it is computed on values
  /// that never go through memory.
  Nest(KernelCode &kernel, mlir::linalg::LinalgOp op, unsigned fixed = 0, mlir::linalg::GenericOp epilogue = {});

  /// The work divided into items that are independent of each other (without fixed loops).
  mlir::Value emitItemCount();
  void emitItems(mlir::Value begin, mlir::Value end);
  /// Roughly how many instructions an item, or, with fixed loops, the whole nest takes.
  mlir::Value emitCost();

  /// Everything, for given indices of the fixed loops.
  void emitAll(mlir::ValueRange fixedIndices);

private:
  struct Loop {
    /// Loops of the op that run as this one.
    llvm::SmallVector<unsigned, 2> members;
    mlir::Value extent;
    bool isReduction;
  };
  struct Operand {
    /// Null if the operand is a scalar or the result that an epilogue reads.
    TensorMemory *memory = nullptr;
    mlir::Value scalar;
    /// Indices as functions of the op's loops.
    mlir::AffineMap map;
    /// Per loop of the nest; null if the operand does not depend on it.
    llvm::SmallVector<mlir::Value> strides;
    mlir::Value offset;
  };
  /// A linalg op as the nest sees it.
  struct Stage {
    mlir::linalg::LinalgOp op;
    llvm::SmallVector<Operand> inputs, outputs;
    /// The op's loops as loops of the main op.
    llvm::SmallVector<unsigned> loopOf;
  };
  using Place = llvm::SmallVector<Lanes>;

  Stage describe(mlir::linalg::LinalgOp op, llvm::ArrayRef<unsigned> loopOf, mlir::Value replaced);
  void findExtents();
  void formLoops();
  bool canMerge(unsigned outer, unsigned inner) const;
  void computeStrides(Operand &operand);
  void chooseVectorLoop();
  void chooseItems();
  int countIrregular(unsigned loop) const;
  bool isPartial(unsigned output);

  Place startPlace(mlir::ValueRange fixedIndices);
  void emitParallel(unsigned next, Place &place, mlir::Value lower, mlir::Value upper);
  void emitVectors(unsigned loop, Place &place, mlir::Value lower, mlir::Value upper);
  void emitPoints(llvm::ArrayRef<Place> places, const Points &points);
  llvm::SmallVector<mlir::Value> initialValues(const Place &place, const Points &points);
  llvm::SmallVector<mlir::Value> emitReductions(unsigned next, llvm::ArrayRef<Place> places, const Points &points,
                                                mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> emitPartialReductions(unsigned next, const Place &place, mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> combinePartials(mlir::ValueRange partials, mlir::ValueRange initial);
  llvm::SmallVector<Lanes> evaluate(Stage &stage, const Place &place, const Points &points,
                                    llvm::ArrayRef<Lanes> outputs, llvm::ArrayRef<Lanes> results);
  void finish(const Place &place, const Points &points, llvm::ArrayRef<Lanes> results);
  Lanes offsetOf(const Operand &operand, const Place &place, const Points &points);
  mlir::Value combine(unsigned output, mlir::Value lhs, mlir::Value rhs);

  KernelCode &kernel;
  Code &code;
  unsigned fixed;
  Stage main;
  std::optional<Stage> epilogue;
  /// Of the op's loops.
  llvm::SmallVector<mlir::Value> extents;
  /// Fixed loops, parallel loops, reductions.
  llvm::SmallVector<Loop> loops;
  unsigned firstReduction = 0;
  std::optional<unsigned> vectorLoop;
  unsigned lanes = 0;
  /// How many vectors are computed side by side, to hide the latency of reductions.
  unsigned unroll = 1;
  /// Parallel loops before this one are divided into items.
  unsigned firstInner = 0;
  /// If not 0, the last parallel loop is divided into items of so many indices.
  int64_t blockSize = 0;
};

/// A `linalg.fill` with a known value that only begins a reduction is no work of its own.
mlir::Value getReductionStart(mlir::OpOperand &init);
bool isReductionStart(mlir::linalg::LinalgOp op);

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_NEST_H
