/*===- What compiled code and the runtime know of each other -------*- C -*-===*\
 * Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.            *
 *                                                                             *
 * An artefact is a shared object that exports one symbol, dyn_artefact, of    *
 * type DynArtefact. A change of anything here changes DYN_ARTEFACT_VERSION.   *
\*===----------------------------------------------------------------------===*/

#ifndef DYN_RUNTIME_ARTEFACTABI_H
#define DYN_RUNTIME_ARTEFACTABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DYN_ARTEFACT_MAGIC 0x315452414e5944ull /* "DYNART1" */
#define DYN_ARTEFACT_VERSION 9

/** Filled in by generated code when a check fails: `guard` indexes the descriptor's guards, `values` depend on its
 * kind.
 *  - range, constraint, guard, size: the values of the guard's `symbols`, in their order.
 *  - input_dim: the dim as given, the dim as expected, then the values of `symbols`.
 *  - input_data: none.
 *  - index: the index as given and the limit.
 *  - divisor: as an index that must be less than 1, which 0 and 1 stand for.
 *
 *  There are never more than 14 values; symbols beyond are left out. */
typedef struct DynErrorRecord {
  int64_t guard;
  int64_t numValues;
  int64_t values[14];
} DynErrorRecord;

/** Where kernels on a device record an error: memory of the device, all zero before a run, read after it. */
typedef struct DynDeviceErrors {
  /** Taken from 0 to 1 by the one thread that writes `error`. */
  int32_t errorState;
  int32_t reserved;
  DynErrorRecord error;
} DynDeviceErrors;

struct DynRunContext;

/** A piece of parallel work: items [begin, end) of a kernel whose arguments lie in `arguments`. */
typedef void (*DynWorkFunction)(struct DynRunContext *context, void *arguments, int64_t begin, int64_t end);

/** Items [0, count) of `work`, at least `grain` at a time; `count` may be 0. */
typedef struct DynLaunch {
  DynWorkFunction work;
  void *arguments;
  int64_t count;
  int64_t grain;
  /** The place in the descriptor's "launches". */
  int64_t launch;
  /** Bit d - 1: it begins only when the launch d before it has ended. */
  int64_t after;
} DynLaunch;

/** A launch begins only when all that are so many or more before it have ended. */
#define DYN_LAUNCH_WINDOW 16
/** DynLaunch.after of a launch that waits for all before it. */
#define DYN_AFTER_ALL ((INT64_C(1) << (DYN_LAUNCH_WINDOW - 1)) - 1)

/** What generated code may call; lives during one run. Generated code knows the offsets of all members up to `places`.
 */
typedef struct DynRunContext {
  /** Set by kernels, with an atomic compare-and-swap of `errorState` from 0 to 1 before `error` is written. */
  int32_t errorState;
  int32_t reserved;
  /** Adds a launch to those that the threads of the model work at; may return before it has ended, or begun. The launch
   *  and its arguments stay where they are until DYN_LAUNCH_WINDOW others have been added, or `finish` has returned.
   *  While what may run at a time is less than one grain altogether, it runs in the caller's thread. */
  void (*submit)(struct DynRunContext *context, const DynLaunch *launch);
  /** Returns when all launches have ended. */
  void (*finish)(struct DynRunContext *context);
  /** The calling thread's part of the arena: at least `bytes` (> 0), aligned to 64, undefined contents, its own until
   * the work function that asked for it returns. Called at most once by each call of a work function. Null when there
   * is not that much, which DynArtefact.scratch rules out; the kernel then records an error with guard -1 and the value
   *  `bytes`, and returns. */
  void *(*scratch)(struct DynRunContext *context, int64_t bytes);
  DynErrorRecord error;
  /** Where the buffers of the arena begin, in bytes; null: as planned. See DynArtefact.buffers. */
  const int64_t *places;
  /** The runtime's: the launches that have not ended. */
  void *queue;
  /** The runtime's: memory of threads, `scratchBytes` for each. */
  void *scratchMemory;
  int64_t scratchBytes;
} DynRunContext;

/** Code of the kernels for a device: PTX text, which a driver compiles, or machine code as an ELF image. Each lies in a
 *  section of its own, `.dyn.MODULE.ARCH.KIND`, which holds nothing else. */
typedef struct DynImage {
  /** "ptx" or "cubin". */
  const char *kind;
  /** "sm_80": of PTX the lowest that it is for, of a cubin the one. */
  const char *arch;
  /** The name of the kernels' module. */
  const char *module;
  const void *data;
  /** PTX has no NUL at its end. */
  uint64_t bytes;
} DynImage;

