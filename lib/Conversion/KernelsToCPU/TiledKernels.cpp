//===- Contractions in register tiles -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "TileFunctions.h"
#include "dyn/Conversion/KernelCode/ContractionPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::cpu;

/// An item has about as many rows of the left operand as fit into this part of the second-level cache.
static constexpr int64_t leftShare = 2;
/// Rows of an operand a multiple of `collidingBytes` apart share the same few places of the first-level cache: a tile
/// reads no more of the left one's at once than leave so many to the right one.
static constexpr int64_t waysOfRight = 2;
/// From so many rows on it pays to copy the columns of the right operand that a tile reads: then they lie one behind
/// the other, on few lines and pages, and are fetched ahead.
static constexpr int64_t minRowsOfCopies = 40;
/// Of an item; where each item copies its columns, more share the copy.
static constexpr int64_t minItemRows = 48, minItemRowsOfCopies = 128, maxItemRows = 384;

namespace {

/// A contraction with a loop for rows, which only the left operand has, and one for columns, which only the right one
/// has. An item is some rows times the columns of one tile; other parallel loops are outside. The right operand is read
/// where it is if it lies in panels, or its columns are contiguous and all there; otherwise it is copied first.
class TiledContraction : private ContractionPlan {
public:
  /// `isFlat`: for few rows; only then may there be few.
  TiledContraction(CPUKernelCode &kernel, linalg::GenericOp op, linalg::GenericOp epilogue, bool isFlat)
      : ContractionPlan(kernel, op, epilogue), kernel(kernel), isFlat(isFlat) {
    emitSizes();
  }

  /// Whether there are so few rows that flat tiles are better.
  Value emitHasFewRows() {
    if (!isReadInPlace())
      return arith::ConstantIntOp::create(code.builder, code.loc, 0, 1);
    return code.isLess(loops[rowLoop].extent, code.index(TileFunctions::getMaxFlatRows(kernel.vectorBits) + 1));
  }

  Value emitItemCount() { return code.mul(code.product(outerExtents), code.mul(rowChunks, columnPanels)); }

  Value emitCost() {
    // The reduction, and the epilogue for each element.
    TileFunctions tiles = getTiles();
    Value rows = code.min(loops[rowLoop].extent, itemRows);
    int64_t perElement = 4 + (epilogue ? estimateCost(*epilogue->op.getBlock()) : 0);
    Value perRow = code.add(code.mul(steps, code.index(tiles.vectors)), code.index(perElement * tiles.vectors));
    return code.mul(rows, perRow);
  }

  Value emitScratchBytes() {
    reservePanel();
    return kernel.emitScratchBytes({});
  }

  void emitItems(Value begin, Value end) {
    TileFunctions tiles = getTiles();
    bool isInPlace = isReadInPlace(), isAlwaysFull = isDividedByTiles();
    reservePanel();
    kernel.withTemporaries({}, [&] {
      Type resultType = main.op.getBlock()->getArgument(2).getType();
      int64_t tileBytes = tiles.getMaxNarrowRows() * tiles.columns() * getStoredBytes(resultType);
      tile = kernel.emitStackMemory(tileBytes);
      code.forLoop(begin, end, [&](Value item) { emitItem(tiles, item, isInPlace, isAlwaysFull); });
    });
  }

private:
  bool isInPanels() { return right().memory->panels.has_value(); }
  /// Whether no tile has fewer columns than others.
  bool isDividedByTiles() {
    std::optional<int64_t> columns = constantOf(loops[columnLoop].extent);
    return columns && *columns % getTiles().columns() == 0;
  }
  /// Asks for memory for a copy of the columns of an item, if there may be one.
  void reservePanel() {
    scatters = emitScatters();
    kernel.extraScratchBytes = Value();
    if (isInPanels() || (isReadInPlace() && isDividedByTiles() && isConstant(scatters, 0)))
      return;
    // Packing takes whole squares.
    TileFunctions tiles = getTiles();
    Value padded = code.add(steps, code.index(tiles.lanes));
    int64_t rowBytes = tiles.columns() * getStoredBytes(right().memory->elementType);
    kernel.extraScratchBytes = code.mul(padded, code.index(rowBytes));
  }
  bool isReadInPlace() { return isInPanels() || (right().isContiguous(columnLoop) && !isWorthFlattening()); }
  /// Whether the reduction is one loop over a copy of the right operand.
  bool isFlattened() { return !isReadInPlace() && isReducedInOrder(left()); }
  /// With the few steps of a window in the innermost loop, a tile would be loaded and stored for little work. For few
  /// rows the copy would be more.
  bool isWorthFlattening() {
    std::optional<int64_t> rows = constantOf(loops[rowLoop].extent);
    return !isInPanels() && isOverWindows() && isReducedInOrder(left()) &&
           (!rows || *rows > TileFunctions::getMaxFlatRows(kernel.vectorBits));
  }
  TileFunctions getTiles() { return TileFunctions(kernel, cast<linalg::GenericOp>(*main.op), 1 - rhs, rhs, isFlat); }

