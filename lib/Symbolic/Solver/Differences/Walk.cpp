//===- A walk along differences ---------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Differences/Walk.h"

using namespace dyn::symbolic;

DifferenceGraph::Walk::Walk(DifferenceGraph &graph, unsigned start, Direction direction)
    : graph(graph), start(start), direction(direction), reached(graph.reached[direction]),
      number(++graph.walks[direction]) {
  reached.resize(graph.nodes.size());
  reached[start] = {0, 0, number};
  open.push_back(start);
}

bool DifferenceGraph::Walk::step() {
  if (next == open.size()) {
    llvm::append_range(open, postponed);
    postponed.clear();
  }
  if (next == open.size())
    return false;
  unsigned node = open[next++];
  int64_t distance = reached[node].distance;
  const Node &here = graph.nodes[node];
  for (const Step &step : direction == Up ? here.up : here.down) {
    constexpr unsigned looksOfUnit = 4;
    if (graph.looks == 0)
      return false;
    if (--graph.looks % looksOfUnit == 0)
      graph.context.spend(1);
    std::optional<int64_t> difference = step.difference ? step.difference : graph.getDifference(step.edge);
    std::optional<int64_t> further = difference ? checkedAdd(distance, *difference) : std::nullopt;
    if (!further)
      continue;
    Reached &there = reached[step.node];
    if (there.walk == number && there.distance >= *further)
      continue;
    there = {*further, step.edge, number};
    (*difference < 0 ? postponed : open).push_back(step.node);
  }
  return true;
}

void DifferenceGraph::Walk::use(unsigned node) {
  if (!graph.used)
    return;
  // Facts that contradict each other may lead round in circles.
  for (size_t count = 0; node != start && count <= open.size(); ++count) {
    const Edge &edge = graph.edges[reached[node].edge];
    if (edge.fact != noFact)
      graph.used->push_back(edge.fact);
    if (MaybePoly slack = edge.given ? graph.getSlack(edge) : std::nullopt)
      graph.useBounds(*slack);
    node = direction == Up ? edge.lower : edge.upper;
  }
}
