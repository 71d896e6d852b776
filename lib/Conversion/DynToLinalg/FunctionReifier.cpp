//===- Taking one function below the waterline -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Loops.h"
#include "Refusals.h"
#include "Scalars.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type dyn::getSignlessType(Type elementType) {
  if (auto type = dyn_cast<IntegerType>(elementType); type && !type.isSignless())
    return IntegerType::get(type.getContext(), type.getWidth());
  return elementType;
}

RankedTensorType dyn::getReifiedType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), getSignlessType(tensor.getElementType()));
}

TypedAttr dyn::getSignlessAttr(TypedAttr attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return IntegerAttr::get(getSignlessType(integer.getType()), integer.getValue());
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute))
    return elements.bitcast(getSignlessType(elements.getElementType()));
  return attribute;
}

Type dyn::getElementType(Value tensor) { return cast<ShapedType>(tensor.getType()).getElementType(); }

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

FunctionReifier::FunctionReifier(func::FuncOp function, SymbolicContext &context)
    : builder(function.getContext()), context(context), solver(context), function(function) {}

SmallVector<Expr> FunctionReifier::getExprs(DimsAttr dims) {
  return llvm::map_to_vector(dims.getDims(), [&](ExprAttr attribute) {
    Expr &expr = exprs[attribute];
    if (!expr)
      expr = attribute.getExpr(context);
    return expr;
  });
}

SmallVector<Expr> FunctionReifier::getDims(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (auto dims = dyn_cast_if_present<DimsAttr>(tensor.getEncoding()))
    return getExprs(dims);
  // `run` has refused dynamic dims without an encoding.
  return llvm::map_to_vector(tensor.getShape(), [&](int64_t size) { return context.getConstant(size); });
}

OpFoldResult FunctionReifier::getSize(Expr expr) {
  if (std::optional<int64_t> constant = expr ? expr.getConstant() : std::nullopt)
    return builder.getIndexAttr(*constant);
  return getIndex(expr);
}

Value FunctionReifier::getSymbolIndex(Expr symbol) {
  auto it = declarations.find(symbol.getSymbolName());
  Location loc = function.getLoc();
  OpBuilder entry(anchor);
  if (it == declarations.end()) {
    function.emitError() << "symbol '" << symbol.getSymbolName() << "' is not declared by 'dyn.symbols'";
    hadError = true;
  } else if (it->second.origin == SymbolDeclaration::Origin::Defined) {
    ParseError error;
    if (Expr definition = parseExpr(it->second.definition, context, error))
      return getIndex(definition);
    function.emitError() << "definition of symbol '" << symbol.getSymbolName() << "' does not parse: " << error.message;
    hadError = true;
  } else if (it->second.origin == SymbolDeclaration::Origin::Bound) {
    function.emitError()
        << "size '" << symbol.getSymbolName()
        << "' depends on data; such models are interpreted (dyn-run --reference), but not compiled yet";
    hadError = true;
  }
  return shape::SymOp::create(entry, loc, entry.getIndexType(), entry.getStringAttr(symbol.getSymbolName()));
}

SmallVector<Value> FunctionReifier::getSymbolValues(ArrayRef<Expr> symbols) {
  return llvm::map_to_vector(symbols, [&](Expr symbol) { return getIndex(symbol); });
}

Value FunctionReifier::getIndex(Expr expr) {
  Location loc = function.getLoc();
  if (!expr) {
    function.emitError() << "a size expression overflows 64 bits";
    hadError = true;
    expr = context.getConstant(0);
  }
  if (Value known = indices.lookup(expr))
    return known;
  Value value;
  if (std::optional<int64_t> constant = expr.getConstant()) {
    OpBuilder entry(anchor);
    value = arith::ConstantIndexOp::create(entry, loc, *constant);
  } else if (expr.isSymbol()) {
    value = getSymbolIndex(expr);
  } else {
    SmallVector<Expr, 4> symbols = expr.getSymbols();
    SmallVector<Value> operands = getSymbolValues(symbols);
    auto names = llvm::map_to_vector(symbols, [](Expr symbol) { return symbol.getSymbolName(); });
    OpBuilder entry(anchor);
    value = shape::ApplyOp::create(entry, loc, entry.getIndexType(), ExprAttr::get(entry.getContext(), expr),
                                   entry.getStrArrayAttr(names), operands);
  }
  indices[expr] = value;
  return value;
}

