//===- Many questions from a table ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Batch.h"
#include "Facts.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dyn::prove;
using namespace dyn::symbolic;

namespace {
using Row = llvm::StringMap<llvm::StringRef>;
}

static llvm::Expected<Verdict> decideEquality(const Row &row) {
  Facts facts;
  if (llvm::Error error = facts.addDeclarations(row.lookup("symbols")))
    return error;
  ParseError error;
  Statement query;
  Expr lhs = parseSide(row.lookup("lhs"), facts.context, query.promises, error);
  if (!lhs)
    return makeParseError("lhs", row.lookup("lhs"), error);
  Expr rhs = parseSide(row.lookup("rhs"), facts.context, query.promises, error);
  if (!rhs)
    return makeParseError("rhs", row.lookup("rhs"), error);
  query.predicate = Predicate::equal(lhs, rhs);
  return facts.decide(query, row.lookup("id"));
}

static llvm::Expected<Verdict> decideImplication(const Row &row) {
  Facts facts;
  if (llvm::Error error = facts.addList(row.lookup("facts")))
    return error;
  ParseError error;
  std::optional<Statement> query = parseStatement(row.lookup("query"), facts.context, error);
  if (!query)
    return makeParseError("query", row.lookup("query"), error);
  facts.warnOfContradiction(row.lookup("id"));
  return facts.decide(*query, row.lookup("id"));
}

llvm::Error dyn::prove::runBatch(llvm::StringRef path, llvm::raw_ostream &os) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  llvm::SmallVector<llvm::StringRef> lines, columns;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.empty())
    return llvm::Error::success();
  lines.front().rtrim('\r').split(columns, '\t');
  bool equalities = llvm::is_contained(columns, "lhs") && llvm::is_contained(columns, "rhs");
  if (!equalities && !(llvm::is_contained(columns, "facts") && llvm::is_contained(columns, "query")))
    return llvm::createStringError("'" + path + "' has neither columns 'lhs' and 'rhs' nor 'facts' and 'query'");
  llvm::Error errors = llvm::Error::success();
  for (llvm::StringRef line : llvm::drop_begin(lines)) {
    llvm::SmallVector<llvm::StringRef> fields;
    line.rtrim('\r').split(fields, '\t');
    Row row;
    for (auto [column, field] : llvm::zip(columns, fields))
      row[column] = field;
    llvm::Expected<Verdict> verdict = equalities ? decideEquality(row) : decideImplication(row);
    // The rows after it have answers of their own.
    if (!verdict) {
      errors = llvm::joinErrors(std::move(errors),
                                llvm::createStringError(row.lookup("id") + ": " + llvm::toString(verdict.takeError())));
      continue;
    }
    os << row.lookup("id") << '\t' << getText(*verdict) << '\n';
  }
  return errors;
}
