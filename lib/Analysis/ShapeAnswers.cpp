//===- What a model declares of its values, and what is known at the end ------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Symbolic/Obligations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Declared dims
//===----------------------------------------------------------------------===//

std::optional<Dims> ShapeAnalysis::getDeclaredDims(Value value) {
  if (auto mode = function->getAttrOfType<StringAttr>(DynDialect::kDeclaredAttrName);
      mode && mode.getValue() == "override")
    return std::nullopt;
  auto declared = value.getDefiningOp() && value.getDefiningOp()->getNumResults() == 1
                      ? value.getDefiningOp()->getAttrOfType<DimsAttr>(DynDialect::kDeclaredDimsAttrName)
                      : DimsAttr();
  for (OpOperand &use : value.getUses())
    if (!declared && use.getOwner() == function.getFunctionBody().front().getTerminator())
      declared = function.getResultAttrOfType<DimsAttr>(use.getOperandNumber(), DynDialect::kDeclaredDimsAttrName);
  if (!declared)
    return std::nullopt;
  Dims dims = readDims(declared);
  for (Expr &dim : dims)
    if (dim.isSymbol() && dim.getSymbolName() == "?")
      dim = Expr();
  return dims;
}

LogicalResult ShapeAnalysis::checkDeclaredDim(Value value, unsigned index, Expr declared, StringRef mode,
                                              Describe describe) {
  Expr inferred = (*getDims(value))[index];
  Predicate equal = Predicate::equal(inferred, declared);
  // A file may have the size as other programs can read it. Whether it has a value is a guard already.
  if (declared == symbolic::withoutPromises(inferred))
    return success();
  Verdict verdict = root.solver.implies(equal);
  // What guards leave of a size is easier to compare, and to read.
  if (Expr simple = verdict == Verdict::Unknown ? simplify(inferred) : Expr(); simple && simple != inferred) {
    inferred = simple;
    verdict = root.solver.implies(Predicate::equal(inferred, declared));
  }
  // Nothing is declared where what stands there has no value, as `4 * batch floordiv batch` of an empty batch.
  auto isNoMore = [&](Expr lhs, Expr rhs) {
    return root.solver.implies(Predicate::lessEqual(lhs, rhs)) == Verdict::Yes;
  };
  bool mayHaveNoValue = mode == "refine" && verdict == Verdict::Unknown && !declared.getConstant();
  if (verdict == Verdict::Yes || (mayHaveNoValue && isNoMore(declared, inferred) && isNoMore(inferred, declared)))
    return success();
  Location loc = value.getLoc();
  std::string what = describe();
  if (mode == "strict")
    return mlir::emitError(loc) << what << " is declared as " << declared.str() << ", but is " << inferred.str();
  // Tools write 0 for what they do not know, as onnx.compose does for each dim that has a name.
  if (mode == "refine" && declared.isConstant(0) && verdict != Verdict::No) {
    noteDifference(loc, what,
                   "is declared as 0, but is " + inferred.str() + "; a declared 0 says nothing of other sizes");
    return success();
  }
  // A constant that is right at no size is no fact to rely on: no guard could see to it, and other programs run such
  // models.
  if (mode == "trust" || (declared.getConstant() && verdict != Verdict::No)) {
    // Runs at other sizes are refused, which the file may not mean: converters write the size of an example.
    if (mode != "trust" && areKnownAtEntry(inferred))
      noteDifference(loc, what,
                     "is declared as " + Twine(declared.str()) + ", but is " + inferred.str() +
                         ", so that runs at other sizes are refused; declared=override ignores what is declared");
    current = value.getDefiningOp();
    LogicalResult result = require(equal, what + " as declared, which declared=override ignores", ReasonPlace::Alone);
    current = nullptr;
    return result;
  }
  noteDifference(loc, what,
                 "is declared as " + Twine(declared.str()) + ", but is " + inferred.str() +
                     (verdict == Verdict::No ? "" : ", which is not known to be the same"));
  return success();
}

void ShapeAnalysis::noteDifference(Location loc, const std::string &what, const Twine &difference) {
  auto [place, isNew] = differencePlaces.try_emplace(difference.str(), differences.size());
  if (isNew)
    differences.push_back({loc, difference.str(), {}});
  differences[place->second].values.push_back(what);
}

void ShapeAnalysis::tellDifferences() {
  // What one node makes of a size goes through many: the first ones tell where to look.
  constexpr size_t mostTold = 3;
  for (const Difference &difference : differences) {
    InFlightDiagnostic warning = mlir::emitWarning(difference.loc)
                                 << difference.values.front() << ' ' << difference.what;
    ArrayRef<std::string> others = ArrayRef(difference.values).drop_front();
    if (others.empty())
      continue;
    bool areAll = others.size() < mostTold;
    warning << " (and " << others.size() << " more: " << llvm::join(others.take_front(mostTold - 1), ", ")
            << (areAll ? ")" : ", ...)");
  }
}

/// That a name of the model is one size here, and was another one before.
static std::string describeOther(Expr name, Expr inferred, Expr first) {
  return "is declared as " + name.str() + ", but is " + inferred.str() + "; elsewhere " + name.str() + " is " +
         first.str();
}

void ShapeAnalysis::addAlias(Expr name, Expr inferred, Location loc, Describe describe) {
  auto known = aliases.find(name);
  if (known == aliases.end()) {
    aliases.insert({name, {inferred, describe(), describePlace(loc)}});
    return;
  }
  Expr first = known->second.size;
  if (first != inferred && root.solver.implies(Predicate::equal(first, inferred)) != Verdict::Yes)
    noteDifference(loc, describe(), describeOther(name, inferred, first));
}

