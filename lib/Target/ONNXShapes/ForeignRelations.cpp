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

  /// The same of all dims of a tensor whose rank is known.
  std::optional<std::vector<std::string>> getNames(const std::optional<Dims> &dims) {
    if (!dims)
      return std::nullopt;
    std::vector<std::string> names;
    for (Expr dim : *dims)
      names.push_back(getName(dim));
    return names;
  }
  std::optional<Dims> getDims(const std::optional<std::vector<std::string>> &names, SymbolicContext &context) const {
    if (!names)
      return std::nullopt;
    return llvm::map_to_vector(*names, [&](const std::string &name) { return getExpr(name, context); });
  }

private:
  SmallVector<Expr> exprs;
  llvm::DenseMap<Expr, size_t> numbers;
};

} // namespace

ForeignRelations::ForeignRelations(const ImportRecord &record) : nodes(*record.model) {
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
  if (!foreign || foreign->isContradiction)
    return success();
  ExprNames names;
  llvm::StringMap<ForeignTensor> operands;
  for (auto [name, operand] : llvm::zip_equal(foreign->operands, op->getOperands()))
    operands[name] = describe(operand, relations, names);
  std::vector<std::optional<ForeignTensor>> inferred = nodes.infer(foreign->output, operands);
  for (auto [number, result] : llvm::zip_equal(foreign->results, op->getResults())) {
    if (number >= inferred.size() || !inferred[number])
      continue;
    std::optional<Dims> dims = names.getDims(inferred[number]->dims, relations.getContext());
    if (dims && inferred[number]->isSequence)
      dims->insert(dims->begin(), Expr()); // The length.
    if (dims && failed(relations.setDims(result, *dims)))
      return failure();
  }
  return success();
}

llvm::StringMap<UnneededTensor>
onnx::inferUnneeded(const ImportRecord &record, ShapeRelations &relations,
                    llvm::function_ref<std::optional<SequenceShape>(StringRef)> findSequence) {
  llvm::StringMap<UnneededTensor> unneeded;
  ForeignNodes nodes(*record.model);
  auto isKnown = [&](StringRef name) {
    return name.empty() || record.values.contains(name) || record.sequences.contains(name);
  };
  for (StringRef node : nodes.listNodes()) {
    ArrayRef<StringRef> outputs = nodes.listOutputs(node);
    if (llvm::all_of(outputs, isKnown))
      continue;
    ExprNames exprs;
    llvm::StringMap<ForeignTensor> operands;
    for (StringRef operand : nodes.listOperands(node)) {
      Value value = record.values.lookup(operand);
      if (value && isa<TensorType>(value.getType()))
        operands[operand] = describe(value, relations, exprs);
      else if (auto other = unneeded.find(operand); other != unneeded.end())
        operands[operand] = {other->second.elementType, exprs.getNames(other->second.dims), std::nullopt,
                             other->second.isSequence};
      else if (std::optional<SequenceShape> sequence = findSequence(operand))
        operands[operand] = {getNumberOfType(sequence->elementType), exprs.getNames(sequence->dims), std::nullopt,
                             /*isSequence=*/true};
      // One that only such nodes read is not imported.
      else if (std::optional<ForeignTensor> initializer = nodes.findInitializer(operand))
        operands[operand] = *initializer;
    }
    for (auto [output, result] : llvm::zip(outputs, nodes.infer(node, operands)))
      if (result && !isKnown(output))
        unneeded[output] = {result->elementType, exprs.getDims(result->dims, relations.getContext()),
                            result->isSequence};
  }
  return unneeded;
}
