//===- Lowering of recurrent networks -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A nest of loops that runs in program order: steps, sequences, elements. A few
// sequences take a step together, so that weights are read once for all of them. All
// sums of a step come before what becomes of them, which then takes vectors.
// Steps behind the end of a sequence change nothing.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

using Values = SmallVector<Value>;

/// How many sequences take a step together.
constexpr int64_t kSequencesTogether = 4;
/// How many sums are computed side by side: each takes a vector register, and so does what they share.
constexpr size_t kSumsTogether = 8;

/// One sequence at one step. Without lengths, `isStep` is null: each sequence has all steps.
struct Row {
  Value sequence, place, isStep;
};
using Rows = ArrayRef<Row>;

/// Scalar code of one step, in the type that is computed with.
class CellCode {
public:
  CellCode(OpBuilder &b, Location loc, RecurrentOp op, Type type, Type computed)
      : b(b), loc(loc), scalars(b, loc), op(op), type(type), computed(computed) {}

  Value number(double value) { return scalars.constant(computed, value); }
  Value read(Value tensor, ValueRange places) {
    return scalars.cast(tensor::ExtractOp::create(b, loc, tensor, places), type, computed);
  }
  Value narrow(Value value) { return scalars.cast(value, computed, type); }
  Value tanh(Value x) { return math::TanhOp::create(b, loc, x); }
  Value exp(Value x) { return math::ExpOp::create(b, loc, x); }
  Value bound(Value x, double low, double high) {
    return scalars.max(scalars.min(x, number(high), false), number(low), false);
  }
  /// What a gate makes of its sum.
  Value gate(unsigned function, Value x) {
    if (std::optional<APFloat> clip = op.getClip())
      x = bound(x, -clip->convertToDouble(), clip->convertToDouble());
    return activate(function, x);
  }
  Value activate(unsigned function, Value x);

  OpBuilder &b;
  Location loc;
  ScalarBuilder scalars;
  RecurrentOp op; // accessors of ops are not const
  Type type, computed;
};

/// Builds the loops of one layer.
class LayerBuilder {
public:
  LayerBuilder(RecurrentOp op, FunctionReifier &reifier);
  void build();

private:
  /// Where the tensors that loops carry stand. Behind them are the sums of the gates, in the type that is computed
  /// with.
  enum Place { Sequence, Last, Hidden, Next, LastCell, Cell, Update = LastCell, Kept = Cell };

  Values initialize();
  /// Of all sequences.
  Values step(OpBuilder &b, Location loc, Value position, ValueRange carried);
  /// Of `count` sequences from `first` on.
  Values stepTogether(OpBuilder &b, Location loc, Value first, int64_t count, Value position, ValueRange carried);
  Row getRow(OpBuilder &b, Location loc, Value sequence, Value position);
  /// Writes the sums of some gates over the hidden state, or what stands in its place.
  Values multiply(OpBuilder &b, Location loc, Rows rows, Place state, ArrayRef<int64_t> gates, Values carried);
  Value rowOf(OpBuilder &b, Location loc, int64_t gate, Value element);
  Value sum(CellCode &code, const Row &row, Value element, int64_t gate, const Values &carried);
  // What becomes of the sums of an element.
  Values stepRNN(CellCode &code, const Row &row, Value element, Values carried);
  Values stepGates(CellCode &code, const Row &row, Value element, Values carried);
  Values stepCandidate(CellCode &code, const Row &row, Value element, Values carried);
  Values stepLSTM(CellCode &code, const Row &row, Value element, Values carried);
  Value input(CellCode &code, const Row &row, Value element, int64_t gate);
  Values forElements(OpBuilder &b, Location loc, Values carried,
                     llvm::function_ref<Values(OpBuilder &, Location, Value, Values)> body);
  Value put(CellCode &code, Value tensor, Value value, ValueRange places) {
    return tensor::InsertOp::create(code.b, code.loc, code.narrow(value), tensor, places);
  }

