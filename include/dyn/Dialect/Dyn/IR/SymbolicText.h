//===- Symbolic text in MLIR assembly ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Expressions and predicates have one parser, in dyn/Symbolic/Parser.h. What
// stands here finds their raw text in MLIR assembly, hands it to that parser and
// moves MLIR's parser past it, so that attributes and ops read and print them
// unquoted.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_SYMBOLICTEXT_H
#define DYN_DIALECT_DYN_IR_SYMBOLICTEXT_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/IR/OpImplementation.h"

namespace dyn {
namespace symbolic {
struct ParseError;
} // namespace symbolic

/// Says of a place in a NUL-terminated buffer, outside any bracket, whether the symbolic text ends there.
using SymbolicTextEnd = llvm::function_ref<bool(const char *place)>;

/// Takes the text from the parser's next token up to the first place where `isEnd` holds, or to a closing bracket that
/// was not opened inside, and moves the parser there. The text is not empty.
mlir::FailureOr<llvm::StringRef> parseSymbolicText(mlir::AsmParser &parser, SymbolicTextEnd isEnd);

/// An end at the word `keyword`.
bool startsWithKeyword(const char *place, llvm::StringRef keyword);

/// Reports what the engine's parser found in `text`, at the offending column.
mlir::ParseResult emitSymbolicError(mlir::AsmParser &parser, llvm::StringRef text, const symbolic::ParseError &error);

/// Reads a symbolic text as an attribute.
mlir::FailureOr<ExprAttr> readExpr(mlir::AsmParser &parser, llvm::StringRef text);
mlir::FailureOr<DimsAttr> readDims(mlir::AsmParser &parser, llvm::StringRef text);
mlir::FailureOr<PredAttr> readPredicate(mlir::AsmParser &parser, llvm::StringRef text);

/// `S + P <= 4096 and S ne 3`: a predicate as op assembly writes it, where MLIR's lexer has no `!=`.
void printBarePredicate(mlir::AsmPrinter &printer, PredAttr predicate);

/// `"S + P <= 4096"`
mlir::FailureOr<PredAttr> parseQuotedPredicate(mlir::AsmParser &parser);
void printQuotedPredicate(mlir::AsmPrinter &printer, PredAttr predicate);

/// `[S, S + P]`
mlir::ParseResult parseDimList(mlir::AsmParser &parser, DimsAttr &dims);
void printDimList(mlir::AsmPrinter &printer, mlir::Operation *op, DimsAttr dims);

/// `(S = %S, P = %P)`: symbols and the SSA values that stand for them.
mlir::ParseResult parseBindings(mlir::OpAsmParser &parser, mlir::ArrayAttr &names,
                                llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printBindings(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr names,
                   mlir::OperandRange operands);
/// An end before what parseBindings reads.
bool startsWithBindings(const char *place);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_SYMBOLICTEXT_H
