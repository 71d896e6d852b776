//===- The entry point that runs kernels ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "EntryPoints.h"
#include "ExprEmitter.h"
#include "Plans.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include <cstddef>

using namespace mlir;
using namespace dyn;
using namespace dyn::host;
using symbolic::Expr;

static_assert(shape::kMaxLaunchGroup == DYN_MAX_CONCURRENT_LAUNCHES);

namespace {

/// A buffer at run time: where it begins, and its dims (i64), static ones too.
struct Buffer {
  Value pointer;
  SmallVector<Value> dims;
};

class RunEmitter {
public:
  RunEmitter(Program &program, HostCode &code, SymbolTable &table)
      : program(program), code(code), table(table), emitter(code, /*checked=*/false), data(code, table) {
    emitter.loc = code.getLoc();
  }

  LogicalResult run() {
    Type pointer = code.getPointerType();
    OpBuilder::InsertionGuard guard(code);
    auto function = code.createFunction(kRunFunctionName, SmallVector<Type>(5, pointer), code.getIntegerType(32));
    context = function.getArgument(0), symbols = function.getArgument(1), inputs = function.getArgument(2);
    outputs = function.getArgument(3), arena = function.getArgument(4);
    parallelFor = code.load(pointer, context, offsetof(DynRunContext, parallelFor));
    SmallVector<shape::LaunchGroup> groups = shape::getLaunchGroups(program.function.front());
    for (shape::LaunchGroup &group : groups)
      for (auto [index, launch] : llvm::enumerate(group))
        places[launch] = {unsigned(index), unsigned(group.size())};
    // One place for the launches of all groups: nothing reads them after parallelFor has returned.
    auto allocate = [&](int64_t count) {
      return LLVM::AllocaOp::create(code, pointer, code.getI64Type(), code.integer(count), /*alignment=*/8);
    };
    slots = allocate(countSlots(groups));
    launches = allocate(DYN_MAX_CONCURRENT_LAUNCHES * int64_t(sizeof(DynLaunch) / sizeof(int64_t)));
    loadPorts();
    for (Operation &op : program.function.front())
      if (failed(emit(op)))
        return failure();
    return success();
  }

  /// The other function: sizes only, of which pointers are none.
  LogicalResult runScratch() {
    Type pointer = code.getPointerType();
    OpBuilder::InsertionGuard guard(code);
    auto function = code.createFunction(kScratchFunctionName, pointer, code.getI64Type());
    symbols = function.getArgument(0);
    arena = LLVM::ZeroOp::create(code, pointer);
    scratchBytes = code.integer(0);
    for (auto *ports : {&program.inputs, &program.outputs})
      for (const Port &port : *ports)
        setPort(port, arena);
    for (Operation &op : program.function.front())
      if (failed(emit(op)))
        return failure();
    return success();
  }

private:
  /// Values that a launch passes.
  static int64_t countArguments(shape::LaunchOp launch) {
    int64_t count = launch.getSizes().size();
    for (ValueRange buffers : {launch.getInputs(), launch.getOutputs()})
      for (Value buffer : buffers)
        count += 1 + cast<ShapedType>(buffer.getType()).getNumDynamicDims();
    return count;
  }

  /// Most values that the launches of a group pass.
  static int64_t countSlots(ArrayRef<shape::LaunchGroup> groups) {
    int64_t most = 1;
    for (const shape::LaunchGroup &group : groups) {
      int64_t count = 0;
      for (shape::LaunchOp launch : group)
        count += countArguments(launch);
      most = std::max(most, count);
    }
    return most;
  }

  void loadPorts() {
    for (auto [ports, pointers] : {std::pair(&program.inputs, inputs), std::pair(&program.outputs, outputs)})
      for (auto [index, port] : llvm::enumerate(*ports))
        setPort(port, code.load(code.getPointerType(), pointers, index * sizeof(void *)));
  }

  void setPort(const Port &port, Value pointer) {
    Buffer &buffer = buffers[port.argument];
    buffer.pointer = pointer;
    for (Expr dim : port.dims)
      buffer.dims.push_back(emitter.emit(dim, [&](llvm::StringRef name) { return loadSymbol(name); }).value);
  }

  /// `emitCheckFunction`, which comes first, has seen to it that the symbol exists.
  Number loadSymbol(llvm::StringRef name) {
    auto [entry, isNew] = symbolValues.try_emplace(name);
    if (isNew) {
      unsigned index = program.getSymbolIndex(name).value_or(0);
      entry->second.value = code.load(code.getI64Type(), symbols, index * sizeof(int64_t));
      entry->second.range = program.symbols[index].facts.range;
    }
    return entry->second;
  }

