//===- The dyn_shape dialect --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Dialect/Dyn/IR/SymbolicText.h"
#include "dyn/Dialect/DynShape/IR/PlanOp.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::shape;

#include "dyn/Dialect/DynShape/IR/DynShapeDialect.cpp.inc"

/// `@fast if %c, @other if %d`
static ParseResult parseVersions(OpAsmParser &parser, ArrayAttr &versions,
                                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &conditions) {
  SmallVector<Attribute> symbols;
  auto parseOne = [&]() -> ParseResult {
    FlatSymbolRefAttr version;
    if (parser.parseAttribute(version) || parser.parseKeyword("if") || parser.parseOperand(conditions.emplace_back()))
      return failure();
    symbols.push_back(version);
    return success();
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  versions = parser.getBuilder().getArrayAttr(symbols);
  return success();
}

static void printVersions(OpAsmPrinter &printer, Operation *, ArrayAttr versions, OperandRange conditions) {
  llvm::interleaveComma(llvm::zip(versions, conditions), printer,
                        [&](auto version) { printer << std::get<0>(version) << " if " << std::get<1>(version); });
}

#define GET_OP_CLASSES
#include "dyn/Dialect/DynShape/IR/DynShapeOps.cpp.inc"

void DynShapeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/DynShape/IR/DynShapeOps.cpp.inc"
      >();
  addOperations<PlanOp>();
}

/// Constraints (1) and (2) of the ops that give symbols the values of operands.
static LogicalResult verifyBindings(Operation *op, ArrayAttr names, OperandRange operands,
                                    ArrayRef<symbolic::Expr> symbols) {
  if (names.size() != operands.size())
    return op->emitOpError() << "has " << names.size() << " symbol names for " << operands.size() << " operands";
  llvm::StringSet<> bound;
  for (StringRef name : names.getAsValueRange<StringAttr>())
    if (!bound.insert(name).second)
      return op->emitOpError() << "binds symbol '" << name << "' twice";
  for (symbolic::Expr symbol : symbols)
    if (!bound.contains(symbol.getSymbolName()))
      return op->emitOpError() << "has no operand for symbol '" << symbol.getSymbolName() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// ApplyOp
//===----------------------------------------------------------------------===//

ParseResult ApplyOp::parse(OpAsmParser &parser, OperationState &result) {
  FailureOr<StringRef> text = parseSymbolicText(parser, startsWithBindings);
  if (failed(text))
    return failure();
  FailureOr<ExprAttr> expr = readExpr(parser, *text);
  ArrayAttr names;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type type;
  if (failed(expr) || parseBindings(parser, names, operands) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  result.addTypes(type);
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.setExpr(*expr);
  properties.setNames(names);
  return success();
}

void ApplyOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getExpr().getText() << ' ';
  printBindings(printer, *this, getNames(), getOperands());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getExprAttrName(), getNamesAttrName()});
  printer << " : " << getType();
}

LogicalResult ApplyOp::verify() {
  symbolic::SymbolicContext context;
  return verifyBindings(*this, getNames(), getOperands(), getExpr().getExpr(context).getSymbols());
}

LogicalResult AssumeOp::verify() {
  int64_t lower = getLower(), modulus = getModulus(), remainder = getRemainder();
  if (int64_t upper = getUpper().value_or(lower); upper < lower)
    return emitOpError("has the empty range [") << lower << ", " << upper << "]";
  if (remainder < 0 || remainder >= modulus)
    return emitOpError("has the remainder ") << remainder << " modulo " << modulus;
  return success();
}

//===----------------------------------------------------------------------===//
// Predicates over operands
//===----------------------------------------------------------------------===//

