"""Inputs of node tests at sizes that the tests do not have.

Sizes that are equal change together, since a node mostly needs them to be; one dim alone changes where that fails.
Operands whose values say sizes, such as the shape of a Reshape, follow; those that name axes, bounds or pads stay.
"""

import dataclasses

import numpy as np
import onnx

SIZES = {"K", "depth", "dft_length", "frame_length", "image_shape", "limit", "num_mel_bins", "output_shape", "repeats",
         "shape", "size", "sizes", "split"}
"""Formal parameters whose values are sizes; their length stays."""
KEPT = {"axes", "axis", "block_shape", "ends", "iou_threshold", "k", "max_output_boxes_per_class", "pads", "roi", "scales",
        "score_threshold", "starts", "steps"}
"""Formal parameters with one element, or one for each axis that they are about: they stay as they are."""
MOST_ELEMENTS = 8192


def _formal_parameters(model: onnx.ModelProto) -> dict[str, set[str]]:
    """The formal parameters that take an input of the graph, and its own name: an expanded function has only that."""
    versions = {opset.domain: opset.version for opset in model.opset_import}
    found = {value.name: {value.name} for value in model.graph.input}
    for node in model.graph.node:
        try:
            schema = onnx.defs.get_schema(node.op_type, versions.get(node.domain, 1), node.domain)
        except onnx.defs.SchemaError:
            continue
        for number, name in enumerate(node.input):
            if name in found and schema.inputs:
                formal = schema.inputs[min(number, len(schema.inputs) - 1)].name
                found[name].add("shape" if node.op_type == "ConstantOfShape" else formal)
    return found


def _has_fractions(array) -> bool:
    """Is it made of arbitrary numbers, rather than integers and halves that may be meant?"""
    if array.dtype.kind != "f":
        return False
    finite = array[np.isfinite(array)].astype(np.float64)
    return bool(np.any(2 * finite != np.rint(2 * finite)))


def resize(array, dims):
    """The array at other dims, repeated along each axis. Arbitrary numbers come back a bit smaller, so that none is
    there twice."""
    if array.shape == tuple(dims):
        return array
    if not array.size:
        return np.full(dims, "" if array.dtype == object else 0, array.dtype)
    places = np.ix_(*(np.arange(size) for size in dims))
    result = array[tuple(place % size for place, size in zip(places, array.shape))]
    if _has_fractions(array) and result.size:
        again = np.zeros(result.shape, bool)
        for place, size in zip(places, array.shape):
            again |= place >= size
        factors = np.random.default_rng(0).uniform(0.95, 1, result.shape)
        result = np.where(again, result * factors, result).astype(array.dtype)
    return result


@dataclasses.dataclass(frozen=True)
class Change:
    """Sizes become others, everywhere or in one dim of one input."""

    sizes: dict[int, int] = dataclasses.field(default_factory=dict)
    dims: dict[tuple[str, int], int] = dataclasses.field(default_factory=dict)

    def dims_of(self, name, shape):
        return [self.dims.get((name, place), self.sizes.get(size, size)) for place, size in enumerate(shape)]

    def values_of(self, values):
        flat = [self.sizes.get(value, value) for value in values.ravel().tolist()]
        return np.array(flat, values.dtype).reshape(values.shape)


class OtherInputs:
    """What the inputs of a node test become at other sizes."""

    def __init__(self, model: onnx.ModelProto, inputs: dict):
        formal = _formal_parameters(model)
        self._inputs = inputs
        self._of_sizes = {name for name, value in inputs.items() if formal[name] & SIZES and self._is_integers(value)}
        self._kept = {name for name, names in formal.items()
                      if names & KEPT and isinstance(inputs[name], np.ndarray) and inputs[name].ndim <= 1}
        self._shapes = {name: [array.shape for array in self._arrays(value)] for name, value in inputs.items()
                        if name not in self._of_sizes | self._kept}
        self._dims = {(name, place): size for name, shapes in self._shapes.items() for shape in shapes
                      for place, size in enumerate(shape)}
        found = {size for shapes in self._shapes.values() for shape in shapes for size in shape}
        found |= {int(size) for name in self._of_sizes for size in inputs[name].ravel() if size > 0}
        self._sizes = sorted(found)

    @staticmethod
    def _arrays(value):
        if isinstance(value, list):
            return value
        return [] if value is None else [np.asarray(value)]

    @staticmethod
    def _is_integers(value):
        return (isinstance(value, np.ndarray) and value.ndim <= 1 and value.dtype.kind in "iuf"
                and bool(np.all(value == np.rint(value))))

    def changes(self):
        """(what for, change): other sizes, as many at once as possible first; dims of 1; dims of 0. None twice."""
        seen = {self._result(Change())}
        for what, change in self._changes():
            if (result := self._result(change)) not in seen:
                seen.add(result)
                yield what, change

    def _changes(self):
        larger = [size for size in self._sizes if size > 1]
        others = [{size: size + 1 for size in larger}, {size: 2 * size for size in larger}]
        for size in larger:
            others += [{size: 2 * size}, {size: size + 1}, {size: max(size - 1, 2)}]
        others += [{size: size + 2} for size in self._sizes if size < 2]
        ones = [{size: 1 for size in larger}] + [{size: 1} for size in larger]
        nothing = [{size: 0} for size in self._sizes if size > 0]
        for what, changes in [("other sizes", others), ("one", ones), ("nothing", nothing)]:
            yield from ((what, Change(change)) for change in changes)
        for what, become in [("other sizes", lambda size: 2 * size if size > 1 else size + 2),
                             ("other sizes", lambda size: size + 1), ("one", lambda size: 1), ("nothing", lambda size: 0)]:
            for dim, size in self._dims.items():
                yield what, Change(dims={dim: become(size)})

    def _result(self, change: Change):
        """All sizes after a change."""
        dims = [tuple(change.dims_of(name, shape)) for name, shapes in self._shapes.items() for shape in shapes]
        values = [tuple(change.values_of(self._inputs[name]).ravel().tolist()) for name in sorted(self._of_sizes)]
        return tuple(dims), tuple(values)

    def make(self, change: Change):
        """The inputs after a change; then, where data hold integers, with zeros for those, as they may be indices that
        are no longer inside."""
        changed, integers = {}, set()
        for name, value in self._inputs.items():
            if name in self._of_sizes:
                changed[name] = change.values_of(value)
            elif isinstance(value, list):
                changed[name] = [resize(array, change.dims_of(name, array.shape)) for array in value]
            elif isinstance(value, np.ndarray) and name not in self._kept:
                changed[name] = resize(value, change.dims_of(name, value.shape))
                if value.dtype.kind in "iu" and changed[name].any():
                    integers.add(name)
            else:
                changed[name] = value
        if self._elements(changed) > max(MOST_ELEMENTS, 2 * self._elements(self._inputs)):
            return
        yield changed
        if integers:
            yield changed | {name: np.zeros_like(changed[name]) for name in integers}

    def _elements(self, inputs):
        return sum(array.size for value in inputs.values() for array in self._arrays(value))
