/* Uses every function of dyn-c/Symbolic.h as a program in C would, and prints what comes out. */
#include "dyn-c/Symbolic.h"
#include <inttypes.h>
#include <stdio.h>

static const char *const verdicts[] = {"no", "yes", "unknown"};

static void show(DynSymbolicContext *context, const char *what, DynSymbolicExpr expr) {
  const char *text = dynSymbolicExprGetText(context, expr, DYN_SYMBOLIC_SYNTAX_DYN);
  if (text)
    printf("%s: %s\n", what, text);
  else
    printf("%s: null\n", what);
}

static void showError(DynSymbolicContext *context, const char *what) {
  printf("%s: error at %zu: %s\n", what, dynSymbolicContextGetErrorColumn(context),
         dynSymbolicContextGetError(context));
}

static void buildExpressions(DynSymbolicContext *context) {
  DynSymbolicExpr s = dynSymbolicSymbol(context, "S");
  DynSymbolicExpr p = dynSymbolicSymbol(context, "P");
  DynSymbolicExpr sum[] = {s, p, dynSymbolicConstant(context, 1)};
  DynSymbolicExpr total = dynSymbolicApply(context, DYN_SYMBOLIC_ADD, sum, 3);
  show(context, "sum", total);
  for (int operation = DYN_SYMBOLIC_SUB; operation <= DYN_SYMBOLIC_BCAST; ++operation) {
    DynSymbolicExpr two[] = {total, s};
    show(context, "operation", dynSymbolicApply(context, (DynSymbolicOperation)operation, two, 2));
  }
  DynSymbolicExpr parsed = dynSymbolicParse(context, "Max(1, (S + P)//2)");
  printf("sympy: %s\n", dynSymbolicExprGetText(context, parsed, DYN_SYMBOLIC_SYNTAX_SYMPY));
  const char *names[] = {"S", "P"};
  int64_t sizes[] = {7, 4}, value = 0;
  bool has = dynSymbolicExprEvaluate(context, parsed, names, sizes, 2, &value);
  printf("value: %d %" PRId64 "\n", has, value);
  printf("no value: %d\n", dynSymbolicExprEvaluate(context, parsed, names, sizes, 1, &value));
  DynSymbolicExpr eight = dynSymbolicConstant(context, 8);
  DynSymbolicExpr replaced = dynSymbolicSubstitute(context, total, &s, &eight, 1);
  show(context, "substituted", replaced);
  printf("constant: %d\n", dynSymbolicExprGetConstant(context, replaced, &value));
  printf("constant: %d %" PRId64 "\n", dynSymbolicExprGetConstant(context, eight, &value), value);
  DynSymbolicExpr again = dynSymbolicParse(context, "P + 9");
  printf("same: %d\n", dynSymbolicExprIsSame(replaced, again));
}

static void solve(DynSymbolicContext *context) {
  DynSymbolicSolver *solver = dynSymbolicSolverCreate(context);
  DynSymbolicExpr s = dynSymbolicSymbol(context, "S"), n = dynSymbolicSymbol(context, "N");
  printf("declare: %d\n", dynSymbolicSolverDeclare(solver, "S: [1, 512] mod 8, P: [0, 4096]", "model.onnx"));
  printf("learn: %d\n", dynSymbolicSolverLearn(solver, "S + P <= 4096", "rows of the table", "/emb/Gather"));
  printf("learn: %d\n", dynSymbolicSolverLearnEqual(solver, n, s, "matmul", "/l0/MatMul"));
  printf("learn: %d\n", dynSymbolicSolverLearnLessEqual(solver, s, dynSymbolicConstant(context, 500), NULL, NULL));
  printf("N mod 8 == 0: %s\n", verdicts[dynSymbolicSolverImplies(solver, "N mod 8 == 0")]);
  printf("%s", dynSymbolicSolverExplain(solver, "N mod 8 == 0"));
  DynSymbolicExpr eight = dynSymbolicConstant(context, 8);
  for (int relation = DYN_SYMBOLIC_EQUAL; relation <= DYN_SYMBOLIC_DIVISIBLE; ++relation)
    printf("relation %d: %s\n", relation,
           verdicts[dynSymbolicSolverAsk(solver, n, (DynSymbolicRelation)relation, eight)]);
  show(context, "simplified", dynSymbolicSolverSimplify(solver, dynSymbolicParse(context, "max(N, 1) - S + 2")));
  DynSymbolicBounds bounds;
  printf("bounds: %d", dynSymbolicSolverGetBounds(solver, n, &bounds));
  printf(" [%" PRId64 ", %" PRId64 "] mod %" PRId64 " rem %" PRId64 "\n", bounds.lower, bounds.upper, bounds.modulus,
         bounds.remainder);
  printf("contradiction: %d\n", dynSymbolicSolverLearn(solver, "N == 4", NULL, NULL));
  showError(context, "chain");
  printf("still: %s\n", verdicts[dynSymbolicSolverImplies(solver, "N <= 500")]);
  dynSymbolicSolverFree(solver);
}

