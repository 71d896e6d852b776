//===- Registration of all dialects of Dyn ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INITALLDIALECTS_H
#define DYN_INITALLDIALECTS_H

#include "dyn/Analysis/ShapeRelations.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Transforms/Memory/Passes.h"

namespace dyn {

/// Adds the dialects of Dyn, and the implementations of interfaces that others give to their ops.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<DynDialect, shape::DynShapeDialect>();
  registerBufferizableOpInterfaceModels(registry);
  registerReferenceModels(registry);
  registerShapeRelations(registry);
}

} // namespace dyn

#endif // DYN_INITALLDIALECTS_H
