// RUN: dyn-opt %s --split-input-file --verify-diagnostics --dyn-verify-gpu-binaries

module attributes {gpu.container_module} {
  func.func @right(%n: index) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 7.0 .visible .entry k()">,
                       #gpu.object<#nvvm.target<chip = "sm_80">, bin = "\7FELF...">]
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{is no image yet; 'dyn-serialize-gpu-modules' should have seen to it}}
  gpu.module @kernels {
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{has an image that is no ELF file}}
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 7.0">,
                       #gpu.object<#nvvm.target<chip = "sm_80">, bin = "">]
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{should have PTX first and cubins behind it}}
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "\7FELF">]
}

// -----

module attributes {gpu.container_module} {
  func.func @other(%n: index) {
    // expected-error @below {{needs the kernel 'other_kernel', which 'kernels' has not}}
    gpu.launch_func @kernels::@other_kernel blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 7.0 .visible .entry k()">]
}
