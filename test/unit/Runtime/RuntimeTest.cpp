//===- Loading, checking, binding and running, on a hand-made artefact --------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn-c/Runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

using testing::HasSubstr;

namespace {

struct RuntimeTest : testing::Test {
  void SetUp() override {
    ASSERT_EQ(dynModelLoad(ARTEFACT_FOLDER "FakeArtefact.so", 3, &model), 0) << dynGetLastError();
  }
  void TearDown() override { dynModelFree(model); }
  DynModel *model = nullptr;
};

TEST(RuntimeLoadTest, MissingFileIsNamed) {
  DynModel *model = nullptr;
  EXPECT_EQ(dynModelLoad("no-such-file.so", 1, &model), 1);
  EXPECT_THAT(dynGetLastError(), HasSubstr("no-such-file.so"));
}

TEST(RuntimeLoadTest, GarbageIsRefused) {
  std::string path = testing::TempDir() + "dyn-garbage.so";
  std::ofstream(path) << "not a shared object";
  DynModel *model = nullptr;
  EXPECT_EQ(dynModelLoad(path.c_str(), 1, &model), 1);
  EXPECT_THAT(dynGetLastError(), HasSubstr("cannot load"));
  std::remove(path.c_str());
}

TEST(RuntimeLoadTest, OtherFormatVersionIsRefused) {
  DynModel *model = nullptr;
  EXPECT_EQ(dynModelLoad(ARTEFACT_FOLDER "FakeArtefactOfOtherVersion.so", 1, &model), 1);
  EXPECT_THAT(dynGetLastError(), HasSubstr("artefact format 99"));
}

TEST_F(RuntimeTest, DescriptorIsReadable) {
  ASSERT_EQ(dynModelGetNumInputs(model), 1u);
  DynTensorInfo info = dynModelGetInput(model, 0);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.elementType, DYN_FLOAT32);
  ASSERT_EQ(info.rank, 1u);
  EXPECT_STREQ(info.dims[0], "n");
  EXPECT_STREQ(dynModelGetSymbolName(model, 0), "n");
  EXPECT_THAT(dynModelGetGuards(model), HasSubstr("n <= 100\trows of \"table\"\t/emb/Gather"));
}

TEST_F(RuntimeTest, FailedGuardNamesPredicateNodeAndValue) {
  int64_t dims[] = {101}, symbols[1];
  EXPECT_EQ(dynModelCheck(model, dims, nullptr, symbols, nullptr, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(), "'n <= 100' must hold: rows of \"table\", node /emb/Gather; got n = 101");
}

TEST_F(RuntimeTest, SizesZeroOneAndManyRun) {
  for (int64_t n : {0, 1, 2, 3, 4, 31, 97, 100}) {
    DynBinding *binding = nullptr;
    ASSERT_EQ(dynBindingCreate(model, &binding), 0);
    std::vector<float> x(static_cast<size_t>(n), 1.5f);
    ASSERT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, x.data()), 0);
    ASSERT_EQ(dynBindingRun(binding), 0) << dynGetLastError();
    const int64_t *dims;
    size_t rank;
    void *data;
    ASSERT_EQ(dynBindingGetOutput(binding, "y", &dims, &rank, &data), 0);
    ASSERT_EQ(rank, 1u);
    EXPECT_EQ(dims[0], n);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(static_cast<float *>(data)[i], 3.0f);
    dynBindingFree(binding);
  }
}

TEST_F(RuntimeTest, WrongBindingsAreNamed) {
  DynBinding *binding = nullptr;
  ASSERT_EQ(dynBindingCreate(model, &binding), 0);
  int64_t dims[] = {2, 2};
  float data[4] = {};
  EXPECT_EQ(dynBindingSetInput(binding, "z", DYN_FLOAT32, dims, 1, data), 1);
  EXPECT_STREQ(dynGetLastError(), "the model has no input 'z'; its inputs: 'x'");
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_INT64, dims, 1, data), 1);
  EXPECT_STREQ(dynGetLastError(), "input 'x' has element type int64, must be float32");
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, dims, 2, data), 1);
  EXPECT_STREQ(dynGetLastError(), "input 'x' has rank 2, must be 1");
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "input 'x' is missing");
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, dims, 1, data), 0);
  float small[1];
  EXPECT_EQ(dynBindingSetOutput(binding, "y", small, sizeof(small)), 0);
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "output 'y' needs 8 bytes, its buffer has 4");
  dynBindingFree(binding);
}

TEST_F(RuntimeTest, IndexThatAKernelRefusesIsNamed) {
  DynBinding *binding = nullptr;
  ASSERT_EQ(dynBindingCreate(model, &binding), 0);
  int64_t n = 4;
  float x[4] = {-1, 0, 0, 0};
  ASSERT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, x), 0);
  EXPECT_EQ(dynBindingRun(binding), 1);
  EXPECT_STREQ(dynGetLastError(), "index -5 is out of bounds: must be less than 7, node /Take");
  dynBindingFree(binding);
}

TEST_F(RuntimeTest, RunsFromSeveralThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) {
        int64_t n = (t * 31 + round) % 101, symbols[1];
        std::vector<float> x(static_cast<size_t>(n), float(t + 1)), y(x.size());
        const void *inputs[] = {x.data()};
        void *outputs[] = {y.data()};
        if (dynModelCheck(model, &n, nullptr, symbols, nullptr, nullptr) ||
            dynModelRun(model, symbols, inputs, outputs, nullptr))
          ++wrong;
        for (float value : y)
          wrong += value != 2.0f * float(t + 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
