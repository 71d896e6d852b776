//===- Canonical integer expressions over size symbols ----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Expressions are polynomials with 64-bit integer coefficients over atoms
// (symbols, floordiv, relu, max, bcast, opaque divisions). They are canonical by
// construction: two expressions that the ring laws and the rules of
// docs/symbolic-engine.md make equal are the same node, so equality is a pointer
// comparison. Construction uses no facts about symbols; facts live in a Solver.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_EXPR_H
#define DYN_SYMBOLIC_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dyn::symbolic {

class SymbolicContext;
struct ExprNode; // private to lib/Symbolic

/// Answer to a question about sizes. `Unknown` never turns into `Yes`.
enum class Verdict : uint8_t { No, Yes, Unknown };

/// How expressions are written.
enum class Syntax : uint8_t {
  Dyn,   ///< `floordiv(S, 2)`-free infix: `S floordiv 2`, `ceildiv`, `mod`, `min(a, b)`, `max`, `bcast`
  SymPy, ///< `//`, `%`, `Max`, `Min`: what PyTorch's exporters write into `dim_param`
};

/// A handle to an immutable canonical expression owned by a SymbolicContext. Copying is free. The null handle means
/// "no expression"; every operation on a null operand, and every operation whose coefficients overflow, gives null.
class Expr {
public:
  Expr() = default;
  explicit Expr(const ExprNode *node) : node(node) {}
  explicit operator bool() const { return node != nullptr; }
  bool operator==(Expr other) const { return node == other.node; }
  bool operator!=(Expr other) const { return node != other.node; }
  const ExprNode *getNode() const { return node; }
  SymbolicContext &getContext() const;

  /// The value, when the expression is a constant.
  std::optional<int64_t> getConstant() const;
  bool isConstant(int64_t value) const { return getConstant() == value; }
  /// The name, when the expression is a single symbol; empty otherwise.
  llvm::StringRef getSymbolName() const;
  bool isSymbol() const { return !getSymbolName().empty(); }

  /// Distinct symbols that occur anywhere inside, in the order of their declaration in the context.
  llvm::SmallVector<Expr, 4> getSymbols() const;

  /// At most 32 terms, 6 levels of nesting and 256 nodes. Clients name what is larger by a defined symbol.
  bool isWithinBudget() const;

  void print(llvm::raw_ostream &os, Syntax syntax = Syntax::Dyn) const;
  std::string str(Syntax syntax = Syntax::Dyn) const;

private:
  const ExprNode *node = nullptr;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Expr expr);

Expr operator+(Expr lhs, Expr rhs);
Expr operator-(Expr lhs, Expr rhs);
Expr operator*(Expr lhs, Expr rhs);
Expr operator-(Expr operand);
Expr operator+(Expr lhs, int64_t rhs);
Expr operator-(Expr lhs, int64_t rhs);
Expr operator*(Expr lhs, int64_t rhs);

/// Rounds towards minus infinity; undefined where the divisor is zero.
Expr floorDiv(Expr lhs, Expr rhs);
Expr floorDiv(Expr lhs, int64_t rhs);
/// Rounds towards plus infinity.
Expr ceilDiv(Expr lhs, Expr rhs);
Expr ceilDiv(Expr lhs, int64_t rhs);
/// `lhs - rhs * floordiv(lhs, rhs)`: has the sign of the divisor.
Expr mod(Expr lhs, Expr rhs);
/// Division whose caller guarantees `rhs != 0` and `rhs` divides `lhs` (the -1 of a reshape): common factors cancel.
Expr exactDiv(Expr lhs, Expr rhs);
Expr max(llvm::ArrayRef<Expr> operands);
Expr min(llvm::ArrayRef<Expr> operands);
/// The size that broadcasting gives: associative, commutative, idempotent, with unit 1. Defined where the operands
/// are equal or 1.
Expr bcast(llvm::ArrayRef<Expr> operands);

/// Owns symbols and expressions. Not thread-safe: one context for each thread, or one that nobody adds to any more.
class SymbolicContext {
public:
  SymbolicContext();
  ~SymbolicContext();
  SymbolicContext(const SymbolicContext &) = delete;
  SymbolicContext &operator=(const SymbolicContext &) = delete;

  Expr getConstant(int64_t value);
  /// The symbol of that name; created on first use. Any non-empty text is a name; the printer quotes those that are no
  /// identifiers.
  Expr getSymbol(llvm::StringRef name);
  /// A new symbol whose name starts with `prefix` and is not in use.
  Expr createSymbol(llvm::StringRef prefix);

  struct Impl;
  Impl &getImpl() { return *impl; }

private:
  std::unique_ptr<Impl> impl;
};

using Substitution = llvm::DenseMap<const ExprNode *, Expr>;

/// Replaces symbols (the keys) everywhere inside and renormalises.
Expr substitute(Expr expr, const Substitution &substitution);

/// Brings an expression of another context into this one.
Expr importExpr(Expr expr, SymbolicContext &into);

/// The value at a point; nothing where a symbol has no value, a divisor is zero, a bcast is undefined or 64 bits
/// overflow.
std::optional<int64_t> evaluate(Expr expr, llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> valueOf);

/// The printed structure of an expression, for code that must compute it: sums, products, and the re-rolled `mod`,
/// `ceildiv`, `min`, `max`. Shared sub-expressions are shared nodes (same pointer).
struct ExprTree {
  enum class Kind : uint8_t { Constant, Symbol, Add, Mul, FloorDiv, CeilDiv, Mod, ExactDiv, Min, Max, Bcast };
  Kind kind;
  int64_t value = 0;      ///< of a Constant
  llvm::StringRef symbol; ///< of a Symbol; owned by the context
  llvm::SmallVector<std::shared_ptr<const ExprTree>, 2> operands;

  /// Is it of one of these kinds, or anything in it?
  bool contains(llvm::ArrayRef<Kind> kinds) const;
};
std::shared_ptr<const ExprTree> getTree(Expr expr);

} // namespace dyn::symbolic

namespace llvm {
template <>
struct DenseMapInfo<dyn::symbolic::Expr> {
  using Expr = dyn::symbolic::Expr;
  using PointerInfo = DenseMapInfo<const dyn::symbolic::ExprNode *>;
  static Expr getEmptyKey() { return Expr(PointerInfo::getEmptyKey()); }
  static Expr getTombstoneKey() { return Expr(PointerInfo::getTombstoneKey()); }
  static unsigned getHashValue(Expr expr) { return PointerInfo::getHashValue(expr.getNode()); }
  static bool isEqual(Expr lhs, Expr rhs) { return lhs == rhs; }
};
} // namespace llvm

#endif // DYN_SYMBOLIC_EXPR_H
