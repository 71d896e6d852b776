//===- What guards say of nodes ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GuardReasons.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static constexpr size_t kMostSources = 64;

bool GuardReasons::isKnown(const Node &node) {
  return node.domain.empty() || node.domain.starts_with("ai.onnx") || node.domain == "com.microsoft";
}

GuardReasons::GuardReasons(const Node &node, ArrayRef<Value> operands, OpBuilder &builder, GuardReasonWriter &writer)
    : node(node), operands(operands), builder(builder), writer(writer) {
  Block::iterator place = builder.getInsertionPoint();
  before = place == builder.getBlock()->begin() ? nullptr : &*std::prev(place);
}

/// What the dims of an op's result are those of: of a value and what is added to it, those of the value.
static uint64_t findSource(Operation *op, const OperandsOfDims &sources) {
  // Conditions choose, and are of the dims of what is chosen.
  unsigned first = isa<SelectOp>(op) ? 1 : 0, count = op->getNumOperands();
  bool isElementwise = op->hasTrait<dyn::OpTrait::Elementwise>();
  uint64_t all = 0;
  for (unsigned index = 0; index < count && !(all && isElementwise); ++index)
    all |= sources.lookup(op->getOperand((index + first) % count));
  return all;
}

/// "`a` and `b`": the node's operands that values are computed of.
std::string GuardReasons::listOperands(ValueRange values, const OperandsOfDims &sources) const {
  uint64_t all = 0;
  for (Value value : values)
    all |= sources.lookup(value);
  SmallVector<StringRef> names;
  for (auto [index, name] : llvm::enumerate(node.inputs))
    if (index < kMostSources && (all >> index & 1) && !name.empty())
      names.push_back(name);
  std::string text;
  for (auto [index, name] : llvm::enumerate(names)) {
    text += index == 0 ? "`" : index + 1 == names.size() ? " and `" : ", `";
    text += name;
    text += '`';
  }
  return text;
}

/// Do values meet that are computed of the node's operands?
static bool joinsOperands(Operation *op, const OperandsOfDims &sources) {
  return llvm::count_if(op->getOperands(), [&](Value operand) { return sources.lookup(operand) != 0; }) > 1;
}

/// May two dims meet that do not broadcast? Where types tell that none do, a reason would only keep equal ops apart.
static bool mayNotBroadcast(Operation *op) {
  SmallVector<int64_t> joined; ///< from the last dim on
  llvm::SmallPtrSet<Value, 4> seen;
  for (Value operand : op->getOperands()) {
    if (!seen.insert(operand).second)
      continue;
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return true;
    for (auto [index, dim] : llvm::enumerate(llvm::reverse(type.getShape()))) {
      if (index == joined.size())
        joined.push_back(1);
      if (dim == 1)
        continue;
      if (joined[index] != 1 && (ShapedType::isDynamic(dim) || dim != joined[index]))
        return true;
      joined[index] = dim;
    }
  }
  return false;
}

/// `Concat` and `concat`, `GatherElements` and `gather_elements`, `Reshape` and `reshape_to`
static bool isNameOf(StringRef operatorName, Operation *op) {
  StringRef name = getToldName(op);
  for (char letter : operatorName) {
    name.consume_front("_");
    if (name.empty() || llvm::toLower(name.front()) != llvm::toLower(letter))
      return false;
    name = name.drop_front();
  }
  return name.empty();
}

/// What an op of these kinds says behind its name is enough where the node is that op.
static bool saysEnough(Operation *op) {
  return isa<ArgReduceOp, ConvOp, DetOp, ExpandToOp, FullToOp, GatherElementsOp, GatherNDOp, InverseOp, MatMulOp,
             PadToOp, RangeOp, ReshapeToOp, SequenceAtOp, SliceToOp, SplitOp, SqueezeOp, TileToOp, TopKOp>(op);
}

std::optional<GuardReason> GuardReasons::describe(Operation *op, const OperandsOfDims &sources) const {
  bool isElementwise = op->hasTrait<dyn::OpTrait::Elementwise>(), mayMeet = isElementwise || isa<ConcatOp>(op);
  if (mayMeet && (!joinsOperands(op, sources) || (isElementwise && !mayNotBroadcast(op))))
    return std::nullopt;
  bool isOwn = isNameOf(node.opType, op);
  if (isOwn && !mayMeet && !saysEnough(op))
    return std::nullopt;
  GuardReason reason;
  reason.operatorName = node.opType.str();
  // An operator alone stands before what the op says itself.
  if (isOwn ||
      isa<RecurrentOp, SuppressOp, ScatterNDOp, GatherNDOp, FullToOp, WindowsOp, PadToOp, SplitOp, TopKOp, ArgReduceOp>(
          op))
    return reason;
  // Counts of integers have no guards, and are often equal.
  if (auto range = dyn_cast<RangeOp>(op))
    return isa<FloatType>(cast<TensorType>(range.getType()).getElementType()) ? std::optional(reason) : std::nullopt;
  if (isa<MatMulOp, ConvOp, GatherElementsOp, ConcatOp>(op)) {
    reason.operands = listOperands(op->getOperands(), sources);
    if (reason.operands.empty())
      reason.operatorName += " between its steps";
    return reason;
  }
  StringRef what = isElementwise           ? "broadcast"
                   : isa<ExpandLikeOp>(op) ? "one-way broadcast"
                   : isa<ReshapeToOp>(op)  ? "elements"
                   : isa<SqueezeOp>(op)    ? "dims of 1"
                   : isa<ExpandToOp>(op)   ? "repeats"
                                           : "";
  if (what.empty())
    return std::nullopt;
  std::string operands =
      listOperands(isElementwise ? ValueRange(op->getOperands()) : op->getOperands().take_front(), sources);
  reason.what = (what + (operands.empty() ? " between its steps" : " of " + operands)).str();
  return reason;
}

void GuardReasons::give() {
  // Who wrote a function of a model knows its nodes.
  if (!isKnown(node))
    return;
  Block &block = *builder.getBlock();
  Block::iterator begin = before ? std::next(before->getIterator()) : block.begin(), end = builder.getInsertionPoint();
  if (begin == end)
    return;
  OperandsOfDims sources;
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand && index < kMostSources)
      sources[operand] |= uint64_t(1) << index;
  auto explain = [&](Operation *op) {
    if (std::optional<GuardReason> reason; !writer.isSet(op) && (reason = describe(op, sources)))
      writer.set(op, *reason);
    // Nothing of the node reads what the last op gives.
    if (std::next(op->getIterator()) == end)
      return;
    if (uint64_t source = findSource(op, sources))
      for (Value result : op->getResults())
        sources.try_emplace(result, source);
  };
  for (Operation &op : llvm::make_range(begin, end))
    op.walk<WalkOrder::PreOrder>(explain);
}
