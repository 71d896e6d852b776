"""Compiled models."""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dyn import _dyn
from dyn._errors import ModelError, ShapeError
from dyn._prove import Verdict

# Element types by their number in dyn-c/Runtime.h.
_DTYPES = {
    1: np.dtype(np.float32),
    2: np.dtype(np.uint8),
    3: np.dtype(np.int8),
    4: np.dtype(np.uint16),
    5: np.dtype(np.int16),
    6: np.dtype(np.int32),
    7: np.dtype(np.int64),
    9: np.dtype(np.bool_),
    10: np.dtype(np.float16),
    11: np.dtype(np.float64),
    12: np.dtype(np.uint32),
    13: np.dtype(np.uint64),
}
_BFLOAT16 = 16


def _dtype(number: int) -> np.dtype:
    if number != _BFLOAT16:
        return _DTYPES[number]
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype(np.uint16)  # numpy has no bfloat16: its bits
    return np.dtype(ml_dtypes.bfloat16)


@dataclass(frozen=True)
class Tensor:
    """An input or output: its name, element type (bfloat16 without the package ml_dtypes: its bits as uint16) and dims,
    expressions over the model's symbols."""

    name: str
    dtype: np.dtype
    dims: tuple[str, ...]


def _tensors(ports) -> tuple[Tensor, ...]:
    return tuple(Tensor(name, _dtype(number), tuple(dims)) for name, number, dims in ports)


def _as_array(tensor: Tensor, value) -> np.ndarray:
    """A dense array of a value that numpy or DLPack can give; only what is not dense is copied."""
    if not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "__dlpack__"):
        value = np.from_dlpack(value)
    array = np.asarray(value)
    if array.dtype != tensor.dtype:
        raise ModelError(f"input '{tensor.name}' has elements of type {array.dtype}, must be {tensor.dtype}")
    if array.ndim != len(tensor.dims):
        raise ShapeError(
            f"input '{tensor.name}' has rank {array.ndim} (dims {list(array.shape)}), must be {len(tensor.dims)}: "
            f"[{', '.join(tensor.dims)}]"
        )
    return np.ascontiguousarray(array).reshape(array.shape)


