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
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::gpu;

/// Threads lie in a square.
static constexpr int64_t threadsPerSide = 16, numThreads = threadsPerSide * threadsPerSide;
/// As many elements beside each other as one access of shared memory takes.
static constexpr int64_t widest = 4;

namespace {

/// How much of a contraction a block computes at a time: rows times columns, from so many steps of the reduction.
struct Tile {
  int64_t rows, columns, steps;
};

constexpr Tile usualTile{64, 64, 16};
/// More results for each element that is read: where there are enough such tiles for the device, as many steps, and
/// less than a quarter more than there is to compute in usual ones.
constexpr Tile largeTile{128, 128, 16};
constexpr int64_t manyTiles = 128, manySteps = 128;
/// Where no more rows are than that.
constexpr Tile flatTile{16, 32, 32};

class TiledContraction : private ContractionPlan {
public:
  TiledContraction(KernelCode &kernel, linalg::GenericOp op, linalg::GenericOp epilogue, Tile tile)
      : ContractionPlan(kernel, op, epilogue), tile(tile) {
    for (unsigned loop : outer)
      tileCounts.push_back(loops[loop].extent);
    tileCounts.push_back(code.ceilDiv(loops[rowLoop].extent, tile.rows));
    tileCounts.push_back(code.ceilDiv(loops[columnLoop].extent, tile.columns));
    for (unsigned loop = firstReduction; loop < loops.size(); ++loop)
      stepExtents.push_back(loops[loop].extent);
    steps = code.product(stepExtents);
  }

  Value emitTileCount() { return code.product(tileCounts); }
  Value emitRowCount() { return loops[rowLoop].extent; }
  Value emitStepCount() { return steps; }

  void emit(GPUKernelCode &gpuKernel) {
    gpu = &gpuKernel;
    leftSide = {&left(), rowLoop, tile.rows, {}, {}};
    rightSide = {&right(), columnLoop, tile.columns, {}, {}};
    leftSide.thread = code.div(gpu->thread, code.index(threadsPerSide));
    rightSide.thread = code.rem(gpu->thread, code.index(threadsPerSide));
    // Two of each: while some threads still read one, others write the next. A few more in each row keep threads that
    // write a column apart from each other's banks.
    for (Side *side : {&leftSide, &rightSide})
      side->memory = gpu->allocateShared({2, tile.steps, side->size + widest}, side->operand->memory->elementType);
    gpu->forEachBlock(emitTileCount(), [&](Value number) { emitTile(number); });
  }

private:
  /// What there is of rows, and of columns.
  struct Side {
    Operand *operand = nullptr;
    unsigned loop = 0;
    int64_t size = 0;
    Value memory, thread;

    int64_t perThread() const { return size / threadsPerSide; }
    int64_t width() const { return std::min(widest, perThread()); }
  };

  /// The place in the tile of a thread's element number `i`.
  Value placeOf(const Side &side, int64_t i) {
    int64_t width = side.width();
    Value first = code.mul(side.thread, code.index(width));
    return code.add(first, code.index(i / width * width * threadsPerSide + i % width));
  }

  void emitTile(Value number) {
    SmallVector<Value> indices = code.delinearize(number, tileCounts);
    Place place(loops.size());
    for (auto [loop, index] : llvm::zip_equal(outer, ArrayRef(indices).drop_back(2)))
      place[loop] = Lanes::uniform(index);
    Value firstRow = code.mul(indices[indices.size() - 2], code.index(tile.rows));
    Value firstColumn = code.mul(indices.back(), code.index(tile.columns));

    // The next pieces are under way while these are computed with.
    auto load = [&](Value firstStep) {
      SmallVector<Value> values = emitLoads(leftSide, place, firstRow, firstStep);
      llvm::append_range(values, emitLoads(rightSide, place, firstColumn, firstStep));
      return values;
    };
    size_t numSums = leftSide.perThread() * rightSide.perThread();
    SmallVector<Value> carried(numSums, kernel.scalars.lookup(getReductionStart(*main.op.getDpsInitOperand(0))));
    llvm::append_range(carried, load(code.index(0)));
    carried.push_back(code.index(0));
    carried = code.forLoop(code.index(0), steps, tile.steps, carried, [&](Value firstStep, ValueRange values) {
      Value buffer = values.back();
      ValueRange loaded = values.drop_front(numSums).drop_back();
      size_t ofLeft = loadsOf(leftSide);
      emitStores(leftSide, buffer, loaded.take_front(ofLeft));
      emitStores(rightSide, buffer, loaded.drop_front(ofLeft));
      gpu->barrier();
      SmallVector<Value> following = load(code.add(firstStep, code.index(tile.steps)));
      SmallVector<Value> next = emitSteps(firstStep, buffer, values.take_front(numSums));
      llvm::append_range(next, following);
      next.push_back(code.sub(code.index(1), buffer));
      return next;
    });
    // Nobody writes for the next tile before all have read.
    gpu->barrier();

    for (int64_t i = 0; i < leftSide.perThread(); ++i) {
      Value row = code.add(firstRow, placeOf(leftSide, i));
      Value isRow = code.isLess(row, loops[rowLoop].extent);
      for (int64_t j = 0; j < rightSide.perThread(); ++j) {
        Value column = code.add(firstColumn, placeOf(rightSide, j));
        code.ifThen(code.both(isRow, code.isLess(column, loops[columnLoop].extent)), [&] {
          Place at = place;
          at[rowLoop] = Lanes::uniform(row);
          at[columnLoop] = Lanes::uniform(column);
          finish(at, Points(), Lanes::uniform(carried[i * rightSide.perThread() + j]));
        });
      }
    }
  }

