/*===- The symbolic engine for other compilers --------------------*- C -*-===*\
 * Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.           *
 *                                                                            *
 * Expressions over sizes, facts about them, and questions that are answered  *
 * yes, no or unknown (docs/symbolic-engine.md). Needs libdyn_symbolic alone. *
 *                                                                            *
 * A context belongs to one thread at a time; several threads have a context  *
 * each. Nothing here throws or aborts on what a caller gives it: a call that *
 * can't do what it is asked returns an error value (a null expression, NULL, *
 * DYN_SYMBOLIC_ERROR), and dynSymbolicContextGetError has one line for       *
 * people. An expression of one context is refused by every other one.        *
\*===----------------------------------------------------------------------===*/

#ifndef DYN_C_SYMBOLIC_H
#define DYN_C_SYMBOLIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define DYN_SYMBOLIC_EXPORT
#else
#define DYN_SYMBOLIC_EXPORT __attribute__((visibility("default")))
#endif

/* Any int may be passed, and is refused if it is none of the constants: C++ leaves that undefined without a type. */
#ifdef __cplusplus
#define DYN_SYMBOLIC_INT : int
extern "C" {
#else
#define DYN_SYMBOLIC_INT
#endif

/*===- Contexts --------------------------------------------------------------===*/

/** Owns expressions and the texts that functions return. */
typedef struct DynSymbolicContext DynSymbolicContext;

/** NULL only where memory is exhausted. */
DYN_SYMBOLIC_EXPORT DynSymbolicContext *dynSymbolicContextCreate(void);
/** Solvers of the context are to be freed before it. NULL is fine. */
DYN_SYMBOLIC_EXPORT void dynSymbolicContextFree(DynSymbolicContext *context);
/** One line about the last call with this context that failed; "" if none did. Valid until the next call. */
DYN_SYMBOLIC_EXPORT const char *dynSymbolicContextGetError(const DynSymbolicContext *context);
/** Where in a text the last failure was, counted from 1; 0 where it was in no text. */
DYN_SYMBOLIC_EXPORT size_t dynSymbolicContextGetErrorColumn(const DynSymbolicContext *context);

/*===- Expressions -----------------------------------------------------------===*/

/** An immutable expression in normal form; copied freely. Two expressions of one context are the same node exactly if
 *  their normal forms are. Null ("unknown") where 64 bits overflowed or an operand was null. */
typedef struct DynSymbolicExpr {
  const void *node;
} DynSymbolicExpr;

typedef enum DynSymbolicSyntax DYN_SYMBOLIC_INT {
  DYN_SYMBOLIC_SYNTAX_DYN = 0,
  DYN_SYMBOLIC_SYNTAX_SYMPY = 1
} DynSymbolicSyntax;

/** How operands are joined. Sums, products, minima, maxima and broadcasts take any number of operands, the others two.
 */
typedef enum DynSymbolicOperation DYN_SYMBOLIC_INT {
  DYN_SYMBOLIC_ADD = 0,
  DYN_SYMBOLIC_SUB = 1,
  DYN_SYMBOLIC_MUL = 2,
  DYN_SYMBOLIC_FLOOR_DIV = 3, /**< rounds down */
  DYN_SYMBOLIC_CEIL_DIV = 4,
  DYN_SYMBOLIC_MOD = 5,       /**< has the sign of the divisor */
  DYN_SYMBOLIC_EXACT_DIV = 6, /**< the caller guarantees that it divides, and by no zero */
  DYN_SYMBOLIC_MIN = 7,
  DYN_SYMBOLIC_MAX = 8,
  DYN_SYMBOLIC_BCAST = 9 /**< the size that broadcasting gives */
} DynSymbolicOperation;

DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicConstant(DynSymbolicContext *context, int64_t value);
/** The symbol of that name, made on first use. */
DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicSymbol(DynSymbolicContext *context, const char *name);
DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicApply(DynSymbolicContext *context, DynSymbolicOperation operation,
                                                     const DynSymbolicExpr *operands, size_t count);
/** Reads our syntax and those that exporters write into `dim_param`. */
DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicParse(DynSymbolicContext *context, const char *text);
/** Replaces symbols, all at once. */
DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicSubstitute(DynSymbolicContext *context, DynSymbolicExpr expr,
                                                          const DynSymbolicExpr *symbols, const DynSymbolicExpr *values,
                                                          size_t count);

static inline bool dynSymbolicExprIsNull(DynSymbolicExpr expr) { return expr.node == NULL; }
static inline bool dynSymbolicExprIsSame(DynSymbolicExpr lhs, DynSymbolicExpr rhs) { return lhs.node == rhs.node; }

/** Is it a constant? Then `value` receives it. */
DYN_SYMBOLIC_EXPORT bool dynSymbolicExprGetConstant(DynSymbolicContext *context, DynSymbolicExpr expr, int64_t *value);
/** NULL for a null expression. Valid until the next call with this context. */
DYN_SYMBOLIC_EXPORT const char *dynSymbolicExprGetText(DynSymbolicContext *context, DynSymbolicExpr expr,
                                                       DynSymbolicSyntax syntax);
/** The value where each of `names` has the value beside it. False where there is none: a symbol without a value, a
 *  division by zero, sizes that do not broadcast, overflow. */
DYN_SYMBOLIC_EXPORT bool dynSymbolicExprEvaluate(DynSymbolicContext *context, DynSymbolicExpr expr,
                                                 const char *const *names, const int64_t *values, size_t count,
                                                 int64_t *result);

/*===- Facts -----------------------------------------------------------------===*/

/** Knows facts and answers questions. The order in which it learns them does not matter. */
typedef struct DynSymbolicSolver DynSymbolicSolver;

DYN_SYMBOLIC_EXPORT DynSymbolicSolver *dynSymbolicSolverCreate(DynSymbolicContext *context);
DYN_SYMBOLIC_EXPORT void dynSymbolicSolverFree(DynSymbolicSolver *solver);

typedef enum DynSymbolicResult {
  DYN_SYMBOLIC_OK = 0,
  DYN_SYMBOLIC_ERROR = 1,        /**< a text that is not read, or an argument that is none */
  DYN_SYMBOLIC_CONTRADICTION = 2 /**< the fact is refused, the solver is as before, the error has the chain */
} DynSymbolicResult;

/** Declares symbols: "B: [1, 64], S: [1, 512] mod 8 opt [128]", the syntax of `#dyn.symbols`. One that is `bound` is of
 *  data: what is declared stands for it where the two are equal. `where` names the place for people, and may be NULL.
 */
DYN_SYMBOLIC_EXPORT DynSymbolicResult dynSymbolicSolverDeclare(DynSymbolicSolver *solver, const char *declarations,
                                                               const char *where);
/** Learns a predicate: "S + P <= 4096". `reason` and `where` may be NULL. */
DYN_SYMBOLIC_EXPORT DynSymbolicResult dynSymbolicSolverLearn(DynSymbolicSolver *solver, const char *predicate,
                                                             const char *reason, const char *where);
DYN_SYMBOLIC_EXPORT DynSymbolicResult dynSymbolicSolverLearnEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs,
                                                                  DynSymbolicExpr rhs, const char *reason,
                                                                  const char *where);
