//===- Loading, checking and running artefacts --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "ArtefactFile.h"
#include "Messages.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

using namespace dyn;
using namespace dyn::runtime;

DynModel::~DynModel() {
  if (ThreadPool *current = pool.load(); current && current->isUsable())
    delete current;
  if (prefetch && !prefetch->isUsable())
    (void)prefetch.release();
  prefetch.reset();
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

void DynModel::startPool(unsigned threads) {
  numThreads = threads;
  pool.store(new ThreadPool(threads));
}

ThreadPool &DynModel::getPool() const {
  ThreadPool *current = pool.load(std::memory_order_acquire);
  if (current->isUsable())
    return *current;
  std::lock_guard<std::mutex> lock(poolMutex);
  current = pool.load();
  if (!current->isUsable()) {
    // The one that it replaces is lost: to destroy it would be to wait for threads of another process.
    current = new ThreadPool(numThreads);
    pool.store(current, std::memory_order_release);
  }
  return *current;
}

/// Does this machine have a CPU feature, by LLVM's name? Known are those that artefacts record; what is not, as of a
/// later Dyn, counts as missing.
static bool hasFeature(const std::string &name) {
#if defined(__x86_64__)
#define DYN_FEATURE(llvmName, gccName)                                                                                 \
  if (name == llvmName)                                                                                                \
    return __builtin_cpu_supports(gccName) != 0;
  DYN_FEATURE("sse3", "sse3")
  DYN_FEATURE("ssse3", "ssse3")
  DYN_FEATURE("sse4.1", "sse4.1")
  DYN_FEATURE("sse4.2", "sse4.2")
  DYN_FEATURE("popcnt", "popcnt")
  DYN_FEATURE("avx", "avx")
  DYN_FEATURE("avx2", "avx2")
  DYN_FEATURE("fma", "fma")
  DYN_FEATURE("f16c", "f16c")
  DYN_FEATURE("lzcnt", "lzcnt")
  DYN_FEATURE("movbe", "movbe")
  DYN_FEATURE("avxvnni", "avxvnni")
  DYN_FEATURE("avx512bf16", "avx512bf16")
  DYN_FEATURE("avx512fp16", "avx512fp16")
  DYN_FEATURE("bmi", "bmi")
  DYN_FEATURE("bmi2", "bmi2")
  DYN_FEATURE("avx512f", "avx512f")
  DYN_FEATURE("avx512bw", "avx512bw")
  DYN_FEATURE("avx512cd", "avx512cd")
  DYN_FEATURE("avx512dq", "avx512dq")
  DYN_FEATURE("avx512vl", "avx512vl")
  DYN_FEATURE("avx512vnni", "avx512vnni")
#undef DYN_FEATURE
#endif
  return false;
}

/// What the loader says, without the name that the file goes by.
static std::string getLoaderMessage(const std::string &name) {
  std::string message = dlerror();
  return message.rfind(name + ": ", 0) == 0 ? message.substr(name.size() + 2) : message;
}

/// Where the loader has put what stands at an offset of a library's file; null if it did not.
static const char *findInMemory(void *library, uint64_t offset) {
  link_map *map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !map)
    return nullptr;
  // The linker puts the headers at the beginning, which is loaded as well.
  auto base = reinterpret_cast<const char *>(map->l_addr);
  auto header = reinterpret_cast<const ElfW(Ehdr) *>(base);
  auto segments = reinterpret_cast<const ElfW(Phdr) *>(base + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    const ElfW(Phdr) &segment = segments[i];
    if (segment.p_type == PT_LOAD && segment.p_offset <= offset && offset - segment.p_offset < segment.p_filesz)
      return base + segment.p_vaddr + (offset - segment.p_offset);
  }
  return nullptr;
}

/// Takes the first program of the artefact that this machine can run.
static int chooseProgram(const std::string &path, DynModel &model) {
  std::string reasons;
  for (const DynArtefact *program = model.artefact; program; program = program->next) {
    auto descriptor = parseDescriptor({program->descriptor, program->descriptorBytes});
    if (!descriptor)
      return fail("'" + path + "' has a damaged descriptor");
    std::string missing;
    for (const std::string &feature : descriptor->cpuFeatures)
      if (!hasFeature(feature))
        missing += (missing.empty() ? "" : ", ") + feature;
    if (missing.empty()) {
      model.artefact = program;
      model.descriptor = std::move(*descriptor);
      return succeed();
    }
    reasons += (reasons.empty() ? "" : "; ") + ("for " + descriptor->targetCPU + ", this machine lacks " + missing);
  }
  return fail("'" + path + "' was compiled " + reasons);
}

