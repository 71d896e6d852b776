//===- Where tensors lie, and reading and writing them ------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <numeric>

using namespace mlir;
using namespace dyn::codegen;

Type dyn::codegen::getStoredType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 8);
  bool isStored = elementType.isInteger(8) || elementType.isInteger(16) || elementType.isInteger(32) ||
                  elementType.isInteger(64) || isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(elementType);
  return isStored ? elementType : Type();
}

int64_t dyn::codegen::getStoredBytes(Type elementType) {
  return getStoredType(elementType).getIntOrFloatBitWidth() / 8;
}

Lanes dyn::codegen::widen(Code &code, const Lanes &value, Type type, const Points &points) {
  if (value.elementType() == type)
    return value;
  Points place = value.isUniform() ? Points() : points;
  Value wide = arith::ExtFOp::create(code.builder, code.loc, code.typeAt(type, place), code.materialize(value, place));
  return value.isUniform() ? Lanes::uniform(wide) : code.lanesOf(wide, points);
}

SmallVector<Value> dyn::codegen::rowMajorStrides(Code &code, ValueRange dims, unsigned rows) {
  SmallVector<Value> strides(dims.size());
  Value stride = code.index(1);
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = d < rows ? code.index(0) : stride;
    if (d > rows)
      stride = code.mul(stride, dims[d]);
  }
  return strides;
}

SmallVector<Value> dyn::codegen::panelStrides(Code &code, ValueRange dims, const PanelLayout &layout) {
  SmallVector<Value> strides(dims.size());
  Value rows = code.index(1);
  for (size_t d = dims.size(); d-- > 0;) {
    if (d == layout.columnDim)
      continue;
    strides[d] = code.mul(rows, code.index(layout.width));
    rows = code.mul(rows, dims[d]);
  }
  // From the first column of a panel to that of the next one are `width` columns and all rows.
  strides[layout.columnDim] = rows;
  return strides;
}

static Value addressOf(Code &code, Value base, Type elementType, Value offset, LLVM::GEPNoWrapFlags flags) {
  if (isConstant(offset, 0))
    return base;
  auto pointer = LLVM::LLVMPointerType::get(code.builder.getContext());
  return LLVM::GEPOp::create(code.builder, code.loc, pointer, getStoredType(elementType), base,
                             ValueRange{code.toInt64(offset)}, flags);
}

Value dyn::codegen::addressOf(Code &code, Value base, Type elementType, Value offset) {
  return ::addressOf(code, base, elementType, offset, LLVM::GEPNoWrapFlags::inbounds);
}

/// The address of the element for each lane.
static Value addressesOf(Code &code, const TensorMemory &memory, const Lanes &offset, const Points &points) {
  Value offsets = arith::IndexCastOp::create(code.builder, code.loc, code.typeAt(code.builder.getI64Type(), points),
                                             code.materialize(offset, points));
  auto pointer = LLVM::LLVMPointerType::get(code.builder.getContext());
  return LLVM::GEPOp::create(code.builder, code.loc, code.typeAt(pointer, points), getStoredType(memory.elementType),
                             memory.base, ValueRange{offsets}, LLVM::GEPNoWrapFlags::none);
}

static Value allLanes(Code &code, const Points &points) {
  auto type = VectorType::get({int64_t(points.lanes)}, code.builder.getI1Type());
  return arith::ConstantOp::create(code.builder, code.loc, DenseElementsAttr::get(type, true));
}

static Value zeros(Code &code, Type type) {
  return arith::ConstantOp::create(code.builder, code.loc, code.builder.getZeroAttr(type));
}

/// From the type in memory to the type of the tensor's elements.
static Value fromStored(Code &code, Value stored, Type elementType) {
  if (!elementType.isInteger(1))
    return stored;
  return arith::CmpIOp::create(code.builder, code.loc, arith::CmpIPredicate::ne, stored, zeros(code, stored.getType()));
}

