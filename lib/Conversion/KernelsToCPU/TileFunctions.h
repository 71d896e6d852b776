//===- Register tiles of contractions ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_TILEFUNCTIONS_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_TILEFUNCTIONS_H

#include "CPUKernelCode.h"
#include "dyn/Conversion/KernelCode/Body.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dyn::cpu {

/// The inner loops of contractions `out = body(lhs, rhs, out)` as functions that all kernels with the same body share.
///
/// A tile has up to `maxRows` rows of `columns` elements, all of which stay in registers while the reduction runs: for
/// each row one scalar of the left operand is loaded and broadcast, and combined with `vectors` vectors of the right
/// one.
class TileFunctions {
public:
  /// How tiles read operands of fewer bits than the sums have: as they are, or both or the left one widened before, so
  /// that no element is widened more than once. `emitPack` widens the right operand.
  enum class Operands { AsTheyAre, Widened, LeftWidened };

  /// `lhs` and `rhs`: numbers of the operands. The body must stand alone: see `ContractionPlan`. A flat tile has few
  /// rows and many columns, so that where there are no more rows the right operand is read in long pieces.
  TileFunctions(CPUKernelCode &kernel, mlir::linalg::GenericOp op, unsigned lhs, unsigned rhs, bool isFlat,
                Operands operands = Operands::AsTheyAre);

  /// Rows of a flat tile. Four where that leaves registers for three panels: with fewer, four rows read one panel at a
  /// time, which memory that no cache holds answers more slowly.
  static unsigned getMaxFlatRows(unsigned vectorBits) { return hasManyRegisters(vectorBits) ? 4 : 3; }
  /// Columns of a panel, in vectors: those of a tile that is not flat.
  static constexpr unsigned panelVectors = 2;
  /// Columns of a panel for sums of this type.
  static int64_t getPanelWidth(unsigned vectorBits, mlir::Type resultType);

  unsigned lanes, vectors, maxRows;
  /// Of a tile of which only the first vector of each row counts.
  unsigned getMaxNarrowRows() const { return panelVectors * maxRows; }
  int64_t columns() const { return int64_t(lanes) * vectors; }
  int64_t panelColumns() const { return int64_t(lanes) * panelVectors; }

  /// A matrix in memory; strides in elements. `panelStride`: from the columns of one panel to those of the next, for a
  /// right operand; as many as a panel has where the columns are all contiguous.
  struct Matrix {
    mlir::Value base, rowStride, columnStride;
    mlir::Value panelStride = {};
  };

  /// Which columns of a tile count. Null values: all.
  struct Used {
    /// Whether only those of the first vector.
    mlir::Value isNarrow;
    /// How many panels, an index; the others of the right operand are not read.
    mlir::Value panels;
    /// Whether a narrow tile may have as many rows as stay in registers then, twice `maxRows`.
    bool isHighIfNarrow = false;
  };

  /// Memory to bring into the second-level cache while a tile is computed: `bytesPerStep` from `base` on for each step
  /// of the reduction. Null values: none.
  struct Ahead {
    mlir::Value base, bytesPerStep;
  };

  /// Combines `steps` columns of `lhs` and as many rows of `rhs`, whose columns are contiguous, with the tile at `tile`
  /// (contiguous), which holds `start` everywhere unless `resumes`. `rows`: an index, at most `maxRows`, or what `used`
  /// says.
  void emitTile(mlir::Value rows, const Matrix &lhs, const Matrix &rhs, mlir::Value steps, mlir::Value tile,
                mlir::Value start, mlir::Value resumes, const Used &used, const Ahead &ahead = {});

  /// Copies `rows` x `columns` elements of the right operand to contiguous memory with rows of `columns()` elements, of
  /// which those beyond `columns` have any value. Takes memory for `rows` rounded up to `lanes`.
  void emitPack(const Matrix &from, mlir::Value rows, mlir::Value columns, mlir::Value to);

  /// The one row of a tile whose right operand has contiguous columns of `steps` elements each instead, and whose left
  /// one is contiguous and of the sums' type: from zero, with columns beyond `columns` of any value.
  void emitDots(mlir::Value lhs, const Matrix &rhs, mlir::Value steps, mlir::Value columns, mlir::Value tile);

private:
  static bool hasManyRegisters(unsigned vectorBits) { return vectorBits == 512; }
  mlir::LLVM::LLVMFuncOp getTileFunction(unsigned rows, unsigned usedVectors, bool prefetches, bool looksAhead);
  /// At most one of both.
  mlir::LLVM::LLVMFuncOp getPackFunction(std::optional<int64_t> step, bool hasContiguousColumns);
  mlir::LLVM::LLVMFuncOp createFunction(llvm::StringRef name, mlir::TypeRange arguments,
                                        llvm::function_ref<void(mlir::Block &)> body);
  void widenBody(bool widensRight);
  void emitDotsBody(mlir::Block &entry);
  std::string describeBody();
  void emitTileBody(mlir::Block &entry, unsigned rows, unsigned usedVectors, bool prefetches, bool looksAhead);
  void emitPackBody(mlir::Block &entry, std::optional<int64_t> step, bool hasContiguousColumns);
  llvm::SmallVector<mlir::Value> transpose(llvm::SmallVector<mlir::Value> rows);

  CPUKernelCode &kernel;
  Code &code;
  mlir::Block *body;
  /// The body for operands that are widened before.
  std::unique_ptr<mlir::Block> ownBody;
  unsigned lhs, rhs;
  mlir::Type lhsType, rhsType, resultType;
  /// What `emitPack` and `emitDots` read.
  mlir::Type unpackedType;
};

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_TILEFUNCTIONS_H
