//===- The loops of a linalg op and how operands depend on them ----------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/LoopPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn::codegen;

Value dyn::codegen::getReductionStart(OpOperand &init) {
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  return fill && fill->hasOneUse() ? fill.value() : Value();
}

bool dyn::codegen::isReductionStart(linalg::LinalgOp op) {
  if (!isa<linalg::FillOp>(op) || !op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return user && user.isDpsInit(&use) && user.getNumReductionLoops() > 0;
}

/// Whether an op inside `op` reads `value`.
static bool captures(linalg::LinalgOp op, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return op->isProperAncestor(user); });
}

std::optional<SmallVector<SmallVector<unsigned>>> dyn::codegen::mapPrologueLoops(ArrayRef<linalg::GenericOp> prologue,
                                                                                 linalg::LinalgOp main) {
  SmallVector<SmallVector<unsigned>> loops(prologue.size());
  SmallVector<unsigned> mainLoops = llvm::to_vector(llvm::seq<unsigned>(0, main.getNumLoops()));
  for (unsigned place = prologue.size() + 1; place-- > 0;) {
    bool isMain = place == prologue.size();
    linalg::LinalgOp consumer = isMain ? main : linalg::LinalgOp(linalg::GenericOp(prologue[place]));
    ArrayRef<unsigned> consumerLoops = isMain ? mainLoops : loops[place];
    if (consumerLoops.size() != main.getNumLoops() || (!isMain && consumer.getNumReductionLoops()))
      return std::nullopt;
    for (unsigned number = 0; number < place; ++number) {
      linalg::GenericOp producer = prologue[number];
      if (llvm::any_of(producer->getResults(), [&](Value result) { return captures(consumer, result); }))
        return std::nullopt;
      for (OpOperand &operand : consumer->getOpOperands()) {
        if (operand.get().getDefiningOp() != producer)
          continue;
        if (consumer.isDpsInit(&operand) || producer.getNumLoops() != main.getNumLoops())
          return std::nullopt;
        OpOperand *output = producer.getDpsInitOperand(cast<OpResult>(operand.get()).getResultNumber());
        SmallVector<unsigned> own(main.getNumLoops(), ~0u);
        llvm::SmallBitVector seen(main.getNumLoops());
        for (auto [written, read] : llvm::zip_equal(producer.getMatchingIndexingMap(output).getResults(),
                                                    consumer.getMatchingIndexingMap(&operand).getResults())) {
          auto from = dyn_cast<AffineDimExpr>(written), to = dyn_cast<AffineDimExpr>(read);
          if (!from || !to)
            return std::nullopt;
          own[from.getPosition()] = consumerLoops[to.getPosition()];
          seen.set(consumerLoops[to.getPosition()]);
        }
        if (!seen.all() || llvm::is_contained(own, ~0u) || (!loops[number].empty() && loops[number] != own))
          return std::nullopt;
        loops[number] = own;
      }
    }
  }
  return loops;
}

LoopPlan::LoopPlan(KernelCode &kernel, const FusedOps &ops, unsigned fixed)
    : kernel(kernel), code(kernel.code), fixed(fixed) {
  linalg::LinalgOp op = ops.main;
  main = describe(op, llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops())), ops);
  if (!ops.prologue.empty())
    for (auto [producer, loopOf] : llvm::zip_equal(ops.prologue, *mapPrologueLoops(ops.prologue, ops.main)))
      prologue.push_back(describe(producer, loopOf, ops));
  if (ops.epilogue) {
    SmallVector<unsigned> loopOf;
    for (AffineExpr result : op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
      loopOf.push_back(cast<AffineDimExpr>(result).getPosition());
    epilogue = describe(ops.epilogue, loopOf, ops);
  }
  findExtents();
  formLoops();
  forEachStage([&](Stage &stage) {
    llvm::for_each(stage.inputs, [&](Operand &operand) { computeStrides(operand); });
    llvm::for_each(stage.outputs, [&](Operand &operand) { computeStrides(operand); });
  });
}

void LoopPlan::forEachStage(function_ref<void(Stage &)> visit) {
  llvm::for_each(prologue, visit);
  visit(main);
  if (epilogue)
    visit(*epilogue);
}

LoopPlan::Stage LoopPlan::describe(linalg::LinalgOp op, ArrayRef<unsigned> loopOf, const FusedOps &ops) {
  Stage stage{op, {}, {}, llvm::to_vector(loopOf)};
  SmallVector<AffineExpr> renamed =
      llvm::map_to_vector(loopOf, [&](unsigned loop) { return getAffineDimExpr(loop, op->getContext()); });
  auto isFused = [&](Operation *other) {
    return other && (llvm::is_contained(ops.prologue, other) || other == ops.main || other == ops.epilogue);
  };
  auto describeOperand = [&](OpOperand *operand) {
    Operand result;
    AffineMap map = op.getMatchingIndexingMap(operand);
    result.map = map.replaceDimsAndSymbols(renamed, {}, linalg::LinalgOp(ops.main).getNumLoops(), 0);
    if (!isa<RankedTensorType>(operand->get().getType()))
      result.scalar = kernel.scalars.lookup(operand->get());
    else if (isFused(operand->get().getDefiningOp()))
      result.computed = operand->get();
    else
      result.memory = &kernel.memoryOf(operand->get());
    return result;
  };
  for (OpOperand *input : op.getDpsInputOperands())
    stage.inputs.push_back(describeOperand(input));
  for (auto [output, result] : llvm::zip_equal(op.getDpsInitsMutable(), op->getResults())) {
    stage.outputs.push_back(describeOperand(&output));
    stage.outputs.back().isStored = !llvm::all_of(result.getUsers(), isFused);
  }
  return stage;
}

