//===- Dialects and passes of Dyn for programs in C ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn-c/Dialects.h"
#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/InitAllDialects.h"
#include "dyn/InitAllPasses.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Transforms/Passes.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Dyn, dyn, dyn::DynDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(DynShape, dyn_shape, dyn::shape::DynShapeDialect)

void dynRegisterAllDialects(MlirDialectRegistry registry) {
  dyn::registerAllDialects(*unwrap(registry));
  dyn::registerCompilerDialects(*unwrap(registry));
}

void dynRegisterAllPasses() {
  static const bool once = [] {
    dyn::registerAllPasses();
    mlir::registerTransformsPasses();
    return true;
  }();
  (void)once;
}
