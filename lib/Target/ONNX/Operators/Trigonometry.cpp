//===- Import of inverse and hyperbolic functions, and of operators on bits -----------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Formulas.h"
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static Value square(NodeImport &node, Value x) { return node.mul(x, x); }
static Value times(NodeImport &node, Value x, double factor) { return node.mul(x, node.scalar(factor, x)); }
static Value plus(NodeImport &node, Value x, double offset) { return node.add(x, node.scalar(offset, x)); }
static Value withSign(NodeImport &node, Value magnitude, Value x) {
  return node.select(node.compare(CompareDirection::LT, x, node.scalar(0, x)), node.neg(magnitude), magnitude);
}
static Value isGreater(NodeImport &node, Value x, double bound) {
  return node.compare(CompareDirection::GT, x, node.scalar(bound, x));
}

/// c[0] + c[1] z + c[2] z^2 + ...
static Value polynomial(NodeImport &node, Value z, ArrayRef<double> coefficients) {
  Value result = node.scalar(coefficients.back(), z);
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = plus(node, node.mul(result, z), coefficient);
  return result;
}

/// The arc tangent by Cephes: quotients bring the magnitude into [-0.66, 0.66], where a rational function serves f64
/// and a polynomial f32.
static Value atan(NodeImport &node, Value x) {
  Value magnitude = node.abs(x);
  constexpr double tan3Pi8 = 2.41421356237309504880, pi = 3.14159265358979323846;
  bool isDouble = NodeImport::getElementType(x).isF64();
  double middle = isDouble ? 0.66 : 0.41421356237309504880; // where the second quotient begins
  Value isLarge = isGreater(node, magnitude, tan3Pi8), isMiddle = isGreater(node, magnitude, middle);
  Value one = node.scalar(1, x), zero = node.scalar(0, x);
  Value halved = node.div(node.sub(magnitude, one), node.add(magnitude, one));
  Value small = node.select(isLarge, node.neg(node.reciprocal(magnitude)), node.select(isMiddle, halved, magnitude));
  Value base = node.select(isLarge, node.scalar(pi / 2, x), node.select(isMiddle, node.scalar(pi / 4, x), zero));
  Value z = square(node, small), tail;
  if (isDouble) {
    Value above = polynomial(node, z,
                             {-6.485021904942025371773e1, -1.228866684490136173410e2, -7.500855792314704667340e1,
                              -1.615753718733365076637e1, -8.750608600031904122785e-1});
    Value below = polynomial(node, z,
                             {1.945506571482613964425e2, 4.853903996359136964868e2, 4.328810604912902668951e2,
                              1.650270098316988542046e2, 2.485846490142306297962e1, 1.0});
    tail = node.mul(node.mul(small, z), node.div(above, below));
  } else {
    Value series = polynomial(node, z, {-3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2});
    tail = node.mul(node.mul(small, z), series);
  }
  Value result = node.add(base, node.add(small, tail));
  // Infinity over infinity is no number; its arc tangent is a quarter turn.
  result = node.select(
      node.compare(CompareDirection::EQ, magnitude, node.scalar(std::numeric_limits<double>::infinity(), x)),
      node.scalar(pi / 2, x), result);
  return withSign(node, result, x);
}

static Value asin(NodeImport &node, Value x) {
  Value root = node.sqrt(node.mul(plus(node, node.neg(x), 1), plus(node, x, 1)));
  return times(node, atan(node, node.div(x, plus(node, root, 1))), 2);
}

static Value acos(NodeImport &node, Value x) {
  return times(node, atan(node, node.sqrt(node.div(plus(node, node.neg(x), 1), plus(node, x, 1)))), 2);
}

/// (e^|x| - e^-|x|) / 2; below 1, where that cancels, by the tangent of the half.
static Value sinh(NodeImport &node, Value x) {
  Value magnitude = node.abs(x), half = node.exp(times(node, magnitude, 0.5));
  Value large = node.sub(node.mul(times(node, half, 0.5), half), node.div(node.scalar(0.5, x), square(node, half)));
  Value t = node.unary<TanhOp>(times(node, magnitude, 0.5));
  Value small = node.div(times(node, t, 2), plus(node, node.neg(square(node, t)), 1));
  return withSign(node, node.select(isGreater(node, magnitude, 1), large, small), x);
}

