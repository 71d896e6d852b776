//===- Contractions in tiles ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelForm.h"
#include "dyn/Conversion/KernelCode/Body.h"
#include "dyn/Conversion/KernelCode/ContractionPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace dyn::gpu;

/// A block computes so many rows times columns at a time, from so many steps of the reduction.
static constexpr int64_t tileSize = 64, tileSteps = 16;
/// Threads lie in a square; each has a square of rows and columns, that many apart.
static constexpr int64_t threadsPerSide = 16, perThread = tileSize / threadsPerSide;
static constexpr int64_t numThreads = threadsPerSide * threadsPerSide;

namespace {

class TiledContraction : private ContractionPlan {
public:
  TiledContraction(KernelCode &kernel, linalg::GenericOp op, linalg::GenericOp epilogue)
      : ContractionPlan(kernel, op, epilogue) {
    for (unsigned loop : outer)
      tileCounts.push_back(loops[loop].extent);
    tileCounts.push_back(code.ceilDiv(loops[rowLoop].extent, tileSize));
    tileCounts.push_back(code.ceilDiv(loops[columnLoop].extent, tileSize));
    for (unsigned loop = firstReduction; loop < loops.size(); ++loop)
      stepExtents.push_back(loops[loop].extent);
    steps = code.product(stepExtents);
  }

  Value emitTileCount() { return code.product(tileCounts); }

  void emit(GPUKernelCode &gpuKernel) {
    gpu = &gpuKernel;
    // One more in each row keeps threads that write a column apart from each other's banks.
    leftTile = gpu->allocateShared({tileSteps, tileSize + 1}, left().memory->elementType);
    rightTile = gpu->allocateShared({tileSteps, tileSize + 1}, right().memory->elementType);
    threadRow = code.div(gpu->thread, code.index(threadsPerSide));
    threadColumn = code.rem(gpu->thread, code.index(threadsPerSide));
    gpu->forEachBlock(emitTileCount(), [&](Value tile) { emitTile(tile); });
  }

private:
  void emitTile(Value tile) {
    SmallVector<Value> indices = code.delinearize(tile, tileCounts);
    Place place(loops.size());
    for (auto [loop, index] : llvm::zip_equal(outer, ArrayRef(indices).drop_back(2)))
      place[loop] = Lanes::uniform(index);
    Value firstRow = code.mul(indices[indices.size() - 2], code.index(tileSize));
    Value firstColumn = code.mul(indices.back(), code.index(tileSize));

    SmallVector<Value> sums(perThread * perThread,
                            kernel.scalars.lookup(getReductionStart(*main.op.getDpsInitOperand(0))));
    sums = code.forLoop(code.index(0), steps, tileSteps, sums, [&](Value firstStep, ValueRange carried) {
      emitLoads(left(), leftTile, place, rowLoop, firstRow, firstStep);
      emitLoads(right(), rightTile, place, columnLoop, firstColumn, firstStep);
      gpu->barrier();
      // Only as many steps as there are: a body need not leave sums alone where operands are 0.
      Value count = code.min(code.sub(steps, firstStep), code.index(tileSteps));
      if (std::optional<int64_t> known = constantOf(steps); known && *known % tileSteps == 0)
        count = code.index(tileSteps);
      SmallVector<Value> next = code.forLoop(code.index(0), count, 1, carried,
                                             [&](Value step, ValueRange values) { return emitStep(step, values); });
      gpu->barrier();
      return next;
    });

    for (int64_t i = 0; i < perThread; ++i) {
      Value row = code.add(firstRow, code.add(threadRow, code.index(i * threadsPerSide)));
      Value isRow = code.isLess(row, loops[rowLoop].extent);
      for (int64_t j = 0; j < perThread; ++j) {
        Value column = code.add(firstColumn, code.add(threadColumn, code.index(j * threadsPerSide)));
        code.ifThen(code.both(isRow, code.isLess(column, loops[columnLoop].extent)), [&] {
          Place at = place;
          at[rowLoop] = Lanes::uniform(row);
          at[columnLoop] = Lanes::uniform(column);
          finish(at, Points(), Lanes::uniform(sums[i * perThread + j]));
        });
      }
    }
  }

