"""Compilation of models."""

import os
import warnings
from collections.abc import Mapping

from dyn import _dyn
from dyn._errors import CompileError
from dyn._executable import Executable, verify_threads
from dyn._files import OwnFiles
from dyn._import import Dim, as_file, data_folder, import_options


def compile(
    model,
    dims: "Mapping[str, Dim | int] | None" = None,
    input_dims: Mapping[str, str] | None = None,
    device: str = "cpu",
    threads: int = 0,
    target_cpu: str = "native",
    folder: str | os.PathLike | None = None,
    input_values: Mapping[str, object] | None = None,
    default_dim: "Dim | int | None" = None,
    declared: str = "refine",
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
    default_dim: facts about dims of inputs that have no name, or one fixed size for all of them. For ONNX models only.
    declared: what the dims that outputs and value_info declare count for. "refine": constants bind, names are defined by
        what is inferred; "strict": a difference is an error; "override": nothing; "trust": all bind, and each run checks
        them. For ONNX models only.

    Raises ModelError for what is no file, CompileError with all that is wrong, a finding a line, for a model that can't
    be read or compiled; what is merely odd about a model is a warning.
    """
    if not isinstance(target_cpu, str):
        raise TypeError(f"target_cpu must be a name, not {target_cpu!r}")
    if device != "cpu":
        raise CompileError(f"device '{device}': models run on 'cpu' only yet")
    # Before what takes long.
    threads = verify_threads(threads)
    with OwnFiles() as own:
        source = as_file(model, own)
        data = data_folder(source, own, folder)
        options = import_options(source, data, dims, input_dims, input_values, default_dim, declared)
        artefact = own.create(".so")
        try:
            errors, notes = _dyn.compile_file(source, artefact, options, device, target_cpu)
        except RuntimeError as error:
            raise CompileError(str(error)) from None
        errors, notes = ([own.tidy(text) for text in texts] for texts in (errors, notes))
        for note in notes:
            warnings.warn(note, stacklevel=2)
        if errors:
            raise CompileError("\n".join(errors))
        # The model stays in memory when its file goes.
        return Executable(artefact, threads)
