//===- What people say of sizes and ask about them --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A predicate knows what it is built of, which may be less than what was written:
// of `exactdiv(s, 2)` is left `s floordiv 2`, of `bcast(s, 3)` is left 3. Who writes
// either promises that it has a value, so a statement is about the points at which
// all that it promises holds.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_STATEMENTS_H
#define DYN_SYMBOLIC_STATEMENTS_H

#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"

namespace dyn::symbolic {

struct Statement {
  Predicate predicate;
  /// That every `exactdiv` divides, by no 0, and that every `bcast` is of sizes that broadcast.
  std::vector<Predicate> promises;
};

/// Reads a predicate. What has a value nowhere, whatever the symbols are, is an error.
std::optional<Statement> parseStatement(llvm::StringRef text, SymbolicContext &context, ParseError &error);
/// Reads a side of a statement, and adds what it promises.
Expr parseSide(llvm::StringRef text, SymbolicContext &context, std::vector<Predicate> &promises, ParseError &error);

/// Makes the symbols that statements name, in the order of their names: what is made of them has no order of the texts'
/// then. What can't be read names none.
void createSymbols(llvm::ArrayRef<llvm::StringRef> statements, SymbolicContext &context);

/// Learns a fact and what it promises, or neither. One of several alternatives promises nothing: it may be false.
bool addStatement(Solver &solver, const Statement &fact, ReasonId reason);
/// Learns facts in an order that depends on what they say alone: in which order they were written, and whether `a and
/// b` is one fact or two, makes no difference, if createSymbols() made the symbols. Each has its reason. The number of
/// the first fact that contradicts those before it, which ends it; nothing if all are learnt.
std::optional<size_t> addStatements(Solver &solver, llvm::ArrayRef<Statement> facts, llvm::ArrayRef<ReasonId> reasons);

struct Answer {
  Verdict verdict = Verdict::Unknown;
  /// No point is left at which what the question promises holds, so that it says nothing, and is unknown.
  bool saysNothing = false;
};
/// Is the question right at all points that the facts allow and at which what it promises holds?
Answer ask(Solver &solver, const Statement &question);
/// The facts and promises that an answer rests on.
std::vector<ExplainStep> explain(Solver &solver, const Statement &question);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_STATEMENTS_H
