/*===- Dialects and passes of Dyn for other compilers --------------*- C -*-===*\
 * Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.           *
 *                                                                            *
 * Beside MLIR's own C interface, whose types these functions take. Needs     *
 * libdyn_compiler, which gives the functions of mlir-c/IR.h, mlir-c/Pass.h   *
 * and their like as well.                                                    *
\*===----------------------------------------------------------------------===*/

#ifndef DYN_C_DIALECTS_H
#define DYN_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Tensor ops whose types name their sizes. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Dyn, dyn);
/** Sizes as SSA values, checks and launches. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(DynShape, dyn_shape);

/** All that a context needs to work on programs of Dyn in any phase: our dialects, those that phases end in, and the
 *  implementations of interfaces that the phases ask ops for. */
MLIR_CAPI_EXPORTED void dynRegisterAllDialects(MlirDialectRegistry registry);

/** Enters the passes of Dyn, the pipeline `dyn-pipeline`, and MLIR's `canonicalize`, `cse` and their like into MLIR's
 *  registry, for mlirParsePassPipeline: `builtin.module(dyn-pipeline{to=shapes})`. More than once is as good as once.
 */
MLIR_CAPI_EXPORTED void dynRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* DYN_C_DIALECTS_H */
