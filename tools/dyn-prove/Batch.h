//===- Many questions from a table --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_PROVE_BATCH_H
#define DYN_TOOLS_DYN_PROVE_BATCH_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace dyn::prove {

/// Reads a tab-separated table whose first line names the columns: `id`, and either `symbols`, `lhs`, `rhs` (are the
/// two equal?) or `facts`, `query` (do the facts imply it?). Prints `id<TAB>verdict` for each row.
llvm::Error runBatch(llvm::StringRef path, llvm::raw_ostream &os);

} // namespace dyn::prove

#endif // DYN_TOOLS_DYN_PROVE_BATCH_H
