//===- Rows of scores, their weights, and what they give ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttentionItems.h"
#include <limits>

using namespace mlir;
using namespace dyn::cpu;

Value AttentionItems::larger(Value a, Value b) {
  // What is no number is left out here: its exponential keeps it.
  OpBuilder &builder = code.builder;
  Value isLarger = arith::CmpFOp::create(builder, code.loc, arith::CmpFPredicate::OGT, a, b);
  return arith::SelectOp::create(builder, code.loc, isLarger, a, b);
}

/// Halves the vector until one element is left.
Value AttentionItems::combineLanes(Value vector, function_ref<Value(Value, Value)> combine) {
  OpBuilder &b = code.builder;
  for (int64_t size = cast<VectorType>(vector.getType()).getDimSize(0); size > 1; size /= 2) {
    auto lower = llvm::to_vector(llvm::seq<int64_t>(0, size / 2));
    auto upper = llvm::to_vector(llvm::seq<int64_t>(size / 2, size));
    vector = combine(vector::ShuffleOp::create(b, code.loc, vector, vector, lower),
                     vector::ShuffleOp::create(b, code.loc, vector, vector, upper));
  }
  return vector::ExtractOp::create(b, code.loc, vector, ArrayRef<int64_t>{0});
}

//===----------------------------------------------------------------------===//
// A block of keys
//===----------------------------------------------------------------------===//

void AttentionItems::emitScores(const KeyBlock &block, const RowGroup &group) {
  int64_t columns = scoreTiles.columns();
  TileFunctions::Matrix left = emitQueries(group);
  SmallVector<Lanes> place(at);
  code.forLoop(code.index(0), code.ceilDiv(block.count, columns), [&](Value panel) {
    Value first = code.mul(panel, code.index(columns)), count = countFrom(scoreTiles, first, block.count);
    Value tile = element(scores, code.mul(panel, code.index(tileElements)));
    code.ifThen(keysAreInPlace, [&] {
      place[attention.keyLoop] = Lanes::uniform(code.add(block.first, first));
      Value stride = strideOf(keys, attention.keyLoop);
      scoreTiles.emitDots(left.base, {addressAt(keys, place), code.index(1), stride}, depth, count, tile);
    });
    code.ifThen(negate(keysAreInPlace), [&] {
      TileFunctions::Matrix right{element(packedKeys, code.mul(panel, panelElements)), code.index(columns),
                                  code.index(1), code.index(columns)};
      scoreTiles.emitTile(group.rows, left, right, depth, tile, number(0), condition(false),
                          {isNarrow(scoreTiles, count), Value()});
    });
  });
}

/// Takes the scores of a row through the epilogue to the weights; gives the largest.
Value AttentionItems::emitEpilogueOfRow(const KeyBlock &block, const RowGroup &group, Value row) {
  int64_t columns = scoreTiles.columns();
  SmallVector<Lanes> place(at);
  if (attention.queryLoop)
    place[*attention.queryLoop] = Lanes::uniform(code.add(group.row, row));
  auto emitPanel = [&](Value panel, Value count, Value largest) {
    for (unsigned v = 0; v < scoreTiles.vectors; ++v) {
      Value skipped = code.index(v * scoreTiles.lanes);
      Value inRow = code.add(code.mul(panel, code.index(columns)), skipped);
      Points points = vector;
      if (count)
        points.mask = code.maskOf(code.sub(count, skipped), points.lanes);
      Value from =
          code.add(code.add(code.mul(panel, code.index(tileElements)), code.mul(row, code.index(columns))), skipped);
      Lanes score = loadFrom(scores, from, vector);
      if (attention.scoresEpilogue) {
        place[attention.keyLoop] = Lanes::linear(code.add(block.first, inRow), code.index(1));
        SmallVector<Lanes> loops;
        AffineMap written = attention.scores.getMatchingIndexingMap(attention.scores.getDpsInitOperand(0));
        for (AffineExpr loop : written.getResults())
          loops.push_back(place[cast<AffineDimExpr>(loop).getPosition()]);
        score = evaluate(attention.scoresEpilogue, attention.scores, score, loops, points);
      }
      Value value = code.materialize(widen(code, score, sumType, vector), vector);
      if (points.mask)
        value = arith::SelectOp::create(code.builder, code.loc, points.mask, value,
                                        number(-std::numeric_limits<float>::infinity(), vector));
      storeTo(weights, code.add(code.mul(row, code.index(blockKeys)), inRow), Lanes::varying(value), vector);
      largest = larger(value, largest);
    }
    return largest;
  };
  Value whole = code.div(block.count, code.index(columns));
  Value start = number(-std::numeric_limits<float>::infinity(), vector);
  Value largest = code.forLoop(code.index(0), whole, 1, start, [&](Value panel, ValueRange carried) {
    return SmallVector<Value>{emitPanel(panel, Value(), carried[0])};
  })[0];
  Value rest = code.sub(block.count, code.mul(whole, code.index(columns)));
  largest = code.ifThen(code.isLess(code.index(0), rest), largest,
                        [&] { return SmallVector<Value>{emitPanel(whole, rest, largest)}; })[0];
  return combineLanes(largest, [&](Value a, Value b) { return larger(a, b); });
}

