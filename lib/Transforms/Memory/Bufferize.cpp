//===- Tensors of main become buffers ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace dyn {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {

bool isKernel(func::FuncOp function) { return function->hasAttr(DynDialect::kKernelAttrName); }

/// `arith.constant` of a tensor would become a global that only LLVM's lowering of memrefs knows; as `dyn.constant` all
/// constant data go one way.
void unifyConstants(func::FuncOp function) {
  SmallVector<arith::ConstantOp> constants;
  function.walk([&](arith::ConstantOp constant) {
    if (isa<RankedTensorType>(constant.getType()))
      constants.push_back(constant);
  });
  for (arith::ConstantOp constant : constants) {
    OpBuilder builder(constant);
    auto replacement =
        dyn::ConstantOp::create(builder, constant.getLoc(), constant.getType(), Attribute(constant.getValue()));
    constant.replaceAllUsesWith(replacement.getResult());
    constant.erase();
  }
}

struct BufferizePass : dyn::impl::BufferizePassBase<BufferizePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::vector<std::string> kernels;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (isKernel(function))
        kernels.push_back(function.getName().str());
      else
        unifyConstants(function);
    }

    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
    options.unknownTypeConverterFn = [](TensorType type, Attribute memorySpace,
                                        const bufferization::BufferizationOptions &) {
      return bufferization::getMemRefTypeWithStaticIdentityLayout(type, memorySpace);
    };
    options.noAnalysisFuncFilter = kernels;
    options.opFilter.denyOperation([](Operation *op) {
      auto function = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
      return function && isKernel(function);
    });
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
      return signalPassFailure();
    bufferization::removeBufferizationAttributesInModule(module);
  }
};

} // namespace
