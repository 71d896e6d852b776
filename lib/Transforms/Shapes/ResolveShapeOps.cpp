//===- Sizes in types in the place of tensors that hold sizes ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Analysis/SliceBounds.h"
#include "dyn/Analysis/UnknownSizes.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace dyn {
#define GEN_PASS_DEF_RESOLVESHAPEOPSPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

/// Builds static forms of the ops of one function.
class Resolver {
public:
  Resolver(func::FuncOp function, ShapeAnalysis &analysis)
      : function(function), analysis(analysis), builder(function.getContext()) {}

  LogicalResult run();

private:
  /// The result as a constant or symbolic values, if its elements are known.
  Value createKnown(Operation *op);
  /// The result where all its elements are one known number.
  Value createUniform(Operation *op);
  /// The operand that the result is, for the others change nothing: `x and true`, `x + 0`, what `select` always takes.
  Value createPassed(Operation *op);
  /// What all elements of an integer or boolean tensor are.
  std::optional<int64_t> getUniform(Value value);
  /// Are the dims of a value known at entry?
  bool isKnownBefore(Value value) {
    std::optional<Dims> dims = analysis.getKnownDims(value);
    return dims && analysis.areKnownAtEntry(*dims);
  }
  /// The static form of an op; null if it has none or needs none.
  FailureOr<Operation *> createStatic(Operation *op);
  bool isRepeatedByUsers(ExpandLikeOp op);
  FailureOr<Operation *> createSlice(SliceToOp op);
  FailureOr<Operation *> createPad(PadToOp op);
  FailureOr<Operation *> createReduce(ReduceToOp op);
  void replaceSplit(SplitOp op);
  /// Records what stands for the results of the ops of a block, and of those in its counted loops, where what differs
  /// between trips stays.
  LogicalResult resolve(Block &block, bool isInLoop);

  DimsAttr getAttr(ArrayRef<Expr> exprs) {
    differs |= !analysis.areKnownAtEntry(exprs);
    SmallVector<Expr> simple = llvm::map_to_vector(exprs, [&](Expr expr) {
      Expr result = analysis.simplify(expr);
      if (!result || (expr.isWithinBudget() && !result.isWithinBudget()))
        result = expr;
      return result.isWithinBudget() ? result : analysis.defineSymbol(result);
    });
    return DimsAttr::get(builder.getContext(), simple);
  }
  FailureOr<Operation *> refuse(Operation *op, const Twine &text) {
    return mlir::emitError(op->getLoc()) << describeOp(op) << ": " << text;
  }

  func::FuncOp function;
  ShapeAnalysis &analysis;
  OpBuilder builder;
  SmallVector<std::pair<Value, Value>> replacements;
  SmallVector<Block *> blocks;
  bool differs = false; ///< Does what is built hold what is not known at entry?
};

struct ResolveShapeOps : dyn::impl::ResolveShapeOpsPassBase<ResolveShapeOps> {
  void runOnOperation() override;
};

} // namespace

std::optional<int64_t> Resolver::getUniform(Value value) {
  Bounds bounds = analysis.getBounds(value);
  Expr lower = bounds.lower ? analysis.simplify(bounds.lower) : Expr();
  Expr upper = bounds.upper ? analysis.simplify(bounds.upper) : Expr();
  return lower && lower == upper ? lower.getConstant() : std::nullopt;
}

Value Resolver::createUniform(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  // An index that data determine is checked, whatever it finds.
  bool reads = isa<GatherOp, GatherElementsOp, GatherNDOp>(op);
  if (!type || !type.getElementType().isIntOrIndexOrFloat() || isa<FullOp>(op) || (reads && !analysis.isInBounds(op)))
    return {};
  TypedAttr element;
  DenseElementsAttr data;
  if (std::optional<int64_t> value = getUniform(op->getResult(0)); value && isa<IntegerType>(type.getElementType()))
    element = builder.getIntegerAttr(type.getElementType(), *value);
  else if (reads && matchPattern(op->getOperand(0), m_Constant(&data)) && data.isSplat())
    element = dyn_cast<TypedAttr>(data.getSplatValue<Attribute>());
  if (!element)
    return {};
  if (type.hasStaticShape())
    return ConstantOp::create(builder, op->getLoc(), DenseElementsAttr::get(type, Attribute(element)));
  // Sizes that data determine are known where they are found only.
  if (!analysis.areKnownAtEntry(*analysis.getDims(op->getResult(0))))
    return {};
  return FullOp::create(builder, op->getLoc(), type, element);
}

