//===- Random expressions with an independent meaning ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A tree that is evaluated as it stands, by its definition, is the oracle for what
// the engine makes of it.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_SYMBOLIC_RANDOMEXPR_H
#define DYN_TEST_UNIT_SYMBOLIC_RANDOMEXPR_H

#include "dyn/Symbolic/Solver.h"
#include <array>
#include <map>
#include <random>

namespace dyn::symbolic::test {

using Point = std::map<std::string, int64_t>;

inline auto lookup(const Point &point) {
  return [&point](llvm::StringRef name) -> std::optional<int64_t> {
    auto found = point.find(name.str());
    return found == point.end() ? std::nullopt : std::optional(found->second);
  };
}

struct RandomTree {
  enum Kind { Constant, Symbol, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, ExactDiv, Min, Max, Bcast };
  Kind kind;
  int64_t value = 0;
  std::string name;
  std::vector<RandomTree> operands;

  /// The value by definition; nothing where it is undefined or larger than that.
  std::optional<int64_t> evaluate(const Point &point, int64_t large = int64_t(1) << 40) const {
    std::vector<int64_t> v;
    for (const RandomTree &operand : operands) {
      std::optional<int64_t> result = operand.evaluate(point, large);
      if (!result)
        return std::nullopt;
      v.push_back(*result);
    }
    auto floorOf = [](__int128 a, __int128 b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); };
    __int128 result = 0;
    switch (kind) {
    case Constant:
      return value;
    case Symbol:
      return point.at(name);
    case Add:
      result = __int128(v[0]) + v[1];
      break;
    case Sub:
      result = __int128(v[0]) - v[1];
      break;
    case Mul:
      result = __int128(v[0]) * v[1];
      break;
    case FloorDiv:
    case CeilDiv:
    case Mod:
    case ExactDiv: {
      if (v[1] == 0)
        return std::nullopt;
      __int128 floor = floorOf(v[0], v[1]), remainder = v[0] - floor * v[1];
      if (kind == ExactDiv && remainder != 0)
        return std::nullopt;
      result = kind == Mod ? remainder : kind == CeilDiv ? floor + (remainder != 0) : floor;
      break;
    }
    case Min:
      result = *std::min_element(v.begin(), v.end());
      break;
    case Max:
      result = *std::max_element(v.begin(), v.end());
      break;
    case Bcast:
      result = 1;
      for (int64_t size : v) {
        if (size != 1 && result != 1 && size != result)
          return std::nullopt;
        result = size != 1 ? size : result;
      }
      break;
    }
    if (result > large || result < -large)
      return std::nullopt;
    return static_cast<int64_t>(result);
  }

  Expr build(SymbolicContext &context) const {
    std::vector<Expr> v;
    for (const RandomTree &operand : operands)
      v.push_back(operand.build(context));
    switch (kind) {
    case Constant:
      return context.getConstant(value);
    case Symbol:
      return context.getSymbol(name);
    case Add:
      return v[0] + v[1];
    case Sub:
      return v[0] - v[1];
    case Mul:
      return v[0] * v[1];
    case FloorDiv:
      return floorDiv(v[0], v[1]);
    case CeilDiv:
      return ceilDiv(v[0], v[1]);
    case Mod:
      return mod(v[0], v[1]);
    case ExactDiv:
      return exactDiv(v[0], v[1]);
    case Min:
      return min(v);
    case Max:
      return max(v);
    case Bcast:
      return bcast(v);
    }
    return {};
  }

  /// Text that was not made by the engine's printer.
  std::string str() const {
    switch (kind) {
    case Constant:
      return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
    case Symbol:
      return name;
    default:
      break;
    }
    static constexpr std::array<const char *, 12> names = {"",        "",    "+",        "-",   "*",   "floordiv",
                                                           "ceildiv", "mod", "exactdiv", "min", "max", "bcast"};
    std::string text;
    if (kind <= Mod) {
      return "(" + operands[0].str() + " " + names[kind] + " " + operands[1].str() + ")";
    }
    text = std::string(names[kind]) + "(";
    for (size_t i = 0; i < operands.size(); ++i)
      text += (i ? ", " : "") + operands[i].str();
    return text + ")";
  }
};

class RandomSource {
public:
  explicit RandomSource(uint64_t seed, std::vector<std::string> names = {"a", "b", "s", "t"})
      : engine(seed), names(std::move(names)) {}

  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine); }
  bool chance(int percent) { return pick(0, 99) < percent; }

  int64_t pickConstant() { return constants[pick(0, constants.size() - 1)]; }

  RandomTree pickTree(unsigned depth) {
    RandomTree tree;
    if (depth == 0 || chance(15)) {
      tree.kind = chance(30) ? RandomTree::Constant : RandomTree::Symbol;
      tree.value = pickConstant();
      tree.name = names[pick(0, names.size() - 1)];
      return tree;
    }
    static constexpr std::array<RandomTree::Kind, 20> kinds = {
        RandomTree::Add,      RandomTree::Add,      RandomTree::Add,     RandomTree::Sub, RandomTree::Sub,
        RandomTree::Mul,      RandomTree::Mul,      RandomTree::Mul,     RandomTree::Mod, RandomTree::FloorDiv,
        RandomTree::FloorDiv, RandomTree::FloorDiv, RandomTree::CeilDiv, RandomTree::Mod, RandomTree::ExactDiv,
        RandomTree::Min,      RandomTree::Min,      RandomTree::Max,     RandomTree::Max, RandomTree::Bcast};
    tree.kind = kinds[pick(0, kinds.size() - 1)];
    bool anyCount = tree.kind >= RandomTree::Min;
    size_t count = anyCount && chance(25) ? 3 : 2;
    for (size_t i = 0; i < count; ++i)
      tree.operands.push_back(pickTree(depth - 1));
    bool divides = tree.kind >= RandomTree::FloorDiv && tree.kind <= RandomTree::ExactDiv;
    if (divides && chance(constantDivisors)) {
      tree.operands[1] = RandomTree{RandomTree::Constant, pickConstant(), "", {}};
    } else if (tree.kind == RandomTree::Mul && chance(60)) {
      tree.operands[1] = RandomTree{RandomTree::Constant, pickConstant(), "", {}};
    }
    return tree;
  }

  /// Small values, values around powers of two, and the ends of the range.
  int64_t pickValue(int64_t low, int64_t high) {
    switch (pick(0, 5)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return std::clamp<int64_t>((int64_t(1) << pick(0, 7)) + pick(-1, 1), low, high);
    case 3:
      return std::clamp<int64_t>(pick(0, 3), low, high);
    default:
      return pick(low, high);
    }
  }
  Point pickPoint(int64_t low, int64_t high) {
    Point point;
    for (const std::string &name : names)
      point[name] = pickValue(low, high);
    return point;
  }

  std::mt19937_64 engine;
  std::vector<std::string> names;
  int constantDivisors = 75; ///< of 100
  std::vector<int64_t> constants = {-8, -3, -2, -1, 0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 12, 16};
};

} // namespace dyn::symbolic::test

#endif // DYN_TEST_UNIT_SYMBOLIC_RANDOMEXPR_H
