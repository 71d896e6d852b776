//===- Attention with a running softmax ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttentionPlan.h"
#include "KernelForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace dyn::cpu;

/// Rows of values whose distance is a multiple of this share the same few places of the first-level cache.
static constexpr int64_t collidingBytes = 4096;

namespace {

class AttentionItems : private AttentionPlan {
public:
  using AttentionPlan::AttentionPlan;

  void emit();

  /// See KernelForm.
  Value emitScratchBytes();

private:
  /// Some rows of a block that are computed together: the index of the first in the tensors, its number in the item,
  /// how many they are, and the number of the group.
  struct RowGroup {
    Value row, local, rows, number;
  };
  /// A block of keys.
  struct KeyBlock {
    Value first, count, isLater;
  };

  /// Computes sizes and offsets of what is copied, and asks for memory for it.
  void emitSizes();
  void emitItem(Value item);
  void forEachRowGroup(Value firstRow, Value height, function_ref<void(const RowGroup &)> body);
  void packKeys(const KeyBlock &block);
  void packValues(const KeyBlock &block);
  void emitScores(const KeyBlock &block, const RowGroup &group);
  void emitRow(const KeyBlock &block, const RowGroup &group, Value number);
  Value emitEpilogueOfRow(const KeyBlock &block, const RowGroup &group, Value number);
  void emitProducts(const KeyBlock &block, const RowGroup &group);
  void emitResults(const RowGroup &group);

  Value element(Value base, Value offset) { return addressOf(code, base, f32, offset); }
  Lanes loadFrom(Value base, Value offset, const Points &points) {
    return load(code, memoryAt(base), place(offset, points), points);
  }
  void storeTo(Value base, Value offset, const Lanes &value, const Points &points) {
    store(code, memoryAt(base), place(offset, points), value, points);
  }
  TensorMemory memoryAt(Value base) { return TensorMemory{base, f32, {}, {}, false, {}}; }
  Lanes place(Value offset, const Points &points) {
    return points.lanes ? Lanes::linear(offset, code.index(1)) : Lanes::uniform(offset);
  }
  Value number(float value, const Points &points = {}) {
    Value scalar = arith::ConstantOp::create(code.builder, code.loc, code.builder.getF32FloatAttr(value));
    return code.materialize(Lanes::uniform(scalar), points);
  }
  Value combineLanes(Value vector, function_ref<Value(Value, Value)> combine);
  Value larger(Value a, Value b);
  Value sumOf(Value a, Value b) { return arith::AddFOp::create(code.builder, code.loc, a, b); }
  Value exponential(Value x) { return math::ExpOp::create(code.builder, code.loc, x); }
  Value condition(bool value) { return arith::ConstantIntOp::create(code.builder, code.loc, value, 1); }
  /// Of `tiles.columns()` from `first` on, how many there are of `count`.
  Value countFrom(TileFunctions &tiles, Value first, Value count) {
    return code.min(code.sub(count, first), code.index(tiles.columns()));
  }
  /// Whether a tile with `count` columns needs its first vectors only.
  Value isNarrow(TileFunctions &tiles, Value count) { return code.isLess(count, code.index(tiles.lanes + 1)); }
  /// The elements of the tile of a group's rows and a panel of values.
  Value offsetOfSums(Value group, Value panel) {
    return code.mul(code.add(code.mul(group, panels), panel), code.index(valueTiles.maxRows * valueTiles.columns()));
  }

  Type f32 = code.builder.getF32Type();
  Points vector{scoreTiles.lanes, {}};
  int64_t tileElements = int64_t(scoreTiles.maxRows) * scoreTiles.columns();
  int64_t keyPanels = (blockKeys + scoreTiles.columns() - 1) / scoreTiles.columns();
  Value keyElements, valueElements; ///< of the copies of a block
  /// On the stack: scores as the tiles leave them; weights row by row; of each row of an item the largest score so far
  /// and the sum of weights. Elsewhere: packed keys, packed values, sums of products.
  Value scores, weights, maxima, weightSums;
  Value packedKeys, packedValues, sums;
  Value panelElements, valuesAreInPlace;
  /// Of the loops of `scores`, of an item.
  SmallVector<Lanes> at;
};

} // namespace

