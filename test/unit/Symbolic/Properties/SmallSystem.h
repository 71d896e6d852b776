//===- Facts over small domains, with all points -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_SYMBOLIC_SMALLSYSTEM_H
#define DYN_TEST_UNIT_SYMBOLIC_SMALLSYSTEM_H

#include "Properties.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <set>

namespace dyn::symbolic::test {

/// A comparison of two trees.
struct Relation {
  enum Kind { Equal, NotEqual, LessEqual, Less, Broadcastable } kind;
  RandomTree lhs, rhs;

  std::optional<bool> evaluate(const Point &point, int64_t large = int64_t(1) << 40) const {
    std::optional<int64_t> left = lhs.evaluate(point, large), right = rhs.evaluate(point, large);
    if (!left || !right)
      return std::nullopt;
    switch (kind) {
    case Equal:
      return *left == *right;
    case NotEqual:
      return *left != *right;
    case LessEqual:
      return *left <= *right;
    case Less:
      return *left < *right;
    case Broadcastable:
      return *left == *right || *left == 1 || *right == 1;
    }
    return std::nullopt;
  }

  Predicate build(SymbolicContext &context) const {
    Expr left = lhs.build(context), right = rhs.build(context);
    switch (kind) {
    case Equal:
      return Predicate::equal(left, right);
    case NotEqual:
      return Predicate::notEqual(left, right);
    case LessEqual:
      return Predicate::lessEqual(left, right);
    case Less:
      return Predicate::less(left, right);
    case Broadcastable:
      return Predicate::broadcastable(left, right);
    }
    return {};
  }

  std::string str() const {
    static constexpr std::array<const char *, 5> names = {"==", "!=", "<=", "<", "~"};
    return lhs.str() + " " + names[kind] + " " + rhs.str();
  }
};

/// A fact or a declaration as it is printed.
inline bool tell(Solver &solver, llvm::StringRef text) {
  SymbolicContext &context = solver.getContext();
  ParseError error;
  ReasonId reason = solver.addReason({"told", "", 0});
  if (std::optional<Predicate> predicate = parsePredicate(text, context, error))
    return solver.addPredicate(*predicate, reason);
  auto declarations = parseSymbolDeclarations(text, error);
  return declarations && llvm::all_of(*declarations, [&](const SymbolDeclaration &declaration) {
           return solver.declare(context.getSymbol(declaration.name), declaration.facts, SymbolClass::Declared, reason);
         });
}

using Names = std::map<std::string, std::string>;

inline RandomTree renameSymbols(RandomTree tree, const Names &names) {
  if (tree.kind == RandomTree::Symbol)
    tree.name = names.at(tree.name);
  for (RandomTree &operand : tree.operands)
    operand = renameSymbols(operand, names);
  return tree;
}
inline Relation renameSymbols(const Relation &relation, const Names &names) {
  return {relation.kind, renameSymbols(relation.lhs, names), renameSymbols(relation.rhs, names)};
}

/// Symbols with small domains, facts about them, and the points at which all facts hold.
struct SmallSystem {
  std::vector<std::pair<std::string, SymbolFacts>> declarations;
  std::set<std::string> undeclared; ///< sizes whose domains are told as facts
  std::vector<Relation> facts;
  std::vector<Point> points, allowed;

  SmallSystem(RandomSource &random, unsigned factCount) {
    for (const std::string &name : random.names) {
      SymbolFacts &facts = declarations.emplace_back(name, SymbolFacts()).second;
      facts.range.lower = random.chance(70) ? 0 : random.chance(50) ? 1 : random.pick(-3, 3);
      facts.range.upper = *facts.range.lower + random.pick(1, 6);
      if (random.chance(20)) {
        facts.modulus = random.pick(2, 4);
        facts.remainder = random.pick(0, facts.modulus - 1);
      }
      if (facts.range.lower >= 0 && random.chance(15))
        undeclared.insert(name);
    }
    for (unsigned i = 0; i < factCount; ++i)
      facts.push_back(pickRelation(random));
    enumerate(Point(), declarations.begin());
    for (const Point &point : points)
      if (llvm::all_of(facts, [&](const Relation &fact) { return fact.evaluate(point) == true; }))
        allowed.push_back(point);
  }

  static Relation pickRelation(RandomSource &random) {
    static constexpr std::array<Relation::Kind, 8> kinds = {
        Relation::Equal,     Relation::Equal,     Relation::Equal, Relation::NotEqual,
        Relation::LessEqual, Relation::LessEqual, Relation::Less,  Relation::Broadcastable};
    Relation relation;
    relation.kind = kinds[random.pick(0, kinds.size() - 1)];
    relation.lhs = random.pickTree(random.pick(0, 2));
    relation.rhs = random.pickTree(random.pick(0, 2));
    return relation;
  }

  /// False if declarations or facts are refused.
  bool teach(Solver &solver, llvm::ArrayRef<unsigned> order) const {
    SymbolicContext &context = solver.getContext();
    ReasonId reason = solver.addReason({"given", "", 0});
    for (const auto &[name, facts] : declarations) {
      Expr symbol = context.getSymbol(name);
      bool holds = true;
      if (!undeclared.count(name)) {
        holds = solver.declare(symbol, facts, SymbolClass::Declared, reason);
      } else {
        Expr remainder = mod(symbol, context.getConstant(facts.modulus));
        holds = solver.addLessEqual(context.getConstant(*facts.range.lower), symbol, reason) &&
                solver.addLessEqual(symbol, context.getConstant(*facts.range.upper), reason) &&
                solver.addEqual(remainder, context.getConstant(facts.remainder), reason);
      }
      if (!holds)
        return false;
    }
    return llvm::all_of(order,
                        [&](unsigned index) { return solver.addPredicate(facts[index].build(context), reason); });
  }

  SmallSystem rename(const Names &names) const {
    SmallSystem renamed(*this);
    for (auto &[name, facts] : renamed.declarations)
      name = names.at(name);
    renamed.undeclared.clear();
    for (const std::string &name : undeclared)
      renamed.undeclared.insert(names.at(name));
    for (Relation &fact : renamed.facts)
      fact = renameSymbols(fact, names);
    return renamed;
  }

  std::string str() const {
    std::string text;
    for (const auto &[name, facts] : declarations) {
      SymbolDeclaration declaration;
      declaration.name = name;
      declaration.facts = facts;
      text += printSymbolDeclarations(declaration) + "; ";
    }
    for (const Relation &fact : facts)
      text += fact.str() + "; ";
    return text;
  }

private:
  using Declarations = std::vector<std::pair<std::string, SymbolFacts>>;
  void enumerate(Point point, Declarations::const_iterator next) {
    if (next == declarations.end()) {
      points.push_back(std::move(point));
      return;
    }
    const SymbolFacts &facts = next->second;
    for (int64_t value = *facts.range.lower; value <= *facts.range.upper; ++value)
      if (((value - facts.remainder) % facts.modulus) == 0) {
        point[next->first] = value;
        enumerate(point, std::next(next));
      }
  }
};

} // namespace dyn::symbolic::test

#endif // DYN_TEST_UNIT_SYMBOLIC_SMALLSYSTEM_H
