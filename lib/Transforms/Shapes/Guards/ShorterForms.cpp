//===- Long guards said in few words ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ShorterForms.h"
#include "GuardForms.h"
#include "GuardPoints.h"
#include "NamedParts.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include <functional>

using namespace dyn;
using namespace dyn::symbolic;
using llvm::BitVector;
using llvm::SmallVector;

namespace {

/// Of texts: a guard of less is left as it is.
constexpr size_t kMinLength = 32;
/// Of forms that hold at the same points as the guard, those that proofs are tried of.
constexpr size_t kMaxProofs = 3;
/// Of comparisons, of which few are joined.
constexpr size_t kMaxComparisons = 150, kMaxJoined = 3;

/// A comparison that holds wherever the guard does, with the points at which it holds.
struct Comparison {
  Predicate predicate;
  BitVector holds;
  std::string text;

  bool operator<(const Comparison &other) const {
    return std::pair(text.size(), text) < std::pair(other.text.size(), other.text);
  }
};

/// Values of symbols, and the points that have one of them.
struct Exceptions {
  SmallVector<std::pair<size_t, int64_t>, 2> values;
  BitVector points;
};

class Search {
public:
  Search(const Predicate &guard, Solver &facts, llvm::ArrayRef<Predicate> known)
      : sample(guard, facts, known), guard(guard), facts(facts) {}

  std::optional<Predicate> run();

private:
  using Form = SmallVector<int64_t, kMaxSymbolsOfForms>; ///< coefficients of the symbols

  SmallVector<Form> getForms() const;
  std::vector<Exceptions> getExceptions() const;
  void compare(const Form &form, const Exceptions &exceptions);
  void compareRemainders(size_t symbol, const Exceptions &exceptions);
  void compareGap();
  void add(Predicate predicate, const Exceptions &exceptions, llvm::function_ref<bool(size_t point)> holdsAt);
  std::optional<Comparison> getOnlyValues() const;
  std::vector<Comparison> join() const;
  bool isProved(const Predicate &form);

  GuardPoints sample;
  const Predicate &guard;
  Solver &facts;
  std::vector<Comparison> comparisons;
};

} // namespace

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// One symbol, sums and differences, and a multiple of one beside another.
SmallVector<Search::Form> Search::getForms() const {
  constexpr int64_t largestFactor = 16;
  SmallVector<Form> forms;
  Form form(sample.symbols.size(), -1);
  // Of a form and its negation one is enough: the first that is not 0 is positive.
  std::function<void(size_t, bool)> enumerate = [&](size_t place, bool isSigned) {
    if (place == form.size()) {
      if (isSigned)
        forms.push_back(form);
      return;
    }
    for (int64_t coefficient : {0, 1, -1})
      if (isSigned || coefficient >= 0) {
        form[place] = coefficient;
        enumerate(place + 1, isSigned || coefficient != 0);
      }
  };
  enumerate(0, false);
  for (size_t many = 0; many < sample.symbols.size(); ++many)
    for (size_t one = 0; one < sample.symbols.size(); ++one)
      for (int64_t number : sample.numbers)
        if (many != one && number <= largestFactor) {
          forms.emplace_back(sample.symbols.size(), 0);
          forms.back()[many] = number;
          forms.back()[one] = -1;
        }
  return forms;
}

/// None, one, or two of the least sizes of symbols. Of one symbol, the least or largest that is allowed may stand
/// alone.
std::vector<Exceptions> Search::getExceptions() const {
  std::vector<Exceptions> choices(1);
  choices.front().points.resize(sample.points.size());
  std::vector<Exceptions> single;
  for (size_t symbol = 0; symbol < sample.symbols.size(); ++symbol) {
    int64_t least = std::max<int64_t>(sample.getLeast(sample.symbols[symbol]), 0);
    llvm::SmallSet<int64_t, 4> values;
    values.insert(least);
    values.insert(least + 1);
    if (sample.symbols.size() == 1)
      for (int index : {sample.allowed.find_first(), sample.allowed.find_last()})
        values.insert(sample.points[index][0]);
    for (int64_t value : values) {
      Exceptions &one = single.emplace_back();
      one.values.push_back({symbol, value});
      one.points.resize(sample.points.size());
      for (auto [index, point] : llvm::enumerate(sample.points))
        if (point[symbol] == value)
          one.points.set(index);
    }
  }
  for (auto first = single.begin(); first != single.end(); ++first) {
    choices.push_back(*first);
    for (auto second = std::next(first); second != single.end() && sample.symbols.size() < kMaxSymbolsOfForms;
         ++second) {
      choices.push_back(*first);
      choices.back().values.append(second->values);
      choices.back().points |= second->points;
    }
  }
  return choices;
}

