//===- Loaded artefacts for Python ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "dyn-c/Runtime.h"
#include "dyn/Profile/Profile.h"
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>

using Integers = std::vector<int64_t>;
using Addresses = std::vector<uintptr_t>;

namespace {

/// Name, number of the element type (DynElementType) and dims as expressions.
using Port = std::tuple<std::string, int, std::vector<std::string>>;

/// Working memory that runs borrow, one after the other or several at once. A run takes the largest that is free, so
/// that there is never more than the largest size of each of the runs that went on at the same time.
class ArenaPool {
public:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  struct Arena {
    std::unique_ptr<void, Free> memory;
    size_t bytes = 0;
  };

  Arena take(size_t bytes) {
    Arena arena;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!arenas.empty()) {
        arena = std::move(arenas.back());
        arenas.pop_back();
      }
    }
    if (arena.bytes < bytes) {
      constexpr size_t kAlignment = 64;
      size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
      arena.memory.reset();
      arena.memory.reset(std::aligned_alloc(kAlignment, rounded));
      if (!arena.memory)
        throw std::bad_alloc();
      arena.bytes = rounded;
    }
    return arena;
  }
  void give(Arena arena) {
    std::lock_guard<std::mutex> lock(mutex);
    auto place = std::upper_bound(arenas.begin(), arenas.end(), arena.bytes,
                                  [](size_t bytes, const Arena &other) { return bytes < other.bytes; });
    arenas.insert(place, std::move(arena));
  }
  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    arenas.clear();
  }
  size_t getBytes() {
    std::lock_guard<std::mutex> lock(mutex);
    size_t bytes = 0;
    for (const Arena &arena : arenas)
      bytes += arena.bytes;
    return bytes;
  }

private:
  std::mutex mutex;
  std::vector<Arena> arenas; ///< free ones, by size
};

/// Owns a DynModel. Failures of the runtime are RuntimeErrors, which Python turns into the package's own.
class Model {
public:
  Model(const std::string &path, unsigned threads) {
    nanobind::gil_scoped_release release;
    check(dynModelLoad(path.c_str(), threads, &model));
  }
  ~Model() { dynModelFree(model); }
  Model(const Model &) = delete;

