//===- Facts from text -------------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_PROVE_FACTS_H
#define DYN_TOOLS_DYN_PROVE_FACTS_H

#include "dyn/Symbolic/Statements.h"
#include "llvm/Support/Error.h"

namespace dyn::prove {

/// An error that says what in a text could not be read, with the column.
llvm::Error makeParseError(llvm::StringRef what, llvm::StringRef text, const symbolic::ParseError &error);

/// Symbols and facts, as declarations (`s: [0, 7], t: int`) and predicates. Facts that contradict each other are no
/// error: then everything follows.
class Facts {
public:
  Facts() : solver(context) {}

  /// Reads `s: [0, 7] mod 8, t: int`.
  llvm::Error addDeclarations(llvm::StringRef text);
  /// Reads a list of either, separated by `;`.
  llvm::Error addList(llvm::StringRef text);

  bool isContradictory() const { return contradictory; }
  /// Says on standard error that the facts, those of a row of a table if it is named, contradict each other, if so.
  void warnOfContradiction(llvm::StringRef row = "") const;
  /// Says on standard error if the question is about no point.
  symbolic::Verdict decide(const symbolic::Statement &query, llvm::StringRef row = "");

  symbolic::SymbolicContext context;
  symbolic::Solver solver;

private:
  bool contradictory = false;
};

llvm::StringRef getText(symbolic::Verdict verdict);

} // namespace dyn::prove

#endif // DYN_TOOLS_DYN_PROVE_FACTS_H
