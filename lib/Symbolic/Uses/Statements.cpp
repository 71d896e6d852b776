//===- Questions and facts with what they promise ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Statements.h"
#include "Solver/SortedFacts.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace dyn::symbolic;

/// Does it say that all of its comparisons hold?
static bool saysAll(const Predicate &predicate) {
  using Kind = Predicate::Kind;
  return predicate.kind == Kind::And ? llvm::all_of(predicate.operands, saysAll)
                                     : predicate.kind != Kind::Or && predicate.kind != Kind::Not;
}

bool dyn::symbolic::addStatement(Solver &solver, const Statement &fact, ReasonId reason) {
  if (fact.promises.empty() || !saysAll(fact.predicate))
    return solver.addPredicate(fact.predicate, reason);
  std::vector<Predicate> all = {fact.predicate};
  all.insert(all.end(), fact.promises.begin(), fact.promises.end());
  return solver.addPredicate(Predicate::conjunction(std::move(all)), reason);
}

void dyn::symbolic::createSymbols(llvm::ArrayRef<llvm::StringRef> statements, SymbolicContext &context) {
  SymbolicContext scratch;
  std::set<std::string> names;
  for (llvm::StringRef text : statements) {
    ParseError error;
    if (std::optional<Statement> statement = parseStatement(text, scratch, error))
      for (Expr symbol : statement->predicate.getSymbols())
        names.insert(symbol.getSymbolName().str());
  }
  for (const std::string &name : names)
    (void)context.getSymbol(name);
}

static void appendParts(const Predicate &predicate, std::vector<Predicate> &parts) {
  if (predicate.kind != Predicate::Kind::And)
    return parts.push_back(predicate);
  for (const Predicate &part : predicate.operands)
    appendParts(part, parts);
}

std::optional<size_t> dyn::symbolic::addStatements(Solver &solver, llvm::ArrayRef<Statement> facts,
                                                   llvm::ArrayRef<ReasonId> reasons) {
  struct Part {
    Predicate predicate;
    size_t fact;
  };
  std::vector<Part> parts;
  for (auto [index, fact] : llvm::enumerate(facts)) {
    std::vector<Predicate> ofFact;
    appendParts(fact.predicate, ofFact);
    if (saysAll(fact.predicate))
      for (const Predicate &promise : fact.promises)
        appendParts(promise, ofFact);
    for (Predicate &predicate : ofFact)
      parts.push_back({std::move(predicate), index});
  }
  llvm::stable_sort(parts,
                    [](const Part &a, const Part &b) { return SortedFacts::comesBefore(a.predicate, b.predicate); });
  for (const Part &part : parts)
    if (!solver.addPredicate(part.predicate, reasons[part.fact]))
      return part.fact;
  return std::nullopt;
}

/// A solver that knows the promises, too; nothing where they contradict the facts. As one fact they have the effort of
/// one; reasons tell them apart.
static std::optional<Solver> suppose(const Solver &solver, std::vector<Predicate> promises, bool areReasons = false) {
  Solver supposed = solver.fork();
  ReasonId reason = supposed.addReason({"promised", "", 0});
  auto add = [&](const Predicate &promise) { return supposed.addPredicate(promise, reason); };
  bool isConsistent = areReasons ? llvm::all_of(promises, add) : add(Predicate::conjunction(std::move(promises)));
  return isConsistent ? std::optional(std::move(supposed)) : std::nullopt;
}

Answer dyn::symbolic::ask(Solver &solver, const Statement &question) {
  Verdict verdict = solver.implies(question.predicate);
  if (question.promises.empty())
    return {verdict};
  std::optional<Solver> supposed = suppose(solver, question.promises);
  if (!supposed)
    return {Verdict::Unknown, /*saysNothing=*/true};
  return {verdict == Verdict::Unknown ? supposed->implies(question.predicate) : verdict};
}

std::vector<ExplainStep> dyn::symbolic::explain(Solver &solver, const Statement &question) {
  Answer answer = ask(solver, question);
  if (answer.verdict == Verdict::Unknown)
    return {};
  if (solver.implies(question.predicate) != Verdict::Unknown)
    return solver.explain(question.predicate);
  for (bool areReasons : {true, false}) {
    std::optional<Solver> supposed = suppose(solver, question.promises, areReasons);
    if (supposed && supposed->implies(question.predicate) == answer.verdict)
      return supposed->explain(question.predicate);
  }
  return {};
}