static unsigned stageOf(const char *symbol, void *late) { return symbol[0] == *(const char *)late; }

static void useAnswers(DynSymbolicContext *context) {
  DynSymbolicSolver *solver = dynSymbolicSolverCreate(context);
  DynSymbolicExpr s = dynSymbolicSymbol(context, "S"), twice = dynSymbolicParse(context, "2*S + 1");
  DynSymbolicExpr four = dynSymbolicConstant(context, 4), null = {NULL};
  dynSymbolicSolverDeclare(solver, "S: [0, 100], K: [0, 9], D: [0, 9]", NULL);
  printf("order: %d %d %d\n", dynSymbolicSolverCompareSizes(solver, s, twice),
         dynSymbolicSolverCompareSizes(solver, s, s), dynSymbolicSolverCompareSizes(solver, s, four));
  DynSymbolicSignInterval intervals[4];
  size_t count = dynSymbolicSolverGetSigns(solver, dynSymbolicParse(context, "S - 4"), s, intervals, 4);
  for (size_t i = 0; i < count; ++i)
    printf("sign: [%" PRId64 ", %" PRId64 "] %d\n", intervals[i].lower, intervals[i].upper, intervals[i].sign);
  printf("defined: %s",
         dynSymbolicSolverGetDefinedness(solver, dynSymbolicParse(context, "S floordiv K + bcast(S, D)")));
  const char *obligations[] = {"S >= 1", "K <= S", "S >= 2", "S <= 200"};
  printf("guards:\n%s", dynSymbolicSolverPlanGuards(solver, obligations, 4, stageOf, "K"));
  DynSymbolicExpr callee[] = {dynSymbolicSymbol(context, "n"), dynSymbolicSymbol(context, "m")}, sizes[] = {s, twice};
  printf("call:\n%s", dynSymbolicInstantiate(context, "n: [1, 9], m: [0, ?] mod 2, k: [3, 4]", callee, sizes, 2));
  printf("no call: %d\n", dynSymbolicInstantiate(context, "n: [1,", callee, sizes, 2) == NULL);
  showError(context, "no call");
  printf("assumed: %d", dynSymbolicSolverMayAssumeEqual(solver, s, dynSymbolicSymbol(context, "K")));
  dynSymbolicSolverDeclare(solver, "L: [1, ?] unique, u: [0, 9] bound", NULL);
  printf(" %d\n", dynSymbolicSolverMayAssumeEqual(solver, s, dynSymbolicSymbol(context, "L")));
  dynSymbolicSolverLearn(solver, "u == L", NULL, NULL);
  show(context, "of data", dynSymbolicSolverSimplify(solver, dynSymbolicSymbol(context, "u")));
  DynSymbolicSolver *branch = dynSymbolicSolverFork(solver), *other = dynSymbolicSolverFork(solver);
  dynSymbolicSolverLearn(branch, "S == 4", NULL, NULL);
  printf("branch: %s %s\n", verdicts[dynSymbolicSolverImplies(branch, "S == 4")],
         verdicts[dynSymbolicSolverImplies(other, "S == 4")]);
  show(context, "joined", dynSymbolicSolverJoin(solver, branch, s, other, s, "j"));
  DynSymbolicExpr joined = dynSymbolicSolverJoin(solver, branch, four, other, dynSymbolicConstant(context, 6), "j");
  DynSymbolicBounds bounds;
  dynSymbolicSolverGetBounds(solver, joined, &bounds);
  printf("joined: [%" PRId64 ", %" PRId64 "] mod %" PRId64 "\n", bounds.lower, bounds.upper, bounds.modulus);
  DynSymbolicExpr carried = dynSymbolicSymbol(context, "C"), next = dynSymbolicParse(context, "C + D"), exit;
  printf("carried: %d\n", dynSymbolicSolverWiden(solver, s, carried, next, dynSymbolicSymbol(context, "K"), &exit));
  show(context, "exit", exit);
  printf("carried: %d\n", dynSymbolicSolverWiden(solver, s, carried, dynSymbolicParse(context, "C * C"), null, NULL));
  DynSymbolicExpr deep = dynSymbolicParse(
      context, "4*min(9, (((((((S floordiv K + S) floordiv K + S) floordiv K + S) floordiv K + S) floordiv K + S) "
               "floordiv K + S) floordiv K + S) floordiv K + S)");
  DynSymbolicExpr abbreviated = dynSymbolicSolverAbbreviate(solver, deep, "deep");
  show(context, "abbreviated", abbreviated);
  dynSymbolicSolverGetBounds(solver, abbreviated, &bounds);
  printf("abbreviated: %d, at most %" PRId64 ", mod %" PRId64 "\n", bounds.hasLower, bounds.upper, bounds.modulus);
  show(context, "not abbreviated", dynSymbolicSolverAbbreviate(solver, twice, "deep"));
  printf("no symbol: %d\n", (int)dynSymbolicSolverGetSigns(solver, s, twice, intervals, 4));
  showError(context, "no symbol");
  printf("no branch: %d\n", dynSymbolicExprIsNull(dynSymbolicSolverJoin(solver, branch, s, NULL, s, "j")));
  showError(context, "no branch");
  const char *wrong[] = {"S >="};
  printf("no guard: %d\n", dynSymbolicSolverPlanGuards(solver, wrong, 1, NULL, NULL) == NULL);
  showError(context, "no guard");
  dynSymbolicSolverFree(branch);
  dynSymbolicSolverFree(other);
  dynSymbolicSolverFree(solver);
}

