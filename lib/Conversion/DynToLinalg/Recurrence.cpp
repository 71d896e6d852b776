//===- Lowering of recurrent networks -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A nest of loops that runs in program order: sequences, steps, elements. Steps
// behind the end of a sequence change nothing.
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
  /// Where the tensors that loops carry stand; the last three are working memory.
  enum Place { Sequence, Last, Hidden, Next, LastCell, Cell, Update = LastCell, Kept = Cell };

  Values initialize();
  Values step(OpBuilder &b, Location loc, Value sequence, Value position, ValueRange carried);
  /// The sums of some gates over the hidden state, or what stands in its place.
  Values multiply(OpBuilder &b, Location loc, Value sequence, Value element, Value state, ArrayRef<int64_t> gates);
  Value rowOf(OpBuilder &b, Location loc, int64_t gate, Value element);
  Values stepRNN(CellCode &code, Value sequence, Value place, Value element, Values carried);
  Values stepGates(CellCode &code, Value sequence, Value place, Value element, Values carried);
  Values stepCandidate(CellCode &code, Value sequence, Value place, Value element, Values carried);
  Values stepLSTM(CellCode &code, Value sequence, Value place, Value element, Values carried);
  Value input(CellCode &code, Value sequence, Value place, Value element, int64_t gate);
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

Values LayerBuilder::multiply(OpBuilder &b, Location loc, Value sequence, Value element, Value state,
                              ArrayRef<int64_t> gates) {
  CellCode outer(b, loc, op, type, computed);
  Values sums;
  for (int64_t gate : gates)
    sums.push_back(bias ? outer.read(bias, rowOf(b, loc, gate, element)) : outer.number(0));
  auto body = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange sums) {
    CellCode code(b, loc, op, type, computed);
    Value factor = code.read(state, {sequence, places.front()});
    Values next;
    for (auto [gate, sum] : llvm::zip_equal(gates, sums)) {
      Value weight = code.read(weights, {rowOf(b, loc, gate, element), places.front()});
      // In any order, so that vectors can hold parts of the sum.
      next.push_back(
          arith::AddFOp::create(b, loc, sum, code.scalars.mul(weight, factor), arith::FastMathFlags::reassoc));
    }
    return next;
  };
  return reifier.createLoops(b, loc, elements, sums, body);
}

Value LayerBuilder::input(CellCode &code, Value sequence, Value place, Value element, int64_t gate) {
  return code.read(inputs, {place, sequence, rowOf(code.b, code.loc, gate, element)});
}

Values LayerBuilder::stepRNN(CellCode &code, Value sequence, Value place, Value element, Values carried) {
  Value sum = multiply(code.b, code.loc, sequence, element, carried[Hidden], {0}).front();
  Value value = code.gate(0, code.scalars.add(input(code, sequence, place, element, 0), sum));
  carried[Next] = put(code, carried[Next], value, {sequence, element});
  return carried;
}

/// The update and reset gates of a GRU; the hidden state that is kept, or the reset gate itself.
Values LayerBuilder::stepGates(CellCode &code, Value sequence, Value place, Value element, Values carried) {
  Values sums = multiply(code.b, code.loc, sequence, element, carried[Hidden], {0, 1});
  Value update = code.gate(0, code.scalars.add(input(code, sequence, place, element, 0), sums[0]));
  Value reset = code.gate(0, code.scalars.add(input(code, sequence, place, element, 1), sums[1]));
  if (!op.getLinearBeforeReset())
    reset = code.scalars.mul(reset, code.read(carried[Hidden], {sequence, element}));
  carried[Update] = put(code, carried[Update], update, {sequence, element});
  carried[Kept] = put(code, carried[Kept], reset, {sequence, element});
  return carried;
}

