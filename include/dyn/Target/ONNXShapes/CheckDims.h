//===- What is wrong with the dims that a model declares --------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNXSHAPES_CHECKDIMS_H
#define DYN_TARGET_ONNXSHAPES_CHECKDIMS_H

#include "dyn/Target/ONNXShapes/ModelShapes.h"

namespace dyn::onnx {

/// Something that a declaration says, and why it is so: a fact with its reason in each line.
struct DimFinding {
  std::string text;
  std::vector<std::string> reasons;
};

struct DimCheck {
  /// Declarations that the graph contradicts, input dims that it forces to one size or equates, names of two sizes.
  std::vector<DimFinding> findings;
  /// What is no fault: other names of a size (`total` is `past + seq`), input dims without a name that equal others.
  std::vector<std::string> names;
  /// Declarations that are neither proved nor refuted: the data of a run tell the size, or it is no easy question.
  std::vector<std::string> undecided;
  /// What a run checks before any kernel.
  std::vector<std::string> guards;
  /// Nodes that can't be imported: what they need of sizes is not known.
  unsigned numUnchecked = 0;
};

DimCheck checkDims(ModelShapes &shapes);

/// Prints a check for people.
void printCheck(const DimCheck &check, llvm::raw_ostream &os);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNXSHAPES_CHECKDIMS_H
