// REQUIRES: ptxas
// RUN: dyn-opt %s --dyn-serialize-gpu-modules='archs=sm_90,sm_80' | FileCheck %s
// RUN: not dyn-opt %s --dyn-serialize-gpu-modules='archs=sm_60' 2>&1 | FileCheck %s --check-prefix=OLD

// A cubin for each architecture, in their order.
// CHECK:      gpu.binary @kernels [#gpu.object<#nvvm.target<{{.*}}chip = "sm_80">, assembly =
// CHECK-SAME: #gpu.object<#nvvm.target<{{.*}}chip = "sm_90">, bin = "\7FELF
// CHECK-SAME: #gpu.object<#nvvm.target<{{.*}}chip = "sm_80">, bin = "\7FELF
// OLD: makes no cubin for 'sm_60': ptxas fatal
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @first(%p: !llvm.ptr {llvm.noalias}) attributes {gpu.kernel, nvvm.kernel} {
      %i = nvvm.read.ptx.sreg.tid.x : i32
      llvm.store %i, %p : i32, !llvm.ptr
      llvm.return
    }
  }
}
