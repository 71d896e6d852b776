//===- Nodes whose operands contradict each other -------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Contradictions.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// `the contracted dims are 3 and 4` for `'dyn.matmul' op (2) the contracted dims are 3 and 4`.
static std::string stripOp(StringRef text) {
  if (text.starts_with("'dyn."))
    text = text.split("' op ").second;
  if (text.size() > 3 && text[0] == '(' && llvm::isDigit(text[1]) && text[2] == ')')
    text = text.drop_front(3).ltrim();
  return text.str();
}

/// ` [N, 3]`; empty where the rank is not known.
static std::string printDims(Value value, ForwardShapes &shapes) {
  std::optional<SmallVector<std::string>> dims = shapes.describeDims(value);
  return dims ? " [" + llvm::join(*dims, ", ") + "]" : std::string();
}

LogicalResult onnx::verifyOps(Block::iterator first, Block &block) {
  // What is asked of any op and of discardable attributes holds of those that importers make, and dominance is of no
  // matter to ops without regions.
  auto isRight = [](Operation &op) {
    std::optional<RegisteredOperationName> name = op.getRegisteredInfo();
    return succeeded(name && op.getNumRegions() == 0 ? name->verifyInvariants(&op) : verify(&op));
  };
  return success(llvm::all_of(llvm::make_range(first, block.end()), isRight));
}

std::string onnx::describeContradiction(const Node &node, StringRef objection,
                                        llvm::function_ref<Value(StringRef)> getValue, ForwardShapes &shapes) {
  std::string text = node.describe() + ": " + stripOp(objection);
  StringRef separator = "; its inputs: ";
  for (StringRef input : node.inputs)
    if (Value value = input.empty() ? Value() : getValue(input)) {
      text += (separator + quoteName(input) + printDims(value, shapes)).str();
      separator = ", ";
    }
  return text;
}