  RecurrentOp op;
  FunctionReifier &reifier;
  Type type, computed;
  Expr steps, batch, elements;
  Value inputs, weights, bias, peepholes, lengths, numSteps, limit;
  int64_t guard = 0;
};

} // namespace

Value CellCode::activate(unsigned function, Value x) {
  StringRef name = cast<StringAttr>(op.getActivations()[function]).getValue();
  double alpha = op.getAlpha()[function], beta = op.getBeta()[function];
  Value zero = number(0), one = number(1);
  auto choose = [&](CompareDirection direction, Value limit, Value onTrue, Value onFalse) {
    return scalars.select(scalars.compare(direction, x, limit, false), onTrue, onFalse);
  };
  if (name == "relu")
    return scalars.max(x, zero, false);
  if (name == "tanh")
    return tanh(x);
  if (name == "sigmoid")
    return scalars.sigmoid(x);
  if (name == "affine")
    return scalars.add(scalars.mul(number(alpha), x), number(beta));
  if (name == "leakyrelu")
    return choose(CompareDirection::GE, zero, x, scalars.mul(number(alpha), x));
  if (name == "thresholdedrelu")
    return choose(CompareDirection::GT, number(alpha), x, zero);
  if (name == "scaledtanh")
    return scalars.mul(number(alpha), tanh(scalars.mul(number(beta), x)));
  if (name == "hardsigmoid")
    return bound(scalars.add(scalars.mul(number(alpha), x), number(beta)), 0, 1);
  if (name == "elu")
    return choose(CompareDirection::GE, zero, x, scalars.mul(number(alpha), scalars.sub(exp(x), one)));
  Value magnitude = scalars.abs(x, false);
  if (name == "softsign")
    return scalars.div(x, scalars.add(one, magnitude), false);
  Value tail = math::LogOp::create(b, loc, scalars.add(exp(scalars.sub(zero, magnitude)), one));
  return scalars.add(scalars.max(x, zero, false), tail); // softplus
}

LayerBuilder::LayerBuilder(RecurrentOp op, FunctionReifier &reifier) : op(op), reifier(reifier) {
  type = getElementType(op.getInputs());
  computed = type.getIntOrFloatBitWidth() < 32 ? Type(reifier.builder.getF32Type()) : type;
  SmallVector<Expr> dims = reifier.getDims(op.getSequence());
  steps = dims[0];
  batch = dims[1];
  elements = dims[2];
  auto take = [&](Value operand) { return operand ? reifier.lookup(operand) : Value(); };
  inputs = take(op.getInputs());
  weights = take(op.getWeights());
  bias = take(op.getBias());
  peepholes = take(op.getPeepholes());
  lengths = take(op.getLengths());
  numSteps = reifier.getIndex(steps);
  if (lengths) {
    limit = reifier.getIndex(steps + 1);
    guard = reifier.addIndexGuard(op.getLoc(), op.getLengths(), "length");
  }
}

Values LayerBuilder::initialize() {
  Location loc = op.getLoc();
  TypedAttr zero = reifier.builder.getFloatAttr(type, 0);
  auto copy = [&](Value original) {
    return reifier.createPointwise(loc, {batch, elements}, type,
                                   reifier.getBroadcastAccess(original, {batch, elements}),
                                   [](OpBuilder &, Location, ValueRange values) { return values.front(); });
  };
  auto zeros = [&] { return reifier.createFilled(loc, {batch, elements}, zero); };
  Values carried{reifier.createFilled(loc, {steps, batch, elements}, zero), zeros(), copy(op.getHidden()),
                 reifier.createEmpty(loc, {batch, elements}, type)};
  if (op.getKind() == RecurrentKind::LSTM)
    carried.append({zeros(), copy(op.getCell())});
  else if (op.getKind() == RecurrentKind::GRU)
    carried.append(
        {reifier.createEmpty(loc, {batch, elements}, type), reifier.createEmpty(loc, {batch, elements}, type)});
  carried.push_back(reifier.createEmpty(loc, {batch, reifier.getDims(op.getWeights())[0]}, computed));
  return carried;
}

