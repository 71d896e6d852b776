//===- What an artefact says of itself ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "Json.h"
#include <initializer_list>

using namespace dyn::runtime;

static std::vector<TensorDescriptor> readTensors(const Json &list) {
  std::vector<TensorDescriptor> result;
  for (const Json &entry : list.array) {
    TensorDescriptor tensor;
    tensor.name = entry["name"].string;
    tensor.elementType = DynElementType(entry["element_type"].number);
    tensor.dims = entry["dims"].strings();
    result.push_back(std::move(tensor));
  }
  for (TensorDescriptor &tensor : result)
    for (const std::string &dim : tensor.dims)
      tensor.dimTexts.push_back(dim.c_str());
  return result;
}

static std::vector<LaunchDescriptor> readLaunches(const Json &list) {
  std::vector<LaunchDescriptor> result;
  for (const Json &entry : list.array)
    result.push_back({entry["kernel"].string,
                      entry["kind"].string,
                      entry["operations"].string,
                      entry["bytes"].string,
                      entry["nodes"].strings(),
                      {}});
  for (LaunchDescriptor &launch : result)
    for (const std::string &node : launch.nodes)
      launch.nodeTexts.push_back(node.c_str());
  return result;
}

/// Fields with a tab between them, which names of nodes may have too.
static std::string makeLine(std::initializer_list<std::string_view> fields) {
  std::string line;
  for (std::string_view field : fields) {
    if (!line.empty())
      line += '\t';
    for (char c : field)
      line += c == '\t' || c == '\n' ? ' ' : c;
  }
  return line + '\n';
}

std::optional<Descriptor> dyn::runtime::parseDescriptor(std::string_view text) {
  std::optional<Json> json = parseJson(text);
  if (!json || json->kind != Json::Kind::Object)
    return std::nullopt;
  Descriptor result;
  result.targetCPU = (*json)["target_cpu"].string;
  result.cpuFeatures = (*json)["cpu_features"].strings();
  result.inputs = readTensors((*json)["inputs"]);
  result.outputs = readTensors((*json)["outputs"]);
  result.live = (*json)["live"].string;
  for (const Json &position : (*json)["lifetimes"].array)
    result.lifetimes.push_back(position.number);
  for (const Json &buffer : (*json)["beside"].array)
    result.beside.push_back(buffer.number);
  result.launches = readLaunches((*json)["launches"]);
  for (const Json &symbol : (*json)["symbols"].array) {
    result.symbols.push_back(symbol["name"].string);
    result.symbolSources.push_back({symbol["input"].string, symbol["dim"].number, symbol["element"].number});
  }
  result.symbolFacts = (*json)["symbol_facts"].string;
  for (const Json &alias : (*json)["aliases"].array)
    result.aliasText += makeLine({alias["relation"].string, alias["because"].string, alias["node"].string});
  for (const Json &entry : (*json)["guards"].array) {
    GuardDescriptor guard;
    guard.kind = entry["kind"].string;
    guard.predicate = entry["predicate"].string;
    guard.because = entry["because"].string;
    guard.node = entry["node"].string;
    guard.input = entry["input"].string;
    guard.symbols = entry["symbols"].strings();
    guard.dim = entry["dim"].number;
    // Others say what input dims and sizes are anyway: symbols, their facts, 64 bits.
    if (guard.kind == "guard" || guard.kind == "constraint")
      result.guardText += makeLine({guard.predicate, guard.because, guard.node});
    result.guards.push_back(std::move(guard));
  }
  for (const TensorDescriptor &tensor : result.inputs)
    if (!getElementBytes(tensor.elementType))
      return std::nullopt;
  for (const TensorDescriptor &tensor : result.outputs)
    if (!getElementBytes(tensor.elementType))
      return std::nullopt;
  return result;
}

size_t dyn::runtime::getElementBytes(DynElementType type) {
  switch (type) {
  case DYN_UINT8:
  case DYN_INT8:
  case DYN_BOOL:
    return 1;
  case DYN_UINT16:
  case DYN_INT16:
  case DYN_FLOAT16:
  case DYN_BFLOAT16:
    return 2;
  case DYN_FLOAT32:
  case DYN_INT32:
  case DYN_UINT32:
    return 4;
  case DYN_INT64:
  case DYN_FLOAT64:
  case DYN_UINT64:
    return 8;
  }
  return 0;
}

const char *dyn::runtime::getElementTypeName(DynElementType type) {
  switch (type) {
  case DYN_FLOAT32:
    return "float32";
  case DYN_UINT8:
    return "uint8";
  case DYN_INT8:
    return "int8";
  case DYN_UINT16:
    return "uint16";
  case DYN_INT16:
    return "int16";
  case DYN_INT32:
    return "int32";
  case DYN_INT64:
    return "int64";
  case DYN_BOOL:
    return "bool";
  case DYN_FLOAT16:
    return "float16";
  case DYN_FLOAT64:
    return "float64";
  case DYN_UINT32:
    return "uint32";
  case DYN_UINT64:
    return "uint64";
  case DYN_BFLOAT16:
    return "bfloat16";
  }
  return "unknown";
}
