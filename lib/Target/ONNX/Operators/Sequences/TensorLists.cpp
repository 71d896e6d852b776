//===- Import of sequences and optionals -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Where the number of tensors in a sequence is known at import, and whether an
// optional has an element, nothing of either is left in the module.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "RunTimeSequences.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// All operands from `first` on are tensors, or left out.
static LogicalResult requireTensors(NodeImport &node, size_t first) {
  for (size_t index = first; index < node.getNumOperands(); ++index)
    if (node.hasList(index) || node.isSequence(index) || node.isOptional(index))
      return node.error("operand " + Twine(index) + ", " + quoteName(node.node.inputs[index]) + ", is no tensor");
  return success();
}

static LogicalResult importConstruct(NodeImport &node) {
  if (failed(requireTensors(node, 0)))
    return failure();
  TensorList list;
  list.elements = node.getAllOperands();
  if (node.hasFailed() || failed(node.requireSameElementTypes(list.elements)))
    return failure();
  list.elementType = NodeImport::getElementType(list.elements.front());
  return node.finishList(0, std::move(list));
}

static LogicalResult importEmpty(NodeImport &node) {
  TensorList list;
  auto type = static_cast<ElementType>(node.getInt("dtype", static_cast<int64_t>(ElementType::Float)));
  list.elementType = getElementType(type, node.builder.getContext());
  if (!list.elementType)
    return node.error("elements of type " + getElementTypeName(type) + " are not supported");
  return node.finishList(0, std::move(list));
}

/// Is the node in a graph of another one, which no run need come to? Then what it can't mean is for the run to say.
static bool isInGraphOfNode(NodeImport &node) {
  return !isa_and_present<FunctionOpInterface>(node.builder.getBlock()->getParentOp());
}

/// Is it for the run to say what sequence the first operand is, or what place of it another one says, or that there is
/// none? `hasEnd`: behind the last tensor is a place too, as for who inserts.
static bool isDecidedAtRun(NodeImport &node, size_t place, bool hasEnd = false) {
  if (node.isSequence(0) || !node.hasList(0))
    return node.isSequence(0);
  if (!node.hasOperand(place))
    return isInGraphOfNode(node) && node.getList(0)->elements.empty() && !hasEnd;
  std::optional<SmallVector<int64_t>> places = NodeImport::getConstantInts(node.getOperand(place));
  if (!places)
    return true;
  if (places->size() != 1)
    return false;
  auto count = static_cast<int64_t>(node.getList(0)->elements.size());
  return isInGraphOfNode(node) && (places->front() < -count || places->front() >= count + hasEnd);
}

/// The place that an operand says, from the front, of `size`; `size - 1`, the last, where it is left out.
static std::optional<size_t> getPlace(NodeImport &node, size_t operand, size_t size) {
  auto limit = static_cast<int64_t>(size);
  std::optional<SmallVector<int64_t>> places = node.getConstantOperand(operand, "position in the sequence");
  if (node.hasFailed())
    return std::nullopt;
  if (!places && size)
    return size - 1;
  if (places && places->size() != 1) {
    (void)node.error("operand " + Twine(operand) + ", a position, has " + Twine(places->size()) + " elements");
    return std::nullopt;
  }
  int64_t place = places ? places->front() : 0;
  if (place < -limit || place >= limit) {
    (void)node.error("position " + Twine(place) + " is out of range for " + Twine(limit));
    return std::nullopt;
  }
  return static_cast<size_t>(place < 0 ? place + limit : place);
}

static LogicalResult importInsert(NodeImport &node) {
  if (failed(requireTensors(node, 1)))
    return failure();
  if (isDecidedAtRun(node, 2, /*hasEnd=*/true))
    return importInsertAtRun(node);
  const TensorList *list = node.getList(0);
  if (!list || !node.hasOperand(1))
    return node.hasFailed() ? failure() : node.error("operand 1, a tensor, is missing");
  if (NodeImport::getElementType(node.getOperand(1)) != list->elementType)
    return node.error("the tensor has elements of another type than the sequence");
  // Behind the last one is a place too, though -1 is that of the last one.
  std::optional<SmallVector<int64_t>> given = node.getConstantOperand(2, "position in the sequence");
  bool isEnd = !given || *given == ArrayRef<int64_t>(static_cast<int64_t>(list->elements.size()));
  std::optional<size_t> place = isEnd ? list->elements.size() : getPlace(node, 2, list->elements.size());
  if (!place || node.hasFailed())
    return failure();
  TensorList result = *list;
  result.elements.insert(result.elements.begin() + *place, node.getOperand(1));
  return node.finishList(0, std::move(result));
}

/// What becomes of a sequence and the place in it that operand 1 says: `known` says it at import, `atRun` at the run.
static LogicalResult importPlace(NodeImport &node, LogicalResult (*atRun)(NodeImport &),
                                 llvm::function_ref<LogicalResult(const TensorList &, size_t)> known) {
  if (failed(requireTensors(node, 1)))
    return failure();
  if (isDecidedAtRun(node, 1))
    return atRun(node);
  const TensorList *list = node.getList(0);
  std::optional<size_t> place = list ? getPlace(node, 1, list->elements.size()) : std::nullopt;
  return place ? known(*list, *place) : failure();
}

