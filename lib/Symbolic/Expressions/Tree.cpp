//===- Expressions as trees that people read and code computes --------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The normal form has no mod, ceildiv or min. They are rolled up again here:
//   k*P - k*q*floordiv(P, q)   is  k * (P mod q)
//   floordiv(P + q - 1, q)     is  P ceildiv q
//   x + y - max(x, y)          is  min(x, y)
//   (P - floordiv(P, 2))*(Q - floordiv(Q, 2)), multiplied out, is (P ceildiv 2) * (Q ceildiv 2)
//   b*x + b*y - b*max(x, y)    is  b * min(x, y), beside other terms as well
// A rolled tree is used only if building it gives the expression back.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Builder.h"
#include "Expressions/Factoring.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace dyn::symbolic;
using Kind = ExprTree::Kind;
using TreePtr = std::shared_ptr<const ExprTree>;

bool ExprTree::contains(llvm::ArrayRef<Kind> kinds) const {
  return llvm::is_contained(kinds, kind) ||
         llvm::any_of(operands, [&](const TreePtr &operand) { return operand->contains(kinds); });
}

namespace {

class TreeBuilder {
public:
  explicit TreeBuilder(SymbolicContext::Impl &context) : context(context), builder(context) {}

  TreePtr getTree(Expr expr) {
    TreePtr &tree = trees[expr];
    if (tree)
      return tree;
    TreePtr rolled = build(expr, /*roll=*/true);
    if (rebuild(*rolled) != expr)
      rolled = build(expr, /*roll=*/false);
    return trees[expr] = rolled;
  }

private:
  struct Addend {
    int64_t coefficient;
    TreePtr tree; ///< null for a constant
  };

  TreePtr build(Expr expr, bool roll);
  Expr rebuild(const ExprTree &tree);

  // What a term is together with a part of the rest, which is taken out of the rest.
  std::optional<Addend> rollTerm(Term term, Poly &rest);
  std::optional<Addend> rollMod(Term term, const Atom *atom, Poly &rest);
  std::optional<Addend> rollCeilDiv(Term term, const Atom *atom, Poly &rest);
  std::optional<Addend> rollMinMax(Term term, const Atom *atom, Poly &rest);
  /// A product of trees that are no sums, if that is what the sum is, as halves that are rounded up are.
  TreePtr rollProduct(Terms terms);
  /// Takes terms out of the rest that are a factor times what rolls up to one tree.
  void rollMultiples(Poly &rest, llvm::SmallVectorImpl<Addend> &rolled);
  /// Takes the variable terms of factor * dividend out of the rest, if all stand there, and corrects the constant.
  bool take(Poly &rest, Terms dividend, int64_t factor);

  TreePtr getTerm(Addend addend);
  TreePtr getMonomial(const Monomial *monomial);
  TreePtr getAtom(const Atom *atom);
  TreePtr make(Kind kind, llvm::ArrayRef<TreePtr> operands) {
    auto tree = std::make_shared<ExprTree>();
    tree->kind = kind;
    tree->operands.assign(operands.begin(), operands.end());
    return tree;
  }
  TreePtr makeConstant(int64_t value) {
    auto tree = std::make_shared<ExprTree>();
    tree->kind = Kind::Constant;
    tree->value = value;
    return tree;
  }

  SymbolicContext::Impl &context;
  ExprBuilder builder;
  llvm::DenseMap<Expr, TreePtr> trees;
  llvm::DenseMap<const Atom *, TreePtr> atoms;
};

} // namespace

//===----------------------------------------------------------------------===//
// Rolling up
//===----------------------------------------------------------------------===//

bool TreeBuilder::take(Poly &rest, Terms dividend, int64_t factor) {
  for (const Term &term : dropConstant(dividend)) {
    std::optional<int64_t> wanted = checkedMul(term.coefficient, factor);
    int64_t present = getCoefficient(rest, term.monomial);
    if (!wanted || *wanted == INT64_MIN || present == 0 || (*wanted < 0) != (present < 0) ||
        std::abs(*wanted) > std::abs(present))
      return false;
  }
  MaybePoly left = combine(rest, 1, dividend, -factor);
  if (!left)
    return false;
  rest = std::move(*left);
  return true;
}

