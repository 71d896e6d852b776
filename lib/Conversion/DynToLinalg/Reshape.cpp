//===- Reshapes as views -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {
/// Consecutive dims of two shapes whose products are equal.
struct DimGroup {
  ReassociationIndices from, to;
};
} // namespace

static SmallVector<Expr> getPrefixProducts(SymbolicContext &context, ArrayRef<Expr> dims) {
  SmallVector<Expr> products{context.getConstant(1)};
  for (Expr dim : dims)
    products.push_back(products.back() * dim);
  return products;
}

/// The finest grouping that equality of expressions shows. As expressions form an integral domain, and no dim is the
/// constant 0, equal prefix products mean equal products of the dims between them.
static SmallVector<DimGroup> groupDims(SymbolicContext &context, ArrayRef<Expr> from, ArrayRef<Expr> to) {
  SmallVector<Expr> fromProducts = getPrefixProducts(context, from), toProducts = getPrefixProducts(context, to);
  SmallVector<DimGroup> groups;
  unsigned i = 0, j = 0;
  auto close = [&](unsigned fromEnd, unsigned toEnd) {
    DimGroup group;
    llvm::append_range(group.from, llvm::seq<int64_t>(i, fromEnd));
    llvm::append_range(group.to, llvm::seq<int64_t>(j, toEnd));
    groups.push_back(std::move(group));
    i = fromEnd, j = toEnd;
  };
  auto findNext = [&]() -> std::optional<std::pair<unsigned, unsigned>> {
    for (unsigned length = 2; length <= from.size() - i + to.size() - j; ++length)
      for (unsigned fromLength = 1; fromLength < length; ++fromLength) {
        unsigned fromEnd = i + fromLength, toEnd = j + length - fromLength;
        if (fromEnd <= from.size() && toEnd <= to.size() && fromProducts[fromEnd] &&
            fromProducts[fromEnd] == toProducts[toEnd])
          return std::pair(fromEnd, toEnd);
      }
    return std::nullopt;
  };
  while (i < from.size() && j < to.size()) {
    if (auto next = findNext())
      close(next->first, next->second);
    else
      close(from.size(), to.size()); // equal by a guard only
  }
  // Dims of size 1 at the end.
  if (!groups.empty()) {
    llvm::append_range(groups.back().from, llvm::seq<int64_t>(i, from.size()));
    llvm::append_range(groups.back().to, llvm::seq<int64_t>(j, to.size()));
  }
  return groups;
}

/// Copies element by element, for sizes that no view can relate.
static Value createReshapeCopy(FunctionReifier &reifier, Location loc, Value tensor, ArrayRef<Expr> from,
                               ArrayRef<Expr> to) {
  auto getIndices = [&](ArrayRef<Expr> dims) {
    return llvm::map_to_vector(dims, [&](Expr dim) { return reifier.getIndex(dim); });
  };
  SmallVector<Value> fromSizes = getIndices(from), toSizes = getIndices(to);
  return reifier.createPointwise(loc, to, getElementType(tensor), {}, [&](OpBuilder &b, Location loc, ValueRange) {
    Value place = arith::ConstantIndexOp::create(b, loc, 0);
    for (auto [dim, size] : llvm::enumerate(toSizes)) {
      place = arith::MulIOp::create(b, loc, place, size);
      place = arith::AddIOp::create(b, loc, place, linalg::IndexOp::create(b, loc, dim));
    }
    SmallVector<Value> places(from.size());
    for (size_t dim = from.size(); dim-- > 0;) {
      places[dim] = dim == 0 ? place : arith::RemUIOp::create(b, loc, place, fromSizes[dim]).getResult();
      place = arith::DivUIOp::create(b, loc, place, fromSizes[dim]);
    }
    return tensor::ExtractOp::create(b, loc, tensor, places);
  });
}

Value FunctionReifier::createReshape(Location loc, Value tensor, ArrayRef<Expr> from, ArrayRef<Expr> to) {
  if (from == to)
    return tensor;
  Type elementType = getElementType(tensor);
  auto isZero = [](Expr dim) { return dim.isConstant(0); };
  if (llvm::any_of(from, isZero) || llvm::any_of(to, isZero))
    return createPointwise(loc, to, elementType, {}, [&](OpBuilder &b, Location loc, ValueRange) {
      return arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
    });

  // Of rank 0 on one side, views have constant ones on the other, and a size may be 1 by a guard only.
  auto isConstant = [](Expr dim) { return dim.getConstant().has_value(); };
  if ((from.empty() || to.empty()) && !(llvm::all_of(from, isConstant) && llvm::all_of(to, isConstant)))
    return createReshapeCopy(*this, loc, tensor, from, to);
  SmallVector<DimGroup> groups = groupDims(context, from, to);
  SmallVector<Expr> middle;
  SmallVector<ReassociationIndices> fromGroups, toGroups;
  for (DimGroup &group : groups) {
    auto isStatic = [&](ArrayRef<Expr> dims, ArrayRef<int64_t> group) {
      return llvm::all_of(group, [&](int64_t dim) { return isConstant(dims[dim]); });
    };
    if (isStatic(from, group.from) != isStatic(to, group.to))
      return createReshapeCopy(*this, loc, tensor, from, to);
    Expr size = context.getConstant(1);
    if (group.to.size() == 1)
      size = to[group.to.front()];
    else
      for (int64_t dim : group.from)
        size = size * from[dim];
    middle.push_back(size);
    fromGroups.push_back(group.from);
    toGroups.push_back(group.to);
  }

  auto getType = [&](ArrayRef<Expr> dims) {
    return RankedTensorType::get(
        llvm::map_to_vector(dims, [](Expr dim) { return dim.getConstant().value_or(ShapedType::kDynamic); }),
        elementType);
  };
  if (middle.size() != from.size())
    tensor = tensor::CollapseShapeOp::create(builder, loc, getType(middle), tensor, fromGroups);
  if (middle.size() != to.size()) {
    auto sizes = llvm::map_to_vector(to, [&](Expr dim) { return getSize(dim); });
    tensor = tensor::ExpandShapeOp::create(builder, loc, getType(to), tensor, toGroups, sizes);
  }
  return tensor;
}