/// Of comparisons that hold at the same points, the shortest is kept.
void Search::add(Predicate predicate, const Exceptions &exceptions, llvm::function_ref<bool(size_t point)> holdsAt) {
  BitVector holds = exceptions.points;
  for (size_t point = 0; point < sample.points.size(); ++point)
    if (holdsAt(point))
      holds.set(point);
  if (!exceptions.values.empty()) {
    std::vector<Predicate> parts{std::move(predicate)};
    for (auto [symbol, value] : exceptions.values)
      parts.push_back(Predicate::equal(sample.symbols[symbol], sample.symbols[0].getContext().getConstant(value)));
    predicate = Predicate::disjunction(std::move(parts));
  }
  auto same = llvm::find_if(comparisons, [&](const Comparison &other) { return other.holds == holds; });
  std::string text = predicate.str();
  Comparison comparison{std::move(predicate), std::move(holds), std::move(text)};
  if (same == comparisons.end())
    comparisons.push_back(std::move(comparison));
  else if (comparison < *same)
    *same = std::move(comparison);
}

/// By the least and the largest value that the form has where the guard holds.
void Search::compare(const Form &form, const Exceptions &exceptions) {
  SmallVector<int64_t, 0> values;
  std::optional<int64_t> least, largest;
  int64_t leastOfAll = INT64_MAX, largestOfAll = INT64_MIN;
  for (auto [index, point] : llvm::enumerate(sample.points)) {
    int64_t value = 0;
    for (auto [coefficient, size] : llvm::zip(form, point))
      value += coefficient * size;
    values.push_back(value);
    if (exceptions.points.test(index))
      continue;
    leastOfAll = std::min(leastOfAll, value);
    largestOfAll = std::max(largestOfAll, value);
    if (sample.allowed.test(index)) {
      least = std::min(least.value_or(value), value);
      largest = std::max(largest.value_or(value), value);
    }
  }
  if (!least)
    return;
  SymbolicContext &context = sample.symbols[0].getContext();
  // What is taken away stands on the other side: `h + 1 <= H` for H - h >= 1.
  auto split = [&](int64_t number) {
    Expr positive = context.getConstant(number < 0 ? -number : 0),
         negative = context.getConstant(number > 0 ? number : 0);
    for (auto [coefficient, symbol] : llvm::zip(form, sample.symbols)) {
      Expr &side = coefficient < 0 ? negative : positive;
      side = side + context.getConstant(std::abs(coefficient)) * symbol;
    }
    return std::pair(positive, negative);
  };
  auto [atLeast, least0] = split(*least);
  if (*least == *largest)
    return add(Predicate::equal(atLeast, least0), exceptions, [&](size_t point) { return values[point] == *least; });
  if (*least > leastOfAll)
    add(Predicate::lessEqual(least0, atLeast), exceptions, [&](size_t point) { return values[point] >= *least; });
  auto [atMost, largest0] = split(*largest);
  if (*largest < largestOfAll)
    add(Predicate::lessEqual(atMost, largest0), exceptions, [&](size_t point) { return values[point] <= *largest; });
}

/// Of the largest divisor of which one remainder alone is allowed.
void Search::compareRemainders(size_t symbol, const Exceptions &exceptions) {
  SmallVector<int64_t> divisors(sample.numbers);
  llvm::append_range(divisors, llvm::ArrayRef<int64_t>{2, 3, 4, 8, 16, 32});
  llvm::sort(divisors, std::greater<>());
  SymbolicContext &context = sample.symbols[0].getContext();
  for (int64_t divisor : divisors) {
    std::optional<int64_t> only;
    bool isOne = true;
    for (unsigned index : sample.allowed.set_bits())
      if (!exceptions.points.test(index)) {
        int64_t remainder = sample.points[index][symbol] % divisor;
        isOne &= only.value_or(remainder) == remainder;
        only = remainder;
      }
    if (!only || !isOne)
      continue;
    Expr remainder = mod(sample.symbols[symbol], context.getConstant(divisor));
    return add(Predicate::equal(remainder, context.getConstant(*only)), exceptions,
               [&](size_t point) { return sample.points[point][symbol] % divisor == *only; });
  }
}

