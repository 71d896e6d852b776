//===- Import of layers with weights that are quantized in blocks ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "BlockQuantization.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Operand 0 plus operand 1, result `sumResult`, over the root of the mean of its squares, times operand 2, as far as
/// these are there.
static FailureOr<Value> normalizeInput(NodeImport &node, double epsilon, size_t sumResult) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  if (Value skip = node.getOperand(1)) {
    if (!node.hasOperand(2))
      return node.error("operand 2 (norm_scale) is missing");
    x = node.add(x, holdShape(node, skip, x, "dims of `skip` and `A`"));
    (void)node.finish(sumResult, x);
  } else if (node.wantsResult(sumResult)) {
    return node.error("operand 1 (skip) is missing");
  }
  if (!node.hasOperand(2))
    return x;
  Value normalized = emitNormalization(node, node.cast(x, computed), {-1}, epsilon, /*subtractMean=*/false).value;
  Value scale = fitToAxis(node, node.cast(node.getOperand(2), computed), x, -1);
  return node.cast(node.mul(normalized, scale), type);
}

/// The product with the weights that begin at operand `first`: bytes, scales and perhaps a bias.
static Value multiply(NodeImport &node, Value x, const BlockFormat &format, size_t first) {
  BlockWeights weights = {node.getOperand(first), node.getOperand(first + 1), /*zeros=*/Value(), /*groups=*/Value()};
  Value result = multiplyByBlocks(node, x, format, weights, node.getOperand(first + 2));
  return node.cast(result, NodeImport::getElementType(x));
}

static LogicalResult requireWeights(NodeImport &node, ArrayRef<size_t> firsts) {
  for (size_t first : firsts)
    for (size_t operand : {first, first + 1})
      if (!node.hasOperand(operand))
        return node.error("operand " + Twine(operand) + " is missing");
  return success();
}

/// A product that decides how much of another one passes.
static LogicalResult importMatMulNBitsMlp(NodeImport &node) {
  BlockFormat format;
  if (failed(format.read(node, node.getRequiredInt("N"))) || failed(requireWeights(node, {3, 6})))
    return failure();
  if (std::string activation = node.getString("activation", ""); activation != "silu" && activation != "swish")
    return node.error("activation " + quoteName(activation) + " is not supported");
  FailureOr<Value> x = normalizeInput(node, node.getFloat("epsilon", 1e-5f), /*sumResult=*/1);
  if (failed(x))
    return failure();
  Value gate = multiply(node, *x, format, 3);
  return node.finish(node.mul(node.mul(gate, node.unary<SigmoidOp>(gate)), multiply(node, *x, format, 6)));
}

/// Queries, keys and values of one normalised input.
static LogicalResult importMatMulNBitsQkv(NodeImport &node) {
  BlockFormat query, shared;
  if (failed(query.read(node, node.getRequiredInt("Nq"))) || failed(shared.read(node, node.getRequiredInt("Nkv"))) ||
      failed(requireWeights(node, {3, 6, 9})))
    return failure();
  if (!node.hasOperand(2))
    return node.error("operand 2 (norm_scale) is missing");
  FailureOr<Value> x = normalizeInput(node, node.getFloat("epsilon", 1e-6f), /*sumResult=*/3);
  if (failed(x))
    return failure();
  (void)node.finish(1, multiply(node, *x, shared, 6));
  (void)node.finish(2, multiply(node, *x, shared, 9));
  return node.finish(multiply(node, *x, query, 3));
}

/// A product with columns of numbers of 4 bits. For each block of 32 of them there are 4 bytes with its scale, one with
/// its zero in one of two formats, and 16 bytes, the lower halves of which come before the upper ones.
static LogicalResult importMatMulFpQ4(NodeImport &node) {
  int64_t kind = node.getInt("blk_quant_type", 1);
  std::optional<SmallVector<int64_t>> shape = node.getConstantOperand(2, "the dims of the weights");
  if (!shape)
    return failure();
  if (shape->size() != 2)
    return node.error("weights with " + Twine(shape->size()) + " dims are not supported");
  // onnxruntime reads the third format, of blocks of 64, as the second one.
  if (kind != 0 && kind != 1)
    return node.error("attribute 'blk_quant_type' is " + Twine(kind) + ", which is not supported");
  int64_t rows = (*shape)[0], columns = (*shape)[1];
  constexpr int64_t block = 32, most = int64_t(1) << 31;
  if (rows < 1 || columns < 1 || rows > most || columns > most)
    return node.error("weights of " + Twine(rows) + " x " + Twine(columns) + " are not supported");
  int64_t blocks = (rows + block - 1) / block, header = kind == 0 ? 4 : 5;
  Value x = node.getOperand(0), bytes = node.getOperand(1);
  Type f32 = node.builder.getF32Type();
  if (!NodeImport::getElementType(x).isF32() || !NodeImport::getElementType(bytes).isUnsignedInteger(8))
    return node.error("operands are not of types float and uint8");
  bytes = node.reshapeTo(bytes, node.i64Vector({columns, blocks, header + block / 2}), /*allowZero=*/true);
  // Bits of a float, the lowest first.
  Type u32 = node.builder.getIntegerType(32, /*isSigned=*/false);
  Value bits;
  for (int64_t place = 0; place < 4; ++place) {
    Value part = node.cast(node.slice(bytes, place, place + 1, 2), u32);
    part = node.mul(part, node.scalar(std::ldexp(1.0, static_cast<int>(8 * place)), part));
    bits = bits ? node.add(bits, part) : part;
  }
  Value scales = BitCastOp::create(node.builder, node.loc, NodeImport::makeTypeLike(bits, f32), bits);
  Value pairs = node.slice(bytes, header, header + block / 2, 2), sixteen = node.scalar(16, bytes);
  Value codes = node.concat(2, {node.binary<ModOp>(pairs, sixteen), node.div(pairs, sixteen)});
  Value zeros = kind == 0 ? node.scalar(8, f32) : node.cast(node.slice(bytes, 4, 5, 2), f32);
  Value weights = node.mul(node.sub(node.cast(codes, f32), zeros), scales);
  weights = node.reshapeTo(weights, node.i64Vector({columns, blocks * block}), /*allowZero=*/true);
  constexpr int64_t swapped[] = {1, 0};
  return node.finish(node.matmul(x, node.transpose(node.slice(weights, 0, rows, 1), ArrayRef<int64_t>(swapped))));
}

void onnx::registerFusedBlockProducts(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "MatMulNBitsMlp", 1, 9, importMatMulNBitsMlp);
  registry.add(domain, "MatMulNBitsQkv", 1, 12, importMatMulNBitsQkv);
  registry.add(domain, "MatMulFpQ4", 3, 3, importMatMulFpQ4);
}
