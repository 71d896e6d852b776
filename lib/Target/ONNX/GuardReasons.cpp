//===- What guards say of nodes that become several ops -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GuardReasons.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

GuardReasons::GuardReasons(const Node &node, ArrayRef<Value> operands, OpBuilder &builder)
    : node(node), operands(operands), builder(builder) {
  Block::iterator place = builder.getInsertionPoint();
  before = place == builder.getBlock()->begin() ? nullptr : &*std::prev(place);
}

/// The name in the model of the operand that a value is made of, by what changes no number of elements, or takes a
/// part; empty where it is computed.
StringRef GuardReasons::findOperand(Value value) const {
  while (true) {
    if (auto found = llvm::find(operands, value); found != operands.end())
      return node.inputs[static_cast<size_t>(found - operands.begin())];
    Operation *op = value.getDefiningOp();
    if (!isa_and_present<CastOp, TransposeOp, SqueezeOp, UnsqueezeOp, SliceToOp, SplitOp, GatherOp, ReshapeToOp,
                         ExpandToOp>(op))
      return "";
    value = op->getOperand(0);
  }
}

std::string GuardReasons::describe(Operation *op) const {
  std::string type = node.opType.str();
  if (isa<RecurrentOp, SuppressOp, ScatterNDOp, GatherNDOp, MatMulOp, FullToOp, WindowsOp>(op))
    return type;
  StringRef operand = findOperand(op->getOperand(0));
  std::string name = operand.empty() ? "" : " of `" + operand.str() + "`";
  if (isa<ReshapeToOp>(op))
    return type + ": elements" + (name.empty() ? " between its steps" : name);
  if (isa<SqueezeOp>(op))
    return type + ": dims of 1" + (name.empty() ? " between its steps" : name);
  return type + ": repeats" + (name.empty() ? " between its steps" : name);
}

void GuardReasons::give() const {
  // What these nodes say is what they are.
  static const llvm::StringSet<> own{"Reshape", "Flatten", "Expand",    "Squeeze",  "Unsqueeze",
                                     "MatMul",  "Gemm",    "ScatterND", "GatherND", "ConstantOfShape",
                                     "If",      "Loop",    "Scan"};
  // Who wrote a function of a model knows its nodes.
  bool isKnown = node.domain.empty() || node.domain.starts_with("ai.onnx") || node.domain == "com.microsoft";
  if (own.contains(node.opType) || !isKnown)
    return;
  Block &block = *builder.getBlock();
  Block::iterator begin = before ? std::next(before->getIterator()) : block.begin();
  for (Operation &op : llvm::make_range(begin, builder.getInsertionPoint()))
    if (isa<ReshapeToOp, ExpandToOp, SqueezeOp, RecurrentOp, SuppressOp, ScatterNDOp, GatherNDOp, MatMulOp, FullToOp,
            WindowsOp>(op) &&
        !op.hasAttr(kBecauseAttrName))
      op.setDiscardableAttr(kBecauseAttrName, builder.getStringAttr(describe(&op)));
}
