// PTX needs no toolkit.
// RUN: dyn-opt %s --dyn-serialize-gpu-modules='archs=sm_90,sm_80' --mlir-disable-threading -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: not dyn-opt %s --dyn-serialize-gpu-modules='archs=sm_8' 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not dyn-opt %s --dyn-serialize-gpu-modules='ptxas=%t-missing' 2>&1 | FileCheck %s --check-prefix=PTXAS

// The oldest architecture's PTX comes first.
// CHECK:      gpu.binary @kernels [#gpu.object<#nvvm.target<{{.*}}chip = "sm_80">, assembly =
// CHECK-SAME: .version 7.0
// CHECK-SAME: .target sm_80
// CHECK-SAME: .visible .entry first(
// CHECK-SAME: .maxntid 256, 1, 1
// CHECK-NOT:  gpu.module
// ARCH: unknown CUDA architecture 'sm_8': expected sm_80, sm_90 or another that LLVM knows
// PTXAS: missing' is no program that can be run as ptxas
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @first(%p: !llvm.ptr {llvm.noalias}) attributes {gpu.kernel, gpu.known_block_size = array<i32: 256, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
      %i = nvvm.read.ptx.sreg.tid.x : i32
      llvm.store %i, %p : i32, !llvm.ptr
      llvm.return
    }
  }
}
