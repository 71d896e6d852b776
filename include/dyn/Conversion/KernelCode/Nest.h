//===- One linalg op as a vectorised loop nest ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_NEST_H
#define DYN_CONVERSION_KERNELCODE_NEST_H

#include "dyn/Conversion/KernelCode/LoopPlan.h"

namespace dyn::codegen {

/// The loops of a linalg op, whatever its maps and its body are: right for every op, fast for those that read memory in
/// order.
///
/// Parallel loops run in the order of the dims of the first output, reductions inside them. One loop runs in vectors:
/// the one along which the output is contiguous, unless inputs are not and the reduction is over contiguous inputs;
/// then each lane holds a partial result. Where the kernel has no vectors, an item is one point of the parallel loops.
///
/// Inputs that are contiguous along another parallel loop than the output, as in a transpose, are read in squares of as
/// many vectors as a vector has lanes, which are transposed in registers.
class Nest : private LoopPlan {
public:
  /// `fixed`: the first so many loops of the main op are given an index by the user of the nest (`emitAll`).
  Nest(KernelCode &kernel, const FusedOps &ops, unsigned fixed = 0);

  /// The work divided into items that are independent of each other (without fixed loops).
  mlir::Value emitItemCount();
  void emitItems(mlir::Value begin, mlir::Value end);
  void emitItem(mlir::Value item);
  /// Roughly how many instructions an item, or, with fixed loops, the whole nest takes.
  mlir::Value emitCost();

  /// Everything, for given indices of the fixed loops.
  void emitAll(mlir::ValueRange fixedIndices);
  /// Lets the loop in vectors also fetch what it would read of the kernel's arguments if the last fixed loop were one
  /// further. False if that is nothing.
  bool lookAhead();

private:
  void chooseVectorLoop();
  void chooseItems();
  std::optional<unsigned> findLoopAcross();
  bool isAcross(const Operand &input, unsigned loop);
  int countIrregular(unsigned loop);
  bool isShortWindow(unsigned reduction, unsigned parallel);
  bool isPartial(unsigned output);
  int64_t pointCost();
  /// Does a point cost so much, such as a function does, that ops wait for each other rather than for memory?
  bool isLong();
  unsigned chooseUnroll();

  Place startPlace(mlir::ValueRange fixedIndices);
  void emitParallel(unsigned next, Place &place, mlir::Value lower, mlir::Value upper);
  void emitVectors(unsigned loop, Place &place, mlir::Value lower, mlir::Value upper);
  void emitVectorLoops(unsigned loop, Place &place, mlir::Value lower, mlir::Value upper);
  void emitTile(Place &place, mlir::Value first, mlir::Value lower, mlir::Value upper);
  void emitSquare(Place &place, mlir::Value first, mlir::Value start);
  mlir::Value emitWritesPastCaches(Place place, unsigned loop, mlir::Value lower);
  llvm::SmallVector<const Operand *> findInputsAhead();
  void emitPrefetches(const Place &place, int64_t count);
  void emitPoints(llvm::ArrayRef<Place> places, const Points &points);
  llvm::SmallVector<mlir::Value> initialValues(const Place &place, const Points &points);
  llvm::SmallVector<mlir::Value> emitReductions(unsigned next, llvm::ArrayRef<Place> places, const Points &points,
                                                mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> emitPartialReductions(unsigned next, const Place &place, mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> combinePartials(mlir::ValueRange partials, mlir::ValueRange initial);
  llvm::SmallVector<unsigned> getVectorCounts();
  mlir::Value combine(unsigned output, mlir::Value lhs, mlir::Value rhs);

  bool looksAhead = false;
  std::optional<unsigned> vectorLoop;
  unsigned lanes = 0;
  /// How many vectors are computed side by side, to hide the latency of reductions and long bodies.
  unsigned unroll = 1;
  /// Parallel loops before this one are divided into items.
  unsigned firstInner = 0;
  /// If not 0, the last parallel loop is divided into items of so many indices.
  int64_t blockSize = 0;
  /// The parallel loop along which inputs are contiguous that are not along the last one. Items have `lanes` of its
  /// indices, and neighbours in it follow each other.
  std::optional<unsigned> loopAcross;
};

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_NEST_H
