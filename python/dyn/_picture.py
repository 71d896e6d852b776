"""Pictures of models with dims on their edges, small enough to be read."""

import itertools
import textwrap

from dyn._folding import Block, Graph, find_needed, fold

WIDEST_LINE = 40
"""Letters: what is wider makes pictures wide."""


def _quote(text) -> str:
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _break(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDEST_LINE, break_long_words=False, break_on_hyphens=False))


def _span(texts) -> str:
    """Texts of what is folded, in their order."""
    texts = list(dict.fromkeys(texts))
    return _break(texts[0] if len(texts) == 1 else f"{texts[0]} ... {texts[-1]}") if texts else ""


class _Writer:
    def __init__(self, graph: Graph):
        self.graph = graph
        self.picture, self.level = fold(graph)
        self.clusters = itertools.count()
        self.lines = ["digraph model {", '  node [shape=box, style="rounded", fontname="sans-serif", fontsize=11];',
                      '  edge [fontname="sans-serif", fontsize=9];', "  rankdir=TB;"]  # fmt: skip

    def write(self) -> str:
        for place, names in enumerate(self.picture.inputs):
            self.write_end(f"in{place}", names)
        self.write_parts(self.picture.parts, "  ")
        for place, names in enumerate(self.picture.outputs):
            self.write_end(f"out{place}", names)
        self.write_edges()
        return "\n".join([*self.lines, "}", ""])

    def write_end(self, place, names):
        label = names[0] if len(names) == 1 else f"{names[0]} ... {names[-1]}\n({len(names)})"
        self.lines.append(f"  {place} [label={_quote(label)}, shape=ellipse];")

    def dims(self, box) -> str:
        return _span(self.graph.dims.get(self.graph.nodes[number].output[0], "") for number in box.numbers)

    def describe(self, box) -> str:
        """What is in a box, a line each, with the dims of what passes from one line to the next."""
        lines, boxes = [], [box, *box.tail]
        for index, one in enumerate(boxes):
            beside = f"{one.beside} x " if one.beside > 1 else ""
            lines.append(beside + one.node.op_type + (f"\n({one.sizes} nodes for sizes)" if one.sizes > 1 else ""))
            if index + 1 < len(boxes) and self.dims(one) != self.dims(boxes[index + 1]):
                lines.append(self.dims(one))
        return "\n".join(lines)

    def write_parts(self, parts, indent):
        for part in parts:
            if isinstance(part, Block):
                label = f"{part.copies} times: {part.names[0]} ... {part.names[1]}"
                self.lines.append(
                    f"{indent}subgraph cluster_{next(self.clusters)} {{ label={_quote(_break(label))}; style=dashed;"
                )
                self.write_parts(part.boxes, indent + "  ")
                self.lines.append(indent + "}")
                continue
            tooltip = part.node.name or part.node.output[0]
            self.lines.append(
                f"{indent}n{part.numbers[0]} [label={_quote(self.describe(part))}, tooltip={_quote(tooltip)}];"
            )

    def write_edges(self):
        graph, places = self.graph, self.picture.places()
        sources = {name: f"in{place}" for place, names in enumerate(self.picture.inputs) for name in names}
        sources |= {name: f"n{places[number]}" for name, number in graph.producer.items()}
        lines = [[box, *box.tail] for box in self.picture.boxes()]
        inside = {(one.numbers[0], two.numbers[0]) for boxes in lines for one, two in itertools.pairwise(boxes)}
        drawn = {number: box.numbers[0] for boxes in lines for box in boxes for number in box.numbers}
        edges = {}

        def connect(name, target, is_back):
            key = (sources[name], target, graph.kind(name, self.level))
            labels, backs = edges.setdefault(key, ([], []))
            labels.append(graph.dims.get(name, ""))
            backs.append(is_back)

        for number in graph.drawn:
            for name in graph.reads[number]:
                source = graph.producer.get(name)
                if source is not None and (drawn[source], drawn[number]) in inside:
                    continue
                # An edge into the next copy of a block goes back.
                is_back = source is not None and drawn[source] >= drawn[number]
                connect(name, f"n{places[number]}", is_back)
        for place, names in enumerate(self.picture.outputs):
            for name in names:
                if name in sources:
                    connect(name, f"out{place}", False)
        for (source, target, _), (labels, backs) in edges.items():
            style = ", style=dotted, constraint=false" if all(backs) else ""
            self.lines.append(f"  {source} -> {target} [label={_quote(_span(labels))}{style}];")


def to_dot(model_graph, dims, data_symbols=()) -> str:
    """The Graphviz text. `dims` are texts by name of value, `data_symbols` names of sizes that data determine."""
    weights = {tensor.name for tensor in model_graph.initializer}
    weights |= {tensor.values.name for tensor in model_graph.sparse_initializer}
    inputs = [value.name for value in model_graph.input if value.name not in weights]
    outputs = [value.name for value in model_graph.output]
    nodes = find_needed(list(model_graph.node), outputs)
    return _Writer(Graph(nodes, dims, inputs, outputs, weights, data_symbols)).write()
