//===- Contexts that calls use one after another -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Making a context, which registers hundreds of ops, takes longer than inferring
// the sizes of a small model. What a context has seen (names, types, attributes)
// stays in it, so that none is used for ever.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_EXTENSION_CONTEXTPOOL_H
#define DYN_PYTHON_EXTENSION_CONTEXTPOOL_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <mutex>
#include <vector>

namespace dyn::python {

/// Contexts without threads, each used by one call at a time. There are never more than were in use at once, and each
/// is given up once it has seen `maxBytes` of models, which leave about twice as much in it. Any thread may use the
/// pool.
class ContextPool {
  struct Context {
    std::unique_ptr<mlir::MLIRContext> context;
    size_t seenBytes;
  };

public:
  static constexpr size_t maxBytes = 4 << 20;

  /// `registerDialects` says what each of the contexts has.
  explicit ContextPool(void (*registerDialects)(mlir::DialectRegistry &)) { registerDialects(registry); }

  /// A context that nobody else has while this lives.
  class Lease {
  public:
    explicit Lease(std::shared_ptr<ContextPool> pool) : pool(std::move(pool)), lent(this->pool->take()) {}
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    ~Lease() { pool->giveBack(std::move(lent)); }

    mlir::MLIRContext &getContext() { return *lent.context; }
    /// To be told of each model that the context gets to see.
    void noteModel(size_t bytes) { lent.seenBytes += bytes; }

  private:
    std::shared_ptr<ContextPool> pool;
    Context lent;
  };

private:
  Context take();
  void giveBack(Context context);

  mlir::DialectRegistry registry;
  std::mutex mutex; ///< of `idle`
  std::vector<Context> idle;
};

} // namespace dyn::python

#endif // DYN_PYTHON_EXTENSION_CONTEXTPOOL_H
