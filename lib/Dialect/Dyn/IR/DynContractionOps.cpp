//===- Contraction ops ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"

using namespace mlir;
using namespace dyn;

LogicalResult MatMulOp::verify() {
  std::optional<int64_t> lhsRank = getKnownRank(getLhs()), rhsRank = getKnownRank(getRhs());
  for (auto [name, rank] : {std::pair("lhs", lhsRank), std::pair("rhs", rhsRank)})
    if (rank && *rank < 1)
      return Constraint(*this, 1).emitError() << "'" << name << "' has rank 0";
  if (!lhsRank || !rhsRank)
    return success();
  int64_t contracted = *rhsRank == 1 ? 0 : *rhsRank - 2;
  auto describeBoth = [&](unsigned constraint, int64_t lhsDim, int64_t rhsDim) {
    Constraint described(*this, constraint);
    return described.describeDim("lhs", getLhs(), lhsDim) + ", " + described.describeDim("rhs", getRhs(), rhsDim);
  };
  std::optional<int64_t> lhsDim = getKnownDim(getLhs(), *lhsRank - 1), rhsDim = getKnownDim(getRhs(), contracted);
  if (lhsDim && rhsDim && *lhsDim != *rhsDim)
    return Constraint(*this, 2).emitError() << "the contracted dims are " << *lhsDim << " and " << *rhsDim << ": "
                                            << describeBoth(2, *lhsRank - 1, contracted);
  for (int64_t fromEnd = 3; fromEnd <= std::min(*lhsRank, *rhsRank); ++fromEnd) {
    std::optional<int64_t> lhs = getKnownDim(getLhs(), *lhsRank - fromEnd),
                           rhs = getKnownDim(getRhs(), *rhsRank - fromEnd);
    if (lhs && rhs && *lhs != *rhs && *lhs != 1 && *rhs != 1)
      return Constraint(*this, 3).emitError()
             << "leading dims " << *lhs << " and " << *rhs
             << " do not broadcast: " << describeBoth(3, *lhsRank - fromEnd, *rhsRank - fromEnd);
  }
  int64_t rank = std::max(*lhsRank, *rhsRank) - (*lhsRank == 1) - (*rhsRank == 1);
  // Two vectors: the greater rank is 1, and both lose their dim, which is the same one.
  return Constraint(*this, 4).isRank("result", getResult(), std::max<int64_t>(rank, 0));
}

LogicalResult ConvOp::verify() {
  std::optional<int64_t> rank;
  for (Value value : {getInput(), getFilter(), getResult()})
    if (!rank)
      rank = getKnownRank(value);
  if (rank && *rank < 2)
    return Constraint(*this, 1).emitError() << "has rank " << *rank << ", expected at least 2";
  for (auto [name, value] :
       {std::pair("input", getInput()), std::pair("filter", getFilter()), std::pair("result", getResult())})
    if (failed(Constraint(*this, 1).isRank(name, value, rank)))
      return failure();

  Constraint window(*this, 2);
  size_t spatial = rank ? *rank - 2 : getStrides().size();
  if (failed(window.isCount("strides", getStrides().size(), spatial)) ||
      failed(window.isCount("dilations", getDilations().size(), spatial)) ||
      failed(window.isCount("pads", getPads().size(), 2 * spatial)))
    return failure();
  for (int64_t value : llvm::concat<const int64_t>(getStrides(), getDilations()))
    if (value < 1)
      return window.emitError() << "a stride or dilation is " << value << ", expected at least 1";

  Constraint groups(*this, 3);
  int64_t group = getGroup();
  if (group < 1)
    return groups.emitError() << "'group' is " << group << ", expected at least 1";
  std::optional<int64_t> filters = getKnownDim(getFilter(), 0), depth = getKnownDim(getFilter(), 1);
  if (filters && *filters % group != 0)
    return groups.emitError() << *filters << " filters are no multiple of group " << group;
  return groups.isDim("input", getInput(), 1, depth ? std::optional(*depth * group) : std::nullopt);
}
