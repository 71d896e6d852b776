//===- Ops of the dyn dialect -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNOPS_H
#define DYN_DIALECT_DYN_IR_DYNOPS_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class PatternRewriter;
} // namespace mlir

namespace dyn {

/// What guards write to: keeps them from being removed or reordered, and touches no memory that anything else reads.
struct GuardResource : public mlir::SideEffects::Resource::Base<GuardResource> {
  llvm::StringRef getName() final { return "DynGuards"; }
};

namespace OpTrait {
namespace detail {
mlir::LogicalResult verifyElementwise(mlir::Operation *op);
} // namespace detail

/// Result element i depends on element i of the operands, which broadcast as in numpy.
template <typename ConcreteType>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteType, Elementwise> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return detail::verifyElementwise(op); }
};
} // namespace OpTrait

} // namespace dyn

#define GET_OP_CLASSES
#include "dyn/Dialect/Dyn/IR/DynOps.h.inc"

#endif // DYN_DIALECT_DYN_IR_DYNOPS_H