/// `s <= 11 or 16 <= s`, of a symbol that few values in a row are not allowed of.
void Search::compareGap() {
  if (sample.symbols.size() != 1)
    return;
  std::optional<int64_t> before, after; // next to the gap
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (auto [index, point] : llvm::enumerate(sample.points))
    if (!sample.allowed.test(index)) {
      first = std::min(first, point[0]);
      last = std::max(last, point[0]);
    }
  for (auto [index, point] : llvm::enumerate(sample.points)) {
    if (point[0] < first)
      before = std::max(before.value_or(point[0]), point[0]);
    else if (point[0] > last)
      after = std::min(after.value_or(point[0]), point[0]);
    else if (sample.allowed.test(index))
      return;
  }
  if (!before || !after)
    return;
  SymbolicContext &context = sample.symbols[0].getContext();
  Exceptions none;
  none.points.resize(sample.points.size());
  add(Predicate::disjunction({Predicate::lessEqual(sample.symbols[0], context.getConstant(*before)),
                              Predicate::lessEqual(context.getConstant(*after), sample.symbols[0])}),
      none, [&](size_t point) { return sample.allowed.test(point); });
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// The values of the symbols, where the guard holds at one point only.
std::optional<Comparison> Search::getOnlyValues() const {
  if (sample.allowed.count() != 1)
    return std::nullopt;
  std::vector<Predicate> values;
  for (auto [symbol, value] : llvm::zip(sample.symbols, sample.points[sample.allowed.find_first()]))
    values.push_back(Predicate::equal(symbol, symbol.getContext().getConstant(value)));
  Predicate all = Predicate::conjunction(std::move(values));
  std::string text = all.str();
  return Comparison{std::move(all), sample.allowed, std::move(text)};
}

/// What holds at the points at which the guard does: one comparison, else two, else few of those that leave least.
std::vector<Comparison> Search::join() const {
  std::vector<Comparison> found;
  for (const Comparison &comparison : comparisons)
    if (comparison.holds == sample.allowed)
      found.push_back(comparison);
  if (!found.empty())
    return found;
  if (std::optional<Comparison> values = getOnlyValues())
    return {*values};
  auto add = [&](llvm::ArrayRef<const Comparison *> parts) {
    std::vector<Predicate> predicates;
    std::string text;
    for (const Comparison *part : parts) {
      predicates.push_back(part->predicate);
      text += part->text;
    }
    found.push_back({Predicate::conjunction(std::move(predicates)), {}, std::move(text)});
  };
  for (auto first = comparisons.begin(); first != comparisons.end(); ++first)
    for (auto second = std::next(first); second != comparisons.end(); ++second) {
      BitVector both = first->holds;
      both &= second->holds;
      if (both == sample.allowed)
        add({&*first, &*second});
    }
  SmallVector<const Comparison *> parts;
  BitVector left(sample.points.size(), true);
  while (found.empty() && parts.size() < kMaxJoined && left != sample.allowed) {
    auto countWith = [&](const Comparison &comparison) {
      BitVector with = left;
      with &= comparison.holds;
      return with.count();
    };
    auto best = std::min_element(comparisons.begin(), comparisons.end(),
                                 [&](const Comparison &a, const Comparison &b) { return countWith(a) < countWith(b); });
    if (best == comparisons.end() || countWith(*best) == left.count())
      return found;
    left &= best->holds;
    parts.push_back(&*best);
  }
  if (left == sample.allowed)
    add(parts);
  return found;
}

/// `a or (b and c)` for `(b or a) and (c or a)`.
static Predicate factorOut(const Predicate &form) {
  using Kind = Predicate::Kind;
  auto isChoice = [](const Predicate &part) { return part.kind == Kind::Or; };
  if (form.kind != Kind::And || !llvm::all_of(form.operands, isChoice))
    return form;
  std::vector<Predicate> common, rests;
  for (const Predicate &choice : form.operands.front().operands)
    if (llvm::all_of(form.operands, [&](const Predicate &part) { return llvm::is_contained(part.operands, choice); }))
      common.push_back(choice);
  for (const Predicate &part : form.operands) {
    std::vector<Predicate> rest;
    for (const Predicate &choice : part.operands)
      if (!llvm::is_contained(common, choice))
        rest.push_back(choice);
    if (rest.empty())
      return form;
    rests.push_back(rest.size() == 1 ? rest.front() : Predicate::disjunction(std::move(rest)));
  }
  if (common.empty())
    return form;
  common.push_back(Predicate::conjunction(std::move(rests)));
  return Predicate::disjunction(std::move(common));
}

/// In both directions, of which the second is often easier to prove by contraposition. A guard without a value fails.
bool Search::isProved(const Predicate &form) {
  Solver beyond = facts.fork();
  if (sample.end) {
    // Both hold at the same points.
    Expr symbol = sample.symbols[0];
    if (!beyond.addLessEqual(symbol.getContext().getConstant(*sample.end), symbol, beyond.addReason({})))
      return true;
  }
  auto imply = [&](const Predicate &premise, const Predicate &conclusion) {
    Solver with = beyond.fork();
    return !with.addPredicate(premise, with.addReason({})) || with.implies(conclusion) == Verdict::Yes;
  };
  Predicate factored = factorOut(form);
  auto getAll = [](const Predicate &predicate) {
    return predicate.kind == Predicate::Kind::And ? llvm::ArrayRef(predicate.operands) : llvm::ArrayRef(predicate);
  };
  if (!hasValueWhere(guard, factored, beyond) ||
      !llvm::all_of(getAll(guard), [&](const Predicate &part) { return imply(factored, part); }))
    return false;
  return llvm::all_of(getAll(form), [&](const Predicate &part) {
    return imply(guard, part) || imply(Predicate::negation(part), Predicate::negation(guard));
  });
}

std::optional<Predicate> Search::run() {
  if (!sample.tellForms())
    return std::nullopt;
  compareGap();
  SmallVector<Form> forms = getForms();
  for (const Exceptions &exceptions : getExceptions()) {
    for (const Form &form : forms)
      compare(form, exceptions);
    for (size_t symbol = 0; symbol < sample.symbols.size(); ++symbol)
      if (sample.getLeast(sample.symbols[symbol]) >= 0)
        compareRemainders(symbol, exceptions);
  }
  llvm::sort(comparisons);
  if (comparisons.size() > kMaxComparisons)
    comparisons.resize(kMaxComparisons);
  std::vector<Comparison> found = join();
  llvm::sort(found);
  size_t length = guard.str().size();
  for (const Comparison &form : llvm::ArrayRef(found).take_front(kMaxProofs))
    if (form.text.size() < length && isProved(form.predicate))
      return factorOut(form.predicate);
  return std::nullopt;
}

/// A sum of symbols and numbers times symbols, or the broadcast dim of symbols, which has no other name.
static bool isLinear(const ExprTree &tree) {
  using Kind = ExprTree::Kind;
  if (tree.kind == Kind::Bcast)
    return llvm::all_of(tree.operands, [](const auto &operand) { return operand->kind == Kind::Symbol; });
  if (tree.kind == Kind::Add)
    return llvm::all_of(tree.operands, [](const auto &operand) { return isLinear(*operand); });
  if (tree.kind == Kind::Mul)
    return tree.operands.size() == 2 && tree.operands[0]->kind == Kind::Constant && isLinear(*tree.operands[1]);
  return tree.kind == Kind::Constant || tree.kind == Kind::Symbol;
}

static bool isLinear(const Predicate &predicate) {
  return llvm::all_of(predicate.operands, [](const Predicate &operand) { return isLinear(operand); }) &&
         (!predicate.lhs || (isLinear(*getTree(predicate.lhs)) && isLinear(*getTree(predicate.rhs))));
}

bool dyn::mayHaveShorterForm(const Predicate &guard) {
  // Few parts of it may have the symbols.
  constexpr size_t maxSymbols = 2 * kMaxSymbolsOfForms;
  size_t numSymbols = guard.getSymbols().size();
  return isComplete(guard) && numSymbols > 0 && numSymbols <= maxSymbols && !isLinear(guard) &&
         guard.str().size() >= kMinLength;
}

std::optional<Predicate> dyn::findShorterForm(const Predicate &guard, llvm::ArrayRef<Predicate> known, Solver &facts) {
  auto hasForms = [](const Predicate &guard) {
    size_t numSymbols = guard.getSymbols().size();
    return numSymbols > 0 && numSymbols <= kMaxSymbolsOfForms;
  };
  if (std::optional<Predicate> form = hasForms(guard) ? Search(guard, facts, known).run() : std::nullopt)
    return form;
  for (auto name : {nameQuotients, nameProduct}) {
    std::optional<NamedParts> named = name(guard, facts);
    if (!named)
      continue;
    std::optional<Predicate> form = findShorterForm(named->guard, {}, named->facts);
    if (!form)
      continue;
    Predicate spelled = cancelTerms(substitute(*form, named->values));
    if (isComplete(spelled) && spelled.str().size() < guard.str().size() &&
        implyAll(named->facts, *form, named->obligations))
      return spelled;
  }
  return std::nullopt;
}
