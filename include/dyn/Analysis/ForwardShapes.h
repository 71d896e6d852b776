//===- What ops say of values while a function is being built ------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Who builds a function, such as an importer, needs few dims and conditions before
// ShapeAnalysis can run. For these, the ops that a value is computed by are asked, by
// the relations that ShapeAnalysis asks them by: each once, forwards, and no other ops.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_FORWARDSHAPES_H
#define DYN_ANALYSIS_FORWARDSHAPES_H

#include "dyn/Analysis/ShapeRelations.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace dyn {

/// Nothing is known of ops with regions but their types. Answers hold in runs that come to the value without an error.
class ForwardShapes final : private ShapeRelations {
public:
  /// The function has its arguments; its ops may be still to come.
  explicit ForwardShapes(mlir::FunctionOpInterface function);

  /// The dims, `ShapedType::kDynamic` where one is no constant; nothing where the rank is not known.
  std::optional<llvm::SmallVector<int64_t>> findConstantDims(mlir::Value value);
  /// The dims as they are told to people, `?` for one that only data decide; nothing where the rank is not known.
  std::optional<llvm::SmallVector<std::string>> describeDims(mlir::Value value);
  /// The only element of a boolean tensor, where sizes and constants decide it.
  std::optional<bool> findTruth(mlir::Value value);

private:
  struct Knowledge {
    std::optional<Dims> dims;
    std::unique_ptr<ElementValues> elements;
  };

  /// Asks the ops that the value is computed by.
  void learn(mlir::Value value);
  void relate(mlir::Operation *op);
  /// Ops outside of the function's own block may be gone at the next question.
  void forgetRegions();
  Knowledge &get(mlir::Value value);

  symbolic::Solver &getSolver() override { return solver; }
  const Dims *findDims(mlir::Value value) override;
  mlir::LogicalResult setDims(mlir::Value value, llvm::ArrayRef<symbolic::Expr> dims) override;
  std::optional<Dims> getDeclaredDims(mlir::Value) override { return std::nullopt; }
  symbolic::Expr bindSize(mlir::Operation *op, symbolic::Expr upper) override;
  symbolic::Expr defineSymbol(symbolic::Expr definition) override { return definition; }
  bool areKnownAtEntry(llvm::ArrayRef<symbolic::Expr> exprs) override;
  const ElementValues *findElements(mlir::Value value) override { return get(value).elements.get(); }
  void setElements(mlir::Value value, ElementValues elements) override;
  /// What is required only of values that decide sizes is not required of others.
  bool decidesSizes(mlir::Value) const override { return false; }
  Bounds getBounds(mlir::Value) override { return {}; }

  // The analysis of the whole function sees to what has to hold.
  mlir::LogicalResult require(const symbolic::Predicate &, const llvm::Twine &, ReasonPlace) override {
    return mlir::success();
  }
  mlir::LogicalResult requireAtEntry(const symbolic::Predicate &, const llvm::Twine &, ReasonPlace) override {
    return mlir::success();
  }
  mlir::LogicalResult requireBesideRules(const symbolic::Predicate &, const llvm::Twine &) override {
    return mlir::success();
  }
  void noteRule(const symbolic::Predicate &) override {}
  void noteNeedOfCopies(const symbolic::Predicate &) override {}
  bool areCopiesNeedless(mlir::Operation *) const override { return false; }
  void noteLimit(symbolic::Expr, symbolic::Expr, const llvm::Twine &) override {}
  void refineLimit(symbolic::Expr, const llvm::Twine &) override {}
  void setBounds(mlir::Value, Bounds) override {}
  void setInBounds() override {}

  mlir::Block *body; ///< of the function
  symbolic::SymbolicContext context;
  symbolic::Solver solver;
  mlir::Operation *current = nullptr;
  llvm::DenseMap<mlir::Value, std::unique_ptr<Knowledge>> knowledge; ///< at addresses that stay
  llvm::DenseSet<mlir::Operation *> asked;
  llvm::SmallVector<mlir::Value, 0> inRegions;
  llvm::DenseMap<mlir::Operation *, symbolic::Expr> boundSizes;
  llvm::DenseSet<symbolic::Expr> boundSymbols;
};

} // namespace dyn

#endif // DYN_ANALYSIS_FORWARDSHAPES_H
