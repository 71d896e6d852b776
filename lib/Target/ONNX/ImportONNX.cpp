//===- ONNX to dyn ------------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Operators/Sequences/RunTimeSequences.h"
#include "Reading/GraphOrder.h"
#include "Reading/ModelReader.h"
#include "Reading/OperatorCheck.h"
#include "dyn/Dialect/Dyn/IR/Aliases.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/ElementDims.h"
#include "dyn/Interpreter/Interpreter.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Error;

std::vector<std::string> dyn::onnx::getOutputs(const ImportOptions &options) {
  std::vector<std::string> outputs = options.outputs;
  if (!options.weightsFile.empty())
    outputs.push_back(options.weightsFile);
  return outputs;
}

LogicalResult Importer::read(StringRef bytes) {
  SmallVector<std::string> findings;
  // Leaving few weights where they are takes longer than reading them.
  constexpr size_t smallModel = 1 << 20;
  llvm::Expected<std::unique_ptr<Model>> result =
      readModel(bytes, directory, options.omitWeights ? nullptr : &findings,
                /*copiesWeights=*/options.omitWeights && bytes.size() < smallModel, completeMessage);
  if (!result)
    return report(result.takeError());
  model = std::move(*result);
  bodies.emplace(*model);
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
  std::optional<StringRef> verified; // the location that came last
  auto check = [&](const Tensor &tensor, llvm::function_ref<std::string()> describeOwner) -> LogicalResult {
    // Most weights of a model are in one file.
    if (!tensor.external || (verified && tensor.external->error.empty() && tensor.external->location == *verified))
      return success();
    Error error = files.verifyLocation(*tensor.external);
    if (!error) {
      verified = tensor.external->location;
      return success();
    }
    return emitError(fileLoc) << describeOwner() << ": " << llvm::toString(std::move(error));
  };
  for (const Tensor &tensor : graph.initializers)
    if (failed(check(tensor, [&] { return "initializer " + quoteName(tensor.name); })))
      return failure();
  for (const Node &node : graph.nodes)
    for (const NodeAttribute &attribute : node.attributes)
      if (failed(check(attribute.tensor, [&] { return node.describe(); })) ||
          (attribute.graph && failed(checkExternalLocations(*attribute.graph))))
        return failure();
  return success();
}

LogicalResult Importer::checkOperators() {
  std::string error = findUnsupportedNodes(*model, registry);
  return error.empty() ? success() : LogicalResult(emitError(fileLoc) << error);
}

/// What is declared of each tensor in an input that is a sequence or an optional; null if nothing is.
static ArrayAttr makeElementDims(const ValueInfo &input, Signature &signature, Builder &builder) {
  if (!input.elementDims)
    return {};
  return builder.getArrayAttr(
      llvm::map_to_vector(signature.readDims(*input.elementDims), [&](symbolic::Expr dim) -> Attribute {
        if (std::optional<int64_t> size = dim.getConstant())
          return builder.getI64IntegerAttr(*size);
        bool isNamed = dim != dim.getContext().getSymbol("?");
        return isNamed ? Attribute(builder.getStringAttr(dim.str())) : builder.getUnitAttr();
      }));
}

