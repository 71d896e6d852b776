//===- Inputs from files, and random ones -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_INPUTS_H
#define DYN_TOOLS_DYN_RUN_INPUTS_H

#include "Npy.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace dyn {

using Inputs = std::vector<std::pair<std::string, Tensor>>;

/// One `NAME=FILE.npy`. Names may hold '='; files are not likely to.
struct InputFile {
  std::string name, path;
};
llvm::Expected<Inputs> readInputs(llvm::ArrayRef<InputFile> files);

/// Sizes of one run, by symbol.
using Sizes = llvm::StringMap<int64_t>;

/// Reads `NAME=V[,V...]` texts: run i takes the i-th value of each name, or its only one. There is always at least one
/// run.
llvm::Expected<std::vector<Sizes>> parseSizes(llvm::ArrayRef<std::string> texts);

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

/// Adds the sizes that follow from inputs and those that are there already. What contradicts itself is left for the run
/// to find.
llvm::Error addSizesOf(const Inputs &inputs, llvm::ArrayRef<InputSignature> signatures, Sizes &sizes);

/// Fails if `sizes` has a name that no input has, or lacks one that an input without a file needs.
llvm::Error verifySizes(llvm::ArrayRef<InputSignature> signatures, const Sizes &sizes, llvm::ArrayRef<InputFile> files);

/// Fails if an input has another rank than the model says. Comes before the sizes: those of such an input are not
/// known.
llvm::Error verifyRanks(llvm::ArrayRef<InputSignature> signatures, const Inputs &inputs);

/// Fails if an input, of the right rank, has other dims than `sizes` gives it.
llvm::Error verifyInputs(llvm::ArrayRef<InputSignature> signatures, const Sizes &sizes, const Inputs &inputs);

/// Adds the inputs whose elements are given and that have no file.
llvm::Error addGivenValues(llvm::ArrayRef<onnx::InputValues> values, llvm::ArrayRef<InputSignature> signatures,
                           Inputs &inputs);

/// Adds random values for the inputs of the model that are not there yet: floats from a normal distribution, integers 0
/// or 1. Dims are computed from `sizes`.
llvm::Error addRandomInputs(llvm::ArrayRef<InputSignature> signatures, const Sizes &sizes, unsigned seed,
                            Inputs &inputs);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_INPUTS_H
