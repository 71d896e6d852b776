//===- Import of onnxruntime's embeddings ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// B is the batch, N the heads, S the places, H the elements of a head.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

//===----------------------------------------------------------------------===//
// Rotary embeddings
//===----------------------------------------------------------------------===//

namespace {

/// Operand 0 of a rotation, B x S x (N H) or B x N x S x H. Operands 2 and 3 are tables of cosines and sines.
class Rotation {
public:
  explicit Rotation(NodeImport &node) : node(node) {}
  LogicalResult read();
  /// By the angles of each place, B x S x half.
  LogicalResult finish(Value cos, Value sin);

  Value x; ///< B x N x S x H

private:
  NodeImport &node;
  Value shape; ///< null where the operand has heads already
};

} // namespace

LogicalResult Rotation::read() {
  x = node.getOperand(0);
  Value cos = node.getOperand(2), sin = node.getOperand(3);
  if (failed(node.requireSameElementTypes({x, cos, sin})) || failed(refuse(node, {}, {"is_packed_batching"})))
    return failure();
  holdDims(node, sin, cos, {0, 1}, "dims of `sin_cache` and `cos_cache`");
  int64_t rank = node.requireRank(0), heads = node.getInt("num_heads", 0);
  if (node.hasFailed())
    return failure();
  if (double scale = node.getFloat("scale", 1.0f); scale != 1)
    return node.error("attribute 'scale' is " + Twine(std::to_string(scale)) + ", which is not supported");
  if (rank != 3 && rank != 4)
    return node.error("an operand of rank " + Twine(rank) + " is not supported");
  if (rank == 4)
    return success();
  shape = node.shapeOf(x);
  Value width = getDims(node, x, 2, 3), count = node.i64Vector({heads});
  if (heads == 0)
    count = node.div(width, node.mul(getDims(node, cos, 1, 2), node.i64Vector({2})));
  Value dims = node.concat(0, {getDims(node, x, 0, 2), count, node.div(width, count)});
  constexpr int64_t order[] = {0, 2, 1, 3};
  x = node.transpose(node.reshapeTo(x, dims, /*allowZero=*/true), ArrayRef<int64_t>(order));
  return success();
}

LogicalResult Rotation::finish(Value cos, Value sin) {
  Value result = rotate(node, x, cos, sin, node.getInt("interleaved", 0) != 0);
  if (!shape)
    return node.finish(result);
  constexpr int64_t order[] = {0, 2, 1, 3};
  return node.finish(node.reshapeTo(node.transpose(result, ArrayRef<int64_t>(order)), shape, /*allowZero=*/true));
}

static LogicalResult importRotaryEmbedding(NodeImport &node) {
  Rotation rotation(node);
  int64_t rank = node.requireRank(1);
  if (node.hasFailed() || failed(rotation.read()))
    return failure();
  if (rank != 1 && rank != 2)
    return node.error("places of rank " + Twine(rank) + " are not supported");
  Value places = node.getOperand(1);
  if (rank == 2)
    holdDimPairs(node, places, rotation.x, {{0, 0}, {1, 2}}, "dims of `position_ids` and the batch and places");
  if (rank == 1)
    // The place of the first element.
    places = node.unsqueeze(node.add(node.cast(places, node.builder.getI64Type()),
                                     countTo(node, asScalar(node, getDims(node, rotation.x, 2, 3)))),
                            0);
  return rotation.finish(node.gather(node.getOperand(2), places, 0), node.gather(node.getOperand(3), places, 0));
}

/// As ONNX defines it, where tables have just the width that is turned: the definition takes what it needs of wider
/// ones, and repeats what is 1 wide.
static LogicalResult importDefinedRotaryEmbedding(NodeImport &node) {
  int64_t rank = node.requireRank(0), heads = node.getInt("num_heads", 0),
          turned = node.getInt("rotary_embedding_dim", 0);
  if (node.hasFailed())
    return failure();
  if (rank != 3 && rank != 4)
    return node.error("an operand of rank " + Twine(rank) + " is not supported");
  if (rank == 3 && heads < 1)
    return node.error("attribute 'num_heads' must be positive for operands without heads");
  Value x = node.getOperand(0), cos = node.getOperand(1), sin = node.getOperand(2), places = node.getOperand(3);
  int64_t tableRank = places ? 2 : 3, length = rank == 3 ? 1 : 2;
  if (failed(node.requireRanks({{1, tableRank}, {2, tableRank}, {3, 2}})))
    return failure();
  Value width = getDims(node, x, rank - 1, rank);
  if (rank == 3)
    width = node.div(width, node.i64Vector({heads}));
  if (turned > 0)
    width = node.i64Vector({turned});
  NodeImport::setRank(cos, tableRank);
  NodeImport::setRank(sin, tableRank);
  holdSizes(node, getDims(node, cos, tableRank - 1, tableRank), node.div(width, node.i64Vector({2})),
            "last dim of `cos_cache` and half of what is turned");
  holdDims(node, sin, cos, llvm::to_vector(llvm::seq<int64_t>(0, tableRank)), "dims of `sin_cache` and `cos_cache`");
  holdDimPairs(node, places ? places : cos, x, {{0, 0}, {1, length}},
               Twine("dims of `") + (places ? "position_ids" : "cos_cache") + "` and the batch and places");
  return node.hasFailed() ? failure() : node.finishByDefinition();
}

