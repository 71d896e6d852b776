//===- The contract between the host program and the artefact ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Conversion/KernelCode/VerifyCode.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/JSON.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYHOSTPASS
#include "dyn/Conversion/HostToLLVM/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

static constexpr StringLiteral kCulprit{"; 'dyn-lower-host' should have seen to it"};

static LogicalResult verifyDescriptor(ModuleOp module) {
  auto text = module->getAttrOfType<StringAttr>(DynDialect::kDescriptorAttrName);
  if (!text)
    return module.emitOpError() << "has no '" << DynDialect::kDescriptorAttrName << "'" << kCulprit;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text.getValue());
  if (!value)
    return module.emitOpError() << "has a '" << DynDialect::kDescriptorAttrName
                                << "' that is no JSON: " << llvm::toString(value.takeError()) << kCulprit;
  if (value->getAsObject())
    return success();
  return module.emitOpError() << "has a '" << DynDialect::kDescriptorAttrName << "' that is no object" << kCulprit;
}

/// `@name(pointers) -> integer`
static LogicalResult verifyEntryPoint(ModuleOp module, SymbolTable &symbols, StringRef name, unsigned numArguments,
                                      unsigned resultBits) {
  auto function = symbols.lookup<func::FuncOp>(name);
  if (!function || function.isExternal())
    return module.emitOpError() << "has no function '" << name << "'" << kCulprit;
  MLIRContext *context = module.getContext();
  SmallVector<Type> arguments(numArguments, LLVM::LLVMPointerType::get(context));
  auto type = FunctionType::get(context, arguments, IntegerType::get(context, resultBits));
  if (function.getFunctionType() == type)
    return success();
  return function.emitOpError() << "should be " << type << ", but is " << function.getFunctionType() << kCulprit;
}

/// The runtime calls `@dyn.buffers` only if it is there.
static LogicalResult verifyEntryPoints(ModuleOp module) {
  SymbolTable symbols(module);
  return success(succeeded(verifyEntryPoint(module, symbols, kCheckFunctionName, 6, 32)) &&
                 succeeded(verifyEntryPoint(module, symbols, kRunFunctionName, 5, 32)) &&
                 succeeded(verifyEntryPoint(module, symbols, kScratchFunctionName, 1, 64)) &&
                 succeeded(verifyEntryPoint(module, symbols, kArenaFunctionName, 1, 64)) &&
                 (!symbols.lookup(kBuffersFunctionName) ||
                  succeeded(verifyEntryPoint(module, symbols, kBuffersFunctionName, 2, 64))));
}

static LogicalResult verifyFunction(func::FuncOp function) {
  if (function.isPublic())
    return function.emitOpError() << "is public; callers reach an artefact through its table" << kCulprit;
  return verifyCode(function, kCulprit, [](Operation *op) {
    return isa_and_nonnull<cf::ControlFlowDialect>(op->getDialect()) || isa<UnrealizedConversionCastOp>(op);
  });
}

namespace {

struct VerifyHost : dyn::impl::VerifyHostPassBase<VerifyHost> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyDescriptor(module)) || failed(verifyEntryPoints(module)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(verifyFunction(function)))
        return signalPassFailure();
  }
};

} // namespace