Value FunctionReifier::getBroadcastFactor(Expr size, Expr loopSize) {
  Value &factor = factors[{size, loopSize}];
  if (factor)
    return factor;
  Predicate isWhole = Predicate::equal(size, loopSize);
  SmallVector<Expr, 4> symbols = isWhole.getSymbols();
  SmallVector<Value> operands = getSymbolValues(symbols);
  auto names = llvm::map_to_vector(symbols, [](Expr symbol) { return symbol.getSymbolName(); });
  OpBuilder entry(anchor);
  Value holds =
      shape::HoldsOp::create(entry, function.getLoc(), entry.getI1Type(), PredAttr::get(entry.getContext(), isWhole),
                             entry.getStrArrayAttr(names), operands);
  return factor = arith::IndexCastUIOp::create(entry, function.getLoc(), entry.getIndexType(), holds);
}

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

LogicalResult FunctionReifier::declareSymbols() {
  auto add = [&](SymbolDeclaration &declaration) {
    Expr symbol = context.getSymbol(declaration.name);
    SymbolClass symbolClass =
        declaration.origin == SymbolDeclaration::Origin::Bound ? SymbolClass::DataDependent : SymbolClass::Declared;
    if (!solver.declare(symbol, declaration.facts, symbolClass, solver.addReason({"declared", "", 0})))
      return function.emitError() << "facts of symbol '" << declaration.name << "' contradict each other";
    declarations[symbol.getSymbolName()] = declaration;
    return InFlightDiagnostic();
  };
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    for (SymbolDeclaration &declaration : symbols.getDeclarations())
      if (failed(add(declaration)))
        return failure();
  if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
    for (PredAttr predicate : constraints.getPredicates())
      (void)solver.addPredicate(predicate.getPredicate(context), solver.addReason({"declared", "", 0}));
  return success();
}

void FunctionReifier::convertSignature() {
  auto annotate = [&](Type type, auto setAttr) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    setAttr(DynDialect::kDimsAttrName, DimsAttr::get(function.getContext(), getDims(tensor)));
    if (getSignlessType(tensor.getElementType()) != tensor.getElementType())
      setAttr(DynDialect::kElementTypeAttrName, TypeAttr::get(tensor.getElementType()));
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    annotate(type, [&, i = index](StringRef name, Attribute value) { function.setArgAttr(i, name, value); });
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    annotate(type, [&, i = index](StringRef name, Attribute value) { function.setResultAttr(i, name, value); });
  auto convert = [](Type type) -> Type { return isa<RankedTensorType>(type) ? getReifiedType(type) : type; };
  function.setType(FunctionType::get(function.getContext(), llvm::map_to_vector(function.getArgumentTypes(), convert),
                                     llvm::map_to_vector(function.getResultTypes(), convert)));
}

void FunctionReifier::dropBoundSymbols() {
  auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName);
  if (!symbols)
    return;
  SmallVector<SymbolDeclaration> kept;
  for (const SymbolDeclaration &declaration : symbols.getDeclarations())
    if (declaration.origin != SymbolDeclaration::Origin::Bound)
      kept.push_back(declaration);
  function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(function.getContext(), kept));
}

void FunctionReifier::eraseOriginals(ArrayRef<Operation *> originals) {
  for (Operation *op : llvm::reverse(originals))
    op->erase();
  // What lowerings looked through or never used: views, constants, the anchor.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// What the shapes phase promises of a type.
static LogicalResult verifyOriginalType(Operation *op, Type type) {
  if (!isa<TensorType>(type))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitOpError() << "has an unranked tensor; the shapes phase ('dyn-infer-shapes') should have ranked it";
  if (!tensor.hasStaticShape() && !isa_and_present<DimsAttr>(tensor.getEncoding()))
    return op->emitOpError() << "has type " << tensor << " with a dynamic dim without an expression; the shapes phase "
                             << "('dyn-infer-shapes') should have given one";
  // Folding may have left tensors of other elements than programs compute with.
  if (isSupportedElementType(tensor.getElementType()) || isa<IndexType>(tensor.getElementType()))
    return success();
  InFlightDiagnostic error = mlir::emitError(op->getLoc());
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    auto number =
        static_cast<unsigned>(llvm::find(function.getArgumentTypes(), type) - function.getArgumentTypes().begin());
    auto name = function.getArgAttrOfType<StringAttr>(number, DynDialect::kNameAttrName);
    error << "input " << (name ? "'" + name.getValue().str() + "'" : std::to_string(number));
  } else {
    error << describeOp(op) << ':';
  }
  return error << " has elements of type " << tensor.getElementType()
               << "; such models are interpreted (dyn-run --reference), but not compiled yet";
}

