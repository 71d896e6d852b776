//===- A loop on its way into the module ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LoopImport.h"
#include "../Sequences/RunTimeSequences.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Bodies may declare the trip's number and the condition as vectors of one element.
static Value toDeclaredRank(NodeImport &node, Value scalar, const ValueInfo &input) {
  return input.dims && input.dims->size() == 1 ? node.unsqueeze(scalar, {0}) : scalar;
}

FailureOr<ImportedRegion> LoopImport::importBody(ArrayRef<Type> types) {
  ImportedRegion body;
  OpBuilder::InsertionGuard guard(node.builder);
  Block *block = node.builder.createBlock(body.region.get());
  SmallVector<Value> inputs = {
      block->addArgument(RankedTensorType::get({}, node.builder.getI64Type()), node.loc),
      block->addArgument(RankedTensorType::get({}, node.builder.getI1Type()), node.loc),
  };
  if (hasTrip)
    for (auto [input, declared] : llvm::zip(inputs, graph.inputs))
      input = toDeclaredRank(node, input, declared);
  else
    inputs.clear();
  for (Type type : types)
    inputs.push_back(block->addArgument(type, node.loc));
  if (failed(node.graphs.importGraph(graph, inputs, body.outputs)))
    return failure();
  // What is carried as an optional may be given as what is in it.
  if (hasTrip)
    for (auto [type, output] : llvm::zip(types.take_front(initial.size()), MutableArrayRef(body.outputs).drop_front()))
      if (isa<OptionalType>(type) && !isa<OptionalType>(output.getType()))
        output = OptionalSomeOp::create(node.builder, node.loc, type, output);
  if (!hasTrip)
    body.outputs.insert(body.outputs.begin(), node.constant(DenseElementsAttr::get(
                                                  RankedTensorType::get({}, node.builder.getI1Type()), true)));
  YieldOp::create(node.builder, node.loc, body.outputs);
  return body;
}

Type onnx::getSliceType(Value sliced) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(sliced);
  if (dims && !dims->empty())
    dims = dims->drop_front();
  return NodeImport::makeType(dims, NodeImport::getElementType(sliced));
}

FailureOr<ImportedRegion> LoopImport::findBody() {
  SmallVector<Type> types;
  for (Value value : initial)
    types.push_back(isa<TensorType>(value.getType())
                        ? NodeImport::makeDynamicType(NodeImport::getRank(value), NodeImport::getElementType(value))
                        : value.getType());
  for (Value value : sliced)
    types.push_back(getSliceType(value));
  FailureOr<ImportedRegion> body = importBody(types);
  if (failed(body))
    return failure();
  // A first value that is known to be there was imported as what is in it; where later trips may leave it out, it is an
  // optional again.
  bool hasWrapped = false;
  for (auto [value, next] : llvm::zip(initial, ArrayRef(body->outputs).drop_front()))
    if (auto optional = dyn_cast<OptionalType>(next.getType());
        optional && !isa<OptionalType>(value.getType()) &&
        getOptionalElement(value.getType()) == optional.getElement()) {
      value = OptionalSomeOp::create(node.builder, node.loc, optional, value);
      hasWrapped = true;
    }
  if (hasWrapped)
    return findBody();
  SmallVector<Type> weaker = types;
  bool isContradicted = false;
  for (auto [type, next] :
       llvm::zip(MutableArrayRef(weaker).take_front(initial.size()), ArrayRef(body->outputs).drop_front())) {
    std::optional<int64_t> rank = NodeImport::getRank(next);
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked || rank == ranked.getRank())
      continue;
    isContradicted |= rank.has_value();
    type = UnrankedTensorType::get(ranked.getElementType());
  }
  if (weaker == types)
    return body;
  // A rank that only the first trip is known to have is not known. Where nodes need it all the same, a run checks it.
  FailureOr<ImportedRegion> other = failure();
  {
    ScopedDiagnosticHandler handler(node.builder.getContext(), [&](Diagnostic &) { return success(!isContradicted); });
    other = importBody(weaker);
  }
  return failed(other) && !isContradicted ? std::move(body) : std::move(other);
}

LogicalResult LoopImport::create(ImportedRegion body, SmallVectorImpl<Value> &results) {
  SmallVector<Type> types;
  ArrayRef<Value> outputs = ArrayRef(body.outputs).drop_front();
  for (auto [index, value] : llvm::enumerate(initial)) {
    Type before = getKind(value), after = getKind(outputs[index]);
    if (before != after) {
      std::string text;
      llvm::raw_string_ostream(text) << "carried value " << index << " has elements of type " << before
                                     << " at first, of type " << after << " after a trip";
      return node.contradiction(text);
    }
    Type argument = body.region->getArgument(2 + index).getType();
    types.push_back(joinTypes(argument, outputs[index].getType()));
  }
  for (Value value : outputs.drop_front(initial.size())) {
    if (!isa<TensorType>(value.getType()))
      return node.error("a value that is stacked is no tensor");
    std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(value);
    SmallVector<int64_t> stack = {ShapedType::kDynamic};
    if (dims)
      llvm::append_range(stack, *dims);
    types.push_back(NodeImport::makeType(dims ? std::optional(ArrayRef<int64_t>(stack)) : std::nullopt,
                                         NodeImport::getElementType(value)));
  }
  auto op = LoopOp::create(node.builder, node.loc, types, tripCount, condition, initial, sliced,
                           /*binds=*/ArrayAttr(), /*counting=*/StringAttr());
  op.getBody().takeBody(*body.region);
  results.assign(op.getResults().begin(), op.getResults().end());
  return success();
}

FailureOr<SmallVector<Value>> onnx::loopOverSteps(NodeImport &node, ArrayRef<Value> states, ArrayRef<Value> sliced,
                                                  EmitStep emit) {
  auto makeType = [](Value value, int64_t added) {
    std::optional<int64_t> rank = NodeImport::getRank(value);
    return NodeImport::makeDynamicType(rank ? std::optional(*rank + added) : std::nullopt,
                                       NodeImport::getElementType(value));
  };
  auto flag = RankedTensorType::get({}, node.builder.getI1Type());
  Region region;
  SmallVector<Type> types;
  {
    OpBuilder::InsertionGuard guard(node.builder);
    Block *block = node.builder.createBlock(&region);
    block->addArgument(RankedTensorType::get({}, node.builder.getI64Type()), node.loc);
    block->addArgument(flag, node.loc);
    SmallVector<Value> carried, slices;
    for (Value value : states)
      carried.push_back(block->addArgument(types.emplace_back(makeType(value, 0)), node.loc));
    for (Value value : sliced)
      slices.push_back(block->addArgument(getSliceType(value), node.loc));
    FailureOr<StepResults> step = emit(carried, slices);
    if (failed(step))
      return failure();
    SmallVector<Value> yielded = {node.constant(DenseElementsAttr::get(flag, true))};
    llvm::append_range(yielded, step->states);
    llvm::append_range(yielded, step->outputs);
    YieldOp::create(node.builder, node.loc, yielded);
    for (Value value : step->outputs)
      types.push_back(makeType(value, 1));
  }
  auto op = LoopOp::create(node.builder, node.loc, types, Value(), Value(), states, sliced, /*binds=*/ArrayAttr(),
                           /*counting=*/StringAttr());
  op.getBody().takeBody(region);
  return SmallVector<Value>(op.getResults());
}
