//===- What decides how far places count in attention --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// B is the batch, N the heads, S the places that ask, T those that are asked, H
// the elements of a head.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_MASKS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_MASKS_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// What decides how far each place counts, as terms that are added to the scores; null where there is nothing to add.
class Masks {
public:
  /// `q` are the queries, B x anything; `type` is that of scores.
  Masks(NodeImport &node, mlir::Value q, mlir::Type type)
      : node(node), filter(node.getFloat("mask_filter_value", -10000.0f)), type(type), q(q) {}

  /// The operand of a mask, B x T, B x S x T, or the lengths of B sequences; `asking` and `length` are S and T.
  mlir::LogicalResult addMask(size_t operand, mlir::Value asking, mlir::Value length);
  /// The same with the forms that Attention has besides, where dims are known to be theirs: 2 B ends and begins, and
  /// one column that masks nothing.
  mlir::LogicalResult addIndex(size_t operand, mlir::Value asking, mlir::Value length);
  /// The operand that is added to scores, which may be one for all sequences, or all heads.
  void addBias(size_t operand, mlir::Value asking, mlir::Value length);
  /// Places behind the ends of the sequences, a vector of B sizes, get `otherwise`, by default the least number.
  void addLengths(mlir::Value ends, mlir::Value length, std::optional<double> otherwise = std::nullopt);
  /// Places behind the one that asks, which has as many before it as `past` and the asking ones before it; `asking` and
  /// `asked` are S and T.
  void addCausal(mlir::Value asking, mlir::Value asked, mlir::Value past);
  /// Only places for which `counts`, which broadcasts to the scores, is true.
  void addOnly(mlir::Value counts) { addWhereNot(counts, getLeast()); }
  void add(mlir::Value term) {
    term = node.cast(term, type);
    sum = sum ? node.add(sum, term) : term;
  }

  mlir::Value sum;

private:
  /// No place that gets it counts again: what else is added is lost.
  double getLeast() const;
  /// Are two sizes, i64 vectors of one element, the same at every run?
  bool isProved(mlir::Value size, mlir::Value other);
  void addWhereNot(mlir::Value stays, double otherwise) {
    add(node.select(stays, node.scalar(0, type), node.scalar(otherwise, type)));
  }

  NodeImport &node;
  double filter;
  mlir::Type type;
  mlir::Value q;
};

/// softmax(scale q k' + mask) v; `scores` becomes what the softmax is of.
mlir::Value attend(NodeImport &node, mlir::Value q, mlir::Value k, mlir::Value v, mlir::Value mask,
                   mlir::Value *scores = nullptr);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_MASKS_H
