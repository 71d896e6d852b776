//===- Relations of ops that only change dims ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../ShortSizes.h"
#include "MovedValues.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "dyn/Symbolic/Factors.h"
#include <numeric>

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// Takes constants that both have out of two products: `6 * b == 6 * n` is said as `b == n`.
static void cancelConstants(ShapeRelations &relations, Dims &lhs, Dims &rhs) {
  for (Expr &left : lhs)
    for (Expr &right : rhs) {
      std::optional<int64_t> first = left.getConstant(), second = right.getConstant();
      if (!first || !second || *first < 1 || *second < 1)
        continue;
      int64_t divisor = std::gcd(*first, *second);
      left = relations.getConstant(*first / divisor);
      right = relations.getConstant(*second / divisor);
    }
}

/// States that tensors have equally many elements, where all dims are known.
static LogicalResult requireEqualCounts(ShapeRelations &relations, Value operand, Value result) {
  std::optional<Dims> from = relations.getKnownDims(operand), to = relations.getKnownDims(result);
  if (!from || !to)
    return success();
  cancelConstants(relations, *from, *to);
  return relations.requireEqual(relations.getNumElements(*to), relations.getNumElements(*from), "");
}

static LogicalResult relateReshape(ReshapeOp op, ShapeRelations &relations) {
  passValues(relations, op.getOperand(), op.getResult());
  return requireEqualCounts(relations, op.getOperand(), op.getResult());
}

//===----------------------------------------------------------------------===//
// Reshape by a tensor of dims
//===----------------------------------------------------------------------===//

namespace {

/// The dims that a reshape_to gives, from what is known of the elements of its shape.
class ReshapeRelation {
public:
  ReshapeRelation(ReshapeToOp op, ShapeRelations &relations, ArrayRef<Expr> shape)
      : op(op), relations(relations), shape(shape), from(relations.getDims(op.getOperand())),
        areZerosSizes(op.getAllowZero() || relations.areCopiesNeedless(op)) {}

  LogicalResult relate() {
    for (size_t i = 0; i < shape.size(); ++i)
      if (failed(readElement(i)))
        return failure();
    if (areMarksOpen())
      return relateMarks();
    // Data say -1 or the size that is left, but only one element at a time can be left to the others.
    bool isLeftOpen = open.size() == 1 && !wildcard;
    if (isLeftOpen)
      wildcard = open.front();
    if (!wildcard && failed(requireSizes()))
      return failure();
    Expr quotient;
    if (wildcard) {
      if (failed(findQuotient(/*isCertain=*/!isLeftOpen, quotient)))
        return failure();
      // Said anew where zeros have turned out to be sizes. Nothing was stated yet but what holds then too.
      if (!areZerosSizes && relations.areCopiesNeedless(op))
        return ReshapeRelation(op, relations, shape).relate();
      dims[*wildcard] = quotient;
    }
    // What data say is a size at last when the operand's dims are known and do not determine it.
    bool isSettled = !isLeftOpen || relations.getKnownDims(op.getOperand());
    for (size_t i : open) {
      if (!shape[i] || !isSettled)
        continue;
      if (isLeftOpen && quotient) {
        std::vector<Predicate> cases{Predicate::equal(shape[i], quotient),
                                     Predicate::equal(shape[i], relations.getConstant(-1))};
        if (!areZerosSizes && i < from->size())
          cases.push_back(Predicate::conjunction(
              {Predicate::equal(shape[i], relations.getConstant(0)), Predicate::equal((*from)[i], quotient)}));
        if (failed(relations.require(Predicate::disjunction(std::move(cases)), "a size from data")))
          return failure();
        continue;
      }
      if (failed(requireSize(relations, shape[i], "a size from data")))
        return failure();
      dims[i] = shape[i];
    }
    if (wildcard)
      for (Expr &dim : dims)
        dim = findShortForm(dim, relations.getSolver());
    if (failed(relations.setDims(op.getResult(), dims)))
      return failure();
    if (quotient)
      return success();
    return requireEqualCounts(relations, op.getOperand(), op.getResult());
  }

private:
  LogicalResult readElement(size_t index) {
    Expr element = shape[index], dim = from && index < from->size() ? (*from)[index] : Expr();
    dims.push_back(element);
    copied.push_back(false);
    if (!element) {
      open.push_back(index);
      return success();
    }
    if (element.isConstant(-1)) {
      if (wildcard)
        return op.emitOpError() << "has two -1 in its shape";
      wildcard = index;
      return success();
    }
    if (std::optional<int64_t> constant = element.getConstant(); constant && *constant < 0)
      return op.emitOpError() << "has the negative dim " << *constant << " in its shape";
    // `b mod b`, once the guard that b is not 0 is known.
    if (!areZerosSizes && !element.getConstant() && !element.isSymbol() &&
        relations.isKnownEqual(element, relations.getConstant(0)))
      element = dims.back() = relations.getConstant(0);
    // A size that is the operand's at the same place needs no other meaning where it is 0.
    if (!areZerosSizes && (element.isConstant(0) || relations.isKnownEqual(element, dim))) {
      if (element.isConstant(0) && from && index >= from->size())
        return op.emitOpError() << "copies dim " << index << " of an operand of rank " << from->size();
      saysZero |= element.isConstant(0);
      dims.back() = dim;
      copied.back() = true;
      return success();
    }
    if (!relations.isKnownLessEqual(relations.getConstant(0), element))
      open.push_back(index);
    else if (!areZerosSizes && dim && mayCopy(element, dim))
      zeros.push_back(index);
    else if (!areZerosSizes && from && index >= from->size() && !element.getConstant())
      relations.noteRule(Predicate::lessEqual(relations.getConstant(1), element));
    return success();
  }

