//===- Relations of contractions -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Elements/ElementwiseValues.h"
#include "Relations.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// Of vectors and matrices of sizes: strides times indices are an offset.
static LogicalResult relateProducts(MatMulOp op, ShapeRelations &relations) {
  if (!isa<IntegerType>(getElementTypeOrSelf(op.getResult())))
    return success();
  std::optional<SmallVector<int64_t>> lhsDims = relations.getSmallDims(op.getLhs());
  std::optional<SmallVector<int64_t>> rhsDims = relations.getSmallDims(op.getRhs());
  if (!lhsDims || !rhsDims || !relations.getSmallDims(op.getResult()) || lhsDims->size() > 2 || rhsDims->size() > 2)
    return success();
  std::optional<SmallVector<Expr>> lhs = relations.getIntegers(op.getLhs()), rhs = relations.getIntegers(op.getRhs());
  if (!lhs || !rhs)
    return success();
  size_t inner = lhsDims->back(), rows = lhsDims->size() == 1 ? 1 : lhsDims->front();
  size_t columns = rhsDims->size() == 1 ? 1 : rhsDims->back();
  Dims products;
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      Expr sum = relations.getConstant(0);
      for (size_t i = 0; i < inner; ++i)
        sum = sum + (*lhs)[row * inner + i] * (*rhs)[i * columns + column];
      products.push_back(sum);
    }
  return setIntegers(op, products, relations);
}

static LogicalResult relateMatMul(MatMulOp op, ShapeRelations &relations) {
  std::optional<Dims> lhs = relations.getDims(op.getLhs()), rhs = relations.getDims(op.getRhs());
  if (!lhs || !rhs || lhs->empty() || rhs->empty())
    return success();
  bool isRow = lhs->size() == 1, isColumn = rhs->size() == 1;
  Expr inner = isColumn ? rhs->back() : (*rhs)[rhs->size() - 2];
  if (failed(relations.requireEqual(lhs->back(), inner, "contraction")))
    return failure();
  FailureOr<Dims> result = relations.broadcast(ArrayRef(*lhs).drop_back(isRow ? 1 : 2),
                                               ArrayRef(*rhs).drop_back(isColumn ? 1 : 2), "batch dims");
  if (failed(result))
    return failure();
  if (!isRow)
    result->push_back((*lhs)[lhs->size() - 2]);
  if (!isColumn)
    result->push_back(rhs->back());
  if (failed(relations.setDims(op.getResult(), *result)))
    return failure();
  return relateProducts(op, relations);
}

/// "dim 2 of input `w` must fit dim 2 of input `x` with its pads": bounds of padded sizes alone say little.
static std::string describeWindow(ConvOp op, size_t axis) {
  auto dim = static_cast<int64_t>(axis) + 2;
  Value filter = findOperandOfNode(op, op.getFilter()), input = findOperandOfNode(op, op.getInput());
  // A node such as ConvTranspose makes them of its operands, and nobody else knows them.
  auto isOfNode = [&](Value value) { return value.getDefiningOp() && value.getLoc() == op.getLoc(); };
  if (isOfNode(filter) || isOfNode(input))
    return "dim " + std::to_string(dim) + " of the result must be at least 1";
  return describeDim(filter, dim) + " must fit " + describeDim(input, dim) + " with its pads";
}

/// Pads that follow from the size, as of SAME_UPPER, make a long formula of the places that a window has: `room` is at
/// least 1. Where it says no more than that the input or the window is empty, that is told.
static Predicate describeRoom(ConvOp op, size_t axis, Expr room, Expr kernel, ShapeRelations &relations) {
  Expr one = relations.getConstant(1);
  Predicate hasRoom = Predicate::lessEqual(one, room);
  Value unpadded = findOperandOfNode(op, op.getInput());
  std::optional<Dims> dims = unpadded == op.getInput() ? std::nullopt : relations.getDims(unpadded);
  Expr size = dims && dims->size() > axis + 2 ? (*dims)[axis + 2] : Expr();
  if (!size || size.getConstant() || room.getSymbols().empty())
    return hasRoom;
  Predicate isSome = Predicate::lessEqual(one, size);
  Predicate simple = relations.isKnownLessEqual(one, kernel)
                         ? isSome
                         : Predicate::disjunction({isSome, Predicate::equal(kernel, relations.getConstant(0))});
  auto implies = [&](const Predicate &given, const Predicate &wanted) {
    Solver solver = relations.getSolver().fork();
    return solver.addPredicate(given, solver.addReason({})) && solver.implies(wanted) == Verdict::Yes;
  };
  return hasRoom.str().size() > simple.str().size() && implies(simple, hasRoom) && implies(hasRoom, simple) ? simple
                                                                                                            : hasRoom;
}

static LogicalResult relateConv(ConvOp op, ShapeRelations &relations) {
  std::optional<Dims> input = relations.getDims(op.getInput()), filter = relations.getDims(op.getFilter());
  if (!input || !filter || input->size() < 2 || input->size() != filter->size())
    return success();
  int64_t group = op.getGroup();
  if ((*filter)[1] && failed(relations.requireEqual((*input)[1], (*filter)[1] * group, "channels")))
    return failure();
  if (group != 1 && (*filter)[0] &&
      failed(
          relations.requireEqual(mod((*filter)[0], relations.getConstant(group)), relations.getConstant(0), "groups")))
    return failure();
  Dims result{(*input)[0], (*filter)[0]};
  size_t spatial = input->size() - 2;
  for (size_t i = 0; i < spatial; ++i) {
    Expr size = (*input)[i + 2], kernel = (*filter)[i + 2];
    result.push_back(Expr());
    if (!size || !kernel)
      continue;
    // Places where the dilated kernel can begin in the padded input: there is at least one.
    Expr room = size + (op.getPads()[i] + op.getPads()[i + spatial]) - (kernel - 1) * op.getDilations()[i];
    // Most windows are known to fit, so that there is nothing to describe.
    if (room && !relations.isKnownLessEqual(relations.getConstant(1), room) &&
        failed(relations.require(describeRoom(op, i, room, kernel, relations), describeWindow(op, i))))
      return failure();
    result.back() = floorDiv(room - 1, op.getStrides()[i]) + 1;
  }
  return relations.setDims(op.getResult(), result);
}

void relations::attachContractionRelations(MLIRContext *context) {
  attach<MatMulOp, relateMatMul>(context);
  attach<ConvOp, relateConv>(context);
}
