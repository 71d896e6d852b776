//===- Where tensors lie, and reading and writing them ----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_MEMORY_H
#define DYN_CONVERSION_KERNELCODE_MEMORY_H

#include "dyn/Conversion/KernelCode/Code.h"
#include "dyn/Conversion/KernelCode/PanelLayout.h"
#include "llvm/ADT/SmallBitVector.h"

namespace dyn::codegen {

/// Where the elements of a tensor are: contiguous row-major memory, panels, or, for a temporary with one element in
/// each row of a row kernel, an SSA value.
struct TensorMemory {
  /// `!llvm.ptr`; null while `isScalar`.
  mlir::Value base;
  /// As in the tensor's type: `i1` is stored as a byte.
  mlir::Type elementType;
  llvm::SmallVector<mlir::Value> dims;
  /// In elements. Dims of a temporary of which only one row is held have stride 0.
  llvm::SmallVector<mlir::Value> strides;
  bool isScalar = false;
  /// What was written to a scalar.
  mlir::Value scalar;
  /// If set, the elements lie in panels; the stride of its column dim then holds between first columns of panels only.
  std::optional<PanelLayout> panels = std::nullopt;
  /// If set, the tensor is a part of another one along this dim: it and the dims after it are no one row of elements
  /// together with the dims before.
  std::optional<unsigned> gapBefore = std::nullopt;
  /// Dims along which the one element that there is may stand for all, with stride 0: none of them makes a row of
  /// elements together with its neighbours. Empty: none.
  llvm::SmallBitVector repeated = {};
  /// An `i1`: whether the tensor takes so much memory that it is better written past the caches, out of which it would
  /// drive all else before it is read. Null: no.
  mlir::Value isLarge = {};
  /// Whether it is no temporary of the kernel.
  bool isArgument = false;
};

/// The type in memory of elements of this type; null if there is none.
mlir::Type getStoredType(mlir::Type elementType);
int64_t getStoredBytes(mlir::Type elementType);

/// Floats as those of a type of no fewer bits.
Lanes widen(Code &code, const Lanes &value, mlir::Type type, const Points &points);

/// Row-major strides of `dims`, the first `rows` of which are 0.
llvm::SmallVector<mlir::Value> rowMajorStrides(Code &code, mlir::ValueRange dims, unsigned rows = 0);

/// Strides of `dims` in panels; see `TensorMemory::panels`.
llvm::SmallVector<mlir::Value> panelStrides(Code &code, mlir::ValueRange dims, const PanelLayout &layout);

/// The address of the element at `offset`.
mlir::Value addressOf(Code &code, mlir::Value base, mlir::Type elementType, mlir::Value offset);

/// Are lanes so many elements apart that they are picked out of a few vectors, and not gathered?
bool isShortStep(mlir::Value step);
/// The elements at `offset` (in elements), which is an index for each of `points`. Lanes off the mask read nothing.
Lanes load(Code &code, const TensorMemory &memory, const Lanes &offset, const Points &points);
/// `pastCaches`: the first lane lies at a multiple of `cacheLineBytes`, or as many whole vectors behind one.
void store(Code &code, const TensorMemory &memory, const Lanes &offset, const Lanes &value, const Points &points,
           bool pastCaches = false);

inline constexpr int64_t cacheLineBytes = 64;

/// Into which cache, and what for.
enum class Fetch { ToRead, ToReadFromSecondLevel, ToWrite };
/// Asks for the line of memory at an address, which may be beyond what is there.
void prefetch(Code &code, mlir::Value address, Fetch fetch);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_MEMORY_H
