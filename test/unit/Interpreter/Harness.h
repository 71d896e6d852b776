//===- Ops and functions on concrete tensors, as text ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_INTERPRETER_HARNESS_H
#define DYN_TEST_UNIT_INTERPRETER_HARNESS_H

#include <string>
#include <vector>

namespace dyn::test {

/// Runs function @f of a module on tensors written as `dense<...> : tensor<...>`. Gives the results in the same form,
/// joined by "; ", or "error: " and the message.
std::string run(const std::string &module, const std::vector<std::string> &inputs, const std::string &folder = "");

/// Evaluates one op on operands %a, %b, %c, ... of unknown rank: `op` is its text up to the colon.
std::string evaluate(const std::string &op, const std::vector<std::string> &inputs, const std::string &resultType);

} // namespace dyn::test

#endif // DYN_TEST_UNIT_INTERPRETER_HARNESS_H
