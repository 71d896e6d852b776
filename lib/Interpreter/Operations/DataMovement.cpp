//===- Reference evaluation of data movement -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Slices, broadcasts, tiles and pads have one form: along each dim, a table says
// which place of the operand each place of the result comes from.
//
//===----------------------------------------------------------------------===//

#include "../DimTables.h"
#include "../Elements.h"
#include "../Models.h"
#include "../Strides.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "llvm/Support/Format.h"
#include <cstring>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

//===----------------------------------------------------------------------===//
// Order, parts and wholes
//===----------------------------------------------------------------------===//

static Result evaluateTranspose(TransposeOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  SmallVector<int64_t> perm;
  if (op.getPerm())
    perm.assign(op.getPerm()->begin(), op.getPerm()->end());
  else
    for (int64_t dim = operand.getRank(); dim-- > 0;)
      perm.push_back(dim);
  if (static_cast<int64_t>(perm.size()) != operand.getRank())
    return emitError(op) << "'perm' has " << perm.size() << " entries for an operand of dims "
                         << print(operand.getDims());
  Dims strides = reference::getStrides(operand.getDims()), dims, walk;
  for (int64_t dim : perm) {
    dims.push_back(operand.getDim(dim));
    walk.push_back(strides[dim]);
  }
  Result result = allocate(op, operand.getElementType(), dims);
  if (failed(result))
    return failure();
  dispatchWidth(operand.getElementBytes(), [&](auto width) {
    using T = decltype(width);
    const T *in = operand.getElements<T>().data();
    T *out = result->template getMutableElements<T>();
    forEachRun<1>(dims, {walk}, [&](int64_t count, auto offsets, auto steps) {
      for (int64_t i = 0; i < count; ++i)
        *out++ = in[offsets[0] + i * steps[0]];
    });
  });
  return result;
}

static Result evaluateConcat(ConcatOp op, Operands operands, const ReferenceScope &) {
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), operands[0].getRank());
  if (failed(axis))
    return failure();
  Dims dims(operands[0].getDims());
  dims[*axis] = 0;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    bool fits = operand.getRank() == static_cast<int64_t>(dims.size());
    for (int64_t dim = 0; fits && dim < operand.getRank(); ++dim)
      fits = dim == *axis || operand.getDim(dim) == dims[dim];
    if (!fits)
      return emitError(op) << describeOperand(op, number) << " with the dims " << print(operand.getDims())
                           << " does not fit " << describeOperand(op, 0) << " with the dims "
                           << print(operands[0].getDims()) << " outside axis " << *axis;
    dims[*axis] += operand.getDim(*axis);
  }
  Result result = allocate(op, operands[0].getElementType(), dims);
  if (failed(result) || result->getNumElements() == 0)
    return result;
  char *out = result->getMutableData();
  int64_t blocks = AxisView(dims, *axis).before;
  for (int64_t block = 0; block < blocks; ++block) {
    for (const ReferenceTensor &operand : operands) {
      size_t bytes = operand.getBytes().size() / blocks;
      std::memcpy(out, operand.getBytes().data() + block * bytes, bytes);
      out += bytes;
    }
  }
  return result;
}

namespace {
/// Places of a dim, `step` apart.
struct Run {
  int64_t first, count, step = 1;
};
} // namespace

/// Runs that take each dim whole.
static SmallVector<Run> getWhole(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return Run{0, dim}; });
}

/// What stands at the places of runs, one for each dim. Of a tensor without elements these may be as many as 64 bits
/// hold.
static Result take(Operation *op, const ReferenceTensor &operand, ArrayRef<Run> runs) {
  auto dims = llvm::map_to_vector(runs, [](const Run &run) { return run.count; });
  Result room = allocateBeforeTables(op, operand.getElementType(), dims);
  if (failed(room) || room->getNumElements() == 0)
    return room;
  auto tables = llvm::map_to_vector(runs, [](const Run &run) { return getRun(run.first, run.count, run.step); });
  return select(op, operand, tables);
}

static Results evaluateSplit(SplitOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), operand.getRank());
  if (failed(axis))
    return failure();
  int64_t size = operand.getDim(*axis), count = op.getNumResults();
  SmallVector<int64_t> sizes;
  if (op.getSizes()) {
    sizes = operands[1].getIntegers();
  } else {
    int64_t part = llvm::divideCeil(size, count);
    for (int64_t i = 0; i < count; ++i)
      sizes.push_back(std::max<int64_t>(0, std::min(part, size - i * part)));
  }
  int64_t sum = 0;
  for (int64_t part : sizes)
    sum += part;
  if (static_cast<int64_t>(sizes.size()) != count || sum != size ||
      llvm::any_of(sizes, [](int64_t s) { return s < 0; }))
    return emitError(op) << "parts of sizes " << print(sizes) << " do not make up dim " << *axis << ", which is "
                         << size;
  SmallVector<ReferenceTensor> parts;
  SmallVector<Run> runs = getWhole(operand.getDims());
  int64_t offset = 0;
  for (int64_t part : sizes) {
    runs[*axis] = {offset, part};
    offset += part;
    Result result = take(op, operand, runs);
    if (failed(result))
      return failure();
    parts.push_back(std::move(*result));
  }
  return parts;
}

