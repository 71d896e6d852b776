//===- Models in the reference interpreter ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/ReferenceModel.h"
#include "dyn/Dialect/Dyn/IR/Aliases.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/ElementDims.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace dyn;
using namespace mlir;

DialectRegistry ReferenceModel::getRegistry() {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  registerReferenceModels(registry);
  return registry;
}

ReferenceModel::ReferenceModel(StringRef input, const onnx::ImportOptions &import, MLIRContext &context,
                               Options options)
    : source(input, import, context, options.mayHaveSequences), weights(source.getWeightsDirectory()),
      checksFirst(options.checksSizes), hasInferred(options.inferShapes) {
  if (!source)
    return;
  // What is declared of outputs is held against what is inferred.
  auto declared = source.getProgram()->getAttrOfType<StringAttr>(DynDialect::kDeclaredAttrName);
  hasInferred |= declared && (declared.getValue() == "strict" || declared.getValue() == "trust");
  if (hasInferred)
    inferred = inferBeforeRun();
  if (!hasInferred || inferred)
    function = inferred ? inferred->lookupSymbol<func::FuncOp>(source.getProgram().getName()) : source.getProgram();
  else if (succeeded(inferOpen(source.get())))
    function = source.getProgram();
}

OwningOpRef<ModuleOp> ReferenceModel::inferBeforeRun() {
  OwningOpRef<ModuleOp> module = source.get().clone();
  std::vector<std::pair<Location, std::string>> warnings;
  {
    ScopedDiagnosticHandler collector(module->getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
        warnings.emplace_back(diagnostic.getLocation(), diagnostic.str());
    });
    // As in the shapes phase, but for what replaces, folds or removes ops: nothing may be left then that finds a size
    // from data.
    PassManager manager(module->getContext(), ModuleOp::getOperationName());
    OpPassManager &functions = manager.nest<func::FuncOp>();
    functions.addPass(createUnrollLoopsPass());
    functions.addPass(createInferShapesPass());
    functions.addPass(createSelectBranchesPass());
    functions.addPass(createMinimizeGuardsPass());
    if (failed(manager.run(*module)))
      return {};
  }
  for (const auto &[loc, text] : warnings)
    emitWarning(loc) << text;
  return module;
}

LogicalResult ReferenceModel::inferOpen(ModuleOp module) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  InferShapesPassOptions options;
  options.open = true;
  manager.addNestedPass<func::FuncOp>(createInferShapesPass(options));
  return manager.run(module);
}

static ReferenceModel::Port makePort(StringAttr name, Type type) {
  ReferenceModel::Port port;
  port.name = name.str();
  port.elementType = getTensorElementType(type);
  port.kind = isa<TensorType>(type) ? "tensor" : isa<SequenceType>(type) ? "sequence" : "optional";
  if (isa<OptionalType>(type) && isa<SequenceType>(unwrapOptional(type)))
    port.kind = "optional sequence";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return port;
  port.dims.emplace();
  DimsAttr encoding = DimsAttr::of(tensor);
  for (auto [dim, size] : llvm::enumerate(tensor.getShape())) {
    if (encoding)
      port.dims->push_back(encoding.getDims()[dim].getText().str());
    else
      port.dims->push_back(ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  }
  return port;
}

static std::vector<ReferenceModel::Port> makeInputs(FunctionOpInterface function) {
  std::vector<ReferenceModel::Port> ports;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    ports.push_back(makePort(function.getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName), type));
  return ports;
}

static std::vector<ReferenceModel::Port> makeOutputs(FunctionOpInterface function) {
  std::vector<ReferenceModel::Port> ports;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    ports.push_back(makePort(function.getResultAttrOfType<StringAttr>(index, DynDialect::kNameAttrName), type));
  return ports;
}