  LogicalResult emit(Operation &op);
  void emitApply(shape::ApplyOp op);
  void emitHolds(shape::HoldsOp op);
  /// The values of an op's operands by the symbols that they are given for.
  llvm::StringMap<Number> getBindings(ArrayAttr names, ValueRange operands);
  LogicalResult emitLaunch(shape::LaunchOp op);
  LogicalResult emitVersions(shape::LaunchOp op);
  LogicalResult emitScratch(shape::LaunchOp op);
  /// What the launch passes to its kernel, in the form of functions on pointers.
  SmallVector<Value> getArguments(shape::LaunchOp op);
  LogicalResult emitLaunch(shape::LaunchOp op, llvm::StringRef kernel, Value condition, ValueRange arguments);
  void emitCopy(memref::CopyOp op);
  func::FuncOp getWorkFunction(func::FuncOp kernel);

  Value getInteger(Value index) { return code.toInteger(values.lookup(index)); }

  /// Dims of the type, the dynamic ones from `sizes` in order.
  SmallVector<Value> getDims(MemRefType type, ValueRange sizes) {
    SmallVector<Value> dims;
    auto next = sizes.begin();
    for (int64_t dim : type.getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? getInteger(*next++) : code.integer(dim));
    return dims;
  }

  Program &program;
  HostCode &code;
  SymbolTable &table;
  ExprEmitter emitter;
  Value context, symbols, inputs, outputs, arena, parallelFor, launches, slots;
  /// Of the launches so far; null in the function that runs them.
  Value scratchBytes;
  /// A launch's number in its group, and how many that has.
  DenseMap<Operation *, std::pair<unsigned, unsigned>> places;
  int64_t firstSlot = 0; ///< of the launch that is emitted
  llvm::StringMap<Number> symbolValues;
  DenseMap<Value, Value> values; ///< of main's integers, with their types
  DenseMap<Value, symbolic::Range> ranges;
  DenseMap<Value, Buffer> buffers;
  ConstantData data;
};

} // namespace

LogicalResult RunEmitter::emit(Operation &op) {
  if (isa<shape::CheckOp>(op))
    return success();
  for (Value operand : op.getOperands())
    if (isa<ShapedType>(operand.getType()) && !buffers.contains(operand))
      return op.emitOpError("reads a value of type ")
             << operand.getType() << " that lies nowhere; dyn-bufferize and dyn-plan-memory should have seen to that";
  if (auto symbol = dyn_cast<shape::SymOp>(op)) {
    Number number = loadSymbol(symbol.getName());
    values[symbol.getResult()] = code.toIndex(number.value);
    ranges[symbol.getResult()] = number.range;
    return success();
  }
  if (auto apply = dyn_cast<shape::ApplyOp>(op)) {
    emitApply(apply);
    return success();
  }
  if (auto holds = dyn_cast<shape::HoldsOp>(op)) {
    emitHolds(holds);
    return success();
  }
  if (auto plan = dyn_cast<shape::PlanOp>(op); plan && scratchBytes) {
    for (Value place : plan.getResults())
      values[place] = code.toIndex(code.integer(0));
    return success();
  }
  if (auto plan = dyn_cast<shape::PlanOp>(op)) {
    llvm::StringMap<Number> byName = getBindings(plan.getNames(), plan.getOperands());
    SmallVector<Value> places =
        emitPlaces(plan, program, code, emitter, [&](llvm::StringRef name) { return byName.lookup(name); }, context);
    for (auto [result, place] : llvm::zip_equal(plan.getPlaces(), places))
      values[result] = code.toIndex(place);
    // Only the caller asks how much it is.
    values[plan.getBytes()] = code.toIndex(code.integer(0));
    return success();
  }
  if (auto arenaOp = dyn_cast<shape::ArenaOp>(op)) {
    buffers[arenaOp.getResult()] = {arena, {getInteger(arenaOp.getBytes())}};
    return success();
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    Value pointer = code.addOffset(buffers[view.getSource()].pointer, getInteger(view.getByteShift()));
    buffers[view.getResult()] = {pointer, getDims(view.getType(), view.getSizes())};
    return success();
  }
  if (auto part = dyn_cast<shape::PartOp>(op)) {
    auto type = cast<MemRefType>(part.getType());
    Value bytes = code.createOrFold<arith::MulIOp>(getInteger(part.getOffset()),
                                                   code.integer(getBytesOfElement(type.getElementType())));
    buffers[part.getResult()] = {code.addOffset(buffers[part.getSource()].pointer, bytes),
                                 getDims(type, part.getSizes())};
    return success();
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    Value pointer = buffers[expand.getSrc()].pointer;
    buffers[expand.getResult()] = {pointer, getDims(expand.getResultType(), expand.getOutputShape())};
    return success();
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    Buffer source = buffers[collapse.getSrc()];
    Buffer &result = buffers[collapse.getResult()];
    result.pointer = source.pointer;
    for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
      Value size = code.integer(1);
      for (int64_t dim : group)
        size = code.createOrFold<arith::MulIOp>(size, source.dims[dim]);
      result.dims.push_back(size);
    }
    return success();
  }
  if (auto datum = dyn_cast<shape::DataOp>(op)) {
    FailureOr<Value> pointer = scratchBytes ? FailureOr<Value>(arena) : data.getAddress(datum);
    if (failed(pointer))
      return failure();
    buffers[datum.getResult()] = {*pointer, getDims(cast<MemRefType>(datum.getType()), {})};
    return success();
  }
  if (auto launch = dyn_cast<shape::LaunchOp>(op))
    return scratchBytes ? emitScratch(launch) : emitLaunch(launch);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    if (!scratchBytes)
      emitCopy(copy);
    return success();
  }
  if (isa<func::ReturnOp>(op) && scratchBytes) {
    func::ReturnOp::create(code, scratchBytes);
    return success();
  }
  if (isa<func::ReturnOp>(op)) {
    Value state = code.load(code.getI32Type(), context, offsetof(DynRunContext, errorState));
    Value failed = arith::CmpIOp::create(code, arith::CmpIPredicate::ne, state, code.integer(0, 32));
    func::ReturnOp::create(code, arith::ExtUIOp::create(code, code.getI32Type(), failed).getResult());
    return success();
  }
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