Value AttentionItems::larger(Value a, Value b) {
  // What is no number is left out here: its exponential keeps it.
  OpBuilder &builder = code.builder;
  Value isLarger = arith::CmpFOp::create(builder, code.loc, arith::CmpFPredicate::OGT, a, b);
  return arith::SelectOp::create(builder, code.loc, isLarger, a, b);
}

/// Halves the vector until one element is left.
Value AttentionItems::combineLanes(Value vector, function_ref<Value(Value, Value)> combine) {
  OpBuilder &b = code.builder;
  for (int64_t size = cast<VectorType>(vector.getType()).getDimSize(0); size > 1; size /= 2) {
    auto lower = llvm::to_vector(llvm::seq<int64_t>(0, size / 2));
    auto upper = llvm::to_vector(llvm::seq<int64_t>(size / 2, size));
    vector = combine(vector::ShuffleOp::create(b, code.loc, vector, vector, lower),
                     vector::ShuffleOp::create(b, code.loc, vector, vector, upper));
  }
  return vector::ExtractOp::create(b, code.loc, vector, ArrayRef<int64_t>{0});
}

void AttentionItems::emitSizes() {
  int64_t columns = scoreTiles.columns();
  // Packing takes whole squares.
  auto padded = [&](Value rows) { return code.add(rows, code.index(scoreTiles.lanes)); };
  panelElements = code.mul(padded(depth), code.index(columns));
  // Values are read where they are if whole tiles of their columns are contiguous.
  Value stride = strideOf(values, attention.values.getNumLoops() - 1);
  valuesAreInPlace = condition(false);
  if (isConstant(strideOf(values, attention.columnLoop), 1)) {
    Value rest = code.rem(code.mul(stride, code.index(getStoredBytes(f32))), code.index(collidingBytes));
    Value isSpread = code.isLess(code.index(0), rest);
    Value isWhole = code.isLess(code.rem(columnCount, code.index(columns)), code.index(1));
    valuesAreInPlace = code.both(isWhole, isSpread);
  }

  keyElements = code.mul(panelElements, code.index(keyPanels));
  valueElements = code.mul(panels, code.mul(padded(code.index(blockKeys)), code.index(columns)));
  int64_t groups = (maxItemRows + valueTiles.maxRows - 1) / valueTiles.maxRows;
  Value rows = code.min(code.ceilDiv(rowCount, valueTiles.maxRows), code.index(groups));
  Value sumElements = offsetOfSums(code.add(rows, code.index(1)), code.index(0));
  Value elements = code.add(keyElements, code.add(valueElements, sumElements));
  kernel.extraScratchBytes = code.mul(elements, code.index(getStoredBytes(f32)));
}

Value AttentionItems::emitScratchBytes() {
  emitSizes();
  return kernel.emitScratchBytes({});
}

void AttentionItems::emit() {
  emitSizes();
  kernel.withTemporaries({}, [&] {
    int64_t bytes = getStoredBytes(f32);
    scores = kernel.emitStackMemory(keyPanels * tileElements * bytes);
    weights = kernel.emitStackMemory(scoreTiles.maxRows * keyPanels * scoreTiles.columns() * bytes);
    maxima = kernel.emitStackMemory(maxItemRows * bytes);
    weightSums = kernel.emitStackMemory(maxItemRows * bytes);
    packedKeys = kernel.extraScratch;
    packedValues = element(packedKeys, keyElements);
    sums = element(packedValues, valueElements);
    code.forLoop(kernel.begin, kernel.end, [&](Value item) { emitItem(item); });
  });
}

