//===- Parts of the Python extension ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The extension speaks of files, texts and addresses; classes, arrays and errors
// are made of these in Python.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_EXTENSION_EXTENSION_H
#define DYN_PYTHON_EXTENSION_EXTENSION_H

#include <nanobind/nanobind.h>

namespace dyn::python {

void registerArrays(nanobind::module_ &module);
void registerCompile(nanobind::module_ &module);
void registerModel(nanobind::module_ &module);
void registerOptions(nanobind::module_ &module);
void registerProve(nanobind::module_ &module);
void registerReference(nanobind::module_ &module);
void registerShapes(nanobind::module_ &module);

} // namespace dyn::python

#endif // DYN_PYTHON_EXTENSION_EXTENSION_H
