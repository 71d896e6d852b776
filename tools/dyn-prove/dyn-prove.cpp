//===- Asks the symbolic engine from the command line -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Exits with 0 for any verdict, with 2 for text that can't be read.
//
//===----------------------------------------------------------------------===//

#include "Batch.h"
#include "Facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace dyn::prove;
using namespace dyn::symbolic;
namespace cl = llvm::cl;

static int fail(llvm::Error error) {
  // Each row of a table has its own.
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &each) {
    llvm::WithColor::error(llvm::errs(), "dyn-prove") << each.message() << '\n';
  });
  return 2;
}

static void printChain(Facts &facts, const Statement &query) {
  std::vector<ExplainStep> chain =
      facts.isContradictory() ? facts.solver.getConflict()->chain : explain(facts.solver, query);
  if (facts.isContradictory())
    llvm::outs() << "note: the facts contradict each other\n";
  size_t width = 0;
  for (const ExplainStep &step : chain)
    width = std::max(width, step.fact.size());
  for (const ExplainStep &step : chain)
    llvm::outs() << "note: " << step.fact << std::string(width - step.fact.size() + 2, ' ') << step.reason.text << '\n';
}

/// `-a <= b` and `--a <= b`, where an option would be `-a` or `--a=b`.
static bool isNegated(llvm::StringRef argument) {
  if (!argument.consume_front("-"))
    return false;
  bool isTwice = argument.consume_front("-");
  llvm::StringRef rest = argument.drop_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
  bool isNumber = !argument.empty() && llvm::isDigit(argument.front());
  return isNumber || (!rest.empty() && (rest.front() != '=' || (!isTwice && rest.starts_with("=="))));
}

/// Puts what begins with a minus sign and is no option behind `--`, where it is taken as it is.
static llvm::SmallVector<const char *> separateQuery(llvm::ArrayRef<const char *> arguments) {
  llvm::SmallVector<const char *> options, queries;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (llvm::StringRef(argument) == "--")
      return llvm::SmallVector<const char *>(arguments);
    bool isValue = index != 0 && llvm::is_contained({"--given", "-given", "--batch", "-batch"},
                                                    llvm::StringRef(arguments[index - 1]));
    (!isValue && isNegated(argument) ? queries : options).push_back(argument);
  }
  if (!queries.empty())
    options.push_back("--");
  options.append(queries);
  return options;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("dyn-prove options");
  cl::opt<std::string> query(cl::Positional, cl::desc("PREDICATE"), cl::cat(category));
  cl::list<std::string> given("given", cl::desc("Facts and declarations, separated by ';'; more than once adds more"),
                              cl::value_desc("string"), cl::cat(category));
  cl::opt<bool> explain("explain", cl::desc("Print the facts that the verdict rests on"), cl::cat(category));
  cl::opt<std::string> batch("batch", cl::desc("A table of questions, tab-separated"), cl::value_desc("FILE.tsv"),
                             cl::cat(category));
  cl::HideUnrelatedOptions(category);
  llvm::SmallVector<const char *> arguments = separateQuery(llvm::ArrayRef(argv, argc));
  if (!cl::ParseCommandLineOptions(arguments.size(), arguments.data(), "Proves and refutes relations between sizes\n",
                                   &llvm::errs()))
    return 2;

  if (batch.getNumOccurrences() && (!query.empty() || given.getNumOccurrences() || explain))
    return fail(llvm::createStringError("--batch has questions and facts of its own"));
  if (batch.getNumOccurrences()) {
    llvm::Error error = runBatch(batch, llvm::outs());
    return error ? fail(std::move(error)) : 0;
  }
  if (query.empty())
    return fail(llvm::createStringError("expected a predicate, or --batch"));
  Facts facts;
  if (llvm::Error error = facts.addList(llvm::join(given, ";")))
    return fail(std::move(error));
  ParseError parseError;
  std::optional<Statement> question = parseStatement(query, facts.context, parseError);
  if (!question)
    return fail(makeParseError("query", query, parseError));
  facts.warnOfContradiction();
  llvm::outs() << getText(facts.decide(*question)) << '\n';
  if (explain)
    printChain(facts, *question);
  return 0;
}
