//===- Compiling and running single kernels ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_KERNELSTOCPU_KERNELHARNESS_H
#define DYN_TEST_UNIT_KERNELSTOCPU_KERNELHARNESS_H

#include "dyn/Runtime/ArtefactABI.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace dyn::test {

/// Memory that ends where the next byte cannot be touched, with a pattern before its begin.
class GuardedBytes {
public:
  explicit GuardedBytes(size_t bytes);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes &) = delete;
  void *data() const { return begin; }
  /// Whether nothing was written just before the begin.
  bool isIntact() const;

private:
  char *mapping, *begin;
  size_t mapped;
};

/// Exponentials in vectors of 512 bits take instructions of AVX-512.
bool hasExponentials(unsigned vectorBits);
/// The widths of vectors above 128 bits for which functions of the math dialect can be run here.
std::vector<unsigned> getVectorBits();

inline int64_t product(const std::vector<int64_t> &dims) {
  int64_t result = 1;
  for (int64_t dim : dims)
    result *= dim;
  return result;
}

/// A tensor argument.
template <typename T>
struct Tensor {
  std::vector<int64_t> dims;
  std::shared_ptr<GuardedBytes> memory;

  explicit Tensor(std::vector<int64_t> sizes)
      : dims(std::move(sizes)), memory(std::make_shared<GuardedBytes>(product(dims) * sizeof(T))) {
    for (int64_t i = 0; i < size(); ++i)
      data()[i] = T();
  }
  T *data() const { return static_cast<T *>(memory->data()); }
  int64_t size() const { return product(dims); }
  T &operator[](int64_t i) const { return data()[i]; }
  template <typename... Index>
  T &at(Index... indices) const {
    int64_t offset = 0;
    size_t d = 0;
    for (int64_t index : {int64_t(indices)...})
      offset = offset * dims[d++] + index;
    return data()[offset];
  }
};

/// A kernel argument: a tensor or an index.
struct Argument {
  void *data = nullptr;
  std::vector<int64_t> dims;
  int64_t index = 0;

  template <typename T>
  Argument(const Tensor<T> &tensor) : data(tensor.data()), dims(tensor.dims) {}
  Argument(int64_t index) : index(index) {}
};

class CompiledKernel {
public:
  /// Compiles the one kernel of a module in text; `vectorBits` as in the pass. Null and a message on `errors` on
  /// failure.
  static std::unique_ptr<CompiledKernel> compile(llvm::StringRef source, unsigned vectorBits, std::string &errors);
  ~CompiledKernel();

  /// Runs all items, in several pieces, the last piece first. Returns the context, in which errors are recorded.
  DynRunContext run(const std::vector<Argument> &arguments);
  /// Runs all items in one piece.
  void runAtOnce(const std::vector<Argument> &arguments);
  int64_t count(const std::vector<Argument> &arguments);
  int64_t grain(const std::vector<Argument> &arguments);

private:
  struct Implementation;
  explicit CompiledKernel(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

/// Reproducible numbers in [-1, 1].
class Random {
public:
  float next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return float(int32_t(state >> 33) % 2000001 - 1000000) / 1000000.0f;
  }
  template <typename T>
  void fill(const Tensor<T> &tensor) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor[i] = T(next());
  }

private:
  uint64_t state = 42;
};

/// Sizes around those of vectors and tiles.
inline const std::vector<int64_t> sizes{0, 1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 64, 127, 131};

} // namespace dyn::test

#endif // DYN_TEST_UNIT_KERNELSTOCPU_KERNELHARNESS_H
