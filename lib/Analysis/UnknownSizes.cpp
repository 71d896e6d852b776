//===- Why sizes are not known before the run ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/UnknownSizes.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dyn;

/// Whether every element of a tensor is known.
static bool areElementsKnown(ShapeRelations &relations, Value value) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(value);
  std::optional<ElementValues> elements = relations.getElements(value);
  return dims && elements && static_cast<int64_t>(elements->size()) == llvm::product_of(*dims) &&
         llvm::none_of(*elements, [](const ElementValue &element) {
           return element.isUnknown() || element.kind == ElementValue::Kind::Ratio ||
                  element.kind == ElementValue::Kind::Near;
         });
}

/// Whether every element of a tensor is the same in all runs.
static bool areElementsConstant(ShapeRelations &relations, Value value) {
  const ElementValues *elements = relations.findElements(value);
  return elements && areElementsKnown(relations, value) && llvm::all_of(*elements, [](const ElementValue &element) {
           return !element.isInteger() || element.getConstant();
         });
}

using AreElements = bool(ShapeRelations &relations, Value value);

/// The first value on the way to `value` whose elements are not as they are asked for.
static Value findCause(ShapeRelations &relations, Value value, AreElements areKnown = areElementsKnown) {
  while (Operation *op = value.getDefiningOp()) {
    // Of what it reads only dims.
    if (isa<ShapeOfOp>(op))
      break;
    auto unknown = llvm::find_if(op->getOperands(), [&](Value operand) {
      return isa<TensorType>(operand.getType()) && !areKnown(relations, operand);
    });
    if (unknown == op->getOperands().end())
      break;
    value = *unknown;
  }
  return value;
}

static std::string getInputName(BlockArgument argument) {
  if (auto function = dyn_cast_if_present<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    if (auto given = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), DynDialect::kNameAttrName))
      return given.str();
  return ("arg" + Twine(argument.getArgNumber())).str();
}

static std::string describeInput(BlockArgument argument) {
  std::string type;
  llvm::raw_string_ostream(type) << getElementTypeOrSelf(argument);
  return "input '" + getInputName(argument) + "' (" + type + ")";
}

/// Of elements that are known before the run, and of which each choice gives another formula: axes to reduce.
static std::string explainChoice(Operation *op, Value choosing, ShapeRelations &relations) {
  unsigned number = llvm::find(op->getOperands(), choosing) - op->getOperands().begin();
  auto input = dyn_cast<BlockArgument>(findCause(relations, choosing, areElementsConstant));
  std::string text = "has another formula for each choice of the elements of operand " + std::to_string(number);
  if (input)
    text += ", which " + std::string(input == choosing ? "are those of " : "follow from ") + describeInput(input);
  text += ": make them constants";
  if (input)
    text += ", or give those of all runs with `--input-values=" + getInputName(input) + "=...`";
  return text + ", or run the model with `dyn-run --reference`";
}

std::string dyn::explainUnknownSize(Operation *op, ShapeRelations &relations) {
  auto interface = dyn_cast<ShapeRelationsOpInterface>(op);
  if (!interface)
    return ("can't be inferred: '" + op->getName().getStringRef() +
            "' says nothing of sizes, as ops of the phases after 'shapes' do")
        .str();
  SmallVector<Value> deciding = interface.getShapeOperands();
  auto unknown = llvm::find_if(deciding, [&](Value value) { return !areElementsKnown(relations, value); });
  std::string text = "depends on data";
  auto isChoice = [&](Value value) { return !areElementsConstant(relations, value); };
  if (unknown == deciding.end())
    if (auto choosing = llvm::find_if(deciding, isChoice); choosing != deciding.end())
      return explainChoice(op, *choosing, relations);
  if (unknown != deciding.end()) {
    unsigned number = llvm::find(op->getOperands(), *unknown) - op->getOperands().begin();
    text = "depends on the elements of operand " + std::to_string(number) + ", which ";
    Value cause = findCause(relations, *unknown);
    auto input = dyn_cast<BlockArgument>(cause);
    if (Operation *producer = unknown->getDefiningOp()) {
      text += describeOp(producer) + " computes";
      if (input)
        text += " from the data of " + describeInput(input);
      else if (cause.getDefiningOp() != producer)
        text += " from what " + describeOp(cause.getDefiningOp()) + " gives";
    } else {
      text += "are those of " + describeInput(input);
    }
  }
  return text + "; before the run only sizes are known, and elements of integer inputs of constant dims (at most " +
         std::to_string(ShapeRelations::kMaxElements) +
         " elements): make it a constant or fix the dim, or run the model with `dyn-run --reference`";
}

