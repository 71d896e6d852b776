"""Dyn as a backend of the package onnx (onnx.backend.base): `DynBackend` compiles, `ReferenceBackend` interprets.

    from dyn.onnx_backend import DynBackend
    outputs = DynBackend.prepare(model).run([x, y])
"""

import warnings
from collections.abc import Mapping

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep, namedtupledict

from dyn._compile import compile
from dyn._errors import CompileError
from dyn._reference import Reference


class DynRep(BackendRep):
    """A model that is ready to run."""

    def __init__(self, model):
        self.model = model

    def run(self, inputs, **kwargs):
        """Runs the model on a sequence of arrays in the order of its inputs, one array, or arrays by name."""
        del kwargs
        names = [tensor.name for tensor in self.model.inputs]
        if not isinstance(inputs, Mapping):
            inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            if len(inputs) > len(names):
                raise ValueError(f"{len(inputs)} inputs are given, the model has {len(names)}")
            inputs = dict(zip(names, inputs))
        outputs = self.model.run(inputs)
        return namedtupledict("Outputs", [tensor.name for tensor in self.model.outputs])(*outputs)


def _by_name(node, inputs) -> dict[str, np.ndarray]:
    """Arrays by the names of a node's inputs; a sequence leaves out those that the node leaves out."""
    names = [name for name in node.input if name]
    if not isinstance(inputs, Mapping):
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(inputs) != len(names):
            raise ValueError(f"{len(inputs)} inputs are given, the node has {len(names)}")
        inputs = dict(zip(names, inputs))
    missing = [name for name in names if name not in inputs]
    if missing:
        raise ValueError(f"input '{missing[0]}' of the node is missing")
    return {name: np.asarray(inputs[name]) for name in dict.fromkeys(names)}


def _model_of_node(node, arrays, constants, opset, outputs_info) -> onnx.ModelProto:
    """A model of one node, with the sizes of the arrays; those named in `constants` are constants of it."""
    helper = onnx.helper

    def describe(name, dtype, shape):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)

    inputs = [describe(name, array.dtype, array.shape) for name, array in arrays.items() if name not in constants]
    initializers = [onnx.numpy_helper.from_array(arrays[name], name) for name in constants]
    names = [name for name in node.output if name]
    if outputs_info:
        outputs = [describe(name, dtype, shape) for name, (dtype, shape) in zip(names, outputs_info)]
    else:
        outputs = [onnx.ValueInfoProto(name=name) for name in names]
    graph = helper.make_graph([node], "node", inputs, outputs, initializers)
    if node.domain in ("", "ai.onnx"):
        versions = [helper.make_opsetid("", opset)]
    else:
        known = onnx.defs.has(node.op_type, domain=node.domain)
        version = onnx.defs.get_schema(node.op_type, domain=node.domain).since_version if known else 1
        versions = [helper.make_opsetid("", opset), helper.make_opsetid(node.domain, version)]
    model = helper.make_model(graph, opset_imports=versions)
    return model if outputs_info else onnx.shape_inference.infer_shapes(model, data_prop=True)


class DynBackend(Backend):
    """Compiles models."""

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs) -> DynRep:
        """kwargs are those of `dyn.compile`."""
        super().prepare(model, device, **kwargs)
        return cls._prepare(model, device, **kwargs)

    @classmethod
    def _prepare(cls, model, device, **kwargs) -> DynRep:
        if not cls.supports_device(device):
            raise ValueError(f"device {device!r}: models run on 'CPU' only yet")
        return DynRep(cls.make(model, **kwargs))

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        """Runs a model of one node on arrays in the order of the node's inputs, or by name.

        opset_version: by which the node is to be read, among kwargs; the others are those of `prepare`.
        """
        versions = {key: kwargs.pop(key) for key in ("opset_version",) if key in kwargs}
        super().run_node(node, inputs, device, outputs_info, **versions)
        opset = versions.get("opset_version", onnx.defs.onnx_opset_version())
        arrays = _by_name(node, inputs)

        def run(constants):
            model = _model_of_node(node, arrays, constants, opset, outputs_info)
            given = {name: array for name, array in arrays.items() if name not in constants}
            # The node has been checked; of a model the checker wants ranks of outputs, which may follow from data only.
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*ONNX's checker objects")
                prepared = cls._prepare(model, device, **kwargs)
            return prepared.run(given)

        try:
            return run([])
        except CompileError:
            # Axes and their like, which models have as constants.
            constants = [name for name, array in list(arrays.items())[1:] if array.ndim <= 1]
            if not constants:
                raise
            return run(constants)

    @classmethod
    def make(cls, model, **kwargs):
        """What runs a model."""
        return compile(model, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"


class ReferenceBackend(DynBackend):
    """Interprets models: slow, but for every model that can be imported."""

    @classmethod
    def make(cls, model, **kwargs):
        """kwargs are those of `dyn.Reference`."""
        return Reference(model, **kwargs)