Values LayerBuilder::forElements(OpBuilder &b, Location loc, Values carried,
                                 llvm::function_ref<Values(OpBuilder &, Location, Value, Values)> body) {
  return reifier.createLoops(b, loc, elements, carried,
                             [&](OpBuilder &b, Location loc, ValueRange places, ValueRange values) {
                               return body(b, loc, places.front(), llvm::to_vector(values));
                             });
}

Value LayerBuilder::rowOf(OpBuilder &b, Location loc, int64_t gate, Value element) {
  Value count = reifier.getIndex(elements * gate);
  return gate == 0 ? element : arith::AddIOp::create(b, loc, count, element).getResult();
}

Values LayerBuilder::multiply(OpBuilder &b, Location loc, Rows rows, Place state, ArrayRef<int64_t> gates,
                              Values carried) {
  constexpr auto isSum = arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
  size_t gatesTogether = std::max<size_t>(kSumsTogether / rows.size(), 1);
  auto sumUp = [&](OpBuilder &b, Location loc, Value element, Value states, ArrayRef<int64_t> gates) {
    CellCode outer(b, loc, op, type, computed);
    Values sums;
    for (int64_t gate : gates)
      sums.append(rows.size(), bias ? outer.read(bias, rowOf(b, loc, gate, element)) : outer.number(0));
    auto body = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange sums) {
      CellCode code(b, loc, op, type, computed);
      Values factors, next;
      for (const Row &row : rows)
        factors.push_back(code.read(states, {row.sequence, places.front()}));
      for (auto [number, gate] : llvm::enumerate(gates)) {
        Value weight = code.read(weights, {rowOf(b, loc, gate, element), places.front()});
        // In any order, so that vectors can hold parts of the sum.
        for (auto [factor, sum] : llvm::zip_equal(factors, sums.slice(number * rows.size(), rows.size())))
          next.push_back(
              arith::AddFOp::create(b, loc, sum, arith::MulFOp::create(b, loc, weight, factor, isSum), isSum));
      }
      return next;
    };
    return reifier.createLoops(b, loc, elements, sums, body);
  };
  return forElements(b, loc, carried, [&](OpBuilder &b, Location loc, Value element, Values values) {
    for (ArrayRef<int64_t> rest = gates; !rest.empty();) {
      ArrayRef<int64_t> some = rest.take_front(gatesTogether);
      rest = rest.drop_front(some.size());
      for (auto [number, sum] : llvm::enumerate(sumUp(b, loc, element, values[state], some))) {
        Value row = rowOf(b, loc, some[number / rows.size()], element);
        values.back() =
            tensor::InsertOp::create(b, loc, sum, values.back(), ValueRange{rows[number % rows.size()].sequence, row});
      }
    }
    return values;
  });
}

Value LayerBuilder::sum(CellCode &code, const Row &row, Value element, int64_t gate, const Values &carried) {
  return tensor::ExtractOp::create(code.b, code.loc, carried.back(),
                                   ValueRange{row.sequence, rowOf(code.b, code.loc, gate, element)});
}

Value LayerBuilder::input(CellCode &code, const Row &row, Value element, int64_t gate) {
  return code.read(inputs, {row.place, row.sequence, rowOf(code.b, code.loc, gate, element)});
}

Values LayerBuilder::stepRNN(CellCode &code, const Row &row, Value element, Values carried) {
  Value value = code.gate(0, code.scalars.add(input(code, row, element, 0), sum(code, row, element, 0, carried)));
  carried[Next] = put(code, carried[Next], value, {row.sequence, element});
  return carried;
}

/// The update and reset gates of a GRU; the hidden state that is kept, or the reset gate itself.
Values LayerBuilder::stepGates(CellCode &code, const Row &row, Value element, Values carried) {
  Value update = code.gate(0, code.scalars.add(input(code, row, element, 0), sum(code, row, element, 0, carried)));
  Value reset = code.gate(0, code.scalars.add(input(code, row, element, 1), sum(code, row, element, 1, carried)));
  if (!op.getLinearBeforeReset())
    reset = code.scalars.mul(reset, code.read(carried[Hidden], {row.sequence, element}));
  carried[Update] = put(code, carried[Update], update, {row.sequence, element});
  carried[Kept] = put(code, carried[Kept], reset, {row.sequence, element});
  return carried;
}

