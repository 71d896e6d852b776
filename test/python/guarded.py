"""Runs artefacts through the C interface where a read or write beside a tensor shows.

Each tensor and the arena end at a page that may not be touched. What lies before a tensor, and everything that a run has
to write before it reads it, holds bytes of 0xFF, which are NaN as floats.
"""

import ctypes
import faulthandler
import mmap

import numpy as np

PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Refused(Exception):
    """The model does not run at these sizes."""


class Place:
    """Memory in front of a page that may not be touched."""

    def __init__(self):
        self.capacity = -1

    def take(self, size, alignment):
        """The address of `size` bytes that end at the page, or less than `alignment` before it; all bytes are 0xFF."""
        if size + alignment > self.capacity:
            self.capacity = (2 * size + alignment + PAGE - 1) // PAGE * PAGE
            # The map is never unmapped while the place lives; a smaller one goes when nothing refers to it.
            self._map = mmap.mmap(-1, self.capacity + PAGE)
            self.bytes = np.frombuffer(self._map, np.uint8, self.capacity)
            self._end = self.bytes.ctypes.data + self.capacity
            if _libc.mprotect(self._end, PAGE, 0):
                raise OSError(ctypes.get_errno(), "mprotect")
        start = (self.capacity - size) // alignment * alignment
        self.start = start
        self.bytes[max(start - 64, 0):] = 0xFF
        return self._end - self.capacity + start

    def is_untouched_before(self):
        return (self.bytes[max(self.start - 64, 0):self.start] == 0xFF).all()


class GuardedModel:
    """An artefact, run with a given number of threads."""

    def __init__(self, runtime, path, threads):
        faulthandler.enable()  # Says in which test it was if a guard page is touched.
        self._runtime = runtime
        self._model = ctypes.c_void_p()
        self._require(runtime.dynModelLoad(str(path).encode(), ctypes.c_uint(threads), ctypes.byref(self._model)))
        self._places = {}

    def close(self):
        self._runtime.dynModelFree(self._model)

    def _require(self, status):
        if status:
            raise Refused(self._runtime.dynGetLastError().decode())

    def _place(self, kind, index):
        return self._places.setdefault((kind, index), Place())

    def _put(self, index, array):
        address = self._place("input", index).take(array.nbytes, array.itemsize)
        ctypes.memmove(address, array.ctypes.data, array.nbytes)
        return address

    def run(self, inputs, types, ranks):
        """Outputs of the given element types and ranks for a list of arrays."""
        addresses = [self._put(i, array) for i, array in enumerate(inputs)]
        flat = [size for array in inputs for size in array.shape]
        dims = (ctypes.c_int64 * max(len(flat), 1))(*flat)
        data = (ctypes.c_void_p * max(len(inputs), 1))(*addresses)
        symbols = (ctypes.c_int64 * max(self._runtime.dynModelGetNumSymbols(self._model), 1))()
        output_dims, arena_bytes = (ctypes.c_int64 * max(sum(ranks), 1))(), ctypes.c_size_t()
        self._require(self._runtime.dynModelCheck(self._model, dims, data, symbols, output_dims, ctypes.byref(arena_bytes)))
        arena = ctypes.c_void_p(self._place("arena", 0).take(arena_bytes.value, 64))
        shapes, position = [], 0
        for rank in ranks:
            shapes.append(tuple(output_dims[position:position + rank]))
            position += rank
        sizes = [int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize for shape, kind in zip(shapes, types)]
        outputs = [self._place("output", i).take(size, np.dtype(kind).itemsize)
                   for i, (size, kind) in enumerate(zip(sizes, types))]
        results = (ctypes.c_void_p * max(len(outputs), 1))(*outputs)
        self._require(self._runtime.dynModelRun(self._model, symbols, data, results, arena))
        for key, place in self._places.items():
            assert place.is_untouched_before(), f"bytes before {key} were written"
        for i, array in enumerate(inputs):
            assert ctypes.string_at(addresses[i], array.nbytes) == array.tobytes(), f"input {i} was written"
        return [np.frombuffer(ctypes.string_at(address, size), kind).reshape(shape)
                for address, size, kind, shape in zip(outputs, sizes, types, shapes)]


def load_runtime(build):
    runtime = ctypes.CDLL(build / "lib/libdyn_runtime.so")
    runtime.dynGetLastError.restype = ctypes.c_char_p
    runtime.dynModelGetNumSymbols.restype = ctypes.c_size_t
    return runtime
