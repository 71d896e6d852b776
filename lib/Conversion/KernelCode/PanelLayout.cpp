//===- Constants in panels of columns -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/PanelLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn::codegen;

AffineMap PanelLayout::toMap(unsigned rank, MLIRContext *context) const {
  AffineExpr column = getAffineDimExpr(columnDim, context);
  SmallVector<AffineExpr> results{column.floorDiv(width)};
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != columnDim)
      results.push_back(getAffineDimExpr(dim, context));
  results.push_back(column % width);
  return AffineMap::get(rank, 0, results, context);
}

std::optional<PanelLayout> PanelLayout::fromMap(AffineMap map) {
  if (map.getNumDims() == 0 || map.getNumResults() != map.getNumDims() + 1)
    return std::nullopt;
  auto place = dyn_cast<AffineBinaryOpExpr>(map.getResults().back());
  if (!place || place.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  auto column = dyn_cast<AffineDimExpr>(place.getLHS());
  auto width = dyn_cast<AffineConstantExpr>(place.getRHS());
  if (!column || !width)
    return std::nullopt;
  PanelLayout layout{column.getPosition(), width.getValue()};
  return layout.toMap(map.getNumDims(), map.getContext()) == map ? std::optional(layout) : std::nullopt;
}

std::optional<PanelLayout> PanelLayout::of(MemRefType type) {
  return type.getLayout().isIdentity() ? std::nullopt : fromMap(type.getLayout().getAffineMap());
}

int64_t PanelLayout::countElements(ArrayRef<int64_t> shape) const {
  int64_t count = 1;
  for (auto [dim, size] : llvm::enumerate(shape))
    count *= dim == columnDim ? int64_t(llvm::alignTo(size, width)) : size;
  return count;
}