static Result evaluateSliceTo(SliceToOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  SmallVector<int64_t> starts = operands[1].getIntegers(), ends = operands[2].getIntegers(), axes, steps;
  Operands rest = operands.drop_front(3);
  if (op.getAxes()) {
    axes = rest.front().getIntegers();
    rest = rest.drop_front();
  } else {
    axes = getRun(0, starts.size());
  }
  steps = op.getSteps() ? rest.front().getIntegers() : SmallVector<int64_t>(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return emitError(op) << "has " << starts.size() << " starts, " << ends.size() << " ends, " << axes.size()
                         << " axes and " << steps.size() << " steps";
  if (failed(getAxes(op, axes, operand.getRank())))
    return failure();
  SmallVector<Run> runs = getWhole(operand.getDims());
  for (auto [start, end, axis, step] : llvm::zip_equal(starts, ends, axes, steps)) {
    if (step == 0)
      return emitError(op) << "has the step 0 along axis " << axis;
    int64_t dim = axis < 0 ? axis + operand.getRank() : axis, size = operand.getDim(dim);
    // Steps back start inside and stop at -1, the place before the first.
    int64_t high = step < 0 ? size - 1 : size;
    auto clamp = [&](int64_t bound, int64_t low) {
      return std::min(high, std::max(low, bound < 0 ? bound + size : bound));
    };
    int64_t first = clamp(start, 0), last = clamp(end, step < 0 ? -1 : 0);
    int64_t distance = step > 0 ? last - first : first - last;
    uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
    int64_t count = distance <= 0 ? 0 : llvm::divideCeil(static_cast<uint64_t>(distance), stride);
    runs[dim] = {first, count, count <= 1 ? 0 : step};
  }
  return take(op, operand, runs);
}

static Result evaluateSlice(SliceOp op, Operands operands, const ReferenceScope &scope) {
  const ReferenceTensor &operand = operands[0];
  FailureOr<Dims> dims = getResultDims(op, scope);
  if (failed(dims))
    return failure();
  SmallVector<Run> runs;
  for (auto [index, size] : llvm::enumerate(*dims)) {
    ExprAttr expr = op.getOffsets().getDims()[index];
    std::optional<int64_t> offset = scope.evaluate(expr);
    int64_t step = op.getSteps()[index], limit = operand.getDim(index);
    if (!offset)
      return emitError(op) << "offset '" << expr.getText() << "' has no value";
    int64_t last = *offset + (size - 1) * step;
    if (size > 0 && (*offset < 0 || *offset >= limit || last < 0 || last >= limit))
      return emitError(op) << "takes the places " << *offset << " to " << last << " of dim " << index << ", which is "
                           << limit;
    runs.push_back({*offset, size, step});
  }
  return take(op, operand, runs);
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

static Table getPeriodicTable(int64_t from, int64_t to) {
  Table table(to);
  for (int64_t i = 0; i < to; ++i)
    table[i] = i % from;
  return table;
}

/// The operand repeated to `dims`, to which it broadcasts.
static Result broadcastTo(Operation *op, const ReferenceTensor &operand, ArrayRef<int64_t> dims) {
  int64_t skipped = static_cast<int64_t>(dims.size()) - operand.getRank();
  bool fits = skipped >= 0;
  for (int64_t dim = 0; fits && dim < operand.getRank(); ++dim)
    fits = operand.getDim(dim) == 1 || operand.getDim(dim) == dims[skipped + dim];
  if (!fits)
    return emitError(op) << describeOperand(op, 0) << " of dims " << print(operand.getDims())
                         << " does not broadcast to " << print(dims);
  Result room = allocateBeforeTables(op, operand.getElementType(), dims);
  if (failed(room) || room->getNumElements() == 0)
    return room;
  Dims padded(skipped, 1);
  llvm::append_range(padded, operand.getDims());
  SmallVector<Table> tables;
  for (auto [from, to] : llvm::zip_equal(padded, dims))
    tables.push_back(from == 1 ? Table(to, 0) : getRun(0, to));
  return select(op, operand.withDims(padded), tables);
}

static Result evaluateBroadcast(BroadcastOp op, Operands operands, const ReferenceScope &scope) {
  FailureOr<Dims> dims = getResultDims(op, scope);
  return failed(dims) ? Result(failure()) : broadcastTo(op, operands[0], *dims);
}

/// The only element of a tensor of floats.
static std::string printElement(const ReferenceTensor &tensor) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  dispatchElement(tensor.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (isFloat<T>)
      stream << llvm::format("%g", static_cast<double>(tensor.getElements<T>()[0]));
  });
  return text;
}

