//===- How an attention is divided and what it keeps ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_ATTENTIONPLAN_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_ATTENTIONPLAN_H

#include "TileFunctions.h"
#include "dyn/Analysis/Attention.h"

namespace dyn::cpu {

/// An item is some rows of queries of one place of the outer loops. It goes through the keys in blocks: of each block
/// it packs the keys, and for a few rows at a time computes the scores into registers, brings their maximum, the sum of
/// their exponentials and the sum of the products with values up to date, all of which are scaled to the largest score
/// so far. Operands of 16 bits are widened when they are copied; weights are f32 or f64 and not rounded. For a single
/// row, as in decoding, keys and values are read once, so that copies would only cost.
class AttentionPlan {
public:
  AttentionPlan(CPUKernelCode &kernel, Attention &attention);

  mlir::Value emitItemCount() { return code.mul(code.product(outerExtents), rowBlocks); }
  mlir::Value emitCost();

protected:
  /// In a block of keys: as many as make the packed keys and the values of a block fit into the second-level cache.
  static constexpr int64_t blockKeys = 128;
  static constexpr int64_t maxItemRows = 192;

  /// An input or output: where it lies and the index of each of its dims.
  struct Operand {
    TensorMemory *memory;
    mlir::AffineMap map;
  };
  Operand operandOf(mlir::linalg::GenericOp op, mlir::OpOperand &operand);
  /// Where the operand is read or written at `loops`.
  Lanes offsetOf(const Operand &operand, llvm::ArrayRef<Lanes> loops, const Points &points);
  /// How far apart two neighbours along a loop that is an index by itself are.
  mlir::Value strideOf(const Operand &operand, unsigned loop);
  /// The loops of `values` where those of `scores` are at `at`, from the key `first` on.
  llvm::SmallVector<Lanes> loopsOfValues(llvm::ArrayRef<Lanes> at, mlir::Value first, const Lanes &column);
  mlir::Value addressAt(const Operand &operand, llvm::ArrayRef<Lanes> loops);
  /// What a generic without reductions makes of `computed`, the result of `producer`.
  Lanes evaluate(mlir::linalg::GenericOp op, mlir::linalg::GenericOp producer, const Lanes &computed,
                 llvm::ArrayRef<Lanes> loops, const Points &points);

  CPUKernelCode &kernel;
  Code &code;
  Attention &attention;
  TileFunctions scoreTiles, valueTiles;
  /// For values that are not copied.
  TileFunctions plainValueTiles;
  Operand queries, keys, values;
  llvm::SmallVector<mlir::Value> outerExtents;
  mlir::Value rowCount, keyCount, depth, columnCount;
  /// Items of rows; tiles of columns of values.
  mlir::Value rowBlocks, panels;
};

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_ATTENTIONPLAN_H
