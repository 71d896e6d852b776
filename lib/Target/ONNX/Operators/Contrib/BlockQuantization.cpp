//===- Import of weights that are quantized in blocks ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// As generative models have them: a few bits for each number, and a scale for
// each block of them.
//
//===----------------------------------------------------------------------===//

#include "BlockQuantization.h"
#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

Value onnx::unpackBits(NodeImport &node, Value bytes, int64_t bits, int64_t rank) {
  int64_t count = 8 / bits;
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    Value shifted = i == 0 ? bytes : node.div(bytes, node.scalar(std::ldexp(1.0, static_cast<int>(bits * i)), bytes));
    Value part = i + 1 == count
                     ? shifted
                     : node.binary<ModOp>(shifted, node.scalar(std::ldexp(1.0, static_cast<int>(bits)), bytes));
    parts.push_back(node.unsqueeze(part, rank));
  }
  if (count == 1)
    return bytes;
  Value length = node.mul(getDims(node, bytes, rank - 1, rank), node.i64Vector({count}));
  Value dims = rank == 1 ? length : node.concat(0, {getDims(node, bytes, 0, rank - 1), length});
  return node.reshapeTo(node.concat(rank, parts), dims, /*allowZero=*/true);
}

LogicalResult BlockFormat::read(NodeImport &node, int64_t count) {
  columns = node.getRequiredInt("K");
  rows = count;
  bits = node.getInt("bits", 4);
  block = node.getRequiredInt("block_size");
  if (node.hasFailed())
    return failure();
  if (columns < 1 || rows < 1 || block < 1 || (bits != 2 && bits != 4 && bits != 8))
    return node.error("K = " + Twine(columns) + ", N = " + Twine(rows) + ", block_size = " + Twine(block) +
                      ", bits = " + Twine(bits) + " are not supported");
  return success();
}

Value onnx::multiplyByBlocks(NodeImport &node, Value x, const BlockFormat &format, const BlockWeights &weights,
                             Value bias) {
  auto [columns, rows, bits, block] = format;
  Type computed = getComputeType(x);
  int64_t blocks = (columns + block - 1) / block, wide = blocks * block;
  auto reshape = [&](Value value, ArrayRef<int64_t> dims) {
    return node.reshapeTo(value, node.i64Vector(dims), /*allowZero=*/false);
  };
  Value numbers = node.cast(unpackBits(node, reshape(weights.bytes, {rows, -1}), bits, 2), computed);
  numbers = reshape(numbers, {rows, blocks, block});
  Value scales = node.cast(reshape(weights.scales, {rows, blocks}), computed);
  Value zeros = node.scalar(std::ldexp(1.0, static_cast<int>(bits) - 1), computed);
  if (Value given = weights.zeros) {
    if (isa<IntegerType>(NodeImport::getElementType(given)))
      given = node.slice(unpackBits(node, reshape(given, {rows, -1}), bits, 2), 0, blocks, 1);
    zeros = node.cast(reshape(given, {rows, blocks}), computed);
  }
  constexpr int64_t flat = 2;
  Value table;
  if (Value groups = weights.groups) {
    if (NodeImport::getRank(zeros) != 0)
      zeros = node.gather(zeros, groups, 1);
    Value own = node.slice(reshape(numbers, {rows, wide}), 0, columns, 1);
    table = node.mul(node.sub(own, zeros), node.gather(scales, groups, 1));
  } else {
    if (NodeImport::getRank(zeros) != 0)
      zeros = node.unsqueeze(zeros, flat);
    table = node.mul(node.sub(numbers, zeros), node.unsqueeze(scales, flat));
    table = node.slice(reshape(table, {rows, wide}), 0, columns, 1);
  }
  constexpr int64_t swapped[] = {1, 0};
  Value result = node.matmul(node.cast(x, computed), node.transpose(table, ArrayRef<int64_t>(swapped)));
  return bias ? node.add(result, fitToAxis(node, node.cast(bias, computed), result, -1)) : result;
}

