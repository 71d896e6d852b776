//===- Kernels on tensors to functions on pointers ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Body.h"
#include "KernelForm.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
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

/// Sums of products may round once where they would round twice.
static void allowFusedMultiplyAdd(func::FuncOp kernel) {
  auto contract = arith::FastMathFlagsAttr::get(kernel.getContext(), arith::FastMathFlags::contract);
  kernel.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    for (Operation &inner : *op.getBlock())
      if (isa<arith::AddFOp, arith::MulFOp>(inner))
        inner.setAttr("fastmath", contract);
  });
}

/// Checks what every form relies on.
static LogicalResult verifyKernel(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("is a kernel and must have one block");
  auto verifyType = [](Operation *op, Type type) -> LogicalResult {
    auto tensor = dyn_cast<ShapedType>(type);
    if (!tensor || (isa<RankedTensorType>(type) && getStoredType(tensor.getElementType())))
      return success();
    return op->emitOpError("has a value of type ") << type << ", which CPU kernels do not handle";
  };
  for (Type type : kernel.getArgumentTypes()) {
    if (failed(verifyType(kernel, type)))
      return failure();
    if (!isa<RankedTensorType, IndexType>(type))
      return kernel.emitOpError("has an argument of type ") << type << ", not a tensor or an index";
  }
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return WalkResult::interrupt();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return WalkResult::advance();
    for (OpOperand &init : linalgOp.getDpsInitsMutable())
      if (!linalgOp.getMatchingIndexingMap(&init).isProjectedPermutation())
        return op->emitOpError("has an output whose map is no permutation of loops"), WalkResult::interrupt();
    for (AffineMap map : linalgOp.getIndexingMapsArray())
      for (AffineExpr expr : map.getResults())
        if (!expr.isPureAffine() || expr.walk([](AffineExpr e) -> WalkResult {
                                          bool isSum = e.getKind() != AffineExprKind::FloorDiv &&
                                                       e.getKind() != AffineExprKind::CeilDiv &&
                                                       e.getKind() != AffineExprKind::Mod &&
                                                       e.getKind() != AffineExprKind::SymbolId;
                                          return isSum ? WalkResult::advance() : WalkResult::interrupt();
                                        })
                                        .wasInterrupted())
          return op->emitOpError("has an indexing map that is no sum of loops times constants"),
                 WalkResult::interrupt();
    return WalkResult(verifyBody(*linalgOp.getBlock()));
  });
  return failure(result.wasInterrupted());
}

static std::unique_ptr<KernelForm> matchForm(func::FuncOp kernel) {
  StringRef kind = cast<StringAttr>(kernel->getAttr("dyn.kernel")).getValue();
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

namespace {

struct LowerKernelsToCPUPass : public dyn::impl::LowerKernelsToCPUPassBase<LowerKernelsToCPUPass> {
  using LowerKernelsToCPUPassBase::LowerKernelsToCPUPassBase;

  void runOnOperation() override {
    if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512) {
      getOperation().emitError("vector-bits must be 128, 256 or 512, not ") << unsigned(vectorBits);
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
    if (!form)
      return failure();

    std::string name = kernel.getName().str();
    SmallVector<Type> arguments = lowerArgumentTypes(kernel);
    Type index = IndexType::get(&getContext());
    SmallVector<Type> runArguments{LLVM::LLVMPointerType::get(&getContext()), index, index};
    llvm::append_range(runArguments, arguments);

    OpBuilder builder(kernel);
    func::FuncOp run = createFunction(builder, kernel, name + ".run", runArguments, {});
    run->setAttr("dyn.kernel", kernel->getAttr("dyn.kernel"));
    emit(*form, kernel, run, KernelCode::Role::Run, [&](KernelCode &code) -> SmallVector<Value> {
      form->emitRun(code);
      return {};
    });
    func::FuncOp count = createFunction(builder, kernel, name + ".count", arguments, index);
    emit(*form, kernel, count, KernelCode::Role::Count,
         [&](KernelCode &code) -> SmallVector<Value> { return {form->emitCount(code)}; });
    func::FuncOp grain = createFunction(builder, kernel, name + ".grain", arguments, index);
    emit(*form, kernel, grain, KernelCode::Role::Count, [&](KernelCode &kernelCode) -> SmallVector<Value> {
      Code &code = kernelCode.code;
      Value cost = code.max(form->emitItemCost(kernelCode), code.index(1));
      return {code.div(code.add(cost, code.index(minTaskCost - 1)), cost)};
    });
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
  void emit(KernelForm &form, func::FuncOp kernel, func::FuncOp function, KernelCode::Role role,
            function_ref<SmallVector<Value>(KernelCode &)> body) {
    OpBuilder builder(&getContext());
    KernelCode code(kernel, function, builder, role, vectorBits, form.getRows());
    SmallVector<Value> results = body(code);
    builder.setInsertionPointToEnd(&function.getBody().front());
    func::ReturnOp::create(builder, kernel.getLoc(), results);
    setPointerAttributes(kernel, function, role);
  }

  /// Nothing that is written overlaps anything else, so that no two pointers depend on each other.
  static void setPointerAttributes(func::FuncOp kernel, func::FuncOp function, KernelCode::Role role) {
    if (role != KernelCode::Role::Run)
      return;
    unsigned next = 3;
    auto unit = UnitAttr::get(kernel.getContext());
    for (Type type : kernel.getArgumentTypes()) {
      if (auto tensor = dyn_cast<RankedTensorType>(type)) {
        function.setArgAttr(next, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
        next += tensor.getNumDynamicDims();
      }
      ++next;
    }
  }
};

} // namespace
