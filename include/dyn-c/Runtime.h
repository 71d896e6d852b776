/*===- Loading and running compiled models ------------------------*- C -*-===*\
 * Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.           *
 *                                                                            *
 * All that a compiled model needs to run: this header, libdyn_runtime, and   *
 * the artefact (one shared object). No LLVM. Functions return 0 on success;  *
 * otherwise dynGetLastError() has one line for people. A NULL that is not    *
 * said to be allowed is such an error, of no model there is nothing to tell; *
 * data of tensors without elements may be NULL. No exception leaves a        *
 * function; where memory ends, the line is "out of memory" or says for what. *
 * What a run writes may overlap nothing else that it is given: no output     *
 * another output, an input or the arena. Inputs may overlap each other.      *
 * Sizes are int64_t elements unless they say bytes. All buffers are dense,   *
 * row-major, aligned to 64 bytes for best speed, and may be owned by the     *
 * caller.                                                                    *
\*===----------------------------------------------------------------------===*/

#ifndef DYN_C_RUNTIME_H
#define DYN_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define DYN_RUNTIME_EXPORT
#else
#define DYN_RUNTIME_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The most threads that a model may be given. */
#define DYN_MAX_THREADS 1024

/** Element types, numbered as in ONNX TensorProto.DataType. */
typedef enum DynElementType {
  DYN_FLOAT32 = 1,
  DYN_UINT8 = 2,
  DYN_INT8 = 3,
  DYN_UINT16 = 4,
  DYN_INT16 = 5,
  DYN_INT32 = 6,
  DYN_INT64 = 7,
  DYN_BOOL = 9,
  DYN_FLOAT16 = 10,
  DYN_FLOAT64 = 11,
  DYN_UINT32 = 12,
  DYN_UINT64 = 13,
  DYN_BFLOAT16 = 16
} DynElementType;

/** A loaded artefact. Immutable after loading: any number of threads may use one at the same time. */
typedef struct DynModel DynModel;

/** What dynModelGetInput and dynModelGetOutput tell; the strings live as long as the model. */
typedef struct DynTensorInfo {
  const char *name;
  DynElementType elementType;
  size_t rank;
  const char *const *dims; /**< one expression over the model's symbols for each dim: "batch", "past + seq", "768" */
} DynTensorInfo;

/** Error of the last failed call of this thread; "" if there was none. Valid until this thread's next call. */
DYN_RUNTIME_EXPORT const char *dynGetLastError(void);

/** Loads an artefact. `threads` is the number of threads that runs use together with the caller; 0: one for each core.
 *  At most DYN_MAX_THREADS. Fails with one line if the file is no artefact, is damaged (weights aside), of another
 * format version, or compiled for CPU features that this machine lacks, or if the threads can't be started. */
DYN_RUNTIME_EXPORT int dynModelLoad(const char *path, unsigned threads, DynModel **model);
DYN_RUNTIME_EXPORT void dynModelFree(DynModel *model);

DYN_RUNTIME_EXPORT size_t dynModelGetNumInputs(const DynModel *model);
DYN_RUNTIME_EXPORT size_t dynModelGetNumOutputs(const DynModel *model);
DYN_RUNTIME_EXPORT DynTensorInfo dynModelGetInput(const DynModel *model, size_t index);
DYN_RUNTIME_EXPORT DynTensorInfo dynModelGetOutput(const DynModel *model, size_t index);
DYN_RUNTIME_EXPORT size_t dynModelGetNumSymbols(const DynModel *model);
DYN_RUNTIME_EXPORT const char *dynModelGetSymbolName(const DynModel *model, size_t index);
/** The declared symbols with their facts, in the syntax of `#dyn.symbols`. */
DYN_RUNTIME_EXPORT const char *dynModelGetSymbolFacts(const DynModel *model);
/** The guards that run before the kernels, one a line: predicate, tab, reason, tab, node. */
DYN_RUNTIME_EXPORT const char *dynModelGetGuards(const DynModel *model);
/** What the names stand for that inputs do not declare, such as "present_seq == past_seq + seq", one a line: relation,
 *  tab, reason, tab, node. */
