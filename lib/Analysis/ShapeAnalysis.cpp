//===- Ranks, dims and small values of a function's tensors --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "Relations/Relations.h"
#include "SizeSources.h"
#include "dyn/Analysis/UnknownSizes.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/ElementDims.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Symbolic/Parser.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

ShapeAnalysis::ShapeAnalysis(FunctionOpInterface function, Mode mode)
    : function(function), mode(mode), root(nullptr, Solver(context)) {}

Dims ShapeAnalysis::readDims(DimsAttr attribute) {
  return llvm::map_to_vector(attribute.getDims(), [&](ExprAttr dim) {
    Expr &expr = readExprs[dim];
    if (!expr)
      expr = dim.getExpr(context);
    return expr;
  });
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult ShapeAnalysis::tellSizes(BlockArgument argument, ArrayRef<Expr> dims) {
  std::string input = getInputName(argument.getArgNumber());
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (!dim || dim.isSymbol())
      continue;
    Predicate isSize = Predicate::lessEqual(context.getConstant(0), dim);
    if (scope->solver.implies(isSize) != Verdict::Yes &&
        failed(addFact(isSize, "declared as dim " + Twine(index) + " of input '" + input + "'", function.getLoc())))
      return failure();
  }
  return success();
}

/// The dims of a function's argument that is a sequence or an optional, as declared; nothing if none are. A run checks
/// each tensor, but symbols that no tensor of the arguments has may be another size in each.
static std::optional<Dims> readElementDims(BlockArgument argument, FunctionOpInterface function,
                                           ArrayRef<SymbolDeclaration> symbols, SymbolicContext &context) {
  auto declared = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kElementDimsAttrName);
  if (!declared)
    return std::nullopt;
  auto isDeclared = [&](Expr symbol) {
    return llvm::any_of(symbols, [&](const auto &other) {
      return other.name == symbol.getSymbolName() && other.origin == Origin::ArgumentDim;
    });
  };
  Dims dims;
  if (isa<SequenceType>(unwrapOptional(argument.getType())))
    dims.emplace_back(); // The length.
  for (Attribute dim : declared) {
    ParseError error;
    Expr expr;
    if (auto size = dyn_cast<IntegerAttr>(dim))
      expr = context.getConstant(size.getInt());
    else if (auto text = dyn_cast<StringAttr>(dim))
      expr = parseExpr(text, context, error);
    dims.push_back(expr && llvm::all_of(expr.getSymbols(), isDeclared) ? expr : Expr());
  }
  return dims;
}

