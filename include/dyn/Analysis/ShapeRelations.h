//===- What ops say about ranks, dims and small values -----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An op that implements ShapeRelationsOpInterface is asked to state what it knows
// to a ShapeRelations: ranks, dims, obligations between dims, elements of small
// tensors, intervals of integer tensors. It asks there for the same of its operands
// and results. The op is not changed.
//
// Nothing is assumed of sizes but what is declared or required: 0 and 1 are sizes
// like any other.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_SHAPERELATIONS_H
#define DYN_ANALYSIS_SHAPERELATIONS_H

#include "dyn/Symbolic/Solver.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

namespace dyn {

/// What is known of one element of a small tensor.
struct ElementValue {
  enum class Kind : uint8_t {
    Unknown,
    Integer,  ///< `integer`
    Boolean,  ///< getPredicate(), which may be undecided
    Number,   ///< `number`, of a float tensor
    Quotient, ///< `integer / divisor`, of a float tensor; rounded, but above, at or below the same multiples of 1/2
    Ratio,    ///< `integer / over`, of a float tensor: both are rounded to its type, and so is the quotient
    Near      ///< a ratio times its `over`, of a float tensor, or cut to an integer: `integer` but for that rounding
  };
  /// The magnitude of an expression, and the most that it may be.
  using Magnitude = std::pair<symbolic::Expr, int64_t>;

  Kind kind = Kind::Unknown;
  /// Is a quotient not rounded at all?
  bool isExact = false;
  /// In a float tensor it is rounded to the type.
  symbolic::Expr integer;
  double number = 0;

  /// Unknown where `value` is null.
  static ElementValue getInteger(symbolic::Expr value);
  static ElementValue getBoolean(symbolic::Predicate value);
  static ElementValue getBoolean(bool value);
  static ElementValue getNumber(double value);
  /// Unknown where the numerator is null. The divisor is at least 1.
  static ElementValue getQuotient(symbolic::Expr numerator, int64_t divisor, bool isExact);
  static ElementValue getRatio(symbolic::Expr numerator, symbolic::Expr size);

  bool isUnknown() const { return kind == Kind::Unknown; }
  bool isInteger() const { return kind == Kind::Integer; }
  /// Null unless it is an integer.
  symbolic::Expr getInteger() const { return isInteger() ? integer : symbolic::Expr(); }
  std::optional<int64_t> getConstant() const;
  /// Of a boolean.
  const symbolic::Predicate &getPredicate() const { return *details->predicate; }
  /// Of a quotient: at least 1.
  int64_t getDivisor() const { return details ? details->divisor : 1; }
  /// Of a ratio, and of what is near: a size.
  symbolic::Expr getOver() const { return details ? details->over : symbolic::Expr(); }
  /// A quotient is one where none of these is above its number.
  llvm::ArrayRef<Magnitude> getMagnitudes() const {
    return details ? llvm::ArrayRef<Magnitude>(details->magnitudes) : llvm::ArrayRef<Magnitude>();
  }
  /// Of a quotient; nothing to do for what is unknown.
  void addMagnitudes(llvm::ArrayRef<Magnitude> magnitudes);

  /// Are they the same value, known by the same conditions?
  bool operator==(const ElementValue &other) const;

private:
  /// What only few elements have: the others are to be small.
  struct Details : llvm::ThreadSafeRefCountedBase<Details> {
    int64_t divisor = 1;
    symbolic::Expr over;
    llvm::SmallVector<Magnitude, 0> magnitudes;
    std::optional<symbolic::Predicate> predicate;
  };
  llvm::IntrusiveRefCntPtr<const Details> details;
};

/// All elements of a small static tensor, row-major.
using ElementValues = llvm::SmallVector<ElementValue, 1>;

/// Where an end of an interval is known to be an element of a tensor, if the tensor has elements: in row-major order.
enum class EndPlace : uint8_t { Unknown, Somewhere, First, Last, Everywhere };

/// No element of an integer tensor lies below `lower` or above `upper`; null where nothing is known. Booleans are 0 and
/// 1. Of a tensor without elements, ends say nothing.
struct Bounds {
  symbolic::Expr lower, upper;
  EndPlace lowerAt = EndPlace::Unknown, upperAt = EndPlace::Unknown;