static LogicalResult importMatMulNBits(NodeImport &node) {
  BlockFormat format;
  if (failed(format.read(node, node.getRequiredInt("N"))))
    return failure();
  if (node.getInt("weight_prepacked", 0) != 0)
    return node.error("weights that are packed for a device are not supported");
  Value x = node.getOperand(0);
  BlockWeights weights = {node.getOperand(1), node.getOperand(2), node.getOperand(3), node.getOperand(4)};
  Value result = multiplyByBlocks(node, x, format, weights, node.getOperand(5));
  return node.finish(node.cast(result, NodeImport::getElementType(x)));
}

/// What the 16 codes of a number of 4 bits stand for, as shares of the greatest number of a block.
static ArrayRef<double> getCodeBook(bool isNormal) {
  // A sign, two bits of exponent and one of mantissa.
  static constexpr double floats[] = {0,   0.005208333333,  0.66666667,  1,  0.33333333,  0.5,  0.16666667,  0.25,
                                      -0., -0.005208333333, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25};
  // Quantiles of the normal distribution.
  static constexpr double normal[] = {-1,
                                      -0.6961928009986877,
                                      -0.5250730514526367,
                                      -0.39491748809814453,
                                      -0.28444138169288635,
                                      -0.18477343022823334,
                                      -0.09105003625154495,
                                      0,
                                      0.07958029955625534,
                                      0.16093020141124725,
                                      0.24611230194568634,
                                      0.33791524171829224,
                                      0.44070982933044434,
                                      0.5626170039176941,
                                      0.7229568362236023,
                                      1};
  return isNormal ? ArrayRef(normal) : ArrayRef(floats);
}

/// Weights of N rows of K codes, blocks of which share a factor wherever rows end.
static LogicalResult importMatMulBnb4(NodeImport &node) {
  int64_t columns = node.getRequiredInt("K"), rows = node.getRequiredInt("N"), kind = node.getRequiredInt("quant_type");
  int64_t block = node.getRequiredInt("block_size");
  if (node.hasFailed())
    return failure();
  constexpr int64_t most = int64_t(1) << 31;
  if (columns < 1 || rows < 1 || block < 16 || columns > most || rows > most || block > most ||
      !llvm::isPowerOf2_64(static_cast<uint64_t>(block)) || (kind != 0 && kind != 1))
    return node.error("K = " + Twine(columns) + ", N = " + Twine(rows) + ", block_size = " + Twine(block) +
                      ", quant_type = " + Twine(kind) + " are not supported");
  if (!node.getInt("transB", 1) || node.getInt("training_mode", 0))
    return node.error(node.getInt("transB", 1) ? "training mode is not supported"
                                               : "weights that are not transposed are not supported");
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x), computed = getComputeType(x), i64 = node.builder.getI64Type();
  int64_t count = rows * columns, blocks = (count + block - 1) / block;
  // The first of two codes has the higher bits.
  Value bytes = node.reshapeTo(node.getOperand(1), node.i64Vector({(count + 1) / 2}), /*allowZero=*/true);
  Value sixteen = node.scalar(16, bytes);
  Value high = node.unsqueeze(node.div(bytes, sixteen), 1);
  Value low = node.unsqueeze(node.binary<ModOp>(bytes, sixteen), 1);
  Value codes = node.reshapeTo(node.concat(1, {high, low}), node.i64Vector({-1}), /*allowZero=*/false);
  ArrayRef<double> book = getCodeBook(kind == 1);
  auto numbers = llvm::map_to_vector(book, [](double value) { return static_cast<float>(value); });
  Value table = node.constant(
      DenseElementsAttr::get(RankedTensorType::get({16}, node.builder.getF32Type()), ArrayRef<float>(numbers)));
  Value shares = node.gather(node.cast(table, computed), node.cast(node.slice(codes, 0, count, 0), i64), 0);
  Value factors = node.reshapeTo(node.getOperand(2), node.i64Vector({blocks, 1}), /*allowZero=*/true);
  factors = expand(node, node.cast(factors, computed), node.i64Vector({blocks, block}), 2);
  factors = node.slice(node.reshapeTo(factors, node.i64Vector({-1}), /*allowZero=*/false), 0, count, 0);
  Value weights = node.reshapeTo(node.mul(shares, factors), node.i64Vector({rows, columns}), /*allowZero=*/true);
  constexpr int64_t swapped[] = {1, 0};
  Value result = node.matmul(node.cast(x, computed), node.transpose(weights, ArrayRef<int64_t>(swapped)));
  return node.finish(node.cast(result, type));
}

