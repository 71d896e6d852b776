//===- What ops say about ranks, dims and small values -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeRelations.h"
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

ElementValue ElementValue::getInteger(Expr value) {
  ElementValue result;
  if (value) {
    result.kind = Kind::Integer;
    result.integer = value;
  }
  return result;
}

ElementValue ElementValue::getBoolean(Predicate value) {
  ElementValue result;
  result.kind = Kind::Boolean;
  auto details = llvm::makeIntrusiveRefCnt<Details>();
  details->predicate = std::move(value);
  result.details = std::move(details);
  return result;
}

ElementValue ElementValue::getBoolean(bool value) {
  return getBoolean(Predicate{value ? Predicate::Kind::True : Predicate::Kind::False, {}, {}, {}});
}

ElementValue ElementValue::getNumber(double value) {
  ElementValue result;
  result.kind = Kind::Number;
  result.number = value;
  return result;
}

ElementValue ElementValue::getQuotient(Expr numerator, int64_t divisor, bool isExact) {
  ElementValue result;
  if (!numerator)
    return result;
  result.kind = Kind::Quotient;
  result.integer = numerator;
  result.isExact = isExact;
  if (divisor != 1) {
    auto details = llvm::makeIntrusiveRefCnt<Details>();
    details->divisor = divisor;
    result.details = std::move(details);
  }
  return result;
}

ElementValue ElementValue::getRatio(Expr numerator, Expr size) {
  ElementValue result;
  result.kind = Kind::Ratio;
  result.integer = numerator;
  auto details = llvm::makeIntrusiveRefCnt<Details>();
  details->over = size;
  result.details = std::move(details);
  return result;
}

void ElementValue::addMagnitudes(ArrayRef<Magnitude> magnitudes) {
  if (magnitudes.empty() || isUnknown())
    return;
  auto added = details ? llvm::makeIntrusiveRefCnt<Details>(*details) : llvm::makeIntrusiveRefCnt<Details>();
  added->magnitudes.append(magnitudes.begin(), magnitudes.end());
  details = std::move(added);
}

bool ElementValue::operator==(const ElementValue &other) const {
  if (kind != other.kind || isExact != other.isExact || integer != other.integer)
    return false;
  // Zeros of different signs are different numbers, and what is no number is none that could be the same.
  if (number != other.number || std::signbit(number) != std::signbit(other.number))
    return false;
  if (kind == Kind::Boolean)
    return getPredicate() == other.getPredicate();
  return getDivisor() == other.getDivisor() && getOver() == other.getOver() && getMagnitudes() == other.getMagnitudes();
}

std::optional<int64_t> ElementValue::getConstant() const { return isInteger() ? integer.getConstant() : std::nullopt; }

std::optional<SmallVector<Expr>> ShapeRelations::getIntegers(Value value) {
  const ElementValues *elements = findElements(value);
  if (!elements || !llvm::all_of(*elements, [](const ElementValue &element) { return element.isInteger(); }))
    return std::nullopt;
  return llvm::map_to_vector(*elements, [](const ElementValue &element) { return element.integer; });
}

std::optional<SmallVector<int64_t>> ShapeRelations::getConstants(Value value) {
  std::optional<SmallVector<Expr>> integers = getIntegers(value);
  if (!integers || !llvm::all_of(*integers, [](Expr integer) { return integer.getConstant().has_value(); }))
    return std::nullopt;
  return llvm::map_to_vector(*integers, [](Expr integer) { return *integer.getConstant(); });
}

Expr ShapeRelations::getScalar(Value value) {
  std::optional<SmallVector<Expr>> integers = getIntegers(value);
  return integers && integers->size() == 1 ? integers->front() : Expr();
}

