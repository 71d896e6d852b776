//===- Devices beside the CPU ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYNRUN_DEVICES_H
#define DYN_TOOLS_DYNRUN_DEVICES_H

#include <string>

namespace dyn {

/// Why models can't run on a CUDA device here, in a line.
std::string getCUDAProblem();

} // namespace dyn

#endif // DYN_TOOLS_DYNRUN_DEVICES_H
