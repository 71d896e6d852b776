//===- What an artefact says of itself --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_DESCRIPTOR_H
#define DYN_LIB_RUNTIME_DESCRIPTOR_H

#include "dyn-c/Runtime.h"
#include "dyn/Runtime/GuardText.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyn::runtime {

struct TensorDescriptor {
  std::string name;
  DynElementType elementType = DYN_FLOAT32;
  std::vector<std::string> dims;
  std::vector<const char *> dimTexts; ///< points into `dims`
};

/// An entry of the guard table; see ArtefactABI.h for what the fields mean in each kind.
struct GuardDescriptor {
  std::string kind, predicate, because, node, input;
  std::vector<std::string> symbols;
  int64_t dim = -1;
};

struct LaunchDescriptor {
  std::string kernel, kind, operations, bytes;
  std::vector<std::string> nodes;
  std::vector<const char *> nodeTexts; ///< points into `nodes`
};

struct Descriptor {
  std::string targetCPU;
  std::vector<std::string> cpuFeatures;
  std::vector<TensorDescriptor> inputs, outputs;
  std::vector<std::string> symbols;
  std::vector<SymbolSource> symbolSources; ///< of each of `symbols`
  std::string symbolFacts;
  std::vector<GuardDescriptor> guards;
  std::vector<LaunchDescriptor> launches;
  std::string live;               ///< as dynModelGetLiveBytes gives it
  std::vector<int64_t> lifetimes; ///< of the buffers that the runtime may place
  std::vector<int64_t> beside;    ///< pairs of them that are needed at the same time all the same
  std::string aliasText;          ///< as dynModelGetAliases gives it
  std::string guardText;          ///< as dynModelGetGuards gives it
};

std::optional<Descriptor> parseDescriptor(std::string_view text);

/// Bytes of an element; 0 for a number that is no element type.
size_t getElementBytes(DynElementType type);
/// "float32", "int64", ...
const char *getElementTypeName(DynElementType type);

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_DESCRIPTOR_H