static int load(const std::string &path, unsigned threads, std::unique_ptr<DynModel> &result) {
  if (threads > DYN_MAX_THREADS)
    return fail("cannot use " + std::to_string(threads) + " threads: must be 0 (one for each core) or at most " +
                std::to_string(DYN_MAX_THREADS));
  auto model = std::make_unique<DynModel>();
  // A pipe would be waited for until somebody writes to it.
  model->file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (model->file < 0)
    return fail("cannot load '" + path + "': " + std::strerror(errno));
  ArtefactSeal seal;
  if (std::string damage = findDamage(model->file, seal); !damage.empty())
    return fail("cannot load '" + path + "': " + damage);
  // The loader takes two libraries of one name for the same, even if the file has been replaced meanwhile. The name of
  // the open file is this model's own for as long as the file stays open.
  std::string name = "/proc/self/fd/" + std::to_string(model->file);
  model->library = dlopen(access(name.c_str(), R_OK) ? path.c_str() : name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!model->library)
    return fail("cannot load '" + path + "': " + getLoaderMessage(name));
  model->artefact = static_cast<const DynArtefact *>(dlsym(model->library, "dyn_artefact"));
  if (!model->artefact || model->artefact->magic != DYN_ARTEFACT_MAGIC)
    return fail("'" + path + "' is a shared object, but no model compiled by Dyn");
  if (model->artefact->version != DYN_ARTEFACT_VERSION)
    return fail("'" + path + "' has artefact format " + std::to_string(model->artefact->version) +
                ", this runtime reads format " + std::to_string(DYN_ARTEFACT_VERSION) + "; compile the model again");
  model->images = model->artefact->images;
  model->numImages = size_t(model->artefact->numImages);
  if (int status = chooseProgram(path, *model))
    return status;
  unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1u, unsigned(DYN_MAX_THREADS));
  model->startPool(threads ? threads : cores);
  if (unsigned started = model->getPool().getNumThreads(); threads > started)
    return fail("cannot start " + std::to_string(threads) + " threads: the system allows " + std::to_string(started));
  if (const char *weights = findInMemory(model->library, seal.weightsOffset))
    model->prefetch = std::make_unique<WeightPrefetch>(weights, size_t(seal.weightsBytes));
  result = std::move(model);
  return succeed();
}

/// What generated code calls; the queue is the context's.
static void submit(DynRunContext *context, const DynLaunch *launch) {
  static_cast<LaunchQueue *>(context->queue)->submit(*launch);
}
static void finish(DynRunContext *context) { static_cast<LaunchQueue *>(context->queue)->finish(); }
static void *scratch(DynRunContext *context, int64_t bytes) {
  if (bytes > context->scratchBytes)
    return nullptr;
  return static_cast<char *>(context->scratchMemory) + int64_t(ThreadPool::getCallingThread()) * context->scratchBytes;
}

/// The bytes that kernels take of each thread, in lines of 64.
static int64_t getScratchBytes(const DynModel &model, const int64_t *symbols) {
  constexpr int64_t line = Packing::kBytesPerLine;
  return (model.artefact->scratch(symbols) + line - 1) / line * line;
}

/// Finds places for the buffers where those that the artefact knows of need much more room than is necessary; null
/// where they do not. Always the same for the same sizes. False if memory ends.
static bool getPacking(const DynModel &model, const int64_t *symbols, PackingCache::Entry &packing) try {
  packing = nullptr;
  if (!model.artefact->buffers)
    return true;
  const std::vector<int64_t> &lifetimes = model.descriptor.lifetimes;
  std::vector<int64_t> lines(lifetimes.size() / 2);
  int64_t planned = model.artefact->buffers(symbols, lines.data());
  if (!planned)
    return true;
  std::vector<int64_t> sizes(symbols, symbols + model.descriptor.symbols.size());
  if (model.packings.find(sizes, packing))
    return true;
  auto packed = std::make_shared<const Packing>(packBuffers(lines, lifetimes, model.descriptor.beside));
  packing = packed->bytes / Packing::kBytesPerLine < planned ? packed : nullptr;
  model.packings.add(std::move(sizes), packing);
  return true;
} catch (const std::bad_alloc &) {
  return false;
}

int dyn::runtime::run(const DynModel &model, DynRunContext &context, const int64_t *symbols, const void *const *inputs,
                      void *const *outputs, void *arena) {
  if (!context.submit)
    context.submit = submit;
  context.finish = finish;
  context.scratch = scratch;
  // The threads' parts come first, so that their place does not depend on the plan.
  context.scratchMemory = arena;
  context.scratchBytes = getScratchBytes(model, symbols);
  if (!arena)
    if (int64_t bytes = context.scratchBytes * model.getNumThreads() + model.artefact->arena(symbols))
      return fail("the model needs " + std::to_string(bytes) + " bytes of working memory, but 'arena' is NULL");
  arena = static_cast<char *>(arena) + context.scratchBytes * model.getNumThreads();
  LaunchQueue queue(model.getPool(), context);
  context.queue = &queue;
  PackingCache::Entry packing;
  if (!getPacking(model, symbols, packing))
    return fail("not enough memory to place the buffers of the model");
  context.places = packing ? packing->places.data() : nullptr;
  if (model.artefact->run(&context, symbols, inputs, outputs, arena))
    return fail(describeError(model.descriptor, context.error, {symbols, inputs}));
  return succeed();
}

/// What there is to tell about no model: nothing.
static const Descriptor &describe(const DynModel *model) {
  static const Descriptor nothing;
  return model ? model->descriptor : nothing;
}

