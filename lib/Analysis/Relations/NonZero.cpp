//===- Relations of the places that are not zero, and of their number ----------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Choices.h"
#include "../EarlierTwin.h"
#include "MovedValues.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// The places of the elements that are not zero, if sizes decide that: one after the other, as many entries as dims.
static std::optional<SmallVector<SmallVector<int64_t>>> getPlaces(NonZeroOp op, ShapeRelations &relations) {
  std::optional<ElementValues> elements = relations.getElements(op.getOperand());
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getOperand());
  if (!elements || !dims || static_cast<int64_t>(elements->size()) != llvm::product_of(*dims))
    return std::nullopt;
  SmallVector<SmallVector<int64_t>> places;
  const ElementValue *next = elements->begin();
  bool isKnown = true;
  forEachPosition(*dims, [&](ArrayRef<int64_t> position) {
    const ElementValue &element = *next++;
    std::optional<bool> truth = relations.getTruth(element);
    if (element.isInteger())
      truth =
          relations.getTruth(ElementValue::getBoolean(Predicate::notEqual(element.integer, relations.getConstant(0))));
    else if (element.kind == ElementValue::Kind::Number)
      truth = element.number != 0;
    isKnown &= truth.has_value();
    if (truth.value_or(false))
      places.emplace_back(position);
  });
  return isKnown ? std::optional(std::move(places)) : std::nullopt;
}

/// Of few elements that sizes decide: `min(n, 1)` of `0 < n`. Null where data decide one.
static Expr getCountOfTruths(NonZeroOp op, ShapeRelations &relations) {
  constexpr size_t kMostElements = 8;
  std::optional<ElementValues> elements = relations.getElements(op.getOperand());
  if (!elements || elements->size() > kMostElements)
    return {};
  Expr count = relations.getConstant(0);
  for (const ElementValue &element : *elements) {
    if (element.kind == ElementValue::Kind::Number) {
      count = count + (element.number != 0);
      continue;
    }
    bool isTruth = element.kind == ElementValue::Kind::Boolean;
    if (!isTruth && !element.isInteger())
      return {};
    Predicate isCounted =
        isTruth ? element.getPredicate() : Predicate::notEqual(element.integer, relations.getConstant(0));
    Expr indicator = getIndicator(isCounted, relations.getSolver());
    count = indicator ? count + indicator : Expr();
    if (!count)
      return {};
  }
  return count.isWithinBudget() ? relations.getSolver().simplify(count) : Expr();
}

/// Of an op that counts the same elements; null where there is none.
static Expr getCountOfTwin(NonZeroOp op, ShapeRelations &relations) {
  NonZeroOp twin = findEarlierCount(op.getOperand(), op);
  std::optional<Dims> dims = twin ? relations.getDims(twin.getResult()) : std::nullopt;
  return dims ? dims->back() : Expr();
}

/// How many elements may not be zero. Of the boxes of a class no more stay than are wanted.
static Expr getMostNonZero(NonZeroOp op, ArrayRef<Expr> dims, ShapeRelations &relations) {
  auto suppress = op.getOperand().getDefiningOp<SuppressOp>();
  std::optional<ElementValues> wanted = suppress ? relations.getElements(suppress.getMaxCount()) : std::nullopt;
  // The largest number is how exporters write that all may stay.
  if (!wanted || wanted->size() != 1 || !wanted->front().isInteger() || wanted->front().integer.isConstant(INT64_MAX))
    return relations.getNumElements(dims);
  Expr ofClass = symbolic::min({dims.back(), symbolic::max({wanted->front().integer, relations.getConstant(0)})});
  return relations.getNumElements(dims.drop_back()) * ofClass;
}

static LogicalResult relateNonZero(NonZeroOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return relations.setRank(op.getResult(), 2);
  int64_t rank = dims->size();
  std::optional<Dims> known = relations.getKnownDims(op.getOperand());
  if (known && rank != 0)
    relations.setBounds(op.getResult(), {relations.getConstant(0), symbolic::max(*known) - 1});
  std::optional<SmallVector<SmallVector<int64_t>>> places = getPlaces(op, relations);
  Expr count;
  if (op.getCount())
    count = relations.getContext().getSymbol(*op.getCount());
  else if (places)
    count = relations.getConstant(places->size());
  else if (known)
    count = getCountOfTruths(op, relations);
  if (!count && known)
    count = getCountOfTwin(op, relations);
  if (!count && known)
    count = relations.bindSize(op, getMostNonZero(op, *known, relations));
  if (failed(relations.setDims(op.getResult(), {relations.getConstant(rank), count})))
    return failure();
  std::optional<SmallVector<int64_t>> resultDims = relations.getSmallDims(op.getResult());
  if (!places || !resultDims || resultDims->back() != static_cast<int64_t>(places->size()))
    return success();
  ElementValues elements;
  for (int64_t dim = 0; dim < rank; ++dim)
    for (ArrayRef<int64_t> place : *places)
      elements.push_back(ElementValue::getInteger(relations.getConstant(place[dim])));
  relations.setElements(op.getResult(), std::move(elements));
  return success();
}

void relations::attachNonZeroRelations(MLIRContext *context) { attach<NonZeroOp, relateNonZero>(context); }