static Value cosh(NodeImport &node, Value x) {
  Value half = node.exp(times(node, node.abs(x), 0.5));
  return node.add(node.mul(times(node, half, 0.5), half), node.div(node.scalar(0.5, x), square(node, half)));
}

static constexpr double kLn2 = 0.69314718055994530942;

/// log(|x| + sqrt(x^2 + 1)); where the square overflows, log(2 |x|).
static Value asinh(NodeImport &node, Value x) {
  Value magnitude = node.abs(x), squared = square(node, magnitude);
  Value root = node.sqrt(plus(node, squared, 1));
  Value small = log1p(node, node.add(magnitude, node.div(squared, plus(node, root, 1))));
  Value large = plus(node, node.log(magnitude), kLn2);
  return withSign(node, node.select(isGreater(node, magnitude, 1e8), large, small), x);
}

/// Below 1 the root of x - 1 is no number, as the result is to be.
static Value acosh(NodeImport &node, Value x) {
  Value t = plus(node, x, -1);
  Value small = log1p(node, node.add(t, node.mul(node.sqrt(t), node.sqrt(plus(node, x, 1)))));
  return node.select(isGreater(node, x, 1e8), plus(node, node.log(x), kLn2), small);
}

static Value atanh(NodeImport &node, Value x) {
  Value magnitude = node.abs(x);
  Value quotient = node.div(times(node, magnitude, 2), plus(node, node.neg(magnitude), 1));
  return withSign(node, times(node, log1p(node, quotient), 0.5), x);
}

/// 16-bit floats are computed with in f32.
template <Value (*function)(NodeImport &, Value)>
static LogicalResult importFunction(NodeImport &node) {
  return node.finish(computeWide(node, node.getOperand(0), [&](Value x) { return function(node, x); }));
}

/// Shifts of unsigned integers are products and quotients with powers of 2; by the width and more nothing is left.
static LogicalResult importBitShift(NodeImport &node) {
  Value x = node.getOperand(0), count = node.getOperand(1);
  std::string direction = node.getString("direction", "");
  if (failed(node.requireSameElementTypes({x, count})))
    return failure();
  if (direction != "LEFT" && direction != "RIGHT")
    return node.error("direction " + quoteName(direction) + " is neither LEFT nor RIGHT");
  double width = NodeImport::getElementType(x).getIntOrFloatBitWidth();
  Value fits = node.compare(CompareDirection::LT, count, node.scalar(width, count));
  Value bounded = node.select(fits, count, node.scalar(0, count));
  Value power = node.binary<PowOp>(node.scalar(2, x), bounded);
  Value shifted = direction == "LEFT" ? node.mul(x, power) : node.div(x, power);
  return node.finish(node.select(fits, shifted, node.scalar(0, x)));
}

static LogicalResult importBitCast(NodeImport &node) {
  Value x = node.getOperand(0);
  auto number = static_cast<ElementType>(node.getRequiredInt("to"));
  Type from = NodeImport::getElementType(x), type = getElementType(number, node.builder.getContext());
  if (!type)
    return node.error("elements of type " + getElementTypeName(number) + " are not supported");
  // Booleans are bytes to ONNX.
  if (from.isInteger(1)) {
    from = node.builder.getIntegerType(8, /*isSigned=*/false);
    x = node.cast(x, from);
  }
  if (type.isInteger(1) && from.getIntOrFloatBitWidth() == 8)
    return node.finish(node.cast(x, type));
  if (from.getIntOrFloatBitWidth() != type.getIntOrFloatBitWidth())
    return node.error("elements of " + Twine(from.getIntOrFloatBitWidth()) + " bits can't be taken for elements of " +
                      Twine(type.getIntOrFloatBitWidth()));
  return node.finish(BitCastOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, type), x));
}

void onnx::registerTrigonometry(OperatorRegistry &registry) {
  registry.add("Acos", 1, 1, importFunction<acos>);
  registry.add("Acosh", 1, 1, importFunction<acosh>);
  registry.add("Asin", 1, 1, importFunction<asin>);
  registry.add("Asinh", 1, 1, importFunction<asinh>);
  registry.add("Atan", 1, 1, importFunction<atan>);
  registry.add("Atanh", 1, 1, importFunction<atanh>);
  registry.add("Cosh", 1, 1, importFunction<cosh>);
  registry.add("Sinh", 1, 1, importFunction<sinh>);
  registry.add("BitShift", 2, 2, importBitShift);
  registry.add("BitCast", 1, 1, importBitCast);
}
