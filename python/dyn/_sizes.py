"""Dims of all inputs, from the sizes that people give."""

import operator
from collections.abc import Iterable, Mapping, Sequence

from dyn import _dyn
from dyn._arrays import Tensor
from dyn._errors import ModelError, ShapeError

_LARGEST = 2**63 - 1

Shape = tuple[int, ...]


def _size(value, what: str) -> int:
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {value!r}") from None
    if not 0 <= size <= _LARGEST:
        raise ShapeError(f"{what} is {size}, which is no size")
    return size


def _shape(tensor: Tensor, value) -> Shape:
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise TypeError(f"the sizes of input '{tensor.name}' must be a sequence of integers, not {value!r}")
    shape = tuple(_size(size, f"input '{tensor.name}' dim {index}") for index, size in enumerate(value))
    if len(shape) != len(tensor.dims):
        raise ShapeError(
            f"input '{tensor.name}' has rank {len(shape)} (dims {list(shape)}), must be {len(tensor.dims)}: "
            f"[{', '.join(tensor.dims)}]"
        )
    return shape


def _solve(dim: str, size: int, values: dict[str, int]) -> bool:
    """Adds the value of the one symbol of `dim` that has none yet, if `dim` is linear in it and has the size then."""
    unknown = [name for name in _dyn.symbols_of(dim) if name not in values]
    if len(unknown) != 1:
        return False

    def at(point: int) -> int | None:
        return _dyn.evaluate(dim, values | {unknown[0]: point})

    start, one = at(0), at(1)
    if start is None or one is None or start == one:
        return False
    # Points that show what is not linear: `x mod 2`, `min(x, 512)`.
    if any(at(point) != start + point * (one - start) for point in (2, 1_000_003)):
        return False
    solution = (size - start) // (one - start)
    if not 0 <= solution <= _LARGEST or at(solution) != size:
        return False
    values[unknown[0]] = solution
    return True


def split(
    inputs: Sequence[Tensor], symbols: Sequence[str], fixed: Mapping[str, int], sizes: Mapping
) -> tuple[dict[str, int], dict[str, Shape]]:
    """The sizes by symbol and the dims by input among what was given. `fixed` are sizes that the model was compiled for."""
    if not isinstance(sizes, Mapping):
        raise TypeError(f"sizes must be a mapping of symbols or inputs, not {type(sizes).__name__}")
    by_name = {tensor.name: tensor for tensor in inputs}
    values, shapes = {}, {}
    for name, given in sizes.items():
        # A name may be that of an input and of a symbol.
        if name in by_name and not (name in symbols and hasattr(given, "__index__")):
            shapes[name] = _shape(by_name[name], given)
        elif name in symbols:
            values[name] = _size(given, f"'{name}'")
        elif name in fixed:
            if _size(given, f"'{name}'") != fixed[name]:
                raise ShapeError(f"'{name}' is {given}, but the model was compiled for {fixed[name]}")
        else:
            raise ModelError(
                f"'{name}' is neither an input ({', '.join(by_name)}) nor a symbol ({', '.join(symbols)}) of the model"
            )
    return values, shapes


def infer_shapes(inputs: Sequence[Tensor], values: Mapping[str, int], shapes: Mapping[str, Shape]) -> list[Shape]:
    """The dims of all inputs. Those that were given stay as they are, right or wrong: the model checks them. What is
    given by symbol must not differ from them: the model would find fault with dims that were never given."""
    for tensor in inputs:
        for index, size in enumerate(shapes.get(tensor.name, ())):
            _verify(tensor, index, size, values)
    values = dict(values)
    equations = [
        (dim, size) for tensor in inputs if tensor.name in shapes for dim, size in zip(tensor.dims, shapes[tensor.name])
    ]
    while any([_solve(dim, size, values) for dim, size in equations]):
        pass
    return [
        shapes[tensor.name] if tensor.name in shapes else tuple(_evaluate(tensor, dim, values) for dim in tensor.dims)
        for tensor in inputs
    ]


def _verify(tensor: Tensor, index: int, size: int, values: Mapping[str, int]) -> None:
    """Fails if a dim of an input is given as another size than its symbols say, as far as those are given."""
    dim = tensor.dims[index]
    names = list(_dyn.symbols_of(dim))
    if not names or any(name not in values for name in names) or _dyn.evaluate(dim, values) == size:
        return
    given = ", ".join(f"'{name}' is given as {values[name]}" for name in names)
    where = f"input '{tensor.name}' dim {index}" + ("" if [dim] == names else f", {dim},")
    raise ShapeError(f"{where} is given as {size}, but {given}")


def _evaluate(tensor: Tensor, dim: str, values: Mapping[str, int]) -> int:
    unknown = [name for name in _dyn.symbols_of(dim) if name not in values]
    if unknown:
        raise ShapeError(f"input '{tensor.name}' needs a value of '{', '.join(unknown)}'")
    size = _dyn.evaluate(dim, values)
    if size is None or size < 0:
        raise ShapeError(f"input '{tensor.name}': '{dim}' is no size at {values}")
    return size
