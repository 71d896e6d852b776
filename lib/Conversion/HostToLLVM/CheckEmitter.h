//===- What emits the entry point that checks sizes --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_CHECKEMITTER_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_CHECKEMITTER_H

#include "EntryPoints.h"
#include "ExprEmitter.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Symbolic/LinearForms.h"

namespace dyn::host {

/// Emits `@dyn.check`: CheckSymbols.cpp what inputs say of symbols, CheckFunction.cpp what follows from these.
class CheckEmitter {
public:
  CheckEmitter(Program &program, HostCode &code) : program(program), code(code), emitter(code, /*checked=*/true) {
    emitter.loc = code.getLoc();
  }

  llvm::LogicalResult run();

private:
  struct InputDim {
    const Port *port;
    unsigned dim;
    symbolic::Expr expr;
    Number actual;
    bool known = false; ///< needs no test: it has been tested, or is where a symbol was read
  };

  Number getSymbol(llvm::StringRef name) {
    auto found = symbols.find(name);
    assert(found != symbols.end() && "symbols are resolved before they are used");
    return found->second;
  }
  Number emit(symbolic::Expr expr) {
    return emitter.emit(expr, [&](llvm::StringRef name) { return getSymbol(name); });
  }
  bool isResolved(symbolic::Expr expr) {
    return llvm::all_of(expr.getSymbols(),
                        [&](symbolic::Expr symbol) { return symbols.count(symbol.getSymbolName()); });
  }

  /// Ends with an error unless `condition` holds.
  void require(mlir::Value condition, Guard guard, llvm::ArrayRef<mlir::Value> values);
  /// The same of a predicate; where a size in it has no value, the error says so.
  void require(ExprEmitter::Truth truth, Guard guard, llvm::ArrayRef<mlir::Value> values);
  /// Ends with an error where `number` is invalid: a size in what the guard says.
  void requireValid(Number number, Guard guard, llvm::ArrayRef<mlir::Value> values);
  llvm::LogicalResult refuseUnresolved(const llvm::Twine &text);

  void loadInputDims();
  llvm::LogicalResult resolveSymbols();
  bool solveByNumber(const symbolic::SymbolDeclaration &symbol);
  void solveBySizes(llvm::ArrayRef<const symbolic::SymbolDeclaration *> open);
  /// Of the symbol in the dim, where all but the symbol is known.
  std::optional<symbolic::LinearForm> getKnownForm(const symbolic::SymbolDeclaration &symbol, const InputDim &dim);
  Number solve(const symbolic::LinearForm &form, const InputDim &dim);
  void defineSymbol(const symbolic::SymbolDeclaration &symbol, Number number, SymbolSource source);
  llvm::LogicalResult readElement(const symbolic::SymbolDeclaration &symbol);
  llvm::LogicalResult verifyDims(bool all);
  void storeSymbols();

  llvm::LogicalResult checkConstraints();
  llvm::LogicalResult emitMain();
  mlir::FailureOr<Number> getNumber(mlir::Value value);
  mlir::FailureOr<llvm::SmallVector<Number>> getNumbers(mlir::ValueRange values);
  mlir::FailureOr<llvm::StringMap<Number>> getBindings(mlir::ArrayAttr names, mlir::ValueRange operands);
  llvm::LogicalResult emitOutputDims();

  Program &program;
  HostCode &code;
  ExprEmitter emitter;
  mlir::Value inputDims, inputData, symbolStore, outputDims, arenaBytes, error;
  llvm::SmallVector<InputDim> dims;
  llvm::StringMap<Number> symbols;
  llvm::DenseMap<mlir::Value, Number> numbers; ///< of main's values
};

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_CHECKEMITTER_H