Values LayerBuilder::stepCandidate(CellCode &code, const Row &row, Value element, Values carried) {
  Value product = sum(code, row, element, 2, carried);
  if (op.getLinearBeforeReset())
    product = code.scalars.mul(code.read(carried[Kept], {row.sequence, element}), product);
  Value candidate = code.gate(1, code.scalars.add(input(code, row, element, 2), product));
  Value update = code.read(carried[Update], {row.sequence, element});
  Value old = code.read(carried[Hidden], {row.sequence, element});
  Value value = code.scalars.add(code.scalars.mul(code.scalars.sub(code.number(1), update), candidate),
                                 code.scalars.mul(update, old));
  carried[Next] = put(code, carried[Next], value, {row.sequence, element});
  return carried;
}

Values LayerBuilder::stepLSTM(CellCode &code, const Row &row, Value element, Values carried) {
  Values sums;
  for (int64_t gate = 0; gate < 4; ++gate)
    sums.push_back(code.scalars.add(input(code, row, element, gate), sum(code, row, element, gate, carried)));
  Value before = code.read(carried[Cell], {row.sequence, element});
  auto look = [&](int64_t gate, Value state) {
    return peepholes
               ? code.scalars.add(sums[gate],
                                  code.scalars.mul(code.read(peepholes, rowOf(code.b, code.loc, gate, element)), state))
               : sums[gate];
  };
  Value in = code.gate(0, look(0, before));
  Value forget = op.getInputForget() ? code.scalars.sub(code.number(1), in) : code.gate(0, look(2, before));
  Value cell = code.scalars.add(code.scalars.mul(forget, before), code.scalars.mul(in, code.gate(1, sums[3])));
  Value out = code.gate(0, look(1, cell));
  carried[Next] = put(code, carried[Next], code.scalars.mul(out, code.activate(2, cell)), {row.sequence, element});
  // Nothing else reads this element of the state. It is kept where there is no step.
  Value kept = code.narrow(cell);
  if (row.isStep)
    kept = code.scalars.select(
        row.isStep, kept,
        tensor::ExtractOp::create(code.b, code.loc, carried[Cell], ValueRange{row.sequence, element}));
  carried[Cell] = tensor::InsertOp::create(code.b, code.loc, kept, carried[Cell], ValueRange{row.sequence, element});
  return carried;
}

Row LayerBuilder::getRow(OpBuilder &b, Location loc, Value sequence, Value position) {
  Row row{sequence, position, {}};
  Value count = numSteps;
  if (lengths) {
    Value length = tensor::ExtractOp::create(b, loc, lengths, sequence);
    count = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
    count = shape::BoundOp::create(b, loc, b.getIndexType(), count, limit, UnitAttr(), b.getI64IntegerAttr(guard));
    row.isStep = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, count);
  }
  if (op.getReverse()) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value last = arith::SubIOp::create(b, loc, count, one);
    row.place = arith::SubIOp::create(b, loc, last, position);
    if (row.isStep)
      row.place = arith::SelectOp::create(b, loc, row.isStep, row.place, position);
  }
  return row;
}

