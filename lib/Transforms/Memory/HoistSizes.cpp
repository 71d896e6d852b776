//===- Sizes before buffers ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HoistSizes.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <map>

using namespace mlir;
using namespace dyn;

static bool isSize(Operation &op) {
  if (op.hasTrait<mlir::OpTrait::IsTerminator>())
    return false;
  bool fixed = llvm::all_of(op.getOperands(), [&](Value operand) {
    return isa<BlockArgument>(operand) || isa<IndexType, IntegerType>(operand.getType());
  });
  bool scalar = llvm::all_of(op.getResultTypes(), [](Type type) { return isa<IndexType, IntegerType>(type); });
  return fixed && scalar && op.getNumRegions() == 0 && (isa<shape::CheckOp>(op) || isPure(&op));
}

Operation *dyn::hoistSizes(Block &block) {
  Operation *place = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isSize(op))
      place = place ? place : &op;
    else if (place)
      op.moveBefore(place);
  }
  return place;
}

void dyn::mergeEqualSizes(Block &block) {
  std::map<SmallVector<const void *>, Value> known;
  for (auto apply : llvm::make_early_inc_range(block.getOps<shape::ApplyOp>())) {
    SmallVector<const void *> key{apply.getExprAttr().getAsOpaquePointer(), apply.getNamesAttr().getAsOpaquePointer()};
    for (Value operand : apply.getOperands())
      key.push_back(operand.getAsOpaquePointer());
    auto [first, isNew] = known.try_emplace(std::move(key), apply.getResult());
    if (isNew)
      continue;
    apply.getResult().replaceAllUsesWith(first->second);
    apply.erase();
  }
}
