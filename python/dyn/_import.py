"""What users say about the import of a model, the same wherever there is one."""

import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dyn._errors import CompileError, ModelError
from dyn._files import OwnFiles


def _index(value) -> int:
    """An integer; TypeError for what is none, a truth value among that."""
    if isinstance(value, bool):
        raise TypeError(f"{value!r} is a truth value")
    return operator.index(value)


@dataclass(frozen=True)
class Dim:
    """Facts about a size: its range (`upper` None: unbounded), a divisor, and likely values.

    What is declared is checked at each run, and may be relied on. ValueError for facts that no size meets.
    """

    lower: int = 0
    upper: int | None = None
    divisor: int = 1
    likely: Sequence[int] = ()

    def __post_init__(self) -> None:
        numbers = [number for number in (self.lower, self.upper, self.divisor) if number is not None]
        if not all(isinstance(number, int) for number in numbers):
            return  # whoever uses it can say what for
        if self.lower < 0:
            raise ValueError(f"dyn.Dim: a size is never below 0, so {self.lower} can't be its lower bound")
        if self.upper is not None and self.upper < self.lower:
            raise ValueError(f"dyn.Dim: the range {self.lower}..{self.upper} is empty")
        if self.divisor < 1:
            raise ValueError(f"dyn.Dim: the divisor {self.divisor} is not positive")
        if self.upper is not None and -(-self.lower // self.divisor) * self.divisor > self.upper:
            raise ValueError(f"dyn.Dim: no size of {self.lower}..{self.upper} is a multiple of {self.divisor}")

    def _text(self) -> str:
        """As the command line writes it; TypeError for what are no integers."""
        index = _index
        if self.upper is not None and self.upper == self.lower and self.divisor == 1:
            return str(index(self.lower))
        text = f"{index(self.lower)}..{'' if self.upper is None else index(self.upper)}"
        if self.divisor != 1:
            text += f":{index(self.divisor)}"
        if self.likely:
            text += "@{" + ",".join(str(index(size)) for size in self.likely) + "}"
        return text


def _dim_spec(name: str, dim: "Dim | int") -> str:
    try:
        return f"{name}={dim._text() if isinstance(dim, Dim) else _index(dim)}"
    except TypeError:
        raise TypeError(f"dims['{name}'] must be a dyn.Dim of integers or an integer, not {dim!r}") from None


def _dim_specs(dims) -> list[str]:
    """Facts about declared dims as the command line writes them."""
    if dims is not None and not isinstance(dims, Mapping):
        raise TypeError(f"dims must be a mapping of names to dyn.Dim or integers, not {type(dims).__name__}")
    return [_dim_spec(name, dim) for name, dim in (dims or {}).items()]


def _input_specs(input_dims) -> list[str]:
    """Dims of inputs as the command line writes them."""
    if input_dims is not None and not isinstance(input_dims, Mapping):
        raise TypeError(f"input_dims must be a mapping of inputs to texts, not {type(input_dims).__name__}")
    for name, dims in (input_dims or {}).items():
        if not isinstance(name, str) or not isinstance(dims, str):
            raise TypeError(f"input_dims[{name!r}] must be a text such as '[N, 3]', not {dims!r}")
    return [f"{name}={dims}" for name, dims in (input_dims or {}).items()]


def _value_specs(input_values) -> list[str]:
    """Elements of inputs as the command line writes them."""
    if input_values is not None and not isinstance(input_values, Mapping):
        raise TypeError(f"input_values must be a mapping of inputs to integers, not {type(input_values).__name__}")
    return [_value_spec(name, values) for name, values in (input_values or {}).items()]


def _value_spec(name: str, values) -> str:
    tolist = getattr(values, "tolist", None)
    flat = tolist() if tolist else values
    flat = list(flat) if isinstance(flat, Sequence) and not isinstance(flat, str) else [flat]
    while flat and all(isinstance(value, list | tuple) for value in flat):
        flat = [element for value in flat for element in value]
    try:
        return f"{name}={','.join(str(operator.index(value)) for value in flat)}"
    except TypeError:
        raise TypeError(f"input_values['{name}'] must be integers or booleans, not {values!r}") from None


def _default_spec(dim) -> str | None:
    if dim is None:
        return None
    try:
        return dim._text() if isinstance(dim, Dim) else str(_index(dim))
    except TypeError:
        raise TypeError(f"default_dim must be a dyn.Dim of integers or an integer, not {dim!r}") from None


def import_options(
    source: str, folder: str | None, dims=None, input_dims=None, input_values=None, default_dim=None, declared="refine"
) -> tuple:
    """The keywords of all that imports models, as the extension takes them. A module has no use for them.

    folder: where external data lie, as `data_folder` tells.
    """
    if not isinstance(declared, str):
        raise TypeError(f"declared must be a text, not {declared!r}")
    is_given = dims or input_dims or input_values or default_dim is not None or declared != "refine"
    if source.endswith(".mlir") and is_given:
        raise ValueError(
            "dims, input_dims, input_values, default_dim and declared are about ONNX models; a module declares its own"
        )
    texts = (_dim_specs(dims), _input_specs(input_dims), _value_specs(input_values))
    return (*texts, _default_spec(default_dim), declared, folder)


def as_path(model: str | os.PathLike) -> str:
    """The path of a model, which is there."""
    path = os.fspath(model)
    if not os.path.exists(path):
        raise ModelError(f"'{path}': no such file")
    if path.endswith(".so"):
        raise ModelError(f"'{path}' is no model: dyn.load loads artefacts")
    return path


def as_file(model, own: OwnFiles) -> str:
    """The path of a model given as a path, as the text of a module, as bytes, or as an onnx.ModelProto: one of `own`
    where it has none."""
    if isinstance(model, str) and "\n" in model:
        return own.create(".mlir", model.encode())
    if isinstance(model, (str, os.PathLike)):
        return as_path(model)
    return own.create(".onnx", as_bytes(model))


def as_bytes(model) -> bytes:
    """A model given as bytes, or as an onnx.ModelProto."""
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, (bytes, bytearray, memoryview)):
        raise TypeError(f"a model is a path, bytes, or an onnx.ModelProto, not {type(model).__name__}")
    return bytes(model)


def data_folder(source: str, own: OwnFiles, folder) -> str | None:
    """Where the external data of a model lie: in `folder` if it is given, None beside the model, "" nowhere."""
    if folder is not None:
        return os.path.abspath(os.fsdecode(folder))
    return "" if source in own else None
