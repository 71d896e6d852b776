//===- What a machine can do at most ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/Roofline.h"
#include "dyn/Runtime/TensorMemory.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using namespace dyn;

/// Independent chains of operations: more than the latency of one times the number of units that do them.
static constexpr int kChains = 12;
/// Of a try; each takes a few milliseconds.
static constexpr int64_t kMultiplyAdds = int64_t(1) << 24;
static constexpr int kTries = 40;
/// For all threads together: beyond what caches hold.
static constexpr size_t kStreamBytes = size_t(192) << 20;

namespace {

/// The two loops for one width of vectors. They are inlined into functions that are compiled for CPUs that have it.
template <size_t vectorBytes>
struct Loops {
  typedef float Vector __attribute__((vector_size(vectorBytes)));
  static constexpr int64_t kLanes = vectorBytes / sizeof(float);

  __attribute__((always_inline)) static inline float multiplyAdd(int64_t steps, float factor) {
    Vector chains[kChains] = {};
    Vector scale = Vector{} + factor, term = Vector{} + 1.0f;
    for (int64_t i = 0; i < steps; ++i)
      for (Vector &chain : chains)
        chain = chain * scale + term;
    return reduce(chains);
  }

  __attribute__((always_inline)) static inline float read(const float *data, size_t count) {
    Vector chains[kChains] = {};
    const size_t step = kChains * kLanes;
    for (size_t i = 0; i + step <= count; i += step)
      for (int chain = 0; chain < kChains; ++chain)
        chains[chain] += *reinterpret_cast<const Vector *>(data + i + chain * kLanes);
    return reduce(chains);
  }

private:
  __attribute__((always_inline)) static inline float reduce(const Vector (&chains)[kChains]) {
    float sum = 0;
    for (const Vector &chain : chains)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        sum += chain[lane];
    return sum;
  }
};

struct Kernels {
  int64_t lanes;
  float (*multiplyAdd)(int64_t steps, float factor);
  float (*read)(const float *data, size_t count);
};

} // namespace

static float multiplyAdd16(int64_t steps, float factor) { return Loops<16>::multiplyAdd(steps, factor); }
static float read16(const float *data, size_t count) { return Loops<16>::read(data, count); }
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static float multiplyAdd32(int64_t steps, float factor) {
  return Loops<32>::multiplyAdd(steps, factor);
}
__attribute__((target("avx2,fma"))) static float read32(const float *data, size_t count) {
  return Loops<32>::read(data, count);
}
__attribute__((target("avx512f,fma"))) static float multiplyAdd64(int64_t steps, float factor) {
  return Loops<64>::multiplyAdd(steps, factor);
}
__attribute__((target("avx512f,fma"))) static float read64(const float *data, size_t count) {
  return Loops<64>::read(data, count);
}
#endif

static Kernels getKernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {16, multiplyAdd64, read64};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {8, multiplyAdd32, read32};
#endif
  return {4, multiplyAdd16, read16};
}

/// The least seconds of several tries in which every thread does `work` once, all at the same time.
static double timeTogether(unsigned threads, const std::function<void(unsigned)> &work) {
  std::atomic<int64_t> arrived{0};
  // Waits until all threads have come here as often as this one.
  auto meet = [&](int64_t times) {
    ++arrived;
    while (arrived.load() < times * threads)
      std::this_thread::yield();
  };
  double least = 1e30;
  auto loop = [&](unsigned thread) {
    for (int64_t attempt = 0; attempt < kTries; ++attempt) {
      meet(2 * attempt + 1);
      auto start = std::chrono::steady_clock::now();
      work(thread);
      meet(2 * attempt + 2);
      if (thread == 0)
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(loop, i);
  loop(0);
  for (std::thread &other : others)
    other.join();
  return least;
}

double Roofline::getLeastSeconds(double operations, double bytes) const {
  return std::max(operations / operationsPerSecond, bytes / bytesPerSecond);
}

Roofline dyn::measureRoofline(unsigned threads) {
  threads = std::max(1u, threads);
  Kernels kernels = getKernels();
  // What the loops compute is kept, so that they are.
  std::atomic<float> kept{0};
  Roofline roofline;
  int64_t steps = kMultiplyAdds / (kernels.lanes * kChains) * 4;
  double seconds = timeTogether(threads, [&](unsigned) { kept = kernels.multiplyAdd(steps, 0.5f); });
  roofline.operationsPerSecond = 2.0 * double(steps * kChains * kernels.lanes) * threads / seconds;

  // Where tensors of a run lie: on large pages, if the system has them.
  size_t count = kStreamBytes / threads / sizeof(float);
  std::vector<std::unique_ptr<float, decltype(&std::free)>> storage;
  for (unsigned thread = 0; thread < threads; ++thread) {
    size_t bytes = count * sizeof(float);
    storage.emplace_back(static_cast<float *>(allocateTensorMemory(bytes)), &std::free);
    if (!storage.back())
      llvm::report_bad_alloc_error("not enough memory to measure how fast memory is read");
  }
  std::vector<char> isTouched(threads, false);
  seconds = timeTogether(threads, [&](unsigned thread) {
    // First touched by the thread that reads it.
    if (!std::exchange(isTouched[thread], true))
      std::fill_n(storage[thread].get(), count, 0.0f);
    kept = kernels.read(storage[thread].get(), count);
  });
  roofline.bytesPerSecond = double(count * sizeof(float)) * threads / seconds;
  return roofline;
}