  /// The same interval, of a part of the elements.
  Bounds getOfPart() const { return {lower, upper}; }
};

/// The dims of a value whose rank is known. A null dim is not known yet.
using Dims = llvm::SmallVector<symbolic::Expr>;

/// Where the reason of an obligation stands: `contraction` behind the name of the op or the operator, which alone an
/// empty one is, as `MatMul: contraction`; `rows of `table`` alone, behind a name only where the op has been given one.
enum class ReasonPlace : uint8_t { BehindName, Alone };

class ShapeRelations {
public:
  /// Elements of larger tensors are not followed.
  static constexpr int64_t kMaxElements = 64;

  virtual ~ShapeRelations() = default;

  virtual symbolic::Solver &getSolver() = 0;
  symbolic::SymbolicContext &getContext() { return getSolver().getContext(); }
  symbolic::Expr getConstant(int64_t value) { return getContext().getConstant(value); }
  /// True only where it is proved.
  bool isKnownEqual(symbolic::Expr lhs, symbolic::Expr rhs);
  bool isKnownLessEqual(symbolic::Expr lhs, symbolic::Expr rhs);

  //===--- Ranks and dims ---===//

  /// Nothing where the rank is not known. A sequence has its length in front of the dims that all of its tensors have,
  /// null where these differ; there is nothing where their ranks differ. One without tensors has its length alone.
  std::optional<Dims> getDims(mlir::Value value) {
    const Dims *dims = findDims(value);
    return dims ? std::optional(*dims) : std::nullopt;
  }
  /// As getDims, until something is stated of the value; null for nothing.
  virtual const Dims *findDims(mlir::Value value) = 0;
  std::optional<int64_t> getRank(mlir::Value value);
  /// As getDims, but nothing unless every dim is known.
  std::optional<Dims> getKnownDims(mlir::Value value);
  /// The constant dims of a tensor that has at most kMaxElements elements; else nothing.
  std::optional<llvm::SmallVector<int64_t>> getSmallDims(mlir::Value value);
  /// The product of dims that are all known.
  symbolic::Expr getNumElements(llvm::ArrayRef<symbolic::Expr> dims);
  /// States the rank and the dims of an operand or result; null dims say nothing. Where dims were known, the run ends
  /// with an error unless they agree.
  virtual mlir::LogicalResult setDims(mlir::Value value, llvm::ArrayRef<symbolic::Expr> dims) = 0;
  /// States a rank and nothing of the dims.
  mlir::LogicalResult setRank(mlir::Value value, int64_t rank);
  /// The dims that the model declares of a value and means to be met, null where it says nothing of one. Names that no
  /// input declares are symbols that the solver does not know.
  virtual std::optional<Dims> getDeclaredDims(mlir::Value value) = 0;
  /// The symbol of a size that data determine: the same one for each call for the same op. At most `upper`.
  virtual symbolic::Expr bindSize(mlir::Operation *op, symbolic::Expr upper) = 0;
  /// A symbol that stands for an expression that is long to read or to compute with; the same one for each call.
  virtual symbolic::Expr defineSymbol(symbolic::Expr definition) = 0;

  /// Are the values known before the first kernel? Not those of symbols that data determine; false if one is null.
  virtual bool areKnownAtEntry(llvm::ArrayRef<symbolic::Expr> exprs) = 0;

  //===--- Obligations ---===//

