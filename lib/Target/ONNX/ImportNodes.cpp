//===- Nodes of an ONNX model, and the values that they read ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Contradictions.h"
#include "GuardReasons.h"
#include "Importer.h"
#include "Operators/Sequences/RunTimeSequences.h"
#include "Reading/ChannelBlocks.h"
#include "Reading/OperatorCheck.h"
#include "Schemas/Schemas.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

Value Importer::getValue(StringRef name, llvm::function_ref<std::string()> user) {
  auto known = values.find(name);
  if (known != values.end() && known->second)
    return known->second;
  auto initializer = initializers.find(name);
  if (SharedList list = lists.lookup(name))
    return makeSequence(*list, fileLoc);
  if (initializer == initializers.end()) {
    emitError(fileLoc) << user() << " reads " << quoteName(name) << ", a result that its node does not have here";
    return {};
  }
  auto loc = NameLoc::get(str(name), fileLoc);
  llvm::Expected<Value> value = constants->createTensor(loc, *initializer->second);
  if (!value) {
    std::string reader = user();
    emitError(loc) << reader << (reader.empty() ? "" : ": ") << llvm::toString(value.takeError());
    return {};
  }
  return values[name] = *value;
}

std::optional<int64_t> Importer::findDeclaredRank(StringRef name) const {
  if (auto known = declaredRanks.find(name); known != declaredRanks.end())
    return known->second;
  const ValueInfo *declared = declaredValues.lookup(name);
  return declared && declared->dims ? std::optional<int64_t>(declared->dims->size()) : std::nullopt;
}

ForwardShapes &Importer::getShapes() const {
  if (!shapes)
    shapes.emplace(function);
  return *shapes;
}

Value Importer::makeSequence(const TensorList &list, Location loc) {
  return SequenceMakeOp::create(builder, loc, getSequenceType(list.elementType), list.elements);
}

int64_t Importer::getChannelBlock() {
  if (channelBlock)
    return *channelBlock;
  channelBlock = findChannelBlock(*model);
  if (!channelBlock) {
    channelBlock = getOwnChannelBlock();
    emitWarning(fileLoc) << "the model was optimized for one CPU, and does not say whether " << kBlockedDomain
                         << " has blocks of 8 or of 16 channels: " << *channelBlock
                         << " are taken, as onnxruntime does on this CPU";
  }
  return *channelBlock;
}

LogicalResult Importer::importDefinition(const Node &node, ArrayRef<Value> operands) {
  auto findBody = [&] {
    SmallVector<OperandType> types = llvm::map_to_vector(operands, [](Value operand) {
      OperandType type;
      if (!operand)
        return type;
      type.type = getElementType(Emitter::getElementType(operand));
      if (auto dims = Emitter::getDims(operand))
        type.dims = SmallVector<int64_t>(*dims);
      return type;
    });
    return bodies->find(node, types);
  };
  const Function *body = findBody();
  if (!body) {
    // Some go by ranks, which the file may tell.
    for (auto [name, operand] : llvm::zip(node.inputs, operands))
      if (std::optional<int64_t> rank = operand ? findDeclaredRank(name) : std::nullopt)
        Emitter::setRank(operand, *rank);
    body = findBody();
  }
  if (!body)
    return emitError(NameLoc::get(str(node.getLabel()), fileLoc))
           << node.describe() << ": is not supported for these operands and attributes";
  GuardReasons reasons(node, operands, builder, reasonWriter);
  // Nodes of the body read by name what the importer of the operator may have put a guard on.
  Shadowing own(values);
  for (auto [name, operand] : llvm::zip(node.inputs, operands))
    if (operand && values.lookup(name) != operand)
      own.set(name, operand);
  // Who has the node knows nothing of those of its definition.
  bool isOuter = !isInDefinition;
  llvm::SaveAndRestore inside(isInDefinition, isInDefinition || GuardReasons::isKnown(node));
  std::vector<Node> nodes = instantiateBody(node, *body, numBodies++, *model);
  // A value of the model may have the name of one between the nodes. Graphs of nodes keep their values apart.
  if (!graphValues)
    for (const Node &inner : nodes)
      for (StringRef output : inner.outputs)
        if (!output.empty() && !llvm::is_contained(node.outputs, output))
          own.set(output, {});
  for (const Node &inner : nodes)
    if (failed(importNode(inner)))
      return failure();
  if (isOuter)
    reasons.give();
  return success();
}

ElementType Importer::findElementType(Type type) {
  auto [entry, isNew] = elementTypes.try_emplace(type);
  if (isNew)
    entry->second = getElementType(type);
  return entry->second;
}

/// An error for an operator that computes something of complex numbers.
static std::string findComplexOperand(const OperatorEntry &entry, ArrayRef<Value> operands) {
  // Others need no more than the sizes of these.
  if (entry.has(kMovesElements))
    return {};
  for (auto [index, operand] : llvm::enumerate(operands)) {
    Type type = operand ? getTensorElementType(operand.getType()) : Type();
    if (isa_and_present<ComplexType>(type))
      return "operand " + std::to_string(index) + " has elements of type " + getElementTypeName(getElementType(type)) +
             ", which is not supported";
  }
  return {};
}

