//===- Blocks of channels in optimized models -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Results of convolutions have a whole number of blocks of channels. Inputs of
// fewer channels than a block, and those of filters for single channels, stand
// as they are; others have whole blocks as well.
//
//===----------------------------------------------------------------------===//

#include "ChannelBlocks.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace dyn::onnx;
using llvm::StringMap;
using llvm::StringRef;

namespace {

class BlockSearch {
public:
  std::optional<int64_t> run(const Graph &graph);

private:
  void readConvolution(const Node &node);
  void readOutput(const Node &node);

  static constexpr int64_t kSmall = 8, kLarge = 16;
  StringMap<const Tensor *> initializers;
  /// Of results of the domain's nodes, as far as filters tell.
  StringMap<int64_t> channels;
  std::optional<int64_t> found;
};

} // namespace

void BlockSearch::readConvolution(const Node &node) {
  auto entry = node.inputs.size() > 1 ? initializers.find(node.inputs[1]) : initializers.end();
  if (entry == initializers.end() || entry->second->dims.size() < 2)
    return;
  int64_t outputs = entry->second->dims[0], inputs = entry->second->dims[1];
  if (!node.outputs.empty())
    channels[node.outputs.front()] = outputs;
  bool takesPlainInput = inputs > kSmall && inputs < kLarge;
  if (outputs % kLarge != 0 || (inputs > kLarge && inputs % kLarge != 0))
    found = kSmall;
  else if (takesPlainInput)
    found = kLarge;
}

/// What a result had before it was filled up to whole blocks.
void BlockSearch::readOutput(const Node &node) {
  const NodeAttribute *kept = node.getAttribute("channels");
  auto all = node.inputs.empty() ? channels.end() : channels.find(node.inputs.front());
  if (!kept || all == channels.end() || kept->i < 1 || kept->i > all->second)
    return;
  if (static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(kept->i), kSmall)) != all->second)
    found = kLarge;
}

std::optional<int64_t> BlockSearch::run(const Graph &graph) {
  for (const Tensor &tensor : graph.initializers)
    initializers[tensor.name] = &tensor;
  for (const Node &node : graph.nodes) {
    forEachGraph(node, [&](Graph &inner) {
      if (!found)
        found = BlockSearch(*this).run(inner);
    });
    if (found)
      return found;
    if (node.domain != kBlockedDomain)
      continue;
    if (node.opType == "Conv") {
      readConvolution(node);
    } else if (node.opType == "ReorderOutput") {
      readOutput(node);
    } else if (!node.inputs.empty() && !node.outputs.empty()) {
      if (auto all = channels.find(node.inputs.front()); all != channels.end())
        channels[node.outputs.front()] = all->second;
    }
  }
  return found;
}

std::optional<int64_t> dyn::onnx::findChannelBlock(const Graph &graph) { return BlockSearch().run(graph); }

int64_t dyn::onnx::getOwnChannelBlock() { return llvm::sys::getHostCPUFeatures().lookup("avx512f") ? 16 : 8; }
