"""Arrays as models take and give them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dyn import _dyn
from dyn._errors import ModelError, ShapeError

# Element types by their number in dyn-c/Runtime.h, and strings by ONNX's.
_STRING = 8
_DTYPES = {
    1: np.dtype(np.float32),
    2: np.dtype(np.uint8),
    3: np.dtype(np.int8),
    4: np.dtype(np.uint16),
    5: np.dtype(np.int16),
    6: np.dtype(np.int32),
    7: np.dtype(np.int64),
    8: np.dtype(np.object_),
    9: np.dtype(np.bool_),
    10: np.dtype(np.float16),
    11: np.dtype(np.float64),
    12: np.dtype(np.uint32),
    13: np.dtype(np.uint64),
}
_BFLOAT16 = 16
# Types that numpy has from the package ml_dtypes only, by their names there, with what holds their bits otherwise.
_OTHERS = {
    _BFLOAT16: ("bfloat16", np.dtype(np.uint16)),
    17: ("float8_e4m3fn", np.dtype(np.uint8)),
    18: ("float8_e4m3fnuz", np.dtype(np.uint8)),
    19: ("float8_e5m2", np.dtype(np.uint8)),
    20: ("float8_e5m2fnuz", np.dtype(np.uint8)),
    21: ("uint4", np.dtype(np.uint8)),
    22: ("int4", np.dtype(np.uint8)),
    23: ("float4_e2m1fn", np.dtype(np.uint8)),
    24: ("float8_e8m0fnu", np.dtype(np.uint8)),
    25: ("uint2", np.dtype(np.uint8)),
    26: ("int2", np.dtype(np.uint8)),
}


def _dtype(number: int) -> np.dtype:
    if number in _DTYPES:
        return _DTYPES[number]
    name, bits = _OTHERS[number]
    try:
        import ml_dtypes
    except ImportError:
        return bits
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else bits


def _bits(number: int) -> np.dtype | None:
    return _OTHERS[number][1] if number in _OTHERS else None


@dataclass(frozen=True)
class Tensor:
    """An input or output of a model."""

    name: str
    dtype: np.dtype
    """The element type. numpy has neither bfloat16 nor elements of less than 16 bits but int8 and uint8: these are of the
    package ml_dtypes where it is installed, else uint16 or, one element in a byte, uint8, which hold the bits. Strings,
    for the interpreter only, are objects."""
    dims: tuple[str, ...] | None
    """An expression over the model's symbols for each dim: "batch", "past_seq + seq", "768". None where the rank is not known."""
    bits: np.dtype | None = None
    """Another element type that inputs may have: uint16 for bfloat16, uint8 for the others of ml_dtypes."""
    kind: str = "tensor"
    """What holds such elements: "tensor", or, for the interpreter only, "sequence" (a list of arrays), "optional" (an
    array or None), "optional sequence"."""

    def __str__(self) -> str:
        dims = "..." if self.dims is None else ", ".join(self.dims)
        container = "" if self.kind == "tensor" else f"{self.kind} of "
        return f"{self.name}: {container}{self.dtype}[{dims}]"


def describe(ports) -> tuple[Tensor, ...]:
    """Tensors of what the extension tells of inputs or outputs."""
    return tuple(
        Tensor(name, _dtype(number), None if dims is None else tuple(dims), _bits(number), *kind)
        for name, number, dims, *kind in ports
    )


def check_rank(tensor: Tensor, array: np.ndarray):
    if tensor.dims is not None and array.ndim != len(tensor.dims):
        raise ShapeError(
            f"input '{tensor.name}' has rank {array.ndim} (dims {list(array.shape)}), must be {len(tensor.dims)}: "
            f"[{', '.join(tensor.dims)}]"
        )


# NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED of numpy's C interface.
_DENSE = 0x0101


def check_names(tensors: Sequence[Tensor], inputs: Mapping[str, object]) -> None:
    """ModelError unless there is something for each of the tensors, and for nothing else."""
    if not isinstance(inputs, Mapping):
        raise TypeError(f"inputs must be a mapping of names to arrays, not {type(inputs).__name__}")
    names = [tensor.name for tensor in tensors]
    for name in inputs:
        if name not in names:
            raise ModelError(f"the model has no input '{name}'; its inputs are {', '.join(names) or 'none'}")
    for name in names:
        if name not in inputs:
            raise ModelError(f"input '{name}' is missing")


