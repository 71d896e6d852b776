//===- The entry point that runs kernels, and what tells its memory -----------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "RunEmitter.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace mlir;
using namespace dyn;
using namespace dyn::host;
using symbolic::Expr;

LogicalResult RunEmitter::run() {
  Type pointer = code.getPointerType();
  OpBuilder::InsertionGuard guard(code);
  auto function = code.createFunction(kRunFunctionName, SmallVector<Type>(5, pointer), code.getIntegerType(32));
  context = function.getArgument(0), symbols = function.getArgument(1), inputs = function.getArgument(2);
  outputs = function.getArgument(3), arena = function.getArgument(4);
  prepareLaunches();
  loadPorts();
  for (Operation &op : program.function.front())
    if (failed(emit(op)))
      return failure();
  return success();
}

LogicalResult RunEmitter::runScratch() {
  Type pointer = code.getPointerType();
  OpBuilder::InsertionGuard guard(code);
  auto function = code.createFunction(kScratchFunctionName, pointer, code.getI64Type());
  symbols = function.getArgument(0);
  arena = code.nullPointer();
  scratchBytes = code.integer(0);
  for (auto *ports : {&program.inputs, &program.outputs})
    for (const Port &port : *ports)
      setPort(port, arena);
  for (Operation &op : program.function.front())
    if (failed(emit(op)))
      return failure();
  return success();
}

LogicalResult RunEmitter::runArena() {
  OpBuilder::InsertionGuard guard(code);
  auto function = code.createFunction(kArenaFunctionName, code.getPointerType(), code.getI64Type());
  symbols = function.getArgument(0);
  Value bytes;
  for (Operation &op : program.function.front().without_terminator()) {
    if (auto arenaOp = dyn_cast<shape::ArenaOp>(op)) {
      bytes = getInteger(arenaOp.getBytes());
      break;
    }
    auto isBuffer = [](Type type) { return isa<ShapedType>(type); };
    bool isSize = llvm::none_of(op.getOperandTypes(), isBuffer) && llvm::none_of(op.getResultTypes(), isBuffer);
    if (isSize && failed(emit(op)))
      return failure();
  }
  func::ReturnOp::create(code, bytes ? bytes : code.integer(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs, outputs and symbols
//===----------------------------------------------------------------------===//

void RunEmitter::loadPorts() {
  for (auto [ports, pointers] : {std::pair(&program.inputs, inputs), std::pair(&program.outputs, outputs)})
    for (auto [index, port] : llvm::enumerate(*ports))
      setPort(port, code.load(code.getPointerType(), pointers, index * sizeof(void *)));
}

void RunEmitter::setPort(const Port &port, Value pointer) {
  Buffer &buffer = buffers[port.argument];
  buffer.pointer = pointer;
  for (Expr dim : port.dims)
    buffer.dims.push_back(emitter.emit(dim, [&](llvm::StringRef name) { return loadSymbol(name); }).value);
}

/// `emitCheckFunction`, which comes first, has seen to it that the symbol exists.
Number RunEmitter::loadSymbol(llvm::StringRef name) {
  auto [entry, isNew] = symbolValues.try_emplace(name);
  if (isNew) {
    unsigned index = program.getSymbolIndex(name).value_or(0);
    entry->second.value = code.load(code.getI64Type(), symbols, index * sizeof(int64_t));
    entry->second.range = program.symbols[index].facts.range;
  }
  return entry->second;
}

SmallVector<Value> RunEmitter::getDims(MemRefType type, ValueRange sizes) {
  SmallVector<Value> dims;
  auto next = sizes.begin();
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? getInteger(*next++) : code.integer(dim));
  return dims;
}

//===----------------------------------------------------------------------===//
// The ops of main
//===----------------------------------------------------------------------===//

LogicalResult RunEmitter::emit(Operation &op) {
  for (Value operand : op.getOperands())
    if (isa<ShapedType>(operand.getType()) && !buffers.contains(operand))
      return op.emitOpError("reads a value of type ")
             << operand.getType() << " that lies nowhere; dyn-bufferize and dyn-plan-memory should have seen to that";
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<shape::DataOp, shape::LaunchOp>([&](auto typed) { return emit(typed); })
      .Case<shape::CheckOp>([](auto) { return success(); })
      .Case<shape::ArenaOp>([&](shape::ArenaOp typed) {
        buffers[typed.getResult()] = {arena, {getInteger(typed.getBytes())}};
        return success();
      })
      .Case<memref::ExpandShapeOp>([&](memref::ExpandShapeOp typed) {
        Value pointer = buffers[typed.getSrc()].pointer;
        buffers[typed.getResult()] = {pointer, getDims(typed.getResultType(), typed.getOutputShape())};
        return success();
      })
      .Case<shape::SymOp, shape::ApplyOp, shape::HoldsOp, shape::PlanOp, memref::ViewOp, shape::PartOp,
            memref::CollapseShapeOp, memref::CopyOp, func::ReturnOp>([&](auto typed) {
        emit(typed);
        return success();
      })
      .Default([&](Operation *) { return emitInteger(op); });
}

LogicalResult RunEmitter::emitInteger(Operation &op) {
  bool isInteger = op.getNumRegions() == 0 && isPure(&op) &&
                   llvm::all_of(op.getOperands(), [&](Value operand) { return values.count(operand); });
  if (!isInteger)
    return op.emitOpError("has no place in the host program; dyn-form-kernels, dyn-bufferize and dyn-plan-memory leave "
                          "only sizes, buffers and launches");
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, values.lookup(operand));
  Operation *clone = code.clone(op, mapping);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), clone->getResults()))
    values[result] = value;
  return success();
}