Values LayerBuilder::stepTogether(OpBuilder &b, Location loc, Value first, int64_t count, Value position,
                                  ValueRange carriedIn) {
  Values carried = llvm::to_vector(carriedIn);
  SmallVector<Row> rows;
  for (int64_t number = 0; number < count; ++number) {
    Value offset = number == 0 ? Value() : arith::ConstantIndexOp::create(b, loc, number).getResult();
    rows.push_back(getRow(b, loc, offset ? arith::AddIOp::create(b, loc, first, offset) : first, position));
  }
  using StepFn = Values (LayerBuilder::*)(CellCode &, const Row &, Value, Values);
  auto forAll = [&](Place state, ArrayRef<int64_t> gates, StepFn function) {
    carried = multiply(b, loc, rows, state, gates, carried);
    for (const Row &row : rows)
      carried = forElements(b, loc, carried, [&](OpBuilder &b, Location loc, Value element, Values values) {
        CellCode code(b, loc, op, type, computed);
        return (this->*function)(code, row, element, values);
      });
  };
  if (op.getKind() == RecurrentKind::RNN) {
    forAll(Hidden, {0}, &LayerBuilder::stepRNN);
  } else if (op.getKind() == RecurrentKind::GRU) {
    forAll(Hidden, {0, 1}, &LayerBuilder::stepGates);
    forAll(op.getLinearBeforeReset() ? Hidden : Kept, {2}, &LayerBuilder::stepCandidate);
  } else {
    forAll(Hidden, {0, 1, 2, 3}, &LayerBuilder::stepLSTM);
  }
  for (const auto &[sequence, place, isStep] : rows)
    carried = forElements(
        b, loc, carried,
        [&, sequence = sequence, place = place, isStep = isStep](OpBuilder &b, Location loc, Value element,
                                                                 Values values) {
          auto copy = [&](Value from, unsigned to) {
            Value kept = from;
            if (isStep)
              kept = arith::SelectOp::create(
                  b, loc, isStep, from, tensor::ExtractOp::create(b, loc, values[to], ValueRange{sequence, element}));
            values[to] = tensor::InsertOp::create(b, loc, kept, values[to], ValueRange{sequence, element});
          };
          Value fresh = tensor::ExtractOp::create(b, loc, values[Next], ValueRange{sequence, element});
          copy(fresh, Hidden);
          copy(fresh, Last);
          if (op.getKind() == RecurrentKind::LSTM)
            copy(tensor::ExtractOp::create(b, loc, values[Cell], ValueRange{sequence, element}), LastCell);
          Value written = fresh;
          if (isStep) {
            Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0));
            written = arith::SelectOp::create(b, loc, isStep, fresh, zero);
          }
          values[Sequence] =
              tensor::InsertOp::create(b, loc, written, values[Sequence], ValueRange{place, sequence, element});
          return values;
        });
  return carried;
}

Values LayerBuilder::step(OpBuilder &b, Location loc, Value position, ValueRange carried) {
  Expr together = batch.getContext().getConstant(kSequencesTogether), groups = floorDiv(batch, together);
  Values values = llvm::to_vector(carried);
  if (!groups.isConstant(0)) {
    auto stepGroup = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange values) {
      Value first = arith::MulIOp::create(b, loc, places.front(), reifier.getIndex(together));
      return stepTogether(b, loc, first, kSequencesTogether, position, values);
    };
    values = reifier.createLoops(b, loc, groups, values, stepGroup);
  }
  Expr rest = mod(batch, together);
  if (rest.isConstant(0))
    return values;
  auto stepRest = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange values) {
    Value sequence = arith::AddIOp::create(b, loc, reifier.getIndex(batch - rest), places.front());
    return stepTogether(b, loc, sequence, 1, position, values);
  };
  return reifier.createLoops(b, loc, rest, values, stepRest);
}

void LayerBuilder::build() {
  Values carried = initialize();
  auto body = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange values) {
    return step(b, loc, places.front(), values);
  };
  Values results = reifier.createLoops(reifier.builder, op.getLoc(), steps, carried, body);
  reifier.map(op.getSequence(), results[Sequence]);
  reifier.map(op.getLast(), results[Last]);
  if (op.getLastCell())
    reifier.map(op.getLastCell(), results[LastCell]);
}

static LogicalResult lowerRecurrent(RecurrentOp op, FunctionReifier &reifier) {
  if (failed(requireSupported(op, getElementType(op.getInputs()))))
    return failure();
  LayerBuilder(op, reifier).build();
  return success();
}

void dyn::addRecurrenceLowerings(LoweringTable &table) { table.add<RecurrentOp>(lowerRecurrent); }
