//===- Reference evaluation of borders ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../DimTables.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// The place of an operand of `size` that stands `place` from its begin, outside too.
static int64_t getPaddedPlace(PadMode mode, int64_t place, int64_t size) {
  if (place >= 0 && place < size)
    return place;
  switch (mode) {
  case PadMode::Constant:
    return -1;
  case PadMode::Edge:
    return place < 0 ? 0 : size - 1;
  case PadMode::Wrap:
    return ((place % size) + size) % size;
  case PadMode::Reflect: {
    if (size == 1)
      return 0;
    int64_t period = 2 * (size - 1), folded = ((place % period) + period) % period;
    return folded < size ? folded : period - folded;
  }
  }
  llvm_unreachable("all modes are covered");
}

/// Places from -low[d] on, as many as `dims` says.
static Result pad(Operation *op, PadMode mode, const ReferenceTensor &operand, ArrayRef<int64_t> low,
                  ArrayRef<int64_t> dims, const ReferenceTensor *value) {
  Result room = allocateBeforeTables(op, operand.getElementType(), dims);
  if (failed(room))
    return failure();
  bool isEmpty = room->getNumElements() == 0;
  SmallVector<Table> tables;
  for (auto [index, size] : llvm::enumerate(dims)) {
    int64_t from = operand.getDim(index), before = low[index], behind = size - from - before;
    int64_t left = from + std::min<int64_t>(before, 0) + std::min<int64_t>(behind, 0), most = std::max(before, behind);
    if (mode != PadMode::Constant && most > 0 && left < (mode == PadMode::Reflect ? most + 1 : 1))
      return emitError(op) << "dim " << index << " of the operand, of which " << left
                           << " places stay, is too short for " << before << " and " << behind << " more around it";
    if (isEmpty)
      continue;
    // What is removed is not among what is repeated all over.
    bool isShorter = mode == PadMode::Wrap && left > 0;
    int64_t removed = isShorter ? std::max<int64_t>(-before, 0) : 0;
    Table table(size);
    for (int64_t i = 0; i < size; ++i)
      table[i] = removed + getPaddedPlace(mode, i - before - removed, isShorter ? left : from);
    tables.push_back(std::move(table));
  }
  return isEmpty ? room : select(op, operand, tables, value);
}

static Result evaluatePad(PadOp op, Operands operands, const ReferenceScope &scope) {
  FailureOr<Dims> dims = getResultDims(op, scope);
  if (failed(dims))
    return failure();
  Dims low;
  for (ExprAttr expr : op.getLow().getDims()) {
    std::optional<int64_t> value = scope.evaluate(expr);
    if (!value)
      return emitError(op) << "pad '" << expr.getText() << "' has no value";
    low.push_back(*value);
  }
  return pad(op, op.getMode(), operands[0], low, *dims, op.getValue() ? &operands[1] : nullptr);
}

static Result evaluatePadTo(PadToOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  SmallVector<int64_t> pads = operands[1].getIntegers();
  Operands rest = operands.drop_front(2);
  const ReferenceTensor *value = op.getValue() ? &rest.front() : nullptr;
  SmallVector<int64_t> axes = op.getAxes() ? rest.back().getIntegers() : getRun(0, operand.getRank());
  if (pads.size() != 2 * axes.size())
    return emitError(op) << "has " << pads.size() << " pads for " << axes.size() << " axes";
  if (failed(getAxes(op, axes, operand.getRank())))
    return failure();
  Dims low(operand.getRank(), 0), dims(operand.getDims());
  for (auto [index, axis] : llvm::enumerate(axes)) {
    int64_t dim = axis < 0 ? axis + operand.getRank() : axis;
    low[dim] = pads[index];
    for (int64_t count : {pads[index], pads[axes.size() + index]})
      if (llvm::AddOverflow(dims[dim], count, dims[dim]))
        return emitError(op) << "dim " << dim << " of the result leaves 64 bits by the pads " << print(pads);
    if (dims[dim] < 0)
      return emitError(op) << "the pads " << print(pads) << " remove more than dim " << dim << " has, which is "
                           << operand.getDim(dim);
  }
  return pad(op, op.getMode(), operand, low, dims, value);
}

void reference::attachPaddingModels(MLIRContext *context) {
  attach<PadToOp, evaluatePadTo>(context);
  attach<PadOp, evaluatePad>(context);
}
