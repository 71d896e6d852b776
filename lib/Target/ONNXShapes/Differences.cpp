//===- Sizes at which two expressions differ ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Differences.h"
#include "dyn/Symbolic/LinearForms.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::symbolic;

namespace {

/// Tries small values of all symbols that the equation and what restricts them mention, and of those that these
/// mention, one symbol after the other.
class Search {
public:
  Search(ModelShapes &shapes, const Predicate &equation) : equation(equation) {
    SymbolicContext &context = shapes.getAnalysis().getContext();
    for (const SymbolDeclaration &symbol : shapes.getAnalysis().getSymbols()) {
      declarations[symbol.name] = &symbol;
      ParseError error;
      if (symbol.origin == SymbolDeclaration::Origin::Defined)
        definitions[symbol.name] = parseExpr(symbol.definition, context, error);
    }
    SmallVector<Predicate> all;
    if (auto constraints = shapes.getFunction()->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
      for (PredAttr constraint : constraints.getPredicates())
        all.push_back(constraint.getPredicate(context));
    // Guards that contradict each other leave no sizes to compare at.
    if (shapes.getConflicts().empty())
      for (const ShapeGuard &guard : shapes.getGuards())
        all.push_back(guard.predicate);
    mention(equation);
    for (bool hasChanged = true; hasChanged;) {
      auto concerns = [&](const Predicate &condition) {
        return llvm::any_of(condition.getSymbols(), [&](Expr symbol) { return mentioned.contains(symbol); });
      };
      auto concerned = llvm::partition(all, [&](const Predicate &condition) { return !concerns(condition); });
      hasChanged = concerned != all.end();
      for (const Predicate &condition : llvm::make_range(concerned, all.end())) {
        conditions.push_back(condition);
        mention(condition);
      }
      all.erase(concerned, all.end());
    }
    for (Expr symbol : mentioned)
      if (!definitions.contains(symbol.getSymbolName()))
        order.push_back(symbol);
  }

  bool find() { return find(0); }

  /// The symbols of the equation, whose values are those of what has been found.
  std::string describe() {
    std::string text;
    for (Expr symbol : equation.getSymbols())
      if (std::optional<int64_t> value = getValue(symbol.getSymbolName()))
        text += (text.empty() ? "" : ", ") + symbol.str() + " = " + std::to_string(*value);
    return text;
  }

private:
  void mention(const Predicate &predicate) {
    for (Expr symbol : predicate.getSymbols())
      mention(symbol);
  }

  void mention(Expr symbol) {
    if (!mentioned.insert(symbol))
      return;
    if (Expr definition = definitions.lookup(symbol.getSymbolName()))
      for (Expr inner : definition.getSymbols())
        mention(inner);
  }

  std::optional<int64_t> getValue(StringRef name) {
    if (Expr definition = definitions.lookup(name))
      return symbolic::evaluate(definition, [&](StringRef inner) { return getValue(inner); });
    auto value = values.find(name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  }

  std::optional<bool> evaluate(const Predicate &predicate) {
    return symbolic::evaluate(predicate, [&](StringRef name) { return getValue(name); });
  }

  SmallVector<int64_t> getCandidates(StringRef name) {
    static const SymbolFacts any;
    const SymbolDeclaration *declaration = declarations.lookup(name);
    const SymbolFacts &facts = declaration ? declaration->facts : any;
    // The ends of the range, too, and multiples.
    SmallVector<int64_t> all{2, 3, 1, 5, 0, 4, 7, 6, 8, 9, 10, 12, 16, 17, 32, 64};
    int64_t lower = facts.range.lower.value_or(0);
    for (int64_t step = 0; step < 3; ++step)
      if (std::optional<int64_t> value = llvm::checkedAdd(lower, step))
        all.push_back(*value);
    for (int64_t multiple = 0; multiple < 4 && facts.modulus > 1; ++multiple)
      if (std::optional<int64_t> value = llvm::checkedMulAdd(multiple, facts.modulus, facts.remainder))
        all.push_back(*value);
    if (facts.range.upper)
      all.push_back(*facts.range.upper);
    SmallVector<int64_t> allowed;
    for (int64_t value : all)
      if (allows(facts, value) && !llvm::is_contained(allowed, value))
        allowed.push_back(value);
    return allowed;
  }

  bool find(size_t index) {
    if (index == order.size())
      return evaluate(equation) == false &&
             llvm::all_of(conditions, [&](const Predicate &condition) { return evaluate(condition) == true; });
    StringRef name = order[index].getSymbolName();
    for (int64_t candidate : getCandidates(name)) {
      if (pointsLeft == 0)
        return false;
      --pointsLeft;
      values[name] = candidate;
      bool isPossible = evaluate(equation) != true && llvm::none_of(conditions, [&](const Predicate &condition) {
                          return evaluate(condition) == false;
                        });
      if (isPossible && find(index + 1))
        return true;
    }
    values.erase(name);
    return false;
  }

  const Predicate &equation;
  llvm::StringMap<const SymbolDeclaration *> declarations;
  llvm::StringMap<Expr> definitions;
  SmallVector<Predicate> conditions; ///< that concern what is mentioned
  llvm::SetVector<Expr> mentioned;
  SmallVector<Expr> order;
  llvm::StringMap<int64_t> values;
  unsigned pointsLeft = 5000;
};

} // namespace

std::optional<std::string> onnx::findDifference(ModelShapes &shapes, const Predicate &equation) {
  if (!isComplete(equation))
    return std::nullopt;
  Search search(shapes, equation);
  return search.find() ? std::optional(search.describe()) : std::nullopt;
}
