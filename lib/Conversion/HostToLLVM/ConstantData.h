//===- Constants and weights in the artefact ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_CONSTANTDATA_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_CONSTANTDATA_H

#include "HostCode.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn::host {

/// Globals for the data of a program, one for all ops that have the same.
class ConstantData {
public:
  ConstantData(HostCode &code, mlir::SymbolTable &table) : code(code), table(table) {}

  /// Where the data lie, as a value at the insertion point. Fails after a diagnostic.
  mlir::FailureOr<mlir::Value> getAddress(shape::DataOp op);

private:
  HostCode &code;
  mlir::SymbolTable &table;
  /// By value, and by how it lies.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::AffineMap>, mlir::LLVM::GlobalOp> globals;
};

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_CONSTANTDATA_H