static Value toStored(Code &code, Value value, Type elementType, const Points &points) {
  if (!elementType.isInteger(1))
    return value;
  return arith::ExtUIOp::create(code.builder, code.loc, code.typeAt(code.builder.getI8Type(), points), value);
}

void dyn::codegen::prefetch(Code &code, Value address, Fetch fetch) {
  OpBuilder &b = code.builder;
  LLVM::Prefetch::create(b, code.loc, address, /*rw=*/b.getI32IntegerAttr(fetch == Fetch::ToWrite),
                         /*hint=*/b.getI32IntegerAttr(fetch == Fetch::ToReadFromSecondLevel ? 2 : 3),
                         /*cache=*/b.getI32IntegerAttr(1));
}

bool dyn::codegen::isShortStep(Value step) {
  // Loads of all that lies between are less work than one load for each lane. Backwards few models read more than
  // neighbours.
  constexpr int64_t mostLoads = 4;
  std::optional<int64_t> known = constantOf(step);
  return known && ((*known >= 1 && *known <= mostLoads) || *known == -1);
}

namespace {
/// Reads the elements `step` apart from `first` on, picked out of as many vectors as the step is long. The last of them
/// ends with the last lane's element, and one that is read backwards begins with it, so that nothing is read beyond it.
class StepLoader {
public:
  /// `mask`: the lanes that count, of which alone the elements are read; null for all.
  StepLoader(Code &code, const TensorMemory &memory, Value first, int64_t step, VectorType type, Value mask)
      : code(code), memory(memory), first(first), step(step), type(type), mask(mask), lanes(type.getNumElements()) {}

  Value load() { return step == -1 ? loadBackwards() : loadForwards(); }

private:
  Value loadForwards();
  Value loadBackwards();
  /// The vector that begins so many elements behind the first one. `laneOf` is the lane that an element of it is for,
  /// or `lanes` where it is for none.
  Value loadAt(int64_t place, ArrayRef<int64_t> laneOf);

  Code &code;
  const TensorMemory &memory;
  Value first;
  int64_t step;
  VectorType type;
  Value mask;
  int64_t lanes;
};
} // namespace

Value StepLoader::loadAt(int64_t place, ArrayRef<int64_t> laneOf) {
  OpBuilder &b = code.builder;
  Value offset = place < 0 ? code.sub(first, code.index(-place)) : code.add(first, code.index(place));
  int64_t alignment = getStoredBytes(memory.elementType);
  Value address = ::addressOf(code, memory.base, memory.elementType, offset,
                              mask ? LLVM::GEPNoWrapFlags::none : LLVM::GEPNoWrapFlags::inbounds);
  if (!mask)
    return LLVM::LoadOp::create(b, code.loc, type, address, alignment);
  Value own = vector::ShuffleOp::create(b, code.loc, mask, zeros(code, mask.getType()), laneOf);
  return LLVM::MaskedLoadOp::create(b, code.loc, type, address, own, zeros(code, type), b.getI32IntegerAttr(alignment),
                                    UnitAttr());
}

Value StepLoader::loadBackwards() {
  SmallVector<int64_t> reversed(lanes);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  Value forwards = loadAt(1 - lanes, reversed);
  return vector::ShuffleOp::create(code.builder, code.loc, forwards, forwards, reversed);
}

Value StepLoader::loadForwards() {
  Value elements;
  for (int64_t part = 0; part < step; ++part) {
    int64_t start = part + 1 == step ? (lanes - 1) * (step - 1) : part * lanes;
    SmallVector<int64_t> picked(lanes), laneOf(lanes, lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t element = lane * step;
      bool isHere = element >= start && element < start + lanes, isInFirst = part == 1 && element < lanes;
      if (isHere)
        laneOf[element - start] = lane;
      // What is in none of the vectors yet comes with a later one.
      picked[lane] = isHere ? lanes + element - start : isInFirst ? element : lane;
    }
    Value next = loadAt(start, laneOf);
    elements = part == 0 ? next : Value(vector::ShuffleOp::create(code.builder, code.loc, elements, next, picked));
  }
  return elements;
}