DYN_SYMBOLIC_EXPORT DynSymbolicResult dynSymbolicSolverLearnLessEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs,
                                                                      DynSymbolicExpr rhs, const char *reason,
                                                                      const char *where);

/*===- Questions -------------------------------------------------------------===*/

typedef enum DynSymbolicVerdict {
  DYN_SYMBOLIC_NO = 0,
  DYN_SYMBOLIC_YES = 1,
  DYN_SYMBOLIC_UNKNOWN = 2 /**< also for null expressions and texts that are not read; those leave an error */
} DynSymbolicVerdict;

typedef enum DynSymbolicRelation DYN_SYMBOLIC_INT {
  DYN_SYMBOLIC_EQUAL = 0,
  DYN_SYMBOLIC_NOT_EQUAL = 1,
  DYN_SYMBOLIC_LESS_EQUAL = 2,
  DYN_SYMBOLIC_LESS = 3,
  DYN_SYMBOLIC_BROADCASTABLE = 4, /**< equal, or one of them is 1 */
  DYN_SYMBOLIC_DIVISIBLE = 5      /**< lhs is a multiple of rhs, which is a constant other than 0 */
} DynSymbolicRelation;

/** Does the relation hold at all sizes that the facts allow? */
DYN_SYMBOLIC_EXPORT DynSymbolicVerdict dynSymbolicSolverAsk(DynSymbolicSolver *solver, DynSymbolicExpr lhs,
                                                            DynSymbolicRelation relation, DynSymbolicExpr rhs);