Value Resolver::createPassed(Operation *op) {
  // The operand that stays, if the other one is all `neutral`.
  auto getOther = [&](int64_t neutral, bool isCommutative) -> Value {
    if (getUniform(op->getOperand(1)) == neutral)
      return op->getOperand(0);
    return isCommutative && getUniform(op->getOperand(0)) == neutral ? op->getOperand(1) : Value();
  };
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return {};
  bool isBoolean = type.getElementType().isInteger(1), isInteger = isa<IntegerType>(type.getElementType());
  Value kept = llvm::TypeSwitch<Operation *, Value>(op)
                   .Case<AndOp, OrOp>([&](auto) { return isBoolean ? getOther(isa<AndOp>(op), true) : Value(); })
                   .Case<AddOp, SubOp>([&](auto) { return isInteger ? getOther(0, isa<AddOp>(op)) : Value(); })
                   .Case<MulOp, DivOp>([&](auto) { return isInteger ? getOther(1, isa<MulOp>(op)) : Value(); })
                   .Case([&](SelectOp select) {
                     std::optional<int64_t> condition = getUniform(select.getOperand(0));
                     return condition ? select.getOperand(*condition ? 1 : 2) : Value();
                   })
                   .Default([](Operation *) { return Value(); });
  if (!kept || kept.getType() == type)
    return kept;
  // Where it is not decided that the dims broadcast to those of the result, the op itself says that they do.
  Dims from = *analysis.getDims(kept), to = *analysis.getDims(op->getResult(0));
  for (auto [dim, target] : llvm::zip_equal(from, ArrayRef(to).take_back(from.size())))
    if (!dim.isConstant(1) && !analysis.isKnownEqual(dim, target))
      return {};
  if (!analysis.areKnownAtEntry(to))
    return {};
  return BroadcastOp::create(builder, op->getLoc(), type, kept);
}

Value Resolver::createKnown(Operation *op) {
  if (op->getNumResults() != 1 || isa<ConstantOp, DimValuesOp>(op))
    return {};
  if (Value uniform = createUniform(op))
    return uniform;
  if (Value passed = createPassed(op))
    return passed;
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isSignlessInteger())
    return {};
  std::optional<ElementValues> elements = analysis.getFinalElements(result);
  if (!elements || int64_t(elements->size()) != type.getNumElements())
    return {};
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<APInt> constants;
  SmallVector<Expr> exprs;
  for (const ElementValue &element : *elements) {
    if (element.kind == ElementValue::Kind::Boolean) {
      constants.push_back(APInt(1, element.getPredicate().kind == Predicate::Kind::True));
    } else if (Expr integer = element.getInteger()) {
      exprs.push_back(integer);
      if (std::optional<int64_t> value = integer.getConstant())
        constants.push_back(APInt(width, *value, /*isSigned=*/true, /*implicitTrunc=*/true));
    }
  }
  if (constants.size() == elements->size() &&
      llvm::all_of(constants, [&](const APInt &value) { return value.getBitWidth() == width; }))
    return ConstantOp::create(builder, op->getLoc(), DenseElementsAttr::get(type, constants));
  if (exprs.size() == elements->size() && width > 1)
    return DimValuesOp::create(builder, op->getLoc(), type, getAttr(exprs));
  return {};
}

/// All that reads the result are elementwise ops which give the same without it: the operand is repeated to dims that
/// another of their operands has.
bool Resolver::isRepeatedByUsers(ExpandLikeOp op) {
  std::optional<Dims> from = analysis.getKnownDims(op.getOperand()), to = analysis.getKnownDims(op.getResult());
  if (!from || !to)
    return false;
  for (auto [dim, target] : llvm::zip_equal(*from, ArrayRef<Expr>(*to).take_back(from->size())))
    if (!dim.isConstant(1) && !analysis.isKnownEqual(dim, target))
      return false;
  auto hasTargetDims = [&](Value value) {
    std::optional<Dims> dims = analysis.getKnownDims(value);
    return dims && dims->size() == to->size() && llvm::all_of(llvm::zip_equal(*dims, *to), [&](auto pair) {
             return analysis.isKnownEqual(std::get<0>(pair), std::get<1>(pair));
           });
  };
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return user->hasTrait<dyn::OpTrait::Elementwise>() && llvm::any_of(user->getOperands(), [&](Value operand) {
             return !operand.getDefiningOp<ExpandLikeOp>() && hasTargetDims(operand);
           });
  });
}

