//===- Sizes of runs on random inputs ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_SIZES_H
#define DYN_TOOLS_DYN_RUN_SIZES_H

#include "Inputs.h"
#include "dyn/Symbolic/SizeInference.h"
#include "llvm/ADT/StringMap.h"

namespace dyn {

/// Sizes of one run, by symbol.
using Sizes = llvm::StringMap<int64_t>;

/// Reads `NAME=V[,V...]` texts: run i takes the i-th value of each name, or its only one. There is always at least one
/// run.
llvm::Expected<std::vector<Sizes>> parseSizes(llvm::ArrayRef<std::string> texts);

/// What a model says of its sizes beyond the dims of its inputs.
struct ModelSizes {
  std::string declarations;
  std::vector<symbolic::SizeProblem::Fact> guards;
  std::vector<symbolic::SizeProblem::Fact> aliases; ///< what names of the dims of outputs stand for
  std::vector<InputSignature> outputs;              ///< of a model in the interpreter: data may decide their dims
};
ModelSizes getModelSizes(const DynModel &model);

/// The dims of the inputs in the order of `signatures`, from `given` and the inputs from files; empty where an input
/// has no known rank. Fails with a line that says what contradicts itself, or else all that is missing, or that a name
/// is none. `getSizes` is called where dims do not follow by themselves.
llvm::Expected<std::vector<std::vector<int64_t>>> inferInputDims(llvm::ArrayRef<InputSignature> signatures,
                                                                 const Sizes &given, const Inputs &files,
                                                                 llvm::function_ref<ModelSizes()> getSizes);

/// Fails if an output of a run has another size than `given` says of it by a name that no input has: data may decide
/// it. `getSizes` is called where there is such a name.
llvm::Error verifyOutputs(llvm::ArrayRef<InputSignature> inputs, const Sizes &given, const Inputs &outputs,
                          llvm::function_ref<ModelSizes()> getSizes);

/// Advice on inputs that are not among `given` and of which elements are sizes: random ones seldom fit. "" if there are
/// none.
std::string adviseValues(llvm::ArrayRef<InputSignature> signatures, const Inputs &given, llvm::StringRef declarations);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_SIZES_H
