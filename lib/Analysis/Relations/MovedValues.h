//===- Known elements and bounds on the way through data movement -*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_RELATIONS_MOVEDVALUES_H
#define DYN_LIB_ANALYSIS_RELATIONS_MOVEDVALUES_H

#include "Relations.h"
#include "mlir/IR/TypeUtilities.h"

namespace dyn::relations {

/// The constant size of a tensor of rank 1.
inline std::optional<int64_t> getLength(ShapeRelations &relations, mlir::Value list) {
  const Dims *dims = relations.findDims(list);
  if (!dims || dims->size() != 1 || !dims->front())
    return std::nullopt;
  return dims->front().getConstant();
}

/// Files may say numbers of dims that no memory holds.
inline constexpr int64_t kMostDims = 1024;

/// `list` has an element for each dim of `tensor`.
inline mlir::LogicalResult relateLength(ShapeRelations &relations, mlir::Value list, mlir::Value tensor) {
  if (std::optional<int64_t> length = getLength(relations, list)) {
    if (*length > kMostDims)
      return mlir::emitError(tensor.getLoc()) << "a tensor can't have " << *length << " dims";
    return relations.setRank(tensor, *length);
  }
  if (std::optional<int64_t> rank = relations.getRank(tensor))
    return relations.setDims(list, {relations.getConstant(*rank)});
  return mlir::success();
}

/// The elements of a list as integers, null where one is not known: as many as `count`, or nothing where the list is
/// known to have another number of them.
inline std::optional<Dims> getListOf(ShapeRelations &relations, mlir::Value list, int64_t count) {
  Dims result(count);
  const ElementValues *elements = relations.findElements(list);
  if (!elements)
    return result;
  if (static_cast<int64_t>(elements->size()) != count)
    return std::nullopt;
  for (auto [integer, element] : llvm::zip(result, *elements))
    integer = element.getInteger();
  return result;
}

/// The values of expressions that are all constants.
inline std::optional<llvm::SmallVector<int64_t>> getConstants(llvm::ArrayRef<symbolic::Expr> exprs) {
  llvm::SmallVector<int64_t> constants;
  for (symbolic::Expr expr : exprs) {
    std::optional<int64_t> constant = expr ? expr.getConstant() : std::nullopt;
    if (!constant)
      return std::nullopt;
    constants.push_back(*constant);
  }
  return constants;
}

/// A size that data give: never negative. Nothing to do for null.
inline mlir::LogicalResult requireSize(ShapeRelations &relations, symbolic::Expr size, const llvm::Twine &because) {
  if (!size || relations.isKnownLessEqual(relations.getConstant(0), size))
    return mlir::success();
  return relations.require(symbolic::Predicate::lessEqual(relations.getConstant(0), size), because);
}

/// Requires that a dim of which the current op reads elements has some, unless one of `counts`, dims of what it reads
/// them for, is 0. Sizes that data determine are left to the run.
inline mlir::LogicalResult requireNonEmpty(ShapeRelations &relations, symbolic::Expr size,
                                           llvm::ArrayRef<symbolic::Expr> counts, const llvm::Twine &because,
                                           ReasonPlace place = ReasonPlace::BehindName) {
  symbolic::Expr one = relations.getConstant(1);
  if (relations.isKnownLessEqual(one, size) || !relations.areKnownAtEntry(size) || !relations.areKnownAtEntry(counts))
    return mlir::success();
  return relations.requireUnlessEmpty(symbolic::Predicate::lessEqual(one, size), counts, because, place);
}

inline ElementValue getZero(ShapeRelations &relations, mlir::Type elementType) {
  if (llvm::isa<mlir::FloatType>(elementType))
    return ElementValue::getNumber(0);
  if (elementType.isInteger(1))
    return ElementValue::getBoolean(false);
  return ElementValue::getInteger(relations.getConstant(0));
}

/// What holds of the elements of parts of both; empty ends where it is not known which is the outer one.
inline Bounds join(ShapeRelations &relations, Bounds lhs, Bounds rhs) {
  /// The smaller and the larger one.
  auto sort = [&](symbolic::Expr a, symbolic::Expr b) -> std::pair<symbolic::Expr, symbolic::Expr> {
    if (relations.isKnownLessEqual(a, b))
      return {a, b};
    if (relations.isKnownLessEqual(b, a))
      return {b, a};
    return {};
  };
  auto [lower, larger] = sort(lhs.lower, rhs.lower);
  bool arePoints = lhs.lower == lhs.upper && rhs.lower == rhs.upper;
  return {lower, arePoints ? larger : sort(lhs.upper, rhs.upper).second};
}

/// States that all elements of the result are elements of the operand.
inline void passBoundsOfPart(ShapeRelations &relations, mlir::Value operand, mlir::Value result) {
  relations.setBounds(result, relations.getBounds(operand).getOfPart());
}

/// States that the result, if it has elements, has all those of the operand and no others, the same ones at both ends.
inline void passBounds(ShapeRelations &relations, mlir::Value operand, mlir::Value result) {
  relations.setBounds(result, relations.getBounds(operand));
}

/// The same elements in the same order.
inline void passValues(ShapeRelations &relations, mlir::Value operand, mlir::Value result) {
  passBounds(relations, operand, result);
  const ElementValues *elements = relations.findElements(operand);
  std::optional<llvm::SmallVector<int64_t>> dims = elements ? relations.getSmallDims(result) : std::nullopt;
  if (dims && llvm::product_of(*dims) == static_cast<int64_t>(elements->size()))
    relations.setElements(result, *elements);
}

/// Calls `function` for each position in a tensor of constant dims, row-major.
inline void forEachPosition(llvm::ArrayRef<int64_t> dims, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> function) {
  llvm::SmallVector<int64_t> position(dims.size(), 0);
  for (int64_t left = llvm::product_of(dims); left > 0; --left) {
    function(position);
    for (size_t dim = dims.size(); dim-- > 0;) {
      if (++position[dim] < dims[dim])
        break;
      position[dim] = 0;
    }
  }
}

/// The row-major number of a position; nothing where it lies outside.
inline std::optional<int64_t> getPlace(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> position) {
  int64_t place = 0;
  for (auto [size, index] : llvm::zip_equal(dims, position)) {
    if (index < 0 || index >= size)
      return std::nullopt;
    place = place * size + index;
  }
  return place;
}

/// States each element of a small result as the operand's at the position that `getSource` makes of the result's;
/// `outside` where that lies outside of the operand.
inline void moveElements(ShapeRelations &relations, mlir::Value operand, mlir::Value result,
                         llvm::function_ref<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t>)> getSource,
                         const ElementValue &outside = {}) {
  const ElementValues *elements = relations.findElements(operand);
  if (!elements)
    return;
  std::optional<llvm::SmallVector<int64_t>> from = relations.getSmallDims(operand), to = relations.getSmallDims(result);
  if (!from || !to || llvm::product_of(*from) != static_cast<int64_t>(elements->size()))
    return;
  ElementValues values;
  forEachPosition(*to, [&](llvm::ArrayRef<int64_t> position) {
    llvm::SmallVector<int64_t> source = getSource(position);
    std::optional<int64_t> place = getPlace(*from, source);
    values.push_back(place ? (*elements)[*place] : outside);
  });
  relations.setElements(result, std::move(values));
}

} // namespace dyn::relations

#endif // DYN_LIB_ANALYSIS_RELATIONS_MOVEDVALUES_H