  void emitSizes() {
    TileFunctions tiles = getTiles();
    steps = code.index(1);
    for (unsigned loop = firstReduction; loop < loops.size(); ++loop)
      steps = code.mul(steps, loops[loop].extent);
    int64_t fitting = kernel.cpu.l2Bytes / leftShare / getStoredBytes(left().memory->elementType);
    itemRows = code.div(code.index(fitting), code.max(steps, code.index(1)));
    itemRows = code.max(itemRows, code.index(isInPanels() ? minItemRows : minItemRowsOfCopies));
    itemRows = code.min(itemRows, code.index(maxItemRows));
    Value rows = loops[rowLoop].extent;
    rowChunks = code.div(code.add(rows, code.sub(itemRows, code.index(1))), itemRows);
    columnPanels = code.ceilDiv(loops[columnLoop].extent, tiles.columns());
    for (unsigned loop : outer)
      outerExtents.push_back(loops[loop].extent);
  }

  void emitItem(TileFunctions &tiles, Value item, bool isInPlace, bool isAlwaysFull) {
    SmallVector<Value> counts(outerExtents);
    counts.push_back(rowChunks);
    counts.push_back(columnPanels);
    SmallVector<Value> indices = code.delinearize(item, counts);
    Place place(loops.size());
    for (auto [loop, index] : llvm::zip_equal(outer, ArrayRef(indices).drop_back(2)))
      place[loop] = Lanes::uniform(index);
    // Chunks of rows differ by at most one row, so that none is short.
    Value chunk = indices[indices.size() - 2], rows = loops[rowLoop].extent;
    Value firstRow = code.div(code.mul(chunk, rows), rowChunks);
    Value endRow = code.div(code.mul(code.add(chunk, code.index(1)), rows), rowChunks);
    Value firstColumn = code.mul(indices.back(), code.index(tiles.columns()));
    Value columns = code.sub(loops[columnLoop].extent, firstColumn);
    Value isFull = isAlwaysFull ? Value() : code.isLess(code.index(tiles.columns() - 1), columns);
    if (!isAlwaysFull)
      columns = code.min(columns, code.index(tiles.columns()));

    place[rowLoop] = Lanes::uniform(code.index(0));
    place[columnLoop] = Lanes::uniform(firstColumn);
    for (unsigned loop = firstReduction; loop < loops.size(); ++loop)
      place[loop] = Lanes::uniform(code.index(0));
    SmallVector<Value> panel = emitPanel(tiles, place, code.sub(endRow, firstRow), columns, isFull, isInPlace);

    // A rest of few columns takes half of a tile, or fewer panels.
    TileFunctions::Used used;
    if (isFull && !isFlat)
      used = {code.isLess(columns, code.index(tiles.lanes + 1)), Value(), /*isHighIfNarrow=*/true};
    if (isFull && isFlat && isInPanels())
      used.panels = code.ceilDiv(columns, tiles.panelColumns());
    // As many blocks as needed, all of about the same height.
    Value height = code.sub(endRow, firstRow), tileRows = emitTileRows(tiles, used.isNarrow);
    Value blocks = code.div(code.add(height, code.sub(tileRows, code.index(1))), tileRows);
    code.forLoop(code.index(0), blocks, [&](Value block) {
      auto rowOf = [&](Value number) { return code.add(firstRow, code.div(code.mul(number, height), blocks)); };
      Value row = rowOf(block), count = code.sub(rowOf(code.add(block, code.index(1))), row);
      Place at = place;
      at[rowLoop] = Lanes::uniform(row);
      if (!isFlat)
        emitOutputFetch(tiles, at, row, count);
      emitReduction(tiles, at, count, panel, used, emitAhead(tiles, panel, block, blocks));
      emitOutputs(tiles, at, row, count, firstColumn, columns, isFull);
    });
  }