void AttentionItems::forEachRowGroup(Value firstRow, Value height, function_ref<void(const RowGroup &)> body) {
  // As many groups as needed, all of about the same height.
  Value groups = code.ceilDiv(height, valueTiles.maxRows);
  code.forLoop(code.index(0), groups, [&](Value number) {
    Value local = code.div(code.mul(number, height), groups);
    Value next = code.div(code.mul(code.add(number, code.index(1)), height), groups);
    body({code.add(firstRow, local), local, code.sub(next, local), number});
  });
}

void AttentionItems::emitItem(Value item) {
  SmallVector<Value> counts(outerExtents);
  counts.push_back(rowBlocks);
  SmallVector<Value> indices = code.delinearize(item, counts);
  at.assign(attention.scores.getNumLoops(), Lanes::uniform(code.index(0)));
  for (auto [loop, index] : llvm::zip_equal(attention.outerLoops, ArrayRef(indices).drop_back()))
    at[loop] = Lanes::uniform(index);
  // Items differ by at most one row.
  Value firstRow = code.div(code.mul(indices.back(), rowCount), rowBlocks);
  Value endRow = code.div(code.mul(code.add(indices.back(), code.index(1)), rowCount), rowBlocks);
  Value height = code.sub(endRow, firstRow);

  // Without keys there is one empty block, which makes all sums 0.
  Value blocks = code.max(code.ceilDiv(keyCount, blockKeys), code.index(1));
  code.forLoop(code.index(0), blocks, [&](Value number) {
    Value first = code.mul(number, code.index(blockKeys));
    Value count = code.min(code.sub(keyCount, first), code.index(blockKeys));
    KeyBlock block{first, count, code.isLess(code.index(0), number)};
    packKeys(block);
    packValues(block);
    forEachRowGroup(firstRow, height, [&](const RowGroup &group) {
      emitScores(block, group);
      code.forLoop(code.index(0), group.rows, [&](Value number) { emitRow(block, group, number); });
      emitProducts(block, group);
    });
  });
  forEachRowGroup(firstRow, height, [&](const RowGroup &group) { emitResults(group); });
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

void AttentionItems::packKeys(const KeyBlock &block) {
  int64_t columns = scoreTiles.columns();
  SmallVector<Lanes> place(at);
  code.forLoop(code.index(0), code.ceilDiv(block.count, columns), [&](Value panel) {
    Value first = code.mul(panel, code.index(columns));
    place[attention.keyLoop] = Lanes::uniform(code.add(block.first, first));
    scoreTiles.emitPack(
        {addressAt(keys, place), strideOf(keys, attention.depthLoop), strideOf(keys, attention.keyLoop)}, depth,
        countFrom(scoreTiles, first, block.count), element(packedKeys, code.mul(panel, panelElements)));
  });
}

/// The loops of `values` where those of `scores` are at `at`.
static SmallVector<Lanes> toValuesLoops(const dyn::Attention &attention, ArrayRef<Lanes> at, Value first,
                                        const Lanes &column) {
  SmallVector<Lanes> loops;
  for (unsigned loop : attention.scoresLoopOf)
    loops.push_back(loop == ~0u ? column : loop == attention.keyLoop ? Lanes::uniform(first) : at[loop]);
  return loops;
}

void AttentionItems::packValues(const KeyBlock &block) {
  int64_t columns = valueTiles.columns();
  Value isPacked = arith::XOrIOp::create(code.builder, code.loc, valuesAreInPlace, condition(true));
  code.ifThen(isPacked, [&] {
    code.forLoop(code.index(0), panels, [&](Value panel) {
      Value first = code.mul(panel, code.index(columns));
      Value address = addressAt(values, toValuesLoops(attention, at, block.first, Lanes::uniform(first)));
      Value to = code.mul(panel, code.index((blockKeys + valueTiles.lanes) * columns));
      valueTiles.emitPack(
          {address, strideOf(values, attention.values.getNumLoops() - 1), strideOf(values, attention.columnLoop)},
          block.count, countFrom(valueTiles, first, columnCount), element(packedValues, to));
    });
  });
}

//===----------------------------------------------------------------------===//
// A block of keys
//===----------------------------------------------------------------------===//

void AttentionItems::emitScores(const KeyBlock &block, const RowGroup &group) {
  int64_t columns = scoreTiles.columns();
  SmallVector<Lanes> place(at);
  if (attention.queryLoop)
    place[*attention.queryLoop] = Lanes::uniform(group.row);
  Value rowStride = attention.queryLoop ? strideOf(queries, *attention.queryLoop) : code.index(0);
  TileFunctions::Matrix left{addressAt(queries, place), rowStride, strideOf(queries, attention.depthLoop)};
  code.forLoop(code.index(0), code.ceilDiv(block.count, columns), [&](Value panel) {
    TileFunctions::Matrix right{element(packedKeys, code.mul(panel, panelElements)), code.index(columns), code.index(1),
                                code.index(columns)};
    Value count = countFrom(scoreTiles, code.mul(panel, code.index(columns)), block.count);
    scoreTiles.emitTile(group.rows, left, right, depth, element(scores, code.mul(panel, code.index(tileElements))),
                        number(0), condition(false), {isNarrow(scoreTiles, count), Value()});
  });
}

/// Takes the scores of a row through the epilogue to the weights; gives the largest.
Value AttentionItems::emitEpilogueOfRow(const KeyBlock &block, const RowGroup &group, Value row) {
  int64_t columns = scoreTiles.columns();
  SmallVector<Lanes> place(at);
  if (attention.queryLoop)
    place[*attention.queryLoop] = Lanes::uniform(code.add(group.row, row));
  auto emitPanel = [&](Value panel, Value count, Value largest) {
    for (unsigned v = 0; v < scoreTiles.vectors; ++v) {
      Value skipped = code.index(v * scoreTiles.lanes);
      Value inRow = code.add(code.mul(panel, code.index(columns)), skipped);
      Points points = vector;
      if (count)
        points.mask = code.maskOf(code.sub(count, skipped), points.lanes);
      Value from =
          code.add(code.add(code.mul(panel, code.index(tileElements)), code.mul(row, code.index(columns))), skipped);
      Lanes score = loadFrom(scores, from, vector);
      if (attention.scoresEpilogue) {
        place[attention.keyLoop] = Lanes::linear(code.add(block.first, inRow), code.index(1));
        SmallVector<Lanes> loops;
        AffineMap written = attention.scores.getMatchingIndexingMap(attention.scores.getDpsInitOperand(0));
        for (AffineExpr loop : written.getResults())
          loops.push_back(place[cast<AffineDimExpr>(loop).getPosition()]);
        score = evaluate(attention.scoresEpilogue, attention.scores, score, loops, points);
      }
      Value value = code.materialize(score, vector);
      if (points.mask)
        value = arith::SelectOp::create(code.builder, code.loc, points.mask, value,
                                        number(-std::numeric_limits<float>::infinity(), vector));
      storeTo(weights, code.add(code.mul(row, code.index(blockKeys)), inRow), Lanes::varying(value), vector);
      largest = larger(value, largest);
    }
    return largest;
  };
  Value whole = code.div(block.count, code.index(columns));
  Value start = number(-std::numeric_limits<float>::infinity(), vector);
  Value largest = code.forLoop(code.index(0), whole, 1, start, [&](Value panel, ValueRange carried) {
    return SmallVector<Value>{emitPanel(panel, Value(), carried[0])};
  })[0];
  Value rest = code.sub(block.count, code.mul(whole, code.index(columns)));
  largest = code.ifThen(code.isLess(code.index(0), rest), largest,
                        [&] { return SmallVector<Value>{emitPanel(whole, rest, largest)}; })[0];
  return combineLanes(largest, [&](Value a, Value b) { return larger(a, b); });
}

void AttentionItems::emitRow(const KeyBlock &block, const RowGroup &group, Value row) {
  OpBuilder &b = code.builder;
  Value local = code.add(group.local, row), minusInfinity = number(-std::numeric_limits<float>::infinity());
  Value largest = emitEpilogueOfRow(block, group, row);
  SmallVector<Value> before = code.ifThen(block.isLater, {minusInfinity, number(0)}, [&] {
    return SmallVector<Value>{loadFrom(maxima, local, {}).first, loadFrom(weightSums, local, {}).first};
  });
  largest = larger(before[0], largest);
  // -inf - -inf is no number, but what is masked so far may still turn out to weigh nothing.
  Value isLow = arith::CmpFOp::create(b, code.loc, arith::CmpFPredicate::OEQ, largest, minusInfinity);
  Value shift = arith::SelectOp::create(b, code.loc, isLow, number(0), largest);
  Value shifts = code.materialize(Lanes::uniform(shift), vector);

  Value lanes = code.mul(code.ceilDiv(block.count, scoreTiles.columns()), code.index(scoreTiles.columns()));
  Value first = code.mul(row, code.index(blockKeys));
  Value total = code.forLoop(code.index(0), lanes, vector.lanes, number(0, vector), [&](Value key, ValueRange sum) {
    Value offset = code.add(first, key);
    Value difference = arith::SubFOp::create(b, code.loc, loadFrom(weights, offset, vector).vector, shifts);
    Value weight = exponential(difference);
    storeTo(weights, offset, Lanes::varying(weight), vector);
    return SmallVector<Value>{sumOf(sum[0], weight)};
  })[0];
  Value sum = combineLanes(total, [&](Value x, Value y) { return sumOf(x, y); });

  // What was summed was scaled to another largest score.
  sum = code.ifThen(block.isLater, sum, [&] {
    Value factor = exponential(arith::SubFOp::create(b, code.loc, before[0], shift));
    Value isOther = arith::CmpFOp::create(b, code.loc, arith::CmpFPredicate::UNE, factor, number(1));
    code.ifThen(isOther, [&] {
      Value factors = code.materialize(Lanes::uniform(factor), vector);
      code.forLoop(code.index(0), panels, [&](Value panel) {
        Value inTile = code.add(offsetOfSums(group.number, panel), code.mul(row, code.index(valueTiles.columns())));
        for (unsigned v = 0; v < valueTiles.vectors; ++v) {
          Value offset = code.add(inTile, code.index(v * valueTiles.lanes));
          Value scaled = arith::MulFOp::create(b, code.loc, loadFrom(sums, offset, vector).vector, factors);
          storeTo(sums, offset, Lanes::varying(scaled), vector);
        }
      });
    });
    return SmallVector<Value>{sumOf(arith::MulFOp::create(b, code.loc, before[1], factor), sum)};
  })[0];
  storeTo(maxima, local, Lanes::uniform(largest), {});
  storeTo(weightSums, local, Lanes::uniform(sum), {});
}

void AttentionItems::emitProducts(const KeyBlock &block, const RowGroup &group) {
  int64_t columns = valueTiles.columns();
  TileFunctions::Matrix left{weights, code.index(blockKeys), code.index(1)};
  code.forLoop(code.index(0), panels, [&](Value panel) {
    Value first = code.mul(panel, code.index(columns));
    Value packed = element(packedValues, code.mul(panel, code.index((blockKeys + valueTiles.lanes) * columns)));
    SmallVector<Value> right = code.ifThen(valuesAreInPlace, {packed, code.index(columns)}, [&] {
      Value address = addressAt(values, toValuesLoops(attention, at, block.first, Lanes::uniform(first)));
      return SmallVector<Value>{address, strideOf(values, attention.values.getNumLoops() - 1)};
    });
    valueTiles.emitTile(group.rows, left, {right[0], right[1], code.index(1), code.index(columns)}, block.count,
                        element(sums, offsetOfSums(group.number, panel)), number(0), block.isLater,
                        {isNarrow(valueTiles, countFrom(valueTiles, first, columnCount)), Value()});
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void AttentionItems::emitResults(const RowGroup &group) {
  OpBuilder &b = code.builder;
  int64_t columns = valueTiles.columns();
  SmallVector<Lanes> place(at);
  linalg::GenericOp last = attention.valuesEpilogue ? attention.valuesEpilogue : attention.values;
  Operand output = operandOf(last, *last.getDpsInitOperand(0));
  code.forLoop(code.index(0), group.rows, [&](Value row) {
    if (attention.queryLoop)
      place[*attention.queryLoop] = Lanes::uniform(code.add(group.row, row));
    // The product with no weights is 0.
    Value weightSum = loadFrom(weightSums, code.add(group.local, row), {}).first;
    Value hasKeys = code.isLess(code.index(0), keyCount);
    Value divisor = b.createOrFold<arith::SelectOp>(code.loc, hasKeys, weightSum, number(1));
    Value isNumber = arith::CmpFOp::create(b, code.loc, arith::CmpFPredicate::OGT, weightSum, number(0));
    Value divisors = code.materialize(Lanes::uniform(divisor), vector);
    code.forLoop(code.index(0), panels, [&](Value panel) {
      Value first = code.mul(panel, code.index(columns)), count = countFrom(valueTiles, first, columnCount);
      Value inTile = code.add(offsetOfSums(group.number, panel), code.mul(row, code.index(columns)));
      for (unsigned v = 0; v < valueTiles.vectors; ++v) {
        Value skipped = code.index(v * valueTiles.lanes);
        Points points{valueTiles.lanes, code.maskOf(code.sub(count, skipped), valueTiles.lanes)};
        Value sum = loadFrom(sums, code.add(inTile, skipped), vector).vector;
        Value result = arith::DivFOp::create(b, code.loc, sum, divisors);
        if (attention.nanBecomesZero)
          result = arith::SelectOp::create(b, code.loc, isNumber, result, number(0, vector));
        Lanes column = Lanes::linear(code.add(first, skipped), code.index(1));
        SmallVector<Lanes> loops = toValuesLoops(attention, place, code.index(0), column);
        Lanes value = Lanes::varying(result);
        if (attention.valuesEpilogue) {
          SmallVector<Lanes> own;
          AffineMap written = attention.values.getMatchingIndexingMap(attention.values.getDpsInitOperand(0));
          for (AffineExpr loop : written.getResults())
            own.push_back(loops[cast<AffineDimExpr>(loop).getPosition()]);
          loops = own;
          value = evaluate(attention.valuesEpilogue, attention.values, value, loops, points);
        }
        store(code, *output.memory, offsetOf(output, loops, points), value, points);
      }
    });
  });
}

namespace {

class AttentionKernel : public KernelForm {
public:
  explicit AttentionKernel(dyn::Attention attention) : attention(std::move(attention)) {}

  void emitRun(CPUKernelCode &kernel) override { AttentionItems(kernel, attention).emit(); }
  Value emitCount(CPUKernelCode &kernel) override { return AttentionPlan(kernel, attention).emitItemCount(); }
  Value emitItemCost(CPUKernelCode &kernel) override { return AttentionPlan(kernel, attention).emitCost(); }
  Value emitScratchBytes(CPUKernelCode &kernel) override {
    return AttentionItems(kernel, attention).emitScratchBytes();
  }

private:
  dyn::Attention attention;
};

} // namespace

std::unique_ptr<KernelForm> dyn::cpu::matchAttentionKernel(func::FuncOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  for (size_t count : {0, 1}) {
    if (ops.size() <= count)
      break;
    linalg::GenericOp epilogue = count ? ops.back() : linalg::GenericOp();
    std::optional<dyn::Attention> attention =
        matchAttention(ops[ops.size() - 1 - count], epilogue, [](linalg::GenericOp) { return true; });
    if (attention && attention->getOps().size() == ops.size())
      return std::make_unique<AttentionKernel>(std::move(*attention));
  }
  kernel.emitOpError("is no attention as 'dyn-form-kernels' makes it");
  return nullptr;
}
