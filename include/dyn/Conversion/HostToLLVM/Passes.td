//===- The host program of an artefact --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_HOSTTOLLVM_PASSES_TD
#define DYN_CONVERSION_HOSTTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerHostPass : Pass<"dyn-lower-host", "::mlir::ModuleOp"> {
  let summary = "turns main into the entry points of an artefact: check, run and what tells its memory";
  let description = [{
    **Before**: the output of `dyn-plan-memory`, and of `dyn-lower-kernels-to-cpu` for the kernels. One public function.

    **After**: that function is gone. In its place stand `@dyn.check`, `@dyn.run`, `@dyn.scratch`, `@dyn.arena` and, if a
    plan says `packs`, `@dyn.buffers`, with the signatures of `dyn/Runtime/ArtefactABI.h`; for each launched kernel `@k` a function `@k.work` that takes its arguments from memory,
    an `llvm.mlir.global` for each datum (external, with `dyn.weight`, where it lies in a file), and the module attribute
    `dyn.descriptor`. Host code is `arith`, `cf`, `func` and loads and stores of the `llvm` dialect.

    `@dyn.check` computes each symbol from the input dim (or element) that determines it, where the dim is an expression
    by solving for it; tests declared facts of symbols; tests that every input dim equals its expression; then declared
    relations, the `dyn_shape.check` ops in their order, and that no size needs more than 64 bits. The first test that
    fails ends it. Nothing in it divides by zero or overflows, whatever the dims.

    `@dyn.run` computes sizes again, now without tests, and hands the launches in order to `DynRunContext.submit`, with
    what each is after.

    `@dyn.scratch` and `@dyn.arena` give the bytes that kernels take on each thread and those of the arena, and
    `@dyn.buffers` those of each buffer that the runtime may place.

    **Refuses**: symbols that no input determines, sizes bound by data, launches of GPU kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::dyn::DynDialect", "::dyn::shape::DynShapeDialect"];
}

def VerifyHostPass : Pass<"dyn-verify-host", "::mlir::ModuleOp"> {
  let summary = "checks the contract between the host program and the artefact";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op, the sentence that it breaks and the pass to blame, what is not so: the module has a
    `dyn.descriptor` that is JSON; `@dyn.check`, `@dyn.run`, `@dyn.scratch` and `@dyn.arena` are there, and they and
    `@dyn.buffers`, where that is there too, have the signatures of `dyn/Runtime/ArtefactABI.h`; no function is public, because callers find them through the artefact's table; ops are of
    `arith`, `cf`, `func`, `llvm`, `math`, `scf` and `vector`, and none works on tensors or memrefs.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // DYN_CONVERSION_HOSTTOLLVM_PASSES_TD