std::optional<TreeBuilder::Addend> TreeBuilder::rollMod(Term term, const Atom *atom, Poly &rest) {
  Terms dividend = getTerms(atom->operands[0]), divisor = getTerms(atom->operands[1]);
  constexpr size_t mostTerms = 4;
  const Monomial *others = divide(context, term.monomial, context.getMonomial(atom));
  auto own = llvm::find_if(divisor, [&](const Term &part) { return part.monomial == others; });
  if (!others || divisor.size() > mostTerms || own == divisor.end() || term.coefficient % own->coefficient != 0)
    return std::nullopt;
  int64_t factor = -(term.coefficient / own->coefficient);
  // The other terms of the divisor, times the quotient.
  for (const Term &part : divisor)
    if (&part != own &&
        !take(rest, Term{context.multiply(part.monomial, context.getMonomial(atom)), part.coefficient}, -factor))
      return std::nullopt;
  if (factor <= 0 || !take(rest, dividend, factor))
    return std::nullopt;
  return Addend{factor, make(Kind::Mod, {getTree(atom->operands[0]), getTree(atom->operands[1])})};
}

std::optional<TreeBuilder::Addend> TreeBuilder::rollCeilDiv(Term term, const Atom *atom, Poly &rest) {
  if (term.monomial->getAtom() != atom)
    return std::nullopt;
  Terms dividend = getTerms(atom->operands[0]);
  std::optional<int64_t> divisor = atom->operands[1].getConstant();
  // x - floordiv(x, 2)
  if (divisor == 2 && term.coefficient < 0 && take(rest, dividend, -term.coefficient))
    return Addend{-term.coefficient, make(Kind::CeilDiv, {getTree(atom->operands[0]), getTree(atom->operands[1])})};
  if (divisor && *divisor > 2 && getConstantTerm(dividend) == *divisor - 1)
    return Addend{term.coefficient,
                  make(Kind::CeilDiv, {getTree(context.getExpr(dropConstant(dividend))), getTree(atom->operands[1])})};
  if (!divisor && term.coefficient < 0 && !dividend.empty() && dividend[0].coefficient < 0)
    if (Expr negated = builder.scale(atom->operands[0], -1))
      return Addend{-term.coefficient, make(Kind::CeilDiv, {getTree(negated), getTree(atom->operands[1])})};
  return std::nullopt;
}

/// Constants last.
static void sortForReading(llvm::SmallVectorImpl<Expr> &exprs) {
  llvm::sort(exprs, [](Expr a, Expr b) {
    bool aConstant = a.getConstant().has_value(), bConstant = b.getConstant().has_value();
    return aConstant != bConstant ? bConstant : compare(a, b) < 0;
  });
}

std::optional<TreeBuilder::Addend> TreeBuilder::rollMinMax(Term term, const Atom *atom, Poly &rest) {
  if (term.monomial->getAtom() != atom)
    return std::nullopt;
  // rest + c*max(x...) = rest - |c|*t + |c|*ext(t + sign*x...) for any t. Choose the t that leaves the least to read.
  int64_t magnitude = std::abs(term.coefficient), sign = term.coefficient < 0 ? -1 : 1;
  llvm::SmallVector<Poly, 4> translations = {Poly()};
  if (rest.size() && getContent(rest) % magnitude == 0)
    translations.push_back(divideCoefficients(rest, magnitude));
  Poly variable(dropConstant(rest));
  if (variable.size() && variable.size() != rest.size() && getContent(variable) % magnitude == 0)
    translations.push_back(divideCoefficients(variable, magnitude));
  if (sign < 0) {
    MaybePoly sum = Poly();
    for (Expr operand : atom->operands) {
      translations.emplace_back(getTerms(operand));
      sum = sum ? add(*sum, getTerms(operand)) : std::nullopt;
    }
    if (sum)
      translations.push_back(std::move(*sum));
  }
  size_t best = SIZE_MAX;
  Poly bestRest;
  llvm::SmallVector<Poly, 4> bestOperands;
  for (const Poly &translation : translations) {
    MaybePoly left = combine(rest, 1, translation, -magnitude);
    size_t score = left ? 2 * left->size() : 0;
    llvm::SmallVector<Poly, 4> operands;
    for (Expr operand : atom->operands) {
      MaybePoly moved = left ? combine(translation, 1, getTerms(operand), sign) : std::nullopt;
      if (!moved)
        break;
      score += 2 * moved->size();
      for (const Term &part : *moved)
        score += part.coefficient < 0;
      operands.push_back(std::move(*moved));
    }
    if (operands.size() == atom->operands.size() && score < best) {
      best = score;
      bestRest = std::move(*left);
      bestOperands = std::move(operands);
    }
  }
  if (best == SIZE_MAX)
    return std::nullopt;
  rest = std::move(bestRest);
  llvm::SmallVector<Expr> sorted =
      llvm::map_to_vector(bestOperands, [&](const Poly &operand) { return context.getExpr(operand); });
  sortForReading(sorted);
  llvm::SmallVector<TreePtr> operands = llvm::map_to_vector(sorted, [&](Expr operand) { return getTree(operand); });
  return Addend{magnitude, make(sign < 0 ? Kind::Min : Kind::Max, operands)};
}

