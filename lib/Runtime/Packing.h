//===- Placing buffers when their sizes are known ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_PACKING_H
#define DYN_LIB_RUNTIME_PACKING_H

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace dyn::runtime {

/// Places in an arena, in bytes, and its size.
struct Packing {
  static constexpr int64_t kBytesPerLine = 64;
  std::vector<int64_t> places;
  int64_t bytes = 0;
};

/// Places buffers of `lines` lines of 64 bytes one after the other, each as low as it overlaps none that is needed at
/// the same time: from position `lifetimes[2 * i]` to `lifetimes[2 * i + 1]`, both included, and buffer `beside[2 * k]`
/// together with `beside[2 * k + 1]` in any case. Of the orders by size, by
/// length of life and by their product, greatest first, it takes the one that needs least memory. Where all together
/// have more bytes than 63 bits count, it gives no places and the greatest size.
Packing packBuffers(const std::vector<int64_t> &lines, const std::vector<int64_t> &lifetimes,
                    const std::vector<int64_t> &beside);

/// The packings of the sizes that were seen last. Safe for several threads.
class PackingCache {
public:
  using Entry = std::shared_ptr<const Packing>;
  /// Null, in `found`, is an answer too: sizes that need no packing.
  bool find(const std::vector<int64_t> &symbols, Entry &found);
  void add(std::vector<int64_t> symbols, Entry packing);

private:
  static constexpr size_t kMaxEntries = 64;
  std::mutex mutex;
  std::list<std::pair<std::vector<int64_t>, Entry>> entries; ///< guarded by `mutex`; the last used first
};

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_PACKING_H
