//===- Inputs from files, and random ones -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_INPUTS_H
#define DYN_TOOLS_DYN_RUN_INPUTS_H

#include "Npy.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include <optional>

namespace dyn {

using Inputs = std::vector<std::pair<std::string, Tensor>>;

/// One `NAME=FILE.npy`. Names may hold '='; files are not likely to.
struct InputFile {
  std::string name, path;
};
llvm::Expected<Inputs> readInputs(llvm::ArrayRef<InputFile> files);

/// What is known of an input before there is one.
struct InputSignature {
  std::string name;
  DynElementType elementType;
  std::optional<std::vector<std::string>> dims; ///< expressions; none where the rank is not known
};

std::vector<InputSignature> getInputSignatures(const DynModel &model);

/// Reads `NAME=FILE`, where NAME is best one of the inputs.
llvm::Expected<std::vector<InputFile>> parseInputFiles(llvm::ArrayRef<std::string> texts,
                                                       llvm::ArrayRef<InputSignature> inputs);

/// Fails if an input has another rank than the model says. Comes before the sizes: those of such an input are not
/// known.
llvm::Error verifyRanks(llvm::ArrayRef<InputSignature> signatures, const Inputs &inputs);

/// Adds the inputs whose elements are given and that have no file.
llvm::Error addGivenValues(llvm::ArrayRef<onnx::InputValues> values, llvm::ArrayRef<InputSignature> signatures,
                           Inputs &inputs);

/// Fails if the model has no input of such a name, or if `areAllGiven` and one of its inputs is not there.
llvm::Error verifyNames(llvm::ArrayRef<InputSignature> signatures, const Inputs &inputs, bool areAllGiven);

/// Adds random values for the inputs of the model that are not there yet: floats from a normal distribution, integers 0
/// or 1. `dims` are those of all inputs.
llvm::Error addRandomInputs(llvm::ArrayRef<InputSignature> signatures, llvm::ArrayRef<std::vector<int64_t>> dims,
                            unsigned seed, Inputs &inputs);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_INPUTS_H
