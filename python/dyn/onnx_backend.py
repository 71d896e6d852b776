"""Dyn as a backend of the package onnx (onnx.backend.base): `DynBackend` compiles, `ReferenceBackend` interprets.

    from dyn.onnx_backend import DynBackend
    outputs = DynBackend.prepare(model).run([x, y])
"""

from collections.abc import Mapping

from onnx.backend.base import Backend, BackendRep, namedtupledict

from dyn._compile import compile
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


class DynBackend(Backend):
    """Compiles models."""

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs) -> DynRep:
        """kwargs are those of `dyn.compile`."""
        super().prepare(model, device, **kwargs)
        if not cls.supports_device(device):
            raise ValueError(f"device {device!r}: models run on 'CPU' only yet")
        return DynRep(cls.make(model, **kwargs))

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