bool FunctionReifier::isKnownOnEntry(Expr expr) const {
  return llvm::none_of(expr.getSymbols(), [&](Expr symbol) {
    auto it = declarations.find(symbol.getSymbolName());
    return it != declarations.end() && it->second.origin == SymbolDeclaration::Origin::Bound;
  });
}

/// Refuses a result whose dims data determine; the first op of a function that has one makes the size.
LogicalResult FunctionReifier::verifyKnownOnEntry(Operation *op, Value result) {
  if (!isa<RankedTensorType>(result.getType()))
    return success();
  for (auto [place, dim] : llvm::enumerate(getDims(result)))
    for (Expr symbol : dim.getSymbols())
      if (!isKnownOnEntry(symbol))
        return op->emitOpError() << "dim " << place << " of its result, '" << symbol.getSymbolName()
                                 << "', depends on data; such models are interpreted (dyn-run --reference), but not "
                                    "compiled yet";
  return success();
}

FunctionReifier::InLoop::InLoop(FunctionReifier &reifier, scf::ForOp loop, Expr trips)
    : reifier(reifier), behind(reifier.builder), isOutermost(!reifier.outermostLoop) {
  if (isOutermost)
    reifier.outermostLoop = loop;
  reifier.withoutTrips.push_back(Predicate::lessEqual(trips, reifier.context.getConstant(0)));
  // Without results, the loop has a terminator already.
  reifier.builder.setInsertionPointToStart(loop.getBody());
}

FunctionReifier::InLoop::~InLoop() {
  reifier.withoutTrips.pop_back();
  if (isOutermost)
    reifier.outermostLoop = nullptr;
}

LogicalResult FunctionReifier::lower(Operation *op) {
  const LoweringTable::LowerFn *lower = table->find(op);
  if (!lower)
    return op->emitOpError() << "has no lowering in 'dyn-reify-shapes'; the shapes phase should have replaced it by a "
                             << "static form, or the op is not supported yet";
  OpBuilder::InsertionGuard inside(builder);
  bool isConstant = outermostLoop && isa<ConstantOp>(op);
  if (isConstant)
    builder.setInsertionPoint(outermostLoop);
  return failure(failed((*lower)(op, *this)) || hadError);
}

LogicalResult FunctionReifier::run(const LoweringTable &table) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "'dyn-reify-shapes' expects one block";
  Block &block = function.front();
  SmallVector<Operation *> originals = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Type type : function.getArgumentTypes())
    if (failed(verifyOriginalType(function, type)))
      return failure();
  for (Operation *op : originals)
    for (Type type : op->getResultTypes())
      if (failed(verifyOriginalType(op, type)))
        return failure();
  this->table = &table;
  auto findLoopObstacle = [&](LoopOp op) { return findObstacle(op, *this, table); };
  if (failed(declareSymbols()) ||
      failed(verifyHaveLowerings(function, originals, llvm::IsaPred<DetOp, InverseOp, SuppressOp, IfOp>,
                                 findLoopObstacle)))
    return failure();
  for (Operation *op : originals)
    for (Value result : op->getResults())
      if (failed(verifyKnownOnEntry(op, result)))
        return failure();
  // Most often data decide how many there are, which says more.
  if (failed(verifyHaveLowerings(function, originals, llvm::IsaPred<NonZeroOp>, findLoopObstacle)))
    return failure();

  builder.setInsertionPointToStart(&block);
  anchor = arith::ConstantIndexOp::create(builder, function.getLoc(), 0);

  unsigned numArguments = block.getNumArguments();
  for (unsigned i = 0; i < numArguments; ++i) {
    BlockArgument argument = block.getArgument(i);
    Type type =
        isa<RankedTensorType>(argument.getType()) ? Type(getReifiedType(argument.getType())) : argument.getType();
    map(argument, block.addArgument(type, argument.getLoc()));
  }
  for (Operation *op : originals) {
    builder.setInsertionPoint(op);
    if (auto require = dyn_cast<RequireOp>(op)) {
      createCheck(op->getLoc(), require.getPredicate().getPredicate(context), require.getBecause());
    } else if (isa<func::ReturnOp>(op)) {
      auto operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return lookup(value); });
      func::ReturnOp::create(builder, op->getLoc(), operands);
    } else if (failed(lower(op))) {
      return failure();
    }
  }
  convertSignature();
  dropBoundSymbols();
  eraseOriginals(originals);
  block.eraseArguments(0, numArguments);
  if (!indexGuards.empty())
    function->setAttr(DynDialect::kIndexGuardsAttrName, builder.getArrayAttr(indexGuards));
  return failure(hadError);
}
