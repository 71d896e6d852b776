//===- dyn-compute-in-place: outputs in the place of operands -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"
#include "dyn/Analysis/InPlace.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn {
#define GEN_PASS_DEF_COMPUTEINPLACEPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// Whether `holds` for each op that uses the memory of `value`, through views.
static bool allUsers(Value value, function_ref<bool(Operation *)> holds) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return isView(user) ? allUsers(user->getResult(0), holds) : holds(user);
  });
}

namespace {

struct ComputeInPlacePass : dyn::impl::ComputeInPlacePassBase<ComputeInPlacePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(DynDialect::kKernelAttrName))
        for (Block &block : function.getBody()) {
          LaunchOrder order(block);
          for (auto launch : block.getOps<shape::LaunchOp>())
            joinOperands(launch, order, symbols);
        }
  }

private:
  void joinOperands(shape::LaunchOp launch, const LaunchOrder &order, SymbolTable &symbols) {
    for (unsigned output = 0; output < launch.getOutputs().size(); ++output)
      for (unsigned input = 0; input < launch.getInputs().size(); ++input)
        if (isFree(launch, order, input, output) && mayBeInPlace(launch, input, output, symbols)) {
          join(launch, input, output, symbols);
          break;
        }
  }

  /// All that may run: the kernel and its versions.
  static SmallVector<func::FuncOp> getKernels(shape::LaunchOp launch, SymbolTable &symbols) {
    SmallVector<func::FuncOp> kernels{symbols.lookup<func::FuncOp>(launch.getKernel())};
    for (Attribute version : launch.getVersions())
      kernels.push_back(symbols.lookup<func::FuncOp>(cast<FlatSymbolRefAttr>(version).getValue()));
    return kernels;
  }

  static bool mayBeInPlace(shape::LaunchOp launch, unsigned input, unsigned output, SymbolTable &symbols) {
    return llvm::all_of(getKernels(launch, symbols), [&](func::FuncOp kernel) {
      return kernel && !kernel.isExternal() && mayComputeInPlace(kernel, input, output);
    });
  }

  /// Whether nothing needs what the input holds once the launch has begun but this operand, and nothing the memory of
  /// the output before it has ended.
  static bool isFree(shape::LaunchOp launch, const LaunchOrder &order, unsigned input, unsigned output) {
    Value read = launch.getInputs()[input], written = launch.getOutputs()[output], root = skipReshapes(read);
    if (read.getType() != written.getType() || !root.getDefiningOp<memref::AllocOp>() ||
        !written.getDefiningOp<memref::AllocOp>() || root == written)
      return false;
    auto uses = [&](Value buffer) {
      return llvm::count_if(launch->getOperands(), [&](Value value) { return skipViews(value) == buffer; });
    };
    Block *block = launch->getBlock();
    Operation *shown = read.getDefiningOp();
    return uses(root) == 1 && uses(written) == 1 &&
           allUsers(root,
                    [&](Operation *user) {
                      return user->getBlock() == block && (user == launch || order.isBefore(user, launch));
                    }) &&
           allUsers(written,
                    [&](Operation *user) {
                      return user->getBlock() == block && (user == launch || order.isBefore(launch, user));
                    }) &&
           llvm::all_of(written.getUsers(), [&](Operation *user) { return shown->isBeforeInBlock(user); });
  }

  void join(shape::LaunchOp launch, unsigned input, unsigned output, SymbolTable &symbols) {
    for (func::FuncOp kernel : getKernels(launch, symbols)) {
      unsigned outputs = kernel.getNumArguments() - launch.getOutputs().size();
      for (unsigned argument : {input, outputs + output})
        kernel.setArgAttr(argument, kInPlaceAttrName, UnitAttr::get(&getContext()));
    }
    Value written = launch.getOutputs()[output];
    Operation *alloc = written.getDefiningOp();
    written.replaceAllUsesWith(launch.getInputs()[input]);
    alloc->erase();
    ++numInPlace;
  }
};

} // namespace
