//===- Copies of tensors at other indices -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MappedCopy.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value dyn::createMappedCopy(OpBuilder &b, Location loc, Value tensor, AffineMap map, ArrayRef<OpFoldResult> sizes) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, cast<RankedTensorType>(tensor.getType()).getElementType());
  SmallVector<AffineMap> maps{map, b.getMultiDimIdentityMap(sizes.size())};
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, TypeRange{empty.getType()}, tensor, empty, maps, iterators,
             [](OpBuilder &b, Location loc, ValueRange elements) { linalg::YieldOp::create(b, loc, elements.front()); })
      ->getResult(0);
}
