//===- What the entry points of one program share ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_PROGRAM_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_PROGRAM_H

#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace dyn::host {

/// A row of the descriptor's table of guards; `dyn/Runtime/ArtefactABI.h` says what the fields mean.
struct Guard {
  std::string kind, predicate, because, node;
  llvm::SmallVector<std::string> symbols;
  std::string input;
  int64_t dim = -1;
};

/// What gives a symbol its value: dim `dim` or element `element` of an input; the other one is -1.
struct SymbolSource {
  std::string input;
  int64_t dim = -1, element = -1;
};

/// A row of the descriptor's table of launches. Formulas are empty where there is none.
struct Launch {
  std::string kernel, kind;
  llvm::SmallVector<std::string> nodes;
  std::string operations, bytes;
};

/// An input or output of the program.
struct Port {
  std::string name;
  mlir::MemRefType type;
  mlir::Type elementType; ///< with its sign
  llvm::SmallVector<symbolic::Expr> dims;
  mlir::BlockArgument argument;
};

/// The function that becomes the entry points, read once.
class Program {
public:
  explicit Program(mlir::func::FuncOp function) : function(function) {}

  /// Fails, with a diagnostic, where an argument is no input or output as `dyn-plan-memory` leaves them.
  llvm::LogicalResult read();

  /// The position in `symbols`; nothing if there is no such symbol.
  std::optional<unsigned> getSymbolIndex(llvm::StringRef name) const;
  /// The inputs and output buffers by the argument that they are.
  const Port *getPort(mlir::Value argument) const;
  /// Says why no size of an input gives the value of a symbol.
  llvm::LogicalResult refuseUndetermined(llvm::StringRef name);
  int64_t addGuard(Guard guard);
  int64_t addLaunch(Launch launch);
  std::string getDescriptor() const;

  mlir::func::FuncOp function;
  symbolic::SymbolicContext context;
  llvm::SmallVector<symbolic::SymbolDeclaration> symbols;
  llvm::SmallVector<Port> inputs, outputs;
  llvm::StringMap<SymbolSource> sources; ///< of the symbols that inputs give
  std::vector<Guard> guards;
  std::vector<Launch> launches;
  std::string arena = "0";
  std::string live = "0";         ///< bytes that no arena can do with less of; empty if that is not known
  std::vector<int64_t> lifetimes; ///< first and last position of each buffer that the runtime may place
  std::vector<int64_t> beside;    ///< pairs of such buffers that are needed at the same time all the same
};

/// The names of all nodes that an op comes from, each once.
llvm::SmallVector<std::string> getNodeNames(mlir::Location loc);

/// Bytes that an element takes in memory; booleans take one.
int64_t getBytesOfElement(mlir::Type type);

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_PROGRAM_H
