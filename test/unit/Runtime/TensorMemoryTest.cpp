//===- Memory for tensors -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Runtime/TensorMemory.h"
#include "gtest/gtest.h"
#include <cstdint>
#include <memory>

using namespace dyn;

namespace {

struct Free {
  void operator()(void *pointer) const { std::free(pointer); }
};

TEST(TensorMemory, IsAligned) {
  for (size_t bytes : {size_t(0), size_t(1), size_t(64), size_t(65), kLargePageBytes - 1, kLargePageBytes,
                       kLargePageBytes + 1, 3 * kLargePageBytes}) {
    size_t there = bytes;
    std::unique_ptr<void, Free> memory(allocateTensorMemory(there));
    ASSERT_TRUE(memory) << bytes;
    EXPECT_GE(there, bytes);
    EXPECT_LE(there, bytes + kTensorAlignment);
    EXPECT_GT(there, 0u);
    EXPECT_EQ(there % kTensorAlignment, 0u);
    size_t alignment = bytes < kLargePageBytes ? kTensorAlignment : kLargePageBytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % alignment, 0u) << bytes;
    static_cast<char *>(memory.get())[there - 1] = 1;
  }
}

TEST(TensorMemory, SaysWhenThereIsNone) {
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2}) {
    size_t there = bytes;
    EXPECT_EQ(allocateTensorMemory(there), nullptr);
    EXPECT_EQ(there, 0u);
  }
}

} // namespace
