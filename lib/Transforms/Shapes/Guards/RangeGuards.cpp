//===- Guards that say no more than ranges of symbols ------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RangeGuards.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;
using llvm::StringRef;

Predicate dyn::describeFacts(Expr symbol, const SymbolFacts &now, const SymbolFacts &facts) {
  SymbolicContext &context = symbol.getContext();
  std::vector<Predicate> parts;
  if (now.range.lower && now.range.lower == now.range.upper)
    return Predicate::equal(symbol, context.getConstant(*now.range.lower));
  if (now.range.lower && now.range.lower != facts.range.lower)
    parts.push_back(Predicate::lessEqual(context.getConstant(*now.range.lower), symbol));
  if (now.range.upper && now.range.upper != facts.range.upper)
    parts.push_back(Predicate::lessEqual(symbol, context.getConstant(*now.range.upper)));
  if (now.modulus > 1 && now.modulus != facts.modulus)
    parts.push_back(
        Predicate::equal(mod(symbol, context.getConstant(now.modulus)), context.getConstant(now.remainder)));
  if (parts.empty())
    return {};
  return parts.size() == 1 ? parts.front() : Predicate::conjunction(std::move(parts));
}

/// What a comparison of a symbol with a constant leaves of its range; nothing for what says anything else.
static std::optional<std::pair<Expr, Range>> getBoundedSymbol(const Predicate &guard, Range range) {
  using Kind = Predicate::Kind;
  bool isEqual = guard.kind == Kind::Equal, isStrict = guard.kind == Kind::Less;
  if ((!isEqual && !isStrict && guard.kind != Kind::LessEqual) || !guard.lhs || !guard.rhs)
    return std::nullopt;
  bool isUpper = guard.lhs.isSymbol();
  Expr symbol = isUpper ? guard.lhs : guard.rhs;
  std::optional<int64_t> bound = (isUpper ? guard.rhs : guard.lhs).getConstant();
  // Ends that more than 62 bits hold are left to the engine.
  constexpr int64_t largest = int64_t(1) << 62;
  if (!symbol.isSymbol() || !bound || *bound <= -largest || *bound >= largest)
    return std::nullopt;
  if (isEqual || !isUpper)
    range.lower = std::max(range.lower.value_or(*bound), *bound + isStrict);
  if (isEqual || isUpper)
    range.upper = std::min(range.upper.value_or(*bound), *bound - isStrict);
  return std::pair(symbol, range);
}

std::optional<Predicate> dyn::simplifyBound(const Predicate &guard, llvm::ArrayRef<SymbolDeclaration> symbols) {
  std::optional<std::pair<Expr, Range>> bounded = getBoundedSymbol(guard, Range{std::nullopt, std::nullopt});
  if (!bounded)
    return std::nullopt;
  const auto *declared = llvm::find_if(
      symbols, [&](const SymbolDeclaration &symbol) { return symbol.name == bounded->first.getSymbolName(); });
  if (declared == symbols.end() || declared->facts.modulus > 1 || !declared->facts.notEqual.empty())
    return std::nullopt;
  SymbolFacts now = declared->facts;
  now.range = getBoundedSymbol(guard, now.range)->second;
  bool isEmpty = now.range.lower && now.range.upper && *now.range.lower > *now.range.upper;
  Predicate simpler = isEmpty ? Predicate() : describeFacts(bounded->first, now, declared->facts);
  return simpler.kind == Predicate::Kind::True ? std::nullopt : std::optional(simpler);
}

static bool isPlainName(StringRef name) {
  return llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The declaration of a symbol of which nothing is known but a range of several sizes; null for any other.
static const SymbolDeclaration *findRange(Expr symbol, llvm::ArrayRef<SymbolDeclaration> symbols) {
  StringRef name = symbol.getSymbolName();
  const SymbolDeclaration *found = nullptr;
  for (const SymbolDeclaration &declaration : symbols) {
    // A definition that may mention it; of a name that is spelled in quotes, nobody looks how.
    if (declaration.origin == SymbolDeclaration::Origin::Defined &&
        (!isPlainName(name) || StringRef(declaration.definition).contains(name)))
      return nullptr;
    if (declaration.name != name)
      continue;
    const SymbolFacts &facts = declaration.facts;
    bool isFixed = facts.range.lower && facts.range.upper && *facts.range.lower >= *facts.range.upper;
    if (found || isFixed || facts.modulus > 1 || !facts.notEqual.empty() ||
        declaration.origin == SymbolDeclaration::Origin::Defined)
      return nullptr;
    found = &declaration;
  }
  return found;
}

std::optional<SmallVector<NeededGuard>> dyn::findNeededOfRanges(llvm::ArrayRef<Predicate> guards,
                                                                llvm::ArrayRef<SymbolDeclaration> symbols) {
  SmallVector<NeededGuard> needed;
  llvm::SmallDenseSet<Expr> seen;
  for (auto [index, guard] : llvm::enumerate(guards)) {
    if (!guard.lhs || !guard.rhs)
      return std::nullopt;
    for (Expr symbol : guard.getSymbols())
      if (!seen.insert(symbol).second || !findRange(symbol, symbols))
        return std::nullopt;
    if (guard.kind == Predicate::Kind::Equal && guard.lhs.isSymbol() && guard.rhs.isSymbol() &&
        guard.lhs != guard.rhs) {
      Range lhs = findRange(guard.lhs, symbols)->facts.range, rhs = findRange(guard.rhs, symbols)->facts.range;
      bool mayBeAny = !lhs.upper && !rhs.upper && lhs.lower == rhs.lower;
      if (!mayBeAny)
        return std::nullopt;
      needed.push_back({static_cast<unsigned>(index), guard});
      continue;
    }
    std::optional<Predicate> simpler = simplifyBound(guard, symbols);
    if (!simpler)
      return std::nullopt;
    needed.push_back({static_cast<unsigned>(index), std::move(*simpler)});
  }
  return needed;
}