std::optional<bool> ShapeRelations::getTruth(const ElementValue &element) {
  if (element.kind != ElementValue::Kind::Boolean)
    return std::nullopt;
  switch (getSolver().implies(element.getPredicate())) {
  case Verdict::Yes:
    return true;
  case Verdict::No:
    return false;
  case Verdict::Unknown:
    return std::nullopt;
  }
  llvm_unreachable("all verdicts are covered");
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

bool ShapeRelations::isKnownEqual(Expr lhs, Expr rhs) {
  return lhs && rhs && (lhs == rhs || getSolver().isEqual(lhs, rhs) == Verdict::Yes);
}

bool ShapeRelations::isKnownLessEqual(Expr lhs, Expr rhs) {
  if (!lhs || !rhs || lhs == rhs)
    return bool(lhs) && bool(rhs);
  std::optional<int64_t> small = lhs.getConstant(), large = small ? rhs.getConstant() : std::nullopt;
  return large ? *small <= *large : getSolver().isLessEqual(lhs, rhs) == Verdict::Yes;
}

std::optional<int64_t> ShapeRelations::getRank(Value value) {
  const Dims *dims = findDims(value);
  return dims ? std::optional<int64_t>(dims->size()) : std::nullopt;
}

std::optional<Dims> ShapeRelations::getKnownDims(Value value) {
  const Dims *dims = findDims(value);
  if (!dims || !llvm::all_of(*dims, [](Expr dim) { return bool(dim); }))
    return std::nullopt;
  return *dims;
}

std::optional<SmallVector<int64_t>> ShapeRelations::getSmallDims(Value value) {
  const Dims *dims = findDims(value);
  if (!dims)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  // The number of elements but for dims of size 0: a size beyond the limit may stand before a 0.
  int64_t elements = 1;
  for (Expr dim : *dims) {
    std::optional<int64_t> size = dim ? dim.getConstant() : std::nullopt;
    if (!size || *size < 0 || *size > kMaxElements)
      return std::nullopt;
    elements *= *size;
    if (elements > kMaxElements)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

Expr ShapeRelations::getNumElements(ArrayRef<Expr> dims) {
  Expr product = getConstant(1);
  for (Expr dim : dims)
    product = product * dim;
  return product;
}

LogicalResult ShapeRelations::setRank(Value value, int64_t rank) { return setDims(value, Dims(rank)); }

//===----------------------------------------------------------------------===//
// Obligations
//===----------------------------------------------------------------------===//

LogicalResult ShapeRelations::requireEqual(Expr lhs, Expr rhs, const Twine &because, ReasonPlace place) {
  if (!lhs || !rhs || lhs == rhs)
    return success();
  return require(Predicate::equal(lhs, rhs), because, place);
}

LogicalResult ShapeRelations::requireUnlessEmpty(const Predicate &predicate, ArrayRef<Expr> dims, const Twine &because,
                                                 ReasonPlace place) {
  Solver &solver = getSolver();
  Expr zero = getConstant(0);
  std::vector<Predicate> cases{predicate};
  for (Expr dim : dims) {
    Predicate isEmpty = Predicate::equal(dim, zero);
    if (llvm::is_contained(cases, isEmpty) || solver.isZero(dim) == Verdict::No)
      continue;
    // `seq - 1 < 512` holds where seq is 0.
    Predicate isCovered = Predicate::disjunction({Predicate::notEqual(dim, zero), predicate});
    if (solver.implies(isCovered) != Verdict::Yes)
      cases.push_back(std::move(isEmpty));
  }
  return require(cases.size() == 1 ? cases.front() : Predicate::disjunction(std::move(cases)), because, place);
}

FailureOr<Expr> ShapeRelations::broadcast(Expr lhs, Expr rhs, const Twine &because) {
  Expr one = getConstant(1);
  if (!lhs || !rhs)
    return lhs == one ? rhs : rhs == one ? lhs : Expr();
  if (lhs == one || lhs == rhs)
    return rhs;
  if (rhs == one)
    return lhs;
  Solver &solver = getSolver();
  if (solver.isEqual(lhs, rhs) == Verdict::Yes)
    return lhs;
  Verdict lhsIsOne = solver.isEqual(lhs, one), rhsIsOne = solver.isEqual(rhs, one);
  if (lhsIsOne == Verdict::Yes)
    return rhs;
  if (rhsIsOne == Verdict::Yes)
    return lhs;
  auto requireTo = [&](Predicate predicate, Expr result) -> FailureOr<Expr> {
    if (failed(require(predicate, because)))
      return failure();
    return result;
  };
  // A side that is 1 only where the other one is too never needs repeating: `S` against `min(S, 512)`.
  auto needsNoRepeat = [&](Expr side, Expr other, Verdict isOne) {
    return isOne == Verdict::No ||
           solver.implies(Predicate::disjunction({Predicate::notEqual(side, one), Predicate::equal(side, other)})) ==
               Verdict::Yes;
  };
  bool keepsLhs = needsNoRepeat(lhs, rhs, lhsIsOne), keepsRhs = needsNoRepeat(rhs, lhs, rhsIsOne);
  Predicate equal = Predicate::equal(lhs, rhs);
  if (keepsLhs && keepsRhs)
    return requireTo(equal, lhs);
  if (keepsLhs)
    return requireTo(Predicate::disjunction({equal, Predicate::equal(rhs, one)}), lhs);
  if (keepsRhs)
    return requireTo(Predicate::disjunction({equal, Predicate::equal(lhs, one)}), rhs);
  return requireTo(Predicate::broadcastable(lhs, rhs), bcast({lhs, rhs}));
}

FailureOr<Dims> ShapeRelations::broadcast(ArrayRef<Expr> lhs, ArrayRef<Expr> rhs, const Twine &because) {
  return broadcast(lhs, rhs, [&](size_t) { return because.str(); });
}

FailureOr<Dims> ShapeRelations::broadcast(ArrayRef<Expr> lhs, ArrayRef<Expr> rhs,
                                          llvm::function_ref<std::string(size_t fromEnd)> because) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  Dims result(lhs.begin(), lhs.end());
  size_t offset = lhs.size() - rhs.size();
  for (size_t i = 0; i < rhs.size(); ++i) {
    bool isSame = lhs[offset + i] == rhs[i];
    FailureOr<Expr> dim = broadcast(lhs[offset + i], rhs[i], isSame ? "" : because(rhs.size() - 1 - i));
    if (failed(dim))
      return failure();
    result[offset + i] = *dim;
  }
  return result;
}
