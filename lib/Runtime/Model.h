//===- A loaded artefact ----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_MODEL_H
#define DYN_LIB_RUNTIME_MODEL_H

#include "Descriptor.h"
#include "LaunchQueue.h"
#include "Packing.h"
#include "ThreadPool.h"
#include "WeightPrefetch.h"
#include <memory>

/// Immutable after loading, but for pools, which are safe by themselves.
struct DynModel {
  DynModel() = default;
  ~DynModel();
  DynModel(const DynModel &) = delete;
  DynModel &operator=(const DynModel &) = delete;

  int file = -1;
  void *library = nullptr;
  const DynArtefact *artefact = nullptr; ///< the program that is run
  const DynImage *images = nullptr;
  size_t numImages = 0;
  dyn::runtime::Descriptor descriptor;
  std::unique_ptr<dyn::runtime::WeightPrefetch> prefetch;

  mutable dyn::runtime::PackingCache packings; ///< safe by itself

  /// The threads of this process. A process that was forked after loading gets a pool of its own at its first run.
  dyn::runtime::ThreadPool &getPool() const;
  void startPool(unsigned threads);
  /// The most that a run uses, the caller's included.
  unsigned getNumThreads() const { return numThreads; }

private:
  mutable std::atomic<dyn::runtime::ThreadPool *> pool{nullptr};
  mutable std::mutex poolMutex; ///< held while a pool is replaced
  unsigned numThreads = 1;
};

namespace dyn::runtime {

/// Runs the model in a context that is zero, but for a `submit` that may stand in for the usual one.
int run(const DynModel &model, DynRunContext &context, const int64_t *symbols, const void *const *inputs,
        void *const *outputs, void *arena);

/// Fails if one of the pointers that a run of this model needs is NULL.
int requireRunArguments(const char *function, const DynModel *model, const int64_t *symbols, const void *const *inputs,
                        void *const *outputs);

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_MODEL_H