  /// The right operand's columns of an item: its address, then the stride of each reduction loop.
  SmallVector<Value> emitPanel(TileFunctions &tiles, const Place &place, Value rows, Value columns, Value isFull,
                               bool isInPlace) {
    Type elementType = right().memory->elementType;
    SmallVector<Value> inPlace{
        addressOf(code, right().memory->base, elementType, offsetOf(right(), place, Points()).first)};
    SmallVector<Value> packed{kernel.extraScratch};
    Value stride = code.index(tiles.columns());
    for (unsigned loop = loops.size(); loop-- > firstReduction;) {
      packed.insert(packed.begin() + 1, stride);
      stride = code.mul(stride, loops[loop].extent);
    }
    for (unsigned loop = firstReduction; loop < loops.size(); ++loop)
      inPlace.push_back(right().dependsOn(loop) ? right().strides[loop] : code.index(0));
    auto pack = [&] {
      emitPacking(tiles, firstReduction, inPlace[0], packed[0], inPlace, packed, columns);
      return packed;
    };
    if (!isInPlace)
      return pack();
    if (isInPanels())
      return inPlace;
    Value isPacked = code.both(scatters, code.isLess(code.index(minRowsOfCopies - 1), rows));
    if (isFull) {
      Value yes = arith::ConstantIntOp::create(code.builder, code.loc, 1, 1);
      Value isPartial = arith::XOrIOp::create(code.builder, code.loc, isFull, yes);
      isPacked = code.builder.createOrFold<arith::OrIOp>(code.loc, isPacked, isPartial);
    }
    return code.ifThen(isPacked, inPlace, pack);
  }

  /// The part of the next item's panel that one of `blocks` blocks of rows brings nearer. Beyond the last panel this
  /// prefetches what may not be there, which no machine minds.
  TileFunctions::Ahead emitAhead(TileFunctions &tiles, ArrayRef<Value> panel, Value block, Value blocks) {
    if (isFlat || !isInPanels() || firstReduction + 1 < loops.size())
      return {};
    int64_t rowBytes = tiles.columns() * getStoredBytes(right().memory->elementType);
    Value perStep = code.div(code.add(blocks, code.index(rowBytes - 1)), blocks);
    Value bytes = code.mul(perStep, steps);
    Value next = addressOf(code, panel[0], right().memory->elementType, emitPanelStride(tiles));
    return {addressOf(code, next, code.builder.getI8Type(), code.mul(block, bytes)), perStep};
  }

  /// From the columns of one panel to those of the next.
  Value emitPanelStride(TileFunctions &tiles) {
    Value width = code.index(tiles.panelColumns());
    return isInPanels() ? code.mul(right().strides[columnLoop], width) : width;
  }

  /// Whether something lies between the rows of the right operand that a tile reads.
  Value emitScatters() {
    unsigned inner = loops.size() - 1;
    if (isFlat || isInPanels() || !right().dependsOn(inner))
      return arith::ConstantIntOp::create(code.builder, code.loc, 0, 1);
    return code.isLess(code.index(getTiles().columns()), right().strides[inner]);
  }

  Value emitCollides(Value stride, Type elementType) {
    Value bytes = code.mul(stride, code.index(getStoredBytes(elementType)));
    return code.builder.createOrFold<arith::CmpIOp>(code.loc, arith::CmpIPredicate::eq,
                                                    code.rem(bytes, code.index(collidingBytes)), code.index(0));
  }

  /// The most rows of a tile: fewer where more of the left operand's would push each other out of the cache.
  Value emitTileRows(TileFunctions &tiles, Value isNarrow) {
    auto choose = [&](Value condition, Value rows, Value otherwise) {
      return code.builder.createOrFold<arith::SelectOp>(code.loc, condition, rows, otherwise);
    };
    Value most = code.index(tiles.maxRows);
    if (isNarrow)
      most = choose(isNarrow, code.index(tiles.getMaxNarrowRows()), most);
    int64_t collidingRows = std::max<int64_t>(kernel.cpu.l1Ways - waysOfRight, 1);
    if ((!isNarrow && tiles.maxRows <= collidingRows) || !left().dependsOn(rowLoop))
      return most;
    return choose(emitCollides(left().strides[rowLoop], left().memory->elementType),
                  code.min(code.index(collidingRows), most), most);
  }

