//===- The loops of a nest: which there are, and which run in vectors -----------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Nest.h"
#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn::cpu;

/// The largest extent that an item runs through; longer rows are divided.
static constexpr int64_t maxItemExtent = 4096;
static constexpr int64_t maxReducingItemExtent = 256;

Value dyn::cpu::getReductionStart(OpOperand &init) {
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  return fill && fill->hasOneUse() ? fill.value() : Value();
}

bool dyn::cpu::isReductionStart(linalg::LinalgOp op) {
  if (!isa<linalg::FillOp>(op) || !op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return user && user.isDpsInit(&use) && user.getNumReductionLoops() > 0;
}

Nest::Nest(KernelCode &kernel, linalg::LinalgOp op, unsigned fixed, linalg::GenericOp epilogueOp)
    : kernel(kernel), code(kernel.code), fixed(fixed) {
  main = describe(op, llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops())), Value());
  if (epilogueOp) {
    SmallVector<unsigned> loopOf;
    for (AffineExpr result : op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
      loopOf.push_back(cast<AffineDimExpr>(result).getPosition());
    epilogue = describe(epilogueOp, loopOf, op->getResult(0));
  }
  findExtents();
  formLoops();
  for (Stage *stage : {&main, epilogue ? &*epilogue : nullptr})
    if (stage) {
      llvm::for_each(stage->inputs, [&](Operand &operand) { computeStrides(operand); });
      llvm::for_each(stage->outputs, [&](Operand &operand) { computeStrides(operand); });
    }
  chooseVectorLoop();
  chooseItems();
}

Nest::Stage Nest::describe(linalg::LinalgOp op, ArrayRef<unsigned> loopOf, Value replaced) {
  Stage stage{op, {}, {}, llvm::to_vector(loopOf)};
  SmallVector<AffineExpr> renamed =
      llvm::map_to_vector(loopOf, [&](unsigned loop) { return getAffineDimExpr(loop, op->getContext()); });
  auto describeOperand = [&](OpOperand *operand) {
    Operand result;
    AffineMap map = op.getMatchingIndexingMap(operand);
    unsigned numLoops = replaced ? main.op.getNumLoops() : op.getNumLoops();
    result.map = map.replaceDimsAndSymbols(renamed, {}, numLoops, 0);
    if (!isa<RankedTensorType>(operand->get().getType()))
      result.scalar = kernel.scalars.lookup(operand->get());
    else if (operand->get() != replaced)
      result.memory = &kernel.memoryOf(operand->get());
    return result;
  };
  for (OpOperand *input : op.getDpsInputOperands())
    stage.inputs.push_back(describeOperand(input));
  for (OpOperand &output : op.getDpsInitsMutable())
    stage.outputs.push_back(describeOperand(&output));
  return stage;
}

void Nest::findExtents() {
  extents.resize(main.op.getNumLoops());
  auto visit = [&](const Operand &operand) {
    if (!operand.memory)
      return;
    for (auto [result, dim] : llvm::zip_equal(operand.map.getResults(), operand.memory->dims))
      if (auto loop = dyn_cast<AffineDimExpr>(result)) {
        Value &extent = extents[loop.getPosition()];
        if (!extent || (!constantOf(extent) && constantOf(dim)))
          extent = dim;
      }
  };
  for (const Stage *stage : {&main, epilogue ? &*epilogue : nullptr})
    if (stage) {
      llvm::for_each(stage->outputs, visit);
      llvm::for_each(stage->inputs, visit);
    }
}

/// The places of the results of `map` that are just this loop; none if it occurs in another way.
static std::optional<SmallVector<unsigned>> findResults(AffineMap map, unsigned loop) {
  SmallVector<unsigned> places;
  for (auto [place, result] : llvm::enumerate(map.getResults())) {
    if (!result.isFunctionOfDim(loop))
      continue;
    if (!isa<AffineDimExpr>(result))
      return std::nullopt;
    places.push_back(place);
  }
  return places;
}

