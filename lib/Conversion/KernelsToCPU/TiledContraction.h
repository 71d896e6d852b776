//===- A contraction in register tiles ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_TILEDCONTRACTION_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_TILEDCONTRACTION_H

#include "TileFunctions.h"
#include "dyn/Conversion/KernelCode/ContractionPlan.h"

namespace dyn::cpu {

/// A contraction with a loop for rows, which only the left operand has, and one for columns, which only the right one
/// has. An item is some rows times the columns of one tile; other parallel loops are outside. The right operand is read
/// where it is if it lies in panels, or its columns are contiguous and all there; otherwise it is copied first.
class TiledContraction : private ContractionPlan {
public:
  /// `isFlat`: for few rows; only then may there be few.
  TiledContraction(CPUKernelCode &kernel, mlir::linalg::GenericOp op, mlir::linalg::GenericOp epilogue, bool isFlat);

  /// Whether there are so few rows that flat tiles are better.
  mlir::Value emitHasFewRows();
  mlir::Value emitItemCount() { return code.mul(code.product(outerExtents), code.mul(rowChunks, columnPanels)); }
  mlir::Value emitCost();
  mlir::Value emitScratchBytes();
  void emitItems(mlir::Value begin, mlir::Value end);

private:
  bool isInPanels() { return right().memory->panels.has_value(); }
  /// Whether no tile has fewer columns than others.
  bool isDividedByTiles();
  /// Asks for memory for a copy of the columns of an item, if there may be one.
  void reservePanel();
  bool isReadInPlace() { return isInPanels() || (right().isContiguous(columnLoop) && !isWorthFlattening()); }
  /// Whether the reduction is one loop over a copy of the right operand.
  bool isFlattened() { return !isReadInPlace() && isReducedInOrder(left()); }
  /// With the few steps of a window in the innermost loop, a tile would be loaded and stored for little work. For few
  /// rows the copy would be more.
  bool isWorthFlattening();
  TileFunctions getTiles() {
    return TileFunctions(kernel, mlir::cast<mlir::linalg::GenericOp>(*main.op), 1 - rhs, rhs, isFlat);
  }
  void emitSizes();
  void emitItem(TileFunctions &tiles, mlir::Value item, bool isInPlace, bool isAlwaysFull);
  /// The right operand's columns of an item: its address, then the stride of each reduction loop.
  llvm::SmallVector<mlir::Value> emitPanel(TileFunctions &tiles, const Place &place, mlir::Value rows,
                                           mlir::Value columns, mlir::Value isFull, bool isInPlace);
  /// The part of the next item's panel that one of `blocks` blocks of rows brings nearer. Beyond the last panel this
  /// prefetches what may not be there, which no machine minds.
  TileFunctions::Ahead emitAhead(TileFunctions &tiles, llvm::ArrayRef<mlir::Value> panel, mlir::Value block,
                                 mlir::Value blocks);
  /// From the columns of one panel to those of the next.
  mlir::Value emitPanelStride(TileFunctions &tiles);
  /// Whether the rows of the right operand lie so that few of them fit into the cache together, or each on its own
  /// page.
  mlir::Value emitScatters();
  mlir::Value emitCollides(mlir::Value stride, mlir::Type elementType);
  /// The most rows of a tile: fewer where more of the left operand's would push each other out of the cache.
  mlir::Value emitTileRows(TileFunctions &tiles);
  void emitPacking(TileFunctions &tiles, unsigned loop, mlir::Value from, mlir::Value to,
                   llvm::ArrayRef<mlir::Value> inPlace, llvm::ArrayRef<mlir::Value> packed, mlir::Value columns);
  /// Computes `count` rows into the tile.
  void emitReduction(TileFunctions &tiles, const Place &place, mlir::Value count, llvm::ArrayRef<mlir::Value> panel,
                     const TileFunctions::Used &used, const TileFunctions::Ahead &ahead);
  mlir::Value leftStride(unsigned loop) { return left().dependsOn(loop) ? left().strides[loop] : code.index(0); }
  /// The reduction loops from the outermost on: the one that is known to be longest is last, since each of its runs
  /// loads and stores a tile.
  llvm::SmallVector<unsigned> getReductionOrder();
  void emitReductionLoops(TileFunctions &tiles, llvm::ArrayRef<unsigned> order, mlir::Value from, mlir::Value rightFrom,
                          mlir::Value count, llvm::ArrayRef<mlir::Value> panel, mlir::Value start, mlir::Value resumes,
                          const TileFunctions::Used &used, const TileFunctions::Ahead &ahead = {});
  /// Asks for the lines of the output that a tile of `count` rows will write: they come while it is computed, where
  /// stores would wait for them.
  void emitOutputFetch(TileFunctions &tiles, const Place &place, mlir::Value firstRow, mlir::Value count);
  /// Takes the tile through the epilogue to the output.
  void emitOutputs(TileFunctions &tiles, const Place &place, mlir::Value firstRow, mlir::Value count,
                   mlir::Value firstColumn, mlir::Value columns, mlir::Value isFull);

  CPUKernelCode &kernel;
  bool isFlat;
  llvm::SmallVector<mlir::Value> outerExtents;
  mlir::Value steps, itemRows, rowChunks, columnPanels;
  mlir::Value tile, scatters;
};

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_TILEDCONTRACTION_H
