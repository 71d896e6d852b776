//===- Names inside of a graph -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_SHADOWING_H
#define DYN_LIB_TARGET_ONNX_SHADOWING_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace dyn::onnx {

/// Gives names other meanings for a while.
template <typename Map>
class Shadowing {
  using T = decltype(Map::MapEntryTy::second);

public:
  explicit Shadowing(Map &map) : map(map) {}
  Shadowing(const Shadowing &) = delete;
  ~Shadowing() {
    for (auto &[name, value] : llvm::reverse(before)) {
      if (value)
        map[name] = *value;
      else
        map.erase(name);
    }
  }

  void set(llvm::StringRef name, T value) {
    auto known = map.find(name);
    before.emplace_back(name.str(), known == map.end() ? std::nullopt : std::optional<T>(known->second));
    map[name] = value;
  }

private:
  Map &map;
  std::vector<std::pair<std::string, std::optional<T>>> before;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_SHADOWING_H
