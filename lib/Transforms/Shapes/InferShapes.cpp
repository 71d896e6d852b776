//===- Types that name sizes, and the guards they rely on -------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GuardedNeeds.h"
#include "InsertGuards.h"
#include "dyn/Analysis/DecidedBroadcasts.h"
#include "dyn/Analysis/ForcedBranches.h"
#include "dyn/Dialect/Dyn/IR/DimsAttrBuilder.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/IR/TypeUtilities.h"

namespace dyn {
#define GEN_PASS_DEF_INFERSHAPESPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

/// Makes types of dims: with an encoding only where a dim is dynamic. Most values of a function have one of a few
/// types.
class TypeBuilder {
public:
  explicit TypeBuilder(MLIRContext *context) : attributes(context) {}

  RankedTensorType get(Type elementType, ArrayRef<Expr> dims) {
    llvm::hash_code hash = hash_value(elementType);
    for (Expr dim : dims)
      hash = llvm::hash_combine(hash, dim.getNode());
    Made &last = recent[hash % recent.size()];
    if (!last.type || last.type.getElementType() != elementType || ArrayRef(last.dims) != dims)
      last = {Dims(dims), make(elementType, dims)};
    return last.type;
  }

private:
  RankedTensorType make(Type elementType, ArrayRef<Expr> dims) {
    auto shape = llvm::map_to_vector(
        dims, [](Expr dim) { return dim ? dim.getConstant().value_or(ShapedType::kDynamic) : ShapedType::kDynamic; });
    DimsAttr encoding;
    if (ShapedType::isDynamicShape(shape) && !llvm::is_contained(dims, Expr()))
      encoding = attributes.get(dims);
    return RankedTensorType::get(shape, elementType, encoding);
  }

  struct Made {
    Dims dims;
    RankedTensorType type;
  };
  DimsAttrBuilder attributes;
  std::array<Made, 64> recent;
};

} // namespace

namespace {

struct InferShapes : dyn::impl::InferShapesPassBase<InferShapes> {
  using InferShapesPassBase::InferShapesPassBase;
  void runOnOperation() override;

private:
  /// Inputs keep the dims they were declared with; their users see what facts make of these.
  void refineArguments(ShapeAnalysis &analysis);
  /// Gives the branches that there are, those inside of others first.
  SmallVector<IfOp> refineResults(ShapeAnalysis &analysis);
};

} // namespace

void InferShapes::refineArguments(ShapeAnalysis &analysis) {
  func::FuncOp function = getOperation();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  TypeBuilder types(&getContext());
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    RankedTensorType declared = types.get(type.getElementType(), *analysis.getDims(argument));
    RankedTensorType refined = types.get(type.getElementType(), analysis.getFinalDims(argument));
    argument.setType(declared);
    if (refined == declared || argument.use_empty())
      continue;
    auto assumed =
        AssumeShapeOp::create(builder, argument.getLoc(), refined, argument, builder.getStringAttr("guards"));
    argument.replaceAllUsesExcept(assumed, assumed);
  }
}

/// The type of a value after inference. In regions, dims may stay unknown. A symbol stays a dim of what gives it a
/// value, even where a guard makes another size of it: the guard can't be asked before.
static Type getRefinedType(Value value, ShapeAnalysis &analysis, TypeBuilder &types) {
  auto type = dyn_cast<TensorType>(value.getType());
  std::optional<Dims> dims = type ? analysis.findFinalDims(value, /*keepsBound=*/true) : std::nullopt;
  return dims ? types.get(type.getElementType(), *dims) : value.getType();
}

/// Names the symbols that a region op gives values.
static void setBinds(Operation *op, ShapeAnalysis &analysis) {
  SmallVector<Attribute> names;
  for (Expr symbol : analysis.getBoundSymbols(op))
    names.push_back(StringAttr::get(op->getContext(), symbol.getSymbolName()));
  if (!names.empty())
    op->setAttr("binds", ArrayAttr::get(op->getContext(), names));
  if (auto loop = dyn_cast<LoopOp>(op))
    if (Expr trip = analysis.getTripSymbol(op))
      loop.setCounting(trip.getSymbolName());
}

/// Of a loop that makes one trip at most, the first value is the only one that a carried argument has, and what comes
/// out of the trip may have other dims. The type of the argument is then `before`, as if there could be more trips.
static void keepCarriedType(LoopOp loop, BlockArgument argument, Type before) {
  auto carried = loop.getCarried();
  auto place = llvm::find(carried, argument);
  if (place == carried.end())
    return;
  Type next = loop.getNext()[place - carried.begin()].getType(), refined = argument.getType();
  if (isa<TensorType>(next) && isa<TensorType>(refined) && failed(verifyCompatibleShape(next, refined)))
    argument.setType(before);
}

/// Where a run op by op takes the branch that there is, one may give other dims than what stands behind it needs. The
/// types of the results are then `before`.
static void keepResultTypes(IfOp op, ArrayRef<Type> before) {
  for (OpResult result : op->getResults())
    for (Region *region : op.getRegions()) {
      Type given = region->front().getTerminator()->getOperand(result.getResultNumber()).getType();
      if (isa<TensorType>(given) && failed(verifyCompatibleShape(given, result.getType())))
        result.setType(before[result.getResultNumber()]);
    }
}

