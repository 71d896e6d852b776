"""Graphs as lists of boxes, in which what repeats is one box."""

import re
from collections import Counter
from dataclasses import dataclass, field

# Operands that say sizes, axes or places: of nodes that compute nothing else no picture is needed, as dims are drawn.
_SIZES = {
    "Reshape": {1}, "Expand": {1}, "ConstantOfShape": {0}, "Tile": {1}, "Slice": {1, 2, 3, 4}, "Pad": {1, 3},
    "Squeeze": {1}, "Unsqueeze": {1}, "Split": {1}, "Range": {0, 1, 2}, "TopK": {1}, "Resize": {1, 2, 3},
    "Upsample": {1}, "CenterCropPad": {1}, "SplitToSequence": {1},
}  # fmt: skip
SHORTEST_BLOCK = 4
"""Shorter ones are no easier to read once than many times."""
LONGEST_BLOCK = 1000
FEWEST_SIBLINGS = 3
"""Fewer are drawn beside each other: who looks at a sum wants to see both of its operands."""
MOST_BOXES = 150
"""Where there are more, boxes are folded that are less alike."""


@dataclass
class Box:
    """What is drawn for a node, or for as many as stand at its place in copies of a block or beside it."""

    node: object
    numbers: list
    """Of the nodes; the first is the one that is drawn."""
    sizes: int = 0
    """So many nodes compute its sizes."""
    beside: int = 1
    """So many do the same side by side."""
    tail: list = field(default_factory=list)
    """Boxes that are drawn in it: each reads the one before alone, which nothing else reads."""


@dataclass
class Block:
    """Boxes that stand for copies one behind the other; others may be in them."""

    boxes: list
    copies: int
    names: tuple[str, str] = ("", "")


@dataclass
class Picture:
    """A graph, folded."""

    parts: list
    inputs: list
    """Lists of names that are drawn as one."""
    outputs: list

    def places(self):
        """The number of the node that is drawn, by that of a node."""
        return {
            number: box.numbers[0]
            for box in self.boxes()
            for one in [box, *box.tail]
            for number in one.numbers
        }

    def boxes(self, parts=None):
        for part in self.parts if parts is None else parts:
            if isinstance(part, Block):
                yield from self.boxes(part.boxes)
            else:
                yield part

    def lists(self, parts=None):
        """All lists of boxes and blocks, the inner ones last."""
        parts = self.parts if parts is None else parts
        yield parts
        for part in parts:
            if isinstance(part, Block):
                yield from self.lists(part.boxes)

    def __len__(self):
        return sum(1 for _ in self.boxes()) + len(self.inputs) + len(self.outputs)


def captured_names(node):
    """What the graphs of a node read, those inside of them too."""
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            for inner in graph.node:
                yield from inner.input
                yield from captured_names(inner)


def has_graphs(node) -> bool:
    return any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute)


def find_needed(nodes, outputs):
    """The nodes that outputs of the graph, if it has any, are computed by."""
    needed, names = [], set(outputs)
    for node in reversed(nodes):
        if not outputs or any(name in names for name in node.output if name):
            needed.append(node)
            names.update(node.input, captured_names(node))
    return needed[::-1]


def find_size_nodes(nodes, kept_names):
    """Numbers of nodes whose results only say sizes, by the number of a node that takes them."""
    readers = {}
    for number, node in enumerate(nodes):
        for place, name in enumerate(node.input):
            readers.setdefault(name, []).append((number, place))
        for name in captured_names(node):
            readers.setdefault(name, []).append((number, -1))
    taken_by = {}
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        users = [reader for name in node.output for reader in readers.get(name, [])]
        if not users or any(name in kept_names for name in node.output) or has_graphs(node):
            continue
        if all(user in taken_by or place in _SIZES.get(nodes[user].op_type, ()) for user, place in users):
            first = min(user for user, _ in users)
            taken_by[number] = taken_by.get(first, first)
    return taken_by


def find_constants(nodes, weights, kept_names):
    """Numbers of nodes that compute with weights alone."""
    known, constants = set(weights), set()
    for number, node in enumerate(nodes):
        reads = [name for name in node.input if name]
        isolated = not has_graphs(node) and not any(name in kept_names for name in node.output)
        if node.op_type == "Constant" or reads and isolated and all(name in known for name in reads):
            constants.add(number)
            known.update(node.output)
    return constants


