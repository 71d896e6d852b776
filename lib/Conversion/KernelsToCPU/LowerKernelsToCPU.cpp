//===- Kernels on tensors to functions on pointers ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "dyn/Analysis/InPlace.h"
#include "dyn/Conversion/KernelCode/ContractionPlan.h"
#include "dyn/Conversion/KernelCode/KernelStructure.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dyn {
#define GEN_PASS_DEF_LOWERKERNELSTOCPUPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn::cpu;

/// Work that takes less than so many instructions is not worth a task of its own (about ten microseconds).
static constexpr int64_t minTaskCost = 40000;

static std::unique_ptr<KernelForm> matchForm(func::FuncOp kernel) {
  StringRef kind = cast<StringAttr>(kernel->getAttr("dyn.kernel")).getValue();
  // Its maps are beyond the other forms.
  if (kind == "attention")
    return matchAttentionKernel(kernel);
  std::unique_ptr<KernelForm> form;
  if (kind == "concat")
    form = matchConcatKernel(kernel);
  else if (kind != "sequential")
    form = matchNestKernel(kernel);
  if (!form && kind == "row")
    form = matchRowKernel(kernel);
  // Whatever has no better form still runs.
  return form ? std::move(form) : matchSequentialKernel(kernel);
}

/// Only tiles read panels.
static LogicalResult verifyPanels(func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments()) {
    auto layout = kernel.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), dyn::DynDialect::kLayoutAttrName);
    if (!layout)
      continue;
    if (!PanelLayout::fromMap(layout.getValue()))
      return kernel.emitOpError("argument ")
             << argument.getArgNumber() << " lies as " << layout << " says, which is not in panels";
    std::optional<FusedOps> ops = matchSingleNest(kernel);
    auto main = ops ? dyn_cast<linalg::GenericOp>(*ops->main) : linalg::GenericOp();
    if (!main || !ContractionPlan::isPossible(main, /*mayHaveOneRow=*/true) || !argument.hasOneUse() ||
        *argument.user_begin() != main)
      return kernel.emitOpError("argument ")
             << argument.getArgNumber() << " lies in panels, but is not only read by a contraction in tiles";
  }
  return success();
}

namespace {

struct LowerKernelsToCPUPass : public dyn::impl::LowerKernelsToCPUPassBase<LowerKernelsToCPUPass> {
  using LowerKernelsToCPUPassBase::LowerKernelsToCPUPassBase;

  void runOnOperation() override {
    if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512) {
      getOperation().emitError("vector-bits must be 128, 256 or 512, not ") << unsigned(vectorBits);
      return signalPassFailure();
    }
    if (l2Bytes < 1024) {
      getOperation().emitError("l2-bytes must be at least 1024, not ") << int64_t(l2Bytes);
      return signalPassFailure();
    }
    if (l1Ways < 2) {
      getOperation().emitError("l1-ways must be at least 2, not ") << int64_t(l1Ways);
      return signalPassFailure();
    }
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (isa_and_nonnull<StringAttr>(kernel->getAttr("dyn.kernel")) && failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(func::FuncOp kernel) {
    if (failed(verifyKernel(kernel)))
      return failure();
    allowFusedMultiplyAdd(kernel);
    std::unique_ptr<KernelForm> form = matchForm(kernel);
    if (!form || failed(verifyPanels(kernel)))
      return failure();

    std::string name = kernel.getName().str();
    SmallVector<Type> arguments = lowerArgumentTypes(kernel);
    Type index = IndexType::get(&getContext());
    SmallVector<Type> runArguments{LLVM::LLVMPointerType::get(&getContext()), index, index};
    llvm::append_range(runArguments, arguments);

    OpBuilder builder(kernel);
    func::FuncOp run = createFunction(builder, kernel, name + ".run", runArguments, {});
    run->setAttr("dyn.kernel", kernel->getAttr("dyn.kernel"));
    emit(*form, kernel, run, CPUKernelCode::Role::Run, [&](CPUKernelCode &code) -> SmallVector<Value> {
      form->emitRun(code);
      code.emitFence();
      return {};
    });
    func::FuncOp count = createFunction(builder, kernel, name + ".count", arguments, index);
    emit(*form, kernel, count, CPUKernelCode::Role::Count,
         [&](CPUKernelCode &code) -> SmallVector<Value> { return {form->emitCount(code)}; });
    func::FuncOp grain = createFunction(builder, kernel, name + ".grain", arguments, index);
    emit(*form, kernel, grain, CPUKernelCode::Role::Count, [&](CPUKernelCode &kernelCode) -> SmallVector<Value> {
      Code &code = kernelCode.code;
      Value cost = code.max(form->emitItemCost(kernelCode), code.index(1));
      return {code.div(code.add(cost, code.index(minTaskCost - 1)), cost)};
    });
    func::FuncOp scratch = createFunction(builder, kernel, name + ".scratch", arguments, index);
    emit(*form, kernel, scratch, CPUKernelCode::Role::Count,
         [&](CPUKernelCode &code) -> SmallVector<Value> { return {form->emitScratchBytes(code)}; });
    kernel.erase();
    run.setName(name);
    return success();
  }

  static func::FuncOp createFunction(OpBuilder &builder, func::FuncOp kernel, const std::string &name,
                                     TypeRange arguments, TypeRange results) {
    builder.setInsertionPoint(kernel);
    auto type = builder.getFunctionType(arguments, results);
    auto function = func::FuncOp::create(builder, kernel.getLoc(), name, type);
    function.setPrivate();
    return function;
  }

  /// Fills in `function` with what `body` builds and returns.
  void emit(KernelForm &form, func::FuncOp kernel, func::FuncOp function, CPUKernelCode::Role role,
            function_ref<SmallVector<Value>(CPUKernelCode &)> body) {
    OpBuilder builder(&getContext());
    CPUKernelCode code(kernel, function, builder, role, {vectorBits, l2Bytes, l1Ways}, form.getRows());
    SmallVector<Value> results = body(code);
    builder.setInsertionPointToEnd(&function.getBody().front());
    func::ReturnOp::create(builder, kernel.getLoc(), results);
    setPointerAttributes(kernel, function, role);
  }

  /// Nothing that is written overlaps anything else, so that no two pointers depend on each other, but what is computed
  /// in place.
  static void setPointerAttributes(func::FuncOp kernel, func::FuncOp function, CPUKernelCode::Role role) {
    if (role != CPUKernelCode::Role::Run)
      return;
    unsigned next = 3;
    auto unit = UnitAttr::get(kernel.getContext());
    for (BlockArgument argument : kernel.getArguments()) {
      if (auto tensor = dyn_cast<RankedTensorType>(argument.getType())) {
        if (!kernel.getArgAttr(argument.getArgNumber(), dyn::kInPlaceAttrName))
          function.setArgAttr(next, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
        next += tensor.getNumDynamicDims();
      }
      ++next;
    }
  }
};

} // namespace
