//===- What a run costs beside its kernels ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn-c/Runtime.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void require(int status) {
  if (!status)
    return;
  std::fprintf(stderr, "%s\n", dynGetLastError());
  std::exit(1);
}

/// Nanoseconds of a call, the median of many rounds.
template <typename Function>
static double measure(Function &&call) {
  constexpr int rounds = 201, calls = 50;
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / calls);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

/// Usage: runtime-benchmark ARTEFACT DIM... - the dims of all inputs, one after the other. Prints nanoseconds of
/// dynModelCheck: symbols, guards, dims of outputs, bytes of the arena.
int main(int count, char **arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: runtime-benchmark ARTEFACT DIM...\n");
    return 1;
  }
  DynModel *model;
  require(dynModelLoad(arguments[1], 1, &model));
  std::vector<int64_t> dims, outputs(1), symbols(dynModelGetNumSymbols(model) + 1);
  for (int i = 2; i < count; ++i)
    dims.push_back(std::stoll(arguments[i]));
  size_t rank = 0;
  for (size_t i = 0; i < dynModelGetNumInputs(model); ++i)
    rank += dynModelGetInput(model, i).rank;
  if (rank != dims.size()) {
    std::fprintf(stderr, "the inputs have %zu dims, not %zu\n", rank, dims.size());
    return 1;
  }
  rank = 1;
  for (size_t i = 0; i < dynModelGetNumOutputs(model); ++i)
    rank += dynModelGetOutput(model, i).rank;
  outputs.resize(rank);
  size_t arena;
  auto check = [&] { require(dynModelCheck(model, dims.data(), nullptr, symbols.data(), outputs.data(), &arena)); };
  std::printf("%.1f\n", measure(check));
  dynModelFree(model);
  return 0;
}
