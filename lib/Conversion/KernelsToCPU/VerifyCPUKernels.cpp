//===- The contract between the CPU's kernels and the host program ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/VerifyCode.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYCPUKERNELSPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

static constexpr StringLiteral kCulprit{"; 'dyn-lower-kernels-to-cpu' should have seen to it"};

/// A pointer and the dynamic dims of each buffer, and the sizes between inputs and outputs.
static SmallVector<Type> getArguments(shape::LaunchOp op) {
  Type pointer = LLVM::LLVMPointerType::get(op.getContext()), index = IndexType::get(op.getContext());
  SmallVector<Type> types;
  auto append = [&](ValueRange buffers) {
    for (Value buffer : buffers) {
      types.push_back(pointer);
      types.append(cast<ShapedType>(buffer.getType()).getNumDynamicDims(), index);
    }
  };
  append(op.getInputs());
  types.append(op.getSizes().size(), index);
  append(op.getOutputs());
  return types;
}

static LogicalResult verifyFunction(shape::LaunchOp op, SymbolTable &symbols, const Twine &name, TypeRange arguments,
                                    TypeRange results) {
  auto function = symbols.lookup<func::FuncOp>(name.str());
  if (!function || function.isExternal())
    return op.emitOpError() << "needs the function '" << name << "', which is not there" << kCulprit;
  if (!function.isPrivate())
    return function.emitOpError() << "is a kernel's and not private" << kCulprit;
  auto type = FunctionType::get(op.getContext(), arguments, results);
  if (function.getFunctionType() == type)
    return success();
  return op.emitOpError() << "needs '" << name << "' as " << type << ", but it is " << function.getFunctionType()
                          << kCulprit;
}

static LogicalResult verifyLaunch(shape::LaunchOp op, SymbolTable &symbols) {
  if (op->getNumResults() != 0)
    return op.emitOpError("still works on tensors; 'dyn-bufferize' should have seen to it");
  SmallVector<Type> arguments = getArguments(op);
  Type index = IndexType::get(op.getContext());
  SmallVector<Type> runArguments{LLVM::LLVMPointerType::get(op.getContext()), index, index};
  llvm::append_range(runArguments, arguments);
  SmallVector<StringRef> names{op.getKernel()};
  for (auto version : op.getVersions().getAsRange<FlatSymbolRefAttr>())
    names.push_back(version.getValue());
  for (StringRef name : names)
    if (failed(verifyFunction(op, symbols, name, runArguments, {})) ||
        failed(verifyFunction(op, symbols, name + ".count", arguments, index)) ||
        failed(verifyFunction(op, symbols, name + ".grain", arguments, index)) ||
        failed(verifyFunction(op, symbols, name + ".scratch", arguments, index)))
      return failure();
  return success();
}

namespace {

struct VerifyCPUKernels : dyn::impl::VerifyCPUKernelsPassBase<VerifyCPUKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto belongsToKernel = [&](func::FuncOp function) {
      StringRef kernel = function.getName();
      if (!kernel.consume_back(".count") && !kernel.consume_back(".grain"))
        kernel.consume_back(".scratch");
      auto owner = symbols.lookup<func::FuncOp>(kernel);
      return owner && owner->hasAttr(DynDialect::kKernelAttrName);
    };
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (belongsToKernel(function)) {
        if (failed(verifyCode(function, kCulprit)))
          return signalPassFailure();
        continue;
      }
      for (auto launch : function.getOps<shape::LaunchOp>())
        if (failed(verifyLaunch(launch, symbols)))
          return signalPassFailure();
    }
  }
};

} // namespace
