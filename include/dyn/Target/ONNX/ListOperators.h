//===- Which operators can be imported ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNX_LISTOPERATORS_H
#define DYN_TARGET_ONNX_LISTOPERATORS_H

#include <string>
#include <vector>

namespace dyn::onnx {

struct ListedOperator {
  enum class Import {
    Own,      ///< by a function of Dyn's
    Function, ///< by the body that ONNX defines
    None,
  };
  /// With the domain unless that is ai.onnx: `com.microsoft.FusedMatMul`.
  std::string name;
  /// The opsets in which ONNX defines it anew; none for operators that ONNX does not define.
  std::vector<int> versions;
  Import import;
};

/// All operators that ONNX defines and those of other domains that Dyn imports, by name, ai.onnx first.
std::vector<ListedOperator> listOperators();

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_LISTOPERATORS_H
