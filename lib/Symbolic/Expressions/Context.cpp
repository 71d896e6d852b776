//===- Interning of symbols, atoms, monomials and polynomials -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include "Expressions/Limits.h"
#include "Expressions/Node.h"
#include "dyn/Symbolic/Names.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

int dyn::symbolic::compare(const Atom *lhs, const Atom *rhs) {
  if (lhs == rhs)
    return 0;
  if (lhs->kind != rhs->kind)
    return lhs->kind < rhs->kind ? -1 : 1;
  if (lhs->isSymbol())
    return lhs->nameStart != rhs->nameStart ? (lhs->nameStart < rhs->nameStart ? -1 : 1) : lhs->name.compare(rhs->name);
  if (lhs->operands.size() != rhs->operands.size())
    return lhs->operands.size() < rhs->operands.size() ? -1 : 1;
  for (size_t i = 0, e = lhs->operands.size(); i < e; ++i)
    if (int order = compare(lhs->operands[i], rhs->operands[i]))
      return order;
  return 0;
}

int dyn::symbolic::compare(const Monomial *lhs, const Monomial *rhs) {
  if (lhs == rhs)
    return 0;
  if (lhs->degree != rhs->degree)
    return lhs->degree > rhs->degree ? -1 : 1;
  for (size_t i = 0, e = std::min(lhs->getPowers().size(), rhs->getPowers().size()); i < e; ++i) {
    if (int order = compare(lhs->getPowers()[i].atom, rhs->getPowers()[i].atom))
      return order;
    if (lhs->getPowers()[i].exponent != rhs->getPowers()[i].exponent)
      return lhs->getPowers()[i].exponent > rhs->getPowers()[i].exponent ? -1 : 1;
  }
  // Equal degrees and a common prefix: equal.
  return 0;
}

