//===- Is a file an artefact, and whole? ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_ARTEFACTFILE_H
#define DYN_LIB_RUNTIME_ARTEFACTFILE_H

#include <string>

namespace dyn::runtime {

/// What stands against loading an open file; "" if nothing does. Weights are not looked at.
std::string findDamage(int file);

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_ARTEFACTFILE_H
