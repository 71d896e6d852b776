//===- A walk along differences --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_WALK_H
#define DYN_LIB_SYMBOLIC_WALK_H

#include "Solver/Differences/DifferenceGraph.h"

namespace dyn::symbolic {

/// From one node to all that it is known to be below, or above.
class DifferenceGraph::Walk {
public:
  /// There is one walk in each direction at a time.
  Walk(DifferenceGraph &graph, unsigned start, Direction direction);

  /// Looks at what is next to one more node. False where nothing is left, or no effort.
  bool step();
  /// How far apart a node and the start are at least, if it was reached.
  std::optional<int64_t> getDistance(unsigned node) const {
    return reached[node].walk == number ? std::optional(reached[node].distance) : std::nullopt;
  }
  /// The nodes that were reached, some of them more than once. Those beyond a step back come after all others, unless
  /// the effort ends before.
  llvm::ArrayRef<unsigned> getNodes() const { return open; }
  /// Adds the facts on the way to a node to those that are used.
  void use(unsigned node);

private:
  DifferenceGraph &graph;
  const unsigned start;
  const Direction direction;
  std::vector<Reached> &reached;
  const unsigned number;
  llvm::SmallVector<unsigned, 32> open; ///< from `next` on they are to be looked at
  size_t next = 0;
  /// What is reached by a step back, such as from the sum of two sizes that are at most 1000 to one of them, rarely
  /// leads farther than other ways do.
  llvm::SmallVector<unsigned, 32> postponed;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_WALK_H
