//===- What the verifiers of ops share ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/ValueName.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace dyn;

std::optional<int64_t> dyn::getKnownRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? std::optional<int64_t>(type.getRank()) : std::nullopt;
}

std::optional<int64_t> dyn::getKnownDim(Value value, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || dim < 0 || dim >= type.getRank() || type.isDynamicDim(dim))
    return std::nullopt;
  return type.getDimSize(dim);
}

std::string Constraint::describe(StringRef name, Value value) const {
  std::string known = describeValue(value, op);
  return ("'" + name + "'").str() + (known.empty() ? "" : " (" + known + ")");
}

std::string Constraint::describeDim(StringRef name, Value value, int64_t dim) const {
  return "dim " + std::to_string(dim) + " of " + describe(name, value);
}

LogicalResult Constraint::hasRank(StringRef name, Value value) const {
  if (getKnownRank(value))
    return success();
  return emitError() << describe(name, value) << " has no rank";
}

LogicalResult Constraint::isRank(StringRef name, Value value, std::optional<int64_t> rank) const {
  std::optional<int64_t> actual = getKnownRank(value);
  if (!actual || !rank || *actual == *rank)
    return success();
  return emitError() << describe(name, value) << " has rank " << *actual << ", expected " << *rank;
}

LogicalResult Constraint::isDim(StringRef name, Value value, int64_t dim, std::optional<int64_t> size) const {
  std::optional<int64_t> actual = getKnownDim(value, dim);
  if (!actual || !size || *actual == *size)
    return success();
  return emitError() << describeDim(name, value, dim) << " is " << *actual << ", expected " << *size;
}

LogicalResult Constraint::hasOneElement(StringRef name, Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || llvm::all_of(type.getShape(), [](int64_t dim) { return ShapedType::isDynamic(dim) || dim == 1; }))
    return success();
  return emitError() << describe(name, value) << " is " << type << ", expected one element";
}

LogicalResult Constraint::isCount(StringRef name, size_t count, std::optional<int64_t> expected) const {
  if (!expected || static_cast<int64_t>(count) == *expected)
    return success();
  return emitError() << "'" << name << "' has " << count << " entries, expected " << *expected;
}

LogicalResult Constraint::isAxis(int64_t axis, std::optional<int64_t> rank) const {
  if (!rank || (axis >= -*rank && axis < *rank))
    return success();
  return emitError() << "axis " << axis << " is out of range for rank " << *rank;
}

LogicalResult Constraint::areAxes(ArrayRef<int64_t> axes, std::optional<int64_t> rank) const {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t axis : axes) {
    if (failed(isAxis(axis, rank)))
      return failure();
    // Without a rank only equally written axes are known to be the same dim.
    if (!seen.insert(rank && axis < 0 ? axis + *rank : axis).second)
      return emitError() << "axis " << axis << " stands twice";
  }
  return success();
}
