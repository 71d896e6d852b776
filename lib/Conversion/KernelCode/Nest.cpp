//===- The code of a nest -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Nest.h"
#include "dyn/Conversion/KernelCode/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::codegen;

/// Pieces of lines cost more than they save.
static constexpr int64_t minBytesPastCaches = 4 * cacheLineBytes;

Nest::Place Nest::startPlace(ValueRange fixedIndices) {
  Place place(loops.size());
  for (auto [loop, index] : llvm::enumerate(fixedIndices))
    place[loop] = Lanes::uniform(index);
  return place;
}

void Nest::emitAll(ValueRange fixedIndices) {
  Place place = startPlace(fixedIndices);
  Value upper = firstReduction > fixed ? loops[firstReduction - 1].extent : Value();
  emitParallel(fixed, place, code.index(0), upper);
}

void Nest::emitItems(Value begin, Value end) {
  code.forLoop(begin, end, [&](Value item) { emitItem(item); });
}

void Nest::emitItem(Value item) {
  Place place = startPlace({});
  Value lower = code.index(0), upper = firstReduction > 0 ? loops[firstReduction - 1].extent : Value();
  Value rest = item, tile;
  SmallVector<unsigned> outer;
  for (unsigned loop = 0; loop < firstInner; ++loop)
    if (loop != loopAcross)
      outer.push_back(loop);
  if (loopAcross) {
    Value tiles = code.ceilDiv(loops[*loopAcross].extent, lanes);
    tile = code.rem(rest, tiles);
    rest = code.div(rest, tiles);
  }
  if (blockSize) {
    Value blocks = code.ceilDiv(upper, blockSize);
    bool isOnly = outer.empty();
    lower = code.mul(isOnly ? rest : code.rem(rest, blocks), code.index(blockSize));
    upper = code.min(code.add(lower, code.index(blockSize)), upper);
    rest = isOnly ? rest : code.div(rest, blocks);
  }
  SmallVector<Value> counts = llvm::map_to_vector(outer, [&](unsigned loop) { return loops[loop].extent; });
  for (auto [loop, index] : llvm::zip_equal(outer, code.delinearize(rest, counts)))
    place[loop] = Lanes::uniform(index);
  if (loopAcross)
    return emitTile(place, code.mul(tile, code.index(lanes)), lower, upper);
  emitParallel(firstInner, place, lower, upper);
}

/// Runs the parallel loops from `next` on, the last of them from `lower` to `upper`.
void Nest::emitParallel(unsigned next, Place &place, Value lower, Value upper) {
  if (next == firstReduction)
    return emitPoints(place, Points());
  bool isLast = next + 1 == firstReduction;
  if (vectorLoop == next)
    return emitVectors(next, place, lower, upper);
  code.forLoop(isLast ? lower : code.index(0), isLast ? upper : loops[next].extent, [&](Value index) {
    place[next] = Lanes::uniform(index);
    emitParallel(next + 1, place, lower, upper);
  });
  place[next] = Lanes();
}

/// Whether outputs are large, and aligned where the loop in vectors begins; null: never.
Value Nest::emitWritesPastCaches(Place place, unsigned loop, Value lower) {
  place[loop] = Lanes::uniform(lower);
  Value result, zero = code.index(0);
  for (const Operand &output : last().outputs) {
    if (!output.memory || !output.memory->isLarge)
      continue;
    std::optional<int64_t> extent = constantOf(loops[loop].extent);
    bool isShort = extent && *extent * getStoredBytes(output.memory->elementType) < minBytesPastCaches;
    if (!output.isContiguous(loop) || isShort)
      return Value();
    Value first =
        addressOf(code, output.memory->base, output.memory->elementType, offsetOf(output, place, Points()).first);
    Value address = LLVM::PtrToIntOp::create(code.builder, code.loc, code.builder.getI64Type(), first);
    Value rest = code.rem(arith::IndexCastOp::create(code.builder, code.loc, zero.getType(), address),
                          code.index(cacheLineBytes));
    Value isAligned = code.builder.createOrFold<arith::CmpIOp>(code.loc, arith::CmpIPredicate::eq, rest, zero);
    Value both = code.both(output.memory->isLarge, isAligned);
    result = result ? code.both(result, both) : both;
  }
  return result;
}

/// Runs the last parallel loop in vectors.
void Nest::emitVectors(unsigned loop, Place &place, Value lower, Value upper) {
  Value pastCaches = emitWritesPastCaches(place, loop, lower);
  if (!pastCaches)
    return emitVectorLoops(loop, place, lower, upper);
  kernel.writesPastCaches = true;
  auto branch = scf::IfOp::create(code.builder, code.loc, pastCaches, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(code.builder);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    code.builder.setInsertionPointToStart(block);
    writesPastCaches = block == branch.thenBlock();
    emitVectorLoops(loop, place, lower, upper);
  }
}

