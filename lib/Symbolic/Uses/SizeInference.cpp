//===- All sizes from the few that people give ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/SizeInference.h"
#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

namespace {

class Inference {
public:
  Inference(const SizeProblem &problem, ParseError &error) : problem(problem), error(error) {}

  std::optional<InferredSizes> run() {
    // Facts come before sizes, so that a contradiction is the fault of a size and the facts are why.
    if (!readDeclarations() || !readFacts() || !readGiven() || !readWanted())
      return std::nullopt;
    if (result.conflict.empty())
      findSizes();
    return std::move(result);
  }

private:
  bool readDeclarations();
  bool readFacts();
  bool readGiven();
  bool readWanted();
  void findSizes();
  void require(bool holds);
  void blame(const SizeProblem::GivenSize &given, Expr dim);
  std::string describeMissing(Expr symbol);

  const SizeProblem &problem;
  ParseError &error;
  SymbolicContext context;
  Solver solver{context};
  llvm::SmallVector<Expr> wanted;
  llvm::DenseMap<Expr, std::string> places; ///< of symbols in what is wanted
  InferredSizes result;
};

/// Client of the reason of a size that was given by the name of its symbol.
constexpr uint64_t kIsNamed = 1;

} // namespace

static std::optional<int64_t> getSize(const Range &range) {
  return range.lower && range.lower == range.upper ? range.lower : std::nullopt;
}

/// The facts that led to a conflict. The one that was refused, which is last, is left out.
static llvm::SmallVector<ExplainStep> getChain(const Conflict &conflict) {
  llvm::SmallVector<ExplainStep> steps;
  for (const ExplainStep &step : llvm::ArrayRef(conflict.chain).drop_back(!conflict.chain.empty()))
    if (!step.isDerived)
      steps.push_back(step);
  return steps;
}

static std::string print(llvm::ArrayRef<ExplainStep> steps) {
  std::string lines;
  for (const ExplainStep &step : steps) {
    lines += "\n  " + step.fact + ": " + step.reason.text;
    if (!step.reason.where.empty())
      lines += ", node '" + step.reason.where + "'";
  }
  return lines;
}

bool Inference::readDeclarations() {
  auto symbols = parseSymbolDeclarations(problem.declarations, error);
  if (!symbols)
    return false;
  ReasonId declared = solver.addReason({"declared", "", 0});
  for (const SymbolDeclaration &symbol : *symbols) {
    Expr expr = context.getSymbol(symbol.name);
    require(solver.declare(expr, symbol.facts, SymbolClass::Declared, declared));
    if (symbol.origin != SymbolDeclaration::Origin::Defined)
      continue;
    Expr definition = parseExpr(symbol.definition, context, error);
    if (!definition)
      return false;
    require(solver.addEqual(expr, definition, declared));
  }
  return true;
}

bool Inference::readFacts() {
  for (const SizeProblem::Fact &fact : problem.facts) {
    std::optional<Predicate> predicate = parsePredicate(fact.predicate, context, error);
    if (!predicate)
      return false;
    require(solver.addPredicate(*predicate, solver.addReason({fact.because, fact.node, 0})));
  }
  return true;
}

bool Inference::readGiven() {
  for (const SizeProblem::GivenSize &given : problem.given) {
    Expr dim = given.isName ? context.getSymbol(given.dim) : parseExpr(given.dim, context, error);
    if (!dim)
      return false;
    std::string text = given.what + " is given as " + std::to_string(given.size);
    ReasonId reason = solver.addReason({std::move(text), "", given.isName ? kIsNamed : 0});
    if (result.conflict.empty() && !solver.addEqual(dim, context.getConstant(given.size), reason))
      blame(given, dim);
  }
  return true;
}

bool Inference::readWanted() {
  for (const SizeProblem::WantedSize &each : problem.wanted)
    if (!wanted.emplace_back(parseExpr(each.dim, context, error)))
      return false;
  // A dim that is the symbol itself is a better place than one in which it occurs.
  for (bool isWhole : {true, false})
    for (auto [dim, each] : llvm::zip_equal(wanted, problem.wanted))
      if (!isWhole || dim.isSymbol())
        for (Expr symbol : dim.getSymbols())
          places.try_emplace(symbol, each.where);
  return true;
}

void Inference::require(bool holds) {
  if (!holds && result.conflict.empty())
    result.conflict = "no sizes fulfil what the model needs: " + solver.getConflict()->message +
                      print(getChain(*solver.getConflict()));
}

void Inference::blame(const SizeProblem::GivenSize &given, Expr dim) {
  llvm::SmallVector<ExplainStep> chain = getChain(*solver.getConflict());
  std::string size = " is given as " + std::to_string(given.size) + ", but ";
  // The name tells that they are the same.
  if (dim.isSymbol() && chain.size() == 1 && chain.front().reason.client == kIsNamed) {
    result.conflict = given.what + size + chain.front().reason.text;
    return;
  }
  std::string what = given.isName || dim.getConstant() ? given.what : given.what + ", " + given.dim + ",";
  Range range = solver.getRange(dim);
  std::string expected = "can't be";
  if (std::optional<int64_t> only = getSize(range))
    expected = "must be " + std::to_string(*only);
  else if (range.upper && given.size > *range.upper)
    expected = "must be <= " + std::to_string(*range.upper);
  else if (range.lower && given.size < *range.lower)
    expected = "must be >= " + std::to_string(*range.lower);
  result.conflict = what + size + expected + print(chain);
}

std::string Inference::describeMissing(Expr symbol) {
  std::string text = symbol.getSymbolName().str() + " (" + places.lookup(symbol);
  Range range = solver.getRange(symbol);
  std::string lower = std::to_string(range.lower.value_or(0));
  if (range.upper)
    text += ", " + lower + " to " + std::to_string(*range.upper);
  else if (range.lower && *range.lower > 0)
    text += ", at least " + lower;
  return text + ")";
}

void Inference::findSizes() {
  llvm::SmallVector<Expr> missing;
  for (Expr dim : wanted) {
    std::optional<int64_t> size = result.sizes.emplace_back(getSize(solver.getRange(dim)));
    if (size)
      continue;
    // What one symbol is expressed by needs to be given, not that symbol. The engine has symbols of its own, too.
    llvm::SmallVector<Expr, 4> symbols = solver.simplify(dim).getSymbols();
    if (symbols.empty() || !llvm::all_of(symbols, [&](Expr symbol) { return places.contains(symbol); }))
      symbols = dim.getSymbols();
    for (Expr symbol : symbols)
      if (!llvm::is_contained(missing, symbol) && !getSize(solver.getRange(symbol)))
        missing.push_back(symbol);
  }
  for (Expr symbol : missing)
    result.missing.push_back(describeMissing(symbol));
}

std::optional<InferredSizes> dyn::symbolic::inferSizes(const SizeProblem &problem, ParseError &error) {
  return Inference(problem, error).run();
}