std::optional<TreeBuilder::Addend> TreeBuilder::rollTerm(Term term, Poly &rest) {
  for (const Power &power : term.monomial->getPowers()) {
    if (power.exponent != 1)
      continue;
    if (power.atom->kind == AtomKind::FloorDiv) {
      if (std::optional<Addend> mod = rollMod(term, power.atom, rest))
        return mod;
      if (std::optional<Addend> ceilDiv = rollCeilDiv(term, power.atom, rest))
        return ceilDiv;
    }
    if (power.atom->kind == AtomKind::Max)
      if (std::optional<Addend> minMax = rollMinMax(term, power.atom, rest))
        return minMax;
  }
  return std::nullopt;
}

TreePtr TreeBuilder::rollProduct(Terms terms) {
  auto mayRoll = [](const Atom *atom) {
    return atom->kind == AtomKind::Max || (atom->kind == AtomKind::FloorDiv && atom->operands[1].getConstant() == 2);
  };
  if (terms.size() < 2 || llvm::none_of(getAtoms(terms), mayRoll))
    return nullptr;
  const Monomial *common = getCommonMonomial(context, terms);
  Poly rest = divideMonomial(context, terms, common);
  int64_t content = getContent(rest);
  if (!common->isOne())
    if (TreePtr tree = getTree(context.getExpr(divideCoefficients(rest, content)));
        tree->kind != Kind::Add && tree->kind != Kind::Mul) {
      llvm::SmallVector<TreePtr, 4> factors;
      if (content != 1)
        factors.push_back(makeConstant(content));
      for (const Power &power : common->getPowers())
        factors.append(power.exponent, getAtom(power.atom));
      factors.push_back(tree);
      return make(Kind::Mul, factors);
    }
  std::optional<Factoring> factoring = factor(context, divideCoefficients(rest, content));
  if (!factoring || factoring->rest != 0)
    return nullptr;
  // As they are, or both with the other sign.
  for (int64_t sign : {1, -1}) {
    llvm::SmallVector<TreePtr, 4> factors;
    auto append = [&](const TreePtr &tree) {
      if (tree->kind == Kind::Mul)
        factors.append(tree->operands.begin(), tree->operands.end());
      else
        factors.push_back(tree);
    };
    if (content != 1)
      factors.push_back(makeConstant(content));
    if (!common->isOne())
      append(getMonomial(common));
    Expr first = builder.scale(context.getExpr(factoring->first), sign);
    Expr second = builder.scale(context.getExpr(factoring->second), sign);
    if (!first || !second)
      return nullptr;
    bool isSwapped = compare(first, second) > 0;
    append(getTree(isSwapped ? second : first));
    append(getTree(isSwapped ? first : second));
    if (llvm::none_of(factors, [](const TreePtr &tree) { return tree->kind == Kind::Add; }))
      return make(Kind::Mul, factors);
  }
  return nullptr;
}

