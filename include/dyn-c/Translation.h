/*===- From ONNX to modules, and from modules to artefacts ---------*- C -*-===*\
 * Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.           *
 *                                                                            *
 * Needs libdyn_compiler. What goes wrong is told to the diagnostic handlers  *
 * of the context (mlir-c/Diagnostics.h), with the node, input or dim that it *
 * is about; nothing is thrown. Options that are all zero are the defaults,   *
 * and a null pointer to options stands for them.                             *
\*===----------------------------------------------------------------------===*/

#ifndef DYN_C_TRANSLATION_H
#define DYN_C_TRANSLATION_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How declared dims and inferred ones are brought together. */
typedef enum DynDeclaredDims {
  DYN_DECLARED_REFINE = 0,   /**< input dims and constants bind, other names are defined by inference */
  DYN_DECLARED_STRICT = 1,   /**< a difference is an error */
  DYN_DECLARED_OVERRIDE = 2, /**< what is inferred wins */
  DYN_DECLARED_TRUST = 3     /**< what is declared wins, and is checked at run time */
} DynDeclaredDims;

/** Texts are as `dyn-translate` reads them. */
typedef struct DynImportOptions {
  const char *const *dims; /**< facts about declared dims: `batch=1..64`, `seq=1..512:8`, `n=8` */
  size_t numDims;
  const char *const *inputDims; /**< dims of inputs, given or overridden: `x=[N, 3, H, S + P]` */
  size_t numInputDims;
  const char *defaultDim; /**< facts about dims of inputs that have no name: `1..512` */
  DynDeclaredDims declared;
  const char *weightsFile; /**< where weights above 4 KiB go; without it they are refused, unless they are in a file of
                                their own, to which the module then refers */
  bool inlineWeights;      /**< all weights in the module */
  const char *const *inputValues; /**< elements of inputs of integers or booleans, which a run checks: `sr=16000` */
  size_t numInputValues;
} DynImportOptions;

typedef struct DynCompileOptions {
  const char *target;                   /**< `cpu` (default) or `cuda` */
  const char *targetCPU;                /**< `native` (default), or names that LLVM knows, with commas between them */
  const char *const *cudaArchitectures; /**< such as `sm_80` */
  size_t numCudaArchitectures;
  const char *weightsDirectory; /**< what relative paths of weights start from; default: the working directory */
} DynCompileOptions;

/** Reads a model in a file. A null module, after diagnostics, if that is impossible. */
MLIR_CAPI_EXPORTED MlirModule dynImportONNXFile(MlirContext context, const char *path, const DynImportOptions *options);

/** Reads a serialized model, which must not have data in files; `name` stands for it in messages and locations. */
MLIR_CAPI_EXPORTED MlirModule dynImportONNX(MlirContext context, const void *bytes, size_t size, const char *name,
                                            const DynImportOptions *options);

/** Compiles a module as the import leaves it to the artefact `output`, which dyn-c/Runtime.h loads: it appears complete
 *  or not at all. The contents of the module are used up; it is still to be destroyed. */
MLIR_CAPI_EXPORTED MlirLogicalResult dynCompileModule(MlirModule module, const char *output,
                                                      const DynCompileOptions *options);

/** Both in one, from an ONNX model or a module (`.mlir`) in a file. Weights need no file of their own; where the import
 *  options name one, it is not written. */
MLIR_CAPI_EXPORTED MlirLogicalResult dynCompileFile(MlirContext context, const char *input, const char *output,
                                                    const DynImportOptions *importOptions,
                                                    const DynCompileOptions *options);

#ifdef __cplusplus
}
#endif

#endif /* DYN_C_TRANSLATION_H */