void AttentionItems::emitRow(const KeyBlock &block, const RowGroup &group, Value row) {
  OpBuilder &b = code.builder;
  Value local = code.add(group.local, row), minusInfinity = number(-std::numeric_limits<float>::infinity());
  Value largest = emitEpilogueOfRow(block, group, row);
  SmallVector<Value> before = code.ifThen(block.isLater, {minusInfinity, number(0)}, [&] {
    return SmallVector<Value>{loadFrom(maxima, local, {}).first, loadFrom(weightSums, local, {}).first};
  });
  largest = larger(before[0], largest);
  // -inf - -inf is no number, but what is masked so far may still turn out to weigh nothing.
  Value isLow = arith::CmpFOp::create(b, code.loc, arith::CmpFPredicate::OEQ, largest, minusInfinity);
  Value shift = arith::SelectOp::create(b, code.loc, isLow, number(0), largest);
  Value shifts = code.materialize(Lanes::uniform(shift), vector);

  Value lanes = code.mul(code.ceilDiv(block.count, scoreTiles.columns()), code.index(scoreTiles.columns()));
  Value first = code.mul(row, code.index(blockKeys));
  Value total = code.forLoop(code.index(0), lanes, vector.lanes, number(0, vector), [&](Value key, ValueRange sum) {
    Value offset = code.add(first, key);
    Value difference = arith::SubFOp::create(b, code.loc, loadFrom(weights, offset, vector).vector, shifts);
    Value weight = exponential(difference);
    storeTo(weights, offset, Lanes::varying(weight), vector);
    return SmallVector<Value>{sumOf(sum[0], weight)};
  })[0];
  Value sum = combineLanes(total, [&](Value x, Value y) { return sumOf(x, y); });

  // What was summed was scaled to another largest score.
  sum = code.ifThen(block.isLater, sum, [&] {
    Value factor = exponential(arith::SubFOp::create(b, code.loc, before[0], shift));
    Value isOther = arith::CmpFOp::create(b, code.loc, arith::CmpFPredicate::UNE, factor, number(1));
    code.ifThen(isOther, [&] {
      Value factors = code.materialize(Lanes::uniform(factor), vector);
      code.forLoop(code.index(0), panels, [&](Value panel) {
        Value inTile = code.add(offsetOfSums(group.number, panel), code.mul(row, code.index(valueTiles.columns())));
        for (unsigned v = 0; v < valueTiles.vectors; ++v) {
          Value offset = code.add(inTile, code.index(v * valueTiles.lanes));
          Value scaled = arith::MulFOp::create(b, code.loc, loadFrom(sums, offset, vector).vector, factors);
          storeTo(sums, offset, Lanes::varying(scaled), vector);
        }
      });
    });
    return SmallVector<Value>{sumOf(arith::MulFOp::create(b, code.loc, before[1], factor), sum)};
  })[0];
  storeTo(maxima, local, Lanes::uniform(largest), {});
  storeTo(weightSums, local, Lanes::uniform(sum), {});
}

