//===- ONNX to dyn ------------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNX/ImportONNX.h"
#include "Contradictions.h"
#include "Foreign/ForeignImport.h"
#include "Reading/FunctionBodies.h"
#include "Reading/GraphOrder.h"
#include "Reading/ModelReader.h"
#include "Reading/OperatorCheck.h"
#include "Reading/Shadowing.h"
#include "Schemas.h"
#include "Signature.h"
#include "dyn/Dialect/Dyn/IR/Aliases.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Error;

static std::vector<std::string> getOutputs(const ImportOptions &options) {
  std::vector<std::string> outputs = options.outputs;
  if (!options.weightsFile.empty())
    outputs.push_back(options.weightsFile);
  return outputs;
}

namespace {

class Importer : public GraphImporter {
public:
  Importer(StringRef name, StringRef directory, const ImportOptions &options, MLIRContext *context)
      : builder(context), fileLoc(FileLineColLoc::get(builder.getStringAttr(name), 0, 0)), directory(directory),
        options(options), files(directory, getOutputs(options)), writer(options.weightsFile) {}

  OwningOpRef<ModuleOp> run(StringRef bytes);
  /// After run().
  ImportRecord takeRecord() { return {std::move(values), model->messages.front(), std::move(foreign)}; }

private:
  LogicalResult read(StringRef bytes);
  LogicalResult checkExternalLocations(const Graph &graph);
  LogicalResult checkOperators();
  LogicalResult createFunction(ModuleOp module);
  LogicalResult createArguments();
  LogicalResult importNodes();
  LogicalResult importGraph(const Graph &graph, ValueRange inputs, SmallVectorImpl<Value> &outputs) final;
  LogicalResult importNode(const Node &node);
  LogicalResult importAndVerify(const Node &node);
  LogicalResult importOrCall(const Node &node);
  LogicalResult importBody(const Node &node, ArrayRef<Value> operands);
  /// Is the input no tensor, or one of elements that there are none of here?
  bool isForeign(const ValueInfo &input) {
    return !input.notTensor.empty() || !getElementType(input.type, builder.getContext());
  }
  void declareDims(const std::string &name, Value value);
  LogicalResult finishFunction();
  /// Null, after an error, for what a node did not compute or can't be made a constant. `user` says who reads the
  /// value.
  Value getValue(StringRef name, llvm::function_ref<std::string()> user);
  LogicalResult report(Error error) { return emitError(fileLoc) << llvm::toString(std::move(error)); }
  StringAttr str(StringRef text) { return builder.getStringAttr(text); }

  OpBuilder builder;
  Location fileLoc;
  std::string directory;
  const ImportOptions &options;
  ExternalFiles files;
  WeightWriter writer;
  OperatorRegistry registry;

