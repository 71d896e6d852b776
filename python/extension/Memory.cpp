//===- Memory that runs borrow ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "dyn/Runtime/TensorMemory.h"
#include <algorithm>
#include <new>
#include <numeric>

using namespace dyn;
using namespace dyn::python;

static size_t sum(const std::vector<Block> &blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), size_t(0),
                         [](size_t bytes, const Block &block) { return bytes + block.bytes; });
}

Block::Block(size_t bytes) {
  memory.reset(allocateTensorMemory(bytes));
  if (!memory)
    throw std::bad_alloc();
  this->bytes = bytes;
}

Block ArenaPool::take(size_t bytes) {
  Block arena;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!arenas.empty()) {
      arena = std::move(arenas.back());
      arenas.pop_back();
    }
  }
  if (arena.bytes >= bytes)
    return arena;
  // Never both at the same time.
  arena = Block();
  return Block(bytes);
}

void ArenaPool::give(Block arena) {
  std::lock_guard<std::mutex> lock(mutex);
  auto place = std::upper_bound(arenas.begin(), arenas.end(), arena.bytes,
                                [](size_t bytes, const Block &other) { return bytes < other.bytes; });
  arenas.insert(place, std::move(arena));
}

void ArenaPool::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  arenas.clear();
}

size_t ArenaPool::getBytes() {
  std::lock_guard<std::mutex> lock(mutex);
  return sum(arenas);
}

Block OutputPool::take(size_t bytes) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto best = blocks.end();
    for (auto block = blocks.begin(); block != blocks.end(); ++block)
      if (block->bytes >= bytes && block->bytes - bytes <= bytes / 4 &&
          (best == blocks.end() || block->bytes < best->bytes))
        best = block;
    if (best != blocks.end()) {
      Block block = std::move(*best);
      *best = std::move(blocks.back());
      blocks.pop_back();
      return block;
    }
  }
  return Block(bytes);
}

void OutputPool::give(Block block) {
  std::lock_guard<std::mutex> lock(mutex);
  block.freed = runs;
  blocks.push_back(std::move(block));
}

void OutputPool::endRun() {
  std::lock_guard<std::mutex> lock(mutex);
  ++runs;
  auto isStale = [&](const Block &block) { return block.freed + 2 < runs; };
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(), isStale), blocks.end());
}

void OutputPool::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  blocks.clear();
}

size_t OutputPool::getBytes() {
  std::lock_guard<std::mutex> lock(mutex);
  return sum(blocks);
}
