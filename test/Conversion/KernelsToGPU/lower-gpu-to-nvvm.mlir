// RUN: dyn-opt %s --pass-pipeline='builtin.module(gpu.module(dyn-lower-gpu-to-nvvm))' --split-input-file --verify-diagnostics | FileCheck %s

// What the hardware can do needs no libdevice; what is left does.
// CHECK-LABEL: llvm.func @functions
// CHECK-SAME:    nvvm.kernel
// CHECK:         llvm.intr.sqrt
// CHECK:         llvm.intr.roundeven
// CHECK:         llvm.call @__nv_exp(
gpu.module @kernels {
  gpu.func @functions(%p: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %x = llvm.load %p : !llvm.ptr -> f64
    %a = math.sqrt %x : f64
    %b = math.roundeven %a : f64
    %c = math.exp %b : f64
    llvm.store %c, %p : f64, !llvm.ptr
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @loops(%p: !llvm.ptr, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{failed to legalize operation 'scf.for'}}
    scf.for %i = %c0 to %n step %c1 {
    }
    gpu.return
  }
}
