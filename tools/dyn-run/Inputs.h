//===- Inputs from files, and random ones -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_INPUTS_H
#define DYN_TOOLS_DYN_RUN_INPUTS_H

#include "Npy.h"
#include "llvm/ADT/StringMap.h"

namespace dyn {

using Inputs = std::vector<std::pair<std::string, Tensor>>;

/// Reads the files of `NAME=FILE.npy` texts.
llvm::Expected<Inputs> readInputs(llvm::ArrayRef<std::string> texts);

/// What is known of an input before there is one.
struct InputSignature {
  std::string name;
  DynElementType elementType;
  std::vector<std::string> dims; ///< expressions
};

std::vector<InputSignature> getInputSignatures(const DynModel &model);

/// Adds random values for the inputs of the model that are not there yet: floats from a normal distribution, integers 0
/// or 1. Dims are computed from `sizes`; one without a value is an error that names the symbol.
llvm::Error addRandomInputs(llvm::ArrayRef<InputSignature> signatures, const llvm::StringMap<int64_t> &sizes,
                            unsigned seed, Inputs &inputs);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_INPUTS_H