SmallVector<const LoopPlan::Operand *> Nest::findInputsAhead() {
  SmallVector<const Operand *> found;
  if (fixed == 0 || !vectorLoop)
    return found;
  SmallPtrSet<TensorMemory *, 4> seen;
  forEachStage([&](Stage &stage) {
    for (const Operand &input : stage.inputs)
      if (input.memory && input.memory->isArgument && input.isContiguous(*vectorLoop) && input.dependsOn(fixed - 1) &&
          seen.insert(input.memory).second)
        found.push_back(&input);
  });
  return found;
}

bool Nest::lookAhead() { return looksAhead = !findInputsAhead().empty(); }

/// Fetches what the first `count` elements at `place` would be if the last fixed loop were one further. Beyond the end
/// of a tensor this does nothing.
void Nest::emitPrefetches(const Place &place, int64_t count) {
  for (const Operand *input : findInputsAhead()) {
    Type type = input->memory->elementType;
    Value next = code.add(offsetOf(*input, place, Points()).first, input->strides[fixed - 1]);
    int64_t step = std::max<int64_t>(cacheLineBytes / getStoredBytes(type), 1);
    for (int64_t element = 0; element < count; element += step)
      prefetch(code, addressOf(code, input->memory->base, type, code.add(next, code.index(element))), Fetch::ToRead);
  }
}

/// `unroll` vectors at once, then one, then one with a mask.
void Nest::emitVectorLoops(unsigned loop, Place &place, Value lower, Value upper) {
  auto emitAt = [&](Value start, unsigned count, Value mask) {
    SmallVector<Place> places;
    // Without reductions as one vector that takes several registers: each op is done for all of them before the next
    // one, so that none waits for the op before it.
    if (!main.op.getNumReductionLoops()) {
      place[loop] = Lanes::linear(start, code.index(1));
      if (looksAhead && !mask)
        emitPrefetches(place, count * lanes);
      return emitPoints(place, Points{count * lanes, mask});
    }
    for (unsigned u = 0; u < count; ++u) {
      place[loop] = Lanes::linear(code.add(start, code.index(u * lanes)), code.index(1));
      places.push_back(place);
    }
    emitPoints(places, Points{lanes, mask});
  };
  Value start = lower;
  for (unsigned count : getVectorCounts()) {
    int64_t step = count * lanes;
    Value length = code.sub(upper, start);
    Value stop = code.add(start, code.sub(length, code.rem(length, code.index(step))));
    code.forLoop(start, stop, step, {}, [&](Value index, ValueRange) {
      emitAt(index, count, Value());
      return SmallVector<Value>();
    });
    start = stop;
  }
  code.ifThen(code.isLess(start, upper), [&] { emitAt(start, 1, code.maskOf(code.sub(upper, start), lanes)); });
  place[loop] = Lanes();
}

/// Computes every output at some places of the parallel loops.
void Nest::emitPoints(ArrayRef<Place> places, const Points &points) {
  if (!main.op.getNumReductionLoops()) {
    for (const Place &place : places)
      finish(place, points, evaluate(place, points, SmallVector<Lanes>(main.outputs.size())));
    return;
  }
  SmallVector<Value> values;
  for (const Place &place : places)
    llvm::append_range(values, initialValues(place, points));
  if (vectorLoop && *vectorLoop >= firstReduction) {
    SmallVector<Value> partials;
    for (unsigned count : getVectorCounts())
      for (unsigned o = 0; o < main.outputs.size(); ++o) {
        auto reduction = matchReduction(*main.op.getBlock(), main.inputs.size(), o);
        Value identity = arith::ConstantOp::create(code.builder, code.loc, reduction->identity);
        partials.push_back(code.materialize(Lanes::uniform(identity), Points{count * lanes, {}}));
      }
    values = combinePartials(emitPartialReductions(firstReduction, places.front(), partials), values);
  } else {
    values = emitReductions(firstReduction, places, points, values);
  }
  for (auto [i, place] : llvm::enumerate(places)) {
    ArrayRef<Value> own = ArrayRef(values).slice(i * main.outputs.size(), main.outputs.size());
    finish(place, points, llvm::map_to_vector(own, [&](Value value) { return code.lanesOf(value, points); }));
  }
}

SmallVector<Value> Nest::initialValues(const Place &place, const Points &points) {
  SmallVector<Value> values;
  for (auto [init, output] : llvm::zip_equal(main.op.getDpsInitsMutable(), main.outputs)) {
    Value start = getReductionStart(init);
    Lanes value = start ? Lanes::uniform(kernel.scalars.lookup(start))
                        : load(code, *output.memory, offsetOf(output, place, points), points);
    values.push_back(code.materialize(value, points));
  }
  return values;
}