def as_dense(tensor: Tensor, value) -> np.ndarray:
    """A dense array of a value that numpy or DLPack can give; only what is not dense is copied."""
    # What most callers give is told apart first: the rest takes longer than a small model runs.
    if (type(value) is np.ndarray and value.dtype == tensor.dtype and value.flags.num & _DENSE == _DENSE
            and tensor.dims is not None and value.ndim == len(tensor.dims)):
        return value
    if not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "__dlpack__"):
        try:
            value = np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            # numpy refuses bfloat16 of other libraries even where ml_dtypes adds it.
            bits = _dyn.take_bfloat16(value)
            if bits is None or tensor.bits is None:
                raise ModelError(f"input '{tensor.name}' can't be taken over as an array in memory: {error}") from error
            value = bits
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ModelError(f"input '{tensor.name}' is no array: {error}") from None
    if array.dtype != tensor.dtype and (tensor.bits is None or array.dtype != tensor.bits):
        raise ModelError(f"input '{tensor.name}' has elements of type {array.dtype}, must be {tensor.dtype}")
    check_rank(tensor, array)
    return array if array.flags.c_contiguous and array.flags.aligned else array.copy(order="C")


# From this size on the system gives fresh pages to each array, which it clears first.
_LARGE = 128 * 1024


def empty(tensor: Tensor, dims: tuple[int, ...], model=None) -> np.ndarray:
    """A new array for an output. MemoryError where there is no such room, ModelError for a rank that arrays do not have.

    model: the extension's, of which a large array borrows memory until nothing refers to it any more.
    """
    _check_rank(dims, f"output '{tensor.name}'")
    size = math.prod(dims) * tensor.dtype.itemsize
    if size >= 2**63:
        raise MemoryError(f"output '{tensor.name}' of dims {list(dims)} is larger than the address space")
    try:
        if model is None or size < _LARGE:
            return np.empty(dims, tensor.dtype)
        return model.make_output(size).view(tensor.dtype).reshape(dims)
    except MemoryError:
        raise MemoryError(f"output '{tensor.name}' of dims {list(dims)} needs {size} bytes") from None
    except ValueError:
        # numpy multiplies the dims that are not 0.
        raise MemoryError(f"output '{tensor.name}' of dims {list(dims)} is larger than the address space") from None


def as_strings(tensor: Tensor, value) -> tuple[tuple[int, ...], list[bytes]]:
    """The dims and the elements of an array of strings, as UTF-8, of anything that numpy makes one of."""
    array = np.asarray(value)
    if array.dtype.kind not in "OUST":
        raise ModelError(f"input '{tensor.name}' has elements of type {array.dtype}, must be strings")
    check_rank(tensor, array)
    texts = array.ravel().tolist()
    for place, text in enumerate(texts):
        if not isinstance(text, str | bytes):
            raise ModelError(f"input '{tensor.name}' has a {type(text).__name__} at place {place}, must be strings")
    return array.shape, [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in texts]


def _check_rank(dims, what: str):
    if len(dims) > 64:
        raise ModelError(f"{what} has rank {len(dims)}; numpy's arrays have 64 dims at most")


def take_bytes(number: int, dims, data: bytes | list[bytes]) -> np.ndarray:
    """A new array of the elements that lie one after the other in `data`; strings are a list.

    MemoryError for dims that numpy does not have arrays of, though one of them be 0, ModelError for more than 64.
    """
    _check_rank(dims, "an output")
    try:
        return _take_bytes(number, dims, data)
    except ValueError:
        raise MemoryError(f"an output of dims {list(dims)} is larger than the address space") from None


def _take_bytes(number: int, dims, data: bytes | list[bytes]) -> np.ndarray:
    if number == _STRING:
        array = np.empty(len(data), np.object_)
        array[:] = [text.decode("utf-8", "surrogateescape") for text in data]
        return array.reshape(dims)
    return np.frombuffer(data, _dtype(number)).reshape(dims).copy()