LogicalResult ShapeAnalysis::checkDeclaredDims(Value value, ArrayRef<Expr> declared, StringRef mode,
                                               Describe describe) {
  std::optional<Dims> dims = getDims(value);
  if (!dims)
    return success();
  if (declared.size() != dims->size()) {
    // No guard could see to it, and other programs run such models.
    bool binds = mode != "refine";
    std::string difference =
        "is declared with rank " + std::to_string(declared.size()) + ", but has rank " + std::to_string(dims->size());
    if (binds)
      return mlir::emitError(value.getLoc()) << describe() << ' ' << difference;
    noteDifference(value.getLoc(), describe(), difference);
    return success();
  }
  for (auto [index, expr] : llvm::enumerate(declared)) {
    Expr inferred = (*dims)[index];
    if (!inferred || inferred == expr)
      continue;
    auto describeDim = [&, index = index] { return "dim " + std::to_string(index) + " of " + describe(); };
    // A symbol that no input gives is a name for what is inferred, unless it is one of those that were made here: what
    // the file calls so is another size.
    auto isGiven = [&](Expr symbol) {
      auto place = symbolPlaces.find(symbol);
      return place != symbolPlaces.end() && place->second < numDeclared;
    };
    if (llvm::all_of(expr.getSymbols(), isGiven)) {
      if (failed(checkDeclaredDim(value, static_cast<unsigned>(index), expr, mode, describeDim)))
        return failure();
    } else if (expr.isSymbol() && expr.getSymbolName() != "?" && !findDeclaration(expr)) {
      // A name is one size: where what is declared binds, it binds what else is called so.
      auto known = mode == "refine" ? aliases.end() : aliases.find(expr);
      if (known == aliases.end()) {
        addAlias(expr, inferred, value.getLoc(), describeDim);
        continue;
      }
      Expr first = known->second.size;
      if (mode == "strict" && root.solver.isEqual(first, inferred) != Verdict::Yes)
        return mlir::emitError(value.getLoc()) << describeDim() << ' ' << describeOther(expr, inferred, first);
      if (failed(checkDeclaredDim(value, static_cast<unsigned>(index), first, mode, describeDim)))
        return failure();
    }
  }
  return success();
}

LogicalResult ShapeAnalysis::checkDeclaredDims() {
  auto attribute = function->getAttrOfType<StringAttr>(DynDialect::kDeclaredAttrName);
  StringRef mode = attribute ? attribute.getValue() : "refine";
  if (mode == "override")
    return success();
  for (Operation *op : declaring)
    if (auto declared = op->getAttrOfType<DimsAttr>(DynDialect::kDeclaredDimsAttrName)) {
      auto describe = [&] { return "the result of node '" + describePlace(op->getLoc()) + "'"; };
      if (failed(checkDeclaredDims(op->getResult(0), readDims(declared), mode, describe)) && !isPartial())
        return failure();
    }
  for (auto [number, value] : llvm::enumerate(function.getFunctionBody().front().getTerminator()->getOperands())) {
    auto declared = function.getResultAttrOfType<DimsAttr>(number, DynDialect::kDeclaredDimsAttrName);
    auto describe = [&, index = number] {
      auto name = function.getResultAttrOfType<StringAttr>(index, DynDialect::kNameAttrName);
      return "output '" + (name ? name.getValue().str() : std::to_string(index)) + "'";
    };
    if (declared && failed(checkDeclaredDims(value, readDims(declared), mode, describe)) && !isPartial())
      return failure();
  }
  tellDifferences();
  return success();
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

SmallVector<Alias> ShapeAnalysis::getAliases() {
  SmallVector<Alias> result;
  for (const auto &[name, alias] : aliases)
    if (Expr size = root.solver.simplify(alias.size); size && size.isWithinBudget())
      result.push_back({PredAttr::get(function.getContext(), Predicate::equal(name, size)), alias.what, alias.where});
  return result;
}

bool ShapeAnalysis::bindsSymbol(Operation *op, Expr symbol) const {
  if (!op)
    return false;
  auto symbols = symbolsOfRegions.find(op);
  return boundSizes.lookup(op) == symbol || (symbols != symbolsOfRegions.end() && symbols->second.contains(symbol));
}

std::optional<Dims> ShapeAnalysis::findFinalDims(Value value, bool keepsBound) {
  llvm::SaveAndRestore current(scope, &getScope(value));
  const Dims *known = findDims(value);
  if (!known)
    return std::nullopt;
  std::optional<Dims> dims = *known;
  Operation *op = keepsBound ? value.getDefiningOp() : nullptr;
  for (Expr &dim : *dims) {
    if (!dim || dim.getConstant() || bindsSymbol(op, dim))
      continue;
    Expr simple = scope->solver.simplify(dim);
    if (simple == dim && dim.isSymbol())
      continue;
    // Facts may make of an abbreviation what it stands for, in another form: that would get a second name.
    if (simple && (simple.isWithinBudget() || !dim.isWithinBudget()))
      dim = simple;
    if (!dim.isWithinBudget())
      dim = defineSymbol(dim);
  }
  return dims;
}

Dims ShapeAnalysis::getFinalDims(Value value) {
  Dims dims = *findFinalDims(value);
  assert(llvm::all_of(dims, [](Expr dim) { return bool(dim); }) && "run() has seen to it");
  return dims;
}

std::optional<ElementValues> ShapeAnalysis::getFinalElements(Value value) {
  std::optional<ElementValues> elements = getElements(value);
  if (!elements)
    return std::nullopt;
  for (ElementValue &element : *elements) {
    if (element.isInteger()) {
      if (Expr simple = root.solver.simplify(element.integer))
        element.integer = simple;
    } else if (std::optional<bool> truth = getTruth(element)) {
      element = ElementValue::getBoolean(*truth);
    } else {
      return std::nullopt;
    }
  }
  return elements;
}