void AttentionItems::emitProducts(const KeyBlock &block, const RowGroup &group) {
  int64_t columns = valueTiles.columns();
  TileFunctions::Matrix left{weights, code.index(blockKeys), code.index(1)};
  code.forLoop(code.index(0), panels, [&](Value panel) {
    Value first = code.mul(panel, code.index(columns));
    Value packed = element(packedValues, code.mul(panel, code.index((blockKeys + valueTiles.lanes) * columns)));
    Value address = addressAt(values, loopsOfValues(at, block.first, Lanes::uniform(first)));
    Value stride = strideOf(values, attention.values.getNumLoops() - 1);
    auto emitTile = [&](TileFunctions &tiles, Value rows, Value base, Value rowStride) {
      tiles.emitTile(rows, left, {base, rowStride, code.index(1), code.index(columns)}, block.count,
                     element(sums, offsetOfSums(group.number, panel)), number(0), block.isLater,
                     {isNarrow(tiles, countFrom(tiles, first, columnCount)), Value()});
    };
    if (values.memory->elementType == sumType) {
      SmallVector<Value> right = code.ifThen(valuesAreInPlace, {packed, code.index(columns)},
                                             [&] { return SmallVector<Value>{address, stride}; });
      return emitTile(valueTiles, group.rows, right[0], right[1]);
    }
    code.ifThen(valuesAreInPlace, [&] { emitTile(plainValueTiles, code.index(1), address, stride); });
    code.ifThen(negate(valuesAreInPlace), [&] { emitTile(valueTiles, group.rows, packed, code.index(columns)); });
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void AttentionItems::emitResults(const RowGroup &group) {
  OpBuilder &b = code.builder;
  int64_t columns = valueTiles.columns();
  SmallVector<Lanes> place(at);
  linalg::GenericOp last = attention.valuesEpilogue ? attention.valuesEpilogue : attention.values;
  Operand output = operandOf(last, *last.getDpsInitOperand(0));
  code.forLoop(code.index(0), group.rows, [&](Value row) {
    if (attention.queryLoop)
      place[*attention.queryLoop] = Lanes::uniform(code.add(group.row, row));
    // The product with no weights is 0.
    Value weightSum = loadFrom(weightSums, code.add(group.local, row), {}).first;
    Value hasKeys = code.isLess(code.index(0), keyCount);
    Value divisor = b.createOrFold<arith::SelectOp>(code.loc, hasKeys, weightSum, number(1));
    Value isNumber = arith::CmpFOp::create(b, code.loc, arith::CmpFPredicate::OGT, weightSum, number(0));
    Value divisors = code.materialize(Lanes::uniform(divisor), vector);
    code.forLoop(code.index(0), panels, [&](Value panel) {
      Value first = code.mul(panel, code.index(columns)), count = countFrom(valueTiles, first, columnCount);
      Value inTile = code.add(offsetOfSums(group.number, panel), code.mul(row, code.index(columns)));
      for (unsigned v = 0; v < valueTiles.vectors; ++v) {
        Value skipped = code.index(v * valueTiles.lanes);
        Points points{valueTiles.lanes, code.maskOf(code.sub(count, skipped), valueTiles.lanes)};
        Value sum = loadFrom(sums, code.add(inTile, skipped), vector).vector;
        Value result = arith::DivFOp::create(b, code.loc, sum, divisors);
        if (attention.nanBecomesZero)
          result = arith::SelectOp::create(b, code.loc, isNumber, result, number(0, vector));
        Lanes column = Lanes::linear(code.add(first, skipped), code.index(1));
        SmallVector<Lanes> loops = loopsOfValues(place, code.index(0), column);
        Lanes value = Lanes::varying(result);
        if (attention.valuesEpilogue) {
          SmallVector<Lanes> own;
          AffineMap written = attention.values.getMatchingIndexingMap(attention.values.getDpsInitOperand(0));
          for (AffineExpr loop : written.getResults())
            own.push_back(loops[cast<AffineDimExpr>(loop).getPosition()]);
          loops = own;
          value = evaluate(attention.valuesEpilogue, attention.values, value, loops, points);
        }
        store(code, *output.memory, offsetOf(output, loops, points), value, points);
      }
    });
  });
}
