//===- The diagnostics of one thread ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_THREADDIAGNOSTICS_H
#define DYN_DIALECT_DYN_IR_THREADDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

namespace dyn {

/// While it lives, nobody hears of the diagnostics of this thread but `take`, if there is one, and of those that it
/// fails for as of others. Other threads of the context, which may run a pass on another function, have a say as
/// before.
class ThreadDiagnostics : public mlir::ScopedDiagnosticHandler {
public:
  explicit ThreadDiagnostics(mlir::MLIRContext *context,
                             std::function<mlir::LogicalResult(mlir::Diagnostic &)> take = {})
      : ScopedDiagnosticHandler(context) {
    setHandler([take = std::move(take), thread = llvm::get_threadid()](mlir::Diagnostic &diagnostic) {
      if (llvm::get_threadid() != thread)
        return mlir::failure();
      return take ? take(diagnostic) : mlir::success();
    });
  }
};

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_THREADDIAGNOSTICS_H
