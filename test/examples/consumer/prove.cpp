// Is a padded size at least the size? The engine needs no MLIR.
#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include <cstdio>

int main() {
  using namespace dyn::symbolic;
  SymbolicContext context;
  Solver solver(context);
  ParseError error;
  auto predicate = parsePredicate("S <= 8 * ceildiv(S, 8)", context, error);
  std::puts(predicate && solver.implies(*predicate) == Verdict::Yes ? "yes" : "no");
}
