//===- A loaded artefact ----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_MODEL_H
#define DYN_LIB_RUNTIME_MODEL_H

#include "Descriptor.h"
#include "ThreadPool.h"
#include <memory>

/// Immutable after loading, but for the pool, which is safe by itself.
struct DynModel {
  DynModel() = default;
  ~DynModel();
  DynModel(const DynModel &) = delete;
  DynModel &operator=(const DynModel &) = delete;

  int file = -1;
  void *library = nullptr;
  const DynArtefact *artefact = nullptr;
  dyn::runtime::Descriptor descriptor;
  std::unique_ptr<dyn::runtime::ThreadPool> pool;
};

#endif // DYN_LIB_RUNTIME_MODEL_H