  /// Are there elements of an input, of which any may be -1, or 0, at a run? Computed ones are sizes.
  bool areMarksOpen() {
    return open.size() > 1 && !wildcard && zeros.empty() && relations.getKnownDims(op.getOperand()) &&
           llvm::all_of(open, [&](size_t i) { return shape[i] && shape[i].isSymbol(); });
  }

  /// The dims where elements of an input are sizes or say -1 or 0, which the run tells. Each is the size that it says
  /// itself, none for a -1, and for that one what is left by the others.
  LogicalResult relateMarks() {
    Expr zero = relations.getConstant(0), one = relations.getConstant(1), marks = zero;
    Dims said = dims, factors = dims, isMark(dims.size(), zero);
    for (size_t i : open) {
      Expr element = shape[i], positive = symbolic::max({element, zero});
      isMark[i] = positive - element;
      said[i] = positive;
      if (failed(relations.require(Predicate::lessEqual(relations.getConstant(-1), element), "a size from data")))
        return failure();
      bool isCopy = !areZerosSizes && i < from->size(), isRefused = !areZerosSizes && !isCopy;
      Predicate isGiven = Predicate::disjunction(
          {Predicate::lessEqual(one, element), Predicate::lessEqual(element, relations.getConstant(-1))});
      if (isRefused && failed(relations.require(isGiven, "a 0 copies no dim of the operand")))
        return failure();
      if (isCopy)
        said[i] = positive + (*from)[i] * (one - symbolic::min({positive + isMark[i], one}));
      factors[i] = relations.defineSymbol(said[i] + isMark[i]);
      marks = marks + isMark[i];
    }
    Expr total = relations.getNumElements(*from), given = relations.getNumElements(factors);
    Expr left = floorDiv(total, symbolic::max({given, one}));
    if (failed(relations.require(Predicate::lessEqual(marks, one),
                                 "at most one element of the shape may be -1, and none less")) ||
        failed(requireNonZero(factors)))
      return failure();
    for (size_t i : open)
      dims[i] = relations.defineSymbol(said[i] + isMark[i] * left);
    // Once the shape is taken as these dims, nobody would know any more why they fit.
    if (failed(relations.requireEqual(relations.getNumElements(dims), total, "as many elements as the operand has")))
      return failure();
    return relations.setDims(op.getResult(), dims);
  }

  /// What is left by no elements is not known: a -1 beside a 0 is refused. `factors` are the sizes, 1 for a -1.
  LogicalResult requireNonZero(ArrayRef<Expr> factors) {
    Expr zero = relations.getConstant(0), one = relations.getConstant(1);
    std::vector<Predicate> areSizes, areSome;
    std::string because = "-1 beside a dim of size 0";
    for (auto [i, factor] : llvm::enumerate(factors)) {
      if (relations.isKnownLessEqual(one, factor))
        continue;
      areSome.push_back(Predicate::lessEqual(one, factor));
      if (factor.isSymbol() && factor != shape[i])
        because += "; " + factor.str() + " is the size of dim " + std::to_string(i) + ", 1 for a -1";
    }
    for (size_t i : open)
      areSizes.push_back(Predicate::lessEqual(zero, shape[i]));
    if (areSome.empty())
      return success();
    Predicate isSome = areSome.size() == 1 ? areSome.front() : Predicate::conjunction(std::move(areSome));
    return relations.require(Predicate::disjunction({Predicate::conjunction(std::move(areSizes)), std::move(isSome)}),
                             because);
  }

