//===- What is wrong with the dims that a model declares ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNXShapes/CheckDims.h"
#include "Differences.h"
#include "ShapeText.h"
#include "dyn/Symbolic/Obligations.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

namespace {

class Checker {
public:
  explicit Checker(ModelShapes &shapes)
      : shapes(shapes), analysis(shapes.getAnalysis()), solver(analysis.getSolver()),
        declaredDims(shapes.findDeclaredDims()) {
    for (const SymbolDeclaration &symbol : analysis.getSymbols()) {
      Expr name = analysis.getContext().getSymbol(symbol.name);
      known.insert(name);
      if (symbol.origin == Origin::Bound)
        fromData.insert(name);
      if (symbol.origin == Origin::Bound || symbol.origin == Origin::Defined || symbol.origin == Origin::ArgumentValue)
        namedHere.insert(name);
    }
    // What an op counts in data is another size at other data.
    shapes.getFunction().walk([&](Operation *op) {
      if (Expr counted = analysis.getBoundSize(op))
        fromData.erase(counted);
    });
  }

  DimCheck run();

private:
  void checkConflicts();
  void checkSymbol(const SymbolDeclaration &symbol);
  void checkRanks();
  void checkDeclaredDim(const DeclaredDim &dim);
  void checkNames();
  void checkDifferences();
  /// Adds a finding with the reasons why `predicate` holds.
  void add(const Twine &text, const Predicate &predicate);
  std::vector<std::string> explain(const Predicate &predicate);
  /// `node '/l0/Reshape_4'`, that of the last fact which makes `predicate` hold.
  std::string findCulprit(const Predicate &predicate);
  /// `input dim 'seq' (dim 1 of 'input_ids')`
  std::string describe(const SymbolDeclaration &symbol);
  /// Sizes at which an equation that is not refuted at all of them does not hold; nothing where none are found.
  std::optional<std::string> findSizes(const Predicate &equal);
  /// Written with names of inputs, and what data determine.
  bool isKnown(Expr expr) const {
    return llvm::all_of(expr.getSymbols(), [&](Expr symbol) { return known.contains(symbol); });
  }

  ModelShapes &shapes;
  ShapeAnalysis &analysis;
  Solver &solver;
  llvm::SmallDenseSet<Expr> known;
  llvm::SmallDenseSet<Expr> namedHere; ///< sizes from data, abbreviations
  llvm::SmallDenseSet<Expr> fromData;  ///< sizes that may be any, or follow from others in ways that are not followed
  std::vector<DeclaredDim> declaredDims;
  /// Names that no input has, with the places that tell their sizes.
  llvm::MapVector<Expr, SmallVector<std::pair<const DeclaredDim *, Expr>>> newNames;
  Substitution definitions; ///< of those names
  SmallVector<const DeclaredDim *> unsolved, differing;
  DimCheck check;
};

} // namespace

std::vector<std::string> Checker::explain(const Predicate &predicate) {
  std::vector<std::string> lines;
  for (const ExplainStep &step : solver.explain(predicate))
    if (!step.reason.where.empty())
      lines.push_back(step.fact + ": " + step.reason.text + ", node '" + step.reason.where + "'");
  return lines;
}

std::string Checker::findCulprit(const Predicate &predicate) {
  std::string culprit = "the graph";
  for (const ExplainStep &step : solver.explain(predicate))
    if (!step.reason.where.empty())
      culprit = "node '" + step.reason.where + "'";
  return culprit;
}

void Checker::add(const Twine &text, const Predicate &predicate) {
  check.findings.push_back({text.str(), explain(predicate)});
}

std::string Checker::describe(const SymbolDeclaration &symbol) {
  return "input dim '" + symbol.name + "' (" + describeOrigin(shapes, symbol) + ")";
}

void Checker::checkConflicts() {
  for (const std::string &conflict : shapes.getConflicts()) {
    SmallVector<StringRef> lines;
    StringRef(conflict).split(lines, '\n');
    DimFinding &finding = check.findings.emplace_back();
    finding.text = lines.front().str();
    for (StringRef line : ArrayRef(lines).drop_front())
      finding.reasons.push_back(line.trim().str());
  }
}

std::optional<std::string> Checker::findSizes(const Predicate &equal) {
  // Data may well tell that what they count is the same.
  bool isFromData = llvm::any_of(equal.getSymbols(), [&](Expr symbol) { return fromData.contains(symbol); });
  return isFromData ? std::nullopt : findDifference(shapes, equal);
}

/// A dim of an input that is free by its declaration, but not in the graph.
void Checker::checkSymbol(const SymbolDeclaration &symbol) {
  if (symbol.origin != Origin::ArgumentDim)
    return;
  Expr name = analysis.getContext().getSymbol(symbol.name), value = solver.simplify(name);
  if (Range range = solver.getRange(name); range.lower && range.lower == range.upper)
    value = analysis.getConstant(*range.lower);
  if (!value || value == name)
    return;
  Predicate equal = Predicate::equal(name, value);
  std::string text = value.str();
  if (value.getConstant())
    add(describe(symbol) + " is declared dynamic, but " + findCulprit(equal) + " forces it to " + text, equal);
  else if (shapes.isUnnamed(symbol.argument, symbol.index))
    check.names.push_back(describe(symbol) + ", which has no name in the file, is " + text);
  else
    add(describe(symbol) + " is declared free, but " + findCulprit(equal) + " forces it to " + text, equal);
}

/// `declared == inferred` solved for a name that stands in `declared` once, with factor 1; null if that can't be done.
static Expr solveFor(Expr name, Expr declared, Expr inferred) {
  Expr rest = declared - name;
  return rest && !llvm::is_contained(rest.getSymbols(), name) ? inferred - rest : Expr();
}

