"""Dyn compiles tensor programs once and runs them at every size.

    exe = dyn.compile("model.onnx", dims={"batch": dyn.Dim(1, 64)})
    outputs = exe.run({"input_ids": ids, "attention_mask": mask})
"""

from dyn._arrays import Tensor
from dyn._compile import compile
from dyn._draw import draw
from dyn._errors import CompileError, Error, ModelError, PredicateError, ShapeError
from dyn._executable import Bound, Executable, load
from dyn._import import Dim
from dyn._profile import KernelProfile, Profile
from dyn._prove import Verdict, prove
from dyn._reference import BoundReference, Reference
from dyn._shapes import DimCheck, Finding, Guard, Shapes, Symbol, Value, check_dims, infer_shapes, shapes

__all__ = [
    "Bound",
    "BoundReference",
    "CompileError",
    "Dim",
    "DimCheck",
    "Error",
    "Executable",
    "Finding",
    "Guard",
    "KernelProfile",
    "ModelError",
    "PredicateError",
    "Profile",
    "Reference",
    "ShapeError",
    "Shapes",
    "Symbol",
    "Tensor",
    "Value",
    "Verdict",
    "check_dims",
    "compile",
    "draw",
    "infer_shapes",
    "load",
    "prove",
    "shapes",
]