void RunEmitter::emit(shape::SymOp op) {
  Number number = loadSymbol(op.getName());
  values[op.getResult()] = code.toIndex(number.value);
  ranges[op.getResult()] = number.range;
}

llvm::StringMap<Number> RunEmitter::getBindings(ArrayAttr names, ValueRange operands) {
  llvm::StringMap<Number> byName;
  for (auto [name, operand] : llvm::zip_equal(names.getAsRange<StringAttr>(), operands)) {
    auto range = ranges.find(operand);
    byName[name.getValue()] = {getInteger(operand),
                               range == ranges.end() ? symbolic::Range{std::nullopt, std::nullopt} : range->second,
                               Value()};
  }
  return byName;
}

void RunEmitter::emit(shape::ApplyOp op) {
  llvm::StringMap<Number> byName = getBindings(op.getNames(), op.getOperands());
  Number number =
      emitter.emit(op.getExpr().getExpr(program.context), [&](llvm::StringRef name) { return byName.lookup(name); });
  values[op.getResult()] = code.toIndex(number.value);
  ranges[op.getResult()] = number.range;
}

void RunEmitter::emit(shape::HoldsOp op) {
  llvm::StringMap<Number> byName = getBindings(op.getNames(), op.getOperands());
  // Where an expression of it overflows, the predicate counts as false: the kernel that is right at every size runs.
  ExprEmitter checkedEmitter(code, /*checked=*/true);
  checkedEmitter.loc = code.getLoc();
  values[op.getResult()] = checkedEmitter.emit(op.getPredicate().getPredicate(program.context),
                                               [&](llvm::StringRef name) { return byName.lookup(name); });
}

void RunEmitter::emit(shape::PlanOp op) {
  llvm::StringMap<Number> byName = getBindings(op.getNames(), op.getOperands());
  auto lookup = [&](llvm::StringRef name) { return byName.lookup(name); };
  if (!context) {
    for (Value place : op.getPlaces())
      values[place] = code.toIndex(code.integer(0));
    values[op.getBytes()] = code.toIndex(emitPlanBytes(op, program, code, lookup).value);
    return;
  }
  SmallVector<Value> places = emitPlaces(op, program, code, emitter, lookup, context);
  for (auto [result, place] : llvm::zip_equal(op.getPlaces(), places))
    values[result] = code.toIndex(place);
  // Only the caller asks how much it is.
  values[op.getBytes()] = code.toIndex(code.integer(0));
}

void RunEmitter::emit(memref::ViewOp op) {
  Value pointer = code.addOffset(buffers[op.getSource()].pointer, getInteger(op.getByteShift()));
  buffers[op.getResult()] = {pointer, getDims(op.getType(), op.getSizes())};
}

void RunEmitter::emit(shape::PartOp op) {
  auto type = cast<MemRefType>(op.getType());
  Value bytes = code.createOrFold<arith::MulIOp>(getInteger(op.getOffset()),
                                                 code.integer(getBytesOfElement(type.getElementType())));
  buffers[op.getResult()] = {code.addOffset(buffers[op.getSource()].pointer, bytes), getDims(type, op.getSizes())};
}

void RunEmitter::emit(memref::CollapseShapeOp op) {
  Buffer source = buffers[op.getSrc()];
  Buffer &result = buffers[op.getResult()];
  result.pointer = source.pointer;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Value size = code.integer(1);
    for (int64_t dim : group)
      size = code.createOrFold<arith::MulIOp>(size, source.dims[dim]);
    result.dims.push_back(size);
  }
}

LogicalResult RunEmitter::emit(shape::DataOp op) {
  FailureOr<Value> pointer = context ? data.getAddress(op) : FailureOr<Value>(arena);
  if (failed(pointer))
    return failure();
  buffers[op.getResult()] = {*pointer, getDims(cast<MemRefType>(op.getType()), {})};
  return success();
}

void RunEmitter::emit(memref::CopyOp op) {
  if (!context)
    return;
  finishLaunches();
  const Buffer &from = buffers[op.getSource()], &to = buffers[op.getTarget()];
  Value bytes = code.integer(getBytesOfElement(cast<MemRefType>(op.getSource().getType()).getElementType()));
  for (Value dim : from.dims)
    bytes = code.createOrFold<arith::MulIOp>(bytes, dim);
  LLVM::MemcpyOp::create(code, to.pointer, from.pointer, bytes, /*isVolatile=*/false);
}

void RunEmitter::emit(func::ReturnOp) {
  if (!context) {
    func::ReturnOp::create(code, scratchBytes);
    return;
  }
  finishLaunches();
  Value state = code.load(code.getI32Type(), context, offsetof(DynRunContext, errorState));
  Value failed = arith::CmpIOp::create(code, arith::CmpIPredicate::ne, state, code.integer(0, 32));
  func::ReturnOp::create(code, arith::ExtUIOp::create(code, code.getI32Type(), failed).getResult());
}

LogicalResult dyn::host::emitRunFunction(Program &program, HostCode &code) {
  SymbolTable table(program.function->getParentOp());
  return RunEmitter(program, code, table).run();
}

LogicalResult dyn::host::emitScratchFunction(Program &program, HostCode &code) {
  SymbolTable table(program.function->getParentOp());
  return RunEmitter(program, code, table).runScratch();
}

LogicalResult dyn::host::emitArenaFunction(Program &program, HostCode &code) {
  SymbolTable table(program.function->getParentOp());
  return RunEmitter(program, code, table).runArena();
}
