"""Compilation of models."""

import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dyn import _dyn
from dyn._errors import CompileError, ModelError
from dyn._executable import Executable


@dataclass(frozen=True)
class Dim:
    """Facts about a size: its range (`upper` None: unbounded), a divisor, and likely values.

    What is declared is checked at each run, and may be relied on.
    """

    lower: int = 0
    upper: int | None = None
    divisor: int = 1
    likely: Sequence[int] = ()

    def _text(self) -> str:
        text = f"{self.lower}..{'' if self.upper is None else self.upper}"
        if self.divisor != 1:
            text += f":{self.divisor}"
        if self.likely:
            text += "@{" + ",".join(str(size) for size in self.likely) + "}"
        return text


def _spec(name: str, dim: "Dim | int") -> str:
    return f"{name}={dim._text() if isinstance(dim, Dim) else int(dim)}"


def _as_file(model, folder: str) -> str:
    """The path of a model that is given as a path, as bytes, or as an onnx.ModelProto."""
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        if not os.path.exists(path):
            raise ModelError(f"'{path}': no such file")
        return path
    data = model if isinstance(model, (bytes, bytearray)) else model.SerializeToString()
    path = os.path.join(folder, "model.onnx")
    Path(path).write_bytes(data)
    return path


def compile(
    model,
    dims: "Mapping[str, Dim | int] | None" = None,
    input_dims: Mapping[str, str] | None = None,
    device: str = "cpu",
    threads: int = 0,
    target_cpu: str = "native",
) -> Executable:
    """Compiles a model once, for all sizes.

    model: path of an .onnx or .mlir file, bytes of an ONNX model, or an onnx.ModelProto.
    dims: facts about declared dims by name, or one fixed size.
    input_dims: dims of inputs, given or overridden: {"x": "[N, 3, H, S + P]"}.
    device: "cpu".
    threads: of a run, together with the caller; 0: one for each core.
    target_cpu: "native", "x86-64-v3", ...

    Raises ModelError for what is no model, CompileError for a model that can't be compiled; what is merely odd about a
    model is a warning.
    """
    if device != "cpu":
        raise CompileError(f"device '{device}': models run on 'cpu' only yet")
    folder = tempfile.TemporaryDirectory(prefix="dyn-")
    source = _as_file(model, folder.name)
    artefact = os.path.join(folder.name, "model.so")
    specs = [_spec(name, dim) for name, dim in (dims or {}).items()]
    errors, notes = _dyn.compile_file(source, artefact, specs, list((input_dims or {}).items()), device, target_cpu)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    if errors:
        raise CompileError("\n".join(errors))
    return Executable(artefact, threads, folder)