/// `n <= 16 (n = %n)`
template <typename OpT>
static ParseResult parseBoundPredicate(OpAsmParser &parser, OperationState &result) {
  FailureOr<StringRef> text = parseSymbolicText(parser, startsWithBindings);
  FailureOr<PredAttr> predicate = failed(text) ? FailureOr<PredAttr>(failure()) : readPredicate(parser, *text);
  ArrayAttr names;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (failed(predicate) || parseBindings(parser, names, operands) ||
      parser.resolveOperands(operands, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  auto &properties = result.getOrAddProperties<typename OpT::Properties>();
  properties.setPredicate(*predicate);
  properties.setNames(names);
  return success();
}

template <typename OpT>
static void printBoundPredicate(OpAsmPrinter &printer, OpT op) {
  printer << ' ';
  printBarePredicate(printer, op.getPredicateAttr());
  printer << ' ';
  printBindings(printer, op, op.getNames(), op.getOperands());
}

/// Each symbol has an operand.
template <typename OpT>
static LogicalResult verifyBoundPredicate(OpT op) {
  symbolic::SymbolicContext context;
  return verifyBindings(op, op.getNames(), op.getOperands(), op.getPredicate().getPredicate(context).getSymbols());
}

//===----------------------------------------------------------------------===//
// HoldsOp
//===----------------------------------------------------------------------===//

ParseResult HoldsOp::parse(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parseBoundPredicate<HoldsOp>(parser, result) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void HoldsOp::print(OpAsmPrinter &printer) {
  printBoundPredicate(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(), {getPredicateAttrName(), getNamesAttrName()});
  printer << " : " << getType();
}

LogicalResult HoldsOp::verify() { return verifyBoundPredicate(*this); }

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

ParseResult CheckOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr because;
  if (parseBoundPredicate<CheckOp>(parser, result) || parser.parseKeyword("because") ||
      parser.parseAttribute(because) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.getOrAddProperties<Properties>().setBecause(because);
  return success();
}

void CheckOp::print(OpAsmPrinter &printer) {
  printBoundPredicate(printer, *this);
  printer << " because " << getBecauseAttr();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getPredicateAttrName(), getBecauseAttrName(), getNamesAttrName()});
}

LogicalResult CheckOp::verify() { return verifyBoundPredicate(*this); }

//===----------------------------------------------------------------------===//
// PartOp
//===----------------------------------------------------------------------===//

LogicalResult PartOp::verify() {
  auto source = cast<MemRefType>(getSource().getType()), result = cast<MemRefType>(getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError() << "has elements of type " << result.getElementType() << ", those of the source are of type "
                         << source.getElementType();
  if (!source.getLayout().isIdentity() || !result.getLayout().isIdentity())
    return emitOpError() << "has a layout other than the identity";
  if (static_cast<size_t>(result.getNumDynamicDims()) != getSizes().size())
    return emitOpError() << "has " << getSizes().size() << " dims for " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<BaseMemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input, SideEffects::DefaultResource::get());
  for (OpOperand &output : getOutputsMutable())
    if (isa<BaseMemRefType>(output.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &output, SideEffects::DefaultResource::get());
}

void LaunchOp::addVersion(FlatSymbolRefAttr version, Value condition) {
  SmallVector<Attribute> versions(getVersions().begin(), getVersions().end());
  versions.push_back(version);
  setVersionsAttr(ArrayAttr::get(getContext(), versions));
  getConditionsMutable().append(condition);
}

LogicalResult LaunchOp::verify() {
  int64_t nearer = 0;
  for (int64_t distance : getAfter().value_or(ArrayRef<int64_t>())) {
    if (distance <= nearer || distance >= kLaunchWindow)
      return emitOpError() << "is after the launch " << distance << " before it; distances are from 1 to "
                           << kLaunchWindow - 1 << " and grow";
    nearer = distance;
  }
  auto isTensor = [](Value value) { return isa<TensorType>(value.getType()); };
  bool onTensors = llvm::all_of(getOutputs(), isTensor);
  if (!onTensors && llvm::any_of(getOutputs(), isTensor))
    return emitOpError() << "has both tensors and memrefs among 'outs'";
  size_t expected = onTensors ? getOutputs().size() : 0;
  if (getNumResults() != expected)
    return emitOpError() << "has " << getNumResults() << " results, expected " << expected << " for "
                         << getOutputs().size() << (onTensors ? " tensors" : " memrefs") << " in 'outs'";
  for (auto [index, output, result] : llvm::enumerate(getOutputs().take_front(expected), getResults()))
    if (output.getType() != result.getType())
      return emitOpError() << "result " << index << " is " << result.getType() << " but element " << index
                           << " of 'outs' is " << output.getType();
  if (getVersions().size() != getConditions().size())
    return emitOpError() << "has " << getVersions().size() << " versions but " << getConditions().size()
                         << " conditions";
  return success();
}

/// Whether a value of type `actual` may be passed for a kernel argument of type `formal`.
static bool isAccepted(ShapedType formal, Type actual) {
  auto shaped = dyn_cast<ShapedType>(actual);
  if (!shaped || !shaped.hasRank() || shaped.getElementType() != formal.getElementType() ||
      shaped.getRank() != formal.getRank())
    return false;
  return llvm::all_of(llvm::zip_equal(formal.getShape(), shaped.getShape()), [](auto dims) {
    return ShapedType::isDynamic(std::get<0>(dims)) || std::get<0>(dims) == std::get<1>(dims);
  });
}

static FailureOr<FunctionOpInterface> getKernel(LaunchOp launch, FlatSymbolRefAttr name,
                                                SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(launch, name);
  if (!kernel)
    return launch.emitOpError() << "there is no function '" << name.getValue() << "'";
  if (!kernel->hasAttr(DynDialect::kKernelAttrName))
    return launch.emitOpError() << "function '" << name.getValue()
                                << "' is no kernel: it has no attribute 'dyn.kernel'";
  return kernel;
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<FunctionOpInterface> kernel = ::getKernel(*this, getKernelAttr(), symbols);
  if (failed(kernel))
    return failure();
  // A target has turned the kernel into another form when no argument is a tensor; `outs` is never empty.
  ArrayRef<Type> formals = kernel->getArgumentTypes();
  bool isOnTensors = llvm::any_of(formals, [](Type type) { return isa<RankedTensorType>(type); });
  for (auto name : getVersions().getAsRange<FlatSymbolRefAttr>()) {
    FailureOr<FunctionOpInterface> version = ::getKernel(*this, name, symbols);
    if (failed(version))
      return failure();
    // While one kernel after the other is lowered, types differ.
    bool isVersionOnTensors =
        llvm::any_of(version->getArgumentTypes(), [](Type type) { return isa<RankedTensorType>(type); });
    if (isOnTensors == isVersionOnTensors && version->getFunctionType() != kernel->getFunctionType())
      return emitOpError() << "version '" << name.getValue() << "' is of type " << version->getFunctionType()
                           << " but '" << getKernel() << "' of type " << kernel->getFunctionType();
  }
  if (!isOnTensors)
    return success();
  OperandRange operands = getOperands().drop_back(getConditions().size());
  if (formals.size() != operands.size())
    return emitOpError() << "passes " << operands.size() << " operands to '" << getKernel() << "', which takes "
                         << formals.size();
  for (auto [index, formal, actual] : llvm::enumerate(formals, operands.getTypes())) {
    auto shaped = dyn_cast<ShapedType>(formal);
    if (shaped ? !isAccepted(shaped, actual) : formal != actual)
      return emitOpError() << "operand " << index << " is " << actual << " but '" << getKernel() << "' takes "
                           << formal;
    auto layout = kernel->getArgAttrOfType<AffineMapAttr>(index, DynDialect::kLayoutAttrName);
    auto memory = dyn_cast<MemRefType>(actual);
    if (memory && (layout ? memory.getLayout().getAffineMap() != layout.getValue() : !memory.getLayout().isIdentity()))
      return emitOpError() << "operand " << index << " lies as " << memory.getLayout() << " says, but '" << getKernel()
                           << "' reads it as "
                           << (layout ? Attribute(layout) : Attribute(StringAttr::get(getContext(), "row-major")));
  }
  return success();
}
