//===- Where the time of runs goes ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PROFILE_PROFILE_H
#define DYN_PROFILE_PROFILE_H

#include "dyn-c/Runtime.h"
#include "dyn/Profile/Roofline.h"
#include "dyn/Symbolic/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace dyn {

/// The value of an expression over the model's symbols at these values of theirs; nothing where there is none.
std::optional<int64_t> evaluateFor(const DynModel &model, const int64_t *symbols, symbolic::Expr expr);
/// The bytes that no working memory can do with less of; nothing if the model does not say.
std::optional<int64_t> getLiveBytes(const DynModel &model, const int64_t *symbols);

/// The fastest of several runs of a model at the same sizes: when its launches ran, and what each computes and moves.
class Profile {
public:
  /// `symbols` are the values of the model's symbols in the runs.
  Profile(const DynModel &model, const int64_t *symbols);

  /// Calls `run`, which runs the model and passes on the callback and its data. Gives the result of `run`.
  int addRun(llvm::function_ref<int(DynProfileCallback, void *)> run);

  /// All launches of one kernel in the run. Without a formula or a number where a launch has none.
  struct Kernel {
    std::string name, kind;
    std::vector<std::string> nodes;
    size_t launches = 0;
    double seconds = 0;
    std::string operationsFormula, bytesFormula;
    std::optional<int64_t> operations, bytes;
    double leastSeconds = 0; ///< by the roofline; 0 if nothing is known
  };
  /// Longest first. Kernels without work at these sizes are left out.
  std::vector<Kernel> getKernels(const Roofline &roofline) const;

  /// Of the whole run, sizes and what lies between launches included.
  double getSeconds() const;

  void printTable(llvm::raw_ostream &os, const Roofline &roofline) const;
  /// As a Chrome trace (which Perfetto reads too): a row for each thread, an event for each piece of
  /// work.
  void writeTrace(llvm::raw_ostream &os) const;

private:
  struct Launch {
    size_t number;
    int64_t begin, end;
    std::vector<DynProfilePiece> pieces;
  };
  struct Run {
    int64_t begin = 0, end = 0;
    std::vector<Launch> launches;
  };

  const DynModel &model;
  std::vector<int64_t> symbols;
  size_t numRuns = 0;
  Run fastest;
};

} // namespace dyn

#endif // DYN_PROFILE_PROFILE_H