/// Runs the reductions from loop `next` on for all places at once; carries the outputs of each place.
SmallVector<Value> Nest::emitReductions(unsigned next, ArrayRef<Place> places, const Points &points,
                                        ValueRange carried) {
  if (next == loops.size()) {
    SmallVector<Value> results;
    for (auto [i, place] : llvm::enumerate(places)) {
      SmallVector<Lanes> old;
      for (Value value : carried.slice(i * main.outputs.size(), main.outputs.size()))
        old.push_back(code.lanesOf(value, points));
      for (const Lanes &value : evaluate(place, points, old))
        results.push_back(code.materialize(value, points));
    }
    return results;
  }
  return code.forLoop(code.index(0), loops[next].extent, 1, carried, [&](Value index, ValueRange values) {
    SmallVector<Place> inner(places);
    for (Place &place : inner)
      place[next] = Lanes::uniform(index);
    return emitReductions(next + 1, inner, points, values);
  });
}

/// How many vectors are computed side by side in the loops over a range, one after another.
SmallVector<unsigned> Nest::getVectorCounts() {
  return unroll == 1 ? SmallVector<unsigned>{1} : SmallVector<unsigned>{unroll, 1};
}

/// As `emitReductions` for one place, the last loop in vectors: carries partial results of each output, for each loop
/// over the range, as wide as it has vectors.
SmallVector<Value> Nest::emitPartialReductions(unsigned next, const Place &outer, ValueRange carried) {
  Place place = outer;
  if (next + 1 < loops.size())
    return code.forLoop(code.index(0), loops[next].extent, 1, carried, [&](Value index, ValueRange values) {
      place[next] = Lanes::uniform(index);
      return emitPartialReductions(next + 1, place, values);
    });

  unsigned outputs = main.outputs.size();
  auto emitAt = [&](Value start, const Points &points, ValueRange values) {
    place[next] = Lanes::linear(start, code.index(1));
    if (looksAhead && !points.mask)
      emitPrefetches(place, points.lanes);
    SmallVector<Lanes> old = llvm::map_to_vector(values, [&](Value value) { return code.lanesOf(value, points); });
    SmallVector<Value> results;
    for (auto [value, last] : llvm::zip_equal(evaluate(place, points, old), values)) {
      Value result = code.materialize(value, points);
      results.push_back(points.mask ? Value(arith::SelectOp::create(code.builder, code.loc, points.mask, result, last))
                                    : result);
    }
    return results;
  };
  Value start = code.index(0), upper = loops[next].extent;
  SmallVector<Value> results, values;
  for (auto [loop, count] : llvm::enumerate(getVectorCounts())) {
    Points points{count * lanes, {}};
    Value length = code.sub(upper, start);
    Value stop = code.add(start, code.sub(length, code.rem(length, code.index(points.lanes))));
    values = code.forLoop(start, stop, points.lanes, carried.slice(loop * outputs, outputs),
                          [&](Value index, ValueRange carried) { return emitAt(index, points, carried); });
    llvm::append_range(results, values);
    start = stop;
  }
  results.truncate(results.size() - outputs);
  llvm::append_range(results, code.ifThen(code.isLess(start, upper), values, [&] {
    return emitAt(start, Points{lanes, code.maskOf(code.sub(upper, start), lanes)}, values);
  }));
  return results;
}

Value Nest::combine(unsigned output, Value lhs, Value rhs) {
  auto reduction = matchReduction(*main.op.getBlock(), main.inputs.size(), output);
  Operation *copy = reduction->combiner->clone();
  copy->setOperands({lhs, rhs});
  copy->getResult(0).setType(lhs.getType());
  return code.builder.insert(copy)->getResult(0);
}

/// One value for each output from its partial results and the value that it started with.
SmallVector<Value> Nest::combinePartials(ValueRange partials, ValueRange initial) {
  SmallVector<Value> results;
  unsigned outputs = main.outputs.size();
  for (unsigned o = 0; o < outputs; ++o) {
    auto reduction = matchReduction(*main.op.getBlock(), main.inputs.size(), o);
    SmallVector<Value> own;
    for (auto [loop, count] : llvm::enumerate(getVectorCounts()))
      for (unsigned u = 0; u < count; ++u) {
        Value partial = partials[loop * outputs + o];
        int64_t offset = u * lanes, size = lanes, stride = 1;
        own.push_back(
            count == 1 ? partial
                       : vector::ExtractStridedSliceOp::create(code.builder, code.loc, partial, offset, size, stride));
      }
    while (own.size() > 1) {
      size_t pairs = own.size() / 2;
      for (size_t u = 0; u < pairs; ++u)
        own[u] = combine(o, own[u], own[own.size() - 1 - u]);
      own.truncate(own.size() - pairs);
    }
    // A sum of lanes in any order takes a few instructions, one in order of the lanes as many as there are lanes.
    Value value = vector::ReductionOp::create(code.builder, code.loc, reduction->kind, own.front(),
                                              arith::FastMathFlags::reassoc);
    results.push_back(combine(o, value, initial[o]));
  }
  return results;
}
