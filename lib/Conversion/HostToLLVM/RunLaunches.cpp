//===- Launches of kernels ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RunEmitter.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <cstddef>

using namespace mlir;
using namespace dyn;
using namespace dyn::host;

static_assert(shape::kLaunchWindow == DYN_LAUNCH_WINDOW);

/// Launches that lie in memory: when the next one is written there, as many as run beside each other may not have
/// ended.
static constexpr unsigned kPlaces = DYN_LAUNCH_WINDOW + 1;

/// Values that a launch passes.
static int64_t countArguments(shape::LaunchOp launch) {
  int64_t count = launch.getSizes().size();
  for (ValueRange buffers : {launch.getInputs(), launch.getOutputs()})
    for (Value buffer : buffers)
      count += 1 + cast<ShapedType>(buffer.getType()).getNumDynamicDims();
  return count;
}

void RunEmitter::prepareLaunches() {
  for (auto launch : program.function.front().getOps<shape::LaunchOp>())
    slotsEach = std::max(slotsEach, countArguments(launch));
  auto allocate = [&](int64_t count) {
    return LLVM::AllocaOp::create(code, code.getPointerType(), code.getI64Type(), code.integer(count), /*alignment=*/8);
  };
  slots = allocate(kPlaces * std::max<int64_t>(slotsEach, 1));
  launches = allocate(kPlaces * int64_t(sizeof(DynLaunch) / sizeof(int64_t)));
}

void RunEmitter::callContext(int64_t member, ValueRange arguments) {
  Type pointer = code.getPointerType();
  SmallVector<Value> operands{code.load(pointer, context, member), context};
  llvm::append_range(operands, arguments);
  SmallVector<Type> types(operands.size() - 1, pointer);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(code.getContext()), types);
  LLVM::CallOp::create(code, type, operands);
}

void RunEmitter::finishLaunches() {
  if (std::exchange(isRunning, false))
    callContext(offsetof(DynRunContext, finish), {});
}

/// What the descriptor says of a launch.
static Launch describe(shape::LaunchOp op, func::FuncOp kernel) {
  auto getFormula = [&](StringRef name) {
    auto formula = op->getAttrOfType<ExprAttr>(name);
    return formula ? formula.getText().str() : std::string();
  };
  auto kind = kernel->getAttrOfType<StringAttr>(DynDialect::kKernelAttrName);
  return {kernel.getName().str(), kind ? kind.str() : "", getNodeNames(op.getLoc()),
          getFormula(DynDialect::kOperationsAttrName), getFormula(DynDialect::kBytesAttrName)};
}

/// The bits of DynLaunch.after.
static int64_t getAfterBits(shape::LaunchOp op) {
  std::optional<ArrayRef<int64_t>> after = op.getAfter();
  if (!after)
    return DYN_AFTER_ALL;
  int64_t bits = 0;
  for (int64_t distance : *after)
    bits |= int64_t(1) << (distance - 1);
  return bits;
}

LogicalResult RunEmitter::emit(shape::LaunchOp op) {
  if (!context)
    return emitScratch(op);
  int64_t launch = place * int64_t(sizeof(DynLaunch));
  // Without work, where no version has any, it is submitted all the same: others are after it.
  code.store(code.integer(0), launches, launch + offsetof(DynLaunch, count));
  code.store(code.integer(getAfterBits(op)), launches, launch + offsetof(DynLaunch, after));
  if (failed(emitVersions(op)))
    return failure();
  callContext(offsetof(DynRunContext, submit), code.addOffset(launches, launch));
  isRunning = true;
  place = (place + 1) % kPlaces;
  return success();
}

LogicalResult RunEmitter::emitScratch(shape::LaunchOp op) {
  SmallVector<Value> arguments = getArguments(op);
  SmallVector<llvm::StringRef> names{op.getKernel()};
  for (auto version : op.getVersions().getAsRange<FlatSymbolRefAttr>())
    names.push_back(version.getValue());
  for (llvm::StringRef name : names) {
    auto scratch = table.lookup<func::FuncOp>((name + ".scratch").str());
    if (!scratch || TypeRange(arguments) != TypeRange(scratch.getFunctionType().getInputs()))
      return op.emitOpError("has no function '") << name << ".scratch'; dyn-lower-kernels-to-cpu should have made it";
    Value bytes = code.toInteger(func::CallOp::create(code, scratch, arguments).getResult(0));
    scratchBytes = arith::MaxSIOp::create(code, scratchBytes, bytes);
  }
  return success();
}

