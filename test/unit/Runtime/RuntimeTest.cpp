//===- Checking and running, on a hand-made artefact ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TestArtefact.h"
#include "gmock/gmock.h"
#include <algorithm>
#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <vector>

using namespace dyn::test;
using testing::HasSubstr;

namespace {

TEST_F(FakeModelTest, DescriptorIsReadable) {
  ASSERT_EQ(dynModelGetNumInputs(model), 1u);
  DynTensorInfo info = dynModelGetInput(model, 0);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.elementType, DYN_FLOAT32);
  ASSERT_EQ(info.rank, 1u);
  EXPECT_STREQ(info.dims[0], "n");
  EXPECT_STREQ(dynModelGetSymbolName(model, 0), "n");
  EXPECT_THAT(dynModelGetGuards(model), HasSubstr("n <= 100\trows of \"table\"\t/emb/Gather"));
}

TEST_F(FakeModelTest, LaunchesSayWhatTheyCompute) {
  ASSERT_EQ(dynModelGetNumLaunches(model), 1u);
  DynLaunchInfo info = dynModelGetLaunch(model, 0);
  EXPECT_STREQ(info.kernel, "double");
  EXPECT_STREQ(info.kind, "pointwise");
  ASSERT_EQ(info.numNodes, 2u);
  EXPECT_STREQ(info.nodes[1], "/Take");
  EXPECT_STREQ(info.operations, "n");
  EXPECT_STREQ(info.bytes, "8 * n");
  EXPECT_EQ(dynModelGetLaunch(model, 1).numNodes, 0u);
}

TEST_F(FakeModelTest, ProfileCoversEveryItemOnceAndNoThreadDoesTwoThingsAtATime) {
  struct Record {
    size_t launch;
    int64_t begin, end;
    std::vector<DynProfilePiece> pieces;
  };
  std::vector<Record> records;
  auto callback = [](void *data, const DynProfileRecord *record) {
    static_cast<std::vector<Record> *>(data)->push_back(
        {record->launch, record->begin, record->end, {record->pieces, record->pieces + record->numPieces}});
  };
  DynBinding *binding = nullptr;
  ASSERT_EQ(dynBindingCreate(model, &binding), 0);
  int64_t n = 97;
  std::vector<float> x(size_t(n), 1.5f);
  ASSERT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, &n, 1, x.data()), 0);
  dynBindingSetProfile(binding, callback, &records);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(dynBindingRun(binding), 0) << dynGetLastError();
  EXPECT_EQ(dynBindingGetSymbols(binding)[0], n);
  dynBindingSetProfile(binding, nullptr, nullptr);
  ASSERT_EQ(dynBindingRun(binding), 0);
  dynBindingFree(binding);
  ASSERT_EQ(records.size(), 20u);
  EXPECT_EQ(dynModelGetNumThreads(model), 3u);
  for (const Record &record : records) {
    EXPECT_EQ(record.launch, 0u);
    std::vector<int> done(size_t(n), 0);
    std::vector<int64_t> freeFrom(3, record.begin);
    std::vector<DynProfilePiece> pieces = record.pieces;
    std::sort(pieces.begin(), pieces.end(),
              [](const DynProfilePiece &lhs, const DynProfilePiece &rhs) { return lhs.begin < rhs.begin; });
    for (const DynProfilePiece &piece : pieces) {
      for (int64_t i = 0; i < piece.numItems; ++i)
        ++done[size_t(piece.firstItem + i)];
      ASSERT_LT(piece.thread, 3u);
      EXPECT_GE(piece.begin, freeFrom[piece.thread]);
      EXPECT_LE(piece.begin, piece.end);
      EXPECT_LE(piece.end, record.end);
      freeFrom[piece.thread] = piece.end;
    }
    EXPECT_EQ(done, std::vector<int>(size_t(n), 1));
  }
}

