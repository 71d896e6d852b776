//===- Loaded artefacts for Python ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Memory.h"
#include "dyn-c/Runtime.h"
#include "dyn/Profile/Profile.h"
#include <memory>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>

using namespace dyn::python;

using Integers = std::vector<int64_t>;
using Addresses = std::vector<uintptr_t>;

namespace {

/// Name, number of the element type (DynElementType) and dims as expressions.
using Port = std::tuple<std::string, int, std::vector<std::string>>;

/// Owns a DynModel. Failures of the runtime are RuntimeErrors, which Python turns into the package's own.
class Model {
public:
  Model(const std::string &path, unsigned threads) {
    if (path.find('\0') != std::string::npos)
      throw nanobind::value_error("embedded null byte");
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
  int getFile() const { return dynModelGetFile(model); }
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
    Block arena = arenas.take(arenaBytes);
    int status = dynModelRun(model, symbols.data(), from.data(), to.data(), arena.get());
    arenas.give(std::move(arena));
    outputMemory->endRun();
    check(status);
  }

  /// An array of bytes whose memory returns when the last array that uses it is gone, also after the model.
  nanobind::object makeOutput(size_t bytes) {
    struct Lent {
      Block block;
      std::shared_ptr<OutputPool> pool;
    };
    auto lent = std::make_unique<Lent>(Lent{outputMemory->take(bytes), outputMemory});
    void *data = lent->block.get();
    nanobind::capsule owner(lent.release(), [](void *held) noexcept {
      std::unique_ptr<Lent> lent(static_cast<Lent *>(held));
      lent->pool->give(std::move(lent->block));
    });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, uint8_t, nanobind::ndim<1>>(data, {bytes}, owner));
  }

  /// Makes room for a run now; std::bad_alloc where there is none.
  void reserve(size_t arenaBytes) { arenas.give(arenas.take(arenaBytes)); }
  void freeMemory() {
    arenas.clear();
    outputMemory->clear();
  }
  size_t getArenaBytes() { return arenas.getBytes(); }
  size_t getOutputBytes() { return outputMemory->getBytes(); }
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
    Block arena = arenas.take(arenaBytes);
    int status = 0;
    for (unsigned i = 0; i < runs && !status; ++i)
      status = profile.addRun([&](DynProfileCallback callback, void *data) {
        return dynModelRunProfiled(model, symbols.data(), from.data(), to.data(), arena.get(), callback, data);
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
  std::shared_ptr<OutputPool> outputMemory = std::make_shared<OutputPool>();
};

} // namespace

void dyn::python::registerModel(nanobind::module_ &module) {
  module.attr("MAX_THREADS") = DYN_MAX_THREADS;
  nanobind::class_<Model>(module, "Model")
      .def(nanobind::init<const std::string &, unsigned>())
      .def("inputs", &Model::getInputs)
      .def("outputs", &Model::getOutputs)
      .def("symbols", &Model::getSymbols)
      .def("file", &Model::getFile)
      .def("target_cpu", &Model::getTargetCPU)
      .def("facts", &Model::getFacts)
      .def("aliases", &Model::getAliases)
      .def("guards", &Model::getGuards)
      .def("check", &Model::checkSizes)
      .def("run", &Model::run)
      .def("make_output", &Model::makeOutput)
      .def("reserve", &Model::reserve)
      .def("free_memory", &Model::freeMemory)
      .def("free_arena_bytes", &Model::getArenaBytes)
      .def("free_output_bytes", &Model::getOutputBytes)
      .def("live_bytes", &Model::getLiveBytes)
      .def("profile", &Model::profile);
}
