//===- Which loop of a nest runs in vectors, and which are divided into items ---===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Nest.h"
#include "dyn/Conversion/KernelCode/Reductions.h"

using namespace mlir;
using namespace dyn::codegen;

/// The largest extent that an item runs through; longer rows are divided.
static constexpr int64_t maxItemExtent = 4096;
static constexpr int64_t maxReducingItemExtent = 256;
/// The same for items of several rows that read squares.
static constexpr int64_t maxTileExtent = 64;

Nest::Nest(KernelCode &kernel, const FusedOps &ops, unsigned fixed) : LoopPlan(kernel, ops, fixed) {
  chooseVectorLoop();
  chooseItems();
}

int Nest::countIrregular(unsigned loop) {
  int count = 0;
  forEachStage([&](Stage &stage) {
    count += llvm::count_if(stage.inputs,
                            [&](const Operand &input) { return input.dependsOn(loop) && !input.isContiguous(loop); });
  });
  return count;
}

/// Would a vector along the reduction have lanes without work, and are those of the other loop near each other?
bool Nest::isShortWindow(unsigned reduction, unsigned parallel) {
  constexpr unsigned bitsOfElement = 32;
  std::optional<int64_t> extent = constantOf(loops[reduction].extent);
  if (!extent || *extent >= kernel.vectorBits / bitsOfElement)
    return false;
  bool areNear = true;
  forEachStage([&](Stage &stage) {
    areNear &= llvm::all_of(stage.inputs, [&](const Operand &input) {
      return !input.dependsOn(parallel) || isShortStep(input.strides[parallel]);
    });
  });
  return areNear;
}

bool Nest::isPartial(unsigned output) {
  return matchReduction(*main.op.getBlock(), main.op.getNumDpsInputs(), output).has_value();
}

void Nest::chooseVectorLoop() {
  if (kernel.vectorBits == 0)
    return;
  std::optional<unsigned> parallel, reduction;
  if (firstReduction > fixed && last().outputs[0].isContiguous(firstReduction - 1))
    parallel = firstReduction - 1;
  bool isPartials = llvm::all_of(llvm::seq<unsigned>(0, main.outputs.size()), [&](unsigned o) { return isPartial(o); });
  if (loops.size() > firstReduction && isPartials) {
    // The reduction along which most inputs are contiguous runs innermost.
    unsigned best = loops.size() - 1;
    for (unsigned loop = firstReduction; loop < loops.size(); ++loop)
      if (countIrregular(loop) < countIrregular(best))
        best = loop;
    bool isContiguous = false;
    forEachStage([&](Stage &stage) {
      isContiguous |= llvm::any_of(stage.inputs, [&](const Operand &input) { return input.isContiguous(best); });
    });
    if (isContiguous)
      reduction = best;
  }
  if (parallel && reduction)
    vectorLoop = countIrregular(*parallel) <= countIrregular(*reduction) || isShortWindow(*reduction, *parallel)
                     ? parallel
                     : reduction;
  else
    vectorLoop = parallel ? parallel : reduction;
  if (!vectorLoop)
    return;
  if (*vectorLoop >= firstReduction && *vectorLoop != loops.size() - 1) {
    auto swapStrides = [&](Operand &operand) { std::swap(operand.strides[*vectorLoop], operand.strides.back()); };
    forEachStage([&](Stage &stage) {
      llvm::for_each(stage.inputs, swapStrides);
      llvm::for_each(stage.outputs, swapStrides);
    });
    std::swap(loops[*vectorLoop], loops.back());
    vectorLoop = loops.size() - 1;
  }

  // As many lanes as the widest elements allow that are read or written in vectors.
  unsigned bits = 8;
  forEachStage([&](Stage &stage) {
    auto widen = [&](const Operand &operand) {
      if (operand.memory)
        bits = std::max(bits, unsigned(getStoredBytes(operand.memory->elementType) * 8));
    };
    llvm::for_each(stage.inputs, widen);
    llvm::for_each(stage.outputs, widen);
    // Floats narrower than f32 are computed as f32; integers may be widened.
    stage.op.getBlock()->walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (type.isIntOrFloat())
          bits = std::max(bits, isa<FloatType>(type) ? std::max(32u, type.getIntOrFloatBitWidth())
                                                     : std::min(64u, type.getIntOrFloatBitWidth()));
    });
  });
  lanes = kernel.vectorBits / bits;
  unroll = chooseUnroll();
}

bool Nest::isLong() {
  constexpr int64_t longestCost = 14;
  return pointCost() > longestCost;
}

unsigned Nest::chooseUnroll() {
  // A body's values live in registers next to the numbers of its polynomials.
  unsigned ofLong = kernel.vectorBits == 512 ? 4 : 2;
  if (loops.size() > firstReduction)
    return isLong() ? ofLong : 4;
  // Short bodies wait for memory. Elements that are gathered are loaded one by one.
  return isLong() && countIrregular(*vectorLoop) == 0 ? ofLong : 1;
}

int64_t Nest::pointCost() {
  int64_t cost = 0;
  forEachStage([&](Stage &stage) { cost += estimateCost(*stage.op.getBlock()); });
  return cost;
}

void Nest::chooseItems() {
  unsigned last = firstReduction;
  firstInner = last;
  bool inVectors = vectorLoop && *vectorLoop < firstReduction;
  if (!inVectors)
    return;
  loopAcross = findLoopAcross();
  if (loopAcross) {
    blockSize = maxTileExtent;
    firstInner = last - 1;
    return;
  }
  int64_t limit = loops.size() > firstReduction ? maxReducingItemExtent : maxItemExtent;
  int64_t extent = 1;
  while (firstInner > fixed) {
    std::optional<int64_t> known = constantOf(loops[firstInner - 1].extent);
    bool isVector = firstInner == last;
    if (!known || (extent * *known > limit && !(isVector && *known <= 2 * limit)))
      break;
    extent *= *known;
    --firstInner;
  }
  if (firstInner == last) {
    blockSize = limit;
    firstInner = last - 1;
  }
}

Value Nest::emitItemCount() {
  SmallVector<Value> counts;
  for (unsigned loop = fixed; loop < firstInner; ++loop)
    counts.push_back(loop == loopAcross ? code.ceilDiv(loops[loop].extent, lanes) : loops[loop].extent);
  // Of inner loops only whether they are empty counts.
  for (unsigned loop = firstInner; loop < firstReduction; ++loop)
    if (blockSize)
      counts.push_back(code.ceilDiv(loops[loop].extent, blockSize));
    else if (isConstant(loops[loop].extent, 0))
      counts.push_back(code.index(0));
  return code.product(counts);
}

Value Nest::emitCost() {
  SmallVector<Value> factors;
  factors.push_back(code.index(pointCost()));
  if (loopAcross)
    factors.push_back(code.min(loops[*loopAcross].extent, code.index(lanes)));
  for (unsigned loop = firstInner; loop < loops.size(); ++loop) {
    Value extent = loops[loop].extent;
    bool isDivided = blockSize && loop == firstInner;
    factors.push_back(isDivided ? code.min(extent, code.index(blockSize)) : extent);
  }
  Value cost = code.product(factors);
  return lanes ? code.ceilDiv(cost, lanes) : cost;
}
