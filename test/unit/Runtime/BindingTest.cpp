//===- Inputs and outputs by name -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TestArtefact.h"
#include <vector>

using namespace dyn::test;

namespace {
struct BindingTest : FakeModelTest {
  void SetUp() override {
    FakeModelTest::SetUp();
    ASSERT_EQ(dynBindingCreate(model, &binding), 0) << dynGetLastError();
  }
  void TearDown() override {
    dynBindingFree(binding);
    FakeModelTest::TearDown();
  }
  int bind(const std::vector<float> &x) {
    auto n = int64_t(x.size());
    return dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, x.data());
  }
  int getOutput() { return dynBindingGetOutput(binding, "y", &dims, &rank, &data); }

  DynBinding *binding = nullptr;
  const int64_t *dims = nullptr;
  size_t rank = 0;
  void *data = nullptr;
};
} // namespace

TEST_F(BindingTest, SizesZeroOneAndManyRun) {
  for (int64_t n : {0, 1, 2, 3, 4, 31, 97, 100}) {
    std::vector<float> x(static_cast<size_t>(n), 1.5f);
    ASSERT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, x.data()), 0);
    ASSERT_EQ(dynBindingRun(binding), 0) << dynGetLastError();
    ASSERT_EQ(getOutput(), 0);
    ASSERT_EQ(rank, 1u);
    EXPECT_EQ(dims[0], n);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(static_cast<float *>(data)[i], 3.0f);
  }
}

TEST_F(BindingTest, WrongBindingsAreNamed) {
  int64_t dims[] = {2, 2};
  float data[4] = {};
  EXPECT_EQ(dynBindingSetInput(binding, "z", DYN_FLOAT32, dims, 1, data), 1);
  EXPECT_STREQ(dynGetLastError(), "the model has no input 'z'; its inputs: 'x'");
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_INT64, dims, 1, data), 1);
  EXPECT_STREQ(dynGetLastError(), "input 'x' has element type int64, must be float32");
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, dims, 2, data), 1);
  EXPECT_STREQ(dynGetLastError(), "input 'x' has rank 2 (dims [2, 2]), must be 1: [n]");
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "input 'x' is missing");
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, dims, 1, data), 0);
  float small[1];
  EXPECT_EQ(dynBindingSetOutput(binding, "y", small, sizeof(small)), 0);
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "output 'y' needs 8 bytes, its buffer has 4");
}

TEST_F(BindingTest, IndexThatAKernelRefusesIsNamed) {
  std::vector<float> x = {-1, 0, 0, 0};
  ASSERT_EQ(bind(x), 0);
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "index -5 is out of bounds: must be at least -7, node /Take");
}

TEST_F(BindingTest, ARunThatFailsLeavesNoOutput) {
  std::vector<float> good(4, 1.0f), bad(4, -1.0f), tooMany(101, 1.0f);
  std::vector<float> small(1);
  for (const std::vector<float> *next : {&bad, &tooMany, &good}) {
    ASSERT_EQ(dynBindingSetOutput(binding, "y", nullptr, 0), 0);
    ASSERT_EQ(bind(good), 0);
    ASSERT_EQ(dynBindingRun(binding), 0) << dynGetLastError();
    ASSERT_EQ(getOutput(), 0);
    EXPECT_EQ(dims[0], 4);
    // In a kernel, in a check, or for want of room.
    ASSERT_EQ(bind(*next), 0);
    if (next == &good) {
      ASSERT_EQ(dynBindingSetOutput(binding, "y", small.data(), 4), 0);
    }
    EXPECT_EQ(dynBindingRun(binding), 1);
    EXPECT_EQ(getOutput(), 1);
    EXPECT_STREQ(dynGetLastError(), "output 'y' is there only after a run");
  }
}

TEST_F(BindingTest, OutputsThatOverlapInputsAreRefused) {
  std::vector<float> memory(16, 1.5f);
  int64_t n = 8;
  auto run = [&](size_t input, size_t output) {
    EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, memory.data() + input), 0);
    EXPECT_EQ(dynBindingSetOutput(binding, "y", memory.data() + output, 32), 0);
    return dynBindingRun(binding);
  };
  EXPECT_EQ(run(0, 8), 0) << dynGetLastError();
  EXPECT_EQ(run(8, 0), 0) << dynGetLastError();
  EXPECT_EQ(run(0, 0), 1);
  EXPECT_EQ(run(0, 7), 1);
  EXPECT_STREQ(dynGetLastError(), "the data of input 'x' and output 'y' overlap");
  EXPECT_EQ(run(7, 0), 1);
  EXPECT_STREQ(dynGetLastError(), "the data of output 'y' and input 'x' overlap");
  EXPECT_EQ(memory[7], 6.0f) << "of the last run that was right";
  n = 0;
  EXPECT_EQ(run(0, 0), 0) << dynGetLastError();
}

TEST_F(BindingTest, AnOutputThatTheBindingOwnsIsNoInput) {
  std::vector<float> x(8, 1.5f);
  ASSERT_EQ(bind(x), 0);
  ASSERT_EQ(dynBindingRun(binding), 0) << dynGetLastError();
  ASSERT_EQ(getOutput(), 0);
  int64_t n = 8;
  ASSERT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, data), 0);
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "the data of input 'x' and output 'y' overlap");
  // Nor where the output grows, and its buffer would be another one.
  int64_t more = 32;
  ASSERT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &more, 1, data), 0);
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "the data of input 'x' and output 'y' overlap");
  ASSERT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, data), 0);
  // Unless the output goes elsewhere.
  std::vector<float> y(8);
  ASSERT_EQ(dynBindingSetOutput(binding, "y", y.data(), 32), 0);
  EXPECT_EQ(dynBindingRun(binding), 0) << dynGetLastError();
  EXPECT_EQ(y, std::vector<float>(8, 6.0f));
}
