//===- bf16 values as their bits ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace dyn {
#define GEN_PASS_DEF_HOLDBFLOAT16ASINTEGERSPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;

namespace {

struct HoldBfloat16AsIntegersPass : public dyn::impl::HoldBfloat16AsIntegersPassBase<HoldBfloat16AsIntegersPass> {
  void runOnOperation() override {
    auto bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) -> Type { return bits; });
    // Numbers stand before types: a number of an integer type with the bits of a float is none.
    using Replaced = std::optional<std::pair<Attribute, WalkResult>>;
    replacer.addReplacement([&](FloatAttr number) -> Replaced {
      if (!number.getType().isBF16())
        return std::nullopt;
      return {{IntegerAttr::get(bits, number.getValue().bitcastToAPInt()), WalkResult::skip()}};
    });
    replacer.addReplacement([&](DenseFPElementsAttr numbers) -> Replaced {
      if (!numbers.getElementType().isBF16())
        return std::nullopt;
      return {{numbers.bitcast(bits), WalkResult::skip()}};
    });
    getOperation().walk([&](LLVM::LLVMFuncOp function) {
      replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
    });
    getOperation().walk([](LLVM::BitcastOp cast) {
      if (cast.getType() != cast.getArg().getType())
        return;
      cast.replaceAllUsesWith(cast.getArg());
      cast.erase();
    });
  }
};

} // namespace