LogicalResult Importer::createArguments() {
  SmallVector<Type> types;
  for (const ValueInfo *input : arguments) {
    if (!input->notTensor.empty() && input->container == Container::None)
      return emitError(fileLoc) << "input " << quoteName(input->name) << " is " << input->notTensor << ", not a tensor";
    Type elementType = getInputElementType(*input);
    if (!elementType)
      return emitError(fileLoc) << "input " << quoteName(input->name) << " has elements of type "
                                << getElementTypeName(input->type) << ", which is not supported";
    if (Type wrapped = getWrappedType(*input, builder.getContext())) {
      types.push_back(wrapped);
      continue;
    }
    const auto &dims = signature->getDims(types.size());
    if (!dims) {
      types.push_back(UnrankedTensorType::get(elementType));
      continue;
    }
    SmallVector<int64_t> sizes =
        llvm::map_to_vector(*dims, [](symbolic::Expr dim) { return dim.getConstant().value_or(ShapedType::kDynamic); });
    DimsAttr encoding;
    if (!ShapedType::isStaticShape(sizes))
      encoding = dimsAttrs.get(*dims);
    types.push_back(RankedTensorType::get(sizes, elementType, encoding));
  }
  function.setFunctionType(builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  SmallVector<DictionaryAttr> attributes;
  for (auto [index, input] : llvm::enumerate(arguments)) {
    SmallVector<NamedAttribute> own{builder.getNamedAttr(DynDialect::kNameAttrName, str(input->name))};
    if (ArrayAttr dims = makeElementDims(*input, *signature, builder))
      own.push_back(builder.getNamedAttr(kElementDimsAttrName, dims));
    attributes.push_back(builder.getDictionaryAttr(own));
    values[input->name] = body->getArgument(static_cast<unsigned>(index));
  }
  function.setAllArgAttrs(attributes);
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

LogicalResult Importer::createFunction(ModuleOp module, StringRef bytes) {
  for (const Tensor &tensor : model->initializers)
    initializers[tensor.name] = &tensor;
  // An input that is an initializer has a default value, which is taken as the constant that it nearly always is.
  for (const ValueInfo &input : model->inputs) {
    if (initializers.contains(input.name))
      continue;
    if (!options.allowForeign || !isForeign(input))
      arguments.push_back(&input);
    else if (!input.hasType)
      emitWarning(fileLoc) << "input " << quoteName(input.name)
                           << " is of no known type: what is computed from it has sizes of its own";
  }
  signature.emplace(arguments, model->inputs, model->outputs, options);
  if (Error error = signature->build())
    return report(std::move(error));
  for (const ValueInfo &value : model->values)
    declaredValues[value.name] = &value;
  for (const ValueInfo &output : model->outputs)
    if (output.dims)
      declaredRanks[output.name] = static_cast<int64_t>(output.dims->size());
  builder.setInsertionPointToStart(module.getBody());
  function = func::FuncOp::create(builder, fileLoc, "main", builder.getFunctionType({}, {}));
  if (options.declared != DeclaredDims::Refine)
    function->setAttr(DynDialect::kDeclaredAttrName, str(getDeclaredModeName(options.declared)));
  if (failed(createArguments()))
    return failure();
  constants.emplace(&function.front(), ExternalFiles::View{path, 0, bytes}, files, writer, options);
  if (failed(fixInputs()))
    return failure();
  builder.setInsertionPointToEnd(&function.front());
  return success();
}

/// Is a value a sequence of maps for ONNX, of which the import makes a tensor?
static bool isZipped(const Graph &graph, StringRef name) {
  // In the order of the nodes, which is that of their values.
  llvm::StringSet<> zipped;
  for (const Node &node : graph.nodes) {
    bool makesMaps = node.domain == "ai.onnx.ml" && node.opType == "ZipMap";
    bool movesMaps = node.domain.empty() && node.opType == "Identity" && node.inputs.size() == 1 &&
                     zipped.contains(node.inputs.front());
    if ((makesMaps || movesMaps) && node.outputs.size() == 1)
      zipped.insert(node.outputs.front());
  }
  return zipped.contains(name);
}

/// What is wrong with an output that is declared as something else than it is; empty if nothing. An optional that is
/// known to have an element is that element.
static std::string findKindError(Type type, const ValueInfo &declared) {
  if (!declared.hasType)
    return {};
  Container container = declared.container;
  if (isa<TensorType>(type) && !declared.notTensor.empty() && container != Container::Optional)
    return "output " + quoteName(declared.name) + " is declared as " + declared.notTensor + ", but is a tensor";
  if (isa<SequenceType>(type) && container != Container::Sequence && container != Container::OptionalSequence)
    return "output " + quoteName(declared.name) + " is not declared as a sequence, but is one";
  bool isOptional = container == Container::Optional || container == Container::OptionalSequence;
  if (isa<OptionalType>(type) && !isOptional)
    return "output " + quoteName(declared.name) + " is not declared as an optional, but is one";
  return {};
}

LogicalResult Importer::finishFunction() {
  SmallVector<Value> results;
  SmallVector<const ValueInfo *> outputs;
  // A value may be several outputs.
  llvm::StringMap<Value> given;
  for (const ValueInfo &output : model->outputs) {
    auto known = values.find(output.name);
    bool isTensor = known != values.end() && (!known->second || isa<TensorType>(known->second.getType()));
    if (options.allowForeign && !isTensor && !initializers.contains(output.name))
      continue;
    Value &value = given[output.name];
    if (!value)
      value = getValue(output.name, [] { return std::string("the model"); });
    if (!value)
      return failure();
    if (std::string error = findKindError(value.getType(), output); !error.empty() && !isZipped(*model, output.name))
      return emitError(fileLoc) << error;
    Type declared = getElementType(output.type, builder.getContext()),
         elementType = getTensorElementType(value.getType());
    if (declared && declared != elementType) {
      // What others make of the sizes does not hang on it; a run would hand out other elements than are expected.
      InFlightDiagnostic diagnostic = options.allowForeign ? emitWarning(fileLoc) : emitError(fileLoc);
      diagnostic << "output " << quoteName(output.name) << " is declared with elements of type " << declared
                 << ", but has elements of type " << elementType;
      if (!options.allowForeign)
        return diagnostic;
    }
    results.push_back(value);
    outputs.push_back(&output);
  }
  func::ReturnOp::create(builder, fileLoc, results);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), TypeRange(ValueRange(results))));
  // Each list of attributes that a function gets is one to be uniqued.
  SmallVector<DictionaryAttr> attributes;
  for (const ValueInfo *output : outputs) {
    SmallVector<NamedAttribute> own{builder.getNamedAttr(DynDialect::kNameAttrName, str(output->name))};
    SmallVector<symbolic::Expr> dims =
        output->dims ? signature->readOutputDims(*output->dims) : SmallVector<symbolic::Expr>();
    if (!dims.empty())
      own.push_back({declaredDimsName, dimsAttrs.get(dims)});
    attributes.push_back(builder.getDictionaryAttr(own));
  }
  function.setAllResultAttrs(attributes);
  return success();
}