LogicalResult ShapeAnalysis::initialize(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  auto argument = scope == &root ? dyn_cast<BlockArgument>(value) : BlockArgument();
  if (!type) {
    if (std::optional<Dims> dims = argument ? readElementDims(argument, function, symbols, context) : std::nullopt) {
      Knowledge &known = scope->knowledge[value];
      known.dims = std::move(dims);
      known.isComputed = llvm::SmallBitVector(known.dims->size());
    }
    return success();
  }
  Knowledge &known = scope->knowledge[value];
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked) {
    if (argument && isComplete())
      return mlir::emitError(function.getLoc()) << "input '" << getInputName(argument.getArgNumber())
                                                << "' has no rank; sizes can only be inferred for inputs of known rank";
    return success();
  }
  ArrayRef<int64_t> shape = ranked.getShape();
  known.dims.emplace(shape.size());
  known.isComputed = llvm::SmallBitVector(shape.size());
  // What the types in regions say may hold for other symbols than there are this time.
  auto encoding = scope == &root ? dyn_cast_if_present<DimsAttr>(ranked.getEncoding()) : DimsAttr();
  if (encoding) {
    known.dims = readDims(encoding);
    return argument ? tellSizes(argument, Dims(*known.dims)) : success();
  }
  for (auto [index, size] : llvm::enumerate(shape)) {
    Expr &dim = (*known.dims)[index];
    if (!ShapedType::isDynamic(size)) {
      dim = context.getConstant(size);
    } else if (argument) {
      SymbolDeclaration declaration;
      declaration.name = context.createSymbol("s").getSymbolName().str();
      declaration.origin = Origin::ArgumentDim;
      declaration.argument = argument.getArgNumber();
      declaration.index = index;
      dim = createSymbol(std::move(declaration), SymbolClass::Declared, "input dim");
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Knowledge of values
//===----------------------------------------------------------------------===//

void ShapeAnalysis::revisit(Value value) {
  // Whoever reads what the current op gives comes behind it.
  if (scope->isFirstPass && current && value.getDefiningOp() == current)
    return;
  for (Operation *user : value.getUsers())
    if (Operation *op = scope->block->findAncestorOpInBlock(*user); op && op != current && !isAhead(op))
      scope->worklist.insert(op);
  if (Operation *op = value.getDefiningOp(); op && op != current && op->getBlock() == scope->block)
    scope->worklist.insert(op);
}

const ShapeAnalysis::Knowledge *ShapeAnalysis::find(Scope &from, Value value) const {
  for (const Scope *place = &from; place; place = place->parent)
    if (const Knowledge *known = place->knowledge.find(value))
      return known;
  return nullptr;
}

ShapeAnalysis::Knowledge &ShapeAnalysis::change(Value value) {
  if (Knowledge *known = scope->knowledge.find(value))
    return *known;
  const Knowledge *around = find(value);
  Knowledge &known = scope->knowledge[value];
  if (around)
    known = *around;
  return known;
}

const Dims *ShapeAnalysis::findDims(Value value) {
  const Knowledge *known = find(value);
  return known && known->dims ? &*known->dims : nullptr;
}

LogicalResult ShapeAnalysis::setDims(Value value, ArrayRef<Expr> dims) {
  Knowledge &known = change(value);
  bool isResult = value.getDefiningOp() == current;
  if (!known.dims) {
    known.dims.emplace(dims.size());
    known.isComputed = llvm::SmallBitVector(dims.size());
    revisit(value);
  }
  // Of tensors that there are none of, any rank is true.
  if (known.dims->size() != dims.size() && isa<SequenceType>(value.getType()))
    dims = dims.take_front();
  else if (known.dims->size() != dims.size())
    return mlir::emitError(current->getLoc()) << describeOp(current) << ": " << (isResult ? "the result" : "an operand")
                                              << " has rank " << known.dims->size() << ", not " << dims.size();
  bool changed = false;
  for (auto [index, dim] : llvm::enumerate(dims)) {
    // An op that is asked again may state the same size in another form.
    if (!dim || (isResult && known.isComputed[index]))
      continue;
    known.isComputed[index] = isResult;
    Expr &old = (*known.dims)[index];
    if (!old) {
      old = dim;
      changed = true;
    } else if (old != dim && failed(requireEqual(old, dim,
                                                 isResult ? "dim " + std::to_string(index)
                                                          : relations::describeOperandDim(current, value, index)))) {
      return failure();
    }
  }
  if (changed)
    revisit(value);
  return success();
}

const ElementValues *ShapeAnalysis::findElements(Value value) {
  const Knowledge *known = find(value);
  return known && known->elements ? &*known->elements : nullptr;
}

void ShapeAnalysis::setElements(Value value, ElementValues elements) {
  Knowledge &known = change(value);
  if (llvm::all_of(elements, [](const ElementValue &element) { return element.isUnknown(); }) && !elements.empty())
    return;
  if (!known.elements || known.elements->size() != elements.size()) {
    known.elements = std::move(elements);
    revisit(value);
    return;
  }
  bool changed = false;
  for (auto [old, element] : llvm::zip(*known.elements, elements))
    if (old.isUnknown() && !element.isUnknown()) {
      old = std::move(element);
      changed = true;
    }
  if (changed)
    revisit(value);
}

Bounds ShapeAnalysis::getBounds(Value value) {
  const Knowledge *known = find(value);
  return known ? known->bounds : Bounds();
}

void ShapeAnalysis::setBounds(Value value, Bounds bounds) {
  Bounds &known = change(value).bounds;
  bool changed = false;
  auto learn = [&](Expr &end, EndPlace &place, Expr newEnd, EndPlace newPlace) {
    if (!end && newEnd) {
      end = newEnd;
      place = newPlace;
      changed = true;
    } else if (end && end == newEnd && place == EndPlace::Unknown && newPlace != EndPlace::Unknown) {
      place = newPlace;
      changed = true;
    }
  };
  learn(known.lower, known.lowerAt, bounds.lower, bounds.lowerAt);
  learn(known.upper, known.upperAt, bounds.upper, bounds.upperAt);
  if (known.lower && known.lower == known.upper)
    known.lowerAt = known.upperAt = EndPlace::Everywhere;
  if (changed)
    revisit(value);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult ShapeAnalysis::relate(Operation *op) {
  current = op;
  if (auto guard = dyn_cast<RequireOp>(op))
    return success(); // A fact from the start.
  if (auto branch = dyn_cast<IfOp>(op))
    return relateIf(branch);
  if (auto loop = dyn_cast<LoopOp>(op))
    return relateLoop(loop);
  // A cast to the interface looks for it twice.
  if (auto *relations = op->getName().getInterface<ShapeRelationsOpInterface>())
    return relations->relateShapes(relations, op, *this);
  return relateForeign ? relateForeign(op, *this) : success();
}

LogicalResult ShapeAnalysis::run() {
  if (!function.getFunctionBody().hasOneBlock())
    return function.emitOpError("has several blocks; sizes are inferred for straight-line functions only");
  Block &block = function.getFunctionBody().front();
  if (failed(declareSymbols()))
    return failure();
  for (BlockArgument argument : block.getArguments())
    if (failed(initialize(argument)))
      return failure();
  root.block = &block;
  survey();
  if (failed(relateScope()) || failed(requireRemaining()) ||
      failed(isComplete() ? verifyComplete() : bindUnknownDims()))
    return failure();
  LogicalResult areAsDeclared = checkDeclaredDims();
  tellSymbolsOfGuards();
  return areAsDeclared;
}

LogicalResult ShapeAnalysis::relateScope() {
  bool isRoot = scope == &root;
  auto declaredDims = StringAttr::get(function.getContext(), DynDialect::kDeclaredDimsAttrName);
  auto isOpen = [&](Value result) {
    const Dims *dims = findDims(result);
    return isa<TensorType>(result.getType()) && (!dims || llvm::is_contained(*dims, Expr()));
  };
  for (RequireOp guard : required.lookup(scope->block))
    if (failed(addFact(guard.getPredicate().getPredicate(context), guard.getBecause(), guard.getLoc())))
      return failure();
  scope->isFirstPass = true;
  for (Operation &op : *scope->block) {
    for (Value result : op.getResults())
      if (failed(initialize(result)))
        return failure();
    if (op.getNumRegions() != 0 || llvm::any_of(op.getResults(), isOpen))
      scope->open.push_back(&op);
    if (isRoot && op.getDiscardableAttr(declaredDims))
      declaring.push_back(&op);
    if (failed(relateAll(&op)))
      return failure();
  }
  scope->isFirstPass = false;
  if (failed(relatePending()))
    return failure();
  return settle();
}

/// What was learnt from later ops goes back. Each value learns its rank, a dim or an element once, so this ends.
LogicalResult ShapeAnalysis::relatePending() {
  while (!scope->worklist.empty()) {
    SmallVector<Operation *> round = scope->worklist.takeVector();
    llvm::sort(round, [](Operation *lhs, Operation *rhs) { return lhs->isBeforeInBlock(rhs); });
    if (failed(relateAll(round)))
      return failure();
  }
  current = nullptr;
  return success();
}

LogicalResult ShapeAnalysis::relateDeclaredRank(Operation *op) {
  std::optional<Dims> declared =
      isa<SequenceAtOp, SequenceJoinOp, OptionalGetOp>(op) ? getDeclaredDims(op->getResult(0)) : std::nullopt;
  if (!declared)
    return success();
  current = op;
  return failure(failed(setRank(op->getResult(0), static_cast<int64_t>(declared->size()))) || failed(relatePending()));
}

/// In the order of the ops: what follows is told in terms of what comes first.
LogicalResult ShapeAnalysis::bindUnknownDims() {
  DenseMap<Element, Expr> sizes; // by their sources
  for (Operation *op : root.open)
    for (Value result : op->getResults()) {
      // Tensors of a sequence need not have one size.
      if (!isa<TensorType>(result.getType()))
        continue;
      if (trustsDeclaredRanks && !findDims(result) && failed(relateDeclaredRank(op)))
        return failure();
      Knowledge &known = root.knowledge[result];
      if (!known.dims || llvm::all_of(*known.dims, [](Expr dim) { return bool(dim); }))
        continue;
      for (auto [index, dim] : llvm::enumerate(*known.dims))
        if (!dim) {
          std::optional<Element> source = findSizeSource(op, index);
          dim = source ? sizes.lookup(*source) : Expr();
          if (!dim)
            dim = createBoundSymbol(op, findSizeLimits(op, index, *this));
          if (source)
            sizes[*source] = dim;
        }
      revisit(result);
      if (failed(relatePending()))
        return failure();
    }
  return success();
}

LogicalResult ShapeAnalysis::relateAll(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    // Analysing regions is dear: not again for what is known by now.
    if (op->getNumRegions() != 0)
      scope->worklist.remove(op);
    if (leftOut.contains(op) || succeeded(relate(op)))
      continue;
    // Where regions contradict themselves, they are not run: whoever analyses them sees to it.
    if (!isPartial() || scope != &root)
      return failure();
    leftOut.insert(op);
  }
  return success();
}

LogicalResult ShapeAnalysis::verifyComplete() {
  auto emitError = [](Operation *op) {
    InFlightDiagnostic diagnostic = mlir::emitError(op->getLoc());
    diagnostic << describeOp(op) << ": ";
    return diagnostic;
  };
  auto refuseSequences = [&](Operation *op) -> WalkResult {
    for (auto [number, type] : llvm::enumerate(op->getResultTypes()))
      if (isa<SequenceType, OptionalType>(type))
        return emitError(op) << "only a run tells what is in result " << number << ", "
                             << (isa<SequenceType>(type) ? "a sequence" : "an optional")
                             << "; `dyn-run --reference` runs the model";
    return WalkResult::advance();
  };
  if (hasSequences && function.getFunctionBody().walk(refuseSequences).wasInterrupted())
    return failure();
  for (Operation *op : root.open)
    for (auto [number, result] : llvm::enumerate(op->getResults())) {
      if (!isa<TensorType>(result.getType()))
        continue;
      const Dims *dims = findDims(result);
      if (!dims)
        return emitError(op) << "the rank of result " << number << " can't be found before the run"
                             << explainUnknownRank(op, number);
      for (auto [index, dim] : llvm::enumerate(*dims))
        if (!dim)
          return emitError(op) << "dim " << index << " of result " << number << ' ' << explainUnknownSize(op, *this);
    }
  return success();
}
