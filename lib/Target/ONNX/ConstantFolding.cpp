//===- Values that are known at import -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ConstantFolding.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Interpreter/Interpreter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;

namespace {

class Folder {
public:
  DenseElementsAttr fold(Value value);

private:
  static bool isResultSmall(Operation *op, ArrayRef<ElementsAttr> operands);

  static constexpr int64_t maxElements = 1024;
  /// Each question is asked anew, so that answers must be cheap.
  static constexpr unsigned maxOps = 64;

  llvm::DenseMap<Value, DenseElementsAttr> known;
  unsigned numOps = 0;
};

} // namespace

static DenseElementsAttr getStaticDims(ShapeOfOp op) {
  auto operand = dyn_cast<RankedTensorType>(op.getOperand().getType());
  if (!operand || !operand.hasStaticShape())
    return {};
  auto type = RankedTensorType::get(operand.getRank(), IntegerType::get(op.getContext(), 64));
  return DenseElementsAttr::get(type, operand.getShape());
}

/// Sizes that come from values may be anything.
bool Folder::isResultSmall(Operation *op, ArrayRef<ElementsAttr> operands) {
  auto getInts = [](ElementsAttr elements) {
    return llvm::map_to_vector(elements.getValues<APInt>(), [](const APInt &value) { return value.getSExtValue(); });
  };
  if (isa<TileToOp, PadToOp>(op))
    return false;
  if (isa<RangeOp>(op)) {
    if (!isa<IntegerType>(operands[0].getElementType()))
      return false;
    if (llvm::any_of(operands, [](ElementsAttr operand) { return operand.getNumElements() != 1; }))
      return false;
    int64_t start = getInts(operands[0])[0], limit = getInts(operands[1])[0], delta = getInts(operands[2])[0];
    int64_t distance;
    // The least number has no opposite.
    return delta != 0 && !llvm::SubOverflow(limit, start, distance) &&
           distance != std::numeric_limits<int64_t>::min() && distance / delta < maxElements &&
           distance / delta > -maxElements;
  }
  if (isa<ExpandToOp, FullToOp>(op)) {
    int64_t count = isa<ExpandToOp>(op) ? std::max<int64_t>(operands[0].getNumElements(), 1) : 1;
    for (int64_t dim : getInts(operands.back()))
      if (dim < 0 || llvm::MulOverflow(count, dim, count) || count > maxElements)
        return false;
  }
  return true;
}

DenseElementsAttr Folder::fold(Value value) {
  if (auto entry = known.find(value); entry != known.end())
    return entry->second;
  Operation *op = value.getDefiningOp();
  if (!op || ++numOps > maxOps)
    return {};
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.getNumElements() <= maxElements ? elements : DenseElementsAttr();
  }
  if (auto shape = dyn_cast<ShapeOfOp>(op))
    return getStaticDims(shape);
  SmallVector<ElementsAttr> operands;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr elements = fold(operand);
    if (!elements)
      return {};
    operands.push_back(elements);
  }
  if (op->getNumRegions() != 0 || !isResultSmall(op, operands))
    return {};
  FailureOr<SmallVector<DenseElementsAttr>> results = foldConstants(op, operands, ReferenceScope());
  if (failed(results))
    return {};
  for (auto [result, elements] : llvm::zip_equal(op->getResults(), *results))
    known[result] = elements.getNumElements() <= maxElements ? elements : DenseElementsAttr();
  return known[value];
}

DenseElementsAttr dyn::onnx::foldToConstant(Value value) { return Folder().fold(value); }
