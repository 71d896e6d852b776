//===- What the lowerings of ops share -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// One function is taken below the waterline by walking its ops in order and
// calling, for each, the lowering that the table has for it. "Original" is what
// stood above: its types carry the expressions that lowerings work with.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_DYNTOLINALG_FUNCTIONREIFIER_H
#define DYN_LIB_CONVERSION_DYNTOLINALG_FUNCTIONREIFIER_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Symbolic/Solver.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace dyn {

/// How an input of a `linalg.generic` is read: `tensor` at `indices`, expressions over the loops, one for each dim. A
/// dim that has a factor is read at index times factor, which no indexing map can say.
struct Access {
  mlir::Value tensor;
  llvm::SmallVector<mlir::AffineExpr> indices;
  llvm::SmallVector<mlir::Value> factors;
  /// Set instead of `tensor` when every element has this value.
  mlir::TypedAttr splat;
};

class FunctionReifier {
public:
  FunctionReifier(mlir::func::FuncOp function, symbolic::SymbolicContext &context);

  /// Where lowerings put their ops.
  mlir::OpBuilder builder;
  symbolic::SymbolicContext &context;
  /// Knows the facts that the function declares and the guards seen so far.
  symbolic::Solver solver;

  /// Values below the waterline for values above.
  mlir::Value lookup(mlir::Value original) const { return mapping.lookup(original); }
  void map(mlir::Value original, mlir::Value value) { mapping.map(original, value); }

  /// The dims that a type above the waterline says.
  llvm::SmallVector<symbolic::Expr> getDims(mlir::Type type);
  llvm::SmallVector<symbolic::Expr> getDims(mlir::Value original) { return getDims(original.getType()); }
  llvm::SmallVector<symbolic::Expr> getExprs(DimsAttr dims);
  /// The size of an expression: an attribute if constant, else the one value that it has at the entry.
  mlir::OpFoldResult getSize(symbolic::Expr expr);
  /// The same, always as a value.
  mlir::Value getIndex(symbolic::Expr expr);
  /// 1 where a dim of that size fills the loop, 0 where it repeats, computed at the entry.
  mlir::Value getBroadcastFactor(symbolic::Expr size, symbolic::Expr loopSize);

  /// The value of every element of `original`, if constants say so.
  mlir::TypedAttr getSplat(mlir::Value original);

  /// A destination.
  mlir::Value createEmpty(mlir::Location loc, llvm::ArrayRef<symbolic::Expr> dims, mlir::Type elementType);
  /// A destination that holds `value` everywhere.
  mlir::Value createFilled(mlir::Location loc, llvm::ArrayRef<symbolic::Expr> dims, mlir::TypedAttr value);

  /// Reads `original` for loops over `loopDims`, to which it broadcasts, aligned at the last loop.
  Access getBroadcastAccess(mlir::Value original, llvm::ArrayRef<symbolic::Expr> loopDims);
  /// Reads a tensor below the waterline by a map.
  Access getAccess(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> indices) const;
  mlir::AffineExpr getLoop(unsigned index) const { return mlir::getAffineDimExpr(index, builder.getContext()); }

  using BodyFn = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  /// A generic with parallel loops over `dims`, whose body gets the elements of `inputs`.
  mlir::Value createPointwise(mlir::Location loc, llvm::ArrayRef<symbolic::Expr> dims, mlir::Type elementType,
                              llvm::ArrayRef<Access> inputs, BodyFn body);

  using CombineFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location,
                                                                      mlir::ValueRange, mlir::ValueRange)>;
  /// A generic whose first loops, as many as the rank of `inits`, are parallel and index the results, and whose other
  /// loops are reductions. The body gets the elements of `inputs` and what has been accumulated.
  llvm::SmallVector<mlir::Value> createReduction(mlir::Location loc, llvm::ArrayRef<mlir::Value> inits,
                                                 unsigned numReductions, llvm::ArrayRef<Access> inputs, CombineFn body);

  /// Calls `body` for each point of a nest of sequential loops over `dims`; it gets the place and the tensors carried
  /// along, and gives these as they are afterwards.
  llvm::SmallVector<mlir::Value>
  createLoops(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<symbolic::Expr> dims,
              llvm::ArrayRef<mlir::Value> carried,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location, mlir::ValueRange,
                                                                mlir::ValueRange)>
                  body);

  /// The elements of `tensor`, row-major with dims `from`, under the dims `to`.
  mlir::Value createReshape(mlir::Location loc, mlir::Value tensor, llvm::ArrayRef<symbolic::Expr> from,
                            llvm::ArrayRef<symbolic::Expr> to);

  /// Makes the run end with an error before any kernel unless `predicate` holds, if that is not known.
  void require(mlir::Location loc, const symbolic::Predicate &predicate, llvm::StringRef because);
  /// Makes sure that `limit` is at least 1 unless one of `counts`, how often the index is used, is 0.
  void requireNonEmpty(mlir::Location loc, symbolic::Expr limit, llvm::ArrayRef<symbolic::Expr> counts);
  /// The number of a new guard of indices, named after the node at `loc`, and after the input that holds `indices`.
  /// `noun` says what they are where those below 0 don't count from the end, such as "length".
  int64_t addIndexGuard(mlir::Location loc, mlir::Value indices, llvm::StringRef noun = "");
  /// The number of a new guard of an integer that divides; numbers are shared with those of indices.
  int64_t addDivisorGuard(mlir::Location loc);

  /// Is an expression over symbols that have values before the first op?
  bool isKnownOnEntry(symbolic::Expr expr) const;

  /// While it lives, ops are put into the body of a loop of so many trips; destinations stand before the outermost one,
  /// since a kernel has memory for them before it begins; and what is required, a run without a trip meets in any case.
  class InLoop {
  public:
    InLoop(FunctionReifier &reifier, mlir::scf::ForOp loop, symbolic::Expr trips);
    ~InLoop();

  private:
    FunctionReifier &reifier;
    mlir::OpBuilder::InsertionGuard behind;
    bool isOutermost;
  };

  /// Maps the results of an op for which the table has a lowering.
  mlir::LogicalResult lower(mlir::Operation *op);

  /// Takes the function below the waterline.
  mlir::LogicalResult run(const class LoweringTable &table);