Values LayerBuilder::stepCandidate(CellCode &code, Value sequence, Value place, Value element, Values carried) {
  bool isLinear = op.getLinearBeforeReset();
  Value product =
      multiply(code.b, code.loc, sequence, element, isLinear ? carried[Hidden] : carried[Kept], {2}).front();
  if (isLinear)
    product = code.scalars.mul(code.read(carried[Kept], {sequence, element}), product);
  Value candidate = code.gate(1, code.scalars.add(input(code, sequence, place, element, 2), product));
  Value update = code.read(carried[Update], {sequence, element});
  Value old = code.read(carried[Hidden], {sequence, element});
  Value value = code.scalars.add(code.scalars.mul(code.scalars.sub(code.number(1), update), candidate),
                                 code.scalars.mul(update, old));
  carried[Next] = put(code, carried[Next], value, {sequence, element});
  return carried;
}

Values LayerBuilder::stepLSTM(CellCode &code, Value sequence, Value place, Value element, Values carried) {
  Values sums = multiply(code.b, code.loc, sequence, element, carried[Hidden], {0, 1, 2, 3});
  for (auto [gate, sum] : llvm::enumerate(sums))
    sum = code.scalars.add(input(code, sequence, place, element, static_cast<int64_t>(gate)), sum);
  Value before = code.read(carried[Cell], {sequence, element});
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
  carried[Next] = put(code, carried[Next], code.scalars.mul(out, code.activate(2, cell)), {sequence, element});
  // Nothing else reads this element of the state.
  carried[Cell] = put(code, carried[Cell], cell, {sequence, element});
  return carried;
}

Values LayerBuilder::step(OpBuilder &b, Location loc, Value sequence, Value position, ValueRange carriedIn) {
  Values carried = llvm::to_vector(carriedIn);
  Value count = numSteps, place = position, isStep;
  if (lengths) {
    Value length = tensor::ExtractOp::create(b, loc, lengths, sequence);
    count = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
    count = shape::BoundOp::create(b, loc, b.getIndexType(), count, limit, UnitAttr(), b.getI64IntegerAttr(guard));
    isStep = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, count);
  }
  if (op.getReverse()) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value last = arith::SubIOp::create(b, loc, count, one);
    place = arith::SubIOp::create(b, loc, last, position);
    if (isStep)
      place = arith::SelectOp::create(b, loc, isStep, place, position);
  }
  // A cell state is kept where there is no step.
  using StepFn = Values (LayerBuilder::*)(CellCode &, Value, Value, Value, Values);
  auto forAll = [&](StepFn function) {
    carried = forElements(b, loc, carried, [&](OpBuilder &b, Location loc, Value element, Values values) {
      CellCode code(b, loc, op, type, computed);
      Value old = isStep && op.getKind() == RecurrentKind::LSTM
                      ? tensor::ExtractOp::create(b, loc, values[Cell], ValueRange{sequence, element}).getResult()
                      : Value();
      values = (this->*function)(code, sequence, place, element, values);
      if (!old)
        return values;
      Value fresh = tensor::ExtractOp::create(b, loc, values[Cell], ValueRange{sequence, element});
      Value kept = arith::SelectOp::create(b, loc, isStep, fresh, old);
      values[Cell] = tensor::InsertOp::create(b, loc, kept, values[Cell], ValueRange{sequence, element});
      return values;
    });
  };
  if (op.getKind() == RecurrentKind::RNN) {
    forAll(&LayerBuilder::stepRNN);
  } else if (op.getKind() == RecurrentKind::GRU) {
    forAll(&LayerBuilder::stepGates);
    forAll(&LayerBuilder::stepCandidate);
  } else {
    forAll(&LayerBuilder::stepLSTM);
  }
  return forElements(b, loc, carried, [&](OpBuilder &b, Location loc, Value element, Values values) {
    auto copy = [&](Value from, unsigned to) {
      Value kept = from;
      if (isStep)
        kept = arith::SelectOp::create(b, loc, isStep, from,
                                       tensor::ExtractOp::create(b, loc, values[to], ValueRange{sequence, element}));
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
}

void LayerBuilder::build() {
  Values carried = initialize();
  auto body = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange values) {
    return step(b, loc, places[0], places[1], values);
  };
  Values results = reifier.createLoops(reifier.builder, op.getLoc(), {batch, steps}, carried, body);
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
