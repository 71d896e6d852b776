//===- Models in the reference interpreter ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/ReferenceModel.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
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
    : source(input, import, context, options.mayHaveSequences), weights(source.getWeightsDirectory()) {
  if (!source)
    return;
  if (!options.inferShapes || succeeded(inferBeforeRun()))
    function = inferred ? inferred->lookupSymbol<func::FuncOp>(source.getProgram().getName()) : source.getProgram();
  else if (succeeded(inferOpen()))
    function = source.getProgram();
}

/// Silent where it fails.
LogicalResult ReferenceModel::inferBeforeRun() {
  OwningOpRef<ModuleOp> module = source.get().clone();
  std::vector<std::pair<Location, std::string>> warnings;
  {
    ScopedDiagnosticHandler collector(module->getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
        warnings.emplace_back(diagnostic.getLocation(), diagnostic.str());
    });
    PassManager manager(module->getContext(), ModuleOp::getOperationName());
    addPhases(manager, Phase::Import, Phase::Shapes, {});
    if (failed(manager.run(*module)))
      return failure();
  }
  for (const auto &[loc, text] : warnings)
    emitWarning(loc) << text;
  inferred = std::move(module);
  return success();
}

LogicalResult ReferenceModel::inferOpen() {
  PassManager manager(source.get().getContext(), ModuleOp::getOperationName());
  InferShapesPassOptions options;
  options.open = true;
  manager.addNestedPass<func::FuncOp>(createInferShapesPass(options));
  return manager.run(source.get());
}

static ReferenceModel::Port makePort(StringAttr name, Type type) {
  ReferenceModel::Port port;
  port.name = name.str();
  port.elementType = getTensorElementType(type);
  port.kind = isa<TensorType>(type) ? "tensor" : isa<SequenceType>(type) ? "sequence" : "optional";
  if (auto optional = dyn_cast<OptionalType>(type); optional && isa<SequenceType>(optional.getElement()))
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

std::vector<ReferenceModel::Port> ReferenceModel::getInputs() {
  std::vector<Port> ports;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    ports.push_back(makePort(function.getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName), type));
  return ports;
}

std::vector<ReferenceModel::Port> ReferenceModel::getOutputs() {
  std::vector<Port> ports;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    ports.push_back(makePort(function.getResultAttrOfType<StringAttr>(index, DynDialect::kNameAttrName), type));
  return ports;
}

FailureOr<SmallVector<ReferenceTensor>> ReferenceModel::run(ArrayRef<ReferenceTensor> inputs) {
  return interpretFunction(function, inputs, weights);
}