  /// The run ends with an error unless the predicate holds; everything else may rely on it. Fails, after a diagnostic
  /// with the reasons, where it can't hold. `because` names the obligation for people.
  virtual mlir::LogicalResult require(const symbolic::Predicate &predicate, const llvm::Twine &because,
                                      ReasonPlace place = ReasonPlace::BehindName) = 0;
  /// As require, of what is known at entry, and of all runs, unless sizes tell that they do not come to the op: what is
  /// required within a region alone has no guard, so that this is for what no op refuses when it is run, and for what
  /// something around the region relies on.
  virtual mlir::LogicalResult requireAtEntry(const symbolic::Predicate &predicate, const llvm::Twine &because,
                                             ReasonPlace place = ReasonPlace::BehindName) = 0;
  /// Is the current op in a region, so that what it requires has no guard?
  virtual bool isInRegion() const { return false; }
  /// Requires the predicate of tensors that have elements: nothing where one of `dims`, all of which are known, is 0.
  mlir::LogicalResult requireUnlessEmpty(const symbolic::Predicate &predicate, llvm::ArrayRef<symbolic::Expr> dims,
                                         const llvm::Twine &because, ReasonPlace place = ReasonPlace::BehindName);
  /// Where the predicate does not hold, ONNX refuses the run, though it is known here what is meant.
  virtual void noteRule(const symbolic::Predicate &predicate) = 0;
  /// As require, at last and unless the rules of all ops imply it: of runs that ONNX refuses anyway nothing is asked.
  /// Nothing may rely on it.
  virtual mlir::LogicalResult requireBesideRules(const symbolic::Predicate &predicate, const llvm::Twine &because) = 0;
  /// Unless the predicate holds, sizes of 0 in the shape of the current `dyn.reshape_to`, which were computed, copy
  /// dims that are others.
  virtual void noteNeedOfCopies(const symbolic::Predicate &predicate) = 0;
  /// Do rules imply what was noted of the op, so that its zeros are sizes like others?
  virtual bool areCopiesNeedless(mlir::Operation *op) const = 0;
  /// Requires equality. Nothing to do where one is null.
  mlir::LogicalResult requireEqual(symbolic::Expr lhs, symbolic::Expr rhs, const llvm::Twine &because,
                                   ReasonPlace place = ReasonPlace::BehindName);
  /// The size that two dims broadcast to, and the obligation that they do (docs/symbolic-engine.md, Broadcasting). Null
  /// where a null operand leaves it open.
  mlir::FailureOr<symbolic::Expr> broadcast(symbolic::Expr lhs, symbolic::Expr rhs, const llvm::Twine &because);
  /// The dims that two lists of dims broadcast to, aligned at the last.
  mlir::FailureOr<Dims> broadcast(llvm::ArrayRef<symbolic::Expr> lhs, llvm::ArrayRef<symbolic::Expr> rhs,
                                  const llvm::Twine &because);
  /// The same, where each dim has an obligation of its own: `fromEnd` is 0 for the last.
  mlir::FailureOr<Dims> broadcast(llvm::ArrayRef<symbolic::Expr> lhs, llvm::ArrayRef<symbolic::Expr> rhs,
                                  llvm::function_ref<std::string(size_t fromEnd)> because);

  /// The current op gives a dim of `size`, which is `wanted` unless something that `because` names is too small: "rows
  /// of `table`". Where other ops require that it is `wanted`, people are told this limit and this op.
  virtual void noteLimit(symbolic::Expr size, symbolic::Expr wanted, const llvm::Twine &because) = 0;
  /// If `size` has a limit, it is better named `because`, at the current op: what was too small are indices into that.
  virtual void refineLimit(symbolic::Expr size, const llvm::Twine &because) = 0;

  //===--- Values ---===//

  /// The elements of a tensor of at most kMaxElements elements, some of them perhaps unknown; nothing where none is
  /// known.
  std::optional<ElementValues> getElements(mlir::Value value) {
    const ElementValues *elements = findElements(value);
    return elements ? std::optional(*elements) : std::nullopt;
  }
  /// As getElements, until something is stated of the value; null for nothing.
  virtual const ElementValues *findElements(mlir::Value value) = 0;
  /// States the elements of a result whose dims are constants, as many as it has.
  virtual void setElements(mlir::Value value, ElementValues elements) = 0;
  /// The elements of an integer tensor if all of them are known.
  std::optional<llvm::SmallVector<symbolic::Expr>> getIntegers(mlir::Value value);
  /// As getIntegers, all of them constants.
  std::optional<llvm::SmallVector<int64_t>> getConstants(mlir::Value value);
  /// The only element of a tensor of one integer; null if it is not known.
  symbolic::Expr getScalar(mlir::Value value);
  /// The truth of an element, where it is a boolean that facts decide.
  std::optional<bool> getTruth(const ElementValue &element);

  /// May a size depend on the elements of the value?
  virtual bool decidesSizes(mlir::Value value) const = 0;
  /// What ops state has been gathered, and the rank of the current op's result is still open: of several meanings the
  /// op may take the likeliest, and require it.
  virtual bool maySettle() const { return false; }

  /// Where both ends are one expression, all elements are.
  virtual Bounds getBounds(mlir::Value value) = 0;
  virtual void setBounds(mlir::Value value, Bounds bounds) = 0;
  /// Every index that the current op reads is proved to lie inside what it indexes; its kernel needs no check.
  virtual void setInBounds() = 0;
};

/// Attaches the relations of the ops of the dyn dialect to them.
void registerShapeRelations(mlir::DialectRegistry &registry);

} // namespace dyn

#include "dyn/Analysis/ShapeRelationsOpInterface.h.inc"

#endif // DYN_ANALYSIS_SHAPERELATIONS_H
