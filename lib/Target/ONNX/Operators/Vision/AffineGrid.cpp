//===- Import of grids of places in images --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Where the places of a dim lie between -1 and 1; `size` is a vector of one element.
static Value getPlaces(NodeImport &node, Value size, bool alignsCorners, Type type) {
  Value count = asScalar(node, size), number = node.cast(count, type);
  Value one = node.scalar(1, type), two = node.scalar(2, type);
  // A single place between the corners is not a number, as by ONNX's definition, which is taken where no rank is known.
  // ONNX's reference takes the first corner, onnxruntime the last.
  Value step = node.div(two, alignsCorners ? node.sub(number, one) : number);
  Value first = alignsCorners ? node.scalar(-1, type) : node.sub(node.div(step, two), one);
  return node.add(first, node.mul(node.cast(countTo(node, count), type), step));
}

/// `x`, whose dims are batch x rows x columns, or the run ends with an error: to a reshape, a batch of -1 would be any.
static Value requireDims(NodeImport &node, Value x, Value batch, int64_t rows, int64_t columns) {
  Type type = NodeImport::getElementType(x);
  auto makeEmpty = [&](Value first, int64_t second) {
    return fill(node, node.concat(0, {first, node.i64Vector({second, columns})}), 3, 0, type);
  };
  StringRef operand = node.node.inputs[0];
  if (std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
      !dims || (*dims)[1] != rows || (*dims)[2] != columns) {
    x = node.concat(0, {x, makeEmpty(node.i64Vector({0}), rows)});
    explainGuards(node, x,
                  "AffineGrid: `" + operand + "` must be N x " + Twine(rows) + " x " + Twine(columns) + " for " +
                      Twine(rows) + " spatial dims");
  }
  x = node.concat(1, {x, makeEmpty(batch, 0)});
  explainGuards(node, x, "AffineGrid: element 0 of `" + node.node.inputs[1] + "` must be dim 0 of `" + operand + "`");
  return x;
}

/// ONNX's definition squeezes dims that happen to be 1, and so has no batches of one image. It serves where nothing
/// tells between two and three spatial dims, which it finds in the data.
static LogicalResult importAffineGrid(NodeImport &node) {
  Value theta = node.getOperand(0), size = node.getOperand(1);
  if (failed(node.requireRanks({{0, 3}, {1, 1}})))
    return failure();
  std::optional<int64_t> rank = node.findResultRank(0);
  if (std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(theta); dims && !ShapedType::isDynamic((*dims)[1]))
    rank = (*dims)[1] + 2;
  if (std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(size); dims && !ShapedType::isDynamic((*dims)[0]))
    rank = (*dims)[0];
  if (!rank) {
    Value dims = node.shapeOf(size);
    holdSizes(node, getDims(node, theta, 1, 3),
              node.concat(0, {node.sub(dims, node.i64Vector({2})), node.sub(dims, node.i64Vector({1}))}),
              "rows and columns of `theta` and spatial dims by `size`", 2);
    return node.finishByDefinition();
  }
  if (rank != 4 && rank != 5)
    return node.contradiction("operand 1 has " + Twine(*rank) + " elements instead of 4 or 5");
  int64_t spatial = *rank - 2;
  holdSizes(node, node.shapeOf(size), node.i64Vector({*rank}), "elements of `size` and dims of images");
  bool alignsCorners = node.getInt("align_corners", 0) != 0;
  Type type = NodeImport::getElementType(theta);
  auto readSize = [&](int64_t index) {
    return asVector(node, requireSize(node, node.gather(size, node.i64Scalar(index), 0),
                                      "element " + Twine(index) + " of `" + node.node.inputs[1] + "`"));
  };
  Value batch = readSize(0), dims = readSize(2);
  for (int64_t index = 3; index < *rank; ++index)
    dims = node.concat(0, {dims, readSize(index)});
  Value from = node.i64Vector({spatial + 1}), to = node.i64Vector({spatial});
  SmallVector<Value> coordinates; // that of the last dim first
  for (int64_t dim = spatial - 1; dim >= 0; --dim) {
    Value places = getPlaces(node, node.slice(dims, dim, dim + 1, 0), alignsCorners, type);
    Value everywhere = expand(node, spread(node, places, dim, spatial), dims, spatial);
    coordinates.push_back(node.unsqueeze(everywhere, spatial));
  }
  coordinates.push_back(fill(node, node.concat(0, {dims, node.i64Vector({1})}), spatial + 1, 1, type));
  Value count = node.reduce(ReduceKind::Prod, dims, std::nullopt, /*keepDims=*/true);
  Value points = node.reshapeTo(node.concat(spatial, coordinates), node.concat(0, {count, from}), /*allowZero=*/true);
  theta = requireDims(node, theta, batch, spatial, spatial + 1);
  constexpr int64_t swapped[] = {1, 0}, swappedLast[] = {0, 2, 1};
  Value moved = node.matmul(theta, node.transpose(points, ArrayRef<int64_t>(swapped)));
  moved = node.transpose(moved, ArrayRef<int64_t>(swappedLast));
  return node.finish(node.reshapeTo(moved, node.concat(0, {batch, dims, to}), /*allowZero=*/true));
}

void onnx::registerAffineGrid(OperatorRegistry &registry) { registry.add("AffineGrid", 2, 2, importAffineGrid); }
