//===- An order of symbols that does not depend on their names -------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Naming/SymbolOrder.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Nodes that are evaluated for one order. Symbols that are not told apart by then stay tied.
static constexpr size_t maximalEffort = 40000;

/// A number in which every bit depends on every bit.
static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBu;
  return state ^ (state >> 31);
}

/// What is no polynomial comes to the same for many values, so colours get several, one after the other.
static constexpr unsigned maximalAttempts = 8;
/// Of a polynomial one more is enough: where `a + 2 == s + t` does not tell a from s by one value, another one does.
static constexpr unsigned attemptsOfPolynomial = 1;

/// As often of few bits as of many, and negative too: some quotients and maxima show only near 0, others only of what
/// is far apart. Small enough for sums and products of a few in 64 bits.
static int64_t getValue(uint64_t colour, unsigned attempt) {
  constexpr unsigned maximalBits = 14;
  uint64_t hash = mix(colour, attempt);
  int64_t magnitude = 1 + static_cast<int64_t>(hash >> (64 - 1 - hash % maximalBits));
  return hash & 16 ? -magnitude : magnitude;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// Sums and products wrap around, which keeps equal polynomials equal.

int64_t SymbolColours::evaluate(const Atom *atom) {
  constexpr unsigned hiddenBits = 50;
  if (atom->isSymbol())
    return values[findPlace(atom)];
  int64_t first = evaluate(atom->operands[0]);
  switch (atom->kind) {
  case AtomKind::Symbol:
    break;
  case AtomKind::FloorDiv: {
    std::optional<int64_t> quotient = checkedFloorDiv(first, evaluate(atom->operands[1]));
    hasValue &= quotient.has_value();
    return quotient.value_or(0);
  }
  case AtomKind::ExactDiv: {
    // It need not divide: what is left over tells symbols apart too. A multiple of the divisor, and the signs of both,
    // may stand inside or outside, as names decide.
    int64_t divisor = evaluate(atom->operands[1]);
    std::optional<int64_t> quotient = checkedFloorDiv(first, divisor);
    hasValue &= quotient.has_value() && divisor != INT64_MIN;
    if (!hasValue)
      return 0;
    int64_t remainder = std::abs(floorMod(first, divisor));
    return *quotient + (remainder == 0 ? 0 : static_cast<int64_t>(mix(remainder, std::abs(divisor)) >> hiddenBits));
  }
  case AtomKind::Max:
    for (Expr operand : atom->operands.drop_front())
      first = std::max(first, evaluate(operand));
    break;
  case AtomKind::Bcast: {
    // Of all operands, in whatever order, since they need not broadcast.
    uint64_t sum = mix(first, 1);
    for (Expr operand : atom->operands.drop_front())
      sum += mix(evaluate(operand), 1);
    return sum >> hiddenBits;
  }
  }
  return first;
}

int64_t SymbolColours::evaluate(Expr expr) {
  uint64_t sum = 0;
  for (const Term &term : getTerms(expr)) {
    uint64_t product = term.coefficient;
    for (const Power &power : term.monomial->getPowers()) {
      uint64_t value = evaluate(power.atom);
      for (uint32_t i = 0; i < power.exponent; ++i)
        product *= value;
    }
    sum += product;
  }
  return static_cast<int64_t>(sum);
}

uint64_t SymbolColours::evaluateComparison(const Predicate &predicate) {
  using Kind = Predicate::Kind;
  uint64_t kind = static_cast<uint64_t>(predicate.kind) + 1;
  hasValue = true;
  int64_t lhs = predicate.lhs ? evaluate(predicate.lhs) : 0, rhs = predicate.rhs ? evaluate(predicate.rhs) : 0;
  if (!hasValue)
    return kind;
  // A fact that says that something is 0 says the same of its opposite, and names decide which of them is written.
  bool isAboutZero = predicate.kind == Kind::Equal || predicate.kind == Kind::NotEqual;
  if (isAboutZero && predicate.rhs && predicate.rhs.isConstant(0) && lhs < 0)
    lhs = static_cast<int64_t>(0 - static_cast<uint64_t>(lhs));
  return mix(mix(kind, lhs), rhs);
}

uint64_t SymbolColours::evaluate(const Predicate &predicate) {
  // Operands in whatever order.
  uint64_t operands = 0;
  for (const Predicate &operand : predicate.operands)
    operands += mix(evaluate(operand), 1);
  return mix(evaluateComparison(predicate), operands);
}

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

static unsigned getDepth(const Predicate &predicate) {
  unsigned depth = 0;
  for (Expr side : {predicate.lhs, predicate.rhs})
    depth = std::max<unsigned>(depth, side ? side.getNode()->depth : 0);
  for (const Predicate &operand : predicate.operands)
    depth = std::max(depth, getDepth(operand));
  return depth;
}

SymbolColours::SymbolColours(llvm::ArrayRef<Predicate> predicates, GivenColour given) {
  for (const Predicate &predicate : predicates) {
    Part part{&predicate, {}, countNodes(predicate), 0, getDepth(predicate) == 0};
    for (Expr symbol : predicate.getSymbols())
      if (unsigned place = getPlace(getTerms(symbol)[0].monomial->getAtom(), given); isOpen[place])
        part.symbols.push_back(place);
    parts.push_back(std::move(part));
  }
  values.resize(symbols.size());
  for (size_t place = 0; place < symbols.size(); ++place)
    counts[colours[place]] += isOpen[place];
  findComponents();
  refine();
}

unsigned SymbolColours::getPlace(const Atom *symbol, GivenColour given) {
  auto [found, isNew] = places.try_emplace(symbol, symbols.size());
  if (!isNew)
    return found->second;
  constexpr uint32_t maximalFirst = 256;
  if (symbol->index < maximalFirst) {
    firstPlaces.resize(std::max<size_t>(firstPlaces.size(), symbol->index + 1));
    firstPlaces[symbol->index] = found->second;
  }
  std::optional<Colour> colour = given(symbol);
  symbols.push_back(symbol);
  colours.push_back(mix(colour.value_or(0), colour ? 1 : 2));
  isOpen.push_back(!colour);
  return found->second;
}

/// Parts that share symbols which are to be told apart, directly or through others.
void SymbolColours::findComponents() {
  std::vector<std::optional<unsigned>> known(symbols.size());
  for (unsigned index = 0; index < parts.size(); ++index) {
    parts[index].component = index;
    llvm::SmallVector<unsigned> joined;
    for (unsigned place : parts[index].symbols) {
      if (known[place])
        joined.push_back(*known[place]);
      known[place] = index;
    }
    for (unsigned other : joined) {
      for (unsigned earlier = 0; earlier < index; ++earlier)
        if (parts[earlier].component == other)
          parts[earlier].component = index;
      for (std::optional<unsigned> &component : known)
        if (component == other)
          component = index;
    }
  }
}

bool SymbolColours::isShared(unsigned place) const { return isOpen[place] && counts.lookup(colours[place]) > 1; }

void SymbolColours::refine(std::optional<unsigned> component, std::optional<unsigned> changed) {
  for (unsigned attempt = 0; attempt < maximalAttempts;) {
    llvm::SmallVector<const Part *> concerned;
    size_t cost = 0;
    llvm::SmallVector<bool> isSharedNow;
    for (unsigned place = 0; place < symbols.size(); ++place)
      isSharedNow.push_back(isShared(place));
    for (const Part &part : parts) {
      if ((component && part.component != component) || (attempt > attemptsOfPolynomial && part.isPolynomial) ||
          (changed && !llvm::is_contained(part.symbols, *changed)))
        continue;
      if (size_t shared = llvm::count_if(part.symbols, [&](unsigned place) { return isSharedNow[place]; })) {
        concerned.push_back(&part);
        cost += (1 + shared) * part.nodeCount;
      }
    }
    effort += cost;
    if (concerned.empty() || effort > maximalEffort)
      return;
    for (size_t place = 0; place < symbols.size(); ++place)
      values[place] = getValue(colours[place], attempt);
    llvm::DenseMap<unsigned, uint64_t> seen;
    for (const Part *part : concerned) {
      uint64_t around = evaluate(*part->predicate);
      for (unsigned place : part->symbols) {
        if (!isSharedNow[place])
          continue;
        // Zero first: only there has a quotient by itself no value.
        int64_t other = attempt == 1 ? 0 : getValue(mix(colours[place], 3), attempt);
        int64_t value = std::exchange(values[place], other);
        seen[place] += mix(around, evaluate(*part->predicate));
        values[place] = value;
      }
    }
    // Where no colour divides, the old ones stay: then what has none of its own is tied.
    llvm::DenseMap<Colour, unsigned> divided;
    llvm::DenseMap<Colour, Colour> first;
    bool isFiner = false;
    for (auto [place, hash] : seen) {
      Colour colour = mix(colours[place], hash);
      ++divided[colour];
      isFiner |= first.try_emplace(colours[place], colour).first->second != colour;
    }
    // Symbols elsewhere may share the colour too.
    for (auto [place, hash] : seen)
      if (!isFiner)
        isFiner = divided.lookup(mix(colours[place], hash)) < counts.lookup(colours[place]);
    if (!isFiner) {
      ++attempt;
      continue;
    }
    attempt = 0;
    if (std::exchange(changed, std::nullopt))
      continue;
    for (auto [place, hash] : seen) {
      --counts[colours[place]];
      colours[place] = mix(colours[place], hash);
      ++counts[colours[place]];
    }
  }
}

bool SymbolColours::isTied(const Atom *symbol) const {
  auto found = places.find(symbol);
  return found != places.end() && isShared(found->second);
}

std::optional<SymbolColours::Colour> SymbolColours::getColour(const Atom *symbol) const {
  auto found = places.find(symbol);
  return found == places.end() ? std::nullopt : std::optional(colours[found->second]);
}

llvm::SmallVector<const Atom *, 8> SymbolColours::getTied() const {
  std::optional<Colour> least;
  for (size_t place = 0; place < symbols.size(); ++place)
    if (isShared(place) && (!least || colours[place] < *least))
      least = colours[place];
  llvm::SmallVector<const Atom *, 8> tied;
  for (size_t place = 0; least && place < symbols.size(); ++place)
    if (isOpen[place] && colours[place] == *least)
      tied.push_back(symbols[place]);
  return tied;
}

void SymbolColours::setApart(const Atom *symbol) {
  auto found = places.find(symbol);
  if (found == places.end())
    return;
  unsigned place = found->second;
  // Others of the same colour may have been set apart before, when there were more of them.
  unsigned left = --counts[colours[place]];
  colours[place] = mix(colours[place], 4 + left);
  ++counts[colours[place]];
  for (const Part &part : parts)
    if (llvm::is_contained(part.symbols, place))
      return refine(part.component, place);
}

uint64_t SymbolColours::getFingerprint() {
  constexpr unsigned attempts = 3;
  uint64_t fingerprint = 0;
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    for (size_t place = 0; place < symbols.size(); ++place)
      values[place] = getValue(colours[place], attempt);
    uint64_t sum = 0;
    for (const Part &part : parts)
      sum += mix(evaluate(*part.predicate), 1);
    fingerprint = mix(fingerprint, sum);
  }
  return fingerprint;
}

llvm::SmallVector<const Atom *, 8> SymbolColours::getOrder() const {
  llvm::SmallVector<unsigned, 8> order;
  for (unsigned place = 0; place < symbols.size(); ++place)
    if (isOpen[place])
      order.push_back(place);
  llvm::sort(order, [&](unsigned a, unsigned b) { return std::pair(colours[a], a) < std::pair(colours[b], b); });
  llvm::SmallVector<const Atom *, 8> result;
  for (unsigned place : order)
    result.push_back(symbols[place]);
  return result;
}
