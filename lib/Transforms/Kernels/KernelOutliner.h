//===- Groups of ops become kernels and launches ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_KERNELOUTLINER_H
#define DYN_LIB_TRANSFORMS_KERNELS_KERNELOUTLINER_H

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn {

enum class KernelKind { Pointwise, Row, Contraction, Attention, Concat, Sequential };

/// The text of `dyn.kernel`.
llvm::StringRef stringifyKernelKind(KernelKind kind);

/// Ops of one block, in its order, that become one kernel. Destinations (`tensor.empty`, `linalg.fill` of one that
/// initialises a reduction) do not belong to groups: each kernel makes its own.
struct KernelGroup {
  KernelKind kind;
  llvm::SmallVector<mlir::Operation *> ops;
  /// Of a row kernel.
  int64_t rows = 0;
};

/// Makes kernels, sharing those of equal form.
class KernelOutliner {
public:
  explicit KernelOutliner(mlir::ModuleOp module) : module(module), symbols(module) {}

  /// Replaces a group by a launch at the place of its last op.
  mlir::LogicalResult outline(const KernelGroup &group);

  unsigned getNumKernels() const { return numKernels; }
  unsigned getNumLaunches() const { return numLaunches; }

private:
  /// The equal kernel that exists already, or `kernel` itself, now in the module.
  mlir::func::FuncOp share(mlir::func::FuncOp kernel, llvm::StringRef kind);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<mlir::func::FuncOp, 1>> kernels;
  llvm::StringMap<unsigned> numOfKind;
  unsigned numKernels = 0, numLaunches = 0;
};

/// The op's operand that its result is written to; null if it has none.
mlir::OpOperand *getDestination(mlir::OpResult result);
/// Is it a destination of reductions and the like, which kernels make for themselves?
bool isDestinationOnly(mlir::Operation *op);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_KERNELOUTLINER_H
