//===- Constants in panels of columns ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_PANELLAYOUT_H
#define DYN_CONVERSION_KERNELCODE_PANELLAYOUT_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace dyn::codegen {

/// How the right operand of a contraction lies in memory that is read once from its beginning to its end: in panels of
/// `width` neighbours along `columnDim`. Within a panel the other dims are row-major, the columns innermost; the last
/// panel is filled up with zeros.
///
/// A matrix of 2 x 5 in panels of 4 columns: 00 01 02 03 10 11 12 13 | 04 - - - 14 - - -.
///
/// In types it is an affine map, that of the example `(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)`.
struct PanelLayout {
  unsigned columnDim;
  int64_t width;

  mlir::AffineMap toMap(unsigned rank, mlir::MLIRContext *context) const;
  /// Nothing if `map` is of another kind.
  static std::optional<PanelLayout> fromMap(mlir::AffineMap map);
  /// That of a memref; nothing if its elements lie in another way.
  static std::optional<PanelLayout> of(mlir::MemRefType type);

  /// How many elements a tensor of static `shape` takes, those that only fill up included.
  int64_t countElements(llvm::ArrayRef<int64_t> shape) const;
};

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_PANELLAYOUT_H
