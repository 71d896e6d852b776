//===- Buffers of main get places in one arena --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HoistSizes.h"
#include "LaunchOrder.h"
#include "dyn/Dialect/DynShape/IR/PlanOp.h"
#include "dyn/Transforms/Memory/ParametricPlan.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "dyn/Transforms/Memory/SizeExprs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace dyn {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using symbolic::Expr;

namespace {

struct Counts {
  unsigned buffers = 0, plans = 0, directResults = 0;
};

class FunctionPlanner {
public:
  explicit FunctionPlanner(func::FuncOp function) : function(function), block(function.front()), sizes(function) {}

  LogicalResult run(Counts &counts) {
    entry = hoistSizes(block);
    if (failed(sizes.readFacts()) || failed(placeResults(counts.directResults)) || failed(placeBuffers(counts)))
      return failure();
    mergeEqualSizes(block);
    return success();
  }

private:
  /// Appends an argument for each result and makes the launches write there.
  LogicalResult placeResults(unsigned &directResults) {
    auto returnOp = cast<func::ReturnOp>(block.getTerminator());
    DenseSet<Value> taken;
    for (auto [index, value] : llvm::enumerate(returnOp.getOperands())) {
      NamedAttrList attributes = function.getResultAttrDict(index);
      attributes.set(DynDialect::kOutputAttrName, UnitAttr::get(function.getContext()));
      if (failed(function.insertArgument(function.getNumArguments(), value.getType(),
                                         attributes.getDictionary(function.getContext()), value.getLoc())))
        return failure();
      Value output = function.getArguments().back();
      Value root = skipReshapes(value);
      if (root.getDefiningOp<memref::AllocOp>() && taken.insert(root).second) {
        if (failed(writeDirectly(value, output)))
          return failure();
        ++directResults;
        continue;
      }
      OpBuilder builder(returnOp);
      memref::CopyOp::create(builder, returnOp.getLoc(), value, output);
    }
    returnOp->setOperands({});
    function.setType(FunctionType::get(function.getContext(), function.getFunctionType().getInputs(), {}));
    function.removeResAttrsAttr();
    return success();
  }