FailureOr<Operation *> Resolver::createSlice(SliceToOp op) {
  std::optional<Dims> dims = analysis.getKnownDims(op.getOperand());
  auto starts = analysis.getIntegers(op.getStarts()), ends = analysis.getIntegers(op.getEnds());
  std::optional<SmallVector<int64_t>> axes, steps;
  if (op.getAxes())
    axes = analysis.getConstants(op.getAxes());
  if (op.getSteps())
    steps = analysis.getConstants(op.getSteps());
  if (!dims || !starts || !ends || (op.getAxes() && !axes) || (op.getSteps() && !steps))
    return refuse(op, "what it takes " + explainUnknownSize(op, analysis));
  SmallVector<Expr> offsets(dims->size(), analysis.getConstant(0));
  SmallVector<int64_t> strides(dims->size(), 1);
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t axis = axes ? (*axes)[i] : int64_t(i);
    axis += axis < 0 ? dims->size() : 0;
    if (axis < 0 || axis >= int64_t(dims->size()))
      return refuse(op, "axis " + Twine(axis) + " is out of range for rank " + Twine(dims->size()));
    int64_t step = steps ? (*steps)[i] : 1;
    std::optional<SliceBounds> bounds =
        getSliceBounds((*dims)[axis], (*starts)[i], (*ends)[i], step, analysis.getSolver());
    if (!bounds)
      return refuse(op, "its bounds make too large an expression");
    offsets[axis] = bounds->offset;
    strides[axis] = step;
  }
  return SliceOp::create(builder, op.getLoc(), op.getType(), op.getOperand(), getAttr(offsets),
                         builder.getDenseI64ArrayAttr(strides))
      .getOperation();
}

FailureOr<Operation *> Resolver::createPad(PadToOp op) {
  std::optional<int64_t> rank = analysis.getRank(op.getOperand());
  auto pads = analysis.getIntegers(op.getPads());
  std::optional<SmallVector<int64_t>> axes;
  if (op.getAxes())
    axes = analysis.getConstants(op.getAxes());
  if (!rank || !pads || (op.getAxes() && !axes))
    return refuse(op, "how much it adds " + explainUnknownSize(op, analysis));
  SmallVector<Expr> low(*rank, analysis.getConstant(0));
  for (size_t i = 0; i < pads->size() / 2; ++i) {
    int64_t axis = axes ? (*axes)[i] : int64_t(i);
    axis += axis < 0 ? *rank : 0;
    if (axis < 0 || axis >= *rank)
      return refuse(op, "axis " + Twine(axis) + " is out of range for rank " + Twine(*rank));
    low[axis] = (*pads)[i];
  }
  return PadOp::create(builder, op.getLoc(), op.getType(), op.getModeAttr(), op.getOperand(), op.getValue(),
                       getAttr(low))
      .getOperation();
}

FailureOr<Operation *> Resolver::createReduce(ReduceToOp op) {
  std::optional<SmallVector<int64_t>> axes = analysis.getConstants(op.getAxes());
  if (!axes)
    return refuse(op, "its axes are not known before the run");
  if (axes->empty() && op.getNoop())
    return ReshapeOp::create(builder, op.getLoc(), op.getType(), op.getOperand()).getOperation();
  DenseI64ArrayAttr given = axes->empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(*axes);
  return ReduceOp::create(builder, op.getLoc(), op.getType(), op.getKind(), op.getOperand(), given, op.getKeepDims())
      .getOperation();
}

void Resolver::replaceSplit(SplitOp op) {
  Dims dims = *analysis.getDims(op.getOperand());
  int64_t axis = op.getAxis();
  axis += axis < 0 ? dims.size() : 0;
  SmallVector<Expr> offsets(dims.size(), analysis.getConstant(0));
  SmallVector<int64_t> steps(dims.size(), 1);
  for (Value part : op.getParts()) {
    auto slice = SliceOp::create(builder, op.getLoc(), part.getType(), op.getOperand(), getAttr(offsets),
                                 builder.getDenseI64ArrayAttr(steps));
    offsets[axis] = offsets[axis] + (*analysis.getDims(part))[axis];
    replacements.emplace_back(part, slice.getResult());
  }
}

