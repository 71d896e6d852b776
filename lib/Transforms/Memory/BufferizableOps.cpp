//===- How launches and constants become ops on buffers ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace dyn;

namespace {

struct LaunchModel : bufferization::DstBufferizableOpInterfaceExternalModel<LaunchModel, shape::LaunchOp> {
  /// A kernel never reads the old contents of its outputs.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const bufferization::AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto launch = cast<shape::LaunchOp>(op);
    auto getBuffers = [&](ValueRange tensors, SmallVectorImpl<Value> &buffers) {
      for (Value tensor : tensors) {
        FailureOr<Value> buffer = bufferization::getBuffer(rewriter, tensor, options, state);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };
    SmallVector<Value> inputs, outputs;
    if (failed(getBuffers(launch.getInputs(), inputs)) || failed(getBuffers(launch.getOutputs(), outputs)))
      return failure();
    rewriter.setInsertionPoint(op);
    shape::LaunchOp::create(rewriter, op->getLoc(), TypeRange(), launch.getKernelAttr(), inputs, launch.getSizes(),
                            outputs, launch.getVersionsAttr(), launch.getConditions(), launch.getAfterAttr());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};

struct ConstantModel : bufferization::BufferizableOpInterface::ExternalModel<ConstantModel, ConstantOp> {
  FailureOr<bufferization::BufferLikeType> getBufferType(Operation *op, Value value,
                                                         const bufferization::BufferizationOptions &,
                                                         const bufferization::BufferizationState &,
                                                         SmallVector<Value> &) const {
    auto type = cast<RankedTensorType>(value.getType());
    return cast<bufferization::BufferLikeType>(MemRefType::get(type.getShape(), type.getElementType()));
  }

  bool isWritable(Operation *, Value, const bufferization::AnalysisState &) const { return false; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &,
                          bufferization::BufferizationState &) const {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape())
      return op->emitOpError("has no static shape, so that it has no memory");
    auto data = shape::DataOp::create(rewriter, op->getLoc(), MemRefType::get(type.getShape(), type.getElementType()),
                                      cast<ConstantOp>(op).getValue());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, data.getResult());
    return success();
  }
};

} // namespace

void dyn::registerBufferizableOpInterfaceModels(DialectRegistry &registry) {
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registry.addExtension(
      +[](MLIRContext *context, DynDialect *) { ConstantOp::attachInterface<ConstantModel>(*context); });
  registry.addExtension(
      +[](MLIRContext *context, shape::DynShapeDialect *) { shape::LaunchOp::attachInterface<LaunchModel>(*context); });
}
