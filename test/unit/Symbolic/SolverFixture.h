//===- A solver that is talked to in text -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_SYMBOLIC_SOLVERFIXTURE_H
#define DYN_TEST_UNIT_SYMBOLIC_SOLVERFIXTURE_H

#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include "gtest/gtest.h"

namespace dyn::symbolic::test {

struct SolverFixture : testing::Test {
  Expr expr(llvm::StringRef text) {
    ParseError error;
    Expr result = parseExpr(text, context, error);
    EXPECT_TRUE(result) << text.str() << ": " << error.message;
    return result;
  }
  Predicate predicate(llvm::StringRef text) {
    ParseError error;
    std::optional<Predicate> result = parsePredicate(text, context, error);
    EXPECT_TRUE(result) << text.str() << ": " << error.message;
    return result.value_or(Predicate());
  }
  bool declare(llvm::StringRef text, SymbolClass symbolClass = SymbolClass::Declared) {
    ParseError error;
    bool consistent = true;
    auto declarations = parseSymbolDeclarations(text, error);
    EXPECT_TRUE(declarations) << text.str() << ": " << error.message;
    for (const SymbolDeclaration &declaration : *declarations)
      consistent &= solver.declare(context.getSymbol(declaration.name), declaration.facts, symbolClass,
                                   solver.addReason({"declared", "", 0}));
    return consistent;
  }
  bool add(llvm::StringRef text, llvm::StringRef reason = "given", llvm::StringRef where = "") {
    return solver.addPredicate(predicate(text), solver.addReason({reason.str(), where.str(), 0}));
  }
  void expectYes(llvm::StringRef text) { EXPECT_EQ(solver.implies(predicate(text)), Verdict::Yes) << text.str(); }
  void expectNo(llvm::StringRef text) { EXPECT_EQ(solver.implies(predicate(text)), Verdict::No) << text.str(); }
  void expectUnknown(llvm::StringRef text) {
    EXPECT_EQ(solver.implies(predicate(text)), Verdict::Unknown) << text.str();
  }
  std::string simplify(llvm::StringRef text) { return solver.simplify(expr(text)).str(); }

  SymbolicContext context;
  Solver solver{context};
};

} // namespace dyn::symbolic::test

#endif // DYN_TEST_UNIT_SYMBOLIC_SOLVERFIXTURE_H