DYN_RUNTIME_EXPORT const char *dynModelGetAliases(const DynModel *model);

/** The bytes of what launches leave to later ones and is needed at the same time, which no working memory can do with
 *  less of, as an expression over the model's symbols; "" where there is none. dynModelCheck gives what is used, with
 *  dynModelGetScratchBytes. */
DYN_RUNTIME_EXPORT const char *dynModelGetLiveBytes(const DynModel *model);

/** The part of the working memory at the sizes that dynModelCheck put into `symbols` that kernels take while they run,
 *  such as for packed operands: so much for each thread. */
DYN_RUNTIME_EXPORT size_t dynModelGetScratchBytes(const DynModel *model, const int64_t *symbols);

/** The descriptor of the file that the model was loaded from, which the model keeps open: for reading at a position
 *  (pread) what runs, whatever has become of the path. The model's own, so not to be closed. -1 for no model. */
DYN_RUNTIME_EXPORT int dynModelGetFile(const DynModel *model);

/** What the code that runs was generated for: "x86-64-v3". An artefact that was compiled for several CPUs takes the one
 *  whose code may use most of what this machine has. Lives as long as the model. */
DYN_RUNTIME_EXPORT const char *dynModelGetTargetCPU(const DynModel *model);

/** Code of the kernels for another device that an artefact holds. Strings and data live as long as the model. */
typedef struct DynImageInfo {
  const char *kind;   /**< "ptx" or "cubin" */
  const char *arch;   /**< "sm_80" */
  const char *module; /**< of the kernels */
  const void *data;
  size_t bytes; /**< PTX has no NUL at its end */
} DynImageInfo;

DYN_RUNTIME_EXPORT size_t dynModelGetNumImages(const DynModel *model);
DYN_RUNTIME_EXPORT DynImageInfo dynModelGetImage(const DynModel *model, size_t index);

/** Checks sizes and computes what follows from them, before any kernel.
 *  @param inputDims    dims of all inputs one after the other, in the order of the inputs
 *  @param inputData    for each input its data, or NULL where they are not at hand; the whole array may be NULL. Needed
 *                      only by models whose sizes depend on elements of an input
 *  @param symbols      receives the value of each symbol (dynModelGetNumSymbols)
 *  @param outputDims   receives the dims of all outputs one after the other; may be NULL
 *  @param arenaBytes   receives the bytes of working memory of a run at these sizes; may be NULL
 *  Fails with a line that names the input, the dim, the symbol, the node and both values. */
DYN_RUNTIME_EXPORT int dynModelCheck(const DynModel *model, const int64_t *inputDims, const void *const *inputData,
                                     int64_t *symbols, int64_t *outputDims, size_t *arenaBytes);

/** Runs the model at the sizes that dynModelCheck put into `symbols`.
 *  @param inputs   dense data of each input    @param outputs  room for each output
 *  @param arena    `arenaBytes` bytes aligned to 64; may be NULL if that is 0; no two runs at the same time may share
 *                  one
 *  No output may overlap an input, another output or the arena, which is not checked. Fails, with the outputs
 * undefined, if an index that only a kernel sees is out of bounds; the line names the node, the index and the limit. */
DYN_RUNTIME_EXPORT int dynModelRun(const DynModel *model, const int64_t *symbols, const void *const *inputs,
                                   void *const *outputs, void *arena);

/*===- Profiles -------------------------------------------------------------===*/

/** A kernel launch of a model, and how much it computes and moves: expressions over the model's symbols, "" where
 *  there is none. The strings live as long as the model. */
