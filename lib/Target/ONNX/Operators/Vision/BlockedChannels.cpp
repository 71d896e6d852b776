//===- Import of operators on blocks of channels ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// onnxruntime's optimizer puts blocks of channels together in memory. Here the
// tensors have the order that their dims say, with zeros for the channels that
// fill the last block up, and only filters, which files hold in the other order,
// are brought into it. What stands between, such as sums, sees no difference.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../../Reading/ChannelBlocks.h"
#include "../Builders.h"
#include "../Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importReorderInput(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (rank < 2)
    return node.error("operand 0 has rank " + Twine(rank) + ", which leaves no dim for channels");
  Value x = node.getOperand(0);
  if (node.getInt("channels_last", 0))
    x = moveChannels(node, x, rank, /*last=*/false);
  Value block = node.i64Vector({node.graphs.getChannelBlock()}), channels = getDims(node, x, 1, 2);
  Value last = node.sub(block, node.i64Vector({1}));
  Value added = node.sub(node.mul(node.div(node.add(channels, last), block), block), channels);
  SmallVector<int64_t> before(static_cast<size_t>(rank + 1), 0), after(static_cast<size_t>(rank - 2), 0);
  SmallVector<Value> pads{node.i64Vector(before), added};
  if (!after.empty())
    pads.push_back(node.i64Vector(after));
  return node.finish(padZeros(node, x, node.concat(0, pads)));
}

static LogicalResult importReorderOutput(NodeImport &node) {
  int64_t rank = node.requireRank(0), channels = node.getRequiredInt("channels");
  if (node.hasFailed())
    return failure();
  if (rank < 2 || channels < 1)
    return node.error("operand 0 has rank " + Twine(rank) + ", attribute 'channels' is " + Twine(channels));
  Value x = node.slice(node.getOperand(0), 0, channels, 1);
  return node.finish(node.getInt("channels_last", 0) ? moveChannels(node, x, rank, /*last=*/true) : x);
}

/// Filters of the dims M x C x kernel..., which stand in memory as M/block x C/block x kernel... x block x block, the
/// last of M, or as M/block x C x kernel... x block if the input has no blocks.
static FailureOr<Value> orderFilter(NodeImport &node, Value filter) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(filter);
  if (!dims || dims->size() < 3 || llvm::any_of(*dims, ShapedType::isDynamic))
    return node.error("the dims of operand 1, the filters, must be known, and at least three");
  int64_t block = node.graphs.getChannelBlock(), maps = (*dims)[0], channels = (*dims)[1];
  bool hasBlocks = channels >= block;
  if (maps % block != 0 || (hasBlocks && channels % block != 0))
    return node.error("operand 1, the filters, has " + Twine(maps) + " and " + Twine(channels) +
                      " channels, which are no blocks of " + Twine(block));
  auto kernel = dims->drop_front(2);
  auto spatial = static_cast<int64_t>(kernel.size());
  SmallVector<int64_t> stored{maps / block, hasBlocks ? channels / block : channels}, order{0, spatial + 2, 1};
  llvm::append_range(stored, kernel);
  stored.push_back(block);
  if (hasBlocks) {
    stored.push_back(block);
    order = {0, spatial + 3, 1, spatial + 2};
  }
  llvm::append_range(order, llvm::seq<int64_t>(2, spatial + 2));
  Value apart = node.reshapeTo(filter, node.i64Vector(stored), /*allowZero=*/true);
  return node.reshapeTo(node.transpose(apart, ArrayRef<int64_t>(order)), node.i64Vector(*dims), /*allowZero=*/true);
}

static LogicalResult importConv(NodeImport &node) {
  FailureOr<Value> filter = orderFilter(node, node.getOperand(1));
  if (failed(filter))
    return failure();
  FailureOr<Value> result = emitFusedConvolution(node, *filter, /*isChannelsLast=*/false);
  return failed(result) ? failure() : node.finish(*result);
}

void onnx::registerBlockedChannels(OperatorRegistry &registry) {
  registry.add(kBlockedDomain, "ReorderInput", 1, 1, importReorderInput);
  registry.add(kBlockedDomain, "ReorderOutput", 1, 1, importReorderOutput);
  registry.add(kBlockedDomain, "Conv", 2, 4, importConv);
}
