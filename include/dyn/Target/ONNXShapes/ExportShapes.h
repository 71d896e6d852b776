//===- Inferred sizes back into an ONNX model -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNXSHAPES_EXPORTSHAPES_H
#define DYN_TARGET_ONNXSHAPES_EXPORTSHAPES_H

#include "dyn/Target/ONNXShapes/ModelShapes.h"
#include "llvm/Support/Error.h"

namespace dyn::onnx {

/// Writes what is inferred into the message of the model: into value_info, for all values that nodes compute, into
/// outputs, and into inputs whose dims have no name or were given by options. An expression has the syntax that
/// PyTorch's exporter writes and SymPy reads: `+ - * // %`, `Max`, `Min`. A dim that is not known keeps what the file
/// says of it. Everything else of the message stays.
void writeShapes(ModelShapes &shapes);

/// The text of one dim.
std::string getDimText(symbolic::Expr dim);

/// Calls writeShapes, and serializes the message.
llvm::Expected<std::string> serializeWithShapes(ModelShapes &shapes);

/// Writes the model with its shapes to a file. External data stays where it is, or is copied beside a model that goes
/// to another folder: ONNX does not let a model refer to data outside its folder. Files that are there already with
/// other contents are not replaced; of data that is missing there is nothing to copy, and `warn` is told. The model
/// `path` and its data are never overwritten.
llvm::Error exportWithShapes(ModelShapes &shapes, llvm::StringRef path, llvm::StringRef output,
                             llvm::function_ref<void(const llvm::Twine &)> warn);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNXSHAPES_EXPORTSHAPES_H
