"""Dims of all inputs, from the sizes that people give."""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dyn import _dyn
from dyn._arrays import Tensor
from dyn._errors import ModelError, ShapeError

_LARGEST = 2**63 - 1

Shape = tuple[int, ...]
PartialShape = tuple[int | None, ...]
Fact = tuple[str, str, str]
"""A predicate, its reason, and the node that needs it."""


@dataclass(frozen=True)
class Model:
    """What a model says of its sizes."""

    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    symbols: Sequence[str]
    declarations: str
    """Of the symbols, as `#dyn.symbols` writes them."""
    guards: Sequence[Fact]
    aliases: Sequence[Fact]
    """What names of the dims of outputs stand for, "total == n + p", and those that have one size only, "batch == 1"."""
    listed: Sequence[Tensor] = ()
    """Inputs that are lists, with the dims of each tensor in them."""

    def listed_symbols(self) -> set[str]:
        """Those that no other input has."""
        return _symbols_of(self.listed) - set(self.symbols)

    def names_to_give(self) -> list[str]:
        """Of sizes. A symbol that no dim of an input has is one that data decide, as `u0` for the columns of a NonZero: it
        is given as a dim of an output, or by the name that the model has for that."""
        of_inputs = _symbols_of(self.inputs)
        return [*(name for name in self.symbols if name in of_inputs), *_aliases(self), *sorted(self.listed_symbols())]


@dataclass
class Given:
    """Sizes as people give them."""

    symbols: dict[str, int] = field(default_factory=dict)
    """By the name of a symbol or of an alias."""
    inputs: dict[str, PartialShape] = field(default_factory=dict)
    outputs: dict[str, PartialShape] = field(default_factory=dict)


def _size(value, what: str) -> int:
    try:
        # A truth value would be 0 or 1.
        size = operator.index(None if isinstance(value, bool) else value)
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {value!r}") from None
    if not 0 <= size <= _LARGEST:
        raise ShapeError(f"{what} is {size}, which is no size")
    return size


def _shape(kind: str, tensor: Tensor, value) -> PartialShape:
    if tensor.kind != "tensor":
        raise ModelError(f"{kind} '{tensor.name}' has no dims of its own: it is of the kind '{tensor.kind}'")
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise TypeError(f"the sizes of {kind} '{tensor.name}' must be a sequence of integers, not {value!r}")
    shape = tuple(
        None if size is None else _size(size, f"{kind} '{tensor.name}' dim {index}") for index, size in enumerate(value)
    )
    if tensor.dims is not None and len(shape) != len(tensor.dims):
        raise ShapeError(
            f"{kind} '{tensor.name}' has rank {len(shape)} (dims {list(shape)}), must be {len(tensor.dims)}: "
            f"[{', '.join(tensor.dims)}]"
        )
    return shape


def _symbols_of(tensors: Iterable[Tensor]) -> set[str]:
    """In their dims."""
    return {name for tensor in tensors for dim in tensor.dims or () if dim != "?" for name in _dyn.symbols_of(dim)}


def _sides(alias: str) -> tuple[str, str]:
    """The name, which may be quoted, and what it stands for."""
    end = alias.index('"', 1) + 1 if alias.startswith('"') else 0
    rest, _, size = alias[end:].partition(" == ")
    return alias[:end] + rest, size


def _aliases(model: Model) -> dict[str, Fact]:
    """By the name that stands for something."""
    return {_dyn.symbols_of(_sides(fact[0])[0])[0]: fact for fact in model.aliases}


def read(model: Model, sizes: Mapping) -> Given:
    """The sizes that were given, by what their names are in the model. ModelError for a name that is nothing there."""
    if not isinstance(sizes, Mapping):
        raise TypeError(f"sizes must be a mapping of symbols, inputs or outputs, not {type(sizes).__name__}")
    inputs = {tensor.name: tensor for tensor in model.inputs}
    outputs = {tensor.name: tensor for tensor in model.outputs}
    aliases, listed = _aliases(model), model.listed_symbols()
    given = Given()
    for name, value in sizes.items():
        is_symbol = name in model.symbols or name in aliases or name in listed
        # A name may be that of an input or an output and of a symbol.
        if is_symbol and (hasattr(value, "__index__") or not (name in inputs or name in outputs)):
            given.symbols[name] = _size(value, f"'{name}'")
            only = _sides(aliases[name][0])[1] if name in aliases else ""
            if only.isdecimal() and given.symbols[name] != int(only):
                raise ShapeError(f"'{name}' is {value}, but the model was compiled for {only}")
        elif name in inputs:
            given.inputs[name] = _shape("input", inputs[name], value)
        elif name in outputs:
            given.outputs[name] = _shape("output", outputs[name], value)
        else:
            raise ModelError(
                f"'{name}' is neither an input ({', '.join(inputs)}) nor an output ({', '.join(outputs)}) nor a symbol "
                f"({', '.join(model.names_to_give())}) of the model"
            )
    return given


