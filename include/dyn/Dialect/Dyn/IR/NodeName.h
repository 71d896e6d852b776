//===- Names of a model's nodes in locations ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_NODENAME_H
#define DYN_DIALECT_DYN_IR_NODENAME_H

#include "mlir/IR/Location.h"

namespace dyn {

/// The name that the import gave the node an op came from: that of the first NameLoc inside. Empty if there is none.
llvm::StringRef getNodeName(mlir::Location loc);

/// `/layer.0/MatMul`, or `model.mlir:12` where no node has a name.
std::string describePlace(mlir::Location loc);

/// `node '/l0/Squeeze' (dyn.squeeze)`. An op without a place, which the import added, goes by that of the op around it,
/// or else of one that uses it.
std::string describeOp(mlir::Operation *op);

/// A text about the node at `loc` with the node in front, unless it names it: `'dyn.squeeze' op has no dim 3` is
/// `node '/l0/Squeeze' (dyn.squeeze): has no dim 3`.
std::string addNode(mlir::Location loc, llvm::StringRef text);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_NODENAME_H