Lanes dyn::codegen::load(Code &code, const TensorMemory &memory, const Lanes &offset, const Points &points) {
  if (memory.isScalar)
    return Lanes::uniform(memory.scalar);
  Type stored = getStoredType(memory.elementType);
  int64_t alignment = getStoredBytes(memory.elementType);
  OpBuilder &b = code.builder;
  if (offset.isUniform() || (offset.isLinear() && isConstant(offset.step, 0))) {
    Value address = addressOf(code, memory.base, memory.elementType, offset.first);
    Value value = LLVM::LoadOp::create(b, code.loc, stored, address, alignment);
    return Lanes::uniform(fromStored(code, value, memory.elementType));
  }
  Type type = code.typeAt(stored, points);
  Value value;
  if (offset.isLinear() && isConstant(offset.step, 1)) {
    // The first lane may be one that does not count, and lie outside.
    Value address = ::addressOf(code, memory.base, memory.elementType, offset.first,
                                points.mask ? LLVM::GEPNoWrapFlags::none : LLVM::GEPNoWrapFlags::inbounds);
    if (points.mask)
      value = LLVM::MaskedLoadOp::create(b, code.loc, type, address, points.mask, zeros(code, type),
                                         b.getI32IntegerAttr(alignment), UnitAttr());
    else
      value = LLVM::LoadOp::create(b, code.loc, type, address, alignment);
  } else {
    std::optional<int64_t> step =
        offset.isLinear() && isShortStep(offset.step) ? constantOf(offset.step) : std::nullopt;
    auto loadSteps = [&](Value mask) {
      return StepLoader(code, memory, offset.first, *step, cast<VectorType>(type), mask).load();
    };
    if (step && points.mask) {
      // Most often all lanes count: those at the borders of an image are few.
      Value all = vector::ReductionOp::create(b, code.loc, vector::CombiningKind::AND, points.mask);
      value = code.choose(all, [&] { return loadSteps(Value()); }, [&] { return loadSteps(points.mask); });
    } else if (step) {
      value = loadSteps(Value());
    } else {
      Value mask = points.mask ? points.mask : allLanes(code, points);
      value = LLVM::masked_gather::create(b, code.loc, type, addressesOf(code, memory, offset, points), mask,
                                          ValueRange{zeros(code, type)}, b.getI32IntegerAttr(alignment));
    }
  }
  return Lanes::varying(fromStored(code, value, memory.elementType));
}

void dyn::codegen::store(Code &code, const TensorMemory &memory, const Lanes &offset, const Lanes &value,
                         const Points &points, bool pastCaches) {
  int64_t alignment = getStoredBytes(memory.elementType);
  OpBuilder &b = code.builder;
  if (offset.isUniform()) {
    Value stored = toStored(code, value.first, memory.elementType, Points());
    Value address = addressOf(code, memory.base, memory.elementType, offset.first);
    LLVM::StoreOp::create(b, code.loc, stored, address, alignment);
    return;
  }
  Value stored = toStored(code, code.materialize(value, points), memory.elementType, points);
  if (offset.isLinear() && isConstant(offset.step, 1)) {
    Value address = addressOf(code, memory.base, memory.elementType, offset.first);
    if (points.mask)
      LLVM::MaskedStoreOp::create(b, code.loc, stored, address, points.mask, b.getI32IntegerAttr(alignment));
    else
      LLVM::StoreOp::create(b, code.loc, stored, address,
                            pastCaches ? std::gcd(cacheLineBytes, alignment * points.lanes) : alignment,
                            /*isVolatile=*/false, /*isNonTemporal=*/pastCaches);
    return;
  }
  Value mask = points.mask ? points.mask : allLanes(code, points);
  LLVM::masked_scatter::create(b, code.loc, stored, addressesOf(code, memory, offset, points), mask,
                               b.getI32IntegerAttr(alignment));
}