/** The one exported symbol `dyn_artefact`. */
typedef struct DynArtefact {
  uint64_t magic;
  uint64_t version;
  /** JSON text: {"target_cpu": "x86-64-v3", "cpu_features": ["avx2", ...], "cuda_archs": ["sm_80"],
   *  "images": [{"kind": "ptx", "arch": "sm_80", "module": "kernels", "section": ".dyn.kernels.sm_80.ptx", "bytes"}],
   *  "inputs": [{"name", "element_type", "dims": ["batch", "768"]}], "outputs": [...],
   *  "symbols": [{"name", "facts": "[1, 64] mod 8", "input", "dim", "element"}], "symbol_facts": "...",
   *  "guards": [{"kind", "predicate", "because", "node", "symbols": ["S", "P"], "input", "dim"}],
   *  "aliases": [{"relation": "total == past + seq", "because", "node"}], "arena": "expression",
   *  "live": "expression", "lifetimes": [0, 3, ...], "beside": [0, 1, ...],
   *  "launches": [{"kernel", "kind", "nodes": [...], "operations": "expression", "bytes": "expression"}]}. Element
   * types are numbers of DynElementType. Launches stand in the order of a run; formulas are "" where there is none.
   *
   *  `dim` or `element` of `input` gives the value of a symbol, for a message; "" and -1 where none does.
   *
   *  Guards stand in the order in which they are tested, except that those that kernels test come first. Every field is
   *  there in every guard, and is "", [] or -1 where it says nothing.
   *  - range: a declared fact of a symbol, `predicate`; `input` and `dim` give the input dim that determines the
   * symbol, if one does.
   *  - input_dim: dim `dim` of input `input` is not `predicate`, the expression that was declared.
   *  - input_data: the sizes of the model depend on elements of input `input`, whose data were not given.
   *  - constraint: a declared relation between symbols, `predicate`.
   *  - guard: a relation that node `node` needs, `predicate`, because of `because`.
   *  - size: a size, `predicate`, that needs more than 64 bits or divides by zero; what dim `dim` of input `input`
   * must be, if there is one.
   *    With `because`, `predicate` is that of a guard in which such a size is.
   *  - index: an index that data determine, in a kernel of node `node`; `input` is the input whose elements the
   * indices are, if one is that.
   *  - divisor: an integer that data determine, by which a kernel of node `node` divides, is 0. */
  const char *descriptor;
  uint64_t descriptorBytes;
  /** Returns 0, or 1 with `error` filled in. `inputDims` and `outputDims` are concatenated over inputs and outputs.
   *  `inputData`, as a whole or in its elements, `outputDims` and `arenaBytes` may be NULL. `symbols` has room for all
   *  symbols of the descriptor. */
  int32_t (*check)(const int64_t *inputDims, const void *const *inputData, int64_t *symbols, int64_t *outputDims,
                   int64_t *arenaBytes, DynErrorRecord *error);
  /** Returns 0, or 1 with the context's error filled in. */
  int32_t (*run)(DynRunContext *context, const int64_t *symbols, const void *const *inputs, void *const *outputs,
                 void *arena);
  /** The images that the descriptor lists, in its order; NULL if there are none. */
  const DynImage *images;
  uint64_t numImages;
  /** Null, or: the lines of 64 bytes of the planned arena at `symbols`, which `check` found right, if it is much larger
   *  than it must be, and in `lines` those of each buffer; else 0. The runtime may place the buffers itself then, by
   * the descriptor's "lifetimes": from the first position to the last, both included, of each buffer; the pairs of
   *  "beside" are needed at the same time, too. It gives the places to the run. */
  int64_t (*buffers)(const int64_t *symbols, int64_t *lines);
  /** The most bytes at `symbols`, which `check` found right, that a kernel takes by `DynRunContext.scratch`, on each of
   *  the threads; beside `arenaBytes`. */
  int64_t (*scratch)(const int64_t *symbols);
  /** The bytes of the arena at `symbols`, which `check` found right, as it gives them. */
  int64_t (*arena)(const int64_t *symbols);
  /** The same model for CPUs that lack a feature which this one needs, "cpu_features"; NULL if there is none. Images
   * are those of the exported table. */
  const struct DynArtefact *next;
} DynArtefact;

#ifdef __cplusplus
}
#endif

#endif /* DYN_RUNTIME_ARTEFACTABI_H */