  /// The threads of the block read a piece of an operand, `tileSize` along `loop` and `tileSteps` steps, into shared
  /// memory. What lies outside is not read, and what stands in its place not used but by sums that nobody stores.
  void emitLoads(Operand &operand, Value tile, const Place &tilePlace, unsigned loop, Value first, Value firstStep) {
    // Neighbouring threads should read neighbouring elements.
    bool isStepFirst = operand.isContiguous(loops.size() - 1);
    int64_t inner = isStepFirst ? tileSteps : tileSize;
    for (int64_t piece = 0; piece < tileSize * tileSteps / numThreads; ++piece) {
      Value number = code.add(gpu->thread, code.index(piece * numThreads));
      Value fast = code.rem(number, code.index(inner)), slow = code.div(number, code.index(inner));
      Value alongStep = isStepFirst ? fast : slow, alongLoop = isStepFirst ? slow : fast;
      Value index = code.add(first, alongLoop), step = code.add(firstStep, alongStep);
      Value isInside = code.both(code.isLess(index, loops[loop].extent), code.isLess(step, steps));
      Type stored = getStoredType(operand.memory->elementType);
      Value zero = arith::ConstantOp::create(code.builder, code.loc, code.builder.getZeroAttr(stored));
      Value value = code.ifThen(isInside, zero, [&]() -> SmallVector<Value> {
        Place place = tilePlace;
        place[rowLoop] = place[columnLoop] = Lanes::uniform(code.index(0));
        place[loop] = Lanes::uniform(index);
        for (auto [i, stepIndex] : llvm::enumerate(code.delinearize(step, stepExtents)))
          place[firstReduction + i] = Lanes::uniform(stepIndex);
        return {load(code, *operand.memory, offsetOf(operand, place, Points()), Points()).first};
      })[0];
      memref::StoreOp::create(code.builder, code.loc, value, tile, ValueRange{alongStep, alongLoop});
    }
  }

  SmallVector<Value> emitStep(Value step, ValueRange sums) {
    auto read = [&](Value tile, Value first) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < perThread; ++i) {
        Value at = code.add(first, code.index(i * threadsPerSide));
        values.push_back(memref::LoadOp::create(code.builder, code.loc, tile, ValueRange{step, at}));
      }
      return values;
    };
    SmallVector<Value> lefts = read(leftTile, threadRow), rights = read(rightTile, threadColumn), next;
    for (int64_t i = 0; i < perThread; ++i)
      for (int64_t j = 0; j < perThread; ++j) {
        SmallVector<Lanes> arguments(3);
        arguments[1 - rhs] = Lanes::uniform(lefts[i]);
        arguments[rhs] = Lanes::uniform(rights[j]);
        arguments[2] = Lanes::uniform(sums[i * perThread + j]);
        next.push_back(emitBody(kernel, *main.op.getBlock(), arguments, {}, Points())[0].first);
      }
    return next;
  }

  GPUKernelCode *gpu = nullptr;
  SmallVector<Value> tileCounts, stepExtents;
  Value steps, leftTile, rightTile, threadRow, threadColumn;
};

class ContractionKernel : public GPUKernelForm {
public:
  ContractionKernel(linalg::GenericOp main, linalg::GenericOp epilogue) : main(main), epilogue(epilogue) {}

  int64_t getThreads() const override { return numThreads; }
  void emit(GPUKernelCode &kernel) override { TiledContraction(kernel, main, epilogue).emit(kernel); }
  Value emitBlockCount(KernelCode &launch) override { return TiledContraction(launch, main, epilogue).emitTileCount(); }

private:
  linalg::GenericOp main, epilogue;
};

} // namespace

std::unique_ptr<GPUKernelForm> dyn::gpu::matchContractionKernel(func::FuncOp kernel) {
  std::optional<FusedOps> ops = matchSingleNest(kernel);
  auto main = ops ? dyn_cast<linalg::GenericOp>(*ops->main) : linalg::GenericOp();
  if (!main || !ContractionPlan::isPossible(main))
    return nullptr;
  return std::make_unique<ContractionKernel>(main, ops->epilogue);
}