  size_t loadsOf(const Side &side) { return side.size * tile.steps / numThreads; }

  /// Where in the tile the element lies that a thread loads as number `piece`: along the steps, and along the loop.
  std::pair<Value, Value> loadPlace(const Side &side, size_t piece) {
    // Neighbouring threads should read neighbouring elements.
    bool isStepFirst = side.operand->isContiguous(loops.size() - 1);
    Value number = code.add(gpu->thread, code.index(piece * numThreads));
    Value inner = code.index(isStepFirst ? tile.steps : side.size);
    Value fast = code.rem(number, inner), slow = code.div(number, inner);
    return isStepFirst ? std::pair(fast, slow) : std::pair(slow, fast);
  }

  /// A thread's elements of a piece of an operand. What lies outside is not read, and what stands in its place not used
  /// but by sums that nobody stores.
  SmallVector<Value> emitLoads(Side &side, const Place &tilePlace, Value first, Value firstStep) {
    SmallVector<Value> values;
    for (size_t piece = 0; piece < loadsOf(side); ++piece) {
      auto [alongStep, alongLoop] = loadPlace(side, piece);
      Value index = code.add(first, alongLoop), step = code.add(firstStep, alongStep);
      Value isInside = code.both(code.isLess(index, loops[side.loop].extent), code.isLess(step, steps));
      Type stored = getStoredType(side.operand->memory->elementType);
      Value zero = arith::ConstantOp::create(code.builder, code.loc, code.builder.getZeroAttr(stored));
      values.push_back(code.ifThen(isInside, zero, [&]() -> SmallVector<Value> {
        Place place = tilePlace;
        place[rowLoop] = place[columnLoop] = Lanes::uniform(code.index(0));
        place[side.loop] = Lanes::uniform(index);
        for (auto [i, stepIndex] : llvm::enumerate(code.delinearize(step, stepExtents)))
          place[firstReduction + i] = Lanes::uniform(stepIndex);
        return {
            dyn::codegen::load(code, *side.operand->memory, offsetOf(*side.operand, place, Points()), Points()).first};
      })[0]);
    }
    return values;
  }

  void emitStores(const Side &side, Value buffer, ValueRange values) {
    for (auto [piece, value] : llvm::enumerate(values)) {
      auto [alongStep, alongLoop] = loadPlace(side, piece);
      memref::StoreOp::create(code.builder, code.loc, value, side.memory, ValueRange{buffer, alongStep, alongLoop});
    }
  }

