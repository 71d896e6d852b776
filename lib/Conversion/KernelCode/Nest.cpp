//===- The code of a nest -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Nest.h"
#include "dyn/Conversion/KernelCode/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn::codegen;

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
  Value rest = item;
  if (blockSize) {
    Value blocks = code.ceilDiv(upper, blockSize);
    bool isOnly = firstInner == 0;
    lower = code.mul(isOnly ? rest : code.rem(rest, blocks), code.index(blockSize));
    upper = code.min(code.add(lower, code.index(blockSize)), upper);
    rest = isOnly ? rest : code.div(rest, blocks);
  }
  SmallVector<Value> counts =
      llvm::map_to_vector(ArrayRef(loops).take_front(firstInner), [](const Loop &loop) { return loop.extent; });
  for (auto [loop, index] : llvm::enumerate(code.delinearize(rest, counts)))
    place[loop] = Lanes::uniform(index);
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

/// Runs the last parallel loop in vectors: `unroll` of them at once, then one, then one with a mask.
void Nest::emitVectors(unsigned loop, Place &place, Value lower, Value upper) {
  auto emitAt = [&](Value start, unsigned count, Value mask) {
    SmallVector<Place> places;
    for (unsigned u = 0; u < count; ++u) {
      place[loop] = Lanes::linear(code.add(start, code.index(u * lanes)), code.index(1));
      places.push_back(place);
    }
    emitPoints(places, Points{lanes, mask});
  };
  Value start = lower;
  for (unsigned count : {unroll, 1u}) {
    int64_t step = count * lanes;
    Value length = code.sub(upper, start);
    Value stop = code.add(start, code.sub(length, code.rem(length, code.index(step))));
    code.forLoop(start, stop, step, {}, [&](Value index, ValueRange) {
      emitAt(index, count, Value());
      return SmallVector<Value>();
    });
    start = stop;
    if (unroll == 1)
      break;
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
    Points partial{lanes, {}};
    for (unsigned u = 0; u < unroll; ++u)
      for (unsigned o = 0; o < main.outputs.size(); ++o) {
        auto reduction = matchReduction(*main.op.getBlock(), main.inputs.size(), o);
        Value identity = arith::ConstantOp::create(code.builder, code.loc, reduction->identity);
        partials.push_back(code.materialize(Lanes::uniform(identity), partial));
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

/// As `emitReductions` for one place, the last loop in vectors: carries `unroll` partial results of each output.
SmallVector<Value> Nest::emitPartialReductions(unsigned next, const Place &outer, ValueRange carried) {
  Place place = outer;
  if (next + 1 < loops.size())
    return code.forLoop(code.index(0), loops[next].extent, 1, carried, [&](Value index, ValueRange values) {
      place[next] = Lanes::uniform(index);
      return emitPartialReductions(next + 1, place, values);
    });

  unsigned outputs = main.outputs.size();
  auto emitAt = [&](Value start, Value mask, ValueRange values) {
    Points points{lanes, mask};
    SmallVector<Value> results;
    for (unsigned u = 0; u * outputs < values.size(); ++u) {
      place[next] = Lanes::linear(code.add(start, code.index(u * lanes)), code.index(1));
      ValueRange own = values.slice(u * outputs, outputs);
      SmallVector<Lanes> old = llvm::map_to_vector(own, [&](Value value) { return code.lanesOf(value, points); });
      for (auto [value, last] : llvm::zip_equal(evaluate(place, points, old), own)) {
        Value result = code.materialize(value, points);
        results.push_back(mask ? Value(arith::SelectOp::create(code.builder, code.loc, mask, result, last)) : result);
      }
    }
    return results;
  };
  Value start = code.index(0), upper = loops[next].extent;
  SmallVector<Value> values = llvm::to_vector(carried);
  for (unsigned count : {unroll, 1u}) {
    int64_t step = count * lanes;
    Value length = code.sub(upper, start);
    Value stop = code.add(start, code.sub(length, code.rem(length, code.index(step))));
    SmallVector<Value> first(ArrayRef(values).take_front(count * outputs));
    first = code.forLoop(start, stop, step, first,
                         [&](Value index, ValueRange carried) { return emitAt(index, Value(), carried); });
    llvm::copy(first, values.begin());
    start = stop;
    if (unroll == 1)
      break;
  }
  SmallVector<Value> first(ArrayRef(values).take_front(outputs));
  first = code.ifThen(code.isLess(start, upper), first,
                      [&] { return emitAt(start, code.maskOf(code.sub(upper, start), lanes), first); });
  llvm::copy(first, values.begin());
  return values;
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
    for (unsigned u = 0; u < unroll; ++u)
      own.push_back(partials[u * outputs + o]);
    while (own.size() > 1) {
      for (unsigned u = 0; u < own.size() / 2; ++u)
        own[u] = combine(o, own[2 * u], own[2 * u + 1]);
      own.resize(own.size() / 2);
    }
    // A sum of lanes in any order takes a few instructions, one in order of the lanes as many as there are lanes.
    Value value = vector::ReductionOp::create(code.builder, code.loc, reduction->kind, own.front(),
                                              arith::FastMathFlags::reassoc);
    results.push_back(combine(o, value, initial[o]));
  }
  return results;
}