static void makeMistakes(DynSymbolicContext *context) {
  DynSymbolicContext *other = dynSymbolicContextCreate();
  DynSymbolicSolver *solver = dynSymbolicSolverCreate(context);
  DynSymbolicExpr null = {NULL}, s = dynSymbolicSymbol(context, "S"), foreign = dynSymbolicSymbol(other, "S");
  DynSymbolicExpr mixed[] = {s, foreign}, nothing[] = {s, null};
  show(context, "unparsable", dynSymbolicParse(context, "S +"));
  dynSymbolicParse(context, "S +");
  showError(context, "unparsable");
  dynSymbolicParse(context, "Piecewise((S, S > 1), (1, True))");
  showError(context, "piecewise");
  dynSymbolicParse(context, NULL);
  showError(context, "no text");
  dynSymbolicApply(context, DYN_SYMBOLIC_ADD, mixed, 2);
  showError(context, "mixed");
  dynSymbolicApply(context, DYN_SYMBOLIC_ADD, nothing, 2);
  showError(context, "null operand");
  dynSymbolicApply(context, DYN_SYMBOLIC_MOD, &s, 1);
  showError(context, "count");
  dynSymbolicApply(context, (DynSymbolicOperation)99, &s, 1);
  showError(context, "operation");
  DynSymbolicExpr huge[] = {dynSymbolicConstant(context, INT64_MAX), s};
  huge[1] = dynSymbolicApply(context, DYN_SYMBOLIC_MUL, huge, 2);
  show(context, "largest", huge[1]);
  dynSymbolicApply(context, DYN_SYMBOLIC_MUL, huge, 2);
  showError(context, "overflow");
  dynSymbolicSymbol(context, "");
  showError(context, "no name");
  dynSymbolicSymbol(context, "\001s");
  showError(context, "name of the engine");
  show(context, "letters", dynSymbolicSymbol(context, "\xe6\x89\xb9\xe6\xac\xa1"));
  printf("declare: %d\n", dynSymbolicSolverDeclare(solver, "S: [9, 3]", NULL));
  showError(context, "empty range");
  printf("learn: %d\n", dynSymbolicSolverLearn(solver, "S <", NULL, NULL));
  printf("ask: %s\n", verdicts[dynSymbolicSolverAsk(solver, s, DYN_SYMBOLIC_DIVISIBLE, s)]);
  showError(context, "divisor");
  printf("ask: %s\n", verdicts[dynSymbolicSolverAsk(solver, foreign, DYN_SYMBOLIC_EQUAL, s)]);
  printf("explain: %d\n", dynSymbolicSolverExplain(solver, "S S") == NULL);
  printf("bounds: %d\n", dynSymbolicSolverGetBounds(solver, null, NULL));
  printf("NULL: %d %s\n", dynSymbolicSolverCreate(NULL) == NULL, dynSymbolicContextGetError(NULL));
  /* Terms without end: the context refuses the first expression that is too deep, and stays usable. */
  DynSymbolicExpr deep = s;
  int depth = 0;
  for (; depth < 100000 && !dynSymbolicExprIsNull(deep); ++depth) {
    DynSymbolicExpr quotient[] = {dynSymbolicConstant(context, 7), deep};
    deep = dynSymbolicApply(context, DYN_SYMBOLIC_FLOOR_DIV, quotient, 2);
  }
  printf("deep: %d\n", depth < 100000);
  dynSymbolicSolverFree(solver);
  dynSymbolicContextFree(other);
}

int main(void) {
  DynSymbolicContext *context = dynSymbolicContextCreate();
  buildExpressions(context);
  solve(context);
  useAnswers(context);
  makeMistakes(context);
  dynSymbolicContextFree(context);
  dynSymbolicContextFree(NULL);
  dynSymbolicSolverFree(NULL);
  return 0;
}