bool Nest::canMerge(unsigned outer, unsigned inner) const {
  auto isUniform = [&](const Operand &operand) {
    auto outerPlaces = findResults(operand.map, outer), innerPlaces = findResults(operand.map, inner);
    if (!outerPlaces || !innerPlaces || outerPlaces->size() != innerPlaces->size())
      return false;
    if (outerPlaces->empty() || !operand.memory)
      return true;
    if (outerPlaces->size() > 1 || outerPlaces->front() >= innerPlaces->front())
      return false;
    for (unsigned between = outerPlaces->front() + 1; between < innerPlaces->front(); ++between)
      if (!isConstant(operand.memory->dims[between], 1))
        return false;
    return true;
  };
  for (const Stage *stage : {&main, epilogue ? &*epilogue : nullptr}) {
    if (!stage)
      continue;
    bool asksIndex = false;
    stage->op->walk([&](linalg::IndexOp index) {
      unsigned loop = stage->loopOf[index.getDim()];
      asksIndex |= loop == outer || loop == inner;
    });
    if (asksIndex || !llvm::all_of(stage->inputs, isUniform) || !llvm::all_of(stage->outputs, isUniform))
      return false;
  }
  return true;
}

void Nest::formLoops() {
  SmallVector<utils::IteratorType> kinds = main.op.getIteratorTypesArray();
  SmallVector<unsigned> order;
  auto append = [&](unsigned loop) {
    if (!llvm::is_contained(order, loop))
      order.push_back(loop);
  };
  for (unsigned loop = 0; loop < fixed; ++loop)
    append(loop);
  // The order in which the last op's first output lies in memory.
  const Operand &output = epilogue ? epilogue->outputs[0] : main.outputs[0];
  for (AffineExpr result : output.map.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(result))
      append(loop.getPosition());
  for (bool isReduction : {false, true})
    for (auto [loop, kind] : llvm::enumerate(kinds))
      if ((kind == utils::IteratorType::reduction) == isReduction)
        append(loop);

  firstReduction = 0;
  for (unsigned loop : order) {
    bool isReduction = kinds[loop] == utils::IteratorType::reduction;
    if (loop >= fixed && isConstant(extents[loop], 1))
      continue;
    bool canJoin = loop >= fixed && !loops.empty() && loops.size() > fixed && loops.back().isReduction == isReduction &&
                   canMerge(loops.back().members.back(), loop);
    if (canJoin) {
      loops.back().members.push_back(loop);
      loops.back().extent = code.mul(loops.back().extent, extents[loop]);
      continue;
    }
    loops.push_back({{loop}, extents[loop], isReduction});
    firstReduction += !isReduction;
  }
}

/// Adds what `expr` times `scale` contributes to the strides of the op's loops and to the offset.
static void addStrides(Code &code, AffineExpr expr, Value scale, MutableArrayRef<Value> strides, Value &offset) {
  auto addTo = [&](Value &sum, Value value) { sum = sum ? code.add(sum, value) : value; };
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return addTo(strides[loop.getPosition()], scale);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return addTo(offset, code.mul(scale, code.index(constant.getValue())));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (binary.getKind() == AffineExprKind::Add) {
    addStrides(code, binary.getLHS(), scale, strides, offset);
    return addStrides(code, binary.getRHS(), scale, strides, offset);
  }
  // A product with a constant; affine expressions keep it on the right.
  int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  addStrides(code, binary.getLHS(), code.mul(scale, code.index(factor)), strides, offset);
}

void Nest::computeStrides(Operand &operand) {
  operand.strides.resize(loops.size());
  if (!operand.memory)
    return;
  SmallVector<Value> ofOpLoops(extents.size());
  Value offset;
  for (auto [result, stride] : llvm::zip_equal(operand.map.getResults(), operand.memory->strides))
    addStrides(code, result, stride, ofOpLoops, offset);
  operand.offset = offset ? offset : code.index(0);
  // What is contiguous over several loops has the stride of the innermost.
  for (auto [i, loop] : llvm::enumerate(loops)) {
    operand.strides[i] = ofOpLoops[loop.members.back()];
    if (operand.strides[i] && isConstant(operand.strides[i], 0))
      operand.strides[i] = Value();
  }
}

