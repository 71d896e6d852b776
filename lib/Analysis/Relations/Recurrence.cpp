//===- Shape relations of recurrent networks -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Relations.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

namespace {

/// Sizes that several operands and results have in common: of each the first that is known.
class SharedSizes {
public:
  explicit SharedSizes(ShapeRelations &relations) : relations(relations) {}

  /// What a dim of a value says; null where that is nothing.
  Expr get(Value value, size_t dim) {
    std::optional<Dims> dims = value ? relations.getDims(value) : std::nullopt;
    return dims && dim < dims->size() ? (*dims)[dim] : Expr();
  }
  Expr getFirst(ArrayRef<std::pair<Value, size_t>> places) {
    for (auto [value, dim] : places)
      if (Expr size = get(value, dim))
        return size;
    return {};
  }

private:
  ShapeRelations &relations;
};

} // namespace

static LogicalResult relateRecurrent(RecurrentOp op, ShapeRelations &relations) {
  SharedSizes sizes(relations);
  Value inputs = op.getInputs(), weights = op.getWeights(), hidden = op.getHidden(), cell = op.getCell();
  Value sequence = op.getSequence(), last = op.getLast(), lastCell = op.getLastCell();
  Expr steps = sizes.getFirst({{inputs, 0}, {sequence, 0}});
  Expr batch = sizes.getFirst(
      {{inputs, 1}, {hidden, 0}, {cell, 0}, {op.getLengths(), 0}, {sequence, 1}, {last, 0}, {lastCell, 0}});
  Expr elements = sizes.getFirst({{weights, 1}, {hidden, 1}, {cell, 1}, {sequence, 2}, {last, 1}, {lastCell, 1}});
  Expr gates = elements ? elements * op.getNumGates() : Expr();
  auto set = [&](Value value, ArrayRef<Expr> dims) { return value ? relations.setDims(value, dims) : success(); };
  if (failed(set(inputs, {steps, batch, gates})) || failed(set(weights, {gates, elements})) ||
      failed(set(hidden, {batch, elements})) || failed(set(cell, {batch, elements})) ||
      failed(set(op.getBias(), gates)) || failed(set(op.getPeepholes(), elements ? elements * 3 : Expr())) ||
      failed(set(op.getLengths(), batch)))
    return failure();
  return success(succeeded(set(sequence, {steps, batch, elements})) && succeeded(set(last, {batch, elements})) &&
                 succeeded(set(lastCell, {batch, elements})));
}

void relations::attachRecurrenceRelations(MLIRContext *context) { attach<RecurrentOp, relateRecurrent>(context); }