  std::unique_ptr<Model> model;
  /// Inputs that are no initializers.
  std::vector<const ValueInfo *> arguments;
  std::optional<Signature> signature;
  func::FuncOp function;
  unsigned numBodies = 0;
  std::optional<ConstantPool> constants;
  llvm::StringMap<Value> values;
  llvm::StringMap<SharedList> lists; ///< values that are no tensors
  /// Those of the node's graph that is being imported.
  Shadowing<Value> *graphValues = nullptr;
  Shadowing<SharedList> *graphLists = nullptr;
  llvm::StringMap<const Tensor *> initializers;
  llvm::StringMap<int64_t> declaredRanks;
  llvm::StringMap<const ValueInfo *> declaredValues; ///< those between nodes
  std::vector<ForeignNode> foreign;
  std::optional<ForeignImport> foreignImport;
};

LogicalResult Importer::read(StringRef bytes) {
  SmallVector<std::string> findings;
  llvm::Expected<std::unique_ptr<Model>> result =
      readModel(bytes, directory, options.omitWeights ? nullptr : &findings);
  if (!result)
    return report(result.takeError());
  model = std::move(*result);
  for (const std::string &finding : findings)
    emitWarning(fileLoc) << "ONNX's checker objects: " << finding;
  if (failed(checkExternalLocations(*model)))
    return failure();
  if (Error error = inlineFunctions(*model))
    return report(std::move(error));
  if (Error error = orderNodes(*model))
    return report(std::move(error));
  return options.allowForeign ? success() : checkOperators();
}

/// A model that tries to read files elsewhere is refused as a whole, whether it would come to that or not.
LogicalResult Importer::checkExternalLocations(const Graph &graph) {
  auto check = [&](const Tensor &tensor, StringRef owner) -> LogicalResult {
    if (!tensor.external)
      return success();
    Error error = files.verifyLocation(*tensor.external);
    if (!error)
      return success();
    return emitError(fileLoc) << owner << ": " << llvm::toString(std::move(error));
  };
  for (const Tensor &tensor : graph.initializers)
    if (failed(check(tensor, "initializer " + quoteName(tensor.name))))
      return failure();
  for (const Node &node : graph.nodes)
    for (const NodeAttribute &attribute : node.attributes)
      if (failed(check(attribute.tensor, node.describe())) ||
          (attribute.graph && failed(checkExternalLocations(*attribute.graph))))
        return failure();
  return success();
}

LogicalResult Importer::checkOperators() {
  std::string error = findUnsupportedNodes(*model, registry);
  return error.empty() ? success() : LogicalResult(emitError(fileLoc) << error);
}

LogicalResult Importer::createArguments() {
  SmallVector<Type> types;
  for (const ValueInfo *input : arguments) {
    if (!input->notTensor.empty())
      return emitError(fileLoc) << "input " << quoteName(input->name) << " is " << input->notTensor << ", not a tensor";
    Type elementType = getElementType(input->type, builder.getContext());
    if (!elementType)
      return emitError(fileLoc) << "input " << quoteName(input->name) << " has elements of type "
                                << getElementTypeName(input->type) << ", which is not supported";
    const auto &dims = signature->getDims(types.size());
    if (!dims) {
      types.push_back(UnrankedTensorType::get(elementType));
      continue;
    }
    SmallVector<int64_t> sizes =
        llvm::map_to_vector(*dims, [](symbolic::Expr dim) { return dim.getConstant().value_or(ShapedType::kDynamic); });
    DimsAttr encoding;
    if (!ShapedType::isStaticShape(sizes))
      encoding = DimsAttr::get(builder.getContext(), ArrayRef<symbolic::Expr>(*dims));
    types.push_back(RankedTensorType::get(sizes, elementType, encoding));
  }
  function.setFunctionType(builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  for (auto [index, input] : llvm::enumerate(arguments)) {
    function.setArgAttr(static_cast<unsigned>(index), DynDialect::kNameAttrName, str(input->name));
    values[input->name] = body->getArgument(static_cast<unsigned>(index));
  }
  if (!signature->getSymbols().empty())
    function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(builder.getContext(), signature->getSymbols()));
  SmallVector<Alias> fixed;
  for (const symbolic::Predicate &size : signature->getFixed())
    fixed.push_back({PredAttr::get(builder.getContext(), size), "fixed for this compilation", ""});
  setAliases(function, fixed);
  return success();
}

static StringRef getDeclaredModeName(DeclaredDims mode) {
  switch (mode) {
  case DeclaredDims::Refine:
    return "refine";
  case DeclaredDims::Strict:
    return "strict";
  case DeclaredDims::Override:
    return "override";
  case DeclaredDims::Trust:
    return "trust";
  }
  llvm_unreachable("all modes are handled");
}

LogicalResult Importer::createFunction(ModuleOp module) {
  for (const Tensor &tensor : model->initializers)
    initializers[tensor.name] = &tensor;
  // An input that is an initializer has a default value, which is taken as the constant that it nearly always is.
  for (const ValueInfo &input : model->inputs)
    if (!initializers.contains(input.name) && !(options.allowForeign && isForeign(input)))
      arguments.push_back(&input);
  signature.emplace(arguments, model->outputs, options);
  if (Error error = signature->build())
    return report(std::move(error));
  for (const ValueInfo &value : model->values)
    declaredValues[value.name] = &value;
  for (const auto *list : {&model->values, &model->outputs})
    for (const ValueInfo &value : *list)
      if (value.dims)
        declaredRanks[value.name] = static_cast<int64_t>(value.dims->size());
  builder.setInsertionPointToStart(module.getBody());
  function = func::FuncOp::create(builder, fileLoc, "main", builder.getFunctionType({}, {}));
  if (options.declared != DeclaredDims::Refine)
    function->setAttr(DynDialect::kDeclaredAttrName, str(getDeclaredModeName(options.declared)));
  if (failed(createArguments()))
    return failure();
  constants.emplace(&function.front(), files, writer, options);
  builder.setInsertionPointToEnd(&function.front());
  return success();
}

Value Importer::getValue(StringRef name, llvm::function_ref<std::string()> user) {
  auto known = values.find(name);
  if (known != values.end() && known->second)
    return known->second;
  auto initializer = initializers.find(name);
  if (lists.lookup(name)) {
    emitError(fileLoc) << user() << " reads " << quoteName(name) << ", a sequence, where only tensors are supported";
    return {};
  }
  if (initializer == initializers.end()) {
    emitError(fileLoc) << user() << " reads " << quoteName(name) << ", a result that its node does not have here";
    return {};
  }
  auto loc = NameLoc::get(str(name), fileLoc);
  llvm::Expected<Value> value = constants->createTensor(loc, *initializer->second);
  if (!value) {
    emitError(loc) << llvm::toString(value.takeError());
    return {};
  }
  return values[name] = *value;
}

/// Imports the nodes that define the operator of `node` in its place.
LogicalResult Importer::importBody(const Node &node, ArrayRef<Value> operands) {
  SmallVector<OperandType> types = llvm::map_to_vector(operands, [](Value operand) {
    OperandType type;
    if (!operand)
      return type;
    type.type = getElementType(Emitter::getElementType(operand));
    if (auto dims = Emitter::getDims(operand))
      type.dims = SmallVector<int64_t>(*dims);
    return type;
  });
  std::optional<Function> body = findFunctionBody(node, types, *model);
  if (!body)
    return emitError(NameLoc::get(str(node.getLabel()), fileLoc))
           << node.describe() << ": is not supported for these operands and attributes";
  for (const Node &inner : instantiateBody(node, *body, numBodies++))
    if (failed(importNode(inner)))
      return failure();
  return success();
}

LogicalResult Importer::importNode(const Node &node) {
  auto loc = NameLoc::get(str(node.getLabel()), fileLoc);
  const OperatorEntry *known = registry.lookup(node);
  SmallVector<Value> operands;
  SmallVector<SharedList> listOperands;
  for (const std::string &input : node.inputs) {
    listOperands.push_back(known && known->takesLists ? lists.lookup(input) : SharedList());
    bool isTensor = !input.empty() && !listOperands.back();
    operands.push_back(isTensor ? getValue(input, [&] { return node.describe(); }) : Value());
    if (isTensor && !operands.back())
      return failure();
  }
  if (std::string error = findOpsetError(node); !error.empty())
    return emitError(loc) << error;
  if (!known && mayHaveFunctionBody(node))
    return importBody(node, operands);
  if (!known)
    return emitError(loc) << node.describe() << ": the operator is not supported";
  const OperatorEntry &entry = *known;
  NodeImport import(node, operands, listOperands, declaredRanks, builder, loc, *constants, *this);
  for (size_t index = 0; index < entry.minOperands; ++index)
    if (!import.hasOperand(index) && !import.hasList(index))
      return import.error("operand " + Twine(index) + " is missing");
  for (size_t index = entry.maxOperands; index < operands.size(); ++index)
    if (operands[index] || listOperands[index])
      return import.error("has " + Twine(operands.size()) + " operands, at most " + Twine(entry.maxOperands) +
                          " are supported");
  SmallVector<ElementType> types = llvm::map_to_vector(operands, [](Value operand) {
    return operand ? getElementType(Emitter::getElementType(operand)) : ElementType::Undefined;
  });
  if (std::string error = findTypeError(node, types); !error.empty())
    return import.error(error);
  if (failed(entry.import(import)) || import.hasFailed())
    return failure();
  for (auto [output, value, list] : llvm::zip_equal(node.outputs, import.getResults(), import.getListResults())) {
    if (output.empty() || (!value && !list))
      continue;
    if (graphValues) {
      graphValues->set(output, value);
      graphLists->set(output, list);
    } else if (list) {
      lists[output] = list;
    } else {
      values[output] = value;
      declareDims(output, value);
    }
  }
  return success();
}

LogicalResult Importer::importGraph(const Graph &graph, ValueRange inputs, SmallVectorImpl<Value> &outputs) {
  // Names inside of a graph mean something else, or nothing, outside of it.
  Shadowing<Value> innerValues(values);
  Shadowing<SharedList> innerLists(lists);
  Shadowing<const Tensor *> innerInitializers(initializers);
  Shadowing<int64_t> innerRanks(declaredRanks);
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
    outputs.push_back(value);
  }
  return success();
}