/// Each place is three, in time and in the height and width of an image, 3 x B x S: each pair of elements is turned by
/// one of them.
static LogicalResult importMRotaryEmbedding(NodeImport &node) {
  Rotation rotation(node);
  std::optional<SmallVector<int64_t>> sections = node.getInts("mrope_section");
  int64_t layout = node.getInt("mrope_layout", 0);
  if (node.hasFailed() || failed(rotation.read()) || failed(node.requireRanks({{1, 3}, {2, 2}, {3, 2}})))
    return failure();
  if (!sections || sections->size() != 3)
    return node.error("attribute 'mrope_section' must have 3 entries");
  int64_t half = 0;
  for (int64_t section : *sections) {
    constexpr int64_t most = 1 << 16;
    if (section < 0 || section > most)
      return node.error("attribute 'mrope_section' has the entry " + Twine(section));
    half += section;
  }
  if (NodeImport::getRank(node.getOperand(0)) == 3 && node.getInt("num_heads", 0) < 1)
    return node.error("attribute 'num_heads' must be positive for operands without heads");
  if (layout != 0 && layout != 1)
    return node.error("attribute 'mrope_layout' is " + Twine(layout) + ", which is not supported");
  // By which of the three a pair is turned.
  SmallVector<int64_t> streams(static_cast<size_t>(half), 0);
  for (int64_t pair = 0; pair < half; ++pair) {
    int64_t turn = pair % 3;
    if (layout == 1)
      streams[static_cast<size_t>(pair)] = turn > 0 && pair < 3 * (*sections)[static_cast<size_t>(turn)] ? turn : 0;
    else
      streams[static_cast<size_t>(pair)] = pair < (*sections)[0] ? 0 : pair < (*sections)[0] + (*sections)[1] ? 1 : 2;
  }
  // One place would stand for all.
  Value places = node.getOperand(1), length = asVector(node, getDim(node, rotation.x, 2));
  places = node.reshapeTo(places, node.concat(0, {node.i64Vector({3}), getDims(node, rotation.x, 0, 1), length}),
                          /*allowZero=*/true);
  auto choose = [&](Value table) {
    Value chosen = fitToAxis(node, node.i64Vector(streams), table, 1), result;
    for (int64_t stream : {0, 1, 2}) {
      Value angles = node.gather(table, node.gather(places, node.i64Scalar(stream), 0), 0);
      Value isIts = node.compare(CompareDirection::EQ, chosen, node.i64Scalar(stream));
      result = result ? node.select(isIts, angles, result) : angles;
    }
    return result;
  };
  return rotation.finish(choose(node.getOperand(2)), choose(node.getOperand(3)));
}

