//===- Contractions in register tiles -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "TiledContraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::cpu;

namespace {
class TiledKernel : public KernelForm {
public:
  TiledKernel(linalg::GenericOp main, linalg::GenericOp epilogue) : main(main), epilogue(epilogue) {}

  void emitRun(CPUKernelCode &kernel) override {
    Tiles tiles(kernel, *this);
    auto emit = [&](bool isFlat) { tiles.get(isFlat).emitItems(kernel.begin, kernel.end); };
    if (std::optional<int64_t> known = constantOf(tiles.hasFewRows))
      return emit(*known);
    OpBuilder &b = kernel.code.builder;
    auto branch = scf::IfOp::create(b, kernel.code.loc, tiles.hasFewRows, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emit(true);
    b.setInsertionPointToStart(branch.elseBlock());
    emit(false);
  }
  Value emitCount(CPUKernelCode &kernel) override {
    return emitChoice(kernel, [](TiledContraction &tiled) { return tiled.emitItemCount(); });
  }
  Value emitItemCost(CPUKernelCode &kernel) override {
    return emitChoice(kernel, [](TiledContraction &tiled) { return tiled.emitCost(); });
  }

  Value emitScratchBytes(CPUKernelCode &kernel) override {
    return emitChoice(kernel, [](TiledContraction &tiled) { return tiled.emitScratchBytes(); });
  }

private:
  /// Both ways to divide the work, and which of them is used.
  struct Tiles {
    Tiles(CPUKernelCode &kernel, const TiledKernel &form)
        : high(kernel, form.main, form.epilogue, /*isFlat=*/false),
          flat(kernel, form.main, form.epilogue, /*isFlat=*/true), hasFewRows(high.emitHasFewRows()) {}
    TiledContraction &get(bool isFlat) { return isFlat ? flat : high; }

    TiledContraction high, flat;
    Value hasFewRows;
  };

  Value emitChoice(CPUKernelCode &kernel, function_ref<Value(TiledContraction &)> emit) {
    Tiles tiles(kernel, *this);
    Value ofFlat = emit(tiles.flat), ofHigh = emit(tiles.high);
    return kernel.code.builder.createOrFold<arith::SelectOp>(kernel.code.loc, tiles.hasFewRows, ofFlat, ofHigh);
  }

  linalg::GenericOp main, epilogue;
};
} // namespace

std::unique_ptr<KernelForm> dyn::cpu::formTiledKernel(linalg::LinalgOp main, linalg::GenericOp epilogue) {
  auto contraction = dyn_cast<linalg::GenericOp>(*main);
  if (!contraction || !(ContractionPlan::isPossible(contraction) || ContractionPlan::isRowTimesColumns(contraction)))
    return nullptr;
  // Strides of operands that are always empty are not there.
  if (llvm::is_contained(contraction.getStaticLoopRanges(), 0))
    return nullptr;
  return std::make_unique<TiledKernel>(contraction, epilogue);
}
