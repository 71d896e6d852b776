//===- Kernels that write pieces side by side -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Concatenation.h"

using namespace mlir;
using namespace dyn::codegen;

/// Whether the op computes a tensor of its own, which only the piece reads.
static bool makesPiece(linalg::GenericOp maker) {
  return maker && maker.getNumReductionLoops() == 0 && maker->getNumResults() == 1 && maker->hasOneUse() &&
         maker.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
}

std::optional<Concatenation> dyn::codegen::matchConcatenation(func::FuncOp kernel) {
  auto pieces = llvm::to_vector(kernel.getBody().front().getOps<tensor::InsertSliceOp>());
  if (pieces.empty())
    return std::nullopt;
  std::optional<unsigned> axis;
  bool isAxisKnown = true;
  for (tensor::InsertSliceOp piece : pieces) {
    if (!piece.hasUnitStride())
      return std::nullopt;
    isAxisKnown &= piece.getSourceType().getRank() == piece.getDestType().getRank();
    for (auto [d, offset] : llvm::enumerate(piece.getMixedOffsets())) {
      if (isConstantIntValue(offset, 0))
        continue;
      isAxisKnown &= !axis || *axis == d;
      axis = d;
    }
  }
  if (!axis && pieces.size() == 1)
    axis = 0;
  isAxisKnown &= axis.has_value();
  for (tensor::InsertSliceOp piece : pieces)
    if (!isa<BlockArgument>(piece.getSource()) &&
        !(isAxisKnown && makesPiece(piece.getSource().getDefiningOp<linalg::GenericOp>())))
      return std::nullopt;
  return Concatenation{pieces, isAxisKnown ? axis : std::nullopt};
}

PieceWriter::PieceWriter(KernelCode &kernel, tensor::InsertSliceOp piece, std::optional<unsigned> axis)
    : code(kernel.code) {
  auto maker = piece.getSource().getDefiningOp<linalg::GenericOp>();
  if (!maker) {
    copy.emplace(kernel, piece, axis);
    return;
  }
  TensorMemory &whole = kernel.memoryOf(piece.getDest()), &part = kernel.memoryOf(piece.getSource());
  Value offset = code.index(0);
  for (auto [begin, stride] : llvm::zip_equal(piece.getMixedOffsets(), whole.strides)) {
    std::optional<int64_t> constant = getConstantIntValue(begin);
    Value index = constant ? code.index(*constant) : kernel.scalars.lookup(cast<Value>(begin));
    offset = code.add(offset, code.mul(index, stride));
  }
  part.base = addressOf(code, whole.base, whole.elementType, offset);
  part.strides = whole.strides;
  part.gapBefore = *axis;
  part.isLarge = whole.isLarge;
  nest.emplace(kernel, FusedOps{{}, maker, {}});
}

Value PieceWriter::emitCost() {
  return copy ? copy->emitElementCount() : code.mul(nest->emitItemCount(), nest->emitCost());
}
