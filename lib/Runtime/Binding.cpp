//===- Binding inputs and outputs by name -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "Model.h"
#include "dyn/Runtime/TensorMemory.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace dyn::runtime;

namespace {

struct Free {
  void operator()(void *pointer) const { std::free(pointer); }
};

/// Memory aligned for vector code. Grows; an empty buffer has an address as well.
class Buffer {
public:
  void *reserve(size_t bytes) {
    if (memory && bytes <= capacity)
      return memory.get();
    memory.reset();
    memory.reset(dyn::allocateTensorMemory(bytes));
    capacity = bytes;
    return memory.get();
  }

  /// Whether some of the `bytes` from `data` on lie in this buffer.
  bool overlaps(const void *data, size_t bytes) const {
    auto begin = reinterpret_cast<uintptr_t>(data), own = reinterpret_cast<uintptr_t>(memory.get());
    return begin < own + capacity && own < begin + bytes;
  }

private:
  std::unique_ptr<void, Free> memory;
  size_t capacity = 0;
};

struct BoundInput {
  bool given = false;
  std::vector<int64_t> dims;
  const void *data = nullptr;
};

struct BoundOutput {
  std::vector<int64_t> dims;
  Buffer own;
  void *callers = nullptr;
  size_t callersBytes = 0;
  void *data = nullptr; ///< of the last run; null if that failed
};

} // namespace

struct DynBinding {
  explicit DynBinding(const DynModel &model)
      : model(model), inputs(model.descriptor.inputs.size()), outputs(model.descriptor.outputs.size()),
        symbols(model.descriptor.symbols.size()) {
    for (const dyn::SymbolSource &source : model.descriptor.symbolSources)
      hasSizesInData |= source.element >= 0;
  }

  const DynModel &model;
  std::vector<BoundInput> inputs;
  std::vector<BoundOutput> outputs;
  std::vector<int64_t> symbols;
  Buffer arena;
  DynProfileCallback profile = nullptr;
  void *profileData = nullptr;
  bool checked = false;        ///< sizes are those of the last check
  bool hasSizesInData = false; ///< what inputs hold may change without their dims, and unseen
};

static const TensorDescriptor *find(const std::vector<TensorDescriptor> &tensors, const char *name, size_t &index) {
  for (index = 0; index < tensors.size(); ++index)
    if (tensors[index].name == name)
      return &tensors[index];
  return nullptr;
}

static std::string listNames(const std::vector<TensorDescriptor> &tensors) {
  std::string result;
  for (const TensorDescriptor &tensor : tensors)
    result += (result.empty() ? "'" : ", '") + tensor.name + "'";
  return result.empty() ? "none" : result;
}

static std::vector<std::string> printDims(const std::vector<int64_t> &dims) {
  std::vector<std::string> texts;
  for (int64_t dim : dims)
    texts.push_back(std::to_string(dim));
  return texts;
}

/// Nothing when the size overflows.
static std::optional<size_t> getBytes(const std::vector<int64_t> &dims, DynElementType type) {
  size_t bytes = getElementBytes(type);
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return 0;
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(bytes, size_t(dim), &bytes))
      return std::nullopt;
  return bytes;
}

/// " at batch = 2, seq = 7": the sizes of the last check; "" for a model that has none.
static std::string describeSizes(const DynBinding &binding) {
  std::string result;
  for (size_t i = 0; i < binding.symbols.size(); ++i)
    result += (i ? ", " : " at ") + binding.model.descriptor.symbols[i] + " = " + std::to_string(binding.symbols[i]);
  return result;
}

/// Computes symbols, output dims and the arena's size, and makes room.
static int check(DynBinding &binding) {
  const Descriptor &descriptor = binding.model.descriptor;
  std::vector<int64_t> inputDims;
  std::vector<const void *> inputData;
  for (const BoundInput &input : binding.inputs) {
    inputDims.insert(inputDims.end(), input.dims.begin(), input.dims.end());
    inputData.push_back(input.data);
  }
  size_t numOutputDims = 0;
  for (const TensorDescriptor &output : descriptor.outputs)
    numOutputDims += output.dims.size();
  std::vector<int64_t> outputDims(numOutputDims);
  size_t arenaBytes = 0;
  if (int status = dynModelCheck(&binding.model, inputDims.data(), inputData.data(), binding.symbols.data(),
                                 outputDims.data(), &arenaBytes))
    return status;
  if (!binding.arena.reserve(arenaBytes))
    return fail("not enough memory: the model needs " + std::to_string(arenaBytes) + " bytes" + describeSizes(binding));
  auto next = outputDims.begin();
  for (size_t i = 0; i < binding.outputs.size(); ++i) {
    auto end = next + ptrdiff_t(descriptor.outputs[i].dims.size());
    binding.outputs[i].dims.assign(next, end);
    next = end;
  }
  return 0;
}

