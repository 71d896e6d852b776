//===- Operands of products that may have to be repeated ---------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_VIEWS_REPEATEDOPERANDS_H
#define DYN_LIB_TRANSFORMS_KERNELS_VIEWS_REPEATEDOPERANDS_H

#include "../SizeFinder.h"

namespace dyn {

/// Lets products read tensors where they lie that may have to be repeated along a dim: instead of a copy of the whole
/// size they read a slice from index 0 on, of the size of the loops, whose stride along such a dim is the factor that
/// is 1 where the tensor is as long as the loop, and 0 where it repeats. Along other dims the slice is the whole
/// tensor. Copies that only permute dims, or read pieces, are made of the slice, so that products can do without them.
void readRepeatedInPlace(mlir::Block &block, SizeFinder &sizes);

/// Takes slices of divided tensors where dims of slices are divided that are as long as those of the tensors.
void divideBeforeSlicing(mlir::Block &block, SizeFinder &sizes);

/// Makes copies of slices for all that is no product.
void copySlicesForOthers(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_VIEWS_REPEATEDOPERANDS_H