int dyn::symbolic::compare(llvm::ArrayRef<Term> a, llvm::ArrayRef<Term> b) {
  for (size_t i = 0, e = std::min(a.size(), b.size()); i < e; ++i) {
    if (int order = compare(a[i].monomial, b[i].monomial))
      return order;
    if (a[i].coefficient != b[i].coefficient)
      return a[i].coefficient < b[i].coefficient ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

int dyn::symbolic::compare(Expr lhs, Expr rhs) { return lhs == rhs ? 0 : compare(getTerms(lhs), getTerms(rhs)); }

//===----------------------------------------------------------------------===//
// SymbolicContext
//===----------------------------------------------------------------------===//

SymbolicContext::SymbolicContext() : impl(std::make_unique<Impl>(*this)) {}
SymbolicContext::~SymbolicContext() = default;

Expr SymbolicContext::getConstant(int64_t value) { return impl->getConstant(value); }

bool dyn::symbolic::isReservedName(llvm::StringRef name) {
  return name.starts_with("\x01") || name.starts_with("\x02");
}

/// Solvers have the names that start with the character 1 for their parameters. Nobody else gets one: a name that
/// starts with that character, or with the one that says so, is moved out of the way.
Expr SymbolicContext::getSymbol(llvm::StringRef name) {
  if (isReservedName(name))
    return impl->getExpr(impl->getSymbol(("\x02" + name).str()));
  return impl->getExpr(impl->getSymbol(name));
}

Expr SymbolicContext::createSymbol(llvm::StringRef prefix) {
  return impl->getExpr(impl->createSymbol(prefix.ltrim("\x01\x02")));
}

SymbolicContext::Impl::Impl(SymbolicContext &owner) : owner(owner), results(64) {
  one = internMonomial({});
  freeProver = std::make_unique<BoundProver>(*this, /*facts=*/nullptr);
}

SymbolicContext::Impl::~Impl() = default;

static uint64_t getNameStart(llvm::StringRef name) {
  char start[8] = {};
  std::copy_n(name.begin(), std::min(name.size(), sizeof(start)), start);
  return llvm::support::endian::read64be(start);
}

const Atom *SymbolicContext::Impl::getSymbol(llvm::StringRef name) {
  return symbols.get(name, [&] {
    uint32_t index = symbols.size();
    uint64_t mask = uint64_t(1) << (index % 64);
    const Atom *symbol =
        createAtom({AtomKind::Symbol, 0, index, 1, 0, mask, name.copy(allocator), {}, getNameStart(name)});
    if (index < firstSymbols.size())
      firstSymbols[index] = symbol;
    return symbol;
  });
}

bool SymbolicContext::Impl::listSymbols(uint64_t mask, llvm::SmallVectorImpl<Expr> &list) const {
  if (!hasExactMasks())
    return false;
  size_t before = list.size();
  for (; mask != 0; mask &= mask - 1)
    list.push_back(firstSymbols[llvm::countr_zero(mask)]->expr);
  // Bits are in the other order.
  if (areNamesCanonical)
    std::sort(list.begin() + before, list.end(),
              [&](Expr a, Expr b) { return comesBefore(getSymbolAtom(a), getSymbolAtom(b)); });
  return true;
}

const Atom *SymbolicContext::Impl::createSymbol(llvm::StringRef prefix) {
  std::string name;
  do
    name = (prefix + llvm::Twine(nextSuffix[prefix]++)).str();
  while (symbols.contains(name));
  return getSymbol(name);
}

void SymbolicContext::Impl::keepResult(size_t hash, const Result &result) {
  constexpr size_t maximalResults = size_t(1) << 14;
  if (++replacedResults > results.size() && results.size() < maximalResults) {
    results.assign(2 * results.size(), Result());
    replacedResults = 0;
  }
  results[hash & (results.size() - 1)] = result;
}

static uint32_t addSaturating(uint32_t lhs, uint32_t rhs) { return lhs > UINT32_MAX - rhs ? UINT32_MAX : lhs + rhs; }

Monomial::Monomial(llvm::ArrayRef<Power> powers, uint32_t degree, bool hasExactDiv)
    : degree(degree), powerCount(powers.size()), hasExactDiv(hasExactDiv) {
  std::uninitialized_copy(powers.begin(), powers.end(), getTrailingObjects());
}

const Monomial *Monomial::create(llvm::BumpPtrAllocator &allocator, llvm::ArrayRef<Power> powers) {
  uint32_t degree = 0;
  bool hasExactDiv = false;
  for (const Power &power : powers) {
    degree += power.exponent;
    hasExactDiv |= power.atom->kind == AtomKind::ExactDiv;
  }
  void *memory = allocator.Allocate(totalSizeToAlloc<Power>(powers.size()), alignof(Monomial));
  return new (memory) Monomial(powers, degree, hasExactDiv);
}

ExprNode::ExprNode(SymbolicContext::Impl &context, llvm::ArrayRef<Term> terms)
    : context(&context), termCount(terms.size()), depth(0) {
  std::uninitialized_copy(terms.begin(), terms.end(), getTrailingObjects());
  for (const Term &term : terms) {
    nodeCount = addSaturating(nodeCount, 1);
    for (const Power &power : term.monomial->getPowers()) {
      symbolMask |= power.atom->symbolMask;
      nodeCount = addSaturating(nodeCount, power.atom->nodeCount);
      depth = std::min<uint32_t>(std::max<uint32_t>(depth, power.atom->depth), UINT8_MAX);
    }
  }
}

const ExprNode *ExprNode::create(SymbolicContext::Impl &context, llvm::BumpPtrAllocator &allocator,
                                 llvm::ArrayRef<Term> terms) {
  void *memory = allocator.Allocate(totalSizeToAlloc<Term>(terms.size()), alignof(ExprNode));
  return new (memory) ExprNode(context, terms);
}

const Atom *SymbolicContext::Impl::createAtom(const Atom &content) {
  Atom *atom = new (allocator.Allocate<Atom>()) Atom(content);
  atom->monomial = internMonomial(Power{atom, 1});
  atom->expr = getExpr(Term{atom->monomial, 1});
  return atom;
}

const Atom *SymbolicContext::Impl::getAtom(AtomKind kind, llvm::ArrayRef<Expr> operands) {
  return atoms.get({kind, operands}, [&] {
    uint16_t depth = 0;
    uint32_t nodeCount = 1;
    uint64_t mask = 0;
    for (Expr operand : operands) {
      depth = std::max<uint16_t>(depth, operand.getNode()->depth);
      nodeCount = addSaturating(nodeCount, operand.getNode()->nodeCount);
      mask |= operand.getNode()->symbolMask;
    }
    depth = depth == UINT16_MAX ? depth : depth + 1;
    Atom content{kind, depth, 0, nodeCount, 0, mask, {}, copy(operands)};
    constexpr uint32_t nodesOfLarge = 16, maximalSymbols = 256;
    if (nodeCount >= nodesOfLarge && !hasExactMasks()) {
      SymbolCollector symbols;
      for (Expr operand : operands)
        symbols.add(operand);
      if (symbols.get().size() <= maximalSymbols) {
        content.listedSymbols = symbols.get().size();
        content.symbols = copy<const Atom *>(symbols.get()).data();
      }
    }
    return createAtom(content);
  });
}

const Monomial *SymbolicContext::Impl::internMonomial(llvm::ArrayRef<Power> powers) {
  return monomials.get(powers, [&] { return Monomial::create(allocator, powers); });
}

const Monomial *SymbolicContext::Impl::multiply(const Monomial *lhs, const Monomial *rhs) {
  if (lhs->isOne())
    return rhs;
  if (rhs->isOne())
    return lhs;
  if (lhs->degree + rhs->degree > limits::factorsOfTerm)
    return nullptr;
  llvm::SmallVector<Power, 8> powers;
  const Power *a = lhs->getPowers().begin(), *b = rhs->getPowers().begin();
  while (a != lhs->getPowers().end() && b != rhs->getPowers().end()) {
    int order = compare(a->atom, b->atom);
    if (order == 0) {
      powers.push_back({a->atom, a->exponent + b->exponent});
      ++a, ++b;
    } else {
      powers.push_back(order < 0 ? *a++ : *b++);
    }
  }
  powers.append(a, lhs->getPowers().end());
  powers.append(b, rhs->getPowers().end());
  return getMonomial(powers);
}

Expr SymbolicContext::Impl::getExpr(llvm::ArrayRef<Term> terms) {
  return Expr(exprs.get(terms, [&] { return ExprNode::create(*this, allocator, terms); }));
}

Expr SymbolicContext::Impl::getConstant(int64_t value) {
  auto make = [&] { return value == 0 ? getExpr(llvm::ArrayRef<Term>()) : getExpr(Term{one, value}); };
  // Most are small, and asked for over and over.
  if (value < -1 || value >= static_cast<int64_t>(smallConstants.size()) - 1)
    return make();
  Expr &known = smallConstants[value + 1];
  if (!known)
    known = make();
  return known;
}
