//===- What guards say of nodes that become several ops -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GuardReasons.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static constexpr size_t kMostSources = 64;

bool GuardReasons::isKnown(const Node &node) {
  return node.domain.empty() || node.domain.starts_with("ai.onnx") || node.domain == "com.microsoft";
}

GuardReasons::GuardReasons(const Node &node, ArrayRef<Value> operands, OpBuilder &builder)
    : node(node), operands(operands), builder(builder) {
  Block::iterator place = builder.getInsertionPoint();
  before = place == builder.getBlock()->begin() ? nullptr : &*std::prev(place);
}

/// What the dims of an op's result are those of: of a value and what is added to it, those of the value.
static uint64_t findSource(Operation *op, const llvm::DenseMap<Value, uint64_t> &sources) {
  // Conditions choose, and are of the dims of what is chosen.
  SmallVector<Value> operands(op->getOperands());
  if (isa<SelectOp>(op))
    std::rotate(operands.begin(), operands.begin() + 1, operands.end());
  uint64_t all = 0;
  for (Value operand : operands) {
    all |= sources.lookup(operand);
    if (all && op->hasTrait<dyn::OpTrait::Elementwise>())
      break;
  }
  return all;
}

/// " of `a` and `b`": the node's operands that those of an op are computed of.
std::string GuardReasons::listOperands(ValueRange values, const Sources &sources) const {
  uint64_t all = 0;
  for (Value value : values)
    all |= sources.lookup(value);
  SmallVector<std::string> names;
  for (auto [index, name] : llvm::enumerate(node.inputs))
    if (index < kMostSources && (all >> index & 1) && !name.empty())
      names.push_back("`" + name.str() + "`");
  if (names.empty())
    return " between its steps";
  std::string last = names.pop_back_val();
  return " of " + (names.empty() ? last : llvm::join(names, ", ") + " and " + last);
}

/// Do values meet that are computed of the node's operands?
static bool joinsOperands(Operation *op, const llvm::DenseMap<Value, uint64_t> &sources) {
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

std::string GuardReasons::describe(Operation *op, const Sources &sources) const {
  std::string type = node.opType.str();
  if (isa<RecurrentOp, SuppressOp, ScatterNDOp, GatherNDOp, FullToOp, WindowsOp>(op))
    return type;
  if (isa<MatMulOp, ConvOp, GatherElementsOp>(op))
    return type + listOperands(op->getOperands(), sources);
  if (op->hasTrait<dyn::OpTrait::Elementwise>())
    return joinsOperands(op, sources) && mayNotBroadcast(op)
               ? type + ": broadcast" + listOperands(op->getOperands(), sources)
               : "";
  if (isa<ConcatOp>(op))
    return joinsOperands(op, sources) ? type + ": dims" + listOperands(op->getOperands(), sources) : "";
  if (isa<ExpandLikeOp>(op))
    return type + ": one-way broadcast" + listOperands(op->getOperand(0), sources);
  if (!isa<ReshapeToOp, ExpandToOp, SqueezeOp>(op))
    return "";
  std::string of = listOperands(op->getOperand(0), sources);
  return type + (isa<ReshapeToOp>(op) ? ": elements" : isa<SqueezeOp>(op) ? ": dims of 1" : ": repeats") + of;
}

/// `Concat` and `concat`, `GatherElements` and `gather_elements`
static bool isNameOf(StringRef operatorName, Operation *op) {
  std::string name = op->getName().stripDialect().str();
  llvm::erase(name, '_');
  return operatorName.equals_insensitive(name);
}

/// Of an op that is what the node is: the operator, for what its name would stand before.
std::string GuardReasons::describeOwn(Operation *op, const Sources &sources) const {
  bool mayAsk = op->hasTrait<dyn::OpTrait::Elementwise>() ? joinsOperands(op, sources) && mayNotBroadcast(op)
                : isa<ConcatOp>(op)                       ? joinsOperands(op, sources)
                                                          : isa<MatMulOp, GatherElementsOp, GatherNDOp>(op);
  return mayAsk ? node.opType.str() : "";
}

void GuardReasons::give() const {
  // What these nodes say is what they are.
  static const llvm::StringSet<> own{"Reshape",         "Flatten", "Expand", "Squeeze", "Unsqueeze",
                                     "ConstantOfShape", "If",      "Loop",   "Scan"};
  // Who wrote a function of a model knows its nodes.
  if (own.contains(node.opType) || !isKnown(node))
    return;
  Sources sources;
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand && index < kMostSources)
      sources[operand] |= uint64_t(1) << index;
  Block &block = *builder.getBlock();
  Block::iterator begin = before ? std::next(before->getIterator()) : block.begin();
  auto explain = [&](Operation *op) {
    std::string reason;
    if (!op->hasAttr(kBecauseAttrName))
      reason = isNameOf(node.opType, op) ? describeOwn(op, sources) : describe(op, sources);
    if (!reason.empty())
      op->setDiscardableAttr(kBecauseAttrName, builder.getStringAttr(reason));
    if (uint64_t source = findSource(op, sources))
      for (Value result : op->getResults())
        sources.try_emplace(result, source);
  };
  for (Operation &op : llvm::make_range(begin, builder.getInsertionPoint()))
    op.walk<WalkOrder::PreOrder>(explain);
}