  /// Where an element is 0, it is the operand's dim at its place. Can that be another size?
  bool mayCopy(Expr element, Expr dim) {
    Predicate isSame = Predicate::disjunction(
        {Predicate::lessEqual(relations.getConstant(1), element), Predicate::equal(dim, relations.getConstant(0))});
    return relations.getSolver().implies(isSame) != Verdict::Yes;
  }

  /// Without a -1, a 0 that copies fits where a size of 0 does too only if another dim is 0 at the same time: at such
  /// sizes it is not known what is meant. Elsewhere a 0 is the size.
  LogicalResult requireSizes() {
    Expr zero = relations.getConstant(0), one = relations.getConstant(1);
    for (size_t i : zeros) {
      std::vector<Predicate> cases{Predicate::lessEqual(one, dims[i]), Predicate::equal((*from)[i], zero)};
      std::vector<Predicate> others;
      for (size_t j = 0; j < dims.size(); ++j) {
        if (j == i || relations.isKnownLessEqual(one, dims[j]))
          continue;
        if (!dims[j])
          return success();
        std::vector<Predicate> isSome{Predicate::lessEqual(one, dims[j])};
        // What it would copy, if that says more.
        Predicate isCopy = Predicate::lessEqual(one, j < from->size() && (*from)[j] ? (*from)[j] : dims[j]);
        Predicate saysMore = Predicate::disjunction({Predicate::negation(isCopy), isSome.front()});
        if (relations.getSolver().implies(saysMore) != Verdict::Yes)
          isSome.push_back(std::move(isCopy));
        others.push_back(isSome.size() == 1 ? isSome.front() : Predicate::disjunction(std::move(isSome)));
      }
      if (others.empty())
        continue;
      cases.push_back(others.size() == 1 ? others.front() : Predicate::conjunction(std::move(others)));
      if (failed(relations.requireBesideRules(Predicate::disjunction(std::move(cases)),
                                              "a 0 that may be a size or dim " + Twine(i) + " of the operand")))
        return failure();
    }
    return success();
  }

  /// Beside a -1, a 0 copies. `quotient` is what is left by the elements as sizes. Where only constants can be copied,
  /// both are what that makes of them: nothing is left beside a copy where there is nothing in the operand. Otherwise a
  /// 0 that would copy something is refused.
  LogicalResult copyZeros(Expr &quotient) {
    Expr one = relations.getConstant(1), left = quotient;
    Dims copies = dims;
    std::vector<Predicate> areSame;
    for (size_t i : zeros) {
      Expr isSome = symbolic::min({dims[i], one});
      copies[i] = dims[i] + (*from)[i] * (one - isSome);
      left = left * isSome;
      areSame.push_back(Predicate::disjunction(
          {Predicate::lessEqual(one, dims[i]), Predicate::equal((*from)[i], relations.getConstant(0))}));
    }
    copies[*wildcard] = left;
    bool isConstant = llvm::all_of(zeros, [&](size_t i) { return (*from)[i].getConstant().has_value(); });
    if (isConstant && relations.isKnownEqual(relations.getNumElements(copies), relations.getNumElements(*from))) {
      if (!zeros.empty() && !saysZero && open.empty())
        relations.noteNeedOfCopies(areSame.size() == 1 ? areSame.front() : Predicate::conjunction(std::move(areSame)));
      dims = std::move(copies);
      quotient = left;
      return success();
    }
    for (auto [i, isSame] : llvm::zip_equal(zeros, areSame))
      if (failed(relations.requireBesideRules(isSame, "a 0 beside -1 copies dim " + Twine(i) + " of the operand")))
        return failure();
    return success();
  }

