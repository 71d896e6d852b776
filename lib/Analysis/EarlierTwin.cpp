//===- Ops that compute the same ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "EarlierTwin.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace dyn;

/// Ops behind each other that may differ, and users of a value that are looked at: constants have any number.
static constexpr unsigned kMaxDepth = 4, kMaxUsers = 32;

static bool readSame(Operation *lhs, Operation *rhs, unsigned depth);

/// Of types nothing is asked: what is inferred of one op may not be known of the other yet.
static bool computeSame(Operation *lhs, Operation *rhs, unsigned depth) {
  return lhs == rhs || (isPure(lhs) && lhs->getNumRegions() == 0 && rhs->getNumRegions() == 0 &&
                        lhs->getName() == rhs->getName() && lhs->getNumResults() == rhs->getNumResults() &&
                        lhs->getDiscardableAttrDictionary() == rhs->getDiscardableAttrDictionary() &&
                        lhs->getName().compareOpProperties(lhs->getPropertiesStorage(), rhs->getPropertiesStorage()) &&
                        readSame(lhs, rhs, depth));
}

static bool readSame(Operation *lhs, Operation *rhs, unsigned depth) {
  return lhs->getNumOperands() == rhs->getNumOperands() &&
         llvm::all_of(llvm::zip_equal(lhs->getOperands(), rhs->getOperands()), [&](auto operands) {
           auto [a, b] = operands;
           auto first = dyn_cast<OpResult>(a), second = dyn_cast<OpResult>(b);
           return a == b || (depth > 0 && first && second && first.getResultNumber() == second.getResultNumber() &&
                             computeSame(first.getOwner(), second.getOwner(), depth - 1));
         });
}

/// A value, and what other ops are known to compute alike.
static void collectAlike(Value value, unsigned depth, SmallVectorImpl<Value> &alike) {
  alike.push_back(value);
  auto result = dyn_cast<OpResult>(value);
  if (depth == 0 || !result || result.getOwner()->getNumOperands() == 0)
    return;
  SmallVector<Value> sources;
  collectAlike(result.getOwner()->getOperand(0), depth - 1, sources);
  for (Value source : sources)
    for (auto [number, user] : llvm::enumerate(source.getUsers())) {
      if (number == kMaxUsers)
        break;
      if (user != result.getOwner() && computeSame(user, result.getOwner(), kMaxDepth))
        alike.push_back(user->getResult(result.getResultNumber()));
    }
}

NonZeroOp dyn::findEarlierCount(Value counted, Operation *op) {
  SmallVector<Value> alike;
  collectAlike(counted, kMaxDepth, alike);
  NonZeroOp first;
  for (Value value : alike)
    for (auto [number, user] : llvm::enumerate(value.getUsers())) {
      if (number == kMaxUsers)
        break;
      auto count = dyn_cast<NonZeroOp>(user);
      if (count && count->getBlock() == op->getBlock() && count->isBeforeInBlock(first ? first : op))
        first = count;
    }
  return first;
}
