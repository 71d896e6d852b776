//===- Launches of GPU kernels --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Launches.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Transforms/Memory/SizeExprs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace dyn::gpu;

/// The most blocks that a grid may have along x.
static constexpr int64_t maxBlocks = 2147483647;

namespace {

class LaunchLowering {
public:
  LaunchLowering(func::FuncOp function, llvm::StringMap<LoweredKernel> &kernels) : kernels(kernels), sizes(function) {}

  LogicalResult lower(dyn::shape::LaunchOp launch) {
    SmallVector<LoweredKernel *> alternatives;
    for (auto version : launch.getVersions().getAsRange<FlatSymbolRefAttr>())
      alternatives.push_back(find(version.getValue()));
    alternatives.push_back(find(launch.getKernel()));
    if (llvm::is_contained(alternatives, nullptr))
      return launch.emitOpError("launches '") << launch.getKernel() << "', which is no kernel of this module";
    Operation *before = launch->getPrevNode(), *next = launch->getNextNode();
    OpBuilder builder(launch);
    if (failed(readArguments(builder, launch)))
      return failure();
    // The first version whose condition holds runs; without any, the kernel.
    for (auto [version, condition] : llvm::zip(alternatives, launch.getConditions())) {
      auto choice = scf::IfOp::create(builder, launch.getLoc(), condition, /*addElseRegion=*/true);
      builder.setInsertionPointToStart(choice.thenBlock());
      emitLaunch(builder, launch, *version);
      builder.setInsertionPointToStart(choice.elseBlock());
    }
    emitLaunch(builder, launch, *alternatives.back());
    launch.erase();
    eraseUnused(before, next);
    return success();
  }

private:
  LoweredKernel *find(StringRef name) {
    auto kernel = kernels.find(name);
    return kernel == kernels.end() ? nullptr : &kernel->second;
  }

  /// The kernel's arguments: those of the device's kernel, and, with null for pointers, those that sizes depend on.
  LogicalResult readArguments(OpBuilder &builder, dyn::shape::LaunchOp launch) {
    Location loc = launch.getLoc();
    Type i64 = builder.getI64Type();
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    operands = {LLVM::ZeroOp::create(builder, loc, pointer)};
    arguments.clear();
    auto addSize = [&](Value size) {
      arguments.push_back(size);
      operands.push_back(arith::IndexCastOp::create(builder, loc, i64, size));
    };
    auto addBuffers = [&](ValueRange buffers) -> LogicalResult {
      for (Value buffer : buffers) {
        auto type = dyn_cast<MemRefType>(buffer.getType());
        if (!type || !type.getLayout().isIdentity())
          return launch.emitOpError("has an operand of type ")
                 << buffer.getType() << ", no memref with identity layout; dyn-bufferize should have seen to that";
        Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
        address = arith::IndexCastOp::create(builder, loc, i64, address);
        operands.push_back(LLVM::IntToPtrOp::create(builder, loc, pointer, address));
        arguments.push_back(Value());
        if (type.hasStaticShape())
          continue;
        if (llvm::is_contained(sizes.getDims(buffer), dyn::symbolic::Expr()))
          return launch.emitOpError("has an operand whose dims are not known as expressions over symbols");
        for (OpFoldResult dim : sizes.materializeDims(builder, loc, buffer))
          if (auto size = dyn_cast<Value>(dim))
            addSize(size);
      }
      return success();
    };
    if (failed(addBuffers(launch.getInputs())))
      return failure();
    for (Value size : launch.getSizes())
      addSize(size);
    return addBuffers(launch.getOutputs());
  }

  void emitLaunch(OpBuilder &builder, dyn::shape::LaunchOp launch, LoweredKernel &kernel) {
    OpBuilder::InsertionGuard guard(builder);
    for (LoweredKernel::Variant &variant : llvm::drop_end(kernel.variants)) {
      LaunchCode code(kernel.source, arguments, builder, variant.form->getRows());
      code.code.loc = launch.getLoc();
      auto choice =
          scf::IfOp::create(builder, launch.getLoc(), variant.form->emitCondition(code), /*addElseRegion=*/true);
      builder.setInsertionPointToStart(choice.thenBlock());
      emitGrid(builder, launch, kernel.source, variant);
      builder.setInsertionPointToStart(choice.elseBlock());
    }
    emitGrid(builder, launch, kernel.source, kernel.variants.back());
  }

  void emitGrid(OpBuilder &builder, dyn::shape::LaunchOp launch, func::FuncOp source, LoweredKernel::Variant &variant) {
    Location loc = launch.getLoc();
    LaunchCode code(source, arguments, builder, variant.form->getRows());
    code.code.loc = loc;
    // A grid must not be empty; what there is too much of for one, blocks take in turns.
    Value blocks = code.code.max(variant.form->emitBlockCount(code), code.code.index(1));
    blocks = code.code.min(blocks, code.code.index(maxBlocks));
    Value one = code.code.index(1), threads = code.code.index(variant.form->getThreads());
    auto module = cast<mlir::gpu::GPUModuleOp>(variant.function->getParentOp());
    auto symbol = SymbolRefAttr::get(module.getSymNameAttr(), {FlatSymbolRefAttr::get(variant.function.getNameAttr())});
    mlir::gpu::LaunchFuncOp::create(builder, loc, symbol, mlir::gpu::KernelDim3{blocks, one, one},
                                    mlir::gpu::KernelDim3{threads, one, one}, /*dynamicSharedMemorySize=*/Value(),
                                    operands);
  }

  /// Erases what was computed between two ops and is not used after all.
  static void eraseUnused(Operation *before, Operation *end) {
    for (Operation *op = end->getPrevNode(); op && op != before;) {
      Operation *previous = op->getPrevNode();
      for (Region &region : op->getRegions())
        if (!region.empty())
          eraseUnused(nullptr, region.front().getTerminator());
      if (isOpTriviallyDead(op))
        op->erase();
      op = previous;
    }
  }

  llvm::StringMap<LoweredKernel> &kernels;
  dyn::SizeExprs sizes;
  SmallVector<Value> operands, arguments;
};

} // namespace

LogicalResult dyn::gpu::lowerLaunches(func::FuncOp function, llvm::StringMap<LoweredKernel> &kernels) {
  SmallVector<dyn::shape::LaunchOp> launches;
  function.walk([&](dyn::shape::LaunchOp launch) { launches.push_back(launch); });
  if (launches.empty())
    return success();
  LaunchLowering lowering(function, kernels);
  for (dyn::shape::LaunchOp launch : launches)
    if (failed(lowering.lower(launch)))
      return failure();
  return success();
}