  void emitPacking(TileFunctions &tiles, unsigned loop, Value from, Value to, ArrayRef<Value> inPlace,
                   ArrayRef<Value> packed, Value columns) {
    Value stride = inPlace[1 + loop - firstReduction], packedStride = packed[1 + loop - firstReduction];
    if (loop + 1 == loops.size())
      return tiles.emitPack({from, stride, right().strides[columnLoop]}, loops[loop].extent, columns, to);
    Type type = right().memory->elementType;
    code.forLoop(code.index(0), loops[loop].extent, [&](Value index) {
      emitPacking(tiles, loop + 1, addressOf(code, from, type, code.mul(index, stride)),
                  addressOf(code, to, type, code.mul(index, packedStride)), inPlace, packed, columns);
    });
  }

  /// Computes `count` rows into the tile.
  void emitReduction(TileFunctions &tiles, const Place &place, Value count, ArrayRef<Value> panel,
                     const TileFunctions::Used &used, const TileFunctions::Ahead &ahead) {
    OpBuilder &b = code.builder;
    Value start = kernel.scalars.lookup(getReductionStart(*main.op.getDpsInitOperand(0)));
    Value base =
        addressOf(code, left().memory->base, left().memory->elementType, offsetOf(left(), place, Points()).first);
    Value no = arith::ConstantIntOp::create(b, code.loc, 0, 1), yes = arith::ConstantIntOp::create(b, code.loc, 1, 1);
    if (isFlattened())
      return tiles.emitTile(count, {base, leftStride(rowLoop), left().strides.back()},
                            {panel[0], panel.back(), code.index(1), emitPanelStride(tiles)}, steps, tile, start, no,
                            used);
    if (firstReduction + 1 < loops.size()) {
      // Without steps the tile must hold the start all the same.
      Value none = code.index(0);
      tiles.emitTile(count, {base, none, none}, {panel[0], none, none, none}, none, tile, start, no, used);
      return emitReductionLoops(tiles, getReductionOrder(), base, panel[0], count, panel, start, yes, used);
    }
    emitReductionLoops(tiles, {firstReduction}, base, panel[0], count, panel, start, no, used, ahead);
  }

  Value leftStride(unsigned loop) { return left().dependsOn(loop) ? left().strides[loop] : code.index(0); }

  /// The reduction loops from the outermost on: the one that is known to be longest is last, since each of its runs
  /// loads and stores a tile.
  SmallVector<unsigned> getReductionOrder() {
    auto order = llvm::to_vector(llvm::seq<unsigned>(firstReduction, loops.size()));
    auto extentOf = [&](unsigned loop) { return constantOf(loops[loop].extent).value_or(INT64_MAX); };
    auto longest = std::max_element(order.rbegin(), order.rend(),
                                    [&](unsigned a, unsigned b) { return extentOf(a) < extentOf(b); });
    std::swap(*longest, order.back());
    return order;
  }

  void emitReductionLoops(TileFunctions &tiles, ArrayRef<unsigned> order, Value from, Value rightFrom, Value count,
                          ArrayRef<Value> panel, Value start, Value resumes, const TileFunctions::Used &used,
                          const TileFunctions::Ahead &ahead = {}) {
    unsigned loop = order.front();
    Value rightStride = panel[1 + loop - firstReduction];
    if (order.size() == 1)
      return tiles.emitTile(count, {from, leftStride(rowLoop), leftStride(loop)},
                            {rightFrom, rightStride, code.index(1), emitPanelStride(tiles)}, loops[loop].extent, tile,
                            start, resumes, used, ahead);
    code.forLoop(code.index(0), loops[loop].extent, [&](Value index) {
      Value next = addressOf(code, from, left().memory->elementType, code.mul(index, leftStride(loop)));
      Value nextRight = addressOf(code, rightFrom, right().memory->elementType, code.mul(index, rightStride));
      emitReductionLoops(tiles, order.drop_front(), next, nextRight, count, panel, start, resumes, used);
    });
  }

  /// Asks for the lines of the output that a tile of `count` rows will write: they come while it is computed, where
  /// stores would wait for them.
  void emitOutputFetch(TileFunctions &tiles, const Place &place, Value firstRow, Value count) {
    const TensorMemory &memory = *last().outputs[0].memory;
    int64_t rowBytes = tiles.columns() * getStoredBytes(memory.elementType);
    code.forLoop(code.index(0), count, [&](Value row) {
      Place at = place;
      at[rowLoop] = Lanes::uniform(code.add(firstRow, row));
      Value start = addressOf(code, memory.base, memory.elementType, offsetOf(last().outputs[0], at, Points()).first);
      for (int64_t byte = 0; byte < rowBytes; byte += cacheLineBytes)
        prefetch(code, addressOf(code, start, code.builder.getI8Type(), code.index(byte)), Fetch::ToWrite);
    });
  }

