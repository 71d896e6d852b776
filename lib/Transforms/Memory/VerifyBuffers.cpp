//===- The contract between memory and targets ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"
#include "dyn/Analysis/InPlace.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYBUFFERSPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

static InFlightDiagnostic emitBroken(Operation *op, const Twine &sentence, StringRef culprit = "dyn-plan-memory") {
  return op->emitOpError() << sentence << "; '" << culprit << "' should have seen to it";
}

/// Inputs, then the buffers of results, all in one piece.
static LogicalResult verifyBoundary(func::FuncOp main) {
  if (main.getNumResults() != 0)
    return emitBroken(main, "returns values instead of writing to buffers of the caller");
  if (!main.getBody().hasOneBlock())
    return emitBroken(main, "has control flow");
  bool hadOutput = false;
  for (unsigned index = 0; index < main.getNumArguments(); ++index) {
    auto type = dyn_cast<MemRefType>(main.getArgument(index).getType());
    if (!type || !type.getLayout().isIdentity())
      return emitBroken(main, "argument " + Twine(index) + " is no memref with identity layout", "dyn-bufferize");
    bool isOutput = main.getArgAttr(index, DynDialect::kOutputAttrName) != nullptr;
    if (hadOutput && !isOutput)
      return emitBroken(main, "argument " + Twine(index) + " is an input behind an output");
    hadOutput |= isOutput;
  }
  return success();
}

/// What a launch both reads and writes has arguments that may overlap.
static LogicalResult verifyOverlaps(shape::LaunchOp op, func::FuncOp kernel) {
  unsigned outputs = kernel.getNumArguments() - op.getOutputs().size();
  for (auto [input, read] : llvm::enumerate(op.getInputs()))
    for (auto [output, written] : llvm::enumerate(op.getOutputs()))
      if (skipReshapes(read) == skipReshapes(written) &&
          !(kernel.getArgAttr(input, kInPlaceAttrName) && kernel.getArgAttr(outputs + output, kInPlaceAttrName)))
        return emitBroken(op,
                          "writes over its operand " + Twine(input) + ", but '" + kernel.getName() +
                              "' does not say that it computes in place",
                          "dyn-compute-in-place");
  return success();
}

/// What a launch passes is what its kernel works on, in memory.
static LogicalResult verifyLaunch(shape::LaunchOp op, SymbolTable &symbols) {
  if (op->getNumResults() != 0)
    return emitBroken(op, "still works on tensors", "dyn-bufferize");
  auto kernel = symbols.lookup<func::FuncOp>(op.getKernel());
  if (!kernel || !kernel->hasAttr(DynDialect::kKernelAttrName))
    return emitBroken(op, "launches '" + op.getKernel() + "', which is no kernel", "dyn-form-kernels");
  for (ValueRange buffers : {ValueRange(op.getInputs()), ValueRange(op.getOutputs())})
    for (Value buffer : buffers)
      if (auto type = dyn_cast<MemRefType>(buffer.getType()); !type || !type.getLayout().isIdentity())
        return emitBroken(op, "passes what is no memref with identity layout", "dyn-bufferize");
  SmallVector<func::FuncOp> kernels{kernel};
  for (Attribute version : op.getVersions())
    kernels.push_back(symbols.lookup<func::FuncOp>(cast<FlatSymbolRefAttr>(version).getValue()));
  return success(llvm::all_of(kernels, [&](func::FuncOp kernel) { return succeeded(verifyOverlaps(op, kernel)); }));
}

/// Every view is one of the arena.
static LogicalResult verifyView(memref::ViewOp op) {
  if (op.getSource().getDefiningOp<shape::ArenaOp>())
    return success();
  return emitBroken(op, "is no view of the arena");
}

/// A launch waits for all that work on what it writes, or write what it reads. Adds it to the others.
static LogicalResult verifyAfter(shape::LaunchOp launch, LaunchWindow &window, EndedBefore &history,
                                 BufferRegions &regions) {
  LaunchMemory memory(launch, regions);
  EndedLaunches ended = history.get(launch);
  for (unsigned distance = 1; distance <= window.size(); ++distance) {
    if (ended >> (distance - 1) & 1)
      continue;
    if (StringRef reason = memory.needs(window.getBefore(distance), regions); !reason.empty())
      return emitBroken(launch,
                        "may begin while the launch " + Twine(distance) + " before it still runs, but " + reason,
                        "dyn-find-dependences");
  }
  history.add(ended);
  window.add(std::move(memory));
  return success();
}

static LogicalResult verifyMain(func::FuncOp main, SymbolTable &symbols) {
  if (failed(verifyBoundary(main)))
    return failure();
  SizeExprs sizes(main);
  if (!main.front().getOps<shape::PartOp>().empty() && failed(sizes.readFacts()))
    return failure();
  BufferRegions regions(sizes);
  bool hasArena = false, hasWork = false;
  LaunchWindow window;
  EndedBefore history;
  for (Operation &op : main.front()) {
    if (isa<shape::ArenaOp>(op) && std::exchange(hasArena, true))
      return emitBroken(&op, "is a second arena");
    if (isa<shape::LaunchOp, memref::CopyOp>(op))
      hasWork = true;
    bool isSize = isa<shape::CheckOp, shape::ArenaOp>(op) ||
                  (op.getNumResults() != 0 && llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>));
    if (isSize && hasWork)
      return emitBroken(&op, "computes sizes behind the first launch or copy");
    if (auto launch = dyn_cast<shape::LaunchOp>(op)) {
      if (failed(verifyLaunch(launch, symbols)) || failed(verifyAfter(launch, window, history, regions)))
        return failure();
      continue;
    }
    if (separatesLaunches(op))
      window.clear();
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      if (failed(verifyView(view)))
        return failure();
    } else if (isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(op)) {
      return emitBroken(&op, "takes memory beside the arena");
    } else if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CopyOp, func::ReturnOp>(op) &&
               !isa_and_nonnull<shape::DynShapeDialect, arith::ArithDialect>(op.getDialect())) {
      return emitBroken(&op, "has no place in main, which holds sizes, views and launches");
    }
  }
  return success();
}

namespace {

struct VerifyBuffers : dyn::impl::VerifyBuffersPassBase<VerifyBuffers> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && !function->hasAttr(DynDialect::kKernelAttrName) &&
          failed(verifyMain(function, symbols)))
        return signalPassFailure();
  }
};

} // namespace
