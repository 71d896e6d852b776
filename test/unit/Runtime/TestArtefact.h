//===- The hand-made artefact in tests --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_RUNTIME_TESTARTEFACT_H
#define DYN_TEST_UNIT_RUNTIME_TESTARTEFACT_H

#include "dyn-c/Runtime.h"
#include "dyn/Runtime/ArtefactSeal.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace dyn::test {

/// A file of the test's own, gone at its end.
class TestFile {
public:
  explicit TestFile(const std::string &contents)
      : path(testing::TempDir() + "dyn-" + std::to_string(getpid()) + ".so") {
    std::ofstream(path, std::ios::binary) << contents;
  }
  ~TestFile() { std::remove(path.c_str()); }
  const std::string path;
};

/// The bytes of a shared object of the build, with a seal.
inline std::string getSealed(const std::string &name, uint64_t weightsOffset = 0, uint64_t weightsBytes = 0) {
  std::ostringstream bytes;
  bytes << std::ifstream(ARTEFACT_FOLDER + name, std::ios::binary).rdbuf();
  std::string result = bytes.str();
  dyn::ArtefactSeal seal;
  seal.bytes = result.size();
  seal.weightsOffset = weightsOffset;
  seal.weightsBytes = weightsBytes;
  auto add = [&](uint64_t &checksum, uint64_t begin, uint64_t end) {
    checksum = dyn::addToChecksum(checksum, result.data() + begin, end - begin);
    return true;
  };
  computeChecksum(seal, add, seal.checksum);
  return result.append(reinterpret_cast<const char *>(&seal), sizeof(seal));
}

/// The model of FakeArtefact.c, with three threads.
struct FakeModelTest : testing::Test {
  void SetUp() override {
    TestFile file(getSealed("FakeArtefact.so"));
    ASSERT_EQ(dynModelLoad(file.path.c_str(), 3, &model), 0) << dynGetLastError();
  }
  void TearDown() override { dynModelFree(model); }
  DynModel *model = nullptr;
};

} // namespace dyn::test

#endif // DYN_TEST_UNIT_RUNTIME_TESTARTEFACT_H
