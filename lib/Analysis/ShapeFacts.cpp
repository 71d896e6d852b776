//===- What an analysis of shapes relies on: symbols, facts and guards ---------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Guards/ConflictText.h"
#include "Guards/DecidedParts.h"
#include "Guards/EquationFactors.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Scopes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

std::string ShapeAnalysis::getInputName(unsigned index) {
  // Names that begin with a control character are the engine's own.
  auto name = function.getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName);
  if (name && !name.empty() && static_cast<unsigned char>(name.getValue().front()) >= ' ')
    return name.getValue().str();
  return ("arg" + Twine(index)).str();
}

static std::string describe(const Reason &reason) {
  return reason.where.empty() ? reason.text : reason.text + " at " + reason.where;
}

LogicalResult ShapeAnalysis::emitConflict(const Twine &text, Location loc, const Predicate *refused) {
  InFlightDiagnostic diagnostic = mlir::emitError(loc) << text;
  if (const std::optional<Conflict> &conflict = scope->solver.getConflict()) {
    diagnostic << ": " << conflict->message;
    // Programs that print one line leave out notes: few facts are told in it, the last is the refused one.
    constexpr size_t mostInLine = 3;
    SmallVector<ExplainStep> given = llvm::to_vector(llvm::make_filter_range(
        ArrayRef(conflict->chain).drop_back(), [](const auto &step) { return !step.isDerived; }));
    if (!given.empty() && given.size() <= mostInLine)
      for (const ExplainStep &step : given)
        diagnostic << (&step == given.begin() ? "; given: " : "; ") << step.fact << " (" << describe(step.reason)
                   << ")";
    if (refused && current && current->getLoc() == loc && current->getNumOperands() != 0)
      diagnostic << "; " << describeOperands(current, *refused, *this);
    for (const ExplainStep &step : conflict->chain) {
      uint64_t place = step.reason.client;
      bool hasPlace = !step.isDerived && place < reasonLocations.size();
      Diagnostic &note = diagnostic.attachNote(hasPlace ? reasonLocations[place] : loc);
      note << step.fact << ": " << describe(step.reason);
    }
  }
  return diagnostic;
}

LogicalResult ShapeAnalysis::addFact(const Predicate &predicate, const Twine &because, Location loc) {
  ReasonId reason = scope->solver.addReason({because.str(), describePlace(loc), reasonLocations.size()});
  reasonLocations.push_back(loc);
  if (scope->solver.addPredicate(predicate, reason)) {
    scope->facts.push_back(predicate);
    return success();
  }
  std::string node = getNodeName(loc).str();
  return emitConflict((node.empty() ? Twine() : "node '" + Twine(node) + "': ") + because, loc, &predicate);
}

SymbolDeclaration &ShapeAnalysis::addDeclaration(Expr symbol, SymbolDeclaration declaration) {
  symbolPlaces[symbol] = symbols.size();
  return symbols.emplace_back(std::move(declaration));
}

SymbolDeclaration *ShapeAnalysis::findDeclaration(Expr symbol) {
  auto place = symbolPlaces.find(symbol);
  return place == symbolPlaces.end() ? nullptr : &symbols[place->second];
}

Expr ShapeAnalysis::createSymbol(SymbolDeclaration declaration, SymbolClass symbolClass, const Twine &reason) {
  Expr symbol = context.getSymbol(declaration.name);
  std::string where;
  if (declaration.origin == Origin::ArgumentDim)
    where = "dim " + std::to_string(declaration.index) + " of input '" + getInputName(declaration.argument) + "'";
  ReasonId id = scope->solver.addReason({reason.str(), where, reasonLocations.size()});
  reasonLocations.push_back(function.getLoc());
  if (!scope->solver.declare(symbol, declaration.facts, symbolClass, id))
    return Expr();
  addDeclaration(symbol, std::move(declaration));
  scope->ownSymbols.insert(symbol);
  return symbol;
}