class Executable:
    """A compiled model. Runs from several threads at once do not disturb each other."""

    def __init__(self, path: str, threads: int = 0, folder: tempfile.TemporaryDirectory | None = None):
        try:
            self._model = _dyn.Model(path, threads)
        except RuntimeError as error:
            raise ModelError(str(error)) from None
        self._path = path
        self._folder = folder
        self._inputs = _tensors(self._model.inputs())
        self._outputs = _tensors(self._model.outputs())

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs in the model's order."""
        return self._inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs in the model's order."""
        return self._outputs

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols that dims are expressed in."""
        return tuple(self._model.symbols())

    @property
    def facts(self) -> str:
        """The symbols with what is declared of them, as `#dyn.symbols` writes it."""
        return self._model.facts()

    @property
    def guards(self) -> tuple[str, ...]:
        """What sizes must fulfil beyond the facts, each with its reason: checked before any kernel runs."""
        return tuple(
            f"{predicate}  ({', '.join(part for part in reasons if part)})"
            for predicate, *reasons in self._guard_fields()
        )

    def _guard_fields(self) -> list[list[str]]:
        return [line.split("\t") for line in self._model.guards().splitlines()]

    def explain(self, predicate: str) -> Verdict:
        """Does a relation between sizes hold at every size that the model runs at, and why?"""
        facts = [(fields[0], ", ".join(part for part in fields[1:] if part)) for fields in self._guard_fields()]
        answer, reasons = _dyn.prove(predicate, self.facts, [fact for fact in facts if fact[0]])
        return Verdict(answer, tuple(reasons))

    def run(self, inputs: Mapping[str, object]) -> list[np.ndarray]:
        """Runs the model on arrays by input name; gives fresh arrays in the order of the outputs.

        Inputs are numpy arrays or anything that DLPack can pass; one that is not dense is copied. The lock of the
        interpreter is released. Raises ModelError for an input that is missing, unknown or of another type, ShapeError
        for sizes, and for indices in data, that the model does not allow.
        """
        return self._run(self._arrays(inputs))

    def output_dims(self, sizes: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
        """The dims of the outputs by name, at sizes as `bind` takes them."""
        return self._check(self._shapes(sizes))[1]

    def arena_bytes(self, sizes: Mapping[str, object]) -> int:
        """The bytes of working memory of a run, at sizes as `bind` takes them."""
        return self._check(self._shapes(sizes))[2]

    def bind(self, sizes: Mapping[str, object]) -> "Bound":
        """Fixes sizes, given by symbol ({"batch": 2}) or by input ({"input_ids": (2, 7)}), and allocates the outputs."""
        return Bound(self, self._shapes(sizes))

    def save(self, path: str | os.PathLike) -> None:
        """Writes the artefact; the file appears complete or not at all."""
        path = os.fspath(path)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", suffix=".tmp")
        os.close(handle)
        try:
            shutil.copyfile(self._path, temporary)
            os.chmod(temporary, 0o755)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def _arrays(self, inputs: Mapping[str, object]) -> list[np.ndarray]:
        names = [tensor.name for tensor in self._inputs]
        for name in inputs:
            if name not in names:
                raise ModelError(f"the model has no input '{name}'; its inputs are {', '.join(names)}")
        missing = [name for name in names if name not in inputs]
        if missing:
            raise ModelError(f"input '{missing[0]}' is missing")
        return [_as_array(tensor, inputs[tensor.name]) for tensor in self._inputs]

    def _run(self, arrays: Sequence[np.ndarray], outputs: Sequence[np.ndarray] | None = None) -> list[np.ndarray]:
        data = [array.ctypes.data for array in arrays]
        symbols, dims, arena = self._check([array.shape for array in arrays], data)
        if outputs is None:
            outputs = [np.empty(dims[tensor.name], tensor.dtype) for tensor in self._outputs]
        try:
            self._model.run(symbols, data, [array.ctypes.data for array in outputs], arena)
        except RuntimeError as error:
            raise ShapeError(str(error)) from None
        return list(outputs)

    def _check(self, shapes: Sequence[Sequence[int]], data: Sequence[int] = ()):
        """Values of symbols, output dims by name, arena bytes."""
        try:
            symbols, flat, arena = self._model.check([size for shape in shapes for size in shape], list(data))
        except RuntimeError as error:
            raise ShapeError(str(error)) from None
        dims, position = {}, 0
        for tensor in self._outputs:
            dims[tensor.name] = tuple(flat[position : position + len(tensor.dims)])
            position += len(tensor.dims)
        return symbols, dims, arena

    def _shapes(self, sizes: Mapping[str, object]) -> list[tuple[int, ...]]:
        """The dims of all inputs at sizes by symbol or by input name."""
        by_name = {tensor.name: tensor for tensor in self._inputs}
        values: dict[str, int] = {}
        for name, given in sizes.items():
            if name not in by_name:
                if name not in self.symbols:
                    raise ModelError(
                        f"'{name}' is neither an input ({', '.join(by_name)}) nor a symbol ({', '.join(self.symbols)})"
                    )
                values[name] = int(given)
                continue
            tensor = by_name[name]
            if len(given) != len(tensor.dims):
                raise ShapeError(f"input '{name}' has rank {len(tensor.dims)}, not {len(given)}")
            for dim, size in zip(tensor.dims, given):
                if dim in self.symbols and values.setdefault(dim, int(size)) != size:
                    raise ShapeError(f"'{dim}' is {values[dim]} and, in input '{name}', {size}")
        shapes = []
        for tensor in self._inputs:
            if isinstance(sizes.get(tensor.name), Sequence):
                shapes.append(tuple(sizes[tensor.name]))
                continue
            shape = []
            for dim in tensor.dims:
                size = _dyn.evaluate(dim, values)
                if size is None:
                    unknown = [name for name in _dyn.symbols_of(dim) if name not in values]
                    raise ShapeError(f"input '{tensor.name}' needs a value of '{', '.join(unknown)}'")
                shape.append(size)
            shapes.append(tuple(shape))
        return shapes


class Bound:
    """A model at fixed sizes. Its outputs are overwritten by its next run."""

    def __init__(self, executable: Executable, shapes: Sequence[tuple[int, ...]]):
        self._executable = executable
        self._shapes = list(shapes)
        dims = executable._check(shapes)[1]
        self.outputs = [np.empty(dims[tensor.name], tensor.dtype) for tensor in executable.outputs]

    def run(self, inputs: Mapping[str, object]) -> list[np.ndarray]:
        """Runs the model; gives `outputs`, the same arrays at each run."""
        arrays = self._executable._arrays(inputs)
        for tensor, array, shape in zip(self._executable.inputs, arrays, self._shapes):
            if array.shape != shape:
                raise ShapeError(f"input '{tensor.name}' has dims {list(array.shape)}, but is bound to {list(shape)}")
        return self._executable._run(arrays, self.outputs)


def load(path: str | os.PathLike, threads: int = 0) -> Executable:
    """Loads an artefact that `save` or `dyn-run --compile` wrote.

    Raises ModelError if it is none, or was compiled for CPU features that this machine lacks.
    """
    return Executable(os.fspath(path), threads)
