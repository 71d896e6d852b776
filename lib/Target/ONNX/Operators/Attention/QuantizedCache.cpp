//===- Keys and values that are cached with few bits ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "QuantizedCache.h"
#include "../Builders.h"
#include "../Contrib/BlockQuantization.h"
#include "../Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

LogicalResult QuantizedCache::read(StringRef mode, size_t scale, size_t past, int64_t count) {
  std::string kind = node.getString(mode, "NONE");
  if (kind != "NONE" && kind != "PER_TENSOR" && kind != "PER_CHANNEL")
    return node.error("attribute '" + mode + "' is " + quoteName(kind) + ", which is not supported");
  if ((kind != "NONE") != node.hasOperand(scale))
    return node.error("attribute '" + mode + "' is " + quoteName(kind) + (kind != "NONE" ? ", but not" : ", but") +
                      " operand " + Twine(scale) + ", scales, is there");
  groups = count;
  if (kind == "NONE")
    return success();
  isShared = kind == "PER_TENSOR";
  given = node.getOperand(scale);
  bits = node.getInt("kv_cache_bit_width", 8);
  if (bits != 4 && bits != 8)
    return node.error("attribute 'kv_cache_bit_width' is " + Twine(bits) + ", which is not supported");
  if (Value cache = node.getOperand(past)) {
    auto type = dyn_cast<IntegerType>(NodeImport::getElementType(cache));
    if (!type || type.getWidth() != 8 || type.isUnsigned() != (bits == 4))
      return node.error("operand " + Twine(past) + " has elements of type " +
                        getElementTypeName(getElementType(NodeImport::getElementType(cache))) +
                        ", which does not fit to " + Twine(bits) + " bits");
  }
  return success();
}

Value QuantizedCache::fitScale(Value like) {
  Value scale = node.cast(given, getComputeType(like));
  if (isShared)
    return asScalar(node, scale);
  Value one = node.i64Vector({1});
  Value dims = node.concat(0, {one, node.i64Vector({groups}), one, getDims(node, like, 3, 4)});
  return node.reshapeTo(scale, dims, /*allowZero=*/true);
}

Value QuantizedCache::quantize(Value numbers) {
  if (!given)
    return numbers;
  Value steps = node.div(node.cast(numbers, getComputeType(numbers)), fitScale(numbers));
  Type i8 = node.builder.getIntegerType(8), u8 = node.builder.getIntegerType(8, /*isSigned=*/false);
  if (bits == 8)
    return onnx::quantize(node, steps, i8);
  // Two elements in each byte, the first in the lower bits.
  steps = node.max(node.min(node.unary<RoundOp>(steps), node.scalar(7, steps)), node.scalar(-8, steps));
  Value codes = node.cast(node.add(steps, node.scalar(8, steps)), u8), two = node.i64Vector({2});
  Value width = node.div(getDims(node, codes, 3, 4), two);
  Value pairs = node.reshapeTo(codes, node.concat(0, {getDims(node, codes, 0, 3), width, two}), /*allowZero=*/true);
  Value low = node.gather(pairs, node.i64Scalar(0), 4), high = node.gather(pairs, node.i64Scalar(1), 4);
  return node.add(low, node.mul(high, node.scalar(16, high)));
}

Value QuantizedCache::dequantize(Value cache, Value like) {
  if (!given)
    return cache;
  Type computed = getComputeType(like);
  Value numbers = node.cast(bits == 4 ? unpackBits(node, cache, 4, 4) : cache, computed);
  if (bits == 4)
    numbers = node.sub(numbers, node.scalar(8, numbers));
  return node.cast(node.mul(numbers, fitScale(like)), NodeImport::getElementType(like));
}