/** Do the facts imply a predicate: "bc_ok(M, N) and M mod 8 == 0"? */
DYN_SYMBOLIC_EXPORT DynSymbolicVerdict dynSymbolicSolverImplies(DynSymbolicSolver *solver, const char *predicate);
/** May a hypothesis, such as equal sample sizes, take the two for one? Not where a fact says otherwise, nor for a
 * symbol that is declared `unique`. False, with an error, for null expressions. */
DYN_SYMBOLIC_EXPORT bool dynSymbolicSolverMayAssumeEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs,
                                                         DynSymbolicExpr rhs);
/** The facts that the answer to dynSymbolicSolverImplies rests on, one a line: fact, tab, reason, tab, where. "" where
 *  it is unknown or needs none; NULL for a text that is not read. Valid until the next call with the context. */
DYN_SYMBOLIC_EXPORT const char *dynSymbolicSolverExplain(DynSymbolicSolver *solver, const char *predicate);
/** The normal form under all facts. */
DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicSolverSimplify(DynSymbolicSolver *solver, DynSymbolicExpr expr);

/** What is proved about the values of an expression. */
typedef struct DynSymbolicBounds {
  bool hasLower, hasUpper;
  int64_t lower, upper;
  int64_t modulus, remainder; /**< value mod modulus == remainder; modulus 0: the value is `remainder` */
} DynSymbolicBounds;
/** False, with an error, for a null expression. */
DYN_SYMBOLIC_EXPORT bool dynSymbolicSolverGetBounds(DynSymbolicSolver *solver, DynSymbolicExpr expr,
                                                    DynSymbolicBounds *bounds);

/** How two sizes compare at all points that the facts allow. */
typedef enum DynSymbolicOrder {
  DYN_SYMBOLIC_ORDER_LESS = 0,
  DYN_SYMBOLIC_ORDER_LESS_OR_EQUAL = 1,
  DYN_SYMBOLIC_ORDER_EQUAL = 2,
  DYN_SYMBOLIC_ORDER_GREATER_OR_EQUAL = 3,
  DYN_SYMBOLIC_ORDER_GREATER = 4,
  DYN_SYMBOLIC_ORDER_UNKNOWN = 5 /**< also for null expressions, which leave an error */
} DynSymbolicOrder;
/** The strongest order that is proved. */
DYN_SYMBOLIC_EXPORT DynSymbolicOrder dynSymbolicSolverCompareSizes(DynSymbolicSolver *solver, DynSymbolicExpr lhs,
                                                                   DynSymbolicExpr rhs);

/** A part of a symbol's range on which an expression has one sign. */
typedef struct DynSymbolicSignInterval {
  bool hasLower, hasUpper;
  int64_t lower, upper;
  bool hasSign; /**< false where the sign depends on other symbols, or where effort ended */
  int sign;     /**< -1, 0 or 1 */
} DynSymbolicSignInterval;
/** Splits the range of `symbol` where the sign of `difference` changes, into at most `capacity` intervals in ascending
 *  order, which cover it. How many; 0 with an error for operands that are none. */
DYN_SYMBOLIC_EXPORT size_t dynSymbolicSolverGetSigns(DynSymbolicSolver *solver, DynSymbolicExpr difference,
                                                     DynSymbolicExpr symbol, DynSymbolicSignInterval *intervals,
                                                     size_t capacity);

/*===- Guards ----------------------------------------------------------------===*/