int dyn::runtime::requireRunArguments(const char *function, const DynModel *model, const int64_t *symbols,
                                      const void *const *inputs, void *const *outputs) {
  const Descriptor &descriptor = describe(model);
  return requireArguments(function, {{"model", model},
                                     {"symbols", symbols, !descriptor.symbols.empty()},
                                     {"inputs", inputs, !descriptor.inputs.empty()},
                                     {"outputs", outputs, !descriptor.outputs.empty()}});
}

extern "C" {

int dynModelLoad(const char *path, unsigned threads, DynModel **model) try {
  if (int status = requireArguments("dynModelLoad", {{"path", path}, {"model", model}}))
    return status;
  std::unique_ptr<DynModel> loaded;
  // A name without a slash would be looked for on the loader's path.
  std::string file = std::strchr(path, '/') ? path : std::string("./") + path;
  if (int status = load(file, threads, loaded))
    return status;
  *model = loaded.release();
  return 0;
} catch (...) {
  return failForException();
}

void dynModelFree(DynModel *model) { delete model; }

size_t dynModelGetNumInputs(const DynModel *model) { return describe(model).inputs.size(); }
size_t dynModelGetNumOutputs(const DynModel *model) { return describe(model).outputs.size(); }

static DynTensorInfo getInfo(const TensorDescriptor &tensor) {
  return {tensor.name.c_str(), tensor.elementType, tensor.dims.size(), tensor.dimTexts.data()};
}
DynTensorInfo dynModelGetInput(const DynModel *model, size_t index) {
  return index < describe(model).inputs.size() ? getInfo(describe(model).inputs[index]) : DynTensorInfo{};
}
DynTensorInfo dynModelGetOutput(const DynModel *model, size_t index) {
  return index < describe(model).outputs.size() ? getInfo(describe(model).outputs[index]) : DynTensorInfo{};
}
size_t dynModelGetNumSymbols(const DynModel *model) { return describe(model).symbols.size(); }
const char *dynModelGetSymbolName(const DynModel *model, size_t index) {
  return index < describe(model).symbols.size() ? describe(model).symbols[index].c_str() : "";
}
const char *dynModelGetSymbolFacts(const DynModel *model) { return describe(model).symbolFacts.c_str(); }
const char *dynModelGetGuards(const DynModel *model) { return describe(model).guardText.c_str(); }
const char *dynModelGetLiveBytes(const DynModel *model) { return describe(model).live.c_str(); }
const char *dynModelGetAliases(const DynModel *model) { return describe(model).aliasText.c_str(); }

int dynModelGetFile(const DynModel *model) { return model ? model->file : -1; }

const char *dynModelGetTargetCPU(const DynModel *model) { return describe(model).targetCPU.c_str(); }

size_t dynModelGetNumImages(const DynModel *model) { return model ? model->numImages : 0; }
DynImageInfo dynModelGetImage(const DynModel *model, size_t index) {
  if (!model || index >= model->numImages)
    return {};
  const DynImage &image = model->images[index];
  return {image.kind, image.arch, image.module, image.data, size_t(image.bytes)};
}

size_t dynModelGetScratchBytes(const DynModel *model, const int64_t *symbols) {
  // A model of fixed sizes has no symbols to point to.
  bool isKnown = model && (symbols || model->descriptor.symbols.empty());
  return isKnown ? size_t(getScratchBytes(*model, symbols)) * model->getNumThreads() : 0;
}

int dynModelCheck(const DynModel *model, const int64_t *inputDims, const void *const *inputData, int64_t *symbols,
                  int64_t *outputDims, size_t *arenaBytes) try {
  const Descriptor &descriptor = describe(model);
  bool hasDims = std::any_of(descriptor.inputs.begin(), descriptor.inputs.end(),
                             [](const TensorDescriptor &input) { return !input.dims.empty(); });
  if (int status = requireArguments(
          "dynModelCheck",
          {{"model", model}, {"inputDims", inputDims, hasDims}, {"symbols", symbols, !descriptor.symbols.empty()}}))
    return status;
  DynErrorRecord error{};
  int64_t bytes = 0;
  if (model->artefact->check(inputDims, inputData, symbols, outputDims, &bytes, &error))
    return fail(describeError(model->descriptor, error));
  if (!arenaBytes)
    return succeed();
  PackingCache::Entry packing;
  if (!getPacking(*model, symbols, packing))
    return fail("not enough memory to place the buffers of the model");
  *arenaBytes = size_t(packing ? packing->bytes : bytes) + dynModelGetScratchBytes(model, symbols);
  return succeed();
} catch (...) {
  return failForException();
}

int dynModelRun(const DynModel *model, const int64_t *symbols, const void *const *inputs, void *const *outputs,
                void *arena) try {
  if (int status = requireRunArguments("dynModelRun", model, symbols, inputs, outputs))
    return status;
  DynRunContext context{};
  return run(*model, context, symbols, inputs, outputs, arena);
} catch (...) {
  return failForException();
}

} // extern "C"