std::string dyn::explainUnknownRank(Operation *op, unsigned result) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto describe = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type)
      os << "rank " << type.getRank();
    else
      os << "a rank that is not known";
  };
  if (auto branch = dyn_cast<IfOp>(op)) {
    os << ": a value of ";
    describe(branch.getThenRegion().front().getTerminator()->getOperand(result));
    os << " in one branch, of ";
    describe(branch.getElseRegion().front().getTerminator()->getOperand(result));
    os << " in the other";
  } else if (auto loop = dyn_cast<LoopOp>(op); loop && result < loop.getInitial().size()) {
    os << ": trips change it";
  }
  os << "; `dyn-run --reference` runs the model";
  return text;
}

/// Of a range that counts up from a known start to an end that is known more or less.
static SizeLimits findRangeLimits(RangeOp op, ShapeRelations &relations) {
  symbolic::Expr start = relations.getScalar(op.getStart()), delta = relations.getScalar(op.getDelta());
  if (!start || !delta || !delta.isConstant(1))
    return {};
  Bounds end = relations.getBounds(op.getLimit());
  const ElementValues *elements = relations.findElements(op.getLimit());
  if (elements && elements->size() == 1 && elements->front().kind == ElementValue::Kind::Near) {
    symbolic::Expr near = elements->front().integer, part = relations.getConstant(int64_t(1) << 22);
    end = {near - ceilDiv(near, part), near + floorDiv(near, part)};
  }
  SizeLimits limits;
  for (auto [from, to] : {std::pair(&end.lower, &limits.lower), std::pair(&end.upper, &limits.upper)})
    if (symbolic::Expr size = *from ? symbolic::max({*from - start, relations.getConstant(0)}) : symbolic::Expr())
      *to = relations.getSolver().simplify(size);
  return limits;
}

/// Of a part of a tensor, of which the one dim along which it was cut is asked for.
static SizeLimits findPartLimits(SequenceAtOp op, unsigned dim, ShapeRelations &relations) {
  auto split = op.getSequence().getDefiningOp<SequenceSplitOp>();
  std::optional<Dims> whole = split && !split.getSqueeze() ? relations.getDims(split.getTensor()) : std::nullopt;
  if (!whole || dim >= whole->size() || !(*whole)[dim])
    return {};
  std::optional<int64_t> length;
  if (Value sizes = split.getSizes(); sizes && relations.getRank(sizes) == 0)
    if (symbolic::Expr known = relations.getScalar(sizes))
      length = known.getConstant();
  if (!length || *length < 1)
    return {{}, (*whole)[dim]};
  return {relations.getConstant(1), symbolic::min({(*whole)[dim], relations.getConstant(*length)})};
}

SizeLimits dyn::findSizeLimits(Operation *op, unsigned dim, ShapeRelations &relations) {
  if (auto range = dyn_cast<RangeOp>(op))
    return findRangeLimits(range, relations);
  // Each of its dims is an element.
  if (auto full = dyn_cast<FullToOp>(op)) {
    Bounds bounds = relations.getBounds(full->getOperand(0));
    symbolic::Expr zero = relations.getConstant(0);
    return {bounds.lower ? symbolic::max({bounds.lower, zero}) : bounds.lower, bounds.upper};
  }
  if (auto part = dyn_cast<SequenceAtOp>(op))
    return findPartLimits(part, dim, relations);
  if (!isa<SliceToOp, SplitOp, TopKOp, ReduceToOp>(op))
    return {};
  std::optional<Dims> dims = relations.getDims(op->getOperand(0));
  if (!dims || dim >= dims->size() || !(*dims)[dim])
    return {};
  // A dim that is reduced stays as a 1, if at all.
  if (auto reduction = dyn_cast<ReduceToOp>(op))
    return {{}, reduction.getKeepDims() ? symbolic::max({(*dims)[dim], relations.getConstant(1)}) : symbolic::Expr()};
  return {{}, (*dims)[dim]};
}