/** What must hold for an expression to have a value and is not implied by the facts, one predicate a line: divisors
 *  that are not 0, exact divisions that divide, sizes that broadcast. NULL for a null expression. Valid until the next
 *  call with the context. */
DYN_SYMBOLIC_EXPORT const char *dynSymbolicSolverGetDefinedness(DynSymbolicSolver *solver, DynSymbolicExpr expr);
/** When a symbol becomes known: 0 on entry, later for what operations bind. */
typedef unsigned (*DynSymbolicStageOf)(const char *symbol, void *userData);
/** A smallest set of guards found that, with the facts, implies all obligations, which are predicates: a line for each,
 *  by stage, then by cost: its place among the obligations, tab, stage, tab, nodes to compute, tab, the places of the
 *  obligations that hold because of it, separated by spaces. NULL, with an error, for texts that are not read.
 * `stageOf` may be NULL where all symbols are known on entry. Valid until the next call with the context. */
DYN_SYMBOLIC_EXPORT const char *dynSymbolicSolverPlanGuards(DynSymbolicSolver *solver, const char *const *obligations,
                                                            size_t count, DynSymbolicStageOf stageOf, void *userData);

/*===- Control flow and large sizes -------------------------------------------===*/

/** What the declarations of a callee, "S: [1, 512] mod 8", demand of the sizes that a caller gives for its symbols, one
 *  predicate a line. Of a symbol without a size nothing is. NULL, with an error, for texts that are not read and
 *  pairs that are none. Valid until the next call with the context. */
DYN_SYMBOLIC_EXPORT const char *dynSymbolicInstantiate(DynSymbolicContext *context, const char *declarations,
                                                       const DynSymbolicExpr *symbols, const DynSymbolicExpr *sizes,
                                                       size_t count);
/** A solver that knows the same, for what holds in a branch only. Neither learns from the other; freed by the caller.
 */
DYN_SYMBOLIC_EXPORT DynSymbolicSolver *dynSymbolicSolverFork(const DynSymbolicSolver *solver);
/** The size behind two branches, in which it is `whenTrue` and `whenFalse`: that of both, or a fresh symbol whose name
 *  starts with `prefix`, declared in `after` with what holds in both. Null with an error for operands that are none. */
DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicSolverJoin(DynSymbolicSolver *after, DynSymbolicSolver *thenFacts,
                                                          DynSymbolicExpr whenTrue, DynSymbolicSolver *elseFacts,
                                                          DynSymbolicExpr whenFalse, const char *prefix);
/** The size, simplified, or, where that has more than 32 terms, 256 nodes or 6 levels, a fresh symbol whose name starts
 *  with `prefix`, declared with the range and the congruence of the size. What it stands for is kept by the caller.
 * Null with an error for operands that are none. */
DYN_SYMBOLIC_EXPORT DynSymbolicExpr dynSymbolicSolverAbbreviate(DynSymbolicSolver *solver, DynSymbolicExpr size,
                                                                const char *prefix);

typedef enum DynSymbolicCarried {
  DYN_SYMBOLIC_INVARIANT = 0, /**< each trip leaves it as it is */
  DYN_SYMBOLIC_LINEAR = 1,    /**< each trip adds the same */
  DYN_SYMBOLIC_WIDENED = 2    /**< anything from 0 up; also, with an error, for operands that are none */
} DynSymbolicCarried;
/** A size that a loop carries. `carried` is its symbol at the start of a trip, `next` what it is at the end.
 * `tripCount` may be null. `exit`, if not NULL, gets the size behind the loop: null for a widened one, and of a linear
 * one where the step may have no value, which nobody notices if there are no trips. */
DYN_SYMBOLIC_EXPORT DynSymbolicCarried dynSymbolicSolverWiden(DynSymbolicSolver *solver, DynSymbolicExpr initial,
                                                              DynSymbolicExpr carried, DynSymbolicExpr next,
                                                              DynSymbolicExpr tripCount, DynSymbolicExpr *exit);

#ifdef __cplusplus
}
#endif

#endif /* DYN_C_SYMBOLIC_H */
