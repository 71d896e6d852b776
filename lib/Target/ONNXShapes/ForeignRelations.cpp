//===- Relations of nodes that have no dyn ops ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ForeignRelations.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::symbolic;

namespace {

/// Gives expressions names, by which they come back.
class ExprNames {
public:
  std::string getName(Expr expr) {
    if (!expr)
      return "";
    if (std::optional<int64_t> constant = expr.getConstant())
      return std::to_string(*constant);
    auto [entry, isNew] = numbers.try_emplace(expr, exprs.size());
    if (isNew)
      exprs.push_back(expr);
    return "#" + std::to_string(entry->second);
  }

  /// Null for a name that was not given here.
  Expr getExpr(StringRef name, SymbolicContext &context) const {
    int64_t number;
    if (!name.getAsInteger(10, number))
      return context.getConstant(number);
    if (!name.consume_front("#") || name.getAsInteger(10, number) || number >= static_cast<int64_t>(exprs.size()))
      return {};
    return exprs[static_cast<size_t>(number)];
  }

private:
  SmallVector<Expr> exprs;
  llvm::DenseMap<Expr, size_t> numbers;
};

} // namespace

ForeignRelations::ForeignRelations(const ImportRecord &record) : nodes(record.message.get()) {
  for (const ForeignNode &foreign : record.foreign)
    calls[foreign.call] = &foreign;
}

static ForeignTensor describe(Value value, ShapeRelations &relations, ExprNames &names) {
  ForeignTensor tensor;
  tensor.elementType = getNumberOfType(cast<TensorType>(value.getType()).getElementType());
  if (std::optional<Dims> dims = relations.getDims(value)) {
    tensor.dims.emplace();
    for (Expr dim : *dims) {
      Expr simple = dim ? relations.getSolver().simplify(dim) : Expr();
      tensor.dims->push_back(names.getName(simple ? simple : dim));
    }
  }
  if (std::optional<ElementValues> elements = relations.getElements(value)) {
    tensor.elements.emplace();
    for (const ElementValue &element : *elements)
      tensor.elements->push_back(names.getName(element.getInteger()));
  }
  return tensor;
}

LogicalResult ForeignRelations::relate(Operation *op, ShapeRelations &relations) const {
  const ForeignNode *foreign = calls.lookup(op);
  if (!foreign)
    return success();
  ExprNames names;
  llvm::StringMap<ForeignTensor> operands;
  for (auto [name, operand] : llvm::zip_equal(foreign->operands, op->getOperands()))
    operands[name] = describe(operand, relations, names);
  std::vector<std::optional<ForeignTensor>> inferred = nodes.infer(foreign->output, operands);
  for (auto [number, result] : llvm::zip_equal(foreign->results, op->getResults())) {
    if (number >= inferred.size() || !inferred[number] || !inferred[number]->dims)
      continue;
    Dims dims;
    for (const std::string &dim : *inferred[number]->dims)
      dims.push_back(names.getExpr(dim, relations.getContext()));
    if (failed(relations.setDims(result, dims)))
      return failure();
  }
  return success();
}