SmallVector<IfOp> InferShapes::refineResults(ShapeAnalysis &analysis) {
  SmallVector<IfOp> branches;
  TypeBuilder types(&getContext());
  auto declaredDims = StringAttr::get(&getContext(), DynDialect::kDeclaredDimsAttrName);
  auto inBounds = StringAttr::get(&getContext(), "in_bounds");
  // Types in regions first: results of an op must not contradict what its regions yield.
  getOperation().getBody().walk([&](Operation *op) {
    auto branch = dyn_cast<IfOp>(op);
    SmallVector<Type> before;
    if (branch)
      llvm::append_range(before, branch->getResultTypes());
    for (Value result : op->getResults())
      result.setType(getRefinedType(result, analysis, types));
    if (branch)
      keepResultTypes(branch, before);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        Type before = argument.getType();
        argument.setType(getRefinedType(argument, analysis, types));
        if (auto loop = dyn_cast<LoopOp>(op))
          keepCarriedType(loop, argument, before);
      }
    if (op->getDiscardableAttr(declaredDims))
      op->removeDiscardableAttr(declaredDims);
    if (analysis.isInBounds(op))
      op->setAttr(inBounds, UnitAttr::get(op->getContext()));
    if (isa<IfOp, LoopOp>(op))
      setBinds(op, analysis);
    if (branch)
      branches.push_back(branch);
    if (auto nonZero = dyn_cast<NonZeroOp>(op))
      if (Expr count = analysis.getBoundSize(op); count && !nonZero.getCount())
        nonZero.setCount(count.getSymbolName());
  });
  return branches;
}

/// A branch that every run takes needs no `dyn.if` around it. True if there was one.
static bool inlineTakenBranches(ArrayRef<IfOp> branches, const ForcedBranches &forced, ShapeAnalysis &analysis) {
  bool hasInlined = false;
  for (IfOp op : branches) {
    std::optional<bool> taken = analysis.getTakenBranch(op);
    if (!taken)
      continue;
    Block &block = (*taken ? op.getThenRegion() : op.getElseRegion()).front();
    Operation *yield = block.getTerminator();
    // Guards at entry are those of what every run comes to.
    const Predicate *condition = analysis.getForcedCondition(op);
    if (condition && !isa<func::FuncOp>(op->getParentOp())) {
      OpBuilder builder(op);
      RequireOp::create(builder, op.getLoc(), PredAttr::get(op.getContext(), *condition),
                        builder.getStringAttr(describeForced(forced.at(op))));
    }
    op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations(), block.begin(),
                                           yield->getIterator());
    op.replaceAllUsesWith(yield->getOperands());
    op.erase();
    hasInlined = true;
  }
  return hasInlined;
}

void InferShapes::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration())
    return;
  ShapeAnalysis::Mode mode = open ? ShapeAnalysis::Mode::Open : ShapeAnalysis::Mode::Complete;
  // A run op by op takes the branch that there is.
  ForcedBranches forced;
  if (!open)
    forced = findForcedBranches(function);
  std::unique_ptr<ShapeAnalysis> inferred;
  auto infer = [&] {
    inferred = std::make_unique<ShapeAnalysis>(function, mode);
    inferred->forceBranches(forced);
    return inferred->run();
  };
  // What it had to warn of, it has.
  auto inferAgain = [&] {
    ThreadDiagnostics handler(&getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    return infer();
  };
  if (failed(infer()))
    return signalPassFailure();
  bool hasChanged = requireDecidedBroadcasts(function, *inferred);
  hasChanged |= inferred->dropNeedlessCopies();
  if ((hasChanged && failed(inferAgain())) ||
      (!open && failed(forceFittingBranches(function, inferred, forced, inferAgain))))
    return signalPassFailure();
  ShapeAnalysis &analysis = *inferred;
  // Results first: assumptions at entry are not the analysis's.
  SmallVector<IfOp> branches = refineResults(analysis);
  bool hasInlined = inlineTakenBranches(branches, forced, analysis);
  refineArguments(analysis);
  insertGuards(function.front(), analysis.getGuards(), analysis, /*leavesOut=*/open);
  if (!analysis.getSymbols().empty())
    function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(&getContext(), analysis.getSymbols()));
  SmallVector<Alias> aliases = getAliases(function);
  llvm::append_range(aliases, analysis.getAliases());
  setAliases(function, aliases);
  function.setType(FunctionType::get(&getContext(), function.front().getArgumentTypes(),
                                     function.front().getTerminator()->getOperandTypes()));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.removeResultAttr(i, StringAttr::get(&getContext(), DynDialect::kDeclaredDimsAttrName));
  // Needs of a region have guards where it is, if anywhere.
  if (open || hasInlined)
    return;
  getAnalysis<GuardedNeeds>();
  markAnalysesPreserved<GuardedNeeds>();
}