  /// Takes the tile through the epilogue to the output.
  void emitOutputs(TileFunctions &tiles, const Place &place, Value firstRow, Value count, Value firstColumn,
                   Value columns, Value isFull) {
    OpBuilder &b = code.builder;
    TensorMemory memory{tile, main.op.getBlock()->getArgument(2).getType(), {}, {}, false, {}};
    auto emitRows = [&](bool isMasked) {
      code.forLoop(code.index(0), count, [&](Value row) {
        Place at = place;
        at[rowLoop] = Lanes::uniform(code.add(firstRow, row));
        for (unsigned vector = 0; vector < tiles.vectors; ++vector) {
          Value column = code.index(vector * tiles.lanes);
          at[columnLoop] = Lanes::linear(code.add(firstColumn, column), code.index(1));
          Points points{tiles.lanes, isMasked ? code.maskOf(code.sub(columns, column), tiles.lanes) : Value()};
          Value offset = code.add(code.mul(row, code.index(tiles.columns())), column);
          Lanes value = load(code, memory, Lanes::linear(offset, code.index(1)), Points{tiles.lanes, {}});
          finish(at, points, value);
        }
      });
    };
    if (!isFull)
      return emitRows(false);
    auto branch = scf::IfOp::create(b, code.loc, isFull, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitRows(false);
    b.setInsertionPointToStart(branch.elseBlock());
    emitRows(true);
  }

  CPUKernelCode &kernel;
  bool isFlat;
  SmallVector<Value> outerExtents;
  Value steps, itemRows, rowChunks, columnPanels;
  Value tile, scatters;
};

class TiledKernel : public KernelForm {
public:
  TiledKernel(linalg::GenericOp main, linalg::GenericOp epilogue) : main(main), epilogue(epilogue) {}

  void emitRun(CPUKernelCode &kernel) override {
    Tiles tiles(kernel, *this);
    auto emit = [&](bool isFlat) { tiles.get(isFlat).emitItems(kernel.begin, kernel.end); };
    if (std::optional<int64_t> known = constantOf(tiles.hasFewRows))
      return emit(*known);
    OpBuilder &b = kernel.code.builder;
    auto branch = scf::IfOp::create(b, kernel.code.loc, tiles.hasFewRows, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emit(true);
    b.setInsertionPointToStart(branch.elseBlock());
    emit(false);
  }
  Value emitCount(CPUKernelCode &kernel) override {
    return emitChoice(kernel, [](TiledContraction &tiled) { return tiled.emitItemCount(); });
  }
  Value emitItemCost(CPUKernelCode &kernel) override {
    return emitChoice(kernel, [](TiledContraction &tiled) { return tiled.emitCost(); });
  }

  Value emitScratchBytes(CPUKernelCode &kernel) override {
    return emitChoice(kernel, [](TiledContraction &tiled) { return tiled.emitScratchBytes(); });
  }

private:
  /// Both ways to divide the work, and which of them is used.
  struct Tiles {
    Tiles(CPUKernelCode &kernel, const TiledKernel &form)
        : high(kernel, form.main, form.epilogue, /*isFlat=*/false),
          flat(kernel, form.main, form.epilogue, /*isFlat=*/true), hasFewRows(high.emitHasFewRows()) {}
    TiledContraction &get(bool isFlat) { return isFlat ? flat : high; }

    TiledContraction high, flat;
    Value hasFewRows;
  };

  Value emitChoice(CPUKernelCode &kernel, function_ref<Value(TiledContraction &)> emit) {
    Tiles tiles(kernel, *this);
    Value ofFlat = emit(tiles.flat), ofHigh = emit(tiles.high);
    return kernel.code.builder.createOrFold<arith::SelectOp>(kernel.code.loc, tiles.hasFewRows, ofFlat, ofHigh);
  }

  linalg::GenericOp main, epilogue;
};

} // namespace

std::unique_ptr<KernelForm> dyn::cpu::formTiledKernel(linalg::LinalgOp main, linalg::GenericOp epilogue) {
  auto contraction = dyn_cast<linalg::GenericOp>(*main);
  if (!contraction || !(ContractionPlan::isPossible(contraction) || ContractionPlan::isRowTimesColumns(contraction)))
    return nullptr;
  // Strides of operands that are always empty are not there.
  if (llvm::is_contained(contraction.getStaticLoopRanges(), 0))
    return nullptr;
  return std::make_unique<TiledKernel>(contraction, epilogue);
}