int Nest::countIrregular(unsigned loop) const {
  int count = 0;
  for (const Stage *stage : {&main, epilogue ? &*epilogue : nullptr})
    if (stage)
      count += llvm::count_if(stage->inputs, [&](const Operand &input) {
        return input.strides[loop] && !isConstant(input.strides[loop], 1);
      });
  return count;
}

bool Nest::isPartial(unsigned output) {
  return matchReduction(*main.op.getBlock(), main.op.getNumDpsInputs(), output).has_value();
}

void Nest::chooseVectorLoop() {
  std::optional<unsigned> parallel, reduction;
  const Operand &output = epilogue ? epilogue->outputs[0] : main.outputs[0];
  if (firstReduction > fixed) {
    unsigned last = firstReduction - 1;
    if (output.strides[last] && isConstant(output.strides[last], 1))
      parallel = last;
  }
  bool isPartials = llvm::all_of(llvm::seq<unsigned>(0, main.outputs.size()), [&](unsigned o) { return isPartial(o); });
  if (loops.size() > firstReduction && isPartials) {
    // The reduction along which most inputs are contiguous runs innermost.
    unsigned best = loops.size() - 1;
    for (unsigned loop = firstReduction; loop < loops.size(); ++loop)
      if (countIrregular(loop) < countIrregular(best))
        best = loop;
    bool isContiguous = llvm::any_of(
        main.inputs, [&](const Operand &input) { return input.strides[best] && isConstant(input.strides[best], 1); });
    if (isContiguous)
      reduction = best;
  }
  if (parallel && reduction)
    vectorLoop = countIrregular(*parallel) <= countIrregular(*reduction) ? parallel : reduction;
  else
    vectorLoop = parallel ? parallel : reduction;
  if (!vectorLoop)
    return;
  if (*vectorLoop >= firstReduction && *vectorLoop != loops.size() - 1) {
    auto swapStrides = [&](Operand &operand) { std::swap(operand.strides[*vectorLoop], operand.strides.back()); };
    llvm::for_each(main.inputs, swapStrides);
    llvm::for_each(main.outputs, swapStrides);
    std::swap(loops[*vectorLoop], loops.back());
    vectorLoop = loops.size() - 1;
  }

  // As many lanes as the widest elements allow that are read or written in vectors.
  unsigned bits = 8;
  for (Stage *stage : {&main, epilogue ? &*epilogue : nullptr}) {
    if (!stage)
      continue;
    auto widen = [&](const Operand &operand) {
      if (operand.memory)
        bits = std::max(bits, unsigned(getStoredBytes(operand.memory->elementType) * 8));
    };
    llvm::for_each(stage->inputs, widen);
    llvm::for_each(stage->outputs, widen);
    // Floats narrower than f32 are computed as f32; integers may be widened.
    for (Operation &op : *stage->op.getBlock())
      for (Type type : op.getResultTypes())
        if (type.isIntOrFloat())
          bits = std::max(bits, isa<FloatType>(type) ? std::max(32u, type.getIntOrFloatBitWidth())
                                                     : std::min(64u, type.getIntOrFloatBitWidth()));
  }
  lanes = kernel.vectorBits / bits;
  bool reduces = loops.size() > firstReduction;
  bool isShort = estimateCost(*main.op.getBlock()) <= 24;
  unroll = reduces && isShort ? 4 : 1;
}

void Nest::chooseItems() {
  unsigned last = firstReduction;
  firstInner = last;
  bool inVectors = vectorLoop && *vectorLoop < firstReduction;
  if (!inVectors)
    return;
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
    counts.push_back(loops[loop].extent);
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
  int64_t pointCost = estimateCost(*main.op.getBlock()) + (epilogue ? estimateCost(*epilogue->op.getBlock()) : 0);
  factors.push_back(code.index(pointCost));
  for (unsigned loop = firstInner; loop < loops.size(); ++loop) {
    Value extent = loops[loop].extent;
    bool isDivided = blockSize && loop == firstInner;
    factors.push_back(isDivided ? code.min(extent, code.index(blockSize)) : extent);
  }
  Value cost = code.product(factors);
  return lanes ? code.ceilDiv(cost, lanes) : cost;
}
