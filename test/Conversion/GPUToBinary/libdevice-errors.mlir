// RUN: rm -rf %t && mkdir %t && echo nothing > %t/broken.bc
// RUN: not dyn-opt %s --dyn-serialize-gpu-modules='libdevice=%t/missing.bc' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dyn-opt %s --dyn-serialize-gpu-modules='libdevice=%t/broken.bc' 2>&1 | FileCheck %s --check-prefix=BROKEN

// A function that kernels call but nobody defines is never left to the driver.
// MISSING: there is no libdevice '{{.*}}missing.bc'
// BROKEN: cannot read libdevice '{{.*}}broken.bc'
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @__nv_exp(f64) -> f64
    llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %x = llvm.load %p : !llvm.ptr -> f64
      %y = llvm.call @__nv_exp(%x) : (f64) -> f64
      llvm.store %y, %p : f64, !llvm.ptr
      llvm.return
    }
  }
}