/// Keeps what `value_info` declares of a node's output, for the shapes phase to bring together with what it infers.
void Importer::declareDims(const std::string &name, Value value) {
  auto declared = declaredValues.find(name);
  if (declared == declaredValues.end())
    return;
  Type elementType = getElementType(declared->second->type, builder.getContext());
  if (elementType && elementType != Emitter::getElementType(value))
    emitWarning(fileLoc) << quoteName(name) << " is declared with elements of type " << elementType
                         << ", but has elements of type " << Emitter::getElementType(value);
  Operation *op = value.getDefiningOp();
  if (!declared->second->dims || !op || op->getNumResults() != 1 || isa<ConstantOp>(op) ||
      op->hasAttr(DynDialect::kDeclaredDimsAttrName))
    return;
  SmallVector<symbolic::Expr> dims = signature->readOutputDims(*declared->second->dims);
  if (!dims.empty())
    op->setAttr(DynDialect::kDeclaredDimsAttrName, DimsAttr::get(builder.getContext(), dims));
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
  std::optional<std::string> contradiction =
      findContradiction(node, last ? std::next(last->getIterator()) : block.begin(), block,
                        [&](StringRef name) { return values.lookup(name); });
  if (!contradiction)
    return success();
  return emitError(NameLoc::get(str(node.getLabel()), fileLoc)) << *contradiction;
}

