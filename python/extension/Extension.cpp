//===- The extension module of the package dyn ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

NB_MODULE(_dyn, module) {
  dyn::python::registerArrays(module);
  dyn::python::registerCompile(module);
  dyn::python::registerModel(module);
  dyn::python::registerOptions(module);
  dyn::python::registerProve(module);
  dyn::python::registerReference(module);
  dyn::python::registerShapes(module);
}