static LogicalResult importErase(NodeImport &node) {
  return importPlace(node, importEraseAtRun, [&](const TensorList &list, size_t place) {
    TensorList result = list;
    result.elements.erase(result.elements.begin() + place);
    return node.finishList(0, std::move(result));
  });
}

static LogicalResult importTensorAt(NodeImport &node) {
  return importPlace(node, importTensorAtRun,
                     [&](const TensorList &list, size_t place) { return node.finish(list.elements[place]); });
}

static LogicalResult importLength(NodeImport &node) {
  if (node.isSequence(0))
    return importLengthAtRun(node);
  const TensorList *list = node.getList(0);
  return list ? node.finish(node.i64Scalar(static_cast<int64_t>(list->elements.size()))) : failure();
}

static LogicalResult importConcat(NodeImport &node) {
  bool isNothing = node.hasList(0) && node.getList(0)->elements.empty();
  if (node.isSequence(0) || (isNothing && isInGraphOfNode(node)))
    return importConcatAtRun(node);
  const TensorList *list = node.getList(0);
  int64_t axis = node.getRequiredInt("axis");
  bool isNewAxis = node.getInt("new_axis", 0);
  if (!list || node.hasFailed())
    return failure();
  if (list->elements.empty())
    return node.error("a sequence without tensors has no dims");
  std::optional<int64_t> rank = NodeImport::getRank(list->elements.front());
  axis = node.normalizeAxis(axis, rank && isNewAxis ? std::optional(*rank + 1) : rank);
  if (node.hasFailed())
    return failure();
  if (!isNewAxis)
    return node.finish(node.concat(axis, list->elements));
  return node.finish(node.concat(
      axis, llvm::map_to_vector(list->elements, [&](Value value) { return node.unsqueeze(value, {axis}); })));
}

static std::optional<size_t> checkLength(NodeImport &node, size_t count) {
  if (count <= NodeImport::kMostDims)
    return count;
  (void)node.error("a sequence of " + Twine(count) + " tensors is too long");
  return std::nullopt;
}

/// The number of parts, and their sizes along the axis, if these are not all 1.
static std::optional<size_t> findParts(NodeImport &node, int64_t axis, Value &sizes) {
  if (std::optional<SmallVector<int64_t>> lengths = node.hasOperand(1) ? node.findDims(1) : std::nullopt;
      lengths && lengths->size() == 1) {
    // The sizes may depend on data; their number may not.
    sizes = node.getOperand(1);
    if (!ShapedType::isDynamic(lengths->front()))
      return checkLength(node, static_cast<size_t>(lengths->front()));
    (void)node.error("the number of parts, which is that of the elements of operand 1, " +
                     quoteName(node.node.inputs[1]) + ", is not known at import");
    return std::nullopt;
  }
  std::optional<SmallVector<int64_t>> part = node.getConstantOperand(1, "size of the parts");
  if (node.hasFailed())
    return std::nullopt;
  if (part && (part->size() != 1 || part->front() <= 0)) {
    (void)node.error("the size of the parts, operand 1, must be one positive number");
    return std::nullopt;
  }
  std::optional<SmallVector<int64_t>> dims = node.findDims(0);
  if (!dims || ShapedType::isDynamic((*dims)[axis])) {
    (void)node.error("the number of parts is not known at import, as dim " + Twine(axis) + " of operand 0, " +
                     quoteName(node.node.inputs[0]) + ", is not; fix it, or give the parts' sizes");
    return std::nullopt;
  }
  int64_t size = (*dims)[axis], step = part ? part->front() : 1;
  std::optional<size_t> count = checkLength(node, static_cast<size_t>(llvm::divideCeil(size, step)));
  if (!count)
    return std::nullopt;
  SmallVector<int64_t> parts(*count, step);
  if (*count)
    parts.back() = size - static_cast<int64_t>(*count - 1) * step;
  sizes = node.i64Vector(parts);
  return count;
}

/// Can findParts() tell the parts?
static bool arePartsKnown(NodeImport &node, int64_t axis) {
  if (std::optional<SmallVector<int64_t>> sizes = node.hasOperand(1) ? node.findDims(1) : std::nullopt;
      sizes && sizes->size() == 1)
    return !ShapedType::isDynamic(sizes->front());
  std::optional<SmallVector<int64_t>> dims = node.findDims(0);
  bool isSizeKnown = !node.hasOperand(1) || NodeImport::getConstantInts(node.getOperand(1));
  return isSizeKnown && dims && axis < static_cast<int64_t>(dims->size()) && !ShapedType::isDynamic((*dims)[axis]);
}

