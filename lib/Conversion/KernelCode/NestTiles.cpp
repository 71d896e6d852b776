//===- Reading inputs in squares that are transposed in registers -------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Nest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn::codegen;

/// A square of more vectors than this has no place in the registers.
static constexpr unsigned maxLanesOfSquare = 32;

bool Nest::isAcross(const Operand &input, unsigned loop) {
  return input.memory && !input.memory->isScalar && input.dependsOn(*vectorLoop) && !input.isContiguous(*vectorLoop) &&
         input.isContiguous(loop);
}

/// None where squares do not fit into the loops, or into registers.
std::optional<unsigned> Nest::findLoopAcross() {
  std::optional<unsigned> found;
  // The body is there once for each vector of a square, so that only short ones are worth it.
  if (fixed > 0 || loops.size() > firstReduction || lanes < 2 || lanes > maxLanesOfSquare || isLong())
    return found;
  auto isShort = [&](unsigned loop) {
    std::optional<int64_t> extent = constantOf(loops[loop].extent);
    return extent && *extent < int64_t(lanes);
  };
  if (isShort(*vectorLoop))
    return found;
  forEachStage([&](Stage &stage) {
    for (const Operand &input : stage.inputs)
      for (unsigned loop = 0; loop < *vectorLoop; ++loop)
        // Booleans are bytes in memory and bits in vectors.
        if (isAcross(input, loop) && !input.memory->elementType.isInteger(1) && !isShort(loop))
          found = loop;
  });
  return found;
}

/// Columns of a square from its rows, as many as a row has elements, a power of two. In each step the first half of the
/// vectors is interleaved with the second one: the number of a vector and that of a lane, one behind the other, are
/// bits that each step rotates by one place, so that the two numbers have changed places after as many steps as one has
/// bits.
static SmallVector<Value> transposeSquare(Code &code, SmallVector<Value> rows) {
  int64_t size = rows.size(), half = size / 2;
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < half; ++lane) {
    low.append({lane, size + lane});
    high.append({half + lane, size + half + lane});
  }
  for (int64_t step = 1; step < size; step *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < half; ++i)
      for (ArrayRef<int64_t> mask : {ArrayRef(low), ArrayRef(high)})
        next.push_back(vector::ShuffleOp::create(code.builder, code.loc, rows[i], rows[half + i], mask));
    rows = std::move(next);
  }
  return rows;
}

/// Indices from `first` on of the loop across, as many as there are lanes or are left, and those from `lower` to
/// `upper` of the loop in vectors. What is no whole square is gathered.
void Nest::emitTile(Place &place, Value first, Value lower, Value upper) {
  Value extent = loops[*loopAcross].extent, next = code.add(first, code.index(lanes));
  Value isBelow = code.isLess(first, code.sub(extent, code.index(lanes - 1)));
  Value start = code.ifThen(isBelow, lower, [&] {
    Value length = code.sub(upper, lower);
    Value stop = code.add(lower, code.sub(length, code.rem(length, code.index(lanes))));
    code.forLoop(lower, stop, lanes, {}, [&](Value index, ValueRange) {
      emitSquare(place, first, index);
      return SmallVector<Value>();
    });
    return SmallVector<Value>{stop};
  })[0];
  code.ifThen(code.isLess(start, upper), [&] {
    code.forLoop(first, code.min(next, extent), [&](Value index) {
      place[*loopAcross] = Lanes::uniform(index);
      emitVectorLoops(*vectorLoop, place, start, upper);
    });
  });
}

/// As many indices from `first` on of the loop across as there are lanes, one vector from `start` on for each.
void Nest::emitSquare(Place &place, Value first, Value start) {
  Points points{lanes, {}};
  SmallVector<std::pair<const Operand *, SmallVector<Value>>> squares;
  forEachStage([&](Stage &stage) {
    for (const Operand &input : stage.inputs) {
      if (!isAcross(input, *loopAcross) || input.memory->elementType.isInteger(1))
        continue;
      SmallVector<Value> rows;
      place[*loopAcross] = Lanes::linear(first, code.index(1));
      for (unsigned lane = 0; lane < lanes; ++lane) {
        place[*vectorLoop] = Lanes::uniform(code.add(start, code.index(lane)));
        rows.push_back(code.materialize(load(code, *input.memory, offsetOf(input, place, points), points), points));
      }
      squares.push_back({&input, transposeSquare(code, std::move(rows))});
    }
  });
  place[*vectorLoop] = Lanes::linear(start, code.index(1));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    place[*loopAcross] = Lanes::uniform(code.add(first, code.index(lane)));
    for (const auto &[input, columns] : squares)
      loaded[input] = Lanes::varying(columns[lane]);
    emitPoints(place, points);
  }
  loaded.clear();
}
