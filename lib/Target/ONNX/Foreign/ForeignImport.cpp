//===- Calls in the place of nodes that can't be imported -----------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ForeignImport.h"
#include "../Contradictions.h"
#include "../Operators/Sequences/RunTimeSequences.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

ForeignImport::ForeignImport(const Model &model, func::FuncOp function, ValuesByName &values)
    : model(model), function(function), values(values),
      handler(function.getContext(), [this](Diagnostic &diagnostic) -> LogicalResult {
        if (!isAttempting || diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure(); // Others print it.
        if (reason.empty())
          reason = diagnostic.str();
        return success();
      }) {}

std::optional<ForeignNode> ForeignImport::attempt(const Node &node, llvm::function_ref<Outcome()> import,
                                                  llvm::function_ref<Value(StringRef)> getValue,
                                                  llvm::function_ref<std::string(StringRef)> describe) {
  Block &block = function.front();
  Operation *last = block.empty() ? nullptr : &block.back();
  reason.clear();
  isAttempting = true;
  Outcome outcome = import();
  bool isImported = outcome == Outcome::Imported;
  bool isRight = isImported && succeeded(verifyOps(last ? std::next(last->getIterator()) : block.begin(), block));
  if (isRight) {
    isAttempting = false;
    return std::nullopt;
  }
  std::string text = isImported ? describe(reason) : reason;
  eraseAfter(last);
  // Operands that could not be read are objected to once.
  ForeignNode foreign = call(node, outcome != Outcome::NotSupported, getValue);
  isAttempting = false;
  foreign.reason = std::move(text);
  return foreign;
}

void ForeignImport::eraseAfter(Operation *last) {
  Block &block = function.front();
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(block)) {
    if (&op == last)
      break;
    // Constants stand where others find them again.
    if (!isa<ConstantOp>(op))
      ops.push_back(&op);
  }
  if (ops.empty())
    return;
  llvm::SmallPtrSet<Operation *, 16> erased(ops.begin(), ops.end());
  SmallVector<std::string> names;
  for (const auto &entry : values)
    if (entry.second && erased.contains(entry.second.getDefiningOp()))
      names.push_back(entry.first().str());
  for (const std::string &name : names)
    values.erase(name);
  for (Operation *op : ops)
    op->erase();
}

static ForeignTensor describe(Value value) {
  ForeignTensor tensor;
  auto type = cast<TensorType>(value.getType());
  tensor.elementType = getNumberOfType(type.getElementType());
  if (!type.hasRank())
    return tensor;
  tensor.dims.emplace();
  for (int64_t dim : type.getShape())
    tensor.dims->push_back(ShapedType::isDynamic(dim) ? std::string() : std::to_string(dim));
  return tensor;
}

/// Null where not even the type of the elements is known.
Type ForeignImport::getType(StringRef name, const std::optional<ForeignTensor> &inferred) {
  const ValueInfo *info = declared.lookup(name);
  int number = inferred ? inferred->elementType : info ? static_cast<int>(info->type) : 0;
  Type elementType = getSizedTypeOfNumber(number, function.getContext());
  if (!elementType)
    return {};
  if (inferred && inferred->isSequence)
    return getSequenceType(elementType);
  if (!inferred && info && info->container != Container::None)
    return getWrappedType(*info, function.getContext());
  if (inferred && inferred->dims) {
    SmallVector<int64_t> dims;
    for (const std::string &text : *inferred->dims) {
      int64_t size;
      dims.push_back(StringRef(text).getAsInteger(10, size) ? ShapedType::kDynamic : size);
    }
    return RankedTensorType::get(dims, elementType);
  }
  if (info && info->dims)
    return RankedTensorType::get(SmallVector<int64_t>(info->dims->size(), ShapedType::kDynamic), elementType);
  return UnrankedTensorType::get(elementType);
}

ForeignNode ForeignImport::call(const Node &node, bool isContradiction, llvm::function_ref<Value(StringRef)> getValue) {
  ForeignNode foreign;
  foreign.isContradiction = isContradiction;
  if (!nodes) {
    nodes.emplace(model);
    for (const auto *list : {&model.values, &model.outputs})
      for (const ValueInfo &value : *list)
        if (value.notTensor.empty() || value.container != Container::None)
          declared[value.name] = &value;
  }
  foreign.operatorName = (node.domain + (node.domain.empty() ? "" : ".") + node.opType).str();
  for (StringRef output : llvm::reverse(node.outputs))
    if (!output.empty())
      foreign.output = output.str();
  auto isWeight = [&](StringRef name) {
    return llvm::any_of(model.initializers, [&](const Tensor &weight) { return weight.name == name; });
  };
  SmallVector<Value> operands;
  llvm::StringMap<ForeignTensor> tensors;
  for (StringRef name : nodes->listOperands(foreign.output)) {
    Value value = getValue(name);
    // Of a weight that can't be read the reason tells, and of nothing else.
    foreign.lacksOperands |= !value && llvm::is_contained(node.inputs, name) && !isWeight(name);
    if (!value || !isa<TensorType>(value.getType()))
      continue;
    operands.push_back(value);
    foreign.operands.push_back(name.str());
    tensors[name] = describe(value);
  }
  std::vector<std::optional<ForeignTensor>> inferred = nodes->infer(foreign.output, tensors);
  // No run has dims that are inferred of what is wrong.
  if (isContradiction)
    for (std::optional<ForeignTensor> &tensor : inferred)
      if (tensor && tensor->dims)
        llvm::fill(*tensor->dims, "");
  SmallVector<Type> types;
  for (auto [index, output] : llvm::enumerate(node.outputs))
    if (Type type = output.empty() ? Type() : getType(output, inferred[index])) {
      types.push_back(type);
      foreign.results.push_back(static_cast<unsigned>(index));
    }
  Location loc = NameLoc::get(StringAttr::get(function.getContext(), node.getLabel()), function.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(function->getBlock());
  auto callee = func::FuncOp::create(builder, loc, "foreign" + std::to_string(numCalls++),
                                     builder.getFunctionType(TypeRange(ValueRange(operands)), types));
  callee.setPrivate();
  builder.setInsertionPointToEnd(&function.front());
  auto call = func::CallOp::create(builder, loc, callee, operands);
  foreign.call = call;
  for (auto [number, result] : llvm::zip_equal(foreign.results, call.getResults()))
    values[node.outputs[number]] = result;
  return foreign;
}
