//===- Reading the descriptor's JSON ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

// A reader for the JSON that Dyn itself writes into artefacts. Own code because the runtime may depend on nothing but
// the C++ library, which has no JSON.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_JSON_H
#define DYN_LIB_RUNTIME_JSON_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyn::runtime {

/// One JSON value. Asking it for what it is not gives the empty value of that type.
struct Json {
  enum class Kind : uint8_t { Null, Number, String, Array, Object };
  Kind kind = Kind::Null;
  int64_t number = 0; ///< also true and false; the descriptor has no fractions
  std::string string;
  std::vector<Json> array;
  std::map<std::string, Json> object;

  const Json &operator[](const char *key) const;
  std::vector<std::string> strings() const;
};

/// Reads a whole text; nothing if it is no JSON.
std::optional<Json> parseJson(std::string_view text);

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_JSON_H