/// Room for each output at the sizes of the last check.
static int provideOutputs(DynBinding &binding, std::vector<void *> &data) {
  for (size_t i = 0; i < binding.outputs.size(); ++i) {
    BoundOutput &output = binding.outputs[i];
    const TensorDescriptor &descriptor = binding.model.descriptor.outputs[i];
    std::optional<size_t> bytes = getBytes(output.dims, descriptor.elementType);
    if (!bytes)
      return fail("output '" + descriptor.name + "' is larger than the address space" + describeSizes(binding));
    if (output.callers && output.callersBytes < *bytes)
      return fail("output '" + descriptor.name + "' needs " + std::to_string(*bytes) + " bytes, its buffer has " +
                  std::to_string(output.callersBytes));
    data.push_back(output.callers ? output.callers : output.own.reserve(*bytes));
    if (!data.back())
      return fail("not enough memory for output '" + descriptor.name + "': it needs " + std::to_string(*bytes) +
                  " bytes" + describeSizes(binding));
  }
  return 0;
}

/// Kernels take it that what they write overlaps nothing else.
static int requireApart(const DynBinding &binding, const std::vector<void *> &outputs) {
  struct Piece {
    uintptr_t begin, end;
    const TensorDescriptor *tensor;
    bool isOutput;
    std::string describe() const { return (isOutput ? "output '" : "input '") + tensor->name + "'"; }
  };
  const Descriptor &descriptor = binding.model.descriptor;
  std::vector<Piece> pieces;
  auto add = [&](const void *data, const std::vector<int64_t> &dims, const TensorDescriptor &tensor, bool isOutput) {
    auto begin = reinterpret_cast<uintptr_t>(data);
    if (size_t bytes = getBytes(dims, tensor.elementType).value_or(0))
      pieces.push_back({begin, begin + bytes, &tensor, isOutput});
  };
  for (size_t i = 0; i < binding.inputs.size(); ++i)
    add(binding.inputs[i].data, binding.inputs[i].dims, descriptor.inputs[i], false);
  for (size_t i = 0; i < outputs.size(); ++i)
    add(outputs[i], binding.outputs[i].dims, descriptor.outputs[i], true);
  std::sort(pieces.begin(), pieces.end(), [](const Piece &lhs, const Piece &rhs) { return lhs.begin < rhs.begin; });
  // The tensor, and the output, that reaches furthest of those that begin before.
  const Piece *tensor = nullptr, *output = nullptr;
  for (const Piece &piece : pieces) {
    const Piece *before = piece.isOutput ? tensor : output;
    if (before && piece.begin < before->end)
      return fail("the data of " + before->describe() + " and " + piece.describe() + " overlap");
    if (!tensor || tensor->end < piece.end)
      tensor = &piece;
    if (piece.isOutput && (!output || output->end < piece.end))
      output = &piece;
  }
  return 0;
}

/// A buffer that grows is freed first, so that what lies in it is no input of the run that writes it.
static int requireInputsOutsideOfOwnBuffers(const DynBinding &binding) {
  const Descriptor &descriptor = binding.model.descriptor;
  for (size_t i = 0; i < binding.inputs.size(); ++i) {
    const BoundInput &input = binding.inputs[i];
    size_t bytes = getBytes(input.dims, descriptor.inputs[i].elementType).value_or(0);
    for (size_t j = 0; j < binding.outputs.size(); ++j)
      if (!binding.outputs[j].callers && bytes && binding.outputs[j].own.overlaps(input.data, bytes))
        return fail("the data of input '" + descriptor.inputs[i].name + "' and output '" + descriptor.outputs[j].name +
                    "' overlap");
  }
  return 0;
}

static int runBinding(DynBinding &binding) {
  std::vector<const void *> inputs;
  for (size_t i = 0; i < binding.inputs.size(); ++i) {
    if (!binding.inputs[i].given)
      return fail("input '" + binding.model.descriptor.inputs[i].name + "' is missing");
    inputs.push_back(binding.inputs[i].data);
  }
  if (!binding.checked || binding.hasSizesInData)
    if (int status = check(binding))
      return status;
  binding.checked = true;
  if (int status = requireInputsOutsideOfOwnBuffers(binding))
    return status;
  std::vector<void *> outputs;
  if (int status = provideOutputs(binding, outputs))
    return status;
  if (int status = requireApart(binding, outputs))
    return status;
  const int64_t *symbols = binding.symbols.data();
  void *arena = binding.arena.reserve(0);
  int status = binding.profile ? dynModelRunProfiled(&binding.model, symbols, inputs.data(), outputs.data(), arena,
                                                     binding.profile, binding.profileData)
                               : dynModelRun(&binding.model, symbols, inputs.data(), outputs.data(), arena);
  for (size_t i = 0; !status && i < outputs.size(); ++i)
    binding.outputs[i].data = outputs[i];
  return status;
}