  std::vector<Port> getInputs() const { return getPorts(dynModelGetNumInputs(model), dynModelGetInput); }
  std::vector<Port> getOutputs() const { return getPorts(dynModelGetNumOutputs(model), dynModelGetOutput); }
  std::vector<std::string> getSymbols() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < dynModelGetNumSymbols(model); ++i)
      names.push_back(dynModelGetSymbolName(model, i));
    return names;
  }
  std::string getTargetCPU() const { return dynModelGetTargetCPU(model); }
  std::string getFacts() const { return dynModelGetSymbolFacts(model); }
  std::string getAliases() const { return dynModelGetAliases(model); }
  std::string getGuards() const { return dynModelGetGuards(model); }

  /// Values of symbols, dims of all outputs one after the other, bytes of the arena.
  std::tuple<Integers, Integers, size_t> checkSizes(const Integers &dims, const Addresses &data) const {
    Integers symbols(dynModelGetNumSymbols(model)), outputDims;
    size_t count = 0, bytes = 0;
    for (size_t i = 0; i < dynModelGetNumOutputs(model); ++i)
      count += dynModelGetOutput(model, i).rank;
    outputDims.resize(count);
    std::vector<const void *> pointers = getPointers<const void *>(data);
    check(dynModelCheck(model, dims.data(), pointers.empty() ? nullptr : pointers.data(), symbols.data(),
                        outputDims.data(), &bytes));
    return {std::move(symbols), std::move(outputDims), bytes};
  }

  void run(const Integers &symbols, const Addresses &inputs, const Addresses &outputs, size_t arenaBytes) {
    std::vector<const void *> from = getPointers<const void *>(inputs);
    std::vector<void *> to = getPointers<void *>(outputs);
    nanobind::gil_scoped_release release;
    ArenaPool::Arena arena = arenas.take(arenaBytes);
    int status = dynModelRun(model, symbols.data(), from.data(), to.data(), arena.memory.get());
    arenas.give(std::move(arena));
    check(status);
  }

  void freeArenas() { arenas.clear(); }
  size_t getArenaBytes() { return arenas.getBytes(); }
  std::optional<int64_t> getLiveBytes(const Integers &symbols) const {
    return dyn::getLiveBytes(*model, symbols.data());
  }

  /// Name, kind, nodes, launches, seconds, operations and bytes as formulas and as numbers, least seconds.
  using Kernel = std::tuple<std::string, std::string, std::vector<std::string>, size_t, double, std::string,
                            std::string, std::optional<int64_t>, std::optional<int64_t>, double>;
  /// Kernels, seconds of a run, operations and bytes per second of the machine, the table, the trace.
  std::tuple<std::vector<Kernel>, double, double, double, std::string, std::string>
  profile(const Integers &symbols, const Addresses &inputs, const Addresses &outputs, size_t arenaBytes,
          unsigned runs) {
    std::vector<const void *> from = getPointers<const void *>(inputs);
    std::vector<void *> to = getPointers<void *>(outputs);
    nanobind::gil_scoped_release release;
    dyn::Profile profile(*model, symbols.data());
    ArenaPool::Arena arena = arenas.take(arenaBytes);
    int status = 0;
    for (unsigned i = 0; i < runs && !status; ++i)
      status = profile.addRun([&](DynProfileCallback callback, void *data) {
        return dynModelRunProfiled(model, symbols.data(), from.data(), to.data(), arena.memory.get(), callback, data);
      });
    arenas.give(std::move(arena));
    check(status);
    dyn::Roofline roofline = dyn::measureRoofline(unsigned(dynModelGetNumThreads(model)));
    std::vector<Kernel> kernels;
    for (const dyn::Profile::Kernel &kernel : profile.getKernels(roofline))
      kernels.emplace_back(kernel.name, kernel.kind, kernel.nodes, kernel.launches, kernel.seconds,
                           kernel.operationsFormula, kernel.bytesFormula, kernel.operations, kernel.bytes,
                           kernel.leastSeconds);
    std::string table, trace;
    llvm::raw_string_ostream tableStream(table), traceStream(trace);
    profile.printTable(tableStream, roofline);
    profile.writeTrace(traceStream);
    return {std::move(kernels),      profile.getSeconds(), roofline.operationsPerSecond,
            roofline.bytesPerSecond, std::move(table),     std::move(trace)};
  }

private:
  static void check(int status) {
    if (status)
      throw std::runtime_error(dynGetLastError());
  }
  template <typename Pointer>
  static std::vector<Pointer> getPointers(const Addresses &addresses) {
    std::vector<Pointer> pointers;
    for (uintptr_t address : addresses)
      pointers.push_back(reinterpret_cast<Pointer>(address));
    return pointers;
  }
  template <typename Get>
  std::vector<Port> getPorts(size_t count, Get get) const {
    std::vector<Port> ports;
    for (size_t i = 0; i < count; ++i) {
      DynTensorInfo info = get(model, i);
      ports.emplace_back(info.name, int(info.elementType), std::vector<std::string>(info.dims, info.dims + info.rank));
    }
    return ports;
  }

  DynModel *model = nullptr;
  ArenaPool arenas;
};

} // namespace

void dyn::python::registerModel(nanobind::module_ &module) {
  module.attr("MAX_THREADS") = DYN_MAX_THREADS;
  nanobind::class_<Model>(module, "Model")
      .def(nanobind::init<const std::string &, unsigned>())
      .def("inputs", &Model::getInputs)
      .def("outputs", &Model::getOutputs)
      .def("symbols", &Model::getSymbols)
      .def("target_cpu", &Model::getTargetCPU)
      .def("facts", &Model::getFacts)
      .def("aliases", &Model::getAliases)
      .def("guards", &Model::getGuards)
      .def("check", &Model::checkSizes)
      .def("run", &Model::run)
      .def("free_arenas", &Model::freeArenas)
      .def("free_arena_bytes", &Model::getArenaBytes)
      .def("live_bytes", &Model::getLiveBytes)
      .def("profile", &Model::profile);
}
