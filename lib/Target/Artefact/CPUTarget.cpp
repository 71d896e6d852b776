//===- What CPU code is generated for ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Artefact/Artefact.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <unistd.h>

using namespace dyn;

/// The features that generated code may use: those that the runtime knows how to look for before it runs any.
static constexpr llvm::StringLiteral kX86Features[] = {
    "sse3",     "ssse3",    "sse4.1",  "sse4.2",     "popcnt",     "avx",       "avx2",     "fma",
    "f16c",     "bmi",      "bmi2",    "lzcnt",      "movbe",      "avx512f",   "avx512cd", "avx512bw",
    "avx512dq", "avx512vl", "avxvnni", "avx512vnni", "avx512bf16", "avx512fp16"};

/// Of this machine if it tells. A name stands for many: the first of those with vectors of 512 bits have a MiB, the
/// others as much or 256 KiB.
static int64_t getL2Bytes(bool native, unsigned vectorBits) {
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (long bytes = native ? sysconf(_SC_LEVEL2_CACHE_SIZE) : 0; bytes > 0)
    return bytes;
#endif
  return vectorBits == 512 ? 1024 * 1024 : 256 * 1024;
}

/// Likewise; of names, most have eight.
static int64_t getL1Ways(bool native) {
#ifdef _SC_LEVEL1_DCACHE_ASSOC
  if (long ways = native ? sysconf(_SC_LEVEL1_DCACHE_ASSOC) : 0; ways >= 2)
    return ways;
#endif
  return 8;
}

llvm::Expected<CPUTarget> CPUTarget::get(llvm::StringRef name) {
  CPUTarget target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  bool native = name == "native";
  target.name = native ? llvm::sys::getHostCPUName().str() : name.str();
  llvm::Triple triple(target.triple);
  if (!triple.isX86()) {
    // Elsewhere the name alone decides; the runtime has nothing to look for.
    return target;
  }
  llvm::StringSet<> available;
  if (native) {
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      if (feature.second)
        available.insert(feature.first());
  } else {
    if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None)
      return llvm::createStringError("unknown CPU '%s': expected 'native', 'x86-64-v2', 'x86-64-v3', 'x86-64-v4' or a "
                                     "name that LLVM knows",
                                     target.name.c_str());
    llvm::SmallVector<llvm::StringRef> features;
    llvm::X86::getFeaturesForCPU(name, features);
    // LLVM's lists leave out what their other entries imply.
    llvm::StringMap<bool> implied;
    for (llvm::StringRef feature : features) {
      implied[feature] = true;
      llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, implied);
    }
    for (const auto &feature : implied)
      if (feature.second)
        available.insert(feature.first());
  }
  for (llvm::StringRef feature : kX86Features)
    if (available.contains(feature))
      target.features.push_back(feature.str());
  auto has = [&](llvm::StringRef feature) { return llvm::is_contained(target.features, feature); };
  if (has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl"))
    target.vectorBits = 512;
  else if (has("avx2") && has("fma"))
    target.vectorBits = 256;
  target.l2Bytes = getL2Bytes(native, target.vectorBits);
  target.l1Ways = getL1Ways(native);
  return target;
}

llvm::Expected<std::vector<CPUTarget>> CPUTarget::getList(llvm::StringRef names) {
  std::vector<CPUTarget> targets;
  for (llvm::StringRef name : llvm::split(names, ',')) {
    llvm::Expected<CPUTarget> target = get(name);
    if (!target)
      return target.takeError();
    for (const CPUTarget &other : targets)
      if (other.name == target->name || (other.features == target->features && !target->features.empty()))
        return llvm::createStringError("code for '%s' is the same as for '%s'", name.str().c_str(), other.name.c_str());
    targets.push_back(std::move(*target));
  }
  llvm::stable_sort(targets, [](const CPUTarget &lhs, const CPUTarget &rhs) {
    return std::pair(lhs.vectorBits, lhs.features.size()) > std::pair(rhs.vectorBits, rhs.features.size());
  });
  return targets;
}