/// Queries and keys and what they become turned by a quarter, B x N x S x H; the first operand is the angles.
static LogicalResult importGemmaRotaryEmbedding(NodeImport &node) {
  Value angles = node.getOperand(0);
  if (failed(node.requireRanks({{0, 3}, {1, 4}, {2, 4}, {3, 4}, {4, 4}})))
    return failure();
  auto turn = [&](size_t operand) {
    Value x = node.getOperand(operand), turned = node.getOperand(operand + 1);
    Type type = NodeImport::getElementType(x);
    auto fit = [&](Value factor) { return node.expandLike(node.unsqueeze(node.cast(factor, type), 1), x); };
    turned = holdShape(node, turned, x, "dims of what is turned and of what it was");
    return node.add(node.mul(x, fit(node.unary<CosOp>(angles))), node.mul(turned, fit(node.unary<SinOp>(angles))));
  };
  (void)node.finish(1, turn(3));
  return node.finish(turn(1));
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

/// The rows of tables for words, places and segments, summed up and normalised. `read` gives what an operand stands for
/// of the entries of it that it is given.
static LogicalResult embed(NodeImport &node, Value places, function_ref<Value(size_t operand, Value entries)> read) {
  for (size_t operand : {2, 3, 5, 6})
    if (!node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + " is missing");
  if (failed(node.requireRanks({{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {7, 2}})))
    return failure();
  Value ids = node.getOperand(0);
  for (size_t operand : {1, 7})
    if (node.hasOperand(operand))
      holdDims(node, node.getOperand(operand), ids, {0, 1},
               "dims of `" + node.node.inputs[operand] + "` and of `" + node.node.inputs[0] + "`");
  for (size_t table : {3, 4})
    if (node.hasOperand(table))
      holdDims(node, node.getOperand(table), node.getOperand(2), ArrayRef<int64_t>(1),
               "columns of `" + node.node.inputs[table] + "` and of `" + node.node.inputs[2] + "`");
  auto lookUp = [&](size_t operand, Value indices) {
    return read(operand, node.gather(node.getOperand(operand), indices, 0));
  };
  Value sum = lookUp(2, ids);
  if (places) {
    // One row of them may stand for the whole batch, but not one place for all.
    holdDims(node, places, ids, ArrayRef<int64_t>(1),
             "places of `" + node.node.inputs[8] + "` and of `" + node.node.inputs[0] + "`");
    sum = node.add(sum, node.expandLike(lookUp(3, places), sum));
  } else {
    sum = node.add(sum, lookUp(3, countTo(node, asScalar(node, getDims(node, ids, 1, 2)))));
  }
  if (node.hasOperand(1) && node.hasOperand(4))
    sum = node.add(sum, lookUp(4, node.getOperand(1)));
  Type type = NodeImport::getElementType(sum), computed = getComputeType(sum);
  double epsilon = node.getFloat("epsilon", 1e-12f);
  Normalized normalized = emitNormalization(node, node.cast(sum, computed), {-1}, epsilon);
  auto readChannels = [&](size_t operand) {
    return fitToAxis(node, node.cast(read(operand, node.getOperand(operand)), computed), sum, -1);
  };
  Value result = node.add(node.mul(normalized.value, readChannels(5)), readChannels(6));
  Type i32 = node.builder.getI32Type();
  if (node.wantsResult(1)) {
    // How many places count; 0 where nothing says so.
    Value counted = node.hasOperand(7) ? node.cast(node.getOperand(7), i32) : fill(node, node.shapeOf(ids), 2, 0, i32);
    constexpr int64_t last[] = {-1};
    (void)node.finish(1, node.reduce(ReduceKind::Sum, counted, ArrayRef<int64_t>(last), /*keepDims=*/false));
  }
  (void)node.finish(2, sum);
  return node.finish(node.cast(result, type));
}

static LogicalResult importEmbedLayerNormalization(NodeImport &node) {
  if (failed(node.requireRanks({{8, 2}})))
    return failure();
  return embed(node, node.getOperand(8), [](size_t, Value entries) { return entries; });
}

/// Operands 8 to 12 are the scales of operands 2 to 6, and 13 to 17 their zeros.
static LogicalResult importQEmbedLayerNormalization(NodeImport &node) {
  bool hasSegments = node.hasOperand(1);
  if (!hasSegments && node.hasOperand(4))
    return node.error("operand 4, a table of segments, is there, but not operand 1, which places are in which");
  for (auto [table, scale] : {std::pair(2, 8), {3, 9}, {4, 10}, {5, 11}, {6, 12}})
    for (int operand : {table, scale, scale + 5})
      if (!node.hasOperand(static_cast<size_t>(operand)) && (table != 4 || hasSegments))
        return node.error("operand " + Twine(operand) + " is missing");
  Type i32 = node.builder.getI32Type(), f32 = node.builder.getF32Type();
  return embed(node, /*places=*/Value(), [&](size_t operand, Value entries) {
    size_t scale = operand + 6, zero = scale + 5;
    Value number = node.sub(node.cast(entries, i32), asScalar(node, node.cast(node.getOperand(zero), i32)));
    return node.mul(node.cast(number, f32), asScalar(node, node.getOperand(scale)));
  });
}

void onnx::registerEmbeddings(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add("RotaryEmbedding", 3, 4, importDefinedRotaryEmbedding);
  registry.add(domain, "RotaryEmbedding", 4, 4, importRotaryEmbedding);
  registry.add(domain, "MRotaryEmbedding", 4, 4, importMRotaryEmbedding);
  registry.add(domain, "GemmaRotaryEmbedding", 5, 5, importGemmaRotaryEmbedding);
  registry.add(domain, "EmbedLayerNormalization", 1, 9, importEmbedLayerNormalization);
  registry.add(domain, "QEmbedLayerNormalization", 1, 18, importQEmbedLayerNormalization);
}
