//===- Import of activation functions -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static Value isPositive(NodeImport &node, Value x) { return node.compare(CompareDirection::GT, x, node.scalar(0, x)); }

static LogicalResult importRelu(NodeImport &node) {
  Value x = node.getOperand(0);
  return node.finish(node.max(x, node.scalar(0, x)));
}

static LogicalResult importLeakyRelu(NodeImport &node) {
  Value x = node.getOperand(0);
  Value scaled = node.mul(x, node.scalar(node.getFloat("alpha", 0.01f), x));
  return node.finish(node.select(isPositive(node, x), x, scaled));
}

/// ONNX lets a slope have no more dims than what it is for; onnxruntime and ONNX's reference broadcast both ways.
static LogicalResult importPRelu(NodeImport &node) {
  Value x = node.getOperand(0), slope = node.getOperand(1);
  if (failed(node.requireSameElementTypes({x, slope})))
    return failure();
  return node.finish(node.select(isPositive(node, x), x, node.mul(x, slope)));
}

static LogicalResult importThresholdedRelu(NodeImport &node) {
  Value x = node.getOperand(0);
  Value above = node.compare(CompareDirection::GT, x, node.scalar(node.getFloat("alpha", 1.0f), x));
  return node.finish(node.select(above, x, node.scalar(0, x)));
}

/// scale * (x > 0 ? x : alpha * (exp(x) - 1))
static Value elu(NodeImport &node, Value x, double alpha) {
  Value negative = node.mul(node.sub(node.exp(x), node.scalar(1, x)), node.scalar(alpha, x));
  return node.select(isPositive(node, x), x, negative);
}

static LogicalResult importElu(NodeImport &node) {
  double alpha = node.getFloat("alpha", 1.0f);
  return node.finish(computeWide(node, node.getOperand(0), [&](Value x) { return elu(node, x, alpha); }));
}

static LogicalResult importSelu(NodeImport &node) {
  double alpha = node.getFloat("alpha", 1.67326319217681884765625f);
  double gamma = node.getFloat("gamma", 1.05070102214813232421875f);
  return node.finish(computeWide(node, node.getOperand(0),
                                 [&](Value x) { return node.mul(elu(node, x, alpha), node.scalar(gamma, x)); }));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
static LogicalResult importCelu(NodeImport &node) {
  double factor = node.getFloat("alpha", 1.0f);
  return node.finish(computeWide(node, node.getOperand(0), [&](Value x) {
    Value zero = node.scalar(0, x), alpha = node.scalar(factor, x);
    Value negative = node.mul(alpha, node.sub(node.exp(node.div(x, alpha)), node.scalar(1, x)));
    return node.add(node.max(x, zero), node.min(negative, zero));
  }));
}

/// max(0, min(1, alpha * x + beta))
static Value hardSigmoid(NodeImport &node, Value x, double alpha, double beta) {
  Value line = node.add(node.mul(x, node.scalar(alpha, x)), node.scalar(beta, x));
  return node.max(node.min(line, node.scalar(1, x)), node.scalar(0, x));
}

static LogicalResult importHardSigmoid(NodeImport &node) {
  double alpha = node.getFloat("alpha", 0.2f), beta = node.getFloat("beta", 0.5f);
  return node.finish(computeWide(node, node.getOperand(0), [&](Value x) { return hardSigmoid(node, x, alpha, beta); }));
}

/// ONNX's definition casts `lambd` and `bias` to the type of the operand, as floats mean them. Of integers they need
/// not be whole: what comes out is truncated, and compared is without rounding.
static LogicalResult importShrink(NodeImport &node) {
  Value x = node.getOperand(0);
  auto type = dyn_cast<IntegerType>(NodeImport::getElementType(x));
  if (!type)
    return node.finishByDefinition();
  double limit = node.getFloat("lambd", 0.5), bias = node.getFloat("bias", 0);
  Type f64 = node.builder.getF64Type();
  Value number = node.cast(x, f64);
  bool isExact = bias == std::trunc(bias);
  auto move = [&](double by) {
    if (!isExact)
      return node.cast(node.add(number, node.scalar(by, f64)), type);
    return by < 0 ? node.sub(x, node.scalar(-by, type)) : node.add(x, node.scalar(by, type));
  };
  Value isLow = node.compare(CompareDirection::LT, number, node.scalar(-limit, f64));
  Value isHigh = node.compare(CompareDirection::GT, number, node.scalar(limit, f64));
  return node.finish(node.select(isLow, move(bias), node.select(isHigh, move(-bias), node.scalar(0, type))));
}

static LogicalResult importHardSwish(NodeImport &node) {
  return node.finish(computeWide(node, node.getOperand(0),
                                 [&](Value x) { return node.mul(x, hardSigmoid(node, x, 1.0f / 6.0f, 0.5)); }));
}

static LogicalResult importSoftplus(NodeImport &node) { return node.finish(emitSoftplus(node, node.getOperand(0))); }

static LogicalResult importSoftsign(NodeImport &node) {
  return node.finish(computeWide(node, node.getOperand(0),
                                 [&](Value x) { return node.div(x, node.add(node.abs(x), node.scalar(1, x))); }));
}

static LogicalResult importMish(NodeImport &node) {
  return node.finish(computeWide(node, node.getOperand(0),
                                 [&](Value x) { return node.mul(x, node.unary<TanhOp>(emitSoftplus(node, x))); }));
}

static LogicalResult importSwish(NodeImport &node) {
  double alpha = node.getFloat("alpha", 1.0f);
  return node.finish(computeWide(node, node.getOperand(0), [&](Value x) {
    Value scaled = alpha == 1 ? x : node.mul(x, node.scalar(alpha, x));
    return node.mul(x, node.unary<SigmoidOp>(scaled));
  }));
}

static LogicalResult importGelu(NodeImport &node) {
  std::string form = node.getString("approximate", "none");
  if (form != "none" && form != "tanh")
    return node.error("approximation " + quoteName(form) + " is not supported");
  Value x = node.getOperand(0);
  return node.finish(form == "tanh" ? emitTanhGelu(node, x) : emitGelu(node, x));
}

void onnx::registerActivations(OperatorRegistry &registry) {
  registry.add("Relu", 1, 1, importRelu);
  registry.add("LeakyRelu", 1, 1, importLeakyRelu);
  registry.add("PRelu", 2, 2, importPRelu);
  registry.add("ThresholdedRelu", 1, 1, importThresholdedRelu);
  registry.add("Elu", 1, 1, importElu);
  registry.add("Selu", 1, 1, importSelu);
  registry.add("Celu", 1, 1, importCelu);
  registry.add("HardSigmoid", 1, 1, importHardSigmoid);
  registry.add("HardSwish", 1, 1, importHardSwish);
  registry.add("Shrink", 1, 1, importShrink);
  registry.add("Softplus", 1, 1, importSoftplus);
  registry.add("Softsign", 1, 1, importSoftsign);
  registry.add("Mish", 1, 1, importMish);
  registry.add("Swish", 1, 1, importSwish);
  registry.add("Gelu", 1, 1, importGelu);
}