def _find_run(signatures):
    """(start, period, copies) of what repeats and folds away most; None if nothing does."""
    best, count = None, len(signatures)
    for period in range(SHORTEST_BLOCK, min(count // 2, LONGEST_BLOCK) + 1):
        length = 0
        for index in range(period, count + 1):
            if index < count and signatures[index] == signatures[index - period]:
                length += 1
                continue
            copies = length // period + 1
            saved = (copies - 1) * period
            if copies > 1 and (best is None or saved > best[0]):
                best = (saved, index - length - period, period, copies)
            length = 0
    return best[1:] if best else None


class Graph:
    """Nodes that are drawn, and what they read of each other."""

    def __init__(self, nodes, dims, inputs, outputs, weights, data_symbols):
        self.nodes, self.dims, self.inputs, self.outputs = nodes, dims, inputs, outputs
        kept = set(outputs)
        sizes = find_size_nodes(nodes, kept)
        self.sizes = Counter(sizes.values())
        constants = find_constants(nodes, weights, kept)
        self.drawn = [number for number in range(len(nodes)) if number not in sizes and number not in constants]
        self.producer = {name: number for number in self.drawn for name in nodes[number].output if name}
        known = set(inputs) | self.producer.keys()
        self.reads = {
            number: [name for name in [*nodes[number].input, *captured_names(nodes[number])] if name in known]
            for number in self.drawn
        }
        names = "|".join(map(re.escape, sorted(data_symbols, key=len, reverse=True)))
        self._data = re.compile(rf"(?<!\w)({names})(?!\w)") if names else None
        self._kinds = {}

    def kind(self, name, level):
        """What values have in common that may be folded: at first dims, but for the names of what data determine, then
        the rank, then nothing."""
        text = self.dims.get(name)
        if level > 1 or text is None:
            return "" if level > 1 else None
        if level:
            return text.count(",")
        if self._data is None:
            return text
        if text not in self._kinds:
            self._kinds[text] = self._data.sub("?", text)
        return self._kinds[text]

    def signature(self, number, level):
        node = self.nodes[number]
        return node.op_type, node.domain, tuple(self.kind(name, level) for name in node.output)


def _find_siblings(graph: Graph, level):
    """Lists of numbers of nodes that do the same to the same, for the same: what leads to them and away from them is
    equal, whatever the order."""
    numbers = {}

    def color(*key):
        return numbers.setdefault(key, len(numbers))

    above = {name: color("input", graph.kind(name, level)) for name in graph.inputs}
    signatures = {number: color(graph.signature(number, level)) for number in graph.drawn}
    before, after = {}, {}
    for number in graph.drawn:
        sources = frozenset(above.get(name) for name in graph.reads[number])
        before[number] = color(signatures[number], sources)
        above.update((name, color(before[number], place)) for place, name in enumerate(graph.nodes[number].output))
    below = {name: {("output",)} for name in graph.outputs}
    for number in reversed(graph.drawn):
        targets = frozenset(target for name in graph.nodes[number].output for target in below.get(name, ()))
        after[number] = color(signatures[number], targets)
        for name in graph.reads[number]:
            below.setdefault(name, set()).add(after[number])
    groups = {}
    for number in graph.drawn:
        groups.setdefault((before[number], after[number]), []).append(number)
    for group in groups.values():
        if len(group) >= FEWEST_SIBLINGS:
            yield group
        else:
            yield from ([number] for number in group)


def _fold_blocks(graph: Graph, parts, level):
    """Folds what repeats one behind the other, in place."""
    signatures = {}

    def sign(part):
        if isinstance(part, Block):
            signature = ("block", part.copies, tuple(map(sign, part.boxes)))
        else:
            signature = (part.beside, graph.signature(part.numbers[0], level))
        return signatures.setdefault(signature, len(signatures))

    def merge(first, other):
        """What stands at the same places in copies becomes one."""
        for one, two in zip(first, other):
            if isinstance(one, Block):
                merge(one.boxes, two.boxes)
                continue
            one.numbers += two.numbers
            one.sizes = max(one.sizes, two.sizes)

    def first_name(part):
        return first_name(part.boxes[0]) if isinstance(part, Block) else part.node.name or part.node.output[0]

    while run := _find_run([sign(part) for part in parts]):
        start, period, copies = run
        block = parts[start : start + period]
        names = (first_name(block[0]), first_name(parts[start + (copies - 1) * period]))
        for copy in range(1, copies):
            merge(block, parts[start + copy * period : start + (copy + 1) * period])
        parts[start : start + period * copies] = [Block(block, copies, names)]


def _fold_chains(graph: Graph, picture: Picture):
    """Puts boxes into the one before that reads them alone."""
    places = picture.places()
    sources, targets = {}, {}
    for number in graph.drawn:
        for name in graph.reads[number]:
            source = places[graph.producer[name]] if name in graph.producer else name
            sources.setdefault(places[number], set()).add(source)
            targets.setdefault(source, set()).add(places[number])
    for name in graph.outputs:
        if name in graph.producer:
            targets.setdefault(places[graph.producer[name]], set()).add(None)
    for parts in picture.lists():
        heads = {}
        for box in [part for part in parts if isinstance(part, Box)]:
            place = box.numbers[0]
            source = next(iter(sources.get(place, [None])))
            head = heads.get(source)
            if head is None or len(sources[place]) > 1 or targets[source] != {place}:
                heads[place] = box
                continue
            head.tail.append(box)
            heads[place] = head
            parts.remove(box)


def _fold_ends(graph: Graph, places, level):
    """Inputs and outputs that stand at the same place with dims of one kind."""
    targets, groups = {}, {}
    for number in graph.drawn:
        for name in graph.reads[number]:
            targets.setdefault(name, set()).add(places[number])
    for name in graph.inputs:
        key = (graph.kind(name, level), frozenset(targets.get(name, ())))
        groups.setdefault(("in", *key), []).append(name)
    for name in graph.outputs:
        source = places[graph.producer[name]] if name in graph.producer else name
        groups.setdefault(("out", graph.kind(name, level), source), []).append(name)
    ends = {"in": [], "out": []}
    for key, names in groups.items():
        ends[key[0]] += [names] if len(names) >= FEWEST_SIBLINGS else [[name] for name in names]
    return ends["in"], ends["out"]


def fold(graph: Graph) -> tuple[Picture, int]:
    """The picture of a graph in the order of its computation, and how alike what it folds is: see `Graph.kind`."""
    for level, chains in ((0, False), (0, True), (1, True), (2, True)):
        groups = sorted(_find_siblings(graph, level))
        parts = [
            Box(graph.nodes[group[0]], group, max(graph.sizes[number] for number in group), len(group))
            for group in groups
        ]
        _fold_blocks(graph, parts, level)
        picture = Picture(parts, [], [])
        picture.inputs, picture.outputs = _fold_ends(graph, picture.places(), level)
        if chains:
            _fold_chains(graph, picture)
        if len(picture) <= MOST_BOXES:
            break
    return picture, level
