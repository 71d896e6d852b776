//===- What a node resizes, and how --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_VISION_RESIZER_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_VISION_RESIZER_H

#include "../../OperatorRegistry.h"

namespace dyn::onnx {

/// `FloorOrCeil`: the latter along axes that shrink.
enum class Nearest { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, FloorOrCeil };

/// One axis that is resized; sizes are i64 scalars, the others f32. The old size or the scale carries the guard of a
/// scale that a run tells.
struct ResizedAxis {
  int64_t axis;
  mlir::Value oldSize, newSize, scale;
  mlir::Value roiBegin, roiEnd;
};

/// Builds what a node resizes.
class Resizer {
public:
  explicit Resizer(NodeImport &node) : node(node) {}
  mlir::LogicalResult run();

private:
  mlir::LogicalResult readAttributes();
  mlir::LogicalResult readAxes();
  mlir::LogicalResult readScales(mlir::Value scales, llvm::StringRef name);
  void readSizes(mlir::Value sizes, llvm::StringRef name);
  void keepAspectRatio(mlir::Value sizes, llvm::StringRef name);
  mlir::Value resize(mlir::Value x, const ResizedAxis &axis);
  mlir::Value computeCoordinates(const ResizedAxis &axis);
  mlir::Value pickNearest(mlir::Value x, const ResizedAxis &axis, mlir::Value coordinates);
  mlir::Value interpolate(mlir::Value x, const ResizedAxis &axis, mlir::Value coordinates);
  mlir::Value interpolateSmoothly(mlir::Value x, const ResizedAxis &axis, mlir::Value coordinates);
  mlir::Value getCubicWeight(mlir::Value distance);

  mlir::Value number(double value) { return node.scalar(value, node.builder.getF32Type()); }
  mlir::Value toFloat(mlir::Value x) { return node.cast(x, node.builder.getF32Type()); }
  mlir::Value toInt(mlir::Value x) { return node.cast(x, node.builder.getI64Type()); }
  mlir::Value clampPlaces(mlir::Value places, const ResizedAxis &axis) {
    mlir::Value last = node.sub(axis.oldSize, node.i64Scalar(1));
    return node.max(node.min(places, last), node.i64Scalar(0));
  }

  NodeImport &node;
  int64_t rank = 0;
  std::string mode, transformation, policy;
  Nearest nearest = Nearest::RoundPreferFloor;
  double cubic = -0.75, extrapolation = 0;
  bool excludeOutside = false, antialias = false;
  llvm::SmallVector<int64_t> axes;
  llvm::SmallVector<ResizedAxis> resized;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_VISION_RESIZER_H