LogicalResult Importer::readOperands(const Node &node, bool takesLists, Location loc, NodeOperands &operands) {
  for (StringRef input : node.inputs) {
    operands.lists.push_back(takesLists ? lists.lookup(input) : SharedList());
    bool isTensor = !input.empty() && !operands.lists.back();
    Value value = isTensor ? getValue(input, [&] { return node.describe(); }) : Value();
    operands.values.push_back(value);
    if (isTensor && !value) {
      const Tensor *initializer = initializers.lookup(input);
      contradicts = initializer && !graphValues && llvm::any_of(initializer->dims, [](int64_t dim) { return dim < 0; });
      return failure();
    }
    if (isTensor && !takesLists && !isa<TensorType>(value.getType()))
      return emitError(loc) << node.describe() << ": operand " << operands.values.size() - 1 << ", " << quoteName(input)
                            << ", is no tensor";
  }
  return success();
}

LogicalResult Importer::importNode(const Node &node) {
  auto loc = NameLoc::get(str(node.getLabel()), fileLoc);
  const OperatorEntry *entry = registry.lookup(node);
  NodeOperands operands;
  if (failed(readOperands(node, entry && entry->has(kTakesLists), loc, operands)))
    return failure();
  if (std::string error = findOpsetError(node); !error.empty())
    return emitError(loc) << error;
  const OperatorSchemas::Operator &schema = schemas.getOperator(node);
  if (std::string misread = schema.findMisreadAttribute(node); !misread.empty()) {
    contradicts = !graphValues;
    return emitError(loc) << node.describe() << ": has " << misread;
  }
  if (entry)
    return importByEntry(node, *entry, schema, operands, loc);
  if (mayHaveFunctionBody(node))
    return importDefinition(node, operands.values);
  return emitError(loc) << node.describe() << ": the operator is not supported";
}

LogicalResult Importer::importByEntry(const Node &node, const OperatorEntry &entry,
                                      const OperatorSchemas::Operator &schema, const NodeOperands &operands,
                                      Location loc) {
  NodeImport import(node, operands.values, operands.lists, builder, loc, *constants, *this);
  GuardReasons reasons(node, operands.values, builder, reasonWriter);
  // An optional that holds something is what it holds, also for operators that take no tensor in the opset.
  bool readsOptionals = entry.has(kReadsOptionals);
  SmallVector<ElementType> types = llvm::map_to_vector(operands.values, [&](Value operand) {
    bool isTensor = operand && isa<TensorType>(operand.getType()) && !readsOptionals;
    return isTensor ? findElementType(Emitter::getElementType(operand)) : ElementType::Undefined;
  });
  auto read = [&]() -> LogicalResult {
    for (size_t index = 0; index < entry.minOperands; ++index)
      if (!import.hasOperand(index) && !import.hasList(index))
        return import.error("operand " + Twine(index) + " is missing");
    for (size_t index = entry.maxOperands; index < operands.values.size(); ++index)
      if (operands.values[index] || operands.lists[index])
        return import.error("has " + Twine(operands.values.size()) + " operands, at most " + Twine(entry.maxOperands) +
                            " are supported");
    if (std::string error = findComplexOperand(entry, operands.values); !error.empty())
      return import.error(error);
    if (std::string error = schema.findTypeError(node, types); !error.empty())
      return import.error(error);
    return entry.import(import);
  };
  if (failed(read()) || import.hasFailed()) {
    // What ONNX does not define is no limit of this importer. A graph of a node may never be run.
    contradicts = (import.hasContradiction() || schema.refuses(node, types)) && !graphValues;
    return failure();
  }
  // ONNX's checker, which says that too, is not asked without weights.
  if (options.omitWeights && !isInDefinition)
    if (std::string unknown = schema.findUnknownAttribute(node); !unknown.empty())
      emitWarning(loc) << node.describe() << ": has " << unknown;
  // What is in its graphs are nodes of the model.
  if (!isInDefinition && !entry.has(kHasGraphs))
    reasons.give();
  for (auto [output, value, list] : llvm::zip_equal(node.outputs, import.getResults(), import.getListResults()))
    if (!output.empty() && (value || list))
      defineOutput(output, value, list);
  return success();
}

void Importer::defineOutput(StringRef name, Value value, const SharedList &list) {
  if (graphValues) {
    graphValues->set(name, value);
    graphLists->set(name, list);
  } else if (list) {
    lists[name] = list;
  } else {
    values[name] = value;
    declareDims(name, value);
  }
}