TEST_F(FakeModelTest, FailedGuardNamesPredicateNodeAndValue) {
  int64_t dims[] = {101}, symbols[1];
  EXPECT_EQ(dynModelCheck(model, dims, nullptr, symbols, nullptr, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(),
               "`n` must be <= 100: rows of \"table\", node /emb/Gather; got n = 101 (dim 0 of input 'x')");
}

TEST_F(FakeModelTest, ASizeWithoutSymbolsIsNamedByItsNode) {
  int64_t dims[] = {1001}, symbols[1];
  EXPECT_EQ(dynModelCheck(model, dims, nullptr, symbols, nullptr, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(), "a size does not fit in 64 bits or divides by zero, node /Big");
}

TEST_F(FakeModelTest, NullIsRefused) {
  DynModel *other = nullptr;
  EXPECT_EQ(dynModelLoad(nullptr, 1, &other), 1);
  EXPECT_STREQ(dynGetLastError(), "dynModelLoad: 'path' is NULL");
  EXPECT_EQ(dynModelLoad("model.so", 1, nullptr), 1);
  dynModelFree(nullptr);
  int64_t dims[] = {2}, symbols[1] = {2};
  float data[2] = {};
  const void *inputs[] = {data};
  void *outputs[] = {data};
  EXPECT_EQ(dynModelCheck(nullptr, dims, nullptr, symbols, nullptr, nullptr), 1);
  EXPECT_EQ(dynModelCheck(model, nullptr, nullptr, symbols, nullptr, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(), "dynModelCheck: 'inputDims' is NULL");
  EXPECT_EQ(dynModelCheck(model, dims, nullptr, nullptr, nullptr, nullptr), 1);
  EXPECT_EQ(dynModelRun(nullptr, symbols, inputs, outputs, nullptr), 1);
  EXPECT_EQ(dynModelRun(model, nullptr, inputs, outputs, nullptr), 1);
  EXPECT_EQ(dynModelRun(model, symbols, nullptr, outputs, nullptr), 1);
  EXPECT_EQ(dynModelRun(model, symbols, inputs, nullptr, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(), "dynModelRun: 'outputs' is NULL");
  EXPECT_EQ(dynModelRunProfiled(nullptr, symbols, inputs, outputs, nullptr, nullptr, nullptr), 1);
  EXPECT_EQ(dynModelRunProfiled(model, symbols, inputs, outputs, nullptr, nullptr, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(), "the model needs 256 bytes of working memory, but 'arena' is NULL");
  size_t arenaBytes = 0;
  ASSERT_EQ(dynModelCheck(model, dims, nullptr, symbols, nullptr, &arenaBytes), 0);
  // The plan's 64, and for each thread what the fake's kernel takes.
  size_t scratchBytes = dynModelGetScratchBytes(model, symbols);
  EXPECT_EQ(scratchBytes, size_t(symbols[0] * 4 + 4 + 63) / 64 * 64 * dynModelGetNumThreads(model));
  EXPECT_EQ(arenaBytes, 64 + scratchBytes);
  std::vector<char> arena(arenaBytes);
  EXPECT_EQ(dynModelRunProfiled(model, symbols, inputs, outputs, arena.data(), nullptr, nullptr), 0)
      << dynGetLastError();
  EXPECT_EQ(dynBindingCreate(nullptr, nullptr), 1);
  dynBindingFree(nullptr);
  DynBinding *binding = nullptr;
  ASSERT_EQ(dynBindingCreate(model, &binding), 0);
  EXPECT_EQ(dynBindingSetInput(nullptr, "x", DYN_FLOAT32, dims, 1, data), 1);
  EXPECT_EQ(dynBindingSetInput(binding, nullptr, DYN_FLOAT32, dims, 1, data), 1);
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, nullptr, 1, data), 1);
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, dims, 1, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(), "input 'x' has elements, but its data are NULL");
  EXPECT_EQ(dynBindingSetOutput(nullptr, "y", data, sizeof(data)), 1);
  EXPECT_EQ(dynBindingSetOutput(binding, nullptr, data, sizeof(data)), 1);
  EXPECT_EQ(dynBindingRun(nullptr), 1);
  dynBindingSetProfile(nullptr, nullptr, nullptr);
  EXPECT_EQ(dynBindingGetSymbols(nullptr), nullptr);
  EXPECT_EQ(dynBindingGetOutput(binding, "y", nullptr, nullptr, nullptr), 1);
  // Without elements there are no data.
  dims[0] = 0;
  EXPECT_EQ(dynBindingSetInput(binding, "x", DYN_FLOAT32, dims, 1, nullptr), 0);
  EXPECT_EQ(dynBindingRun(binding), 0) << dynGetLastError();
  dynBindingFree(binding);
}

TEST_F(FakeModelTest, AnArenaIsNeededThoughNoKernelTakesMemory) {
  int64_t symbols[1] = {-1};
  float data[1] = {};
  const void *inputs[] = {data};
  void *outputs[] = {data};
  ASSERT_EQ(dynModelGetScratchBytes(model, symbols), 0u);
  EXPECT_EQ(dynModelRun(model, symbols, inputs, outputs, nullptr), 1);
  EXPECT_STREQ(dynGetLastError(), "the model needs 64 bytes of working memory, but 'arena' is NULL");
}

TEST(RuntimeNullTest, OfNoModelThereIsNothingToTell) {
  EXPECT_EQ(dynModelGetNumInputs(nullptr), 0u);
  EXPECT_EQ(dynModelGetNumOutputs(nullptr), 0u);
  EXPECT_EQ(dynModelGetInput(nullptr, 0).rank, 0u);
  EXPECT_EQ(dynModelGetOutput(nullptr, 0).rank, 0u);
  EXPECT_EQ(dynModelGetNumSymbols(nullptr), 0u);
  EXPECT_STREQ(dynModelGetSymbolName(nullptr, 0), "");
  EXPECT_STREQ(dynModelGetSymbolFacts(nullptr), "");
  EXPECT_STREQ(dynModelGetGuards(nullptr), "");
  EXPECT_STREQ(dynModelGetAliases(nullptr), "");
  EXPECT_STREQ(dynModelGetLiveBytes(nullptr), "");
  EXPECT_STREQ(dynModelGetTargetCPU(nullptr), "");
  EXPECT_EQ(dynModelGetNumImages(nullptr), 0u);
  EXPECT_EQ(dynModelGetImage(nullptr, 0).bytes, 0u);
  EXPECT_EQ(dynModelGetNumLaunches(nullptr), 0u);
  EXPECT_EQ(dynModelGetLaunch(nullptr, 0).numNodes, 0u);
  EXPECT_EQ(dynModelGetNumThreads(nullptr), 0u);
}

/// Checks and runs with working memory of its own; 0 where that was right.
int runOnce(const DynModel *model, const std::vector<float> &x, std::vector<float> &y) {
  int64_t dims[] = {int64_t(x.size())}, symbols[1];
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  size_t arenaBytes = 0;
  if (int status = dynModelCheck(model, dims, nullptr, symbols, nullptr, &arenaBytes))
    return status;
  std::vector<char> arena(arenaBytes);
  return dynModelRun(model, symbols, inputs, outputs, arena.data());
}

TEST_F(FakeModelTest, RunsFromSeveralThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) {
        std::vector<float> x(size_t(t * 31 + round) % 101, float(t + 1)), y(x.size());
        wrong += runOnce(model, x, y);
        for (float value : y)
          wrong += value != 2.0f * float(t + 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

/// A run with 100 elements; is its result right?
bool runIsRight(const DynModel *model) {
  std::vector<float> x(100, 3), y(100);
  return !runOnce(model, x, y) && y == std::vector<float>(100, 6);
}

TEST_F(FakeModelTest, AForkedProcessRunsAndFreesTheModel) {
  EXPECT_TRUE(runIsRight(model));
  // Long enough for workers to be asleep, and for them to be in the middle of something.
  for (int sleep : {0, 10}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(sleep));
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      bool right = true;
      for (int i = 0; i < 100; ++i)
        right &= runIsRight(model);
      dynModelFree(model);
      _exit(right ? 0 : 1);
    }
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(runIsRight(model));
  }
}

} // namespace