LogicalResult ShapeAnalysis::declareSymbols() {
  if (auto attribute = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    for (SymbolDeclaration &declaration : attribute.getDeclarations()) {
      std::string name = declaration.name;
      SymbolClass symbolClass =
          declaration.origin == Origin::Bound ? SymbolClass::DataDependent : SymbolClass::Declared;
      std::string definition = declaration.origin == Origin::Defined ? declaration.definition : "";
      Expr symbol = createSymbol(std::move(declaration), symbolClass, "declared");
      if (!symbol)
        return emitConflict("facts of symbol '" + Twine(name) + "' contradict each other", function.getLoc());
      if (definition.empty())
        continue;
      ParseError error;
      Expr value = parseExpr(definition, context, error);
      if (value &&
          failed(addFact(Predicate::equal(symbol, value), "definition of '" + Twine(name) + "'", function.getLoc())))
        return failure();
      if (!value)
        continue;
      definitions[value] = symbol;
      noteDefinition(symbol, value);
    }
  numDeclared = symbols.size();
  if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
    for (PredAttr constraint : constraints.getPredicates())
      if (failed(addFact(constraint.getPredicate(context), "declared constraint", function.getLoc())))
        return failure();
  return success();
}

SymbolFacts ShapeAnalysis::describeUnguarded(ArrayRef<Expr> sizes) {
  if (!unguarded) {
    unguarded.emplace(context);
    numUnguarded = 0;
    if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
      (void)addDeclaredFacts({}, constraints, *unguarded);
  }
  for (; numUnguarded < symbols.size(); ++numUnguarded) {
    const SymbolDeclaration &known = symbols[numUnguarded];
    (void)unguarded->declare(context.getSymbol(known.name), known.facts, SymbolClass::Declared,
                             unguarded->addReason({}));
  }
  std::optional<SymbolFacts> facts;
  for (Expr size : sizes) {
    SymbolFacts described = describeSize(*unguarded, size);
    facts = facts ? joinFacts(*facts, described) : described;
  }
  return facts.value_or(SymbolFacts());
}

void ShapeAnalysis::tellUnguarded(Expr symbol) {
  if (symbolPlaces.lookup(symbol) < numUnguarded)
    (void)unguarded->declare(symbol, findDeclaration(symbol)->facts, SymbolClass::Declared, unguarded->addReason({}));
}

Expr ShapeAnalysis::defineSymbol(Expr definition) {
  Expr &symbol = definitions[definition];
  if (symbol)
    return symbol;
  SymbolDeclaration declaration;
  declaration.name = context.createSymbol("d").getSymbolName().str();
  declaration.facts = describeSize(scope->solver, definition);
  declaration.origin = Origin::Defined;
  declaration.definition = definition.str();
  SymbolFacts unguardedFacts = describeUnguarded(definition);
  symbol = createSymbol(std::move(declaration), SymbolClass::Internal, "abbreviation");
  if (!symbol)
    return symbol;
  findDeclaration(symbol)->facts = std::move(unguardedFacts);
  noteDefinition(symbol, definition);
  return symbol;
}

Expr ShapeAnalysis::createBoundSymbol(Operation *op, const SizeLimits &limits) {
  SymbolDeclaration declaration;
  declaration.name = context.createSymbol("u").getSymbolName().str();
  declaration.origin = Origin::Bound;
  if (limits.upper)
    declaration.facts.range.upper = describeUnguarded(limits.upper).range.upper;
  if (limits.lower)
    declaration.facts.range.lower = std::max<int64_t>(describeUnguarded(limits.lower).range.lower.value_or(0), 0);
  Expr symbol = createSymbol(std::move(declaration), SymbolClass::DataDependent, "size from data");
  if (!symbol)
    return symbol;
  limitSize(op, symbol, limits);
  return symbol;
}

void ShapeAnalysis::limitSize(Operation *op, Expr symbol, const SizeLimits &limits) {
  if (limits.upper)
    (void)addFact(Predicate::lessEqual(symbol, limits.upper), "most that the op can give", op->getLoc());
  if (limits.lower)
    (void)addFact(Predicate::lessEqual(limits.lower, symbol), "least that the op can give", op->getLoc());
  sizeLimits[symbol] = limits;
}

Expr ShapeAnalysis::bindSize(Operation *op, Expr upper) {
  Expr &symbol = boundSizes[op];
  if (symbol && scope->ownSymbols.contains(symbol))
    return symbol;
  if (symbol) {
    // A region is analysed again, with nothing known of what was in it before.
    scope->ownSymbols.insert(symbol);
    scope->solver.declare(symbol, SymbolFacts(), SymbolClass::DataDependent, scope->solver.addReason({}));
  } else {
    return symbol = createBoundSymbol(op, {{}, upper});
  }
  if (symbol && upper)
    (void)addFact(Predicate::lessEqual(symbol, upper), "most that the op can give", op->getLoc());
  return symbol;
}

void ShapeAnalysis::noteDefinition(Expr symbol, Expr definition) {
  if (areKnownAtEntry(definition))
    definedByData.erase(symbol);
  else
    definedByData.insert(symbol);
}

bool ShapeAnalysis::areKnownAtEntry(ArrayRef<Expr> exprs) {
  auto isBound = [&](Expr symbol) {
    const SymbolDeclaration *declaration = findDeclaration(symbol);
    return declaration && (declaration->origin == Origin::Bound || definedByData.contains(symbol));
  };
  return llvm::all_of(exprs, [&](Expr expr) { return expr && llvm::none_of(expr.getSymbols(), isBound); });
}

/// The reason of an op's guard with the name of the op, or with what it has been given instead: the operator.
static std::string getReason(Operation *op, const Twine &because, ReasonPlace place) {
  std::string own = because.str(), name;
  std::optional<GuardReason> given = op ? GuardReason::get(op) : std::nullopt;
  if (given && !given->whole.empty())
    return given->whole;
  if (place == ReasonPlace::Alone)
    name = given ? given->getSubject() : "";
  else
    name = given ? given->str() : op ? getToldName(op).str() : "";
  return name + (name.empty() || own.empty() ? "" : ": ") + own;
}

LogicalResult ShapeAnalysis::require(const Predicate &said, const Twine &because, ReasonPlace place) {
  // Of a dim that is not known yet, the op says it again when it is; what leaves 64 bits can't be checked.
  if (!symbolic::isComplete(said))
    return success();
  std::optional<Predicate> open = dropDecided(said);
  if (!open)
    return success();
  // The solver gives up on large expressions, even where they are known word for word.
  auto isTold = [&](const Predicate &predicate) {
    for (const Scope *place = scope; place; place = place->parent)
      if (llvm::is_contained(place->facts, predicate))
        return true;
    return false;
  };
  auto isKnown = [&](const Predicate &predicate) {
    return isTold(predicate) || scope->solver.implies(predicate) == Verdict::Yes;
  };
  if (isKnown(*open))
    return success();
  // What is known of the factors may be too far from their product.
  Predicate predicate = splitFactors(*open, scope->solver);
  if (!(predicate == *open) && isKnown(predicate))
    return success();
  ShapeGuard guard{predicate, getReason(current, because, place), current ? current->getLoc() : function.getLoc()};
  if (const Limit *limit = findLimit(predicate)) {
    guard.because = limit->because;
    if (!getNodeName(limit->loc).empty())
      guard.loc = limit->loc;
  }
  if (failed(addFact(predicate, guard.because, guard.loc)))
    return failure();
  scope->guards.push_back(std::move(guard));
  return success();
}

LogicalResult ShapeAnalysis::addGuard(ShapeGuard guard) {
  if (scope->solver.implies(guard.predicate) == Verdict::Yes)
    return success();
  if (failed(addFact(guard.predicate, guard.because, guard.loc)))
    return failure();
  scope->guards.push_back(std::move(guard));
  return success();
}

LogicalResult ShapeAnalysis::requireAtEntry(const Predicate &said, const Twine &because, ReasonPlace place) {
  size_t before = scope->guards.size();
  if (failed(require(said, because, place)))
    return failure();
  for (ShapeGuard &guard : llvm::MutableArrayRef(scope->guards).drop_front(before))
    guard.isOfAllRuns = scope != &root;
  return success();
}

void ShapeAnalysis::tellSymbolsOfGuards() {
  auto isToldBy = [&](Expr symbol) {
    const SymbolDeclaration *declaration = findDeclaration(symbol);
    return declaration && (declaration->origin == Origin::Defined || declaration->origin == Origin::Bound);
  };
  struct Place {
    StringRef node;
    int64_t dim = 0;
  };
  llvm::DenseMap<Expr, Place> places; ///< the first dim that each of them is
  for (const ShapeGuard &guard : root.guards)
    for (Expr symbol : guard.predicate.getSymbols())
      if (isToldBy(symbol))
        places.try_emplace(symbol);
  if (places.empty())
    return;
  for (Operation &op : *root.block)
    for (Value result : op.getResults())
      if (const Dims *dims = findDims(result))
        for (auto [index, dim] : llvm::enumerate(*dims))
          if (auto place = places.find(dim); place != places.end() && place->second.node.empty())
            place->second = {getNodeName(op.getLoc()), static_cast<int64_t>(index)};
  for (ShapeGuard &guard : root.guards) {
    struct Told {
      std::string symbols, dims;
      unsigned count = 0;
    };
    llvm::MapVector<StringRef, Told> nodes;
    for (Expr symbol : guard.predicate.getSymbols())
      if (auto [node, dim] = places.lookup(symbol); !node.empty()) {
        Told &told = nodes[node];
        StringRef separator = told.count++ == 0 ? "" : ", ";
        told.symbols += (separator + symbol.str()).str();
        told.dims += (separator + Twine(dim)).str();
      }
    for (auto &[node, told] : nodes)
      guard.because += "; " + told.symbols + (told.count == 1 ? " is dim " : " are dims ") + told.dims +
                       " of the result of `" + node.str() + "`";
  }
}

void ShapeAnalysis::noteRule(const Predicate &predicate) {
  // Those of regions hold where these are run.
  if (scope == &root && !llvm::is_contained(rules, predicate))
    rules.push_back(predicate);
}

LogicalResult ShapeAnalysis::requireBesideRules(const Predicate &said, const Twine &because) {
  if (!symbolic::isComplete(said))
    return success();
  if (scope != &root)
    return require(said, because);
  std::optional<Predicate> open = dropDecided(said);
  if (!open)
    return success();
  const Predicate &predicate = *open;
  // An op that is asked again says it again.
  auto isSame = [&](const ShapeGuard &guard) { return guard.predicate == predicate; };
  if (scope->solver.implies(predicate) != Verdict::Yes && llvm::none_of(besideRules, isSame))
    besideRules.push_back({predicate, getReason(current, because, ReasonPlace::BehindName), current->getLoc()});
  return success();
}

LogicalResult ShapeAnalysis::requireRemaining() {
  if (besideRules.empty())
    return success();
  Solver ruled = root.solver.fork();
  for (const Predicate &rule : rules)
    if (!ruled.addPredicate(rule, ruled.addReason({})))
      return success(); // ONNX refuses every run.
  for (const ShapeGuard &guard : besideRules)
    if (ruled.implies(guard.predicate) != Verdict::Yes && failed(addGuard(guard)))
      return failure();
  return success();
}

/// Without the guards: some may be there for what copies of zeros give.
std::optional<Solver> ShapeAnalysis::makeRuled() {
  Solver ruled(context);
  auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName);
  if (!addDeclaredFacts(symbols, constraints, ruled))
    return std::nullopt;
  for (const Predicate &rule : rules)
    if (!ruled.addPredicate(rule, ruled.addReason({})))
      return std::nullopt;
  return ruled;
}