  /// Only as many steps as there are: a body need not leave sums alone where operands are 0.
  SmallVector<Value> emitSteps(Value firstStep, Value buffer, ValueRange sums) {
    auto emitAll = [&]() {
      return code.forLoop(code.index(0), code.index(tile.steps), 4, sums, [&](Value step, ValueRange values) {
        SmallVector<Value> next(values);
        for (int64_t i = 0; i < 4; ++i)
          next = emitStep(buffer, code.add(step, code.index(i)), next);
        return next;
      });
    };
    if (std::optional<int64_t> known = constantOf(steps); known && *known % tile.steps == 0)
      return emitAll();
    Value left = code.sub(steps, firstStep);
    Value isWhole = code.isLess(code.index(tile.steps - 1), left);
    SmallVector<Type> types(sums.getTypes());
    auto choice = scf::IfOp::create(code.builder, code.loc, types, isWhole, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(code.builder);
    code.builder.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(code.builder, code.loc, emitAll());
    code.builder.setInsertionPointToStart(choice.elseBlock());
    SmallVector<Value> some = code.forLoop(
        code.index(0), left, 1, sums, [&](Value step, ValueRange values) { return emitStep(buffer, step, values); });
    scf::YieldOp::create(code.builder, code.loc, some);
    return llvm::to_vector_of<Value>(choice.getResults());
  }

  SmallVector<Value> emitStep(Value buffer, Value step, ValueRange sums) {
    auto read = [&](const Side &side) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < side.perThread(); ++i)
        values.push_back(
            memref::LoadOp::create(code.builder, code.loc, side.memory, ValueRange{buffer, step, placeOf(side, i)}));
      return values;
    };
    SmallVector<Value> lefts = read(leftSide), rights = read(rightSide), next;
    for (auto [i, leftValue] : llvm::enumerate(lefts))
      for (auto [j, rightValue] : llvm::enumerate(rights)) {
        SmallVector<Lanes> arguments(3);
        arguments[1 - rhs] = Lanes::uniform(leftValue);
        arguments[rhs] = Lanes::uniform(rightValue);
        arguments[2] = Lanes::uniform(sums[i * rights.size() + j]);
        next.push_back(emitBody(kernel, *main.op.getBlock(), arguments, {}, Points())[0].first);
      }
    return next;
  }

  Tile tile;
  GPUKernelCode *gpu = nullptr;
  SmallVector<Value> tileCounts, stepExtents;
  Value steps;
  Side leftSide, rightSide;
};

class ContractionKernel : public GPUKernelForm {
public:
  enum class Kind { usual, large, flat };

  ContractionKernel(linalg::GenericOp main, linalg::GenericOp epilogue, Kind kind = Kind::usual)
      : main(main), epilogue(epilogue), kind(kind) {}

  SmallVector<std::unique_ptr<GPUKernelForm>> getVariants() const override {
    SmallVector<std::unique_ptr<GPUKernelForm>> variants;
    variants.push_back(std::make_unique<ContractionKernel>(main, epilogue, Kind::flat));
    // Every device has 48 KiB of shared memory for a block, which hold two such tiles of no more than 4 bytes.
    bool isWide = llvm::any_of(linalg::GenericOp(main).getDpsInputs(), [](Value input) {
      return getStoredBytes(cast<RankedTensorType>(input.getType()).getElementType()) > 4;
    });
    if (!isWide)
      variants.push_back(std::make_unique<ContractionKernel>(main, epilogue, Kind::large));
    return variants;
  }

  StringRef getName() const override { return kind == Kind::large ? "large" : "flat"; }

  Value emitCondition(KernelCode &launch) override {
    Code &code = launch.code;
    TiledContraction plan = getPlan(launch);
    if (kind == Kind::flat)
      return code.isLess(plan.emitRowCount(), code.index(flatTile.rows + 1));
    Value tiles = plan.emitTileCount();
    Value usualTiles = TiledContraction(launch, main, epilogue, usualTile).emitTileCount();
    Value isEnough = code.both(code.isLess(code.index(manyTiles - 1), tiles),
                               code.isLess(code.index(manySteps - 1), plan.emitStepCount()));
    return code.both(isEnough, code.isLess(code.mul(tiles, code.index(16)), code.mul(usualTiles, code.index(5))));
  }

  int64_t getThreads() const override { return numThreads; }
  void emit(GPUKernelCode &kernel) override { getPlan(kernel).emit(kernel); }
  Value emitBlockCount(KernelCode &launch) override { return getPlan(launch).emitTileCount(); }

private:
  TiledContraction getPlan(KernelCode &kernel) {
    Tile tile = kind == Kind::usual ? usualTile : kind == Kind::large ? largeTile : flatTile;
    return TiledContraction(kernel, main, epilogue, tile);
  }

  linalg::GenericOp main, epilogue;
  Kind kind;
};

} // namespace

std::unique_ptr<GPUKernelForm> dyn::gpu::matchContractionKernel(func::FuncOp kernel) {
  std::optional<FusedOps> ops = matchSingleNest(kernel);
  auto main = ops ? dyn_cast<linalg::GenericOp>(*ops->main) : linalg::GenericOp();
  if (!main || !ContractionPlan::isPossible(main))
    return nullptr;
  return std::make_unique<ContractionKernel>(main, ops->epilogue);
}
