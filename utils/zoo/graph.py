"""A small writer of ONNX graphs: one call for each node, names made from scopes as exporters make them."""

import contextlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper


class Graph:
    def __init__(self, name, opset=17):
        self.name, self.opset = name, opset
        self.inputs, self.outputs, self.nodes, self.initializers = [], [], [], []
        self._scopes, self._counts = [], {}

    @contextlib.contextmanager
    def scope(self, name):
        self._scopes.append(name)
        yield
        self._scopes.pop()

    def input(self, name, dims, kind=TensorProto.INT64):
        self.inputs.append(helper.make_tensor_value_info(name, kind, dims))
        return name

    def output(self, value, name, dims, kind=TensorProto.FLOAT):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"/{name}"))
        self.outputs.append(helper.make_tensor_value_info(name, kind, dims))

    def constant(self, value, dtype=None, name=None):
        """An initializer; without a name it is a small constant of the program."""
        name = name or self._fresh("Constant") + "_value"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(np.asarray(value, dtype)).reshape(
            np.shape(value)), name))
        return name

    def op(self, kind, *inputs, **attributes):
        name = self._fresh(kind)
        self.nodes.append(helper.make_node(kind, list(inputs), [f"{name}_output_0"], name=name, **attributes))
        return f"{name}_output_0"

    def dim(self, value, axis):
        """The size of one dim as a vector of one element."""
        size = self.op("Gather", self.op("Shape", value), self.constant(axis, np.int64), axis=0)
        return self.op("Unsqueeze", size, self.constant([0], np.int64))

    def dims(self, *sizes):
        """A shape from values of `dim` and numbers."""
        parts = [size if isinstance(size, str) else self.constant([size], np.int64) for size in sizes]
        return self.op("Concat", *parts, axis=0)

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8,
                                  producer_name="dyn-quickstart")
        checker.check_model(model, full_check=True)
        return model

    def _fresh(self, kind):
        path = "/".join(["", *self._scopes, kind])
        count = self._counts[path] = self._counts.get(path, -1) + 1
        return f"{path}_{count}" if count else path
