//===- What ops say of values while a function is being built --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ForwardShapes.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

ForwardShapes::ForwardShapes(FunctionOpInterface function)
    : body(&function.getFunctionBody().front()), solver(context) {
  // All names come before those that bindSize() makes.
  for (BlockArgument argument : body->getArguments())
    (void)get(argument);
}

ForwardShapes::Knowledge &ForwardShapes::get(Value value) {
  std::unique_ptr<Knowledge> &known = knowledge[value];
  if (known)
    return *known;
  known = std::make_unique<Knowledge>();
  if (value.getParentBlock() != body)
    inRegions.push_back(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return *known;
  known->dims.emplace(type.getRank());
  auto argument = dyn_cast<BlockArgument>(value);
  if (auto encoding = dyn_cast_if_present<DimsAttr>(type.getEncoding());
      encoding && argument && argument.getOwner() == body)
    for (auto [dim, expr] : llvm::zip_equal(*known->dims, encoding.getDims()))
      dim = expr.getExpr(context);
  else
    for (auto [dim, size] : llvm::zip_equal(*known->dims, type.getShape()))
      dim = ShapedType::isDynamic(size) ? Expr() : context.getConstant(size);
  return *known;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Does the type tell all that ops can say of a value?
static bool isTold(Value value, int64_t mostElements) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() &&
         (llvm::any_of(type.getShape(), [&](int64_t dim) { return dim > mostElements; }) ||
          type.getNumElements() > mostElements);
}

void ForwardShapes::learn(Value value) {
  SmallVector<Operation *> stack;
  auto enter = [&](Value read) {
    Operation *op = read.getDefiningOp();
    if (op && !asked.contains(op) && isa<ShapeRelationsOpInterface>(op) && !isTold(read, kMaxElements))
      stack.push_back(op);
  };
  llvm::DenseSet<Operation *> entered;
  enter(value);
  while (!stack.empty()) {
    Operation *op = stack.back();
    if (entered.insert(op).second) {
      for (Value operand : op->getOperands())
        enter(operand);
      continue;
    }
    stack.pop_back();
    if (asked.insert(op).second)
      relate(op);
  }
}

void ForwardShapes::relate(Operation *op) {
  // What contradicts itself is told by who analyses the whole function.
  ThreadDiagnostics silence(op->getContext());
  current = op;
  // So that forgetRegions() finds the op, whatever it states.
  for (Value result : op->getResults())
    (void)get(result);
  if (succeeded(cast<ShapeRelationsOpInterface>(op).relateShapes(*this)))
    return;
  for (Value result : op->getResults())
    knowledge.erase(result);
}

void ForwardShapes::forgetRegions() {
  for (Value value : inRegions) {
    if (Operation *op = value.getDefiningOp()) {
      asked.erase(op);
      boundSizes.erase(op);
    }
    knowledge.erase(value);
  }
  inRegions.clear();
}

//===----------------------------------------------------------------------===//
// What ops state
//===----------------------------------------------------------------------===//

const Dims *ForwardShapes::findDims(Value value) {
  Knowledge &known = get(value);
  return known.dims ? &*known.dims : nullptr;
}

LogicalResult ForwardShapes::setDims(Value value, ArrayRef<Expr> dims) {
  // What a reader makes of its operands is true where it is run.
  if (value.getDefiningOp() != current)
    return success();
  Knowledge &known = get(value);
  if (!known.dims)
    known.dims.emplace(dims.size());
  if (known.dims->size() != dims.size())
    return failure();
  for (auto [old, dim] : llvm::zip_equal(*known.dims, dims))
    if (!old)
      old = dim;
  return success();
}

void ForwardShapes::setElements(Value value, ElementValues elements) {
  if (value.getDefiningOp() == current)
    get(value).elements = std::make_unique<ElementValues>(std::move(elements));
}

Expr ForwardShapes::bindSize(Operation *op, Expr) {
  Expr &symbol = boundSizes[op];
  if (!symbol) {
    symbol = context.createSymbol("u");
    boundSymbols.insert(symbol);
  }
  return symbol;
}

bool ForwardShapes::areKnownAtEntry(ArrayRef<Expr> exprs) {
  auto isBound = [&](Expr symbol) { return boundSymbols.contains(symbol); };
  return llvm::all_of(exprs, [&](Expr expr) { return expr && llvm::none_of(expr.getSymbols(), isBound); });
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> ForwardShapes::findConstantDims(Value value) {
  learn(value);
  std::optional<SmallVector<int64_t>> sizes;
  if (const Dims *dims = findDims(value))
    sizes = llvm::map_to_vector(
        *dims, [](Expr dim) { return (dim ? dim.getConstant() : std::nullopt).value_or(ShapedType::kDynamic); });
  forgetRegions();
  return sizes;
}

std::optional<SmallVector<std::string>> ForwardShapes::describeDims(Value value) {
  learn(value);
  std::optional<SmallVector<std::string>> texts;
  if (const Dims *dims = findDims(value))
    texts = llvm::map_to_vector(*dims, [&](Expr dim) { return areKnownAtEntry(dim) ? dim.str() : std::string("?"); });
  forgetRegions();
  return texts;
}

std::optional<bool> ForwardShapes::findTruth(Value value) {
  learn(value);
  const ElementValues *elements = findElements(value);
  std::optional<bool> truth = elements && elements->size() == 1 ? getTruth(elements->front()) : std::nullopt;
  forgetRegions();
  return truth;
}