void RunEmitter::emitApply(shape::ApplyOp op) {
  llvm::StringMap<Number> byName = getBindings(op.getNames(), op.getOperands());
  Number number =
      emitter.emit(op.getExpr().getExpr(program.context), [&](llvm::StringRef name) { return byName.lookup(name); });
  values[op.getResult()] = code.toIndex(number.value);
  ranges[op.getResult()] = number.range;
}

void RunEmitter::emitHolds(shape::HoldsOp op) {
  llvm::StringMap<Number> byName = getBindings(op.getNames(), op.getOperands());
  // Where an expression of it overflows, the predicate counts as false: the kernel that is right at every size runs.
  ExprEmitter checkedEmitter(code, /*checked=*/true);
  checkedEmitter.loc = code.getLoc();
  values[op.getResult()] = checkedEmitter.emit(op.getPredicate().getPredicate(program.context),
                                               [&](llvm::StringRef name) { return byName.lookup(name); });
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

/// Fills in the launch's place in its group; the last one of a group starts them all.
LogicalResult RunEmitter::emitLaunch(shape::LaunchOp op) {
  auto [number, size] = places.lookup(op);
  firstSlot = number == 0 ? 0 : firstSlot;
  code.store(code.integer(0), launches, number * sizeof(DynLaunch) + offsetof(DynLaunch, count));
  if (failed(emitVersions(op)))
    return failure();
  firstSlot += countArguments(op);
  if (number + 1 < size)
    return success();
  Type pointer = code.getPointerType();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(code.getContext()), {pointer, pointer, code.getI64Type()});
  LLVM::CallOp::create(code, type, ValueRange{parallelFor, context, launches, code.integer(size)});
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
        code.store(value, slots, (firstSlot + int64_t(index)) * sizeof(int64_t));
      }
      Value symbol = func::ConstantOp::create(code, work.getFunctionType(), work.getName());
      Value address = UnrealizedConversionCastOp::create(code, code.getPointerType(), symbol).getResult(0);
      int64_t place = places.lookup(op).first * sizeof(DynLaunch);
      code.store(address, launches, place + offsetof(DynLaunch, work));
      code.store(code.addOffset(slots, firstSlot * sizeof(int64_t)), launches, place + offsetof(DynLaunch, arguments));
      code.store(items, launches, place + offsetof(DynLaunch, count));
      code.store(least, launches, place + offsetof(DynLaunch, grain));
      code.store(code.integer(number), launches, place + offsetof(DynLaunch, launch));
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

void RunEmitter::emitCopy(memref::CopyOp op) {
  const Buffer &from = buffers[op.getSource()], &to = buffers[op.getTarget()];
  Value bytes = code.integer(getBytesOfElement(cast<MemRefType>(op.getSource().getType()).getElementType()));
  for (Value dim : from.dims)
    bytes = code.createOrFold<arith::MulIOp>(bytes, dim);
  LLVM::MemcpyOp::create(code, to.pointer, from.pointer, bytes, /*isVolatile=*/false);
}

LogicalResult dyn::host::emitRunFunction(Program &program, HostCode &code) {
  SymbolTable table(program.function->getParentOp());
  return RunEmitter(program, code, table).run();
}

LogicalResult dyn::host::emitScratchFunction(Program &program, HostCode &code) {
  SymbolTable table(program.function->getParentOp());
  return RunEmitter(program, code, table).runScratch();
}