LogicalResult Importer::importGraph(const Graph &graph, ValueRange inputs, SmallVectorImpl<Value> &outputs) {
  // Names inside of a graph mean something else, or nothing, outside of it.
  Shadowing innerValues(values);
  Shadowing innerLists(lists);
  Shadowing innerInitializers(initializers);
  Shadowing innerRanks(declaredRanks);
  llvm::SaveAndRestore currentValues(graphValues, &innerValues);
  llvm::SaveAndRestore currentLists(graphLists, &innerLists);
  for (const Tensor &tensor : graph.initializers) {
    innerValues.set(tensor.name, {});
    innerLists.set(tensor.name, {});
    innerInitializers.set(tensor.name, &tensor);
  }
  for (auto [input, value] : llvm::zip_equal(graph.inputs, inputs)) {
    innerValues.set(input.name, value);
    innerLists.set(input.name, {});
  }
  for (const auto *list : {&graph.values, &graph.outputs})
    for (const ValueInfo &value : *list)
      if (value.dims)
        innerRanks.set(value.name, static_cast<int64_t>(value.dims->size()));
  for (const Node &node : graph.nodes)
    if (failed(importNode(node)))
      return failure();
  for (const ValueInfo &output : graph.outputs) {
    Value value = getValue(output.name, [] { return std::string("a graph of a node"); });
    if (!value)
      return failure();
    outputs.push_back(wrapAsDeclared(builder, value, output));
  }
  return success();
}

/// Keeps what `value_info` declares of a node's output, for the shapes phase to bring together with what it infers.
void Importer::declareDims(StringRef name, Value value) {
  auto declared = declaredValues.find(name);
  if (declared == declaredValues.end() || !isa<TensorType>(value.getType()))
    return;
  const ValueInfo &info = *declared->second;
  Type elementType = Emitter::getElementType(value);
  Type declaredType =
      findElementType(elementType) == info.type ? elementType : getElementType(info.type, builder.getContext());
  if (declaredType && declaredType != elementType)
    emitWarning(fileLoc) << quoteName(name) << " is declared with elements of type " << declaredType
                         << ", but has elements of type " << elementType;
  Operation *op = value.getDefiningOp();
  if (!info.dims || !op || op->getNumResults() != 1 || isa<ConstantOp>(op) || op->getDiscardableAttr(declaredDimsName))
    return;
  DictionaryAttr declaration = getDeclaration(*info.dims);
  if (op->getRawDictionaryAttrs().empty())
    op->setDiscardableAttrs(declaration);
  else if (Attribute dims = declaration.get(declaredDimsName))
    op->setDiscardableAttr(declaredDimsName, dims);
}

/// Few shapes are declared of many values.
DictionaryAttr Importer::getDeclaration(ArrayRef<Dim> declared) {
  SmallString<128> key;
  for (const Dim &dim : declared) {
    std::array<uint64_t, 3> numbers{static_cast<uint64_t>(dim.kind), static_cast<uint64_t>(dim.value), dim.text.size()};
    key.append(StringRef(reinterpret_cast<const char *>(numbers.data()), sizeof(numbers)));
    key.append(dim.text);
  }
  DictionaryAttr &known = declarations[key];
  if (known)
    return known;
  SmallVector<NamedAttribute, 1> attributes;
  if (SmallVector<symbolic::Expr> dims = signature->readOutputDims(declared); !dims.empty())
    attributes.push_back({declaredDimsName, dimsAttrs.get(dims)});
  return known = builder.getDictionaryAttr(attributes);
}

LogicalResult Importer::importNodes() {
  for (const Node &node : model->nodes)
    if (failed(options.allowForeign ? importOrCall(node) : importAndVerify(node)))
      return failure();
  return success();
}

/// Says in terms of the model what the ops of a node object to.
LogicalResult Importer::importAndVerify(const Node &node) {
  Block &block = function.front();
  Operation *last = block.empty() ? nullptr : &block.back();
  if (failed(importNode(node)))
    return failure();
  std::string objection;
  {
    ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
      if (objection.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        objection = diagnostic.str();
    });
    if (succeeded(verifyOps(last ? std::next(last->getIterator()) : block.begin(), block)))
      return success();
  }
  return emitError(NameLoc::get(str(node.getLabel()), fileLoc))
         << describeContradiction(node, objection, [&](StringRef name) { return values.lookup(name); }, getShapes());
}

/// Imports a node, or calls something unknown in its place.
LogicalResult Importer::importOrCall(const Node &node) {
  if (!foreignImport)
    foreignImport.emplace(*model, function, values);
  auto findValue = [&](StringRef name) {
    return values.contains(name) || initializers.contains(name) ? getValue(name, [] { return std::string(); })
                                                                : Value();
  };
  contradicts = false;
  auto attempt = [&] {
    return succeeded(importNode(node)) ? ForeignImport::Outcome::Imported
           : contradicts               ? ForeignImport::Outcome::Contradicts
                                       : ForeignImport::Outcome::NotSupported;
  };
  auto describe = [&](StringRef objection) { return describeContradiction(node, objection, findValue, getShapes()); };
  if (auto call = foreignImport->attempt(node, attempt, findValue, describe)) {
    foreign.push_back(std::move(*call));
    // The ops that the node had are gone, and others may come to stand where they did.
    shapes.reset();
    // Their tensors went with the node's ops.
    for (StringRef output : node.outputs)
      lists.erase(output);
  }
  return success();
}