SmallVector<Value> RunEmitter::getArguments(shape::LaunchOp op) {
  SmallVector<Value> arguments;
  auto addBuffers = [&](ValueRange operands) {
    for (Value operand : operands) {
      const Buffer &buffer = buffers[operand];
      arguments.push_back(buffer.pointer);
      for (auto [size, dim] : llvm::zip_equal(cast<MemRefType>(operand.getType()).getShape(), buffer.dims))
        if (ShapedType::isDynamic(size))
          arguments.push_back(code.toIndex(dim));
    }
  };
  addBuffers(op.getInputs());
  for (Value size : op.getSizes())
    arguments.push_back(values.lookup(size));
  addBuffers(op.getOutputs());
  return arguments;
}

LogicalResult RunEmitter::emitVersions(shape::LaunchOp op) {
  SmallVector<Value> arguments = getArguments(op);
  // The first version whose condition holds runs; without any, the kernel.
  Value isOpen;
  for (auto [version, operand] :
       llvm::zip_equal(op.getVersions().getAsRange<FlatSymbolRefAttr>(), op.getConditions())) {
    Value holds = values.lookup(operand);
    Value isChosen = isOpen ? arith::AndIOp::create(code, isOpen, holds).getResult() : holds;
    if (failed(emitLaunch(op, version.getValue(), isChosen, arguments)))
      return failure();
    Value fails = arith::XOrIOp::create(code, holds, code.integer(1, 1));
    isOpen = isOpen ? arith::AndIOp::create(code, isOpen, fails).getResult() : fails;
  }
  return emitLaunch(op, op.getKernel(), isOpen, arguments);
}

LogicalResult RunEmitter::emitLaunch(shape::LaunchOp op, llvm::StringRef name, Value condition, ValueRange arguments) {
  auto kernel = table.lookup<func::FuncOp>(name);
  auto count = table.lookup<func::FuncOp>((name + ".count").str());
  auto grain = table.lookup<func::FuncOp>((name + ".grain").str());
  if (!kernel || !count || !grain)
    return op.emitOpError("has no lowered kernel '") << name << "'; dyn-lower-kernels-to-cpu should have made it";
  if (TypeRange(arguments) != TypeRange(count.getFunctionType().getInputs()))
    return op.emitOpError("passes other arguments than kernel '") << name << "' takes";

  func::FuncOp work = getWorkFunction(kernel);
  int64_t number = program.addLaunch(describe(op, kernel));
  auto emitCall = [&] {
    Value items = code.toInteger(func::CallOp::create(code, count, arguments).getResult(0));
    Value isWork = arith::CmpIOp::create(code, arith::CmpIPredicate::sgt, items, code.integer(0));
    code.emitIf(isWork, [&] {
      Value least = code.toInteger(func::CallOp::create(code, grain, arguments).getResult(0));
      for (auto [index, argument] : llvm::enumerate(arguments)) {
        Value value = argument.getType().isIndex() ? code.toInteger(argument) : argument;
        code.store(value, slots, (place * slotsEach + int64_t(index)) * sizeof(int64_t));
      }
      Value symbol = func::ConstantOp::create(code, work.getFunctionType(), work.getName());
      Value address = UnrealizedConversionCastOp::create(code, code.getPointerType(), symbol).getResult(0);
      Value passed = code.addOffset(slots, place * slotsEach * int64_t(sizeof(int64_t)));
      int64_t launch = place * int64_t(sizeof(DynLaunch));
      code.store(address, launches, launch + offsetof(DynLaunch, work));
      code.store(passed, launches, launch + offsetof(DynLaunch, arguments));
      code.store(items, launches, launch + offsetof(DynLaunch, count));
      code.store(least, launches, launch + offsetof(DynLaunch, grain));
      code.store(code.integer(number), launches, launch + offsetof(DynLaunch, launch));
    });
  };
  if (condition)
    code.emitIf(condition, emitCall);
  else
    emitCall();
  return success();
}

/// `@k.work(context, arguments, begin, end)`: a DynWorkFunction.
func::FuncOp RunEmitter::getWorkFunction(func::FuncOp kernel) {
  std::string name = (kernel.getName() + ".work").str();
  if (auto existing = table.lookup<func::FuncOp>(name))
    return existing;
  OpBuilder::InsertionGuard guard(code);
  code.setInsertionPointAfter(kernel);
  Type pointer = code.getPointerType(), integer = code.getI64Type();
  auto function = code.createFunction(name, {pointer, pointer, integer, integer}, TypeRange());
  SmallVector<Value> arguments{function.getArgument(0), code.toIndex(function.getArgument(2)),
                               code.toIndex(function.getArgument(3))};
  for (auto [index, type] : llvm::enumerate(kernel.getFunctionType().getInputs().drop_front(3))) {
    Type stored = type.isIndex() ? code.getI64Type() : type;
    Value value = code.load(stored, function.getArgument(1), index * sizeof(int64_t));
    arguments.push_back(type.isIndex() ? code.toIndex(value) : value);
  }
  func::CallOp::create(code, kernel, arguments);
  func::ReturnOp::create(code);
  table.insert(function);
  return function;
}
