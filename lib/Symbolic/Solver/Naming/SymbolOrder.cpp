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

/// Broadcasts with 1 are looked at beside a value of either sign: maxima with it tell something on one side only.
constexpr unsigned attemptWithOne = 2, attemptWithOneBelow = 3;

static int64_t getFirstValue(uint64_t colour, unsigned attempt) {
  return attempt == attemptWithOneBelow ? -getValue(colour, attemptWithOne) : getValue(colour, attempt);
}

/// The value that one symbol gets in place of that. Zero first: only there has a quotient by itself no value. Then one:
/// only there has a broadcast with another size a value.
static int64_t getOtherValue(uint64_t colour, unsigned attempt) {
  if (attempt == 1)
    return 0;
  return attempt == attemptWithOne || attempt == attemptWithOneBelow ? 1 : getValue(mix(colour, 3), attempt);
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

void SymbolColours::add(llvm::ArrayRef<Predicate> predicates, GivenColour given) {
  for (const Predicate &predicate : predicates) {
    Part part{{}, 0, countNodes(predicate), 0, getDepth(predicate) == 0};
    for (Expr symbol : predicate.getSymbols())
      part.symbols.push_back(getPlace(getSymbolAtom(symbol), given));
    auto closed = llvm::partition(part.symbols, [&](unsigned place) -> bool { return isOpen[place]; });
    part.open = closed - part.symbols.begin();
    parts.push_back(std::move(part));
    hashes.add(predicate, [&](const Atom *symbol) { return places.lookup(symbol); });
  }
  values.resize(symbols.size());
  seenAt.resize(symbols.size());
  shared.resize(symbols.size());
  findShared();
  findComponents();
  refine();
}

unsigned SymbolColours::getPlace(const Atom *symbol, GivenColour given) {
  auto [found, isNew] = places.try_emplace(symbol, symbols.size());
  if (!isNew)
    return found->second;
  std::optional<Colour> colour = given(symbol);
  symbols.push_back(symbol);
  colours.push_back(mix(colour.value_or(0), colour ? 1 : 2));
  isOpen.push_back(!colour);
  counts[colours.back()] += isOpen.back();
  return found->second;
}

/// Parts that share symbols which are to be told apart, directly or through others.
void SymbolColours::findComponents() {
  std::vector<std::optional<unsigned>> known(symbols.size());
  for (unsigned index = 0; index < parts.size(); ++index) {
    parts[index].component = index;
    llvm::SmallVector<unsigned> joined;
    for (unsigned place : parts[index].getOpen()) {
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

void SymbolColours::setColour(unsigned place, Colour colour) {
  --counts[colours[place]];
  colours[place] = colour;
  ++counts[colour];
}

void SymbolColours::findShared() {
  for (size_t place = 0; place < symbols.size(); ++place)
    shared[place] = isOpen[place] && counts.lookup(colours[place]) > 1;
}

size_t SymbolColours::findConcerned(std::optional<unsigned> component, std::optional<unsigned> changed,
                                    bool withPolynomials, llvm::SmallVectorImpl<unsigned> &concerned) const {
  size_t cost = 0;
  for (auto [index, part] : llvm::enumerate(parts)) {
    if ((component && part.component != component) || (part.isPolynomial && !withPolynomials) ||
        (changed && !llvm::is_contained(part.getOpen(), *changed)))
      continue;
    if (size_t count = llvm::count_if(part.getOpen(), [&](unsigned place) -> bool { return shared[place]; })) {
      concerned.push_back(index);
      cost += (1 + count) * part.nodeCount;
    }
  }
  return cost;
}

llvm::SmallVector<SymbolColours::Seen, 32> SymbolColours::look(llvm::ArrayRef<unsigned> concerned, unsigned attempt) {
  for (unsigned part : concerned)
    for (unsigned place : parts[part].symbols)
      values[place] = getFirstValue(colours[place], attempt);
  llvm::SmallVector<Seen, 32> seen;
  for (unsigned part : concerned) {
    uint64_t around = hashes.evaluate(part, values);
    for (unsigned place : parts[part].getOpen()) {
      if (!shared[place])
        continue;
      if (seenAt[place] == 0) {
        seen.push_back({place, colours[place]});
        seenAt[place] = seen.size();
      }
      int64_t other = getOtherValue(colours[place], attempt);
      int64_t value = std::exchange(values[place], other);
      seen[seenAt[place] - 1].hash += mix(around, hashes.evaluate(part, values));
      values[place] = value;
    }
  }
  for (const Seen &symbol : seen)
    seenAt[symbol.place] = 0;
  llvm::sort(seen, [](const Seen &a, const Seen &b) { return a.before < b.before; });
  return seen;
}

/// Does any colour divide?
bool SymbolColours::isFiner(llvm::ArrayRef<Seen> seen) const {
  while (!seen.empty()) {
    Seen first = seen.front();
    auto other = llvm::find_if(seen, [&](const Seen &symbol) { return symbol.before != first.before; });
    auto ofOne = llvm::ArrayRef(seen.begin(), other);
    // Symbols elsewhere may share the colour too.
    if (ofOne.size() < counts.lookup(first.before) ||
        llvm::any_of(ofOne, [&](const Seen &symbol) { return symbol.hash != first.hash; }))
      return true;
    seen = seen.drop_front(ofOne.size());
  }
  return false;
}

void SymbolColours::refine(std::optional<unsigned> component, std::optional<unsigned> changed) {
  for (unsigned attempt = 0; attempt < maximalAttempts;) {
    llvm::SmallVector<unsigned> concerned;
    effort += findConcerned(component, changed, attempt <= attemptsOfPolynomial, concerned);
    if (concerned.empty() || effort > maximalEffort)
      return;
    llvm::SmallVector<Seen, 32> seen = look(concerned, attempt);
    // Where no colour divides, the old ones stay: then what has none of its own is tied.
    if (!isFiner(seen)) {
      ++attempt;
      continue;
    }
    attempt = 0;
    if (std::exchange(changed, std::nullopt))
      continue;
    for (const Seen &symbol : seen)
      setColour(symbol.place, mix(symbol.before, symbol.hash));
    findShared();
  }
}

bool SymbolColours::isTied(const Atom *symbol) const {
  auto found = places.find(symbol);
  return found != places.end() && shared[found->second];
}

std::optional<SymbolColours::Colour> SymbolColours::getColour(const Atom *symbol) const {
  auto found = places.find(symbol);
  return found == places.end() ? std::nullopt : std::optional(colours[found->second]);
}

llvm::SmallVector<const Atom *, 8> SymbolColours::getTied() const {
  std::optional<Colour> least;
  for (size_t place = 0; place < symbols.size(); ++place)
    if (shared[place] && (!least || colours[place] < *least))
      least = colours[place];
  llvm::SmallVector<const Atom *, 8> tied;
  for (size_t place = 0; least && place < symbols.size(); ++place)
    if (isOpen[place] && colours[place] == *least)
      tied.push_back(symbols[place]);
  return tied;
}

/// Others of the same colour may have been set apart before, when there were more of them.
static SymbolColours::Colour getColourApart(SymbolColours::Colour before, unsigned count) {
  return mix(before, 3 + count);
}

void SymbolColours::setApart(const Atom *symbol) {
  auto found = places.find(symbol);
  if (found == places.end())
    return;
  unsigned place = found->second;
  Colour before = colours[place];
  setColour(place, getColourApart(before, counts.lookup(before)));
  shared[place] = false;
  if (counts.lookup(before) == 1)
    shared[llvm::find(colours, before) - colours.begin()] = false;
  for (const Part &part : parts)
    if (llvm::is_contained(part.getOpen(), place))
      return refine(part.component, place);
}

static bool hasSmallerName(const Atom *a, const Atom *b) { return a->name < b->name; }

void SymbolColours::setAllApart() {
  while (effort <= maximalEffort) {
    llvm::SmallVector<const Atom *, 8> tied = getTied();
    if (tied.empty())
      return;
    setApart(*llvm::min_element(tied, hasSmallerName));
  }
  // One that is set apart tells no others apart any more, so that each colour goes by itself.
  llvm::SmallVector<unsigned> left;
  for (unsigned place = 0; place < symbols.size(); ++place)
    if (shared[place])
      left.push_back(place);
  llvm::sort(left, [&](unsigned a, unsigned b) { return hasSmallerName(symbols[a], symbols[b]); });
  for (unsigned place : left)
    if (unsigned count = counts.lookup(colours[place]); count > 1)
      setColour(place, getColourApart(colours[place], count));
  findShared();
}

uint64_t SymbolColours::getFingerprint() {
  constexpr unsigned attempts = 3;
  uint64_t fingerprint = 0;
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    for (size_t place = 0; place < symbols.size(); ++place)
      values[place] = getValue(colours[place], attempt);
    uint64_t sum = 0;
    for (size_t part = 0; part < parts.size(); ++part)
      sum += mix(hashes.evaluate(part, values), 1);
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
