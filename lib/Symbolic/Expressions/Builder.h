//===- Construction of canonical expressions ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The rules that make atoms canonical. Those that ask for a sign or a range ask a
// prover: the context's own, which knows no facts, gives the public constructors;
// a solver's gives its normal form under facts. Every rule either returns an atom
// to which no rule applies, or starts again on something smaller, so building an
// atom from its own operands gives that atom.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_BUILDER_H
#define DYN_LIB_SYMBOLIC_BUILDER_H

#include "Bounds/Bounds.h"

namespace dyn::symbolic {

class ExprBuilder {
public:
  ExprBuilder(SymbolicContext::Impl &context, BoundProver &prover) : context(context), prover(prover) {}
  /// Uses no facts.
  explicit ExprBuilder(SymbolicContext::Impl &context) : ExprBuilder(context, context.getFreeProver()) {}

  /// Units of work of `build`, on average. Who rebuilds expressions for a question spends them, whether or not the
  /// result is known already.
  static constexpr unsigned costOfAtom = 24;

  // Null operands and overflows give null.
  Expr add(Expr lhs, Expr rhs);
  Expr subtract(Expr lhs, Expr rhs);
  Expr multiply(Expr lhs, Expr rhs);
  Expr scale(Expr expr, int64_t factor);
  Expr floorDiv(Expr dividend, Expr divisor);
  Expr ceilDiv(Expr dividend, Expr divisor);
  Expr mod(Expr dividend, Expr divisor);
  Expr exactDiv(Expr dividend, Expr divisor);
  Expr max(llvm::ArrayRef<Expr> operands);
  Expr min(llvm::ArrayRef<Expr> operands);
  Expr bcast(llvm::ArrayRef<Expr> operands);

  /// With fewer quotients, where two of them are one.
  Expr joinHalves(Expr expr);

  /// Builds the expression again bottom-up, symbols and atoms replaced by what `replace` gives for them where that is
  /// not null. With a prover that knows facts this also folds by them.
  using Replace = llvm::function_ref<Expr(const Atom *)>;
  using Memo = llvm::DenseMap<const Atom *, Expr>;
  Expr rebuild(Expr expr, Replace replace, Memo &memo);

  SymbolicContext::Impl &getContext() { return context; }

  /// An atom of that kind, by its constructor.
  Expr build(AtomKind kind, llvm::ArrayRef<Expr> operands);

private:
  /// Takes exact divisions out of products with their divisor; null for nothing.
  Expr intern(const MaybePoly &poly);
  /// Null where the atom is nested too deeply or too large.
  Expr makeAtom(AtomKind kind, llvm::ArrayRef<Expr> operands);
  Expr rebuild(const Atom *atom, Replace replace, Memo &memo);
  std::optional<Expr> rebuild(const Term &term, Replace replace, Memo &memo);
  bool usesFacts() const;
  MaybePoly joinHalves(Terms terms);
  MaybePoly floorDivByConstant(Terms dividend, int64_t divisor);
  Expr floorDivByTerms(Expr dividend, Expr divisor);
  Expr extractKnownMultiples(Expr dividend, Expr divisor);
  /// Both divided by what a factor of the dividend broadcasts, where that divides the divisor.
  std::optional<std::pair<Expr, Expr>> divideBroadcast(Expr dividend, Expr divisor);

  // Rules of floordiv: nothing where the rule does not apply, and in it nothing where its result has no expression.
  using Rewritten = std::optional<MaybePoly>;
  Rewritten extractMultiples(Terms dividend, int64_t divisor);
  Rewritten reduceByContent(Terms dividend, int64_t divisor);
  Rewritten flattenNested(Terms dividend, int64_t divisor);
  Rewritten orient(Terms dividend, int64_t divisor);
  Rewritten foldVariants(Terms dividend, int64_t divisor);
  Rewritten foldByRange(Terms dividend, int64_t divisor);
  Rewritten dropSmallPart(Terms dividend, int64_t divisor);

  /// Divides both by their content, and by their common monomial as far as `mayCancel` allows; gives the divisor a
  /// positive leading coefficient.
  bool cancelCommonFactors(Poly &dividend, Poly &divisor, llvm::function_ref<bool(const Atom *)> mayCancel);

  /// sign * max(operands); what is in the list is used up.
  Expr makeMax(llvm::SmallVectorImpl<Poly> &operands, int64_t sign);
  // Parts of max.
  bool flattenMax(llvm::SmallVectorImpl<Poly> &operands);
  bool translateMax(llvm::SmallVectorImpl<Poly> &operands, Poly &offset);
  void dropDominated(llvm::SmallVectorImpl<Poly> &operands);

  SymbolicContext::Impl &context;
  BoundProver &prover;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_BUILDER_H
