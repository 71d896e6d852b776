// RUN: dyn-opt %s --pass-pipeline='builtin.module(gpu.module(dyn-verify-gpu-kernels))' --split-input-file --verify-diagnostics

// Shared memory is declared by the kernel, not allocated: nothing is wrong here.
gpu.module @good {
  gpu.func @k(%p: !llvm.ptr) workgroup(%m: memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @stack {
  gpu.func @k(%p: !llvm.ptr, %n: i64) kernel {
    // expected-error @below {{allocates memory, which a GPU kernel cannot do (kernel 'k')}}
    %m = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
    gpu.return
  }
}

// -----

gpu.module @vectors {
  gpu.func @k(%p: !llvm.ptr) kernel {
    // expected-error @below {{works on tensors or vectors, which GPU kernels have not (kernel 'k')}}
    %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
    gpu.return
  }
}
