//===- Choosing a plan for the arena ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_PLANS_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_PLANS_H

#include "ExprEmitter.h"
#include "HostCode.h"
#include "Program.h"
#include "dyn/Dialect/DynShape/IR/PlanOp.h"

namespace dyn::host {

/// The plan that fits: its place in the op's lists, and the lines of 64 bytes that it needs.
struct ChosenPlan {
  mlir::Value number;
  Number lines;
};

/// Emits the choice, with tests of its own whether there is an overflow: entry points choose the same. The lines are
/// invalid where those of the chosen plan are.
ChosenPlan emitPlanChoice(shape::PlanOp op, Program &program, HostCode &code, ExprEmitter::Symbols symbols);

/// Emits the bytes of the chosen plan.
Number emitPlanBytes(shape::PlanOp op, Program &program, HostCode &code, ExprEmitter::Symbols symbols);

/// Emits the places of the buffers, in bytes, by the plan that fits, or as `context` has them from the runtime.
llvm::SmallVector<mlir::Value> emitPlaces(shape::PlanOp op, Program &program, HostCode &code, ExprEmitter &emitter,
                                          ExprEmitter::Symbols symbols, mlir::Value context);

/// Enters what the descriptor says of the arena: its size, of several plans that of the general one, and its bound.
void describeArena(shape::ArenaOp op, Program &program);

/// Emits `@dyn.buffers` if the program has a plan with `packs`.
llvm::LogicalResult emitBuffersFunction(Program &program, HostCode &code);

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_PLANS_H
