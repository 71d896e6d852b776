//===- The work of an attention kernel ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_ATTENTIONITEMS_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_ATTENTIONITEMS_H

#include "AttentionPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace dyn::cpu {

/// Emits the code of the items that an AttentionPlan divides a kernel into.
class AttentionItems : private AttentionPlan {
public:
  using AttentionPlan::AttentionPlan;

  void emit();

  /// See KernelForm.
  mlir::Value emitScratchBytes();

private:
  /// Some rows of a block that are computed together: the index of the first in the tensors, its number in the item,
  /// how many they are, and the number of the group.
  struct RowGroup {
    mlir::Value row, local, rows, number;
  };
  /// A block of keys.
  struct KeyBlock {
    mlir::Value first, count, isLater;
  };

  /// Computes sizes and offsets of what is copied, and asks for memory for it.
  void emitSizes();
  void emitItem(mlir::Value item);
  void forEachRowGroup(mlir::Value firstRow, mlir::Value height, llvm::function_ref<void(const RowGroup &)> body);
  /// The queries of a group: where they are, or a copy of the sums' type.
  TileFunctions::Matrix emitQueries(const RowGroup &group);
  void packKeys(const KeyBlock &block);
  void packValues(const KeyBlock &block);
  void emitScores(const KeyBlock &block, const RowGroup &group);
  void emitRow(const KeyBlock &block, const RowGroup &group, mlir::Value number);
  mlir::Value emitEpilogueOfRow(const KeyBlock &block, const RowGroup &group, mlir::Value number);
  void emitProducts(const KeyBlock &block, const RowGroup &group);
  void emitResults(const RowGroup &group);

  mlir::Value element(mlir::Value base, mlir::Value offset) { return addressOf(code, base, sumType, offset); }
  Lanes loadFrom(mlir::Value base, mlir::Value offset, const Points &points) {
    return load(code, memoryAt(base), place(offset, points), points);
  }
  void storeTo(mlir::Value base, mlir::Value offset, const Lanes &value, const Points &points) {
    store(code, memoryAt(base), place(offset, points), value, points);
  }
  TensorMemory memoryAt(mlir::Value base) { return TensorMemory{base, sumType, {}, {}, false, {}}; }
  Lanes place(mlir::Value offset, const Points &points) {
    return points.lanes ? Lanes::linear(offset, code.index(1)) : Lanes::uniform(offset);
  }
  mlir::Value number(float value, const Points &points = {}) {
    mlir::Value scalar =
        mlir::arith::ConstantOp::create(code.builder, code.loc, code.builder.getFloatAttr(sumType, value));
    return code.materialize(Lanes::uniform(scalar), points);
  }
  mlir::Value combineLanes(mlir::Value vector, llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  mlir::Value larger(mlir::Value a, mlir::Value b);
  mlir::Value sumOf(mlir::Value a, mlir::Value b) { return mlir::arith::AddFOp::create(code.builder, code.loc, a, b); }
  mlir::Value exponential(mlir::Value x) { return mlir::math::ExpOp::create(code.builder, code.loc, x); }
  mlir::Value negate(mlir::Value condition) {
    return code.builder.createOrFold<mlir::arith::XOrIOp>(code.loc, condition, this->condition(true));
  }
  mlir::Value condition(bool value) { return mlir::arith::ConstantIntOp::create(code.builder, code.loc, value, 1); }
  /// Of `tiles.columns()` from `first` on, how many there are of `count`.
  mlir::Value countFrom(TileFunctions &tiles, mlir::Value first, mlir::Value count) {
    return code.min(code.sub(count, first), code.index(tiles.columns()));
  }
  /// Whether a tile with `count` columns needs its first vectors only.
  mlir::Value isNarrow(TileFunctions &tiles, mlir::Value count) {
    return code.isLess(count, code.index(tiles.lanes + 1));
  }
  /// The elements of the tile of a group's rows and a panel of values.
  mlir::Value offsetOfSums(mlir::Value group, mlir::Value panel) {
    return code.mul(code.add(code.mul(group, panels), panel), code.index(valueTiles.maxRows * valueTiles.columns()));
  }

  mlir::Type sumType = attention.getSumType();
  Points vector{scoreTiles.lanes, {}};
  int64_t tileElements = int64_t(scoreTiles.maxRows) * scoreTiles.columns();
  int64_t keyPanels = (blockKeys + scoreTiles.columns() - 1) / scoreTiles.columns();
  bool widensQueries = queries.memory->elementType != sumType;
  mlir::Value keyElements, valueElements, sumElements, queryRowElements; ///< of copies, and of sums
  /// On the stack: scores as the tiles leave them; weights row by row; of each row of an item the largest score so far
  /// and the sum of weights. Elsewhere: packed keys, packed values, sums of products, the queries of a group.
  mlir::Value scores, weights, maxima, weightSums;
  mlir::Value packedKeys, packedValues, sums, packedQueries;
  mlir::Value panelElements, keysAreInPlace, valuesAreInPlace;
  /// Of the loops of `scores`, of an item.
  llvm::SmallVector<Lanes> at;
};

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_ATTENTIONITEMS_H