static Result evaluateExpandTo(ExpandToOp op, Operands operands, const ReferenceScope &) {
  SmallVector<int64_t> shape = operands[1].getIntegers();
  if (llvm::any_of(shape, [](int64_t dim) { return dim < 0; })) {
    // Such a reason says what the operand must be.
    if (std::optional<GuardReason> because = GuardReason::get(op); because && !because->whole.empty())
      return emitError(op) << because->whole << ", not " << printElement(operands[0]);
    return emitError(op) << "the shape " << print(shape) << " has a negative dim";
  }
  Dims dims = shape;
  ArrayRef<int64_t> from = operands[0].getDims();
  dims.insert(dims.begin(), from.size() > dims.size() ? from.size() - dims.size() : 0, 1);
  for (auto [dim, size] : llvm::zip(llvm::reverse(dims), llvm::reverse(from)))
    dim = dim == 1 ? size : dim;
  return broadcastTo(op, operands[0], dims);
}

static Result evaluateExpandLike(ExpandLikeOp op, Operands operands, const ReferenceScope &) {
  return broadcastTo(op, operands[0], operands[1].getDims());
}

/// The operand repeated to `dims`, multiples of its own.
static Result tileTo(Operation *op, const ReferenceTensor &operand, ArrayRef<int64_t> dims) {
  for (auto [index, from, to] : llvm::enumerate(operand.getDims(), dims))
    if (from == 0 ? to != 0 : to % from != 0)
      return emitError(op) << "dim " << index << " of the result, " << to << ", is no multiple of the operand's, "
                           << from;
  Result room = allocateBeforeTables(op, operand.getElementType(), dims);
  if (failed(room) || room->getNumElements() == 0)
    return room;
  SmallVector<Table> tables;
  for (auto [from, to] : llvm::zip_equal(operand.getDims(), dims))
    tables.push_back(getPeriodicTable(from, to));
  return select(op, operand, tables);
}

static Result evaluateTile(TileOp op, Operands operands, const ReferenceScope &scope) {
  FailureOr<Dims> dims = getResultDims(op, scope);
  return failed(dims) ? Result(failure()) : tileTo(op, operands[0], *dims);
}

static Result evaluateTileTo(TileToOp op, Operands operands, const ReferenceScope &) {
  SmallVector<int64_t> repeats = operands[1].getIntegers();
  Dims dims(operands[0].getDims());
  if (repeats.size() != dims.size() || llvm::any_of(repeats, [](int64_t count) { return count < 0; }))
    return emitError(op) << "an operand of dims " << print(dims) << " cannot be repeated " << print(repeats)
                         << " times";
  for (auto [dim, count] : llvm::zip_equal(dims, repeats))
    if (llvm::MulOverflow(dim, count, dim))
      return emitError(op) << "a dim of the result, repeated " << count << " times, leaves 64 bits";
  return tileTo(op, operands[0], dims);
}

static Result evaluateTrilu(TriluOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  if (operand.getRank() < 2)
    return emitError(op) << "the operand has the dims " << print(operand.getDims()) << ", expected rank 2 or more";
  Result result = allocate(op, operand.getElementType(), operand.getDims());
  if (failed(result) || result->getNumElements() == 0)
    return result;
  if (op.getDiagonal() && failed(requireOneElement(op, 1, operands[1])))
    return failure();
  int64_t diagonal = op.getDiagonal() ? operands[1].getIntegers()[0] : 0;
  int64_t rows = operand.getDims().end()[-2], columns = operand.getDims().back();
  dispatchWidth(operand.getElementBytes(), [&](auto width) {
    using T = decltype(width);
    ArrayRef<T> in = operand.getElements<T>();
    T *out = result->template getMutableElements<T>();
    for (size_t i = 0; i < in.size(); ++i) {
      int64_t above = static_cast<int64_t>(i) % columns - static_cast<int64_t>(i) / columns % rows;
      out[i] = (op.getUpper() ? above >= diagonal : above <= diagonal) ? in[i] : T(0);
    }
  });
  return result;
}

void reference::attachDataMovementModels(MLIRContext *context) {
  attach<TransposeOp, evaluateTranspose>(context);
  attach<ConcatOp, evaluateConcat>(context);
  attachAll<SplitOp, evaluateSplit>(context);
  attach<SliceToOp, evaluateSliceTo>(context);
  attach<SliceOp, evaluateSlice>(context);
  attach<ExpandToOp, evaluateExpandTo>(context);
  attach<ExpandLikeOp, evaluateExpandLike>(context);
  attach<BroadcastOp, evaluateBroadcast>(context);
  attach<TileToOp, evaluateTileTo>(context);
  attach<TileOp, evaluateTile>(context);
  attach<TriluOp, evaluateTrilu>(context);
}