//===----------------------------------------------------------------------===//
// Rows of tables
//===----------------------------------------------------------------------===//

namespace {

/// Entries of a table whose numbers are integers in blocks along one axis, each with a scale and perhaps a zero.
class BlockTable {
public:
  explicit BlockTable(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult readAttributes();
  /// As far as the file says how large the operands are.
  LogicalResult checkDims();
  /// Each number times its scale, all of `rank`, with the blocks along `axis`.
  Value dequantize(Value data, Value scales, Value zeros, int64_t axis, int64_t rank);
  Value unpack(Value packed, int64_t rank) { return isPacked ? unpackBits(node, packed, bits, rank) : packed; }

  NodeImport &node;
  int64_t rank = 0, gathered = 0, blocked = 0, block = 0, bits = 0;
  bool isPacked = false; ///< in bytes, each with as many numbers as fit
};

} // namespace

LogicalResult BlockTable::readAttributes() {
  rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  gathered = node.normalizeAxis(node.getInt("gather_axis", 0), rank);
  blocked = node.normalizeAxis(node.getInt("quantize_axis", 1), rank);
  block = node.getInt("block_size", 128);
  bits = node.getInt("bits", 4);
  if (node.hasFailed() || failed(node.requireRanks({{2, rank}, {3, rank}})))
    return failure();
  auto type = dyn_cast<IntegerType>(NodeImport::getElementType(node.getOperand(0)));
  if (!type || (type.getWidth() != 4 && type.getWidth() != 8))
    return node.error("operand 0 has elements of type " +
                      getElementTypeName(getElementType(NodeImport::getElementType(node.getOperand(0)))) +
                      ", which is not supported");
  isPacked = type.getWidth() == 8;
  if (block < 16 || !llvm::isPowerOf2_64(static_cast<uint64_t>(block)))
    return node.error("attribute 'block_size' is " + Twine(block) + ", not a power of 2 and 16 at least");
  if (isPacked ? bits != 2 && bits != 4 && bits != 8 : bits != 4)
    return node.error("attribute 'bits' is " + Twine(bits) + ", which does not fit to operand 0");
  if (isPacked && (gathered != 0 || blocked != rank - 1))
    return node.error("rows of bytes are gathered along axis 0 and have blocks along the last one, not " +
                      Twine(gathered) + " and " + Twine(blocked));
  if (gathered == blocked)
    return node.error("gathers along axis " + Twine(gathered) + ", along which blocks are, which is not supported");
  // Of bytes the last dim has others.
  SmallVector<int64_t> others = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  llvm::erase(others, blocked);
  for (size_t operand : {2, 3})
    if (node.hasOperand(operand))
      holdDims(node, node.getOperand(operand), node.getOperand(0), others,
               "dims of `" + node.node.inputs[operand] + "` and the numbers beside that of blocks");
  return checkDims();
}

LogicalResult BlockTable::checkDims() {
  std::optional<ArrayRef<int64_t>> data = NodeImport::getDims(node.getOperand(0));
  int64_t packed = isPacked ? 8 / bits : 1;
  for (size_t operand : {2, 3}) {
    std::optional<ArrayRef<int64_t>> own;
    if (node.hasOperand(operand))
      own = NodeImport::getDims(node.getOperand(operand));
    if (!data || !own)
      continue;
    for (auto [axis, size, given] : llvm::enumerate(*data, *own)) {
      if (ShapedType::isDynamic(size) || ShapedType::isDynamic(given))
        continue;
      int64_t wanted = size;
      if (static_cast<int64_t>(axis) == blocked) {
        wanted = llvm::divideCeil(static_cast<uint64_t>(size * packed), static_cast<uint64_t>(block));
        if (operand == 3)
          wanted = llvm::divideCeil(static_cast<uint64_t>(wanted), static_cast<uint64_t>(packed));
      }
      if (given != wanted)
        return node.error("dim " + Twine(axis) + " of operand " + Twine(operand) + " is " + Twine(given) +
                          " instead of " + Twine(wanted));
    }
  }
  return success();
}

Value BlockTable::dequantize(Value data, Value scales, Value zeros, int64_t axis, int64_t dims) {
  Type computed = getComputeType(scales), type = NodeImport::getElementType(scales);
  Value numbers = node.cast(unpack(data, dims), computed), length = getDims(node, numbers, axis, axis + 1);
  // Each entry of a block list, as often as it is needed.
  auto repeat = [&](Value list) {
    SmallVector<Value> wide, merged;
    Value count = getDims(node, list, axis, axis + 1), size = node.i64Vector({block});
    if (axis > 0) {
      wide.push_back(getDims(node, list, 0, axis));
      merged.push_back(wide.front());
    }
    llvm::append_values(wide, count, size);
    merged.push_back(node.mul(count, size));
    if (axis + 1 < dims) {
      wide.push_back(getDims(node, list, axis + 1, dims));
      merged.push_back(wide.back());
    }
    Value repeated = expand(node, node.unsqueeze(list, axis + 1), node.concat(0, wide), dims + 1);
    repeated = node.reshapeTo(repeated, node.concat(0, merged), /*allowZero=*/true);
    return sliceTo(node, repeated, node.i64Vector({0}), length, axis);
  };
  // More blocks than the numbers fill would go unnoticed.
  SmallVector<Value> counts;
  if (axis > 0)
    counts.push_back(getDims(node, scales, 0, axis));
  counts.push_back(node.div(node.add(length, node.i64Vector({block - 1})), node.i64Vector({block})));
  if (axis + 1 < dims)
    counts.push_back(getDims(node, scales, axis + 1, dims));
  scales = node.reshapeTo(scales, node.concat(0, counts), /*allowZero=*/true);
  if (zeros) {
    // Bytes may have room for more zeros than there are blocks.
    Value own = unpack(zeros, dims);
    own = sliceTo(node, own, node.i64Vector({0}), getDims(node, scales, axis, axis + 1), axis);
    numbers = node.sub(numbers, repeat(node.cast(own, computed)));
  } else if (isPacked) {
    numbers = node.sub(numbers, node.scalar(std::ldexp(1.0, static_cast<int>(bits) - 1), numbers));
  }
  return node.cast(node.mul(numbers, repeat(node.cast(scales, computed))), type);
}

LogicalResult BlockTable::run() {
  if (failed(readAttributes()))
    return failure();
  Value indices = node.getOperand(1);
  std::optional<int64_t> places = NodeImport::getRank(indices);
  if (!places)
    places = node.requireRank(1);
  if (node.hasFailed())
    return failure();
  // Only what is asked for is dequantized: tables are large. Places that a table does not have end the run, though
  // onnxruntime gives zeros there.
  auto get = [&](size_t operand) {
    return node.hasOperand(operand) ? node.gather(node.getOperand(operand), indices, gathered) : Value();
  };
  int64_t axis = blocked < gathered ? blocked : blocked + *places - 1;
  return node.finish(dequantize(get(0), get(2), get(3), axis, rank + *places - 1));
}

static LogicalResult importGatherBlockQuantized(NodeImport &node) { return BlockTable(node).run(); }

void onnx::registerBlockQuantization(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "MatMulNBits", 3, 6, importMatMulNBits);
  registry.add(domain, "MatMulBnb4", 3, 3, importMatMulBnb4);
  registry.add(domain, "GatherBlockQuantized", 3, 4, importGatherBlockQuantized);
}
