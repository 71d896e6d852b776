//===- Contexts that calls use one after another ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ContextPool.h"

using namespace dyn::python;

ContextPool::Context ContextPool::take() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      Context context = std::move(idle.back());
      idle.pop_back();
      return context;
    }
  }
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return {std::move(context), 0};
}

void ContextPool::giveBack(Context context) {
  if (context.seenBytes >= maxBytes)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(context));
}
