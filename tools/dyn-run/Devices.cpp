//===- Devices beside the CPU ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include <dlfcn.h>

std::string dyn::getCUDAProblem() {
  // The driver's library stays loaded: it may not be unloaded once it has been used.
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return "this machine has no CUDA driver (libcuda.so.1)";
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto count = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int numDevices = 0;
  if (!init || !count || init(0) != 0 || count(&numDevices) != 0 || numDevices == 0)
    return "this machine has a CUDA driver, but no device that it can use";
  return "there is a device, but models do not run on it yet; --compile --target=cuda makes the images of their "
         "kernels";
}