private:
  mlir::LogicalResult verifyKnownOnEntry(mlir::Operation *op, mlir::Value result);
  mlir::LogicalResult declareSymbols();
  void createCheck(mlir::Location loc, const symbolic::Predicate &predicate, llvm::StringRef because);
  llvm::SmallVector<mlir::Value> getSymbolValues(llvm::ArrayRef<symbolic::Expr> symbols);
  mlir::Value readElement(mlir::OpBuilder &b, mlir::Location loc, const Access &access) const;
  mlir::Value getSymbolIndex(symbolic::Expr symbol);
  void convertSignature();
  /// Numbers of trips, which no size depends on below the waterline.
  void dropBoundSymbols();
  void eraseOriginals(llvm::ArrayRef<mlir::Operation *> originals);

  mlir::func::FuncOp function;
  /// Ops of the entry stand before it.
  mlir::Operation *anchor = nullptr;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Attribute, symbolic::Expr> exprs;
  llvm::DenseMap<symbolic::Expr, mlir::Value> indices;
  llvm::DenseMap<std::pair<symbolic::Expr, symbolic::Expr>, mlir::Value> factors;
  llvm::DenseMap<llvm::StringRef, symbolic::SymbolDeclaration> declarations;
  llvm::SmallVector<mlir::Attribute> indexGuards;
  const LoweringTable *table = nullptr;
  /// Null outside of loops.
  mlir::Operation *outermostLoop = nullptr;
  /// That one of the loops around makes no trip.
  llvm::SmallVector<symbolic::Predicate> withoutTrips;
  bool hadError = false;
};

/// The lowerings, by op.
class LoweringTable {
public:
  using LowerFn = std::function<mlir::LogicalResult(mlir::Operation *, FunctionReifier &)>;

  /// `lower` maps the results of the op it gets, or fails after emitting an error at it.
  template <typename OpT, typename Fn>
  void add(Fn lower) {
    functions[mlir::TypeID::get<OpT>()] = [lower](mlir::Operation *op, FunctionReifier &reifier) {
      return lower(mlir::cast<OpT>(op), reifier);
    };
  }
  const LowerFn *find(mlir::Operation *op) const {
    auto it = functions.find(op->getName().getTypeID());
    return it == functions.end() ? nullptr : &it->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, LowerFn> functions;
};

void addElementwiseLowerings(LoweringTable &table);
void addContractionLowerings(LoweringTable &table);
void addRecurrenceLowerings(LoweringTable &table);
void addReductionLowerings(LoweringTable &table);
void addRegionLowerings(LoweringTable &table);
void addDataMovementLowerings(LoweringTable &table);
void addPaddingLowerings(LoweringTable &table);
void addIndexingLowerings(LoweringTable &table);
void addLoopLowerings(LoweringTable &table);
/// With `sortsRows`, in program order, which is the least work; else no element waits for another.
void addSelectionLowerings(LoweringTable &table, bool sortsRows);
void addWindowLowerings(LoweringTable &table);

/// Integers without sign, as below the waterline.
mlir::Type getSignlessType(mlir::Type elementType);
/// The type of a tensor below the waterline.
mlir::RankedTensorType getReifiedType(mlir::Type type);
/// The attribute with its type made signless.
mlir::TypedAttr getSignlessAttr(mlir::TypedAttr attribute);
mlir::Type getElementType(mlir::Value tensor);
/// An axis that may count from the end.
inline int64_t normalizeAxis(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

} // namespace dyn

#endif // DYN_LIB_CONVERSION_DYNTOLINALG_FUNCTIONREIFIER_H
