"""Pictures of models with dims on their edges, small enough to be read."""

import itertools
from collections import Counter
from dataclasses import dataclass

# Operands that say sizes, axes or places: of nodes that compute nothing else no picture is needed, as dims are drawn.
_SIZES = {
    "Reshape": {1}, "Expand": {1}, "ConstantOfShape": {0}, "Tile": {1}, "Slice": {1, 2, 3, 4}, "Pad": {1, 3},
    "Squeeze": {1}, "Unsqueeze": {1}, "Split": {1}, "Range": {0, 1, 2}, "TopK": {1}, "Resize": {1, 2, 3},
    "Upsample": {1}, "CenterCropPad": {1}, "SplitToSequence": {1},
}  # fmt: skip
SHORTEST_BLOCK = 4
"""Shorter ones are no easier to read once than many times."""
LONGEST_BLOCK = 1000


@dataclass
class Box:
    """What is drawn for a node, or for as many as stand at its place in copies of a block."""

    node: object
    numbers: list
    """Of the nodes; the first is the one that is drawn."""
    sizes: int = 0
    """So many nodes compute its sizes."""


@dataclass
class Block:
    """Boxes that stand for copies one behind the other; others may be in them."""

    boxes: list
    copies: int
    names: tuple[str, str] = ("", "")

    def __len__(self):
        return sum(len(part) if isinstance(part, Block) else 1 for part in self.boxes)


@dataclass
class Picture:
    """A graph, folded."""

    parts: list

    def places(self):
        """The number of the node that is drawn, by that of a node."""
        return {number: box.numbers[0] for box in self.boxes() for number in box.numbers}

    def boxes(self, parts=None):
        for part in self.parts if parts is None else parts:
            if isinstance(part, Block):
                yield from self.boxes(part.boxes)
            else:
                yield part


def find_size_nodes(nodes, kept_names):
    """Numbers of nodes whose results only say sizes, by the number of a node that takes them."""
    readers = {}
    for number, node in enumerate(nodes):
        for place, name in enumerate(node.input):
            readers.setdefault(name, []).append((number, place))
        for attribute in node.attribute:
            for inner in attribute.g.node:
                for name in inner.input:
                    readers.setdefault(name, []).append((number, -1))
    taken_by = {}
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        users = [reader for name in node.output for reader in readers.get(name, [])]
        if not users or any(name in kept_names for name in node.output) or any(a.HasField("g") for a in node.attribute):
            continue
        if all(user in taken_by or place in _SIZES.get(nodes[user].op_type, ()) for user, place in users):
            first = min(user for user, _ in users)
            taken_by[number] = taken_by.get(first, first)
    return taken_by


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


def fold(nodes, dims, kept_names):
    """The picture of a list of nodes in the order of their computation."""
    sizes = find_size_nodes(nodes, kept_names)
    counts = Counter(sizes.values())
    constants = {number for number, node in enumerate(nodes) if node.op_type == "Constant"}
    drawn = [number for number in range(len(nodes)) if number not in sizes and number not in constants]
    signatures = {}

    def sign(part):
        if isinstance(part, Block):
            signature = ("block", part.copies, tuple(map(sign, part.boxes)))
        else:
            signature = (part.node.op_type, part.node.domain, tuple(dims.get(name) for name in part.node.output))
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

    parts = [Box(nodes[number], [number], counts[number]) for number in drawn]
    while run := _find_run([sign(part) for part in parts]):
        start, period, copies = run
        block = parts[start : start + period]
        names = (first_name(block[0]), first_name(parts[start + (copies - 1) * period]))
        for copy in range(1, copies):
            merge(block, parts[start + copy * period : start + (copy + 1) * period])
        parts[start : start + period * copies] = [Block(block, copies, names)]
    return Picture(parts)


def _quote(text) -> str:
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def to_dot(graph, dims) -> str:
    """The Graphviz text. `dims` are texts by name of value."""
    nodes = list(graph.node)
    weights = {tensor.name for tensor in graph.initializer}
    inputs = [value.name for value in graph.input if value.name not in weights]
    outputs = [value.name for value in graph.output]
    picture = fold(nodes, dims, set(outputs))
    places = picture.places()
    producer = {name: number for number, node in enumerate(nodes) for name in node.output if name}
    lines = ["digraph model {", '  node [shape=box, style="rounded", fontname="sans-serif", fontsize=11];',
             '  edge [fontname="sans-serif", fontsize=9];', "  rankdir=TB;"]  # fmt: skip

    def write_box(box, indent):
        label = box.node.op_type + (f"\\n({box.sizes} nodes for sizes)" if box.sizes > 1 else "")
        tooltip = box.node.name or box.node.output[0]
        lines.append(f'{indent}n{box.numbers[0]} [label="{label}", tooltip={_quote(tooltip)}];')

    clusters = itertools.count()

    def write_parts(parts, indent):
        for part in parts:
            if not isinstance(part, Block):
                write_box(part, indent)
                continue
            first, last = part.names
            label = f"{part.copies} times: {first} ... {last}"
            lines.append(f"{indent}subgraph cluster_{next(clusters)} {{ label={_quote(label)}; style=dashed;")
            write_parts(part.boxes, indent + "  ")
            lines.append(indent + "}")

    for place, name in enumerate(inputs):
        lines.append(f"  in{place} [label={_quote(name)}, shape=ellipse];")
    write_parts(picture.parts, "  ")
    for place, name in enumerate(outputs):
        lines.append(f"  out{place} [label={_quote(name)}, shape=ellipse];")
    edges = {}

    def connect(name, target, number):
        if name in inputs:
            source = f"in{inputs.index(name)}"
        elif producer.get(name) in places:
            source = f"n{places[producer[name]]}"
        else:
            return
        # An edge into the next copy of a block goes back.
        back = source.startswith("n") and target.startswith("n") and int(source[1:]) >= int(target[1:])
        edges.setdefault((source, target, dims.get(name, "")), back and number is not None)

    for number, node in enumerate(nodes):
        if number not in places:
            continue
        captured = [name for attribute in node.attribute for inner in attribute.g.node for name in inner.input]
        for name in [*node.input, *captured]:
            if name:
                connect(name, f"n{places[number]}", number)
    for place, name in enumerate(outputs):
        connect(name, f"out{place}", None)
    for (source, target, label), back in edges.items():
        style = ", style=dotted, constraint=false" if back else ""
        lines.append(f"  {source} -> {target} [label={_quote(label)}{style}];")
    return "\n".join([*lines, "}", ""])
