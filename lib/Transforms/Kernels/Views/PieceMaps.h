//===- Pieces of tensors as places in maps -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_VIEWS_PIECEMAPS_H
#define DYN_LIB_TRANSFORMS_KERNELS_VIEWS_PIECEMAPS_H

#include "../SizeFinder.h"

namespace dyn {

/// Makes a slice that is one of equal pieces of a dim a copy that reads the piece by its map: of a view whose dim is
/// divided into the number of pieces and their size. Whatever reads slices by maps then needs no copy of them.
void readPiecesByMaps(mlir::Block &block, SizeFinder &sizes);

/// Makes a concat of a few equal pieces that one pointwise op reads a pointwise op itself, which selects the piece, so
/// that what computes the pieces, and what reads them, can be one kernel.
void selectPieces(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_VIEWS_PIECEMAPS_H
