//===- The symbolic engine for Python ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "dyn/Symbolic/SizeInference.h"
#include "dyn/Symbolic/Statements.h"
#include <map>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>

using namespace dyn::symbolic;

using Texts = std::vector<std::string>;

static void refuse(const std::string &text, const ParseError &error) {
  throw nanobind::value_error(
      (quoteAround(text, error.column) + ": " + error.message + " at column " + std::to_string(error.column)).c_str());
}

static Statement readStatement(const std::string &text, SymbolicContext &context) {
  ParseError error;
  std::optional<Statement> statement = parseStatement(text, context, error);
  if (!statement)
    refuse(text, error);
  return std::move(*statement);
}

/// What a program says of itself, as it was printed.
static Predicate readPredicate(const std::string &text, SymbolicContext &context) {
  ParseError error;
  std::optional<Predicate> predicate = parsePredicate(text, context, error);
  if (!predicate)
    refuse(text, error);
  return std::move(*predicate);
}

/// The verdict on `query`, and the facts that it follows from with their reasons, as lines.
static std::pair<std::string, Texts> prove(const std::string &query, const std::string &declarations,
                                           const std::vector<std::pair<std::string, std::string>> &facts,
                                           const Texts &given) {
  SymbolicContext context;
  Solver solver(context);
  ParseError error;
  auto symbols = parseSymbolDeclarations(declarations, error);
  if (!symbols)
    refuse(declarations, error);
  auto require = [&](bool holds, const std::string &what) {
    if (holds)
      return;
    const Conflict &conflict = *solver.getConflict();
    std::string message = quoteAround(what, 1) + " contradicts what is known: " + conflict.message;
    for (const ExplainStep &step : conflict.chain)
      message += "\n  " + step.fact + ": " + step.reason.text;
    throw nanobind::value_error(message.c_str());
  };
  for (const SymbolDeclaration &symbol : *symbols) {
    Expr expr = context.getSymbol(symbol.name);
    ReasonId reason = solver.addReason({"declared", "", 0});
    require(solver.declare(expr, symbol.facts, SymbolClass::Declared, reason), symbol.name);
    if (symbol.origin == SymbolDeclaration::Origin::Defined)
      if (Expr definition = parseExpr(symbol.definition, context, error))
        require(solver.addEqual(expr, definition, reason), symbol.definition);
  }
  for (const auto &[fact, because] : facts)
    require(solver.addPredicate(readPredicate(fact, context), solver.addReason({because, "", 0})), fact);
  createSymbols(llvm::SmallVector<llvm::StringRef>(given.begin(), given.end()), context);
  std::vector<Statement> statements;
  std::vector<ReasonId> reasons;
  for (const std::string &fact : given) {
    statements.push_back(readStatement(fact, context));
    reasons.push_back(solver.addReason({"given", "", 0}));
  }
  if (std::optional<size_t> refused = addStatements(solver, statements, reasons))
    require(false, given[*refused]);
  Statement question = readStatement(query, context);
  Verdict verdict = ask(solver, question).verdict;
  Texts chain;
  for (const ExplainStep &step : explain(solver, question))
    chain.push_back(step.fact + ": " + step.reason.text);
  return {verdict == Verdict::Yes ? "yes" : verdict == Verdict::No ? "no" : "unknown", std::move(chain)};
}

/// The names that declarations of symbols declare.
static Texts getDeclared(const std::string &declarations) {
  ParseError error;
  auto symbols = parseSymbolDeclarations(declarations, error);
  if (!symbols)
    refuse(declarations, error);
  Texts names;
  for (const SymbolDeclaration &symbol : *symbols)
    names.push_back(symbol.name);
  return names;
}

/// Declarations and predicates; a text for each.
static std::pair<Texts, Texts> splitList(const std::string &text) {
  FactTexts parts = splitFacts(text);
  auto copy = [](llvm::ArrayRef<llvm::StringRef> texts) { return Texts(texts.begin(), texts.end()); };
  return {copy(parts.declarations), copy(parts.predicates)};
}

static std::optional<int64_t> evaluateAt(const std::string &text, const std::map<std::string, int64_t> &values) {
  SymbolicContext context;
  ParseError error;
  Expr expr = parseExpr(text, context, error);
  if (!expr)
    refuse(text, error);
  return evaluate(expr, [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto found = values.find(name.str());
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

using Triples = std::vector<std::tuple<std::string, std::string, std::string>>;
using Sizes = std::vector<std::tuple<std::string, std::string, int64_t>>;

/// Sizes of what is wanted, symbols that are missing, and why there are no such sizes: see SizeInference.h. Facts are
/// predicate, reason and node; symbols and dims that are given are the name or the expression, the place, and the size.
static std::tuple<std::vector<std::optional<int64_t>>, Texts, std::string>
inferSizesOf(const std::string &declarations, const Triples &facts, const Sizes &symbols, const Sizes &dims,
             const std::vector<std::pair<std::string, std::string>> &wanted) {
  SizeProblem problem;
  problem.declarations = declarations;
  for (const auto &[predicate, because, node] : facts)
    problem.facts.push_back({predicate, because, node});
  for (const auto &[name, what, size] : symbols)
    problem.given.push_back({name, what, size, /*isName=*/true});
  for (const auto &[dim, what, size] : dims)
    problem.given.push_back({dim, what, size});
  for (const auto &[dim, where] : wanted)
    problem.wanted.push_back({dim, where});
  nanobind::gil_scoped_release release;
  ParseError error;
  std::optional<InferredSizes> inferred = inferSizes(problem, error);
  if (!inferred)
    throw std::runtime_error("sizes of the model can't be read: " + error.message);
  return {std::move(inferred->sizes), std::move(inferred->missing), std::move(inferred->conflict)};
}

template <typename Symbols>
static Texts getNames(const Symbols &symbols) {
  Texts names;
  for (Expr symbol : symbols)
    names.push_back(symbol.getSymbolName().str());
  return names;
}

static Texts getSymbols(const std::string &text) {
  SymbolicContext context;
  ParseError error;
  Expr expr = parseExpr(text, context, error);
  if (!expr)
    refuse(text, error);
  return getNames(expr.getSymbols());
}

static Texts getSymbolsOfPredicate(const std::string &text) {
  SymbolicContext context;
  return getNames(readPredicate(text, context).getSymbols());
}

void dyn::python::registerProve(nanobind::module_ &module) {
  module.def("prove", prove,
             "Verdict and reasons; the facts of a program are pairs of predicate and reason, others are given.");
  module.def("split_facts", splitList, "The declarations and the predicates of a list with semicolons.");
  module.def("declared_symbols", getDeclared, "The names of declared symbols.");
  module.def("evaluate", evaluateAt, "The value of an expression; None where a symbol has none.");
  module.def("infer_sizes", inferSizesOf, "Sizes that follow from given ones, what is missing, and contradictions.");
  module.def("symbols_of", getSymbols, "The symbols of an expression.");
  module.def("symbols_of_predicate", getSymbolsOfPredicate, "The symbols of a predicate.");
}