void LoopPlan::findExtents() {
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
  forEachStage([&](Stage &stage) {
    llvm::for_each(stage.outputs, visit);
    llvm::for_each(stage.inputs, visit);
  });
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

bool LoopPlan::canMerge(unsigned outer, unsigned inner) {
  auto isUniform = [&](const Operand &operand) {
    auto outerPlaces = findResults(operand.map, outer), innerPlaces = findResults(operand.map, inner);
    if (!outerPlaces || !innerPlaces || outerPlaces->size() != innerPlaces->size())
      return false;
    if (outerPlaces->empty() || !operand.memory || !operand.isStored)
      return true;
    if (outerPlaces->size() > 1 || outerPlaces->front() >= innerPlaces->front())
      return false;
    if (operand.memory->panels && (outerPlaces->front() == operand.memory->panels->columnDim ||
                                   innerPlaces->front() == operand.memory->panels->columnDim))
      return false;
    if (const llvm::SmallBitVector &repeated = operand.memory->repeated;
        !repeated.empty() && (repeated.test(outerPlaces->front()) || repeated.test(innerPlaces->front())))
      return false;
    if (std::optional<unsigned> gap = operand.memory->gapBefore;
        gap && outerPlaces->front() < *gap && innerPlaces->front() >= *gap)
      return false;
    for (unsigned between = outerPlaces->front() + 1; between < innerPlaces->front(); ++between)
      if (!isConstant(operand.memory->dims[between], 1))
        return false;
    return true;
  };
  bool canMerge = true;
  forEachStage([&](Stage &stage) {
    stage.op->walk([&](linalg::IndexOp index) {
      unsigned loop = stage.loopOf[index.getDim()];
      canMerge &= loop != outer && loop != inner;
    });
    canMerge &= llvm::all_of(stage.inputs, isUniform) && llvm::all_of(stage.outputs, isUniform);
  });
  return canMerge;
}

void LoopPlan::formLoops() {
  SmallVector<utils::IteratorType> kinds = main.op.getIteratorTypesArray();
  SmallVector<unsigned> order;
  auto append = [&](unsigned loop) {
    if (!llvm::is_contained(order, loop))
      order.push_back(loop);
  };
  for (unsigned loop = 0; loop < fixed; ++loop)
    append(loop);
  // The order in which the last op's first output lies in memory.
  const Operand &output = last().outputs[0];
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

void LoopPlan::computeStrides(Operand &operand) {
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

void LoopPlan::addUnitLoop() {
  loops.insert(loops.begin() + firstReduction, Loop{{}, code.index(1), /*isReduction=*/false});
  auto addStride = [&](Operand &operand) { operand.strides.insert(operand.strides.begin() + firstReduction, Value()); };
  forEachStage([&](Stage &stage) {
    llvm::for_each(stage.inputs, addStride);
    llvm::for_each(stage.outputs, addStride);
  });
  ++firstReduction;
}

Lanes LoopPlan::offsetOf(const Operand &operand, const Place &place, const Points &points) {
  Lanes offset = Lanes::uniform(operand.offset);
  for (auto [index, stride] : llvm::zip_equal(place, operand.strides))
    if (stride)
      offset = code.add(offset, code.mul(index, stride, points), points);
  return offset;
}

SmallVector<Lanes> LoopPlan::evaluateStage(Stage &stage, const Place &place, const Points &points,
                                           ArrayRef<Lanes> outputs, const Results &results) {
  SmallVector<Lanes> arguments;
  for (const Operand &input : stage.inputs)
    if (auto known = loaded.find(&input); known != loaded.end())
      arguments.push_back(known->second);
    else
      arguments.push_back(input.memory   ? load(code, *input.memory, offsetOf(input, place, points), points)
                          : input.scalar ? Lanes::uniform(input.scalar)
                                         : results.lookup(input.computed));
  llvm::append_range(arguments, outputs);

  SmallVector<Lanes> ofOpLoops(extents.size(), Lanes::uniform(code.index(0)));
  for (auto [index, loop] : llvm::zip_equal(place, loops))
    if (loop.members.size() == 1)
      ofOpLoops[loop.members.front()] = index;
  SmallVector<Lanes> indices;
  for (unsigned loop : stage.loopOf)
    indices.push_back(ofOpLoops[loop]);
  return emitBody(kernel, *stage.op.getBlock(), arguments, indices, points);
}

SmallVector<Lanes> LoopPlan::evaluate(const Place &place, const Points &points, ArrayRef<Lanes> outputs) {
  Results results;
  for (Stage &stage : prologue) {
    SmallVector<Lanes> none(stage.outputs.size());
    for (auto [value, output, result] :
         llvm::zip_equal(evaluateStage(stage, place, points, none, results), stage.outputs, stage.op->getResults())) {
      results[result] = value;
      if (output.isStored)
        write(output, value, place, points);
    }
  }
  return evaluateStage(main, place, points, outputs, results);
}

void LoopPlan::write(const Operand &output, const Lanes &value, const Place &place, const Points &points) {
  if (output.memory->isScalar)
    output.memory->scalar = value.first;
  else
    store(code, *output.memory, offsetOf(output, place, points), value, points,
          writesPastCaches && output.memory->isLarge);
}

void LoopPlan::finish(const Place &place, const Points &points, ArrayRef<Lanes> mainResults) {
  SmallVector<Lanes> values(mainResults);
  if (epilogue) {
    Results results;
    results[main.op->getResult(0)] = mainResults.front();
    values = evaluateStage(*epilogue, place, points, SmallVector<Lanes>(epilogue->outputs.size()), results);
  }
  for (auto [value, output] : llvm::zip_equal(values, last().outputs))
    write(output, value, place, points);
}
