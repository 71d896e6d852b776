//===- Which loops have a lowering ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_DYNTOLINALG_LOOPS_H
#define DYN_LIB_CONVERSION_DYNTOLINALG_LOOPS_H

#include "FunctionReifier.h"

namespace dyn {

/// Why a loop has no lowering; "" if it has one.
std::string findObstacle(LoopOp op, FunctionReifier &reifier, const LoweringTable &table);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_DYNTOLINALG_LOOPS_H
