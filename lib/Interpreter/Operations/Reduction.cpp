//===- Reference evaluation of reductions --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Models.h"
#include "../Strides.h"
#include "Combine.h"
#include <vector>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// The neutral value; of max and min the least and greatest value of the type.
template <typename T>
static Accumulator<T> getInitial(ReduceKind kind) {
  using Limits = std::numeric_limits<Accumulator<T>>;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return 0;
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Max:
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  case ReduceKind::Min:
    if (isBoolean<T>)
      return 1;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  llvm_unreachable("all kinds are covered");
}

static Result reduce(Operation *op, ReduceKind kind, const ReferenceTensor &operand, ArrayRef<bool> reduced,
                     bool keepDims) {
  Dims kept = Dims(operand.getDims()), dims;
  int64_t count = 1;
  for (auto [dim, size] : llvm::enumerate(operand.getDims())) {
    if (!reduced[dim]) {
      dims.push_back(size);
      continue;
    }
    count *= size;
    kept[dim] = 1;
    if (keepDims)
      dims.push_back(1);
  }
  Type type = getResultElementType(op);
  Result result = allocate(op, type, dims);
  if (failed(result))
    return failure();

  std::array<Dims, 1> strides = {getBroadcastStrides(kept, operand.getDims())};
  dispatchElement(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    // A mean of integers fits where the sum may not; sums wrap around to the same.
    using Wide = std::conditional_t<std::is_signed_v<Accumulator<T>>, int64_t, uint64_t>;
    using A = std::conditional_t<std::is_floating_point_v<Accumulator<T>>, Accumulator<T>, Wide>;
    std::vector<A> sums(result->getNumElements(), static_cast<A>(getInitial<T>(kind)));
    const T *in = operand.getElements<T>().data();
    forEachRun<1>(operand.getDims(), strides, [&](int64_t length, auto offsets, auto steps) {
      for (int64_t i = 0; i < length; ++i) {
        A &sum = sums[offsets[0] + i * steps[0]];
        sum = combine<A>(kind, sum, static_cast<A>(*in++));
      }
    });
    T *out = result->template getMutableElements<T>();
    for (A sum : sums) {
      if (kind == ReduceKind::Mean) {
        if constexpr (std::is_floating_point_v<A>)
          sum = sum / static_cast<double>(count);
        else
          sum = count ? static_cast<A>(sum / static_cast<A>(count)) : A(0);
      }
      *out++ = convertElement<T>(sum);
    }
  });
  return result;
}

static Result evaluateReduce(ReduceOp op, Operands operands, const ReferenceScope &) {
  FailureOr<SmallVector<bool>> reduced = SmallVector<bool>(operands[0].getRank(), true);
  if (op.getAxes())
    reduced = getAxes(op, *op.getAxes(), operands[0].getRank());
  if (failed(reduced))
    return failure();
  return reduce(op, op.getKind(), operands[0], *reduced, op.getKeepDims());
}

static Result evaluateReduceTo(ReduceToOp op, Operands operands, const ReferenceScope &) {
  SmallVector<int64_t> axes = operands[1].getIntegers();
  if (axes.empty() && op.getNoop())
    return operands[0];
  FailureOr<SmallVector<bool>> reduced = SmallVector<bool>(operands[0].getRank(), true);
  if (!axes.empty())
    reduced = getAxes(op, axes, operands[0].getRank());
  if (failed(reduced))
    return failure();
  return reduce(op, op.getKind(), operands[0], *reduced, op.getKeepDims());
}

/// Whether `value` takes the place of `best` as the greatest or least. A NaN is both, and nothing replaces it.
template <typename T>
static bool replaces(ReduceKind kind, T value, T best, bool atEqual) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(best))
      return atEqual && std::isnan(value);
    if (std::isnan(value))
      return true;
  }
  return (kind == ReduceKind::Max ? value > best : value < best) || (atEqual && value == best);
}

static Result evaluateArgReduce(ArgReduceOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), operand.getRank());
  if (failed(axis))
    return failure();
  AxisView view(operand.getDims(), *axis);
  Dims dims(operand.getDims());
  if (op.getKeepDims())
    dims[*axis] = 1;
  else
    dims.erase(dims.begin() + *axis);
  if (view.size == 0 && view.before != 0 && view.behind != 0)
    return emitError(op) << "dim " << *axis << " of the operand is empty, so no element is the greatest or least";
  SmallVector<int64_t> places;
  if (operand.getNumElements() == 0)
    return makeIntegers(op, places, dims, getResultElementType(op));
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using A = Accumulator<T>;
    ArrayRef<T> in = operand.getElements<T>();
    for (int64_t before = 0; before < view.before; ++before)
      for (int64_t behind = 0; behind < view.behind; ++behind) {
        auto at = [&](int64_t i) { return static_cast<A>(in[(before * view.size + i) * view.behind + behind]); };
        int64_t best = 0;
        for (int64_t i = 1; i < view.size; ++i)
          if (replaces(op.getKind(), at(i), at(best), op.getLast()))
            best = i;
        places.push_back(best);
      }
  });
  return makeIntegers(op, places, dims, getResultElementType(op));
}

static Result evaluateCumSum(CumSumOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), operand.getRank());
  if (failed(axis))
    return failure();
  Result result = allocate(op, operand.getElementType(), operand.getDims());
  if (failed(result) || result->getNumElements() == 0)
    return result;
  AxisView view(operand.getDims(), *axis);
  ReduceKind kind = op.getProduct() ? ReduceKind::Prod : ReduceKind::Sum;
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using A = Accumulator<T>;
    ArrayRef<T> in = operand.getElements<T>();
    T *out = result->template getMutableElements<T>();
    for (int64_t before = 0; before < view.before; ++before)
      for (int64_t behind = 0; behind < view.behind; ++behind) {
        A sum = op.getProduct() ? 1 : 0;
        for (int64_t i = 0; i < view.size; ++i) {
          int64_t step = op.getReverse() ? view.size - 1 - i : i;
          int64_t place = (before * view.size + step) * view.behind + behind;
          A next = combine<A>(kind, sum, static_cast<A>(in[place]));
          out[place] = convertElement<T>(op.getExclusive() ? sum : next);
          sum = next;
        }
      }
  });
  return result;
}

void reference::attachReductionModels(MLIRContext *context) {
  attach<ReduceOp, evaluateReduce>(context);
  attach<ReduceToOp, evaluateReduceTo>(context);
  attach<ArgReduceOp, evaluateArgReduce>(context);
  attach<CumSumOp, evaluateCumSum>(context);
}