extern "C" {

int dynBindingCreate(const DynModel *model, DynBinding **binding) try {
  if (int status = requireArguments("dynBindingCreate", {{"model", model}, {"binding", binding}}))
    return status;
  *binding = new DynBinding(*model);
  return succeed();
} catch (...) {
  return failForException();
}

void dynBindingFree(DynBinding *binding) { delete binding; }

int dynBindingSetInput(DynBinding *binding, const char *name, DynElementType elementType, const int64_t *dims,
                       size_t rank, const void *data) try {
  if (int status =
          requireArguments("dynBindingSetInput", {{"binding", binding}, {"name", name}, {"dims", dims, rank > 0}}))
    return status;
  size_t index;
  const Descriptor &descriptor = binding->model.descriptor;
  const TensorDescriptor *tensor = find(descriptor.inputs, name, index);
  if (!tensor)
    return fail("the model has no input '" + std::string(name) + "'; its inputs: " + listNames(descriptor.inputs));
  if (elementType != tensor->elementType)
    return fail("input '" + tensor->name + "' has element type " + getElementTypeName(elementType) + ", must be " +
                getElementTypeName(tensor->elementType));
  if (rank != tensor->dims.size())
    return fail(dyn::describeWrongRank(dyn::describeInput(tensor->name),
                                       printDims(std::vector<int64_t>(dims, dims + rank)), tensor->dims));
  for (size_t i = 0; i < rank; ++i)
    if (dims[i] < 0)
      return fail("input '" + tensor->name + "' dim " + std::to_string(i) + " is " + std::to_string(dims[i]) +
                  ", must not be negative");
  if (!data && std::find(dims, dims + rank, 0) == dims + rank)
    return fail("input '" + tensor->name + "' has elements, but its data are NULL");
  BoundInput &input = binding->inputs[index];
  std::vector<int64_t> given(dims, dims + rank);
  if (!input.given || input.dims != given)
    binding->checked = false;
  input = {true, std::move(given), data};
  return succeed();
} catch (...) {
  return failForException();
}

int dynBindingSetOutput(DynBinding *binding, const char *name, void *data, size_t bytes) try {
  if (int status = requireArguments("dynBindingSetOutput", {{"binding", binding}, {"name", name}}))
    return status;
  size_t index;
  const Descriptor &descriptor = binding->model.descriptor;
  if (!find(descriptor.outputs, name, index))
    return fail("the model has no output '" + std::string(name) + "'; its outputs: " + listNames(descriptor.outputs));
  binding->outputs[index].callers = data;
  binding->outputs[index].callersBytes = bytes;
  return succeed();
} catch (...) {
  return failForException();
}

int dynBindingRun(DynBinding *binding) try {
  if (int status = requireArguments("dynBindingRun", {{"binding", binding}}))
    return status;
  // What a run that fails leaves behind is no output.
  for (BoundOutput &output : binding->outputs)
    output.data = nullptr;
  return runBinding(*binding);
} catch (...) {
  return failForException();
}

void dynBindingSetProfile(DynBinding *binding, DynProfileCallback callback, void *data) {
  if (!binding)
    return;
  binding->profile = callback;
  binding->profileData = data;
}

const int64_t *dynBindingGetSymbols(const DynBinding *binding) { return binding ? binding->symbols.data() : nullptr; }

int dynBindingGetOutput(DynBinding *binding, const char *name, const int64_t **dims, size_t *rank, void **data) try {
  if (int status =
          requireArguments("dynBindingGetOutput",
                           {{"binding", binding}, {"name", name}, {"dims", dims}, {"rank", rank}, {"data", data}}))
    return status;
  size_t index;
  const Descriptor &descriptor = binding->model.descriptor;
  if (!find(descriptor.outputs, name, index))
    return fail("the model has no output '" + std::string(name) + "'; its outputs: " + listNames(descriptor.outputs));
  const BoundOutput &output = binding->outputs[index];
  if (!output.data)
    return fail("output '" + std::string(name) + "' is there only after a run");
  *dims = output.dims.data();
  *rank = output.dims.size();
  *data = output.data;
  return succeed();
} catch (...) {
  return failForException();
}

} // extern "C"