void TreeBuilder::rollMultiples(Poly &rest, llvm::SmallVectorImpl<Addend> &rolled) {
  constexpr size_t fewestTerms = 3, mostTerms = 24;
  auto isMax = [](const Atom *atom) { return atom->kind == AtomKind::Max; };
  if (rest.size() <= fewestTerms || rest.size() > mostTerms || llvm::none_of(getAtoms(rest), isMax))
    return;
  for (const Atom *atom : getAtoms(rest)) {
    Poly inside, others;
    for (const Term &term : rest)
      if (const Monomial *quotient = divide(context, term.monomial, context.getMonomial(atom)))
        inside.push_back({quotient, term.coefficient});
      else
        others.push_back(term);
    if (inside.size() < fewestTerms || others.empty())
      continue;
    int64_t content = getContent(inside);
    TreePtr tree = getTree(context.getExpr(divideCoefficients(inside, content)));
    if (tree->kind == Kind::Add)
      continue;
    llvm::SmallVector<TreePtr, 4> factors = {getAtom(atom)};
    if (tree->kind == Kind::Mul)
      factors.append(tree->operands.begin(), tree->operands.end());
    else
      factors.push_back(tree);
    rolled.push_back({content, make(Kind::Mul, factors)});
    rest = std::move(others);
  }
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

TreePtr TreeBuilder::getAtom(const Atom *atom) {
  TreePtr &known = atoms[atom];
  if (known)
    return known;
  TreePtr result;
  if (atom->isSymbol()) {
    auto tree = std::make_shared<ExprTree>();
    tree->kind = Kind::Symbol;
    tree->symbol = atom->name;
    result = tree;
  } else {
    llvm::SmallVector<Expr> sorted(atom->operands);
    if (atom->kind == AtomKind::Max || atom->kind == AtomKind::Bcast)
      sortForReading(sorted);
    llvm::SmallVector<TreePtr> operands = llvm::map_to_vector(sorted, [&](Expr operand) { return getTree(operand); });
    std::optional<int64_t> divisor = atom->operands[1].getConstant();
    Terms dividend = getTerms(atom->operands[0]);
    Kind kind = atom->kind == AtomKind::FloorDiv   ? Kind::FloorDiv
                : atom->kind == AtomKind::ExactDiv ? Kind::ExactDiv
                : atom->kind == AtomKind::Max      ? Kind::Max
                                                   : Kind::Bcast;
    if (kind == Kind::FloorDiv && divisor && *divisor > 2 && getConstantTerm(dividend) == *divisor - 1) {
      kind = Kind::CeilDiv;
      operands[0] = getTree(context.getExpr(dropConstant(dividend)));
    }
    result = make(kind, operands);
  }
  return atoms[atom] = result;
}

TreePtr TreeBuilder::getMonomial(const Monomial *monomial) {
  llvm::SmallVector<TreePtr, 4> factors;
  for (const Power &power : monomial->getPowers())
    factors.append(power.exponent, getAtom(power.atom));
  return factors.size() == 1 ? factors.front() : make(Kind::Mul, factors);
}

TreePtr TreeBuilder::getTerm(Addend addend) {
  if (!addend.tree)
    return makeConstant(addend.coefficient);
  if (addend.coefficient == 1)
    return addend.tree;
  llvm::SmallVector<TreePtr, 4> factors = {makeConstant(addend.coefficient)};
  if (addend.tree->kind == Kind::Mul)
    factors.append(addend.tree->operands.begin(), addend.tree->operands.end());
  else
    factors.push_back(addend.tree);
  return make(Kind::Mul, factors);
}

TreePtr TreeBuilder::build(Expr expr, bool roll) {
  if (roll)
    if (TreePtr product = rollProduct(getTerms(expr)))
      return product;
  Poly rest(getTerms(expr));
  llvm::SmallVector<Addend, 8> rolled, addends;
  if (roll) {
    rollMultiples(rest, rolled);
    for (const Term &term : getTerms(expr)) {
      // An earlier roll may have taken the term.
      if (term.monomial->isOne() || getCoefficient(rest, term.monomial) != term.coefficient)
        continue;
      Poly others(rest);
      llvm::erase_if(others, [&](const Term &other) { return other.monomial == term.monomial; });
      if (std::optional<Addend> addend = rollTerm(term, others)) {
        rolled.push_back(*addend);
        rest = std::move(others);
      }
    }
  }
  for (const Term &term : dropConstant(rest))
    addends.push_back({term.coefficient, getMonomial(term.monomial)});
  addends.append(rolled);
  if (int64_t constant = getConstantTerm(rest); constant || addends.empty())
    addends.push_back({constant, nullptr});
  // `S - N` reads better than `-N + S`.
  auto positive = llvm::find_if(addends, [](const Addend &addend) { return addend.coefficient > 0; });
  if (positive != addends.end())
    std::rotate(addends.begin(), positive, positive + 1);
  llvm::SmallVector<TreePtr> operands = llvm::map_to_vector(addends, [&](Addend addend) { return getTerm(addend); });
  return operands.size() == 1 ? operands.front() : make(Kind::Add, operands);
}

Expr TreeBuilder::rebuild(const ExprTree &tree) {
  llvm::SmallVector<Expr, 4> operands;
  for (const TreePtr &operand : tree.operands) {
    operands.push_back(rebuild(*operand));
    if (!operands.back())
      return {};
  }
  switch (tree.kind) {
  case Kind::Constant:
    return context.getConstant(tree.value);
  case Kind::Symbol:
    return context.getExpr(context.getSymbol(tree.symbol));
  case Kind::Add:
  case Kind::Mul: {
    Expr result = operands.front();
    for (Expr operand : llvm::drop_begin(operands))
      result = tree.kind == Kind::Add ? builder.add(result, operand) : builder.multiply(result, operand);
    return result;
  }
  case Kind::FloorDiv:
    return builder.floorDiv(operands[0], operands[1]);
  case Kind::CeilDiv:
    return builder.ceilDiv(operands[0], operands[1]);
  case Kind::Mod:
    return builder.mod(operands[0], operands[1]);
  case Kind::ExactDiv:
    return builder.exactDiv(operands[0], operands[1]);
  case Kind::Min:
    return builder.min(operands);
  case Kind::Max:
    return builder.max(operands);
  case Kind::Bcast:
    return builder.bcast(operands);
  }
  return {};
}

TreePtr dyn::symbolic::getTree(Expr expr) {
  return expr ? TreeBuilder(*expr.getNode()->context).getTree(expr) : nullptr;
}
