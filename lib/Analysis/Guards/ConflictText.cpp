//===- What a refused fact is about ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ConflictText.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/ValueName.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

class OperandText {
public:
  OperandText(Operation *op, ShapeRelations &relations) : op(op), relations(relations) {}

  std::string describe(unsigned operand) const;
  /// Nothing where several pairs of dims, or none, are what the fact speaks of.
  std::optional<std::string> findDims(Expr lhs, Expr rhs) const;

private:
  /// The dims that ops compare lie as far from the end, but for those of a product.
  int64_t getDistance(unsigned operand, size_t rank, unsigned dim) const {
    bool isContracted = isa<MatMulOp>(op) && dim + (operand == 1 && rank > 1 ? 2 : 1) == rank;
    return isContracted ? -1 : static_cast<int64_t>(rank) - dim;
  }
  std::optional<Dims> getDims(unsigned operand) const { return relations.getDims(op->getOperand(operand)); }

  Operation *op;
  ShapeRelations &relations;
};

} // namespace

std::string OperandText::describe(unsigned number) const {
  Value operand = op->getOperand(number);
  std::string text = describeValue(operand, op);
  if (text.empty())
    text = "operand " + std::to_string(number);
  constexpr size_t few = 8;
  std::optional<Dims> dims = getDims(number);
  std::optional<SmallVector<Expr>> integers = relations.getIntegers(operand);
  bool isList = integers && integers->size() <= few && dims && dims->size() <= 1;
  if (!isList && !dims)
    return text;
  auto print = [](Expr expr) { return expr ? expr.str() : std::string("?"); };
  SmallVector<std::string> parts = isList ? llvm::map_to_vector(*integers, print) : llvm::map_to_vector(*dims, print);
  return text + (isList ? " = [" : " [") + llvm::join(parts, ", ") + "]";
}

std::optional<std::string> OperandText::findDims(Expr lhs, Expr rhs) const {
  // The dims of windows are compared with what is computed from them.
  if (isa<ConvOp>(op))
    return std::nullopt;
  std::optional<std::string> found;
  for (unsigned first = 0; first < op->getNumOperands(); ++first)
    for (unsigned second = first + 1; second < op->getNumOperands(); ++second) {
      std::optional<Dims> firstDims = getDims(first), secondDims = getDims(second);
      if (!firstDims || !secondDims)
        continue;
      for (auto [i, firstDim] : llvm::enumerate(*firstDims))
        for (auto [j, secondDim] : llvm::enumerate(*secondDims)) {
          bool isPair = (firstDim == lhs && secondDim == rhs) || (firstDim == rhs && secondDim == lhs);
          if (!isPair || getDistance(first, firstDims->size(), i) != getDistance(second, secondDims->size(), j))
            continue;
          if (found)
            return std::nullopt;
          found = "dim " + std::to_string(i) + " of " + describe(first) + ", dim " + std::to_string(j) + " of " +
                  describe(second);
        }
    }
  return found;
}

std::string dyn::describeOperands(Operation *op, const Predicate &refused, ShapeRelations &relations) {
  OperandText text(op, relations);
  if (refused.kind == Predicate::Kind::Equal)
    if (std::optional<std::string> dims = text.findDims(refused.lhs, refused.rhs))
      return *dims;
  constexpr unsigned most = 6;
  SmallVector<std::string> operands;
  for (unsigned i = 0; i < std::min(op->getNumOperands(), most); ++i)
    operands.push_back(text.describe(i));
  if (op->getNumOperands() > most)
    operands.push_back("...");
  return llvm::join(operands, ", ");
}
