//===- The sizes of an ONNX model's values ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What the shapes phase infers, in the terms of the model: its value names, its
// dim names. Weights are not read. Nothing is lowered, so that an op needs no more
// than shape relations.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNXSHAPES_MODELSHAPES_H
#define DYN_TARGET_ONNXSHAPES_MODELSHAPES_H

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace dyn::onnx {

/// Where a model declares a dim.
struct DeclaredDim {
  std::string value; ///< name of the value
  unsigned index;
  bool isOutput;           ///< of the model, or else a value between nodes
  symbolic::Expr declared; ///< of the text that stands in the file
  symbolic::Expr inferred; ///< null where inference does not know
  /// `dim 1 of output 'y'`
  std::string describe() const;
};

/// What declares a value with another rank than it has.
struct DeclaredRank {
  std::string value; ///< name of the value
  bool isOutput;     ///< of the model, or else a value between nodes
  size_t declared, inferred;
};

/// A tensor or sequence that no output needs, so that it is not imported.
struct UnneededTensor {
  int elementType;          ///< ONNX's number
  std::optional<Dims> dims; ///< as those of a SequenceShape
  bool isSequence;
};

/// What all tensors of a sequence have in common.
struct SequenceShape {
  mlir::Type elementType;
  std::optional<Dims> dims; ///< nothing where ranks differ or are not known; null for a dim that differs
  symbolic::Expr length;    ///< null where it is not known
};

/// A model with what is inferred of it. What contradicts itself is in getConflicts(); the rest is answered all the
/// same.
class ModelShapes {
public:
  /// Null, after diagnostics through the context, for what can't be imported. Weights are left out whatever the options
  /// say. The context has what registerModelShapesDialects adds.
  static std::unique_ptr<ModelShapes> inferFile(llvm::StringRef path, ImportOptions options,
                                                mlir::MLIRContext *context);
  /// `bytes` have to live until what completeMessage() copies from them is no more needed.
  static std::unique_ptr<ModelShapes> infer(llvm::ArrayRef<char> bytes, llvm::StringRef name, ImportOptions options,
                                            mlir::MLIRContext *context);

  ShapeAnalysis &getAnalysis() { return *analysis; }
  mlir::func::FuncOp getFunction() { return function; }
  /// The `::onnx::ModelProto`. Large weights are left out until completeMessage() copies them from where they are.
  std::shared_ptr<void> getMessage() { return record.message; }
  void completeMessage() { record.completeMessage(); }

  /// Null for a value that the model has not, or that is neither a tensor nor an optional one.
  mlir::Value getValue(llvm::StringRef name) const;
  /// The dims of a value: nothing where its rank is not known, null for a dim that is not.
  std::optional<Dims> getDims(llvm::StringRef name);
  std::optional<Dims> getDims(mlir::Value value) { return analysis->findFinalDims(value); }
  /// Are there sequences of which each tensor is known? If not, a tensor is no sequence.
  bool hasKnownSequences() const { return !record.sequences.empty(); }
  /// Nothing for a value that is neither a sequence nor an optional one.
  std::optional<SequenceShape> findSequence(llvm::StringRef name);
  /// What ONNX's own inference says of what no output needs; null for any other, and where it says nothing.
  /// What its node requires is no guard.
  const UnneededTensor *findUnneeded(llvm::StringRef name);
  /// The dims of an input under the names that it declares, before what guards say of them.
  std::optional<Dims> getInputDims(unsigned index);

  /// Does the file say nothing of the dim of an input?
  bool isUnnamed(unsigned input, unsigned index);

  /// Contradictions, a text each, with the chain of reasons in further lines. A run fails at every size.
  llvm::ArrayRef<std::string> getConflicts() const { return conflicts; }
  /// Does a size stand in `expr` that is not known for the sole reason that a node contradicts itself?
  bool followsConflict(symbolic::Expr expr) const {
    return llvm::any_of(expr.getSymbols(), [&](symbolic::Expr symbol) { return lostSizes.contains(symbol); });
  }
  /// Nodes that are no ops here, of whose results only that is known which ONNX infers.
  /// One line for each operator of such nodes, contradictions and nodes that only follow them left out.
  std::vector<std::string> describeForeignNodes() const;
  /// How many nodes those are.
  unsigned countForeignNodes() const;
  /// The guards that a run checks, found when they are first asked for: who wants sizes only does not wait for them.
  llvm::ArrayRef<ShapeGuard> getGuards() {
    if (!guards)
      guards = findGuards();
    return *guards;
  }
  /// What value_info and outputs declare beside what is inferred, dims without a name left out.
  std::vector<DeclaredDim> findDeclaredDims();
  /// What value_info and outputs declare with dims, but with a wrong number of them.
  std::vector<DeclaredRank> findWrongRanks();

private:
  void analyze();
  /// Writes out the trips of loops of which as much is known, and whose results have sizes that their bodies change;
  /// whether there were such. The sizes are to be inferred anew then.
  bool unrollVagueLoops();
  void findLostSizes(const llvm::SmallDenseSet<mlir::Location> &places);
  std::vector<ShapeGuard> findGuards();

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  ImportRecord record;
  std::unique_ptr<ShapeAnalysis> analysis;
  std::vector<std::string> conflicts;
  std::optional<llvm::StringMap<UnneededTensor>> unneeded; ///< once somebody has asked
  llvm::SmallDenseSet<symbolic::Expr> lostSizes;           ///< symbols of values that conflicts leave unknown
  size_t numInferred = 0; ///< symbols: those behind them abbreviate dims that were asked for
  std::optional<std::vector<ShapeGuard>> guards;
};

/// All that a context needs so that ModelShapes can work in it.
void registerModelShapesDialects(mlir::DialectRegistry &registry);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNXSHAPES_MODELSHAPES_H