FailureOr<Operation *> Resolver::createStatic(Operation *op) {
  using Result = FailureOr<Operation *>;
  Location loc = op->getLoc();
  auto reshape = [&](auto typed) -> Result {
    return ReshapeOp::create(builder, loc, typed.getType(), typed.getOperand()).getOperation();
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](ReshapeToOp typed) -> Result {
        // The other dims tell what an element from data has to be, but nothing would see to it that it is.
        if (!analysis.getIntegers(typed.getShape()))
          return refuse(typed, "the shape that it gives " + explainUnknownSize(typed, analysis));
        return reshape(typed);
      })
      .Case<SqueezeOp, UnsqueezeOp, FlattenOp>([&](auto typed) { return reshape(typed); })
      .Case([&](ExpandToOp typed) -> Result {
        return BroadcastOp::create(builder, loc, typed.getType(), typed.getOperand()).getOperation();
      })
      .Case([&](ExpandLikeOp typed) -> Result {
        return BroadcastOp::create(builder, loc, typed.getType(), typed.getOperand()).getOperation();
      })
      .Case([&](TileToOp typed) -> Result {
        return TileOp::create(builder, loc, typed.getType(), typed.getOperand()).getOperation();
      })
      .Case([&](FullToOp typed) -> Result {
        return FullOp::create(builder, loc, typed.getType(), typed.getValueAttr()).getOperation();
      })
      .Case([&](RangeOp typed) -> Result {
        return IotaOp::create(builder, loc, typed.getType(), typed.getStart(), typed.getDelta()).getOperation();
      })
      .Case([&](SliceToOp typed) { return createSlice(typed); })
      .Case([&](ReduceToOp typed) { return createReduce(typed); })
      .Case([&](PadToOp typed) { return createPad(typed); })
      .Default([](Operation *) -> Result { return static_cast<Operation *>(nullptr); });
}

LogicalResult Resolver::resolve(Block &block, bool isInLoop) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    builder.setInsertionPoint(&op);
    differs = false;
    if (auto loop = dyn_cast<LoopOp>(op); loop && loop.isCounted()) {
      // Of what is not known inside, whoever compiles the loop has to say so.
      ThreadDiagnostics silence(function.getContext());
      analysis.askInside(loop, [&] { (void)resolve(loop.getBody().front(), /*isInLoop=*/true); });
      continue;
    }
    Value known = createKnown(&op);
    if (auto split = dyn_cast<SplitOp>(op); split && !known) {
      if (!isInLoop || llvm::all_of(split.getParts(), [&](Value part) { return isKnownBefore(part); }))
        replaceSplit(split);
      continue;
    }
    // What differs between trips, each of them computes.
    if (known && isInLoop && differs) {
      known.getDefiningOp()->erase();
      known = {};
      differs = false;
    }
    if (auto like = dyn_cast<ExpandLikeOp>(op); like && !known && isRepeatedByUsers(like))
      known = like.getOperand();
    if (!known) {
      FailureOr<Operation *> replacement = createStatic(&op);
      if (failed(replacement) && !isInLoop)
        return failure();
      if (succeeded(replacement) && *replacement)
        known = (*replacement)->getResult(0);
    }
    if (known && isInLoop && differs)
      known.getDefiningOp()->erase();
    else if (known)
      replacements.emplace_back(op.getResult(0), known);
  }
  blocks.push_back(&block);
  return success();
}

LogicalResult Resolver::run() {
  // The analysis knows the values that there were, so these are replaced when all questions are answered.
  if (failed(resolve(function.front(), /*isInLoop=*/false)))
    return failure();
  llvm::DenseMap<Value, Value> replaced;
  for (auto [from, to] : replacements) {
    // An operand that stands for a result may have been replaced itself.
    if (Value known = replaced.lookup(to))
      to = known;
    from.replaceAllUsesWith(to);
    replaced[from] = to;
  }
  // Those in loops come first.
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  return success();
}

void ResolveShapeOps::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration())
    return;
  ShapeAnalysis analysis(function);
  if (failed(analysis.run()))
    return signalPassFailure();
  if (failed(Resolver(function, analysis).run()))
    return signalPassFailure();
  // Guards that are there imply what the types say; where that is not proved again, it is checked.
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  for (const ShapeGuard &guard : analysis.getGuards())
    RequireOp::create(builder, guard.loc, PredAttr::get(&getContext(), guard.predicate),
                      builder.getStringAttr(guard.because));
  if (!analysis.getSymbols().empty())
    function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(&getContext(), analysis.getSymbols()));
}
