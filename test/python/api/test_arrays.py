"""Arrays of every element type and layout that numpy and DLPack can pass."""

import ctypes

import numpy as np
import pytest
from onnx import TensorProto, helper

import dyn
import small_models as models

TYPES = ["FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "FLOAT16", "DOUBLE", "UINT32", "UINT64"]


def reverse(element_type):
    """y = x[::-1], for any size."""
    bounds = {"start": np.array([-1]), "end": np.array([-(2**62)]), "axis": np.array([0]), "step": np.array([-1])}
    return models.model(
        [helper.make_node("Slice", ["x", *bounds], ["y"])],
        [("x", element_type, ["n"])],
        [("y", element_type, ["n"])],
        bounds,
    )


@pytest.mark.parametrize("name", [*TYPES, "BOOL"])
def test_element_types(name):
    element_type = getattr(TensorProto, name)
    dtype = helper.tensor_dtype_to_np_dtype(element_type)
    exe = dyn.compile(reverse(element_type))
    assert exe.inputs[0].dtype == dtype
    for size in (0, 1, 7):
        x = np.arange(size).astype(dtype)
        (y,) = exe.run({"x": x})
        assert y.dtype == dtype
        np.testing.assert_array_equal(y, x[::-1])


def test_bfloat16_is_that_of_ml_dtypes_or_its_bits():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    exe = dyn.compile(reverse(TensorProto.BFLOAT16))
    x = np.arange(5).astype(ml_dtypes.bfloat16)
    (y,) = exe.run({"x": x})
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y, x[::-1])
    np.testing.assert_array_equal(exe.run({"x": x.view(np.uint16)})[0], y)


class DLTensor(ctypes.Structure):
    """DLPack's DLManagedTensor, whose first member is a DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class BFloat16OfAnotherLibrary:
    """A vector of bfloat16 with steps between its elements, as PyTorch passes it."""

    def __init__(self, bits, step):
        self._bits = bits
        self._shape, self._strides = (ctypes.c_int64 * 1)(len(bits) // step), (ctypes.c_int64 * 1)(step)
        self._tensor = DLTensor(bits.ctypes.data, (1, 0), 1, 4, 16, 1, self._shape, self._strides, 0, None, None)

    def __dlpack__(self, **options):
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return capsule(ctypes.addressof(self._tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return (1, 0)


def test_bfloat16_of_other_libraries():
    bits = np.arange(12, dtype=np.uint16)
    (y,) = dyn.compile(reverse(TensorProto.BFLOAT16)).run({"x": BFloat16OfAnotherLibrary(bits, 2)})
    np.testing.assert_array_equal(y.view(np.uint16), bits[::2][::-1])
    with pytest.raises(dyn.ModelError, match="'x' can't be taken over"):
        dyn.compile(reverse(TensorProto.FLOAT)).run({"x": BFloat16OfAnotherLibrary(bits, 1)})


def test_layouts():
    exe = dyn.compile(models.dense())
    x = np.random.default_rng(0).standard_normal((5, 8)).astype(np.float32)
    (expected,) = exe.run({"x": x})
    wide = np.zeros((5, 16), np.float32)
    wide[:, ::2] = x
    bytes_before = np.zeros(x.nbytes + 1, np.uint8)
    bytes_before[1:] = x.view(np.uint8).ravel()
    frozen = x.copy()
    frozen.flags.writeable = False
    layouts = {
        "column-major": np.asfortranarray(x),
        "strided": wide[:, ::2],
        "backwards": x[::-1].copy()[::-1],
        "unaligned": bytes_before[1:].view(np.float32).reshape(5, 8),
        "read-only": frozen,
        "repeated": np.broadcast_to(x[:1], (5, 8)),
    }
    for name, array in layouts.items():
        wanted = np.repeat(expected[:1], 5, axis=0) if name == "repeated" else expected
        np.testing.assert_array_equal(exe.run({"x": array})[0], wanted, err_msg=name)


class OnAnotherDevice:
    """What an array on an accelerator shows."""

    def __dlpack__(self, **options):
        raise BufferError("the array lies on another device")

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.parametrize(
    "value, text",
    [
        (OnAnotherDevice(), "'x' can't be taken over"),
        (np.ones((1, 8), ">f4"), "type >f4, must be float32"),
        (object(), "type object"),
        ([[1.0] * 8, [1.0]], "'x' is no array"),
        (None, "type object"),
    ],
)
def test_what_is_no_array(value, text):
    with pytest.raises(dyn.ModelError, match=text):
        dyn.compile(models.dense()).run({"x": value})
