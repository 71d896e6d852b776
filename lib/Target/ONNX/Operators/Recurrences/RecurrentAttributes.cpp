//===- Attributes of recurrent networks ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RecurrentAttributes.h"
#include "../Guards.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static bool takesAlpha(StringRef name) {
  constexpr StringLiteral names[] = {"affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu"};
  return llvm::is_contained(names, name);
}

static bool takesBeta(StringRef name) { return name == "affine" || name == "scaledtanh" || name == "hardsigmoid"; }

static double getDefaultAlpha(StringRef name) {
  return name == "leakyrelu" ? 0.01f : name == "hardsigmoid" ? 0.2f : takesAlpha(name) ? 1 : 0;
}

static double getDefaultBeta(StringRef name) { return name == "hardsigmoid" ? 0.5 : name == "scaledtanh" ? 1 : 0; }

static LogicalResult readActivations(NodeImport &node, RecurrentKind kind, RecurrentAttributes &result) {
  std::vector<std::string> defaults{"tanh"};
  if (kind == RecurrentKind::GRU)
    defaults = {"sigmoid", "tanh"};
  if (kind == RecurrentKind::LSTM)
    defaults = {"sigmoid", "tanh", "tanh"};
  result.numActivations = static_cast<int64_t>(defaults.size());
  std::optional<std::vector<std::string>> given = node.getStrings("activations");
  SmallVector<double> alpha = node.getFloats("activation_alpha").value_or(SmallVector<double>());
  SmallVector<double> beta = node.getFloats("activation_beta").value_or(SmallVector<double>());
  auto count = static_cast<size_t>(result.numActivations * result.numDirections);
  if (given && !given->empty() && given->size() != count)
    return node.error("attribute 'activations' has " + Twine(given->size()) + " entries instead of " + Twine(count));
  // Parameters stand in the order of the functions that take one.
  size_t nextAlpha = 0, nextBeta = 0;
  for (size_t i = 0; i < count; ++i) {
    std::string name = given && !given->empty() ? llvm::StringRef((*given)[i]).lower() : defaults[i % defaults.size()];
    if (!RecurrentOp::isActivation(name))
      return node.error("activation " + quoteName((*given)[i]) + " is not supported");
    bool hasAlpha = takesAlpha(name) && nextAlpha < alpha.size(), hasBeta = takesBeta(name) && nextBeta < beta.size();
    result.activations.alpha.push_back(hasAlpha ? alpha[nextAlpha++] : getDefaultAlpha(name));
    result.activations.beta.push_back(hasBeta ? beta[nextBeta++] : getDefaultBeta(name));
    result.activations.names.push_back(std::move(name));
  }
  return success(!node.hasFailed());
}

FailureOr<RecurrentAttributes> RecurrentAttributes::read(NodeImport &node, RecurrentKind kind) {
  RecurrentAttributes result;
  std::string direction = node.getString("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return node.error("attribute 'direction' has the unknown value " + quoteName(direction));
  result.numDirections = direction == "bidirectional" ? 2 : 1;
  result.startsReversed = direction == "reverse";
  int64_t layout = node.getInt("layout", 0);
  if (layout != 0 && layout != 1)
    return node.error("attribute 'layout' is " + Twine(layout));
  result.isBatchFirst = layout == 1;
  if (node.hasAttribute("clip"))
    result.clip = node.getFloat("clip", 0);
  if (failed(readActivations(node, kind, result)))
    return failure();
  return result;
}

LogicalResult onnx::verifyDirections(NodeImport &node, ArrayRef<std::pair<size_t, size_t>> dims,
                                     int64_t numDirections) {
  for (auto [operand, axis] : dims) {
    std::optional<ArrayRef<int64_t>> known =
        node.hasOperand(operand) ? NodeImport::getDims(node.getOperand(operand)) : std::nullopt;
    if (known && !ShapedType::isDynamic((*known)[axis]) && (*known)[axis] != numDirections)
      return node.contradiction("operand " + Twine(operand) + " has " + Twine((*known)[axis]) +
                                " directions instead of " + Twine(numDirections));
    // Of one direction a squeeze sees to it.
    if (node.hasOperand(operand) && numDirections > 1)
      holdDim(node, node.getOperand(operand), static_cast<int64_t>(axis), numDirections,
              "directions of operand " + Twine(operand));
  }
  return success();
}

Value onnx::getDirection(NodeImport &node, size_t operand, int64_t direction, int64_t numDirections, int64_t axis) {
  Value value = node.getOperand(operand);
  // Of one direction there is nothing but that.
  return numDirections == 1 ? node.squeeze(value, ArrayRef(axis)) : node.gather(value, node.i64Scalar(direction), axis);
}

Value onnx::combineDirections(NodeImport &node, ArrayRef<Value> parts, int64_t axis) {
  SmallVector<Value> placed;
  for (Value part : parts)
    placed.push_back(node.unsqueeze(part, axis));
  return placed.size() == 1 ? placed.front() : node.concat(axis, placed);
}
