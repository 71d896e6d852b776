//===- Import and compilation for programs in C -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn-c/Translation.h"
#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/ExecutionEngine/SourceModule.h"
#include "dyn/InitAllDialects.h"
#include "dyn/Target/ONNX/ImportTexts.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"

using namespace dyn;
using namespace mlir;

static LogicalResult refuse(MLIRContext *context, const Twine &text) {
  return emitError(UnknownLoc::get(context)) << text;
}

/// What a call throws, for want of memory as a rule, becomes a diagnostic, and the call returns `failed`.
template <typename Result, typename Call>
static Result guarded(MLIRContext *context, Result failed, Call call) {
  try {
    return call();
  } catch (const std::exception &exception) {
    (void)refuse(context, exception.what());
  } catch (...) {
    (void)refuse(context, "out of resources");
  }
  return failed;
}

/// Texts of a C array; none of them may be null.
static FailureOr<SmallVector<StringRef>> readTexts(MLIRContext *context, const char *const *texts, size_t count,
                                                   StringRef name) {
  SmallVector<StringRef> result;
  for (size_t index = 0; index < count; ++index) {
    if (!texts || !texts[index]) {
      (void)refuse(context, "'" + name + "' has no text number " + Twine(index));
      return failure();
    }
    result.push_back(texts[index]);
  }
  return result;
}

static LogicalResult readOptions(MLIRContext *context, const DynImportOptions *given, onnx::ImportOptions &options) {
  if (!given)
    return success();
  auto dims = readTexts(context, given->dims, given->numDims, "dims");
  auto inputDims = readTexts(context, given->inputDims, given->numInputDims, "inputDims");
  auto inputValues = readTexts(context, given->inputValues, given->numInputValues, "inputValues");
  if (failed(dims) || failed(inputDims) || failed(inputValues))
    return failure();
  onnx::ImportTexts texts;
  texts.dims.assign(dims->begin(), dims->end());
  texts.inputDims.assign(inputDims->begin(), inputDims->end());
  texts.inputValues.assign(inputValues->begin(), inputValues->end());
  if (given->defaultDim)
    texts.defaultDim = given->defaultDim;
  switch (given->declared) {
  case DYN_DECLARED_REFINE:
    texts.declared = onnx::DeclaredDims::Refine;
    break;
  case DYN_DECLARED_STRICT:
    texts.declared = onnx::DeclaredDims::Strict;
    break;
  case DYN_DECLARED_OVERRIDE:
    texts.declared = onnx::DeclaredDims::Override;
    break;
  case DYN_DECLARED_TRUST:
    texts.declared = onnx::DeclaredDims::Trust;
    break;
  default:
    return refuse(context, "'declared' has the unknown value " + Twine(static_cast<int>(given->declared)));
  }
  if (llvm::Error error = onnx::readImportTexts(texts, options))
    return refuse(context, llvm::toString(std::move(error)));
  options.inlineWeights = given->inlineWeights;
  if (given->weightsFile) {
    options.weightsFile = given->weightsFile;
    options.copyExternalData = true;
  }
  return success();
}

static LogicalResult readOptions(MLIRContext *context, const DynCompileOptions *given, CompileOptions &options) {
  if (!given)
    return success();
  auto architectures = readTexts(context, given->cudaArchitectures, given->numCudaArchitectures, "cudaArchitectures");
  if (failed(architectures))
    return failure();
  if (given->target)
    options.target = given->target;
  if (options.target != "cpu" && options.target != "cuda")
    return refuse(context, "unknown target '" + options.target + "': expected cpu or cuda");
  if (given->targetCPU)
    options.targetCPU = given->targetCPU;
  for (StringRef architecture : *architectures)
    options.cudaArchitectures.push_back(architecture.str());
  if (given->weightsDirectory)
    options.weightsDirectory = given->weightsDirectory;
  return success();
}

/// Contexts that were made without dynRegisterAllDialects get what is missing.
static void prepare(MLIRContext *context) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerCompilerDialects(registry);
  context->appendDialectRegistry(registry);
}

MlirModule dynImportONNXFile(MlirContext context, const char *path, const DynImportOptions *options) {
  return guarded(unwrap(context), MlirModule{nullptr}, [&]() -> MlirModule {
    onnx::ImportOptions import;
    if (!path)
      (void)refuse(unwrap(context), "the path of the model is NULL");
    if (!path || failed(readOptions(unwrap(context), options, import)))
      return {nullptr};
    return wrap(onnx::importONNXFile(path, import, unwrap(context)).release());
  });
}

MlirModule dynImportONNX(MlirContext context, const void *bytes, size_t size, const char *name,
                         const DynImportOptions *options) {
  return guarded(unwrap(context), MlirModule{nullptr}, [&]() -> MlirModule {
    onnx::ImportOptions import;
    if (!bytes)
      (void)refuse(unwrap(context), "the bytes of the model are NULL");
    if (!bytes || failed(readOptions(unwrap(context), options, import)))
      return {nullptr};
    ArrayRef<char> model(static_cast<const char *>(bytes), size);
    return wrap(onnx::importONNX(model, name ? name : "model", import, unwrap(context)).release());
  });
}

MlirLogicalResult dynCompileModule(MlirModule module, const char *output, const DynCompileOptions *options) {
  MLIRContext *context = unwrap(module)->getContext();
  return guarded(context, wrap(failure()), [&] {
    CompileOptions compile;
    if (!output)
      return wrap(refuse(context, "the path of the artefact is NULL"));
    if (failed(readOptions(context, options, compile)))
      return wrap(failure());
    prepare(context);
    return wrap(compileModule(unwrap(module), compile, output));
  });
}

MlirLogicalResult dynCompileFile(MlirContext context, const char *input, const char *output,
                                 const DynImportOptions *importOptions, const DynCompileOptions *options) {
  return guarded(unwrap(context), wrap(failure()), [&] {
    onnx::ImportOptions import;
    CompileOptions compile;
    if (!input || !output)
      return wrap(refuse(unwrap(context), Twine("the path of the ") + (input ? "artefact" : "model") + " is NULL"));
    if (failed(readOptions(unwrap(context), importOptions, import)) ||
        failed(readOptions(unwrap(context), options, compile)))
      return wrap(failure());
    import.copyExternalData = false;
    prepare(unwrap(context));
    return wrap(compileFile(input, output, import, compile, *unwrap(context)));
  });
}