/// Imports a node, or calls something unknown in its place.
LogicalResult Importer::importOrCall(const Node &node) {
  if (!foreignImport)
    foreignImport.emplace(*model, function, values);
  auto findValue = [&](StringRef name) {
    return values.contains(name) || initializers.contains(name) ? getValue(name, [] { return std::string(); })
                                                                : Value();
  };
  if (auto call = foreignImport->attempt(node, [&] { return importNode(node); }, findValue))
    foreign.push_back(std::move(*call));
  return success();
}

LogicalResult Importer::finishFunction() {
  SmallVector<Value> results;
  SmallVector<const ValueInfo *> outputs;
  for (const ValueInfo &output : model->outputs) {
    if (options.allowForeign && !values.contains(output.name) && !initializers.contains(output.name))
      continue;
    Value value = getValue(output.name, [] { return std::string("the model"); });
    if (!value)
      return failure();
    Type declared = getElementType(output.type, builder.getContext());
    if (declared && declared != Emitter::getElementType(value)) {
      // What others make of the sizes does not hang on it; a run would hand out other elements than are expected.
      InFlightDiagnostic diagnostic = options.allowForeign ? emitWarning(fileLoc) : emitError(fileLoc);
      diagnostic << "output " << quoteName(output.name) << " is declared with elements of type " << declared
                 << ", but has elements of type " << Emitter::getElementType(value);
      if (!options.allowForeign)
        return diagnostic;
    }
    results.push_back(value);
    outputs.push_back(&output);
  }
  func::ReturnOp::create(builder, fileLoc, results);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), TypeRange(ValueRange(results))));
  for (auto [index, output] : llvm::enumerate(outputs)) {
    auto result = static_cast<unsigned>(index);
    function.setResultAttr(result, DynDialect::kNameAttrName, str(output->name));
    if (!output->dims)
      continue;
    SmallVector<symbolic::Expr> dims = signature->readOutputDims(*output->dims);
    if (!dims.empty())
      function.setResultAttr(result, DynDialect::kDeclaredDimsAttrName, DimsAttr::get(builder.getContext(), dims));
  }
  return success();
}

OwningOpRef<ModuleOp> Importer::run(StringRef bytes) {
  if (failed(read(bytes)))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(fileLoc);
  if (failed(createFunction(*module)) || failed(importNodes()) || failed(finishFunction()) || failed(verify(*module)))
    return {};
  if (Error error = writer.keep()) {
    (void)report(std::move(error));
    return {};
  }
  return module;
}

} // namespace

OwningOpRef<ModuleOp> dyn::onnx::importONNX(ArrayRef<char> bytes, StringRef name, const ImportOptions &options,
                                            MLIRContext *context, ImportRecord *record) {
  // Constants are folded by the interpreter.
  DialectRegistry models;
  registerReferenceModels(models);
  context->appendDialectRegistry(models);
  context->loadDialect<DynDialect, func::FuncDialect>();
  Importer importer(name, options.dataDirectory.value_or(""), options, context);
  OwningOpRef<ModuleOp> module = importer.run(StringRef(bytes.data(), bytes.size()));
  if (module && record)
    *record = importer.takeRecord();
  return module;
}

OwningOpRef<ModuleOp> dyn::onnx::importONNXFile(StringRef path, const ImportOptions &options, MLIRContext *context,
                                                ImportRecord *record) {
  StringRef name = llvm::sys::path::filename(path);
  for (const std::string &output : getOutputs(options))
    if (isSameFile(path, output)) {
      emitError(FileLineColLoc::get(context, name, 0, 0))
          << "the output " << quoteName(output) << " is the model itself";
      return {};
    }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    emitError(FileLineColLoc::get(context, name, 0, 0))
        << "can't read " << quoteName(path) << ": " << buffer.getError().message();
    return {};
  }
  ImportOptions withFolder = options;
  if (!options.dataDirectory) {
    StringRef folder = llvm::sys::path::parent_path(path);
    withFolder.dataDirectory = folder.empty() ? "." : folder.str();
  }
  return importONNX(ArrayRef<char>((*buffer)->getBufferStart(), (*buffer)->getBufferSize()), name, withFolder, context,
                    record);
}
