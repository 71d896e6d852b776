//===- Keys and values in buffers with room for more --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SharedCache.h"
#include "../Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

SharedCache::SharedCache(NodeImport &node, size_t count)
    : node(node), used(asScalar(node, node.cast(node.getOperand(count), node.builder.getI64Type()))) {}

Value SharedCache::getTotal(Value fresh) {
  Value total = node.add(asVector(node, used), getDims(node, fresh, 2, 3));
  // A reshape would choose for -1.
  return node.max(total, node.i64Vector({0}));
}

Value SharedCache::write(Value buffer, Value fresh) {
  Value room = getDims(node, buffer, 2, 3), length = getDims(node, fresh, 2, 3);
  Value places = countTo(node, asScalar(node, room)), behind = node.sub(places, used);
  Value isNew = node.binary<AndOp>(node.compare(CompareDirection::GE, behind, node.i64Scalar(0)),
                                   node.compare(CompareDirection::LT, behind, asScalar(node, length)));
  Value sources = node.select(isNew, node.add(behind, room), places);
  return node.gather(node.concat(2, {buffer, fresh}), sources, 2);
}

Value SharedCache::read(Value buffer, Value fresh) {
  Value total = getTotal(fresh), none = node.i64Vector({0});
  Value end = node.add(node.max(asVector(node, used), none), getDims(node, fresh, 2, 3));
  Value counted = sliceTo(node, buffer, none, end, 2);
  // The slice ends with the buffer, and no number of places is less than none.
  Value dims = node.concat(0, {getDims(node, buffer, 0, 2), total, getDims(node, buffer, 3, 4)});
  return node.reshapeTo(counted, dims, /*allowZero=*/true);
}

Value SharedCache::readBeams(Value buffer, Value fresh, size_t beams) {
  Value origin = node.cast(node.getOperand(beams), node.builder.getI64Type()), all = read(buffer, fresh);
  Value batch = getDims(node, buffer, 0, 1), width = asScalar(node, getDims(node, origin, 1, 2));
  Value total = getTotal(fresh);
  origin = sliceTo(node, origin, node.i64Vector({0}), total, 2);
  origin = node.reshapeTo(origin, node.concat(0, {batch, total}), /*allowZero=*/true);
  Value own = countTo(node, asScalar(node, batch));
  Value others = node.add(node.unsqueeze(node.sub(own, node.binary<ModOp>(own, width)), 1), origin);
  Value isUsed = node.compare(CompareDirection::LT, countTo(node, asScalar(node, total)), used);
  Value isOne = node.compare(CompareDirection::EQ, asScalar(node, getDims(node, fresh, 2, 3)), node.i64Scalar(1));
  Value rows = node.select(node.binary<AndOp>(isUsed, isOne), others, node.unsqueeze(own, 1));
  Value places = node.expandLike(countTo(node, asScalar(node, total)), rows);
  constexpr int64_t order[] = {0, 2, 1, 3};
  Value picked = gatherND(node, node.transpose(all, ArrayRef<int64_t>(order)),
                          node.concat(2, {node.unsqueeze(rows, 2), node.unsqueeze(places, 2)}), /*batchDims=*/0,
                          /*tuple=*/2);
  return node.transpose(picked, ArrayRef<int64_t>(order));
}