void ShapeAnalysis::noteNeedOfCopies(const Predicate &predicate) {
  if (scope != &root)
    return;
  auto reshape = cast<ReshapeToOp>(current);
  // Most often the ops before it tell. Unless it has stated dims that copy, nothing has to be analysed again then.
  const Knowledge *known = find(reshape.getResult());
  if (!needsOfCopies.contains(reshape) && (!known || known->isComputed.none()))
    if (std::optional<Solver> ruled = makeRuled(); ruled && ruled->implies(predicate) == Verdict::Yes) {
      needlessCopies.insert(reshape);
      return;
    }
  needsOfCopies.insert_or_assign(reshape, predicate);
}

bool ShapeAnalysis::dropNeedlessCopies() {
  for (Operation *op : needlessCopies)
    cast<ReshapeToOp>(op).setAllowZero(true);
  if (needsOfCopies.empty())
    return false;
  std::optional<Solver> ruled = makeRuled();
  if (!ruled)
    return false;
  bool found = false;
  for (auto &[op, predicate] : needsOfCopies)
    if (ruled->implies(predicate) == Verdict::Yes) {
      op.setAllowZero(true);
      found = true;
    }
  return found;
}

void ShapeAnalysis::noteLimit(Expr size, Expr wanted, const Twine &because) {
  limits.try_emplace(size, Limit{wanted, because.str(), current->getLoc()});
}

void ShapeAnalysis::refineLimit(Expr size, const Twine &because) {
  if (auto limit = limits.find(size); limit != limits.end())
    limit->second = {limit->second.wanted, because.str(), current->getLoc()};
}

const ShapeAnalysis::Limit *ShapeAnalysis::findLimit(const Predicate &predicate) {
  if (predicate.kind == Predicate::Kind::Equal)
    for (auto [size, other] : {std::pair(predicate.lhs, predicate.rhs), std::pair(predicate.rhs, predicate.lhs)})
      if (auto limit = limits.find(size); limit != limits.end() && isKnownEqual(limit->second.wanted, other))
        return &limit->second;
  return nullptr;
}
