//===- The entry points of an artefact --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_ENTRYPOINTS_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_ENTRYPOINTS_H

#include "HostCode.h"
#include "Program.h"

namespace dyn::host {

/// Emits `@dyn.check` at the builder's place, and enters its guards into the program's table.
llvm::LogicalResult emitCheckFunction(Program &program, HostCode &code);

/// Emits `@dyn.run` and what it calls and reads: a function for each kernel, a global for each datum.
llvm::LogicalResult emitRunFunction(Program &program, HostCode &code);

/// Emits `@dyn.scratch(symbols)`: see `DynArtefact.scratch`.
llvm::LogicalResult emitScratchFunction(Program &program, HostCode &code);

/// Emits `@dyn.arena(symbols)`: see `DynArtefact.arena`.
llvm::LogicalResult emitArenaFunction(Program &program, HostCode &code);

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_ENTRYPOINTS_H
