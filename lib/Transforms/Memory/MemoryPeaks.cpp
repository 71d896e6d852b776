//===- What launches need of memory at one time -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MemoryPeaks.h"
#include "SizeSamples.h"
#include "Views.h"
#include "dyn/Transforms/Memory/ArenaPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace dyn;

/// Memory is compared at so many sizes.
static constexpr size_t maxPoints = 16;

MemoryPeaks::MemoryPeaks(ArrayRef<shape::LaunchOp> launches, SizeExprs &sizes) {
  SmallVector<symbolic::Expr> bytes;
  for (shape::LaunchOp launch : launches)
    for (Value value : launch->getOperands())
      if (Value buffer = skipViews(value); buffer.getDefiningOp<memref::AllocOp>() && !indices.contains(buffer)) {
        indices.insert({buffer, bytes.size()});
        bytes.push_back(sizes.getBytes(buffer));
      }
  auto known = llvm::to_vector(llvm::make_filter_range(bytes, [](symbolic::Expr expr) { return bool(expr); }));
  std::vector<SizePoint> all = sampleSizes(known, sizes.getSolver());
  size_t step = all.size() / maxPoints + 1;
  for (size_t point = 0; point < all.size(); point += step)
    bytesAt.push_back(llvm::map_to_vector(
        bytes, [&](symbolic::Expr expr) { return expr ? double(evaluateAt(expr, all[point]).value_or(0)) : 0; }));
}

/// The places of the launches that use a buffer, from the first to the last; all, if anything else does.
static void addUsers(Value buffer, const DenseMap<Operation *, unsigned> &places, ArenaBuffer &life) {
  for (Operation *user : buffer.getUsers()) {
    if (isView(user)) {
      addUsers(user->getResult(0), places, life);
      continue;
    }
    auto found = places.find(user);
    bool isOther = found == places.end();
    life.first = std::min(life.first, isOther ? 0 : found->second);
    life.last = std::max(life.last, isOther ? unsigned(places.size() - 1) : found->second);
  }
}

SmallVector<double> MemoryPeaks::get(ArrayRef<shape::LaunchOp> order,
                                     function_ref<bool(unsigned, unsigned)> isBefore) const {
  DenseMap<Operation *, unsigned> places;
  SmallVector<SmallVector<unsigned>> uses;
  for (auto [place, launch] : llvm::enumerate(order)) {
    places[launch] = place;
    SmallVector<unsigned> &used = uses.emplace_back();
    for (Value value : launch->getOperands())
      if (auto found = indices.find(skipViews(value)); found != indices.end())
        used.push_back(found->second);
  }
  SmallVector<ArenaBuffer> buffers(indices.size(), ArenaBuffer{{}, ~0u, 0, {}});
  for (auto [buffer, index] : indices)
    addUsers(buffer, places, buffers[index]);
  addBeside(buffers, uses, shape::kLaunchWindow, isBefore);
  SmallVector<double> peaks(bytesAt.size(), 0);
  for (unsigned index = 0; index < buffers.size(); ++index) {
    SmallVector<unsigned> live = getLiveSet(buffers, index);
    for (auto [bytes, peak] : llvm::zip_equal(bytesAt, peaks)) {
      double sum = 0;
      for (unsigned other : live)
        sum += bytes[other];
      peak = std::max(peak, sum);
    }
  }
  return peaks;
}

LogicalResult dyn::walkHostBlocks(ModuleOp module, function_ref<void(Block &, SizeExprs &)> visit) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(DynDialect::kKernelAttrName) || function.isExternal())
      continue;
    SizeExprs sizes(function);
    if (failed(sizes.readFacts()))
      return failure();
    for (Block &block : function.getBody())
      visit(block, sizes);
  }
  return success();
}

bool dyn::isTooMuchMore(ArrayRef<double> peaks, ArrayRef<double> before) {
  constexpr double factor = 2, negligibleBytes = 65536;
  return llvm::any_of(llvm::zip_equal(peaks, before), [&](auto pair) {
    auto [now, then] = pair;
    return now > factor * then + negligibleBytes;
  });
}
