//===- Loading artefacts, whole and damaged -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TestArtefact.h"
#include "gmock/gmock.h"
#include <sys/stat.h>

using namespace dyn::test;
using testing::HasSubstr;

/// The error of loading such a file; "" if it loads.
static std::string load(const std::string &contents, unsigned threads = 1) {
  TestFile file(contents);
  DynModel *model = nullptr;
  if (dynModelLoad(file.path.c_str(), threads, &model))
    return dynGetLastError();
  dynModelFree(model);
  return "";
}

TEST(RuntimeLoadTest, MissingFileIsNamed) {
  DynModel *model = nullptr;
  EXPECT_EQ(dynModelLoad("no-such-file.so", 1, &model), 1);
  EXPECT_THAT(dynGetLastError(), HasSubstr("no-such-file.so"));
}

TEST(RuntimeLoadTest, GarbageIsRefused) {
  EXPECT_THAT(load("not a shared object"), HasSubstr("it is not a shared object"));
  EXPECT_THAT(load(""), HasSubstr("it is not a shared object"));
  EXPECT_THAT(load("\x7f"
                   "ELF"),
              HasSubstr("it was not written by Dyn, or its end is missing"));
}

TEST(RuntimeLoadTest, WhatIsNoFileIsRefused) {
  DynModel *model = nullptr;
  EXPECT_EQ(dynModelLoad(ARTEFACT_FOLDER, 1, &model), 1);
  EXPECT_THAT(dynGetLastError(), HasSubstr("it is not a regular file"));
  std::string pipe = testing::TempDir() + "dyn-pipe-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(dynModelLoad(pipe.c_str(), 1, &model), 1);
  EXPECT_THAT(dynGetLastError(), HasSubstr("it is not a regular file"));
  std::remove(pipe.c_str());
}

TEST(RuntimeLoadTest, CutOffArtefactsAreRefused) {
  std::string whole = getSealed("FakeArtefact.so");
  EXPECT_EQ(load(whole), "");
  for (size_t part = 1; part < 32; ++part)
    EXPECT_THAT(load(whole.substr(0, whole.size() * part / 32)), HasSubstr("its end is missing"));
  EXPECT_THAT(load(whole.substr(0, whole.size() - 1)), HasSubstr("its end is missing"));
  EXPECT_THAT(load(whole + "x"), HasSubstr("its end is missing"));
}

TEST(RuntimeLoadTest, ArtefactsWithHolesAreRefused) {
  std::string whole = getSealed("FakeArtefact.so");
  for (size_t at = 64; at + 512 < whole.size() - sizeof(dyn::ArtefactSeal); at += 256) {
    std::string damaged = whole;
    damaged.replace(at, 512, 512, '\0');
    if (damaged != whole)
      EXPECT_THAT(load(damaged), HasSubstr("it is damaged")) << at;
  }
  for (size_t member = 1; member < sizeof(dyn::ArtefactSeal) / 8; ++member) {
    std::string damaged = whole;
    damaged[whole.size() - sizeof(dyn::ArtefactSeal) + member * 8 + 6] ^= 0x55;
    EXPECT_THAT(load(damaged), HasSubstr("it is damaged")) << member;
  }
}

TEST(RuntimeLoadTest, WeightsAreNotLookedAt) {
  std::string whole = getSealed("FakeArtefact.so", 4096 + 3, 100), other = whole;
  other[4096 + 3 + 50] ^= 1;
  EXPECT_EQ(load(whole), "");
  EXPECT_EQ(load(other), "");
}

TEST(RuntimeLoadTest, OtherFormatVersionIsRefused) {
  EXPECT_THAT(load(getSealed("FakeArtefactOfOtherVersion.so")), HasSubstr("artefact format 99"));
}

TEST(RuntimeLoadTest, MissingFeaturesAreNamed) {
  EXPECT_THAT(load(getSealed("FakeArtefactOfTheFuture.so")),
              HasSubstr("was compiled for x86-64-v9, this machine lacks avx9001"));
}

TEST(RuntimeLoadTest, TheFirstProgramThatTheMachineCanRunIsTaken) {
  TestFile file(getSealed("FakeArtefactForTwo.so"));
  DynModel *model = nullptr;
  ASSERT_EQ(dynModelLoad(file.path.c_str(), 1, &model), 0) << dynGetLastError();
  EXPECT_STREQ(dynModelGetTargetCPU(model), "x86-64");
  dynModelFree(model);
}

TEST(RuntimeLoadTest, NumberOfThreadsIsBounded) {
  EXPECT_EQ(load(getSealed("FakeArtefact.so"), DYN_MAX_THREADS), "");
  EXPECT_EQ(load(getSealed("FakeArtefact.so"), DYN_MAX_THREADS + 1),
            "cannot use 1025 threads: must be 0 (one for each core) or at most 1024");
}

TEST(RuntimeLoadTest, TheFileStaysOpenAndIsTheOneThatRuns) {
  std::string contents = getSealed("FakeArtefact.so"), read(contents.size() + 1, '\0');
  DynModel *model = nullptr;
  {
    TestFile file(contents);
    ASSERT_EQ(dynModelLoad(file.path.c_str(), 1, &model), 0) << dynGetLastError();
    std::ofstream(file.path + ".other") << "not a model";
    ASSERT_EQ(std::rename((file.path + ".other").c_str(), file.path.c_str()), 0);
  }
  EXPECT_EQ(pread(dynModelGetFile(model), read.data(), read.size(), 0), ssize_t(contents.size()));
  EXPECT_EQ(read.substr(0, contents.size()), contents);
  dynModelFree(model);
  EXPECT_EQ(dynModelGetFile(nullptr), -1);
}
