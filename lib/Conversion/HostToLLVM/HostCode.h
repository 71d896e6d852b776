//===- Emitting host code ---------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_HOSTCODE_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_HOSTCODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn::host {

/// A builder for functions whose values are i64, i1 and pointers, with branches forward only.
class HostCode : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// An empty private function; the builder moves into it.
  mlir::func::FuncOp createFunction(llvm::StringRef name, mlir::TypeRange inputs, mlir::TypeRange results);

  mlir::Type getPointerType();
  mlir::Value integer(int64_t value, unsigned bits = 64);
  mlir::Value nullPointer();
  /// `type` at `offset` bytes after `pointer`.
  mlir::Value load(mlir::Type type, mlir::Value pointer, int64_t offset);
  void store(mlir::Value value, mlir::Value pointer, int64_t offset);
  mlir::Value addOffset(mlir::Value pointer, int64_t offset);
  mlir::Value addOffset(mlir::Value pointer, mlir::Value offset);
  mlir::Value isNull(mlir::Value pointer);

  /// What main computes with is of type index, what memory holds i64; either cast costs nothing.
  mlir::Value toInteger(mlir::Value index);
  mlir::Value toIndex(mlir::Value integer);

  /// Emits `body` in a block that is executed only where `condition` holds, and goes on behind it.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  /// Emits `body`, which ends with a terminator, in a block of its own for where `condition` does not hold, and goes on
  /// where it does.
  void emitUnless(mlir::Value condition, llvm::function_ref<void()> body);
};

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_HOSTCODE_H