static LogicalResult importSplit(NodeImport &node) {
  if (failed(requireTensors(node, 0)))
    return failure();
  Value x = node.getOperand(0);
  bool isForRun =
      !node.findRank(0) || !arePartsKnown(node, node.normalizeAxis(node.getInt("axis", 0), node.findRank(0)));
  if (isForRun)
    return node.hasFailed() ? failure() : importSplitAtRun(node);
  std::optional<int64_t> rank = node.requireRank(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), rank);
  if (node.hasFailed())
    return failure();
  Value sizes;
  std::optional<size_t> count = findParts(node, axis, sizes);
  if (!count)
    return failure();
  TensorList list;
  list.elementType = NodeImport::getElementType(x);
  if (*count) {
    SmallVector<Type> types(*count, NodeImport::makeDynamicType(rank, list.elementType));
    llvm::append_range(
        list.elements,
        SplitOp::create(node.builder, node.loc, types, x, sizes, static_cast<uint64_t>(axis)).getParts());
  }
  if (dropsSplitAxis(node))
    for (Value &part : list.elements)
      part = node.squeeze(part, ArrayRef<int64_t>{axis});
  return node.finishList(0, std::move(list));
}

/// Runs a graph for each element, so many times as the first operand has.
static LogicalResult importMap(NodeImport &node) {
  for (size_t index = 0; index < node.getNumOperands(); ++index)
    if (node.isSequence(index))
      return importMapAtRun(node);
  const Graph *graph = node.getGraph("body");
  const TensorList *first = graph ? node.getList(0) : nullptr;
  if (!first)
    return failure();
  if (failed(requireBodyFor(node, *graph)))
    return failure();
  SmallVector<TensorList> results(node.getNumResults());
  // Without tensors, only the body's declarations tell what the results would have.
  for (auto [result, output] : llvm::zip_equal(results, graph->outputs)) {
    result.elementType = getElementType(output.type, node.builder.getContext());
    if (first->elements.empty() && !result.elementType)
      return node.error("of a sequence without tensors, the types of the results are not known");
  }
  for (size_t place = 0; place < first->elements.size(); ++place) {
    SmallVector<Value> inputs, outputs;
    for (size_t index = 0; index < node.getNumOperands(); ++index) {
      const TensorList *list = node.hasOperand(index) ? nullptr : node.getList(index);
      if (!list && !node.hasOperand(index))
        return failure();
      if (list && list->elements.size() != first->elements.size())
        return node.error("operand " + Twine(index) + " has " + Twine(list->elements.size()) + " tensors, operand 0 " +
                          Twine(first->elements.size()));
      inputs.push_back(list ? list->elements[place] : node.getOperand(index));
    }
    if (failed(node.graphs.importGraph(*graph, inputs, outputs)))
      return failure();
    for (auto [result, value] : llvm::zip_equal(results, outputs)) {
      result.elementType = NodeImport::getElementType(value);
      result.elements.push_back(value);
    }
  }
  for (auto [index, result] : llvm::enumerate(results))
    (void)node.finishList(index, std::move(result));
  return success();
}

/// An optional that is known to have an element is that element.
static LogicalResult importOptional(NodeImport &node) {
  if (node.hasOperand(0))
    return node.finish(node.getOperand(0));
  return node.hasList(0) ? node.finishList(0, *node.getList(0)) : importNone(node);
}

static LogicalResult importGetElement(NodeImport &node) {
  if (!node.isOptional(0))
    return importOptional(node);
  Value optional = node.getOperand(0);
  Type type = cast<OptionalType>(optional.getType()).getElement();
  return node.finish(OptionalGetOp::create(node.builder, node.loc, type, optional));
}

static LogicalResult importHasElement(NodeImport &node) {
  auto type = RankedTensorType::get({}, node.builder.getI1Type());
  if (node.isOptional(0))
    return node.finish(OptionalHasOp::create(node.builder, node.loc, type, node.getOperand(0)));
  return node.finish(node.constant(DenseElementsAttr::get(type, node.hasOperand(0) || node.hasList(0))));
}

void dyn::onnx::registerTensorLists(OperatorRegistry &registry) {
  registry.add("SequenceConstruct", 1, kVariadic, importConstruct, kTakesLists | kMovesElements);
  registry.add("SequenceEmpty", 0, 0, importEmpty, kTakesLists);
  registry.add("SequenceInsert", 2, 3, importInsert, kTakesLists | kMovesElements);
  registry.add("SequenceErase", 1, 2, importErase, kTakesLists | kMovesElements);
  registry.add("SequenceAt", 2, 2, importTensorAt, kTakesLists | kMovesElements);
  registry.add("SequenceLength", 1, 1, importLength, kTakesLists | kMovesElements);
  registry.add("SequenceMap", 1, kVariadic, importMap, kTakesLists | kHasGraphs);
  registry.add("ConcatFromSequence", 1, 1, importConcat, kTakesLists | kMovesElements);
  registry.add("SplitToSequence", 1, 2, importSplit, kTakesLists | kMovesElements);
  registry.add("Optional", 0, 1, importOptional, kTakesLists | kReadsOptionals | kMovesElements);
  registry.add("OptionalGetElement", 1, 1, importGetElement, kTakesLists | kReadsOptionals | kMovesElements);
  registry.add("OptionalHasElement", 0, 1, importHasElement, kTakesLists | kReadsOptionals | kMovesElements);
}
