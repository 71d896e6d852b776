//===- GPU modules to images ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_GPUTOBINARY_PASSES_TD
#define DYN_CONVERSION_GPUTOBINARY_PASSES_TD

include "mlir/Pass/PassBase.td"

def SerializeGPUModulesPass : Pass<"dyn-serialize-gpu-modules", "::mlir::ModuleOp"> {
  let summary = "compiles GPU modules to PTX and, with ptxas, to cubins";
  let description = [{
    **Before**: `gpu.module`s in the `llvm` and `nvvm` dialects, as `addGPUKernelLowerings` leaves them.

    **After**: each is a `gpu.binary` of the same name. Its first object is PTX text for the oldest of the architectures,
    which a driver compiles for any newer one; then comes a cubin for each architecture, in their order, if there is a
    `ptxas`. Each object's target says its architecture.

    Functions that kernels call but do not define are looked for in libdevice; most models need none of them.

    **Refuses**: architectures that LLVM does not know; what `ptxas` refuses, with its message; a `ptxas` or libdevice
    that was named but is not there; functions of libdevice if there is none.
  }];
  let options = [
    ListOption<"archs", "archs", "std::string", "Architectures, such as sm_80; none: sm_80 and sm_90">,
    Option<"ptxas", "ptxas", "std::string", /*default=*/"\"\"",
           "Path of ptxas; none: the one in PATH, if there is one">,
    Option<"libdevice", "libdevice", "std::string", /*default=*/"\"\"",
           "Path of libdevice.10.bc; none: that of the CUDA toolkit that ptxas is in">,
    Option<"optimization", "opt", "unsigned", /*default=*/"3", "0 to 3, as for a C compiler">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
  let statistics = [Statistic<"numCubins", "cubins", "Number of cubins">];
}

def VerifyGPUBinariesPass : Pass<"dyn-verify-gpu-binaries", "::mlir::ModuleOp"> {
  let summary = "checks that each kernel that is launched is in an image";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op and the pass to blame, what is not so: there is no `gpu.module` left; each `gpu.binary` has
    PTX first and cubins behind it, ELF images all of them, that are not empty; each `gpu.launch_func` names a kernel of a
    `gpu.binary` whose PTX has an entry of that name.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // DYN_CONVERSION_GPUTOBINARY_PASSES_TD
