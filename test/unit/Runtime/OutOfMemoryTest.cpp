//===- Where memory ends ------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TestArtefact.h"
#include <cstdlib>
#include <new>
#include <vector>

using namespace dyn::test;

/// How many more requests of this thread are granted; negative: all.
static thread_local long granted = -1;

void *operator new(size_t bytes) {
  if (granted == 0)
    throw std::bad_alloc();
  granted -= granted > 0;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

/// Calls `function` with less and less memory; it has to fail each time until it succeeds, and to say so.
template <typename Function>
static void expectRefusals(Function function) {
  int refusals = 0;
  for (long count = 0;; ++count) {
    ASSERT_LT(count, 100000);
    granted = count;
    int status = function();
    granted = -1;
    if (status == 0)
      break;
    ++refusals;
    EXPECT_STRNE(dynGetLastError(), "");
  }
  EXPECT_GT(refusals, 0);
}

TEST_F(FakeModelTest, NoExceptionLeavesTheLibraryWhereMemoryEnds) {
  TestFile file(getSealed("FakeArtefact.so"));
  DynModel *other = nullptr;
  expectRefusals([&] { return dynModelLoad(file.path.c_str(), 1, &other); });
  dynModelFree(other);
  DynBinding *binding = nullptr;
  expectRefusals([&] { return dynBindingCreate(model, &binding); });
  std::vector<float> x(50, 1.0f);
  int64_t n = 50;
  expectRefusals([&] { return dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, x.data()); });
  expectRefusals([&] { return dynBindingRun(binding); });
  // An error about the arguments needs memory for its line.
  for (long count = 0; count < 8; ++count) {
    granted = count;
    EXPECT_EQ(dynBindingSetOutput(binding, "no such output, with a name that is long", nullptr, 0), 1);
    granted = -1;
    EXPECT_STRNE(dynGetLastError(), "");
  }
  dynBindingFree(binding);
}
