//===- Choosing a plan for the arena ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <cstddef>

using namespace mlir;
using namespace dyn;
using namespace dyn::host;
using symbolic::Expr;

static constexpr int64_t kBytesPerLine = 64;

ChosenPlan dyn::host::emitPlanChoice(shape::PlanOp op, Program &program, HostCode &code, ExprEmitter::Symbols symbols) {
  // Where an expression of a predicate overflows, it counts as false; so does a plan whose size does.
  ExprEmitter emitter(code, /*checked=*/true);
  emitter.loc = code.getLoc();
  auto isNot = [&](Value condition) { return arith::XOrIOp::create(code, condition, code.integer(1, 1)).getResult(); };
  ChosenPlan chosen;
  SmallVector<Expr> sizes = op.getSizes().getExprs(program.context);
  for (auto [index, attribute] : llvm::enumerate(op.getPredicates().getAsRange<PredAttr>())) {
    Number lines = emitter.emit(sizes[index], symbols);
    Value number = code.integer(index);
    if (index == 0) {
      chosen = {number, {lines.value, {std::nullopt, std::nullopt}, lines.invalid}};
      continue;
    }
    Value isBetter = arith::CmpIOp::create(code, arith::CmpIPredicate::slt, lines.value, chosen.lines.value);
    if (chosen.lines.invalid)
      isBetter = arith::OrIOp::create(code, isBetter, chosen.lines.invalid);
    isBetter = arith::AndIOp::create(code, isBetter, emitter.emit(attribute.getPredicate(program.context), symbols));
    if (lines.invalid)
      isBetter = arith::AndIOp::create(code, isBetter, isNot(lines.invalid));
    chosen.number = arith::SelectOp::create(code, isBetter, number, chosen.number);
    chosen.lines.value = arith::SelectOp::create(code, isBetter, lines.value, chosen.lines.value);
    if (chosen.lines.invalid)
      chosen.lines.invalid = arith::AndIOp::create(code, chosen.lines.invalid, isNot(isBetter));
  }
  return chosen;
}

Number dyn::host::emitPlanBytes(shape::PlanOp op, Program &program, HostCode &code, ExprEmitter::Symbols symbols) {
  ExprEmitter emitter(code, /*checked=*/true);
  emitter.loc = code.getLoc();
  return emitter.multiply(emitPlanChoice(op, program, code, symbols).lines, emitter.constant(kBytesPerLine));
}

SmallVector<Value> dyn::host::emitPlaces(shape::PlanOp op, Program &program, HostCode &code, ExprEmitter &emitter,
                                         ExprEmitter::Symbols symbols, Value context) {
  size_t count = op.getPlaces().size();
  Type pointer = code.getPointerType();
  Value own = LLVM::AllocaOp::create(code, pointer, code.getI64Type(), code.integer(int64_t(count)), /*alignment=*/8);
  Value packed = code.load(pointer, context, offsetof(DynRunContext, places));
  Value isPlanned = code.isNull(packed);
  code.emitIf(isPlanned, [&] {
    Value number = emitPlanChoice(op, program, code, symbols).number;
    for (auto [index, attribute] : llvm::enumerate(op.getOffsets().getAsRange<DimsAttr>())) {
      Value isChosen = arith::CmpIOp::create(code, arith::CmpIPredicate::eq, number, code.integer(int64_t(index)));
      code.emitIf(isChosen, [&, offsets = attribute.getExprs(program.context)] {
        llvm::DenseMap<Expr, Value> places;
        for (auto [position, offset] : llvm::enumerate(offsets)) {
          Value &place = places[offset];
          if (!place)
            place = emitter.multiply(emitter.emit(offset, symbols), emitter.constant(kBytesPerLine)).value;
          code.store(place, own, int64_t(position * sizeof(int64_t)));
        }
      });
    }
  });
  Value table = LLVM::SelectOp::create(code, isPlanned, own, packed);
  SmallVector<Value> places;
  for (size_t position = 0; position < count; ++position)
    places.push_back(code.load(code.getI64Type(), table, int64_t(position * sizeof(int64_t))));
  return places;
}

