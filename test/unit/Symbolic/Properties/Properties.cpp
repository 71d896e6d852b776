//===- Properties that hold for every random expression ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Properties.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

static std::string describe(const Point &point) {
  std::string text;
  for (const auto &[name, value] : point)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

template <typename... Parts>
static std::string report(uint64_t seed, const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "seed " << seed << ": ";
  (os << ... << parts);
  return text;
}

static std::string print(std::optional<int64_t> value) { return value ? std::to_string(*value) : "nothing"; }

static std::optional<int64_t> evaluateTree(const ExprTree &tree, const Point &point) {
  std::vector<int64_t> v;
  for (const auto &operand : tree.operands) {
    std::optional<int64_t> value = evaluateTree(*operand, point);
    if (!value)
      return std::nullopt;
    v.push_back(*value);
  }
  RandomTree node;
  auto binary = [&](RandomTree::Kind kind) {
    node.kind = kind;
    for (int64_t value : v)
      node.operands.push_back(RandomTree{RandomTree::Constant, value, "", {}});
    return node.evaluate(point);
  };
  switch (tree.kind) {
  case ExprTree::Kind::Constant:
    return tree.value;
  case ExprTree::Kind::Symbol:
    return point.at(tree.symbol.str());
  case ExprTree::Kind::Add:
  case ExprTree::Kind::Mul: {
    int64_t result = tree.kind == ExprTree::Kind::Mul;
    for (int64_t value : v)
      if (tree.kind == ExprTree::Kind::Add ? __builtin_add_overflow(result, value, &result)
                                           : __builtin_mul_overflow(result, value, &result))
        return std::nullopt;
    return result;
  }
  case ExprTree::Kind::FloorDiv:
    return binary(RandomTree::FloorDiv);
  case ExprTree::Kind::CeilDiv:
    return binary(RandomTree::CeilDiv);
  case ExprTree::Kind::Mod:
    return binary(RandomTree::Mod);
  case ExprTree::Kind::ExactDiv:
    return binary(RandomTree::ExactDiv);
  case ExprTree::Kind::Min:
    return binary(RandomTree::Min);
  case ExprTree::Kind::Max:
    return binary(RandomTree::Max);
  case ExprTree::Kind::Bcast:
    return binary(RandomTree::Bcast);
  }
  return std::nullopt;
}

std::string dyn::symbolic::test::checkValues(uint64_t seed) {
  RandomSource random(seed);
  SymbolicContext context;
  RandomTree tree = random.pickTree(random.pick(1, 4));
  Expr expr = tree.build(context);
  if (!expr)
    return "";
  std::shared_ptr<const ExprTree> rolled = getTree(expr);
  for (int i = 0; i < 12; ++i) {
    Point point = random.pickPoint(i % 3 == 0 ? -20 : 0, i % 2 == 0 ? 12 : 150);
    std::optional<int64_t> expected = tree.evaluate(point);
    if (!expected)
      continue;
    std::optional<int64_t> value = evaluate(expr, lookup(point));
    if (value && value != expected)
      return report(seed, tree.str(), " became ", expr, ": ", print(value), " instead of ", print(expected), " at ",
                    describe(point));
    std::optional<int64_t> treeValue = evaluateTree(*rolled, point);
    if (value && treeValue && treeValue != value)
      return report(seed, "the tree of ", expr, " gives ", print(treeValue), " instead of ", print(value), " at ",
                    describe(point));
    // Undefined values may become defined, never the other way round: simplification would invent failures.
    if (!value)
      return report(seed, tree.str(), " became ", expr, ", which has no value at ", describe(point));
  }
  return "";
}

std::string dyn::symbolic::test::checkRoundTrip(uint64_t seed) {
  RandomSource random(seed, {"a", "b", "last_dim.0", "odd name/\"\\"});
  SymbolicContext context;
  RandomTree tree = random.pickTree(random.pick(1, 4));
  Expr expr = tree.build(context);
  if (!expr)
    return "";
  for (Syntax syntax : {Syntax::Dyn, Syntax::SymPy}) {
    std::string text = expr.str(syntax);
    SymbolicContext other;
    // Other names come first in the other context: the order must not matter.
    other.getSymbol("zz"), other.getSymbol("last_dim.0"), other.getSymbol("b");
    ParseError error;
    Expr read = parseExpr(text, other, error);
    if (!read)
      return report(seed, "'", text, "' is not read: ", error.message, " at ", error.column);
    if (importExpr(read, context) != expr)
      return report(seed, "'", text, "' is read as '", read.str(), "'");
    if (syntax == Syntax::Dyn && read.str() != text)
      return report(seed, "'", text, "' is printed as '", read.str(), "'");
  }
  return "";
}

namespace {
/// Random declarations, and points that satisfy them.
struct RandomFacts {
  std::map<std::string, SymbolFacts> facts;

  explicit RandomFacts(RandomSource &random) {
    for (const std::string &name : random.names) {
      SymbolFacts &f = facts[name];
      int64_t low = random.chance(20) ? random.pick(-10, 0) : random.chance(50) ? 0 : random.pick(1, 9);
      if (random.chance(90))
        f.range.lower = low;
      else
        f.range.lower = std::nullopt;
      if (random.chance(50))
        f.range.upper = low + random.pick(0, 40);
      if (random.chance(30)) {
        f.modulus = random.pick(1, 8);
        f.remainder = random.pick(0, f.modulus - 1);
      }
      if (random.chance(20))
        f.notEqual.push_back(random.pick(0, 4));
    }
  }

  /// The declarations, and what else is told.
  std::string list(const std::vector<std::string> &told) const {
    std::string text;
    for (const auto &[name, f] : facts) {
      SymbolDeclaration declaration;
      declaration.name = name;
      declaration.facts = f;
      text += printSymbolDeclarations(declaration) + "; ";
    }
    for (const std::string &fact : told)
      text += fact + "; ";
    return text;
  }

  std::optional<Point> pickPoint(RandomSource &random) {
    Point point;
    for (const auto &[name, f] : facts) {
      int64_t low = f.range.lower.value_or(-60), high = f.range.upper.value_or(low + 130);
      for (int attempt = 0;; ++attempt) {
        if (attempt == 40)
          return std::nullopt;
        int64_t value = random.pickValue(low, high);
        value -= ((value - f.remainder) % f.modulus + f.modulus) % f.modulus;
        if (value < low || value > high || llvm::is_contained(f.notEqual, value))
          continue;
        point[name] = value;
        break;
      }
    }
    return point;
  }

  void declare(Solver &solver, bool &consistent) const {
    for (const auto &[name, f] : facts)
      consistent &= solver.declare(solver.getContext().getSymbol(name), f, SymbolClass::Declared,
                                   solver.addReason({"declared", "", 0}));
  }
};
} // namespace

std::string dyn::symbolic::test::checkFacts(uint64_t seed) {
  RandomSource random(seed);
  SymbolicContext context;
  Solver solver(context);
  RandomFacts facts(random);
  bool consistent = true;
  facts.declare(solver, consistent);
  std::optional<Point> witness = facts.pickPoint(random);
  if (witness && !consistent)
    return report(seed, "declarations are refused that hold at ", describe(*witness));
  if (!witness)
    return "";
  RandomTree tree = random.pickTree(random.pick(1, 3));
  Expr expr = tree.build(context);
  if (!expr)
    return "";
  Range range = solver.getRange(expr);
  auto [modulus, remainder] = solver.getCongruence(expr);
  Expr simple = solver.simplify(expr);
  for (int i = 0; i < 12; ++i) {
    std::optional<Point> point = facts.pickPoint(random);
    std::optional<int64_t> value = point ? tree.evaluate(*point) : std::nullopt;
    if (!value)
      continue;
    if ((range.lower && *value < *range.lower) || (range.upper && *value > *range.upper))
      return report(seed, tree.str(), " is ", *value, " at ", describe(*point), ", outside of [", print(range.lower),
                    ", ", print(range.upper), "]");
    if (modulus == 0 ? *value != remainder : ((*value - remainder) % modulus) != 0)
      return report(seed, tree.str(), " is ", *value, " at ", describe(*point), ", not ", remainder, " mod ", modulus);
    std::optional<int64_t> simplified = evaluate(simple, lookup(*point));
    if (simplified != value)
      return report(seed, tree.str(), " is simplified to ", simple, ": ", print(simplified), " instead of ", *value,
                    " at ", describe(*point));
  }
  return "";
}

static Predicate pickPredicate(RandomSource &random, SymbolicContext &context, unsigned depth) {
  if (depth > 0 && random.chance(25)) {
    std::vector<Predicate> operands = {pickPredicate(random, context, depth - 1),
                                       pickPredicate(random, context, depth - 1)};
    switch (random.pick(0, 2)) {
    case 0:
      return Predicate::conjunction(std::move(operands));
    case 1:
      return Predicate::disjunction(std::move(operands));
    default:
      return Predicate::negation(std::move(operands.front()));
    }
  }
  Expr lhs = random.pickTree(random.pick(0, 2)).build(context), rhs = random.pickTree(random.pick(0, 2)).build(context);
  switch (random.pick(0, 5)) {
  case 0:
    return Predicate::notEqual(lhs, rhs);
  case 1:
    return Predicate::lessEqual(lhs, rhs);
  case 2:
    return Predicate::less(lhs, rhs);
  case 3:
    return Predicate::broadcastable(lhs, rhs);
  default:
    return Predicate::equal(lhs, rhs);
  }
}

std::string dyn::symbolic::test::checkVerdicts(uint64_t seed) {
  RandomSource random(seed);
  SymbolicContext context;
  Solver solver(context);
  RandomFacts facts(random);
  std::optional<Point> point = facts.pickPoint(random);
  if (!point)
    return "";
  bool consistent = true;
  facts.declare(solver, consistent);
  std::vector<std::string> learnt;
  auto listFacts = [&] { return facts.list(learnt); };
  if (seed % 2 == 0)
    addUnrelatedFacts(solver);
  unsigned wanted = random.pick(0, 5);
  for (unsigned attempt = 0; attempt < 60 && learnt.size() < wanted; ++attempt) {
    Predicate predicate = pickPredicate(random, context, 1);
    std::optional<bool> truth = evaluate(predicate, lookup(*point));
    if (truth == false)
      predicate = Predicate::negation(predicate);
    if (!truth)
      continue;
    learnt.push_back(predicate.str());
    if (!solver.addPredicate(predicate, solver.addReason({"fact", "", 0})))
      return report(seed, "refused though it holds at ", describe(*point), ": ", listFacts());
  }
  for (int i = 0; i < 6; ++i) {
    Predicate query = pickPredicate(random, context, 1);
    std::optional<bool> truth = evaluate(query, lookup(*point));
    Verdict verdict = solver.implies(query);
    if (truth && verdict != Verdict::Unknown && (verdict == Verdict::Yes) != *truth)
      return report(seed, "verdict ", getName(verdict), " for ", query.str(), " at ", describe(*point), " given ",
                    listFacts());
    RandomTree tree = random.pickTree(random.pick(1, 3));
    Expr expr = tree.build(context);
    std::optional<int64_t> value = expr ? tree.evaluate(*point) : std::nullopt;
    if (!value)
      continue;
    Range range = solver.getRange(expr);
    if ((range.lower && *value < *range.lower) || (range.upper && *value > *range.upper))
      return report(seed, tree.str(), " is ", *value, " at ", describe(*point), ", outside of [", print(range.lower),
                    ", ", print(range.upper), "] given ", listFacts());
    Expr simple = solver.simplify(expr);
    std::optional<int64_t> simplified = evaluate(simple, lookup(*point));
    if (simplified != value)
      return report(seed, tree.str(), " is simplified to ", simple, ": ", print(simplified), " instead of ", *value,
                    " at ", describe(*point), " given ", listFacts());
  }
  return "";
}

std::string dyn::symbolic::test::checkOrder(uint64_t seed, bool isAmongMany, EnumerationCount &count) {
  RandomSource random(seed);
  RandomFacts declared(random);
  std::optional<Point> point = declared.pickPoint(random);
  if (!point)
    return "";
  // Some are not declared, as far as they are sizes.
  for (const auto &[name, value] : *point)
    if (value >= 0 && random.chance(30))
      declared.facts.erase(name);
  // Each context builds its own: symbols are mentioned in another order there.
  SymbolicContext scratch;
  std::vector<std::string> facts;
  for (unsigned attempt = 0, wanted = random.pick(2, 8); attempt < 60 && facts.size() < wanted; ++attempt) {
    Predicate predicate = pickPredicate(random, scratch, 1);
    if (std::optional<bool> truth = evaluate(predicate, lookup(*point)))
      facts.push_back((*truth ? predicate : Predicate::negation(predicate)).str());
  }
  SymbolicContext context, shuffledContext;
  Solver solver(context), shuffled(shuffledContext), repeated(context);
  bool consistent = true;
  auto teach = [&](Solver &solver) {
    for (const std::string &text : facts) {
      ParseError error;
      std::optional<Predicate> fact = parsePredicate(text, solver.getContext(), error);
      consistent &= fact && solver.addPredicate(*fact, solver.addReason({"fact", "", 0}));
    }
  };
  for (Solver *each : {&solver, &repeated, &shuffled}) {
    if (isAmongMany)
      addUnrelatedFacts(*each);
    declared.declare(*each, consistent);
    if (each == &shuffled)
      std::shuffle(facts.begin(), facts.end(), random.engine);
    teach(*each);
    if (each == &repeated)
      teach(*each);
  }
  if (!consistent)
    return report(seed, "refused though it holds at ", describe(*point));
  for (int i = 0; i < 4; ++i) {
    std::string text = pickPredicate(random, scratch, 1).str();
    auto ask = [&](Solver &solver) {
      ParseError error;
      std::optional<Predicate> question = parsePredicate(text, solver.getContext(), error);
      return question ? solver.implies(*question) : Verdict::Unknown;
    };
    Verdict verdict = ask(solver);
    for (auto [other, how] : {std::pair(ask(shuffled), "in another order "), std::pair(ask(repeated), "told twice ")}) {
      ++count.decidable;
      count.decided += verdict == other;
      if (verdict != other)
        return report(seed, getName(verdict), " and ", how, getName(other), " for ", text, " given ",
                      declared.list(facts));
    }
  }
  return "";
}

std::string dyn::symbolic::test::checkGuards(uint64_t seed) {
  RandomSource random(seed);
  SymbolicContext context;
  Solver solver(context);
  RandomFacts facts(random);
  bool consistent = true;
  facts.declare(solver, consistent);
  std::vector<Predicate> guards;
  for (unsigned i = 0, count = random.pick(2, 6); i < count; ++i)
    guards.push_back(pickPredicate(random, context, 1));
  llvm::SmallVector<unsigned> kept = solver.minimizeGuards(guards);
  for (int i = 0; i < 60; ++i) {
    std::optional<Point> point = facts.pickPoint(random);
    if (!point)
      return "";
    auto holds = [&](const Predicate &guard) { return evaluate(guard, lookup(*point)); };
    // Who writes exactdiv guarantees that it has a value, at every point that counts; also beside what is false.
    std::function<bool(const Predicate &)> hasValue = [&](const Predicate &guard) {
      return guard.operands.empty() ? holds(guard).has_value() : llvm::all_of(guard.operands, hasValue);
    };
    if (!llvm::all_of(guards, hasValue))
      continue;
    if (!llvm::all_of(kept, [&](unsigned index) { return holds(guards[index]) == true; }))
      continue;
    for (const Predicate &guard : guards)
      if (holds(guard) == false)
        return report(seed, "guard ", guard.str(), " was dropped, which fails at ", describe(*point));
  }
  return "";
}
