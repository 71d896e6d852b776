//===- All sizes of a model as texts ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNXSHAPES_SHAPETABLE_H
#define DYN_TARGET_ONNXSHAPES_SHAPETABLE_H

#include "dyn/Target/ONNXShapes/ModelShapes.h"
#include "llvm/Support/Allocator.h"

namespace dyn::onnx {

/// Outlives the ModelShapes that it is made of. Texts of values lie in `memory`: there are many, and few different
/// ones.
struct ShapeTable {
  struct Symbol {
    std::string name, facts, origin; ///< `[0, ?] mod 8`; `dim 1 of 'x'`
  };
  struct Guard {
    std::string predicate, because, node;
  };
  struct Value {
    llvm::StringRef name, elementType, node; ///< no node: an input
    /// Nothing where the rank is not known; `?` for a dim that is not.
    std::optional<llvm::ArrayRef<llvm::StringRef>> dims;
    /// Of a sequence, whose dims are those that all of its tensors have; `?` where it is not known.
    std::optional<llvm::StringRef> length;
  };

  std::vector<Symbol> symbols;
  std::vector<Guard> guards;
  std::vector<Value> inputs, outputs, values; ///< values: what nodes compute, outputs included
  std::vector<std::string> conflicts;
  llvm::BumpPtrAllocator memory;
};

ShapeTable getShapeTable(ModelShapes &shapes);
void printShapeTable(const ShapeTable &table, llvm::raw_ostream &os);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNXSHAPES_SHAPETABLE_H