void dyn::host::describeArena(shape::ArenaOp op, Program &program) {
  Operation *bytes = op.getBytes().getDefiningOp();
  if (auto plan = dyn_cast_or_null<shape::PlanOp>(bytes)) {
    Expr size = plan.getSizes().getExprs(program.context).front() * kBytesPerLine;
    program.arena = size ? size.str() : "";
  } else if (auto apply = dyn_cast_or_null<shape::ApplyOp>(bytes)) {
    program.arena = apply.getExpr().getExpr(program.context).str();
  } else if (auto constant = dyn_cast_or_null<arith::ConstantIndexOp>(bytes)) {
    program.arena = std::to_string(constant.value());
  } else if (auto symbol = dyn_cast_or_null<shape::SymOp>(bytes)) {
    program.arena = symbolic::printSymbolName(symbol.getName());
  }
  auto live = op->getAttrOfType<ExprAttr>(shape::kLiveAttrName);
  program.live = live ? live.getText().str() : "";
}

/// `@dyn.buffers(symbols, lines)`: see `DynArtefact.buffers`.
LogicalResult dyn::host::emitBuffersFunction(Program &program, HostCode &code) {
  auto plans = program.function.front().getOps<shape::PlanOp>();
  auto found = llvm::find_if(plans, [](shape::PlanOp op) { return op.getPacks(); });
  if (found == plans.end())
    return success();
  shape::PlanOp op = *found;
  OpBuilder::InsertionGuard guard(code);
  Type pointer = code.getPointerType(), integer = code.getI64Type();
  auto function = code.createFunction(kBuffersFunctionName, {pointer, pointer}, integer);
  ExprEmitter emitter(code, /*checked=*/false);
  emitter.loc = code.getLoc();
  llvm::StringMap<Number> numbers;
  for (auto [name, operand] : llvm::zip_equal(op.getNames().getAsValueRange<StringAttr>(), op.getOperands())) {
    auto symbol = operand.getDefiningOp<shape::SymOp>();
    std::optional<unsigned> index = symbol ? program.getSymbolIndex(symbol.getName()) : std::nullopt;
    if (!index)
      return op.emitOpError("packs at run time by a value that is no symbol of the function: ") << operand;
    numbers[name].value = code.load(integer, function.getArgument(0), int64_t(*index * sizeof(int64_t)));
    numbers[name].range = program.symbols[*index].facts.range;
  }
  auto symbols = [&](llvm::StringRef name) { return numbers.lookup(name); };
  Value lines = emitPlanChoice(op, program, code, symbols).lines.value;
  Value bound = code.integer(0);
  for (Expr sum : op.getLive().getExprs(program.context))
    bound = arith::MaxSIOp::create(code, bound, emitter.emit(sum, symbols).value);
  // An eighth more is good enough, and where that is little, 32 KiB.
  constexpr int64_t fewLines = 1024;
  Value isMuch = arith::CmpIOp::create(code, arith::CmpIPredicate::sgt, bound, code.integer(fewLines));
  Value eighth = arith::ShRSIOp::create(code, bound, code.integer(3));
  Value slack = arith::SelectOp::create(code, isMuch, eighth, code.integer(fewLines / 2));
  Value isClose = arith::CmpIOp::create(code, arith::CmpIPredicate::sle, lines,
                                        arith::AddIOp::create(code, bound, slack).getResult());
  Value isFar = arith::XOrIOp::create(code, isClose, code.integer(1, 1));
  code.emitUnless(isFar, [&] { func::ReturnOp::create(code, code.integer(0)); });
  llvm::DenseMap<Expr, Value> values;
  for (auto [position, expr] : llvm::enumerate(op.getLines().getExprs(program.context))) {
    Value &value = values[expr];
    if (!value)
      value = emitter.emit(expr, symbols).value;
    code.store(value, function.getArgument(1), int64_t(position * sizeof(int64_t)));
  }
  func::ReturnOp::create(code, lines);
  program.lifetimes.assign(op.getLifetimes().begin(), op.getLifetimes().end());
  program.beside.assign(op.getBeside().begin(), op.getBeside().end());
  return success();
}