typedef struct DynLaunchInfo {
  const char *kernel; /**< launches of one kernel have one name */
  const char *kind;   /**< "contraction", "attention", "row", "pointwise", "concat" or "sequential" */
  size_t numNodes;
  const char *const *nodes; /**< the nodes of the model that the launch is made of */
  const char *operations;   /**< additions, multiplications, comparisons and functions of elements */
  const char *bytes;        /**< of the tensors that are read, once each, and written */
} DynLaunchInfo;

DYN_RUNTIME_EXPORT size_t dynModelGetNumLaunches(const DynModel *model);
/** Launches stand in the order of a run. */
DYN_RUNTIME_EXPORT DynLaunchInfo dynModelGetLaunch(const DynModel *model, size_t index);
/** The number of threads of a run, the caller included. */
DYN_RUNTIME_EXPORT size_t dynModelGetNumThreads(const DynModel *model);

/** Work items that one thread did without a break. Times are nanoseconds of a clock that only goes forward. */
typedef struct DynProfilePiece {
  size_t thread; /**< 0: the caller */
  int64_t begin, end;
  int64_t firstItem, numItems;
} DynProfilePiece;

/** A launch that has been run, from its begin until all threads were done. */
typedef struct DynProfileRecord {
  size_t launch;
  int64_t begin, end;
  size_t numPieces;
  const DynProfilePiece *pieces;
} DynProfileRecord;

/** Called after each launch that has work, in the caller's thread; the record lives only during the call. */
typedef void (*DynProfileCallback)(void *data, const DynProfileRecord *record);

/** As dynModelRun, and tells `callback` when each launch ran and where. Launches
 *  that otherwise run at the same time run one after the other. Runs of dynModelRun pay nothing for this. */
DYN_RUNTIME_EXPORT int dynModelRunProfiled(const DynModel *model, const int64_t *symbols, const void *const *inputs,
                                           void *const *outputs, void *arena, DynProfileCallback callback, void *data);

/*===- Binding by name ------------------------------------------------------===*/

/** Sizes, working memory and buffers of one model at one set of sizes. Memory grows to what the largest sizes so far
 *  needed, and is given back by dynBindingFree. Not for several threads at once. */
typedef struct DynBinding DynBinding;

DYN_RUNTIME_EXPORT int dynBindingCreate(const DynModel *model, DynBinding **binding);
DYN_RUNTIME_EXPORT void dynBindingFree(DynBinding *binding);
/** Gives input `name` its element type, dims and data; the data stay the caller's. Fails on an unknown name, a wrong
 *  element type or a wrong rank. */
DYN_RUNTIME_EXPORT int dynBindingSetInput(DynBinding *binding, const char *name, DynElementType elementType,
                                          const int64_t *dims, size_t rank, const void *data);
/** Gives output `name` a buffer of the caller's of at least `bytes`; without it the binding owns one. */
DYN_RUNTIME_EXPORT int dynBindingSetOutput(DynBinding *binding, const char *name, void *data, size_t bytes);
/** Checks and runs. The shape work is done again only when dims have changed since the last run, or where elements
 *  of inputs are sizes. Fails, naming both, where the data of an output overlap those of an input or of another output:
 *  an output of the last run, as dynBindingGetOutput gives it, is an input of the next one only as a copy, or where
 *  dynBindingSetOutput has given that output another buffer meanwhile. */
DYN_RUNTIME_EXPORT int dynBindingRun(DynBinding *binding);
/** Profiles the runs that follow; NULL ends that. */
DYN_RUNTIME_EXPORT void dynBindingSetProfile(DynBinding *binding, DynProfileCallback callback, void *data);
/** The values of the model's symbols in the last run. */
DYN_RUNTIME_EXPORT const int64_t *dynBindingGetSymbols(const DynBinding *binding);
/** Dims and data of an output after a run; overwritten by the next one. Fails after a run that has failed. */
DYN_RUNTIME_EXPORT int dynBindingGetOutput(DynBinding *binding, const char *name, const int64_t **dims, size_t *rank,
                                           void **data);

#ifdef __cplusplus
}
#endif

#endif /* DYN_C_RUNTIME_H */
