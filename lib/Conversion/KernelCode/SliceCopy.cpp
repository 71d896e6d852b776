//===- Copying slices -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/SliceCopy.h"

using namespace mlir;
using namespace dyn::codegen;

/// Elements that an item copies at most.
static constexpr int64_t blockSize = 16384;

SliceCopy::SliceCopy(KernelCode &kernel, tensor::InsertSliceOp op, std::optional<unsigned> axis)
    : kernel(kernel), code(kernel.code), source(kernel.memoryOf(op.getSource())),
      target(kernel.memoryOf(op.getDest())) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned sourceDim = 0;
  base = code.index(0);
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  for (unsigned d = 0; d < target.dims.size(); ++d) {
    Value offset = valueOf(offsets[d]);
    base = code.add(base, code.mul(offset, target.strides[d]));
    if (dropped.test(d))
      continue;
    // Behind the axis all is contiguous in both.
    bool joins = axis && d > *axis && !extents.empty();
    Value extent = source.dims[sourceDim++];
    if (joins) {
      extents.back() = code.mul(extents.back(), extent);
      strides.back() = target.strides[d];
    } else {
      extents.push_back(extent);
      strides.push_back(target.strides[d]);
    }
  }
}

Value SliceCopy::emitItemCount() {
  if (extents.empty())
    return code.index(1);
  Value blocks = code.ceilDiv(extents.back(), blockSize);
  return code.mul(code.product(ArrayRef(extents).drop_back()), blocks);
}

Value SliceCopy::targetOfRow(Value row) {
  Value to = base;
  SmallVector<Value> indices = code.delinearize(row, ArrayRef(extents).drop_back());
  for (auto [index, stride] : llvm::zip_equal(indices, ArrayRef(strides).drop_back()))
    to = code.add(to, code.mul(index, stride));
  return to;
}

void SliceCopy::emitItems(Value begin, Value end) {
  code.forLoop(begin, end, [&](Value item) {
    if (extents.empty())
      return copy(code.index(0), base, code.index(1));
    Value blocks = code.ceilDiv(extents.back(), blockSize);
    Value from = code.mul(code.rem(item, blocks), code.index(blockSize));
    Value length = code.min(code.sub(extents.back(), from), code.index(blockSize));
    Value row = code.div(item, blocks);
    copy(code.add(code.mul(row, extents.back()), from), code.add(targetOfRow(row), from), length);
  });
}

Value SliceCopy::emitElementCount() { return code.product(extents); }

void SliceCopy::emitElement(Value element) {
  Value to = base;
  if (!extents.empty()) {
    Value row = extents.size() == 1 ? code.index(0) : code.div(element, extents.back());
    to = code.add(targetOfRow(row), extents.size() == 1 ? element : code.rem(element, extents.back()));
  }
  Lanes value = load(code, source, Lanes::uniform(element), Points());
  store(code, target, Lanes::uniform(to), value, Points());
}

Value SliceCopy::valueOf(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return code.index(*constant);
  return kernel.scalars.lookup(cast<Value>(value));
}

void SliceCopy::copy(Value from, Value to, Value length) {
  unsigned lanes = kernel.vectorBits / 8 / getStoredBytes(source.elementType);
  auto at = [&](Value offset) { return lanes ? Lanes::linear(offset, code.index(1)) : Lanes::uniform(offset); };
  auto move = [&](Value i, const Points &points) {
    Lanes value = load(code, source, at(code.add(from, i)), points);
    store(code, target, at(code.add(to, i)), value, points);
  };
  if (lanes == 0)
    return code.forLoop(code.index(0), length, [&](Value i) { move(i, Points()); });
  Value full = code.sub(length, code.rem(length, code.index(lanes)));
  code.forLoop(code.index(0), full, lanes, {}, [&](Value i, ValueRange) {
    move(i, Points{lanes, {}});
    return SmallVector<Value>();
  });
  code.ifThen(code.isLess(full, length),
              [&] { move(full, Points{lanes, code.maskOf(code.sub(length, full), lanes)}); });
}
