//===- Import of branches and loops ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Sequences/RunTimeSequences.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

namespace {
struct Branch {
  std::unique_ptr<Region> region = std::make_unique<Region>();
  SmallVector<Value> outputs;
};
} // namespace

/// Imports the graph of a branch into a region, whose terminator is not there yet.
static FailureOr<Branch> importBranch(NodeImport &node, const Graph &graph) {
  if (!graph.inputs.empty())
    return node.error("a branch has inputs");
  if (graph.outputs.size() != node.getNumResults())
    return node.error("a branch gives " + Twine(graph.outputs.size()) + " values for " + Twine(node.getNumResults()) +
                      " results");
  Branch branch;
  OpBuilder::InsertionGuard guard(node.builder);
  node.builder.createBlock(branch.region.get());
  if (failed(node.graphs.importGraph(graph, {}, branch.outputs)))
    return failure();
  YieldOp::create(node.builder, node.loc, branch.outputs);
  return branch;
}

static LogicalResult importIf(NodeImport &node) {
  const Graph *thenGraph = node.getGraph("then_branch"), *elseGraph = node.getGraph("else_branch");
  if (!thenGraph || !elseGraph)
    return failure();
  // Exporters ask at run time what constants and static dims decide.
  if (auto known = NodeImport::getConstantInts(node.getOperand(0)); known && known->size() == 1) {
    const Graph &taken = known->front() ? *thenGraph : *elseGraph;
    SmallVector<Value> outputs;
    if (!taken.inputs.empty() || taken.outputs.size() != node.getNumResults())
      return node.error("the branch that is taken has " + Twine(taken.inputs.size()) + " inputs, and " +
                        Twine(taken.outputs.size()) + " outputs for " + Twine(node.getNumResults()) + " results");
    if (failed(node.graphs.importGraph(taken, {}, outputs)))
      return failure();
    for (auto [index, value] : llvm::enumerate(outputs))
      (void)node.finish(index, value);
    return success();
  }
  FailureOr<Branch> thenBranch = importBranch(node, *thenGraph);
  FailureOr<Branch> elseBranch = failed(thenBranch) ? FailureOr<Branch>() : importBranch(node, *elseGraph);
  if (failed(elseBranch))
    return failure();
  SmallVector<Type> types;
  for (auto [index, whenTrue, whenFalse] : llvm::enumerate(thenBranch->outputs, elseBranch->outputs)) {
    Type ofTrue = getKind(whenTrue), ofFalse = getKind(whenFalse);
    if (ofTrue != ofFalse) {
      std::string text;
      llvm::raw_string_ostream(text) << "output " << index << " has elements of type " << ofTrue
                                     << " in one branch, of type " << ofFalse << " in the other";
      return node.error(text);
    }
    types.push_back(joinTypes(whenTrue.getType(), whenFalse.getType()));
  }
  auto op = IfOp::create(node.builder, node.loc, types, node.getOperand(0), /*binds=*/ArrayAttr());
  op.getThenRegion().takeBody(*thenBranch->region);
  op.getElseRegion().takeBody(*elseBranch->region);
  for (auto [index, value] : llvm::enumerate(op.getResults()))
    (void)node.finish(index, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

namespace {
/// A loop on its way.
struct LoopImport {
  LoopImport(NodeImport &node, const Graph &graph) : node(node), graph(graph) {}

  /// Imports the body for arguments of `types`: first what is carried, then slices.
  FailureOr<Branch> importBody(ArrayRef<Type> types);
  /// The same with as much known of the carried values' types as holds in each trip.
  FailureOr<Branch> findBody();
  LogicalResult create(Branch body, SmallVectorImpl<Value> &results);

  NodeImport &node;
  const Graph &graph;
  Value tripCount, condition;
  SmallVector<Value> initial, sliced;
  /// Whether the graph has the number of the trip and the condition, as Loop's has, and Scan's not.
  bool hasTrip = true;
};
} // namespace

/// Bodies may declare the trip's number and the condition as vectors of one element.
static Value toDeclaredRank(NodeImport &node, Value scalar, const ValueInfo &input) {
  return input.dims && input.dims->size() == 1 ? node.unsqueeze(scalar, {0}) : scalar;
}

FailureOr<Branch> LoopImport::importBody(ArrayRef<Type> types) {
  Branch body;
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

/// The dims of a slice of a tensor.
static Type getSliceType(Value sliced) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(sliced);
  if (dims && !dims->empty())
    dims = dims->drop_front();
  return NodeImport::makeType(dims, NodeImport::getElementType(sliced));
}

FailureOr<Branch> LoopImport::findBody() {
  SmallVector<Type> types;
  for (Value value : initial)
    types.push_back(isa<TensorType>(value.getType())
                        ? NodeImport::makeDynamicType(NodeImport::getRank(value), NodeImport::getElementType(value))
                        : value.getType());
  for (Value value : sliced)
    types.push_back(getSliceType(value));
  FailureOr<Branch> body = importBody(types);
  if (failed(body))
    return failure();
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
  FailureOr<Branch> other = failure();
  {
    ScopedDiagnosticHandler handler(node.builder.getContext(), [&](Diagnostic &) { return success(!isContradicted); });
    other = importBody(weaker);
  }
  return failed(other) && !isContradicted ? std::move(body) : std::move(other);
}

LogicalResult LoopImport::create(Branch body, SmallVectorImpl<Value> &results) {
  SmallVector<Type> types;
  ArrayRef<Value> outputs = ArrayRef(body.outputs).drop_front();
  for (auto [index, value] : llvm::enumerate(initial)) {
    Type before = getKind(value), after = getKind(outputs[index]);
    if (before != after) {
      std::string text;
      llvm::raw_string_ostream(text) << "carried value " << index << " has elements of type " << before
                                     << " at first, of type " << after << " after a trip";
      return node.error(text);
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

static LogicalResult importLoop(NodeImport &node) {
  const Graph *graph = node.getGraph("body");
  if (!graph)
    return failure();
  LoopImport loop(node, *graph);
  loop.tripCount = node.getOperand(0);
  loop.condition = node.getOperand(1);
  for (size_t index = 0; index < node.getNumOperands(); ++index) {
    Value value = node.getValue(index);
    if (node.hasFailed())
      return failure();
    if (index < 2 && value && !isa<TensorType>(value.getType()))
      return node.error("operand " + Twine(index) + " is no tensor");
    if (index >= 2 && !value)
      return node.error("operand " + Twine(index) + " is missing");
    if (index >= 2)
      loop.initial.push_back(value);
  }
  size_t numCarried = loop.initial.size();
  if (graph->inputs.size() != numCarried + 2)
    return node.error("the body has " + Twine(graph->inputs.size()) + " inputs, must have " + Twine(numCarried + 2) +
                      " for " + Twine(numCarried) + " carried values");
  if (node.getNumResults() < numCarried || graph->outputs.size() != node.getNumResults() + 1)
    return node.error("the body has " + Twine(graph->outputs.size()) + " outputs for " + Twine(node.getNumResults()) +
                      " results of the node, of which " + Twine(numCarried) + " are carried values");
  FailureOr<Branch> body = loop.findBody();
  SmallVector<Value> results;
  if (failed(body) || failed(loop.create(std::move(*body), results)))
    return failure();
  for (auto [index, value] : llvm::enumerate(results)) {
    // What each trip gives is there behind the last one, if there was one.
    (void)node.finish(index, unwrapAsDeclared(node.builder, value, graph->outputs[index + 1]));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// The places of a list of directions or axes; all 0 where the node has none.
static SmallVector<int64_t> getPerScan(NodeImport &node, StringRef name, size_t count) {
  SmallVector<int64_t> values = node.getInts(name).value_or(SmallVector<int64_t>(count, 0));
  if (values.size() != count)
    (void)node.error("attribute '" + name + "' has " + Twine(values.size()) + " entries, must have " + Twine(count));
  values.resize(count, 0);
  return values;
}

/// The tensor with one axis moved to another place.
static Value moveAxis(NodeImport &node, Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  std::optional<int64_t> rank = NodeImport::getRank(value);
  if (!rank) {
    (void)node.error("the rank of a tensor whose axis " + Twine(from ? from : to) +
                     " is scanned must be known, and does not follow from the graph");
    return value;
  }
  from = node.normalizeAxis(from, rank);
  to = node.normalizeAxis(to, rank);
  if (node.hasFailed())
    return value;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return node.transpose(value, order);
}

/// The tensor backwards along its first dim.
static Value reverse(NodeImport &node, Value value) {
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(value), NodeImport::getElementType(value));
  return SliceToOp::create(node.builder, node.loc, type, value, node.i64Vector({-1}), node.i64Vector({INT64_MIN}),
                           node.i64Vector({0}), node.i64Vector({-1}));
}

/// Backwards where the direction is 1.
static Value applyDirection(NodeImport &node, Value value, int64_t direction) {
  return direction == 1 ? reverse(node, value) : value;
}

/// A loop over slices of the operands from `numStates` on, which were brought in order before.
static LogicalResult importScanLoop(NodeImport &node, const Graph &graph, ArrayRef<Value> operands, size_t numStates,
                                    SmallVectorImpl<Value> &results) {
  LoopImport loop(node, graph);
  loop.hasTrip = false;
  llvm::append_range(loop.initial, operands.take_front(numStates));
  llvm::append_range(loop.sliced, operands.drop_front(numStates));
  FailureOr<Branch> body = loop.findBody();
  if (failed(body))
    return failure();
  return loop.create(std::move(*body), results);
}

/// The length of a sequence, a scalar; a run is refused where it is not positive or exceeds the number of places.
static Value checkLength(NodeImport &node, Value length, Value size) {
  Value one = node.i64Scalar(1), isEmpty = node.compare(CompareDirection::LE, length, node.i64Scalar(0));
  Value beyond = node.add(size, one);
  return node.gather(countTo(node, beyond), node.select(isEmpty, beyond, length), 0);
}

/// What was stacked up to `length`, with zeros behind it up to `size`.
static Value fillUp(NodeImport &node, Value stack, Value length, Value size) {
  Value pads = node.concat(0, {node.i64Vector(0), asVector(node, node.sub(size, length))});
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(stack), NodeImport::getElementType(stack));
  return PadToOp::create(node.builder, node.loc, type, PadMode::Constant, stack, pads, /*value=*/Value(),
                         node.i64Vector(0));
}

/// Of opset 8: every operand has a batch dim in front, and scans run along dim 1, in each batch up to its length if
/// there are lengths.
static LogicalResult importBatchedScan(NodeImport &node, const Graph &graph, ArrayRef<Value> operands, size_t numStates,
                                       SmallVectorImpl<Value> &results) {
  SmallVector<Value> sliced(operands);
  if (node.hasOperand(0))
    sliced.push_back(node.getOperand(0));
  SmallVector<int64_t> directions = getPerScan(node, "directions", operands.size() - numStates);
  if (node.hasFailed())
    return failure();
  Region region;
  SmallVector<Value> inner;
  {
    OpBuilder::InsertionGuard guard(node.builder);
    Block *block = node.builder.createBlock(&region);
    block->addArgument(RankedTensorType::get({}, node.builder.getI64Type()), node.loc);
    block->addArgument(RankedTensorType::get({}, node.builder.getI1Type()), node.loc);
    SmallVector<Value> slices;
    for (Value value : operands)
      slices.push_back(block->addArgument(getSliceType(value), node.loc));
    Value size = getDim(node, slices[numStates], 0), length;
    if (node.hasOperand(0))
      length = checkLength(node, block->addArgument(getSliceType(node.getOperand(0)), node.loc), size);
    for (auto [slice, direction] : llvm::zip_equal(MutableArrayRef(slices).drop_front(numStates), directions)) {
      if (length)
        slice = sliceTo(node, slice, node.i64Vector(0), asVector(node, length), 0);
      slice = applyDirection(node, slice, direction);
    }
    if (failed(importScanLoop(node, graph, slices, numStates, inner)))
      return failure();
    if (length)
      for (Value &stack : MutableArrayRef(inner).drop_front(numStates))
        stack = fillUp(node, stack, length, size);
    SmallVector<Value> yielded = {
        node.constant(DenseElementsAttr::get(RankedTensorType::get({}, node.builder.getI1Type()), true))};
    llvm::append_range(yielded, inner);
    YieldOp::create(node.builder, node.loc, yielded);
  }
  SmallVector<Type> types = llvm::map_to_vector(inner, [](Value value) {
    std::optional<int64_t> rank = NodeImport::getRank(value);
    return NodeImport::makeDynamicType(rank ? std::optional(*rank + 1) : std::nullopt,
                                       NodeImport::getElementType(value));
  });
  auto op = LoopOp::create(node.builder, node.loc, types, Value(), Value(), ValueRange(), sliced,
                           /*binds=*/ArrayAttr(), /*counting=*/StringAttr());
  op.getBody().takeBody(region);
  results.assign(op.getResults().begin(), op.getResults().end());
  return success();
}

static LogicalResult importScan(NodeImport &node) {
  const Graph *graph = node.getGraph("body");
  if (!graph)
    return failure();
  bool isBatched = node.getVersion() < 9;
  SmallVector<Value> operands;
  for (size_t index = isBatched ? 1 : 0; index < node.getNumOperands(); ++index) {
    if (!node.hasOperand(index))
      return node.error("operand " + Twine(index) + " is missing");
    operands.push_back(node.getOperand(index));
  }
  int64_t numScans = node.getRequiredInt("num_scan_inputs");
  if (node.hasFailed())
    return failure();
  if (numScans < 1 || numScans > static_cast<int64_t>(operands.size()))
    return node.error("attribute 'num_scan_inputs' is " + Twine(numScans) + "; the node has " + Twine(operands.size()) +
                      " operands");
  size_t numStates = operands.size() - static_cast<size_t>(numScans);
  if (graph->inputs.size() != operands.size())
    return node.error("the body has " + Twine(graph->inputs.size()) + " inputs for " + Twine(operands.size()) +
                      " operands");
  if (graph->outputs.size() != node.getNumResults() || node.getNumResults() < numStates)
    return node.error("the body has " + Twine(graph->outputs.size()) + " outputs for " + Twine(node.getNumResults()) +
                      " results of the node and " + Twine(numStates) + " states");
  SmallVector<Value> results;
  if (isBatched) {
    if (failed(importBatchedScan(node, *graph, operands, numStates, results)))
      return failure();
  } else {
    size_t numStacks = node.getNumResults() - numStates;
    SmallVector<int64_t> axes = getPerScan(node, "scan_input_axes", numScans),
                         directions = getPerScan(node, "scan_input_directions", numScans),
                         stackAxes = getPerScan(node, "scan_output_axes", numStacks),
                         stackDirections = getPerScan(node, "scan_output_directions", numStacks);
    for (auto [value, axis, direction] :
         llvm::zip_equal(MutableArrayRef(operands).drop_front(numStates), axes, directions))
      value = applyDirection(node, moveAxis(node, value, axis, 0), direction);
    if (node.hasFailed() || failed(importScanLoop(node, *graph, operands, numStates, results)))
      return failure();
    for (auto [value, axis, direction] :
         llvm::zip_equal(MutableArrayRef(results).drop_front(numStates), stackAxes, stackDirections))
      value = moveAxis(node, applyDirection(node, value, direction), 0, axis);
  }
  for (auto [index, value] : llvm::enumerate(results))
    (void)node.finish(index, value);
  return failure(node.hasFailed());
}

void dyn::onnx::registerControlFlow(OperatorRegistry &registry) {
  registry.add("If", 1, 1, importIf);
  registry.addForLists("Loop", 0, kVariadic, importLoop);
  registry.add("Scan", 0, kVariadic, importScan);
}