static std::vector<ReferenceModel::Port> makeListed(FunctionOpInterface function) {
  std::vector<ReferenceModel::Port> ports;
  for (auto [index, port] : llvm::enumerate(makeInputs(function))) {
    auto declared = function.getArgAttrOfType<ArrayAttr>(index, kElementDimsAttrName);
    if (!declared)
      continue;
    port.dims.emplace();
    for (Attribute dim : declared) {
      auto size = dyn_cast<IntegerAttr>(dim);
      auto text = dyn_cast<StringAttr>(dim);
      port.dims->push_back(size ? std::to_string(size.getInt()) : text ? text.str() : "?");
    }
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<ReferenceModel::Port> ReferenceModel::getInputs() { return makeInputs(function); }
std::vector<ReferenceModel::Port> ReferenceModel::getOutputs() { return makeOutputs(function); }

FailureOr<ReferenceModel::Sizes> ReferenceModel::findSizes() {
  OwningOpRef<ModuleOp> copy;
  FunctionOpInterface known = function;
  if (!hasInferred) {
    copy = source.get().clone();
    // What is declared wrongly was told when the model was read, or is when it runs.
    ScopedDiagnosticHandler silence(copy->getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    if (failed(inferOpen(*copy)))
      return failure();
    known = copy->lookupSymbol<func::FuncOp>(source.getProgram().getName());
  }
  Sizes sizes{"", {}, {}, makeInputs(known), makeOutputs(known), makeListed(known)};
  if (auto symbols = known->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    sizes.declarations = symbolic::printSymbolDeclarations(symbols.getDeclarations());
  if (auto constraints = known->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
    for (PredAttr constraint : constraints.getPredicates())
      sizes.guards.push_back({constraint.getText().str(), "declared", ""});
  for (RequireOp guard : known.front().getOps<RequireOp>())
    sizes.guards.push_back(
        {guard.getPredicate().getText().str(), guard.getBecause().str(), getNodeName(guard.getLoc()).str()});
  for (const Alias &alias : dyn::getAliases(known))
    sizes.aliases.push_back({alias.relation.getText().str(), alias.because, alias.where});
  return sizes;
}

FunctionOpInterface ReferenceModel::findKnownSizes() {
  if (!sizes) {
    ScopedDiagnosticHandler silence(function->getContext(), [](Diagnostic &) { return success(); });
    sizes = inferBeforeRun();
    if (!*sizes) {
      sizes = source.get().clone();
      if (failed(inferOpen(**sizes)))
        sizes = OwningOpRef<ModuleOp>();
    }
  }
  return *sizes ? (*sizes)->lookupSymbol<func::FuncOp>(source.getProgram().getName()) : func::FuncOp();
}

LogicalResult ReferenceModel::checkSizes(ArrayRef<ReferenceTensor> inputs) {
  FunctionOpInterface known = findKnownSizes();
  return known ? checkInputs(known, inputs) : success();
}

FailureOr<SmallVector<ReferenceTensor>> ReferenceModel::run(ArrayRef<ReferenceTensor> inputs,
                                                            llvm::function_ref<bool()> isInterrupted) {
  RunWatch watch;
  watch.isInterrupted = isInterrupted;
  if (hasInferred)
    return interpretFunction(function, inputs, weights, &watch);
  if (checksFirst && failed(checkSizes(inputs)))
    return failure();
  // An error of a node says less than what inputs must be for it.
  SmallVector<Diagnostic, 1> errors;
  FailureOr<SmallVector<ReferenceTensor>> results = failure();
  {
    ScopedDiagnosticHandler collector(function->getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      errors.push_back(std::move(diagnostic));
      return success();
    });
    results = interpretFunction(function, inputs, weights, &watch);
    // What stands behind a loop without trips may have failed for that.
    FunctionOpInterface known = watch.hasGuessedSizes ? findKnownSizes() : FunctionOpInterface();
    if (known) {
      size_t numErrors = errors.size();
      FailureOr<SmallVector<ReferenceTensor>> again = interpretFunction(known, inputs, weights, &watch);
      errors.truncate(numErrors);
      if (succeeded(again))
        return again;
    }
  }
  if (succeeded(results) || (isInterrupted && isInterrupted()) || (!checksFirst && failed(checkSizes(inputs))))
    return results;
  for (Diagnostic &error : errors)
    function->getContext()->getDiagEngine().emit(std::move(error));
  return failure();
}
