//===- Weights of contractions in panels --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TileFunctions.h"
#include "dyn/Conversion/KernelCode/ContractionPlan.h"
#include "dyn/Conversion/KernelCode/KernelStructure.h"
#include "dyn/Conversion/KernelCode/PanelLayout.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn::cpu;

namespace {

/// An argument of a kernel that can lie in panels.
struct Packable {
  unsigned argument;
  PanelLayout layout;
};

struct PackWeightsPass : public dyn::impl::PackWeightsPassBase<PackWeightsPass> {
  using PackWeightsPassBase::PackWeightsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::MapVector<StringAttr, SmallVector<dyn::shape::LaunchOp>> launches;
    getOperation().walk([&](dyn::shape::LaunchOp launch) {
      launches[launch.getKernelAttr().getAttr()].push_back(launch);
      for (auto version : launch.getVersions().getAsRange<FlatSymbolRefAttr>())
        launches[version.getAttr()].push_back(launch);
    });
    for (auto &[name, users] : launches) {
      auto kernel = symbols.lookup<func::FuncOp>(name);
      if (!kernel || !kernel.getBody().hasOneBlock())
        continue;
      for (const Packable &packable : findPackables(kernel))
        if (pack(kernel, packable, users, symbols))
          break;
    }
  }

private:
  SmallVector<Packable> findPackables(func::FuncOp kernel);
  bool pack(func::FuncOp kernel, const Packable &packable, ArrayRef<dyn::shape::LaunchOp> launches,
            SymbolTable &symbols);
};

} // namespace

/// The place of the one result of `map` that depends on `loop`, and is nothing but it.
static std::optional<unsigned> findLoneResult(AffineMap map, unsigned loop) {
  std::optional<unsigned> place;
  for (auto [number, result] : llvm::enumerate(map.getResults())) {
    if (!result.isFunctionOfDim(loop))
      continue;
    if (place || !isa<AffineDimExpr>(result))
      return std::nullopt;
    place = number;
  }
  return place;
}

/// The loop of the main op along which neighbours are written.
static std::optional<unsigned> findColumns(const FusedOps &ops) {
  linalg::LinalgOp main = ops.main, last = ops.epilogue ? linalg::LinalgOp(ops.epilogue) : ops.main;
  OpOperand *output = last.getDpsInitOperand(0);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(output->get().getType()).getShape();
  for (unsigned dim = shape.size(); dim-- > 0;) {
    if (shape[dim] == 1)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(last.getMatchingIndexingMap(output).getResult(dim));
    // An epilogue's loops are the dims of what it reads.
    if (loop && ops.epilogue)
      loop =
          dyn_cast<AffineDimExpr>(main.getMatchingIndexingMap(main.getDpsInitOperand(0)).getResult(loop.getPosition()));
    return loop ? std::optional(loop.getPosition()) : std::nullopt;
  }
  return std::nullopt;
}

SmallVector<Packable> PackWeightsPass::findPackables(func::FuncOp kernel) {
  std::optional<FusedOps> ops = matchSingleNest(kernel);
  auto main = ops ? dyn_cast<linalg::GenericOp>(*ops->main) : linalg::GenericOp();
  std::optional<unsigned> columns =
      main && main.hasPureTensorSemantics() && ContractionPlan::isPossible(main, /*mayHaveOneRow=*/true)
          ? findColumns(*ops)
          : std::optional<unsigned>();
  if (!columns)
    return {};
  SmallVector<Packable> result;
  int64_t width = TileFunctions::getPanelWidth(vectorBits, main.getBlock()->getArgument(2).getType());
  for (unsigned number : {1u, 0u}) {
    OpOperand *operand = main.getDpsInputOperand(number);
    auto argument = dyn_cast<BlockArgument>(operand->get());
    AffineMap other = main.getMatchingIndexingMap(main.getDpsInputOperand(1 - number));
    if (!argument || !argument.hasOneUse() || other.isFunctionOfDim(*columns) ||
        kernel.getArgAttr(argument.getArgNumber(), dyn::DynDialect::kLayoutAttrName))
      continue;
    if (std::optional<unsigned> dim = findLoneResult(main.getMatchingIndexingMap(operand), *columns))
      result.push_back({argument.getArgNumber(), {*dim, width}});
  }
  return result;
}

/// The memory of a weight that a launch passes, unless it lies in an order of its own. Versions all read the same
/// memory, so that a launch that has some keeps what it passes.
static dyn::shape::DataOp getWeight(dyn::shape::LaunchOp launch, unsigned argument) {
  if (!launch.getVersions().empty() || argument >= launch->getNumOperands())
    return {};
  auto data = launch->getOperand(argument).getDefiningOp<dyn::shape::DataOp>();
  bool isWeight = data && isa<dyn::WeightAttr>(data.getValue()) &&
                  cast<MemRefType>(data.getType()).getLayout().isIdentity() &&
                  cast<MemRefType>(data.getType()).hasStaticShape();
  return isWeight ? data : dyn::shape::DataOp();
}

/// Packs the argument for those launches that pass weights; the others keep the kernel as it was. Whether there are
/// any.
bool PackWeightsPass::pack(func::FuncOp kernel, const Packable &packable, ArrayRef<dyn::shape::LaunchOp> launches,
                           SymbolTable &symbols) {
  auto passesWeight = [&](dyn::shape::LaunchOp launch) { return bool(getWeight(launch, packable.argument)); };
  if (llvm::none_of(launches, passesWeight))
    return false;
  if (!llvm::all_of(launches, passesWeight)) {
    func::FuncOp copy = kernel.clone();
    symbols.insert(copy, std::next(Block::iterator(kernel)));
    kernel = copy;
  }
  unsigned rank = cast<RankedTensorType>(kernel.getArgumentTypes()[packable.argument]).getRank();
  auto layout = AffineMapAttr::get(packable.layout.toMap(rank, &getContext()));
  kernel.setArgAttr(packable.argument, dyn::DynDialect::kLayoutAttrName, layout);
  for (dyn::shape::LaunchOp launch : launches) {
    dyn::shape::DataOp data = getWeight(launch, packable.argument);
    if (!data)
      continue;
    OpBuilder builder(data);
    auto type = cast<MemRefType>(data.getType());
    auto packed = dyn::shape::DataOp::create(builder, data.getLoc(),
                                             MemRefType::get(type.getShape(), type.getElementType(), layout.getValue()),
                                             data.getValue());
    launch->setOperand(packable.argument, packed);
    launch.setKernel(kernel.getName());
    if (data->use_empty())
      data.erase();
  }
  return true;
}