OwningOpRef<ModuleOp> Importer::run(StringRef bytes) {
  if (failed(read(bytes)))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(fileLoc);
  if (failed(createFunction(*module, bytes)) || failed(importNodes()) || failed(finishFunction()))
    return {};
  // Where nodes may be foreign, the ops of each have been verified to find those that are.
  if (!options.allowForeign && failed(verify(*module)))
    return {};
  if (Error error = writer.keep()) {
    (void)report(std::move(error));
    return {};
  }
  return module;
}

/// Imports a model; `path` is that of its file, or empty.
static OwningOpRef<ModuleOp> importBytes(StringRef bytes, StringRef name, StringRef path, const ImportOptions &options,
                                         MLIRContext *context, ImportRecord *record) {
  // Constants are folded by the interpreter, and ops are asked for dims.
  DialectRegistry models;
  registerReferenceModels(models);
  registerShapeRelations(models);
  context->appendDialectRegistry(models);
  context->loadDialect<DynDialect, func::FuncDialect>();
  Importer importer(name, path, options, context);
  OwningOpRef<ModuleOp> module = importer.run(bytes);
  if (module && record)
    *record = importer.takeRecord();
  return module;
}

OwningOpRef<ModuleOp> dyn::onnx::importONNX(ArrayRef<char> bytes, StringRef name, const ImportOptions &options,
                                            MLIRContext *context, ImportRecord *record) {
  return importBytes(StringRef(bytes.data(), bytes.size()), name, /*path=*/"", options, context, record);
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
  OwningOpRef<ModuleOp> module = importBytes((*buffer)->getBuffer(), name, path, withFolder, context, record);
  if (module && record)
    record->file = std::move(*buffer);
  return module;
}
