//===- Arithmetic of polynomials with checked coefficients ----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Everything that may overflow returns an optional. -2^63 is a constant, but no
// coefficient of another term, so that these have opposites. Nothing here knows what
// atoms mean.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_POLYNOMIAL_H
#define DYN_LIB_SYMBOLIC_POLYNOMIAL_H

#include "Expressions/Node.h"

namespace dyn::symbolic {

using Terms = llvm::ArrayRef<Term>;
using MaybePoly = std::optional<Poly>;

inline std::optional<int64_t> checkedAdd(int64_t lhs, int64_t rhs) {
  int64_t result;
  return __builtin_add_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
}
inline std::optional<int64_t> checkedSub(int64_t lhs, int64_t rhs) {
  int64_t result;
  return __builtin_sub_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
}
inline std::optional<int64_t> checkedMul(int64_t lhs, int64_t rhs) {
  int64_t result;
  return __builtin_mul_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
}
/// Rounds down; nothing for a zero divisor or a quotient outside 64 bits.
std::optional<int64_t> checkedFloorDiv(int64_t lhs, int64_t rhs);
std::optional<int64_t> checkedCeilDiv(int64_t lhs, int64_t rhs);
/// Has the sign of the divisor, which is not 0.
int64_t floorMod(int64_t lhs, int64_t rhs);

inline bool isUnit(int64_t number) { return number == 1 || number == -1; }

/// lhsFactor * lhs + rhsFactor * rhs
MaybePoly combine(Terms lhs, int64_t lhsFactor, Terms rhs, int64_t rhsFactor);
/// The same in place of what `result` has; false where it leaves 64 bits.
bool combine(Terms lhs, int64_t lhsFactor, Terms rhs, int64_t rhsFactor, llvm::SmallVectorImpl<Term> &result);
inline MaybePoly add(Terms lhs, Terms rhs) { return combine(lhs, 1, rhs, 1); }
inline MaybePoly subtract(Terms lhs, Terms rhs) { return combine(lhs, 1, rhs, -1); }
inline MaybePoly scale(Terms terms, int64_t factor) { return combine(terms, factor, {}, 0); }
MaybePoly addConstant(SymbolicContext::Impl &context, Terms terms, int64_t constant);
MaybePoly multiply(SymbolicContext::Impl &context, Terms lhs, Terms rhs);
MaybePoly multiply(SymbolicContext::Impl &context, Terms lhs, Term rhs);

/// Sorts terms and merges equal monomials.
MaybePoly normalize(Poly terms);

/// The constant term.
int64_t getConstantTerm(Terms terms);
inline bool isConstant(Terms terms) { return terms.empty() || (terms.size() == 1 && terms[0].monomial->isOne()); }
/// The terms but the constant one, which comes last.
inline Terms dropConstant(Terms terms) {
  return !terms.empty() && terms.back().monomial->isOne() ? terms.drop_back() : terms;
}
int64_t getCoefficient(Terms terms, const Monomial *monomial);

/// Greatest common divisor of the coefficients; 0 for no terms; 1 where it does not fit into 63 bits.
int64_t getContent(Terms terms);
/// Every coefficient is a multiple of `divisor`.
Poly divideCoefficients(Terms terms, int64_t divisor);
/// P + c floordiv g for g*P + c, of which P is what varies: not negative where the terms are not.
MaybePoly divideContent(SymbolicContext::Impl &context, Terms terms);

/// Greatest monomial that divides every term.
const Monomial *getCommonMonomial(SymbolicContext::Impl &context, Terms terms);
const Monomial *getCommonMonomial(SymbolicContext::Impl &context, const Monomial *lhs, const Monomial *rhs);
/// Null unless it divides.
const Monomial *divide(SymbolicContext::Impl &context, const Monomial *dividend, const Monomial *divisor);
/// `divisor` divides every term.
Poly divideMonomial(SymbolicContext::Impl &context, Terms terms, const Monomial *divisor);

/// The quotient, if `divisor` divides `dividend` as polynomials over the integers.
MaybePoly divideExactly(SymbolicContext::Impl &context, Terms dividend, Terms divisor);
/// quotient * divisor + remainder == dividend, where no term of the remainder is a multiple of the divisor's leading
/// term (coefficients round down).
struct Division {
  Poly quotient, remainder;
};
std::optional<Division> divideByLeadingTerm(SymbolicContext::Impl &context, Terms dividend, Terms divisor);

/// terms == coefficient * atom + rest, where neither contains the atom outside of other atoms. Nothing if the atom
/// occurs with a higher power.
struct LinearSplit {
  Poly coefficient, rest;
};
std::optional<LinearSplit> splitLinear(SymbolicContext::Impl &context, Terms terms, const Atom *atom);

/// terms == coefficient * atom + rest with a number that is not 0, where the rest contains the atom nowhere.
struct Isolated {
  int64_t coefficient = 0;
  Poly rest;
};
std::optional<Isolated> isolate(SymbolicContext::Impl &context, Terms terms, const Atom *atom);
/// What the atom is where the terms are 0, whatever else they consist of.
MaybePoly solveFor(SymbolicContext::Impl &context, Terms terms, const Atom *atom);

/// The symbol x of c*x + d, else null.
const Atom *getLinearSymbol(Expr expr);

/// Is there an atom of that kind in it, also inside of others?
bool hasAtom(Expr expr, AtomKind kind);
/// Has it a value whatever the sizes are?
bool isTotal(Expr expr);
/// Is there a quotient by what may be 0?
bool mayDivideByZero(Expr expr);
/// Visits what quotients divide by that may be 0, inside of divisors too.
void visitDivisors(Expr expr, llvm::function_ref<void(Expr divisor)> visit);

/// The atoms of the terms, not those inside of other atoms, each once, in structural order.
llvm::SmallVector<const Atom *, 8> getAtoms(Terms terms);
/// The same in whatever order.
llvm::SmallVector<const Atom *, 8> getAtomsInAnyOrder(Terms terms);

/// Does the atom occur, or any atom inside which it occurs?
bool mentions(Terms terms, const Atom *symbol);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_POLYNOMIAL_H
