//===- The one text parser of expressions, predicates, declarations ------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Reads our own syntax and the syntaxes that exporters leave in `dim_param` (Python `//` and `%`, SymPy printing:
// `floor`, `ceiling`, `Mod`, `Max`, `Min`, `Abs`, rational coefficients, powers). The grammar stands in
// docs/symbolic-engine.md.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_PARSER_H
#define DYN_SYMBOLIC_PARSER_H

#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"

namespace dyn::symbolic {

/// What was wrong with a text, and where (column counts from 1).
struct ParseError {
  std::string message;
  size_t column = 0;
};

/// The text for a message about it, in quotes; of a long one what stands around the column.
std::string quoteAround(llvm::StringRef text, size_t column);

/// Reads a whole text as one expression. Null, with `error` filled in, if it is none.
Expr parseExpr(llvm::StringRef text, SymbolicContext &context, ParseError &error);

/// Reads a bracketed list `[e0, e1, ...]`; false, with `error` filled in, if the text is no list.
bool parseExprList(llvm::StringRef text, SymbolicContext &context, llvm::SmallVectorImpl<Expr> &result,
                   ParseError &error);

std::optional<Predicate> parsePredicate(llvm::StringRef text, SymbolicContext &context, ParseError &error);

/// Reads `B: [1, 64], S: [1, 512] mod 8 rem 0 ne {4} opt [128, 256] hint 128 from arg0[1], u: [0, ?] bound,
/// d: [0, ?] = B * S`, the body of `#dyn.symbols`.
std::optional<llvm::SmallVector<SymbolDeclaration>> parseSymbolDeclarations(llvm::StringRef text, ParseError &error);
/// Prints what parseSymbolDeclarations reads; canonical: equal declarations give equal text.
std::string printSymbolDeclarations(llvm::ArrayRef<SymbolDeclaration> declarations);

/// The parts of a list of facts as people write it, `s: [1, 7], t: int; s <= t`: what stands between semicolons.
struct FactTexts {
  llvm::SmallVector<llvm::StringRef> declarations, predicates;
};
FactTexts splitFacts(llvm::StringRef text);

/// Quotes a symbol name when it is no identifier or is a keyword of the syntax.
std::string printSymbolName(llvm::StringRef name);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_PARSER_H