def infer_shapes(model: Model, given: Given, are_planned: bool) -> list[PartialShape | None]:
    """The dims of all inputs; where the rank is not known, those that were given. ShapeError says why there are none, or
    all that is missing.

    Not all that is wrong is found: a run looks at the sizes in any case. `are_planned`: so does the caller, at once.
    """
    shapes = _take_over(model, given) if are_planned else None
    if shapes is not None:
        return shapes
    aliases = _aliases(model)
    named = [aliases[name] for name in given.symbols if name in aliases]
    listed = model.listed_symbols()
    symbols = [(name, f"'{name}'", size) for name, size in given.symbols.items() if name not in listed]
    dims = [*_dims("input", model.inputs, given.inputs, {}), *_dims("output", model.outputs, given.outputs, _nodes(model))]
    wanted = [
        (dim, f"dim {index} of input '{tensor.name}'")
        for tensor in model.inputs
        for index, dim in enumerate(tensor.dims or ())
    ]
    sizes, missing, conflict = _dyn.infer_sizes(model.declarations, [*model.guards, *named], symbols, dims, wanted)
    if conflict:
        raise ShapeError(conflict)
    if missing:
        raise ShapeError(f"missing: {', '.join(missing)}")
    for (dim, where), size in zip(wanted, sizes):
        if size is None or size < 0:
            raise ShapeError(f"{where} is {dim}, which is no size for what is given")
    found = iter(sizes)
    return [
        given.inputs.get(tensor.name) if tensor.dims is None else tuple(next(found) for _ in tensor.dims)
        for tensor in model.inputs
    ]


def fits(model: Model, given: Given, shapes: Sequence[Shape], symbols: Sequence[int]) -> bool:
    """Whether inputs have the same dims with the symbols that were given in place of those found: a factor of 0 tells
    nothing of the other. ShapeError for what can't be."""
    infer_shapes(model, given, are_planned=False)
    values = dict(zip(model.symbols, symbols)) | given.symbols
    return all(
        _dyn.evaluate(dim, values) == size
        for tensor, shape in zip(model.inputs, shapes)
        for dim, size in zip(tensor.dims or (), shape)
    )


def _take_over(model: Model, given: Given) -> list[Shape] | None:
    """The dims of all inputs where nothing is left to infer or to compare: what is wrong is told by a plan of them."""
    if given.outputs or (given.inputs and given.symbols) or any(name not in model.symbols for name in given.symbols):
        return None
    if any(tensor.dims is None for tensor in model.inputs):
        return None
    shapes = [
        given.inputs.get(tensor.name) or tuple(_dyn.evaluate(dim, given.symbols) for dim in tensor.dims)
        for tensor in model.inputs
    ]
    return None if any(size is None or size < 0 for shape in shapes for size in shape) else shapes


def _dims(kind: str, tensors: Sequence[Tensor], shapes: Mapping[str, PartialShape], nodes: Mapping[str, str]):
    """Expression, place and size of each dim that is given."""
    for tensor in tensors:
        for index, (dim, size) in enumerate(zip(tensor.dims or (), shapes.get(tensor.name, ()))):
            if size is not None and dim != "?":
                node = nodes.get(f"dim {index} of {kind} '{tensor.name}'")
                yield dim, f"{kind} '{tensor.name}' dim {index}" + (f" (node '{node}')" if node else ""), size


def _nodes(model: Model) -> dict[str, str]:
    """The nodes that compute outputs, by the dims that have a name: "dim 0 of output 'y'"."""
    return {place: node for _, place, node in model.aliases}


def verify_bound(name: str, shape: Shape, bound: PartialShape) -> None:
    """Fails if an input of a run has not the dims that it is bound to."""
    if len(shape) != len(bound) or any(size not in (None, actual) for actual, size in zip(shape, bound)):
        raise ShapeError(f"input '{name}' has dims {list(shape)}, but is bound to {list(bound)}")


def verify_listed(tensor: Tensor, index: int, shape: Shape, given: Given) -> None:
    """Fails if a tensor in a list has not the dims that were given; the interpreter looks at all other ones."""
    for dim, (declared, actual) in enumerate(zip(tensor.dims or (), shape)):
        size = None if declared == "?" else _dyn.evaluate(declared, given.symbols)
        if size not in (None, actual):
            raise ShapeError(f"tensor {index} of input '{tensor.name}' dim {dim} is {actual}, must be {size}: {declared}")


def verify_outputs(model: Model, given: Given, dims: Sequence[Shape], what: str) -> None:
    """Fails if an output has not the dims that were given, by name too. `what` made it have others."""
    aliases = _aliases(model)
    # What data decide is in no input.
    named = {_sides(aliases[name][0])[1] if name in aliases else name: name for name in given.symbols}
    for tensor, shape in zip(model.outputs, dims):
        expected = given.outputs.get(tensor.name, (None,) * len(shape))
        if len(shape) != len(expected):
            raise ShapeError(
                f"output '{tensor.name}' is given with rank {len(expected)}, but {what} make it {len(shape)}: {list(shape)}"
            )
        for index, (size, wanted) in enumerate(zip(shape, expected)):
            if wanted is not None and size != wanted:
                raise ShapeError(f"output '{tensor.name}' dim {index} is given as {wanted}, but {what} make it {size}")
            dim = tensor.dims[index] if tensor.dims is not None else "?"
            if dim in named and size != given.symbols[named[dim]]:
                raise ShapeError(
                    f"output '{tensor.name}' dim {index}, '{named[dim]}', is given as {given.symbols[named[dim]]}, "
                    f"but {what} make it {size}"
                )
            wanted = None if dim == "?" else _dyn.evaluate(dim, given.symbols)
            if wanted not in (None, size):
                raise ShapeError(
                    f"output '{tensor.name}' dim {index}, {dim}, is {wanted} by what is given, but {what} make it {size}"
                )