  /// What is left for the wildcard: the elements of the operand over those of the other dims. Copied dims cancel out,
  /// so that they may be 0. Left null while dims are not known, and, unless it is certain that there is a wildcard,
  /// where the other dims may be 0.
  LogicalResult findQuotient(bool isCertain, Expr &quotient) {
    if (!from)
      return success();
    Dims left, others;
    for (auto [index, dim] : llvm::enumerate(*from))
      if (index >= copied.size() || !copied[index])
        left.push_back(dim);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i == *wildcard || copied[i])
        continue;
      bool isOpen = llvm::is_contained(open, i);
      if (isOpen && failed(requireSize(relations, dims[i], "a size from data")))
        return failure();
      others.push_back(dims[i]);
    }
    for (size_t i = 0; isCertain && i < dims.size(); ++i)
      if (i != *wildcard && dims[i] && !llvm::is_contained(zeros, i))
        relations.noteRule(Predicate::lessEqual(relations.getConstant(1), dims[i]));
    // A quotient without a remainder at any size is the size that was meant, also where others are 0.
    // An exact division claims just that. First as they are, then rewritten by facts: where `batch * s == 16 * batch`,
    // 16 is left only if batch is not 0.
    Expr rest = relations.getNumElements(left), given = relations.getNumElements(others);
    // Last, dims that proofs alone show to be equal are written alike.
    for (Form form : {Form::AsTheyAre, Form::Simplified, Form::Alike}) {
      if (form == Form::Alike && !writeAlike(left, others))
        break;
      if (form != Form::AsTheyAre)
        std::tie(rest, given) = getProducts(left, others);
      quotient = exactDiv(rest, given);
      if (!quotient)
        return success();
      if (quotient * given == rest && !getTree(quotient)->contains(ExprTree::Kind::ExactDiv))
        return copyZeros(quotient);
    }
    quotient = Expr();
    Expr one = relations.getConstant(1);
    for (Expr dim : others) {
      if (relations.isKnownLessEqual(one, dim))
        continue;
      if (!isCertain)
        return success();
      if (failed(relations.require(Predicate::lessEqual(one, dim), "-1 beside a dim of size 0")))
        return failure();
    }
    // None of them is 0 any more, so that equal dims cancel out too.
    llvm::erase_if(others, [&](Expr dim) {
      Expr *equal = llvm::find(left, dim);
      if (equal == left.end())
        return false;
      left.erase(equal);
      return true;
    });
    std::tie(rest, given) = getProducts(left, others);
    Expr remainder = mod(rest, given);
    if (!remainder)
      return success();
    if (failed(relations.requireEqual(remainder, relations.getConstant(0), "-1 stands for no whole size")))
      return failure();
    quotient = exactDiv(rest, given);
    quotient = quotient ? relations.getSolver().simplify(quotient) : Expr();
    return success();
  }

  enum class Form { AsTheyAre, Simplified, Alike };

  /// Puts dims of the operand in place of others that are products and equal, such as `(h floordiv 2)*w` for another
  /// one that a guard made the same. False where there are none.
  bool writeAlike(ArrayRef<Expr> left, MutableArrayRef<Expr> others) {
    bool isAny = false;
    for (Expr &dim : others)
      for (Expr same : left)
        if (dim && same && dim != same && symbolic::getFactors(dim).size() > 1 &&
            symbolic::getFactors(same).size() > 1 && relations.isKnownEqual(dim, same)) {
          dim = same;
          isAny = true;
          break;
        }
    return isAny;
  }

  /// Null where a dim is not known.
  std::pair<Expr, Expr> getProducts(ArrayRef<Expr> left, ArrayRef<Expr> others) {
    auto multiply = [&](ArrayRef<Expr> dims) {
      Expr product = relations.getNumElements(dims);
      return product ? relations.getSolver().simplify(product) : Expr();
    };
    return {multiply(left), multiply(others)};
  }

  ReshapeToOp op;
  ShapeRelations &relations;
  ArrayRef<Expr> shape;
  std::optional<Dims> from;
  bool areZerosSizes; ///< and copy nothing
  Dims dims;
  SmallVector<bool> copied;
  std::optional<size_t> wildcard;
  SmallVector<size_t, 4> open;  ///< elements that are not known, or may be negative
  SmallVector<size_t, 4> zeros; ///< sizes that are elsewhere than in the operand, and may be 0
  bool saysZero = false;        ///< Does a constant copy a dim?
};

} // namespace

static LogicalResult relateReshapeTo(ReshapeToOp op, ShapeRelations &relations) {
  if (failed(relateLength(relations, op.getShape(), op.getResult())))
    return failure();
  if (std::optional<int64_t> rank = relations.getRank(op.getResult()))
    if (std::optional<Dims> shape = getListOf(relations, op.getShape(), *rank))
      if (failed(ReshapeRelation(op, relations, *shape).relate()))
        return failure();
  passValues(relations, op.getOperand(), op.getResult());
  return success();
}

void relations::attachReshapeRelations(MLIRContext *context) {
  attach<ReshapeOp, relateReshape>(context);
  attach<ReshapeToOp, relateReshapeTo, 1>(context);
}
