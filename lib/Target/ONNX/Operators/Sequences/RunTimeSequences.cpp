//===- Import of sequences of which only a run tells the length --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RunTimeSequences.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type onnx::getSequenceType(Type elementType) {
  return SequenceType::get(elementType.getContext(), UnrankedTensorType::get(elementType));
}

Type onnx::getWrappedType(const ValueInfo &value, MLIRContext *context) {
  Type elementType = getElementType(value.type, context);
  if (value.container == Container::None || !elementType)
    return {};
  if (value.container == Container::Sequence)
    return getSequenceType(elementType);
  Type inner = value.container == Container::Optional ? Type(UnrankedTensorType::get(elementType))
                                                      : getSequenceType(elementType);
  return OptionalType::get(context, inner);
}

Value onnx::wrapAsDeclared(OpBuilder &builder, Value value, const ValueInfo &declared) {
  bool isOptional = declared.container == Container::Optional || declared.container == Container::OptionalSequence;
  if (!isOptional || isa<OptionalType>(value.getType()))
    return value;
  Type type = OptionalType::get(value.getContext(), getOptionalElement(value.getType()));
  return OptionalSomeOp::create(builder, value.getLoc(), type, value);
}

Value onnx::unwrapAsDeclared(OpBuilder &builder, Value value, const ValueInfo &declared) {
  bool isOptional = declared.container == Container::Optional || declared.container == Container::OptionalSequence;
  auto type = dyn_cast<OptionalType>(value.getType());
  return type && !isOptional ? OptionalGetOp::create(builder, value.getLoc(), type.getElement(), value) : value;
}

Type onnx::joinTypes(Type lhs, Type rhs) {
  if (!isa<TensorType>(lhs))
    return lhs;
  auto left = dyn_cast<RankedTensorType>(lhs), right = dyn_cast<RankedTensorType>(rhs);
  Type elementType = cast<TensorType>(lhs).getElementType();
  if (!left || !right || left.getRank() != right.getRank())
    return UnrankedTensorType::get(elementType);
  SmallVector<int64_t> dims(left.getShape());
  for (auto [dim, other] : llvm::zip_equal(dims, right.getShape()))
    dim = dim == other ? dim : ShapedType::kDynamic;
  return RankedTensorType::get(dims, elementType);
}

Type onnx::getKind(Value value) {
  return isa<TensorType>(value.getType()) ? NodeImport::getElementType(value) : value.getType();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The sequence that an operand is, or null after an error.
static Value requireSequence(NodeImport &node, size_t index) {
  Value value = node.getValue(index);
  if (value && isa<SequenceType>(value.getType()))
    return value;
  if (!node.hasFailed())
    (void)node.error("operand " + Twine(index) + " is no sequence");
  return {};
}

static Type getTypeOfElements(Value sequence) { return cast<SequenceType>(sequence.getType()).getElement(); }

LogicalResult onnx::importInsertAtRun(NodeImport &node) {
  Value list = requireSequence(node, 0), tensor = node.getOperand(1);
  if (!list)
    return failure();
  if (!tensor || !isa<TensorType>(tensor.getType()))
    return node.error("operand 1, a tensor, is missing");
  if (NodeImport::getElementType(tensor) != getTensorElementType(list.getType()))
    return node.error("the tensor has elements of another type than the sequence");
  return node.finish(
      SequenceInsertOp::create(node.builder, node.loc, list.getType(), list, tensor, node.getOperand(2)));
}

LogicalResult onnx::importEraseAtRun(NodeImport &node) {
  Value list = requireSequence(node, 0);
  if (!list)
    return failure();
  return node.finish(SequenceEraseOp::create(node.builder, node.loc, list.getType(), list, node.getOperand(1)));
}

LogicalResult onnx::importTensorAtRun(NodeImport &node) {
  Value list = requireSequence(node, 0);
  if (!list)
    return failure();
  return node.finish(SequenceAtOp::create(node.builder, node.loc, getTypeOfElements(list), list, node.getOperand(1)));
}

static Value getLength(NodeImport &node, Value list) {
  return SequenceLengthOp::create(node.builder, node.loc, RankedTensorType::get({}, node.builder.getI64Type()), list);
}

LogicalResult onnx::importLengthAtRun(NodeImport &node) {
  Value list = requireSequence(node, 0);
  return list ? node.finish(getLength(node, list)) : failure();
}

LogicalResult onnx::importConcatAtRun(NodeImport &node) {
  Value list = requireSequence(node, 0);
  int64_t axis = node.getRequiredInt("axis");
  bool isNewAxis = node.getInt("new_axis", 0);
  if (!list || node.hasFailed())
    return failure();
  return node.finish(SequenceJoinOp::create(node.builder, node.loc, getTypeOfElements(list), list, axis, isNewAxis));
}

bool onnx::dropsSplitAxis(NodeImport &node) {
  if (node.getInt("keepdims", 1))
    return false;
  if (!node.hasOperand(1))
    return true;
  std::optional<SmallVector<int64_t>> part = NodeImport::getConstantInts(node.getOperand(1));
  return part && *part == ArrayRef<int64_t>{1} && NodeImport::getRank(node.getOperand(1)) == 0;
}

LogicalResult onnx::importSplitAtRun(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), node.findRank(0));
  bool squeezes = dropsSplitAxis(node);
  if (node.hasFailed())
    return failure();
  return node.finish(SequenceSplitOp::create(node.builder, node.loc, getSequenceType(NodeImport::getElementType(x)), x,
                                             squeezes ? Value() : node.getOperand(1), axis, squeezes));
}

