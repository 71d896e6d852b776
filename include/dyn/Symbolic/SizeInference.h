//===- All sizes from the few that people give -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A model says how its sizes hang together: dims are expressions over symbols, and
// guards relate the symbols. Who wants to run it gives some dims. All of that is
// learnt by one solver, so that sizes follow in every direction: from an output
// back to the inputs, and across a node from one operand to the other.
//
// Example: `x` has the dims [n, k], `w` has [k2, m], and `y`, [n + p, m], needs
// `k == k2`. Of n = 2, k = 3 and 7 rows of `y` it follows that k2 is 3 and p is 5;
// m is missing.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_SIZEINFERENCE_H
#define DYN_SYMBOLIC_SIZEINFERENCE_H

#include "dyn/Symbolic/Parser.h"

namespace dyn::symbolic {

/// What is known and what is wanted. All expressions and predicates are texts, since programs keep them as such.
struct SizeProblem {
  /// What holds at every size that the model runs at: `k == k2`, "matmul: contraction", the node.
  struct Fact {
    std::string predicate, because, node;
  };
  struct GivenSize {
    std::string dim, what; ///< `what` names the place in messages: "input 'x' dim 1", "'batch'"
    int64_t size;
    bool isName = false; ///< `dim` is the name of a symbol as it is, not an expression
  };
  struct WantedSize {
    std::string dim, where; ///< `where`: "dim 1 of input 'x'"
  };

  std::string declarations; ///< of symbols, as parseSymbolDeclarations reads them
  std::vector<Fact> facts;
  std::vector<GivenSize> given; ///< where two contradict each other, the later one is to blame
  std::vector<WantedSize> wanted;
};

struct InferredSizes {
  std::vector<std::optional<int64_t>> sizes; ///< of what is wanted; nothing where it does not follow
  /// Symbols that sizes lack, each with its place and what is known of it: "m (dim 1 of input 'w', 1 to 4)". One that
  /// follows from another is not among them.
  std::vector<std::string> missing;
  /// Why no such sizes exist, in lines: what was given, what it must be, and the facts that say so. Nothing else is
  /// filled in then. There may be none although nothing is found here: a run checks sizes in any case.
  std::string conflict;
};

/// Nothing, with `error` filled in, if a text can't be read.
std::optional<InferredSizes> inferSizes(const SizeProblem &problem, ParseError &error);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_SIZEINFERENCE_H
