//===- What emits the entry points that run kernels ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_RUNEMITTER_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_RUNEMITTER_H

#include "ConstantData.h"
#include "EntryPoints.h"
#include "ExprEmitter.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Dialect/DynShape/IR/PlanOp.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn::host {

/// Emits functions of `symbols` that follow main: RunFunction.cpp its sizes and buffers, RunLaunches.cpp its launches.
class RunEmitter {
public:
  RunEmitter(Program &program, HostCode &code, mlir::SymbolTable &table)
      : program(program), code(code), table(table), emitter(code, /*checked=*/false), data(code, table) {
    emitter.loc = code.getLoc();
  }

  /// `@dyn.run`
  llvm::LogicalResult run();
  /// `@dyn.scratch`: sizes only, of which pointers are none.
  llvm::LogicalResult runScratch();
  /// `@dyn.arena`: no more than the arena's size follows from.
  llvm::LogicalResult runArena();

private:
  /// A buffer at run time: where it begins, and its dims (i64), static ones too.
  struct Buffer {
    mlir::Value pointer;
    llvm::SmallVector<mlir::Value> dims;
  };

  //===--- Sizes and buffers ---===//

  void loadPorts();
  void setPort(const Port &port, mlir::Value pointer);
  Number loadSymbol(llvm::StringRef name);
  llvm::LogicalResult emit(mlir::Operation &op);
  void emit(shape::SymOp op);
  void emit(shape::ApplyOp op);
  void emit(shape::HoldsOp op);
  void emit(shape::PlanOp op);
  void emit(mlir::memref::ViewOp op);
  void emit(shape::PartOp op);
  void emit(mlir::memref::CollapseShapeOp op);
  llvm::LogicalResult emit(shape::DataOp op);
  void emit(mlir::func::ReturnOp op);
  /// Integer code, which is taken over as it is.
  llvm::LogicalResult emitInteger(mlir::Operation &op);
  /// The values of an op's operands by the symbols that they are given for.
  llvm::StringMap<Number> getBindings(mlir::ArrayAttr names, mlir::ValueRange operands);
  mlir::Value getInteger(mlir::Value index) { return code.toInteger(values.lookup(index)); }
  /// Dims of the type, the dynamic ones from `sizes` in order.
  llvm::SmallVector<mlir::Value> getDims(mlir::MemRefType type, mlir::ValueRange sizes);

  //===--- Launches ---===//

  /// Makes room for as many launches as run beside each other.
  void prepareLaunches();
  llvm::LogicalResult emit(shape::LaunchOp op);
  llvm::LogicalResult emitVersions(shape::LaunchOp op);
  llvm::LogicalResult emitScratch(shape::LaunchOp op);
  /// What the launch passes to its kernel, in the form of functions on pointers.
  llvm::SmallVector<mlir::Value> getArguments(shape::LaunchOp op);
  /// Calls a member of the context, which comes first among the arguments.
  void callContext(int64_t member, mlir::ValueRange arguments);
  /// Waits for all launches so far.
  void finishLaunches();
  llvm::LogicalResult emitLaunch(shape::LaunchOp op, llvm::StringRef kernel, mlir::Value condition,
                                 mlir::ValueRange arguments);
  void emit(mlir::memref::CopyOp op);
  mlir::func::FuncOp getWorkFunction(mlir::func::FuncOp kernel);

  Program &program;
  HostCode &code;
  mlir::SymbolTable &table;
  ExprEmitter emitter;
  mlir::Value context, symbols, inputs, outputs, arena, launches, slots;
  /// Of the launches so far; null in the function that runs them.
  mlir::Value scratchBytes;
  int64_t slotsEach = 0;  ///< arguments that a launch has room for
  unsigned place = 0;     ///< where the launch that is emitted lies
  bool isRunning = false; ///< may a launch still run?
  llvm::StringMap<Number> symbolValues;
  llvm::DenseMap<mlir::Value, mlir::Value> values; ///< of main's integers, with their types
  llvm::DenseMap<mlir::Value, symbolic::Range> ranges;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  ConstantData data;
};

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_RUNEMITTER_H