  /// Replaces the allocation that `value` is a view of by the opposite view of `output`.
  LogicalResult writeDirectly(Value value, Value output) {
    OpBuilder builder(entry);
    while (Operation *view = value.getDefiningOp()) {
      Value source = isReshape(view) ? view->getOperand(0) : Value();
      if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view)) {
        if (llvm::is_contained(sizes.getDims(source), Expr()))
          return view->emitOpError("is a view of a buffer whose dims are not known");
        output = memref::ExpandShapeOp::create(builder, view->getLoc(), cast<MemRefType>(source.getType()), output,
                                               collapse.getReassociationIndices(),
                                               sizes.materializeDims(builder, view->getLoc(), source));
      } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
        output = memref::CollapseShapeOp::create(builder, view->getLoc(), cast<MemRefType>(source.getType()), output,
                                                 expand.getReassociationIndices());
      } else {
        view->getResult(0).replaceAllUsesWith(output);
        erase(view);
        return success();
      }
      value = source;
    }
    return success();
  }

  /// From the first to the last op that uses `value`, through views. False if nothing does.
  bool getLifetime(Value value, const DenseMap<Operation *, unsigned> &positions, ArenaBuffer &buffer) {
    bool used = false;
    for (Operation *user : value.getUsers()) {
      if (isView(user)) {
        used |= getLifetime(user->getResult(0), positions, buffer);
        continue;
      }
      unsigned position = positions.lookup(user);
      buffer.first = std::min(buffer.first, position);
      buffer.last = std::max(buffer.last, position);
      used = true;
    }
    return used;
  }

  /// Buffers of launches that may run at the same time are needed together, wherever the launches stand.
  void addNeededBeside(ArrayRef<memref::AllocOp> allocs, MutableArrayRef<ArenaBuffer> buffers) {
    DenseMap<Value, unsigned> indices;
    for (memref::AllocOp alloc : allocs)
      indices.insert({alloc.getResult(), indices.size()});
    auto launches = llvm::to_vector(block.getOps<shape::LaunchOp>());
    SmallVector<SmallVector<unsigned>> uses(launches.size());
    for (auto [launch, used] : llvm::zip_equal(launches, uses))
      for (Value operand : launch->getOperands())
        if (auto found = indices.find(skipViews(operand)); found != indices.end())
          used.push_back(found->second);
    LaunchOrder order(block);
    addBeside(buffers, uses, shape::kLaunchWindow,
              [&](unsigned first, unsigned second) { return order.isBefore(launches[first], launches[second]); });
  }

  LogicalResult placeBuffers(Counts &counts) {
    DenseMap<Operation *, unsigned> positions;
    for (auto [position, op] : llvm::enumerate(block)) {
      if (op.getNumRegions() != 0)
        return op.emitOpError("has regions: memory of functions with control flow is not planned yet");
      positions[&op] = position;
    }
    SmallVector<memref::AllocOp> allocs, unused;
    SmallVector<ArenaBuffer> buffers;
    for (auto alloc : block.getOps<memref::AllocOp>()) {
      ArenaBuffer buffer{sizes.getBytes(alloc.getResult()), ~0u, 0, {}};
      if (!buffer.bytes)
        return alloc.emitOpError("has a size that no expression with 64-bit coefficients gives");
      // Facts may rule out all but 0. A line tells it from others that would begin at the same place.
      if (!buffer.bytes.getConstant() && sizes.getSolver().getRange(buffer.bytes).upper == 0)
        buffer.bytes = sizes.getSolver().getContext().getConstant(ArenaPlan::bytesPerLine);
      if (!getLifetime(alloc.getResult(), positions, buffer)) {
        unused.push_back(alloc);
        continue;
      }
      allocs.push_back(alloc);
      buffers.push_back(buffer);
    }
    for (memref::AllocOp alloc : unused)
      if (alloc->use_empty())
        erase(alloc);
    if (allocs.empty())
      return success();
    addNeededBeside(allocs, buffers);

    std::optional<ParametricPlan> plan = planArenaForRanges(buffers, sizes.getSolver());
    if (!plan)
      return emitError(function.getLoc())
             << "the working memory has more bytes than numbers of 64 bits count, or too "
                "long an expression for them; ranges of dims may help, such as `1..` for one that is never 0";
    OpBuilder builder(entry);
    bool isOne = plan->choices.size() == 1 && !(plan->leavesGaps && canPack(*plan));
    SmallVector<Value> places = isOne ? createArena(builder, *plan) : createPlannedArena(builder, *plan, buffers);
    Value arena = places.pop_back_val();
    for (auto [alloc, offset] : llvm::zip_equal(allocs, places)) {
      builder.setInsertionPoint(alloc);
      Value place =
          memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(), arena, offset, alloc.getDynamicSizes());
      alloc.replaceAllUsesWith(place);
      erase(alloc);
    }
    counts.buffers += allocs.size();
    counts.plans += plan->choices.size();
    return success();
  }

  /// Could the runtime place the buffers? It knows the values of symbols only.
  bool canPack(const ParametricPlan &plan) const {
    return !plan.live.empty() && llvm::all_of(plan.lines, [&](Expr lines) { return sizes.isOverSymbols(lines); });
  }

  Value createArenaOp(OpBuilder &builder, const ParametricPlan &plan, Value bytes) {
    auto type = MemRefType::get(ShapedType::kDynamic, builder.getI8Type());
    Expr live = plan.live.empty() ? Expr() : symbolic::max(plan.live) * ArenaPlan::bytesPerLine;
    bool isKnown = live && live.isWithinBudget() && sizes.isOverSymbols(live);
    auto arena = shape::ArenaOp::create(builder, function.getLoc(), type, bytes);
    if (isKnown)
      arena->setAttr(shape::kLiveAttrName, ExprAttr::get(builder.getContext(), live));
    return arena;
  }

  /// By the one plan: the places of all buffers, then the arena.
  SmallVector<Value> createArena(OpBuilder &builder, const ParametricPlan &plan) {
    const ArenaPlan &only = plan.choices.front().plan;
    Location loc = function.getLoc();
    Value arena = createArenaOp(builder, plan, sizes.materialize(builder, loc, only.lines * ArenaPlan::bytesPerLine));
    DenseMap<Expr, Value> values;
    SmallVector<Value> places;
    for (Expr offset : only.offsets) {
      Value &value = values[offset];
      if (!value)
        value = sizes.materialize(builder, loc, offset * ArenaPlan::bytesPerLine);
      places.push_back(value);
    }
    places.push_back(arena);
    return places;
  }

  /// By the plan that fits, or by the runtime: the places of all buffers, then the arena.
  SmallVector<Value> createPlannedArena(OpBuilder &builder, const ParametricPlan &plan, ArrayRef<ArenaBuffer> buffers) {
    MLIRContext *context = builder.getContext();
    SmallVector<Attribute> predicates, offsets;
    SmallVector<Expr> planSizes;
    llvm::SmallSetVector<Expr, 4> symbols;
    auto addSymbols = [&](ArrayRef<Expr> exprs) {
      for (Expr expr : exprs)
        symbols.insert_range(expr.getSymbols());
    };
    for (const ArenaChoice &choice : plan.choices) {
      predicates.push_back(PredAttr::get(context, choice.valid));
      offsets.push_back(DimsAttr::get(context, choice.plan.offsets));
      planSizes.push_back(choice.plan.lines);
      addSymbols(choice.plan.offsets);
      symbols.insert_range(choice.valid.getSymbols());
    }
    addSymbols(planSizes), addSymbols(plan.lines), addSymbols(plan.live);
    SmallVector<Attribute> names;
    SmallVector<Value> operands;
    for (Expr symbol : symbols) {
      names.push_back(builder.getStringAttr(symbol.getSymbolName()));
      operands.push_back(sizes.getSymbolValue(builder, function.getLoc(), symbol));
    }
    SmallVector<int64_t> lifetimes, beside;
    for (auto [index, buffer] : llvm::enumerate(buffers)) {
      lifetimes.append({buffer.first, buffer.last});
      for (unsigned other : buffer.beside)
        if (other > index)
          beside.append({int64_t(index), other});
    }
    Type index = builder.getIndexType();
    auto op = shape::PlanOp::create(
        builder, function.getLoc(), index, SmallVector<Type>(buffers.size(), index), builder.getArrayAttr(names),
        operands, builder.getArrayAttr(predicates), DimsAttr::get(context, planSizes), builder.getArrayAttr(offsets),
        DimsAttr::get(context, plan.lines), builder.getDenseI64ArrayAttr(lifetimes),
        builder.getDenseI64ArrayAttr(beside), DimsAttr::get(context, plan.live), canPack(plan));
    SmallVector<Value> places(op.getPlaces());
    places.push_back(createArenaOp(builder, plan, op.getBytes()));
    return places;
  }

  void erase(Operation *op) {
    if (op == entry)
      entry = op->getNextNode();
    op->erase();
  }

  func::FuncOp function;
  Block &block;
  SizeExprs sizes;
  Operation *entry = nullptr; ///< what new sizes are computed before
};

/// What `dyn-bufferize` leaves.
LogicalResult verifyForm(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow: its memory is not planned yet");
  if (!isa<func::ReturnOp>(function.front().getTerminator()))
    return function.front().getTerminator()->emitOpError("ends a function whose memory is to be planned");
  for (Type type : function.getFunctionType().getResults())
    if (auto buffer = dyn_cast<MemRefType>(type); !buffer || !buffer.getLayout().isIdentity())
      return function.emitOpError("returns ")
             << type << ", which is no buffer with identity layout; dyn-bufferize should have seen to that";
  for (Operation &op : function.front())
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
      return op.emitOpError("gives a tensor; dyn-bufferize should have made it a buffer");
  return success();
}

struct PlanMemoryPass : dyn::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    Counts counts;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(DynDialect::kKernelAttrName) || function.isExternal())
        continue;
      if (failed(verifyForm(function)) || failed(FunctionPlanner(function).run(counts)))
        return signalPassFailure();
    }
    numBuffers += counts.buffers;
    numPlans += counts.plans;
    numDirectResults += counts.directResults;
  }
};

} // namespace