LogicalResult onnx::requireBodyFor(NodeImport &node, const Graph &body) {
  if (body.inputs.size() == node.getNumOperands() && body.outputs.size() == node.getNumResults())
    return success();
  return node.error("the body has " + Twine(body.inputs.size()) + " inputs and " + Twine(body.outputs.size()) +
                    " outputs for " + Twine(node.getNumOperands()) + " operands and " + Twine(node.getNumResults()) +
                    " results");
}

/// A loop over the first sequence: the body for the tensors at a place of all, what it gives behind what there is.
LogicalResult onnx::importMapAtRun(NodeImport &node) {
  const Graph *graph = node.getGraph("body");
  Value first = graph ? requireSequence(node, 0) : Value();
  if (!first)
    return failure();
  if (failed(requireBodyFor(node, *graph)))
    return failure();
  SmallVector<Value> operands;
  for (size_t index = 0; index < node.getNumOperands(); ++index) {
    operands.push_back(node.getValue(index));
    if (!operands.back())
      return node.hasFailed() ? failure() : node.error("operand " + Twine(index) + " is missing");
  }
  Type index = RankedTensorType::get({}, node.builder.getI64Type()),
       truth = RankedTensorType::get({}, node.builder.getI1Type());
  Region region;
  SmallVector<Type> types;
  {
    OpBuilder::InsertionGuard guard(node.builder);
    Block *block = node.builder.createBlock(&region);
    Value place = block->addArgument(index, node.loc);
    block->addArgument(truth, node.loc);
    SmallVector<Value> inputs, outputs;
    for (Value operand : operands) {
      bool isMapped = isa<SequenceType>(operand.getType());
      inputs.push_back(isMapped
                           ? SequenceAtOp::create(node.builder, node.loc, getTypeOfElements(operand), operand, place)
                           : operand);
    }
    if (failed(node.graphs.importGraph(*graph, inputs, outputs)))
      return failure();
    SmallVector<Value> yielded = {node.constant(DenseElementsAttr::get(cast<RankedTensorType>(truth), true))};
    for (Value output : outputs) {
      if (!isa<TensorType>(output.getType()))
        return node.error("the body gives something else than a tensor");
      types.push_back(getSequenceType(NodeImport::getElementType(output)));
      Value list = block->addArgument(types.back(), node.loc);
      yielded.push_back(
          SequenceInsertOp::create(node.builder, node.loc, types.back(), list, output, /*position=*/Value()));
    }
    YieldOp::create(node.builder, node.loc, yielded);
  }
  SmallVector<Value> empty = llvm::map_to_vector(
      types, [&](Type type) -> Value { return SequenceMakeOp::create(node.builder, node.loc, type, ValueRange()); });
  auto loop = LoopOp::create(node.builder, node.loc, types, getLength(node, first), /*condition=*/Value(), empty,
                             /*sliced=*/ValueRange(), /*binds=*/ArrayAttr(), /*counting=*/StringAttr());
  loop.getBody().takeBody(region);
  for (auto [number, value] : llvm::enumerate(loop.getResults()))
    (void)node.finish(number, value);
  return success();
}

LogicalResult onnx::importNone(NodeImport &node) {
  const NodeAttribute *attribute = node.node.getAttribute("type");
  if (!attribute || !attribute->typeOf)
    return node.error("an optional without an element needs the attribute 'type'");
  ValueInfo value = *attribute->typeOf;
  // The attribute is the type of the element.
  value.container = value.container == Container::Sequence ? Container::OptionalSequence
                    : value.notTensor.empty()              ? Container::Optional
                                                           : Container::None;
  Type type = getWrappedType(value, node.builder.getContext());
  if (!type)
    return node.error("optionals of this type are not supported");
  return node.finish(OptionalNoneOp::create(node.builder, node.loc, type));
}
