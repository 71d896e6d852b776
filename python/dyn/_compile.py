"""Compilation of models."""

import operator
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dyn import _dyn
from dyn._errors import CompileError, ModelError
from dyn._executable import Executable
from dyn._files import OwnFiles


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

    def _text(self) -> str:
        """As the command line writes it; TypeError for what are no integers."""
        index = operator.index
        if self.upper is not None and self.upper == self.lower and self.divisor == 1:
            return str(index(self.lower))
        text = f"{index(self.lower)}..{'' if self.upper is None else index(self.upper)}"
        if self.divisor != 1:
            text += f":{index(self.divisor)}"
        if self.likely:
            text += "@{" + ",".join(str(index(size)) for size in self.likely) + "}"
        return text


def spec(name: str, dim: "Dim | int") -> str:
    try:
        return f"{name}={dim._text() if isinstance(dim, Dim) else operator.index(dim)}"
    except TypeError:
        raise TypeError(f"dims['{name}'] must be a dyn.Dim of integers or an integer, not {dim!r}") from None


def specs(dims) -> list[str]:
    """Facts about declared dims as the command line writes them."""
    if dims is not None and not isinstance(dims, Mapping):
        raise TypeError(f"dims must be a mapping of names to dyn.Dim or integers, not {type(dims).__name__}")
    return [spec(name, dim) for name, dim in (dims or {}).items()]


def input_specs(input_dims) -> list[tuple[str, str]]:
    """Inputs and lists of dims, as texts."""
    if input_dims is not None and not isinstance(input_dims, Mapping):
        raise TypeError(f"input_dims must be a mapping of inputs to texts, not {type(input_dims).__name__}")
    for name, dims in (input_dims or {}).items():
        if not isinstance(name, str) or not isinstance(dims, str):
            raise TypeError(f"input_dims[{name!r}] must be a text such as '[N, 3]', not {dims!r}")
    return list((input_dims or {}).items())


def value_specs(input_values) -> list[str]:
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


def compile(
    model,
    dims: "Mapping[str, Dim | int] | None" = None,
    input_dims: Mapping[str, str] | None = None,
    device: str = "cpu",
    threads: int = 0,
    target_cpu: str = "native",
    folder: str | os.PathLike | None = None,
    input_values: Mapping[str, object] | None = None,
) -> Executable:
    """Compiles a model once, for all sizes.

    model: path of an .onnx or .mlir file, bytes of an ONNX model, an onnx.ModelProto, or the text of an MLIR module
        (a str of several lines).
    dims: facts about declared dims by name, or one fixed size. For ONNX models only: modules declare their own.
    input_dims: dims of inputs, given or overridden: {"x": "[N, 3, H, S + P]"}. For ONNX models only.
    device: "cpu".
    threads: of a run, together with the caller; 0: one for each core.
    target_cpu: "native", "x86-64-v3", ..., or several with commas between them: whoever loads the artefact takes the
        best that the machine can run.
    folder: where the weights lie that the model keeps in files of their own (ONNX's external data); by default beside
        the model. A model that is given as bytes or as an onnx.ModelProto has no such place by itself.
    input_values: what all elements of an input of integers or booleans are, so that what they decide is decided:
        {"sr": 16000}, {"use_cache": [True]}. Each run checks them. For ONNX models only.

    Raises ModelError for what is no file, CompileError with all that is wrong, a finding a line, for a model that can't
    be read or compiled; what is merely odd about a model is a warning.
    """
    if not isinstance(target_cpu, str):
        raise TypeError(f"target_cpu must be a name, not {target_cpu!r}")
    if device != "cpu":
        raise CompileError(f"device '{device}': models run on 'cpu' only yet")
    with OwnFiles() as own:
        source = as_file(model, own)
        if source.endswith(".mlir") and (dims or input_dims or input_values):
            raise ValueError("dims, input_dims and input_values are about ONNX models; a module declares its own")
        artefact = own.create(".so")
        data = data_folder(source, own, folder)
        errors, notes = _dyn.compile_file(
            source, artefact, specs(dims), input_specs(input_dims), value_specs(input_values), device, target_cpu, data
        )
        errors, notes = ([own.tidy(text) for text in texts] for texts in (errors, notes))
        for note in notes:
            warnings.warn(note, stacklevel=2)
        if errors:
            raise CompileError("\n".join(errors))
        # The model stays in memory when its file goes.
        return Executable(artefact, threads)
