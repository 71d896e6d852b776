//===- Import of Scan -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "LoopImport.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

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

/// Backwards where the direction is 1.
static Value applyDirection(NodeImport &node, Value value, int64_t direction) {
  return direction == 1 ? flip(node, value, 0) : value;
}

/// A loop over slices of the operands from `numStates` on, which were brought in order before.
static LogicalResult importScanLoop(NodeImport &node, const Graph &graph, ArrayRef<Value> operands, size_t numStates,
                                    SmallVectorImpl<Value> &results) {
  LoopImport loop(node, graph);
  loop.hasTrip = false;
  llvm::append_range(loop.initial, operands.take_front(numStates));
  llvm::append_range(loop.sliced, operands.drop_front(numStates));
  FailureOr<ImportedRegion> body = loop.findBody();
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
  FailureOr<SmallVector<Value>> stacks =
      loopOverSteps(node, {}, sliced, [&](auto, ArrayRef<Value> entries) -> FailureOr<StepResults> {
        SmallVector<Value> slices(entries.take_front(operands.size()));
        Value size = getDim(node, slices[numStates], 0), length;
        if (node.hasOperand(0))
          length = checkLength(node, entries.back(), size);
        for (auto [slice, direction] : llvm::zip_equal(MutableArrayRef(slices).drop_front(numStates), directions)) {
          if (length)
            slice = sliceTo(node, slice, node.i64Vector(0), asVector(node, length), 0);
          slice = applyDirection(node, slice, direction);
        }
        StepResults step;
        if (failed(importScanLoop(node, graph, slices, numStates, step.outputs)))
          return failure();
        if (length)
          for (Value &stack : MutableArrayRef(step.outputs).drop_front(numStates))
            stack = fillUp(node, stack, length, size);
        return step;
      });
  if (failed(stacks))
    return failure();
  results = std::move(*stacks);
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
    return node.contradiction("attribute 'num_scan_inputs' is " + Twine(numScans) + "; the node has " +
                              Twine(operands.size()) + " operands");
  size_t numStates = operands.size() - static_cast<size_t>(numScans);
  if (graph->inputs.size() != operands.size())
    return node.contradiction("the body has " + Twine(graph->inputs.size()) + " inputs for " + Twine(operands.size()) +
                              " operands");
  if (graph->outputs.size() != node.getNumResults() || node.getNumResults() < numStates)
    return node.contradiction("the body has " + Twine(graph->outputs.size()) + " outputs for " +
                              Twine(node.getNumResults()) + " results of the node and " + Twine(numStates) + " states");
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

void dyn::onnx::registerScans(OperatorRegistry &registry) {
  registry.add("Scan", 0, kVariadic, importScan, kMovesElements | kHasGraphs);
}
