//===- A run of a function, block by block -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_RUN_H
#define DYN_LIB_INTERPRETER_RUN_H

#include "Models.h"

namespace dyn::reference {

/// What an op computes; an error where it has elements that nothing computes with.
Results evaluateModel(ReferenceOpInterface op, Operands operands, const ReferenceScope &scope);

/// A block that is being run: its values, and what its symbols are this time. Blocks of regions see those around them.
struct Frame {
  Frame(mlir::Block &block, ReferenceScope scope) : block(block), parent(nullptr), scope(std::move(scope)) {}
  Frame(mlir::Block &block, Frame &parent) : block(block), parent(&parent), scope(parent.scope) {}

  struct Entry {
    ReferenceTensor tensor;
    unsigned remainingUses = 0; ///< by ops of this block, in which those of their regions count once
  };

  mlir::Block &block;
  Frame *parent;
  ReferenceScope scope;
  llvm::DenseMap<mlir::Value, Entry> values;
};

/// Runs one function: values live from their op to their last use.
class Run {
public:
  Run(mlir::FunctionOpInterface function, RunWatch &watch) : function(function), watch(watch) {}

  Results run(llvm::ArrayRef<ReferenceTensor> inputs, ReferenceScope scope);

private:
  /// What the terminator hands on.
  Results runBlock(Frame &frame, llvm::ArrayRef<ReferenceTensor> arguments);
  Results evaluate(mlir::Operation *op, Operands operands, Frame &frame);
  Results call(mlir::Operation *op, mlir::SymbolRefAttr callee, Operands operands, Frame &frame);
  Results evaluateIf(IfOp op, Operands operands, Frame &frame);
  Results evaluateLoop(LoopOp op, Operands operands, Frame &frame);

  void define(mlir::Value value, ReferenceTensor tensor, Frame &frame);
  mlir::LogicalResult define(mlir::Operation *op, llvm::SmallVector<ReferenceTensor> results, Frame &frame);
  llvm::SmallVector<ReferenceTensor> readOperands(mlir::Operation *op, Frame &frame);
  /// Ends the lives of values that `op` was the last to use.
  void release(mlir::Operation *op, Frame &frame);
  /// The values from outside that regions of an op read, each once.
  llvm::ArrayRef<mlir::Value> getCaptures(mlir::Operation *op);

  mlir::FunctionOpInterface function;
  RunWatch &watch;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> captures;
};

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_RUN_H
