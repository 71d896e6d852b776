//===- Attention with a running softmax ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttentionItems.h"
#include "KernelForm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::cpu;

void AttentionItems::emitSizes() {
  int64_t columns = scoreTiles.columns();
  // Packing takes whole squares.
  auto padded = [&](Value rows) { return code.add(rows, code.index(scoreTiles.lanes)); };
  panelElements = code.mul(padded(depth), code.index(columns));
  Value isSingleRow = code.isLess(rowCount, code.index(2));
  bool areDots = isConstant(strideOf(keys, attention.depthLoop), 1) &&
                 (widensQueries || isConstant(strideOf(queries, attention.depthLoop), 1));
  keysAreInPlace = areDots ? isSingleRow : condition(false);
  // Values are read where they are if whole tiles of their columns are contiguous; for many rows those that need no
  // widening.
  Value stride = strideOf(values, attention.values.getNumLoops() - 1);
  valuesAreInPlace = condition(false);
  if (isConstant(strideOf(values, attention.columnLoop), 1)) {
    Value rest = code.rem(code.mul(stride, code.index(getStoredBytes(sumType))), code.index(collidingBytes));
    Value isReadWell = values.memory->elementType == sumType ? code.isLess(code.index(0), rest) : isSingleRow;
    Value isWhole = code.isLess(code.rem(columnCount, code.index(columns)), code.index(1));
    valuesAreInPlace = code.both(isWhole, isReadWell);
  }

  keyElements = code.mul(panelElements, code.index(keyPanels));
  valueElements = code.mul(panels, code.mul(padded(code.index(blockKeys)), code.index(columns)));
  int64_t groups = (maxItemRows + valueTiles.maxRows - 1) / valueTiles.maxRows;
  Value rows = code.min(code.ceilDiv(rowCount, valueTiles.maxRows), code.index(groups));
  sumElements = offsetOfSums(code.add(rows, code.index(1)), code.index(0));
  Value elements = code.add(keyElements, code.add(valueElements, sumElements));
  if (widensQueries) {
    queryRowElements = padded(depth);
    elements = code.add(elements, code.mul(queryRowElements, code.index(scoreTiles.maxRows)));
  }
  kernel.extraScratchBytes = code.mul(elements, code.index(getStoredBytes(sumType)));
}

Value AttentionItems::emitScratchBytes() {
  emitSizes();
  return kernel.emitScratchBytes({});
}

void AttentionItems::emit() {
  emitSizes();
  kernel.withTemporaries({}, [&] {
    int64_t bytes = getStoredBytes(sumType);
    scores = kernel.emitStackMemory(keyPanels * tileElements * bytes);
    weights = kernel.emitStackMemory(scoreTiles.maxRows * keyPanels * scoreTiles.columns() * bytes);
    maxima = kernel.emitStackMemory(maxItemRows * bytes);
    weightSums = kernel.emitStackMemory(maxItemRows * bytes);
    packedKeys = kernel.extraScratch;
    packedValues = element(packedKeys, keyElements);
    sums = element(packedValues, valueElements);
    if (widensQueries)
      packedQueries = element(sums, sumElements);
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
    code.ifThen(negate(keysAreInPlace), [&] { packKeys(block); });
    code.ifThen(negate(valuesAreInPlace), [&] { packValues(block); });
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

TileFunctions::Matrix AttentionItems::emitQueries(const RowGroup &group) {
  SmallVector<Lanes> place(at);
  if (attention.queryLoop)
    place[*attention.queryLoop] = Lanes::uniform(group.row);
  Value base = addressAt(queries, place), step = strideOf(queries, attention.depthLoop);
  Value rowStride = attention.queryLoop ? strideOf(queries, *attention.queryLoop) : code.index(0);
  if (!widensQueries)
    return {base, rowStride, step};
  TensorMemory from{base, queries.memory->elementType, {}, {}, false, {}};
  Value whole = code.mul(code.div(depth, code.index(vector.lanes)), code.index(vector.lanes));
  code.forLoop(code.index(0), group.rows, [&](Value row) {
    auto copy = [&](Value first, const Points &points) {
      Value offset = code.add(code.mul(row, rowStride), code.mul(first, step));
      Lanes wide = widen(code, load(code, from, Lanes::linear(offset, step), points), sumType, points);
      storeTo(packedQueries, code.add(code.mul(row, queryRowElements), first), wide, vector);
    };
    code.forLoop(code.index(0), whole, vector.lanes, {}, [&](Value first, ValueRange) {
      copy(first, vector);
      return SmallVector<Value>();
    });
    Value rest = code.sub(depth, whole);
    code.ifThen(code.isLess(code.index(0), rest),
                [&] { copy(whole, {vector.lanes, code.maskOf(rest, vector.lanes)}); });
  });
  return {packedQueries, queryRowElements, code.index(1)};
}

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

void AttentionItems::packValues(const KeyBlock &block) {
  int64_t columns = valueTiles.columns();
  code.forLoop(code.index(0), panels, [&](Value panel) {
    Value first = code.mul(panel, code.index(columns));
    Value address = addressAt(values, loopsOfValues(at, block.first, Lanes::uniform(first)));
    Value to = code.mul(panel, code.index((blockKeys + valueTiles.lanes) * columns));
    valueTiles.emitPack(
        {address, strideOf(values, attention.values.getNumLoops() - 1), strideOf(values, attention.columnLoop)},
        block.count, countFrom(valueTiles, first, columnCount), element(packedValues, to));
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
