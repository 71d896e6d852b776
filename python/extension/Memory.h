//===- Memory that runs borrow -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The system clears each page that it gives, which takes longer than some models
// run: memory that a run needed is kept for the next one.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_EXTENSION_MEMORY_H
#define DYN_PYTHON_EXTENSION_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace dyn::python {

/// Memory aligned to 64, of undefined contents; std::bad_alloc where there is none. Large blocks ask for large pages.
class Block {
public:
  Block() = default;
  explicit Block(size_t bytes);

  void *get() const { return memory.get(); }
  size_t bytes = 0;
  /// The number of runs when it became free; kept by OutputPool.
  uint64_t freed = 0;

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<void, Free> memory;
};

/// Working memory that runs borrow, one after the other or several at once. A run takes the largest that is free, so
/// that there is never more than the largest size of each of the runs that went on at the same time.
class ArenaPool {
public:
  Block take(size_t bytes);
  void give(Block arena);
  void clear();
  size_t getBytes();

private:
  std::mutex mutex;
  std::vector<Block> arenas; ///< free ones, by size
};

/// Memory of outputs. A block becomes free when the last array that uses it is gone, and is given to the system if two
/// further runs have not needed it.
class OutputPool {
public:
  /// At most a quarter larger than `bytes`.
  Block take(size_t bytes);
  void give(Block block);
  /// Counts a run.
  void endRun();
  void clear();
  size_t getBytes();

private:
  std::mutex mutex;
  std::vector<Block> blocks; ///< free ones
  uint64_t runs = 0;
};

} // namespace dyn::python

#endif // DYN_PYTHON_EXTENSION_MEMORY_H
