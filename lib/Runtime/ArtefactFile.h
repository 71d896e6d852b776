//===- Is a file an artefact, and whole? ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_ARTEFACTFILE_H
#define DYN_LIB_RUNTIME_ARTEFACTFILE_H

#include "dyn/Runtime/ArtefactSeal.h"
#include <string>

namespace dyn::runtime {

/// What stands against loading an open file; "" if nothing does, and then its seal. Weights are not looked at.
std::string findDamage(int file, ArtefactSeal &seal);

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_ARTEFACTFILE_H
