"""The C interface's bindings, which look at sizes again only where they may have changed."""

import ctypes

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import dyn


@pytest.fixture(scope="module")
def runtime(request):
    library = ctypes.CDLL(request.config.getoption("--build-dir").resolve() / "lib" / "libdyn_runtime.so")
    library.dynGetLastError.restype = ctypes.c_char_p
    return library


class Binding:
    def __init__(self, runtime, path):
        self.runtime, self.model, self.handle = runtime, ctypes.c_void_p(), ctypes.c_void_p()
        self.call("dynModelLoad", str(path).encode(), 1, ctypes.byref(self.model))
        self.call("dynBindingCreate", self.model, ctypes.byref(self.handle))

    def call(self, name, *arguments):
        assert getattr(self.runtime, name)(*arguments) == 0, self.runtime.dynGetLastError()

    def set_input(self, name, array):
        self.call("dynBindingSetInput", self.handle, name.encode(), helper.np_dtype_to_tensor_dtype(array.dtype),
                  (ctypes.c_int64 * array.ndim)(*array.shape), ctypes.c_size_t(array.ndim), ctypes.c_void_p(array.ctypes.data))

    def run(self):
        """The dims of the output y."""
        dims, rank, data = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_size_t(), ctypes.c_void_p()
        self.call("dynBindingRun", self.handle)
        self.call("dynBindingGetOutput", self.handle, b"y", ctypes.byref(dims), ctypes.byref(rank), ctypes.byref(data))
        return dims[: rank.value]

    def close(self):
        self.runtime.dynBindingFree(self.handle)
        self.runtime.dynModelFree(self.model)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "uint32", "int64"])
def test_sizes_in_data_of_any_type(runtime, tmp_path, kind):
    nodes = [helper.make_node("Cast", ["k"], ["n"], to=TensorProto.INT64), helper.make_node("ConstantOfShape", ["n"], ["y"])]
    number = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    graph = helper.make_graph(nodes, "sizes", [helper.make_tensor_value_info("k", number, [1])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "model.onnx")
    dyn.compile(tmp_path / "model.onnx").save(tmp_path / "model.so")
    binding, sizes = Binding(runtime, tmp_path / "model.so"), (3, 5)
    data = np.array([sizes[0]], kind)
    binding.set_input("k", data)
    assert binding.run() == [sizes[0]]
    data[0] = sizes[1]  # in place, unseen by the binding
    assert binding.run() == [sizes[1]]
    binding.set_input("k", np.array([sizes[0]], kind))
    assert binding.run() == [sizes[0]]
    binding.close()
