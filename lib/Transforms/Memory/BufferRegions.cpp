//===- Which values show bytes that others show, too ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "BufferRegions.h"
#include "Views.h"

using namespace mlir;
using namespace dyn;
using symbolic::Expr;

/// Different values never overlap before memory is planned, but for inputs, which are only read.
static Value getPlace(Value root) {
  auto view = root.getDefiningOp<memref::ViewOp>();
  return view && !llvm::is_contained(view.getType().getShape(), 0) ? view.getByteShift() : root;
}

BufferRegion BufferRegions::get(Value value) {
  std::optional<Expr> offset;
  Value root = value;
  for (; isView(root.getDefiningOp()); root = root.getDefiningOp()->getOperand(0))
    if (auto part = root.getDefiningOp<shape::PartOp>()) {
      Expr own = sizes.getExpr(part.getOffset());
      offset = offset ? *offset + own : own;
    }
  BufferRegion region{getPlace(root), Expr(), Expr()};
  if (!offset)
    return region;
  // A part and what it is a part of have elements of one type.
  if (std::optional<int64_t> element = getBytesOfElement(cast<ShapedType>(value.getType()).getElementType())) {
    region.begin = *offset * *element;
    region.end = region.begin + sizes.getBytes(value);
  }
  return region;
}

bool BufferRegions::mayMeet(const BufferRegion &lhs, const BufferRegion &rhs) {
  if (lhs.place != rhs.place)
    return false;
  if (lhs.mayBeAll() || rhs.mayBeAll() || lhs.begin == rhs.begin)
    return true;
  return !proofs.isAtLeast(rhs.begin, lhs.end) && !proofs.isAtLeast(lhs.begin, rhs.end);
}