void Checker::checkDeclaredDim(const DeclaredDim &dim) {
  // What the file calls by a name of its own is another size than what has been given that name here.
  auto isNamedHere = [&](Expr symbol) { return namedHere.contains(symbol); };
  if (!dim.inferred || shapes.followsConflict(dim.inferred) || llvm::any_of(dim.declared.getSymbols(), isNamedHere))
    return;
  SmallVector<Expr> unknown =
      llvm::filter_to_vector(dim.declared.getSymbols(), [&](Expr symbol) { return !known.contains(symbol); });
  if (unknown.empty())
    return differing.push_back(&dim);
  Expr value = unknown.size() == 1 ? solveFor(unknown[0], dim.declared, dim.inferred) : Expr();
  if (value)
    newNames[unknown[0]].push_back({&dim, value});
  else
    unsolved.push_back(&dim);
}

/// Names that stand in outputs and value_info only: each should name one size.
void Checker::checkNames() {
  for (auto &[name, uses] : newNames) {
    const DeclaredDim *first = uses.front().first;
    Expr size = uses.front().second;
    auto other = llvm::find_if(uses, [&](const auto &use) { return !analysis.isKnownEqual(size, use.second); });
    if (other != uses.end()) {
      Predicate equal = Predicate::equal(size, other->second);
      std::string in = " in " + first->describe(), inOther = " in " + other->first->describe();
      bool isWrong = solver.implies(equal) == Verdict::No;
      std::optional<std::string> sizes = isWrong ? std::nullopt : findSizes(equal);
      if (isWrong || sizes)
        add("'" + name.getSymbolName() + "' names two sizes: " + size.str() + in + ", " + other->second.str() +
                inOther + (sizes ? ", which are not the same at " + *sizes : ""),
            equal);
      else
        check.undecided.push_back("'" + name.getSymbolName().str() + "' is " + size.str() + in + " and " +
                                  other->second.str() + inOther);
    } else if (name != size)
      check.names.push_back("'" + name.getSymbolName().str() + "' is " + size.str() + "  (" + first->describe() + ")");
    definitions[name.getNode()] = size;
  }
  for (const DeclaredDim *dim : unsolved)
    differing.push_back(dim);
}

/// Declarations that say something else than what is inferred; those that say the same in one text.
void Checker::checkDifferences() {
  llvm::MapVector<std::pair<Expr, Expr>, SmallVector<const DeclaredDim *>> different;
  for (const DeclaredDim *dim : differing) {
    Expr declared = substitute(dim->declared, definitions);
    if (declared && isKnown(declared) && declared != withoutPromises(dim->inferred) &&
        !analysis.isKnownEqual(declared, dim->inferred))
      different[{dim->declared, dim->inferred}].push_back(dim);
  }
  for (auto &[exprs, dims] : different) {
    Expr declared = exprs.first, inferred = exprs.second;
    Predicate equal = Predicate::equal(substitute(declared, definitions), inferred);
    std::string where = dims.front()->describe();
    if (dims.size() > 1)
      where += " (and " + std::to_string(dims.size() - 1) + " more)";
    std::string says = where + " is declared as " + declared.str();
    if (solver.implies(equal) == Verdict::No)
      add(says + ", but is " + inferred.str(), equal);
    else if (std::optional<std::string> sizes = findSizes(equal))
      add(says + ", but is " + inferred.str() + ", which is not the same at " + *sizes, equal);
    else
      check.undecided.push_back(says + ", and is " + inferred.str());
  }
}

void Checker::checkRanks() {
  for (const DeclaredRank &rank : shapes.findWrongRanks()) {
    std::string text = (rank.isOutput ? "output '" : "'") + rank.value + "' is declared with rank " +
                       std::to_string(rank.declared) + ", but has rank " + std::to_string(rank.inferred);
    if (!llvm::is_contained(llvm::map_range(check.findings, [](const DimFinding &f) { return f.text; }), text))
      check.findings.push_back({std::move(text), {}});
  }
}

DimCheck Checker::run() {
  check.numUnchecked = shapes.countForeignNodes();
  checkConflicts();
  checkRanks();
  for (const SymbolDeclaration &symbol : analysis.getSymbols())
    checkSymbol(symbol);
  for (const DeclaredDim &dim : declaredDims)
    checkDeclaredDim(dim);
  checkNames();
  checkDifferences();
  for (const ShapeGuard &guard : shapes.getGuards())
    if (!llvm::any_of(guard.predicate.getSymbols(), [&](Expr symbol) { return shapes.followsConflict(symbol); }))
      check.guards.push_back(describeGuard(guard));
  return std::move(check);
}

DimCheck onnx::checkDims(ModelShapes &shapes) { return Checker(shapes).run(); }

void onnx::printCheck(const DimCheck &check, raw_ostream &os) {
  if (check.findings.empty())
    os << "no findings" << (check.numUnchecked ? " in the nodes that can be imported" : "") << '\n';
  for (const DimFinding &finding : check.findings) {
    os << finding.text << '\n';
    for (const std::string &reason : finding.reasons)
      os << "    " << reason << '\n';
  }
  auto list = [&](StringRef title, ArrayRef<std::string> lines) {
    if (!lines.empty())
      os << title << '\n';
    for (const std::string &line : lines)
      os << "  " << line << '\n';
  };
  list("other names", check.names);
  list("not decided", check.undecided);
  list("guards, checked before any kernel of a run", check.guards);
  if (check.numUnchecked)
    os << check.numUnchecked << (check.numUnchecked == 1 ? " node was" : " nodes were")
       << " not checked, and the model can't be compiled: see the warnings\n";
}
