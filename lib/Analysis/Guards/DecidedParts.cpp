//===- What predicates tell by their words alone ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DecidedParts.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace dyn;
using namespace dyn::symbolic;

/// Whether a predicate holds, where its words tell.
static std::optional<bool> decide(const Predicate &predicate) {
  using Kind = Predicate::Kind;
  auto compare = [&](auto comparison) -> std::optional<bool> {
    if (predicate.lhs == predicate.rhs)
      return comparison(0, 0);
    std::optional<int64_t> lhs = predicate.lhs.getConstant(), rhs = predicate.rhs.getConstant();
    return lhs && rhs ? std::optional<bool>(comparison(*lhs, *rhs)) : std::nullopt;
  };
  switch (predicate.kind) {
  case Kind::Equal:
    return compare(std::equal_to<int64_t>());
  case Kind::NotEqual:
    return compare(std::not_equal_to<int64_t>());
  case Kind::LessEqual:
    return compare(std::less_equal<int64_t>());
  case Kind::Less:
    return compare(std::less<int64_t>());
  case Kind::Not:
    if (std::optional<bool> holds = decide(predicate.operands.front()))
      return !*holds;
    return std::nullopt;
  case Kind::And:
  case Kind::Or: {
    // One part decides: a false one of a conjunction, a true one of a disjunction.
    bool decisive = predicate.kind == Kind::Or, isOpen = false;
    for (const Predicate &part : predicate.operands) {
      std::optional<bool> holds = decide(part);
      if (holds == decisive)
        return decisive;
      isOpen |= !holds;
    }
    return isOpen ? std::nullopt : std::optional(!decisive);
  }
  default:
    return std::nullopt;
  }
}

/// What is left of a predicate that its words do not decide.
static Predicate getRest(const Predicate &predicate) {
  if (predicate.operands.empty())
    return predicate;
  Predicate rest = predicate;
  rest.operands.clear();
  auto keep = [&](const Predicate &part) {
    if (!llvm::is_contained(rest.operands, part))
      rest.operands.push_back(part);
  };
  for (const Predicate &part : predicate.operands) {
    if (decide(part))
      continue;
    Predicate inner = getRest(part);
    // Neither a part of the same kind nor one that was said before.
    if (inner.kind == rest.kind && rest.kind != Predicate::Kind::Not)
      llvm::for_each(inner.operands, keep);
    else
      keep(inner);
  }
  return rest.operands.size() == 1 && rest.kind != Predicate::Kind::Not ? rest.operands.front() : rest;
}

std::optional<Predicate> dyn::dropDecided(const Predicate &predicate) {
  std::optional<bool> holds = decide(predicate);
  if (holds)
    return *holds ? std::nullopt : std::optional(predicate);
  return getRest(predicate);
}
