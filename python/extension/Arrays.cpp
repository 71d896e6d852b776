//===- Arrays that numpy does not take over ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include <cstdint>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>
#include <vector>

using Array = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;

/// The bits of a bfloat16 array in memory as uint16; None of anything else. Shares memory with `value`.
static nanobind::object takeBFloat16(nanobind::handle value) {
  Array array;
  if (!nanobind::try_cast(value, array, /*convert=*/false))
    return nanobind::none();
  nanobind::dlpack::dtype type = array.dtype();
  if (type.code != uint8_t(nanobind::dlpack::dtype_code::Bfloat) || type.bits != 16 || type.lanes != 1)
    return nanobind::none();
  nanobind::capsule owner(new Array(array), [](void *held) noexcept { delete static_cast<Array *>(held); });
  std::vector<size_t> shape;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < array.ndim(); ++i) {
    shape.push_back(array.shape(i));
    strides.push_back(array.stride(i));
  }
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, const uint16_t>(array.data(), shape.size(), shape.data(),
                                                                           owner, strides.data()));
}

/// Where the elements of dense arrays lie. numpy's own way of telling takes longer than a small model runs.
static std::vector<uintptr_t> getAddresses(const std::vector<nanobind::handle> &arrays) {
  std::vector<uintptr_t> addresses;
  for (nanobind::handle array : arrays) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_SIMPLE) == 0) {
      addresses.push_back(reinterpret_cast<uintptr_t>(buffer.buf));
      PyBuffer_Release(&buffer);
      continue;
    }
    // Element types that numpy does not define itself, such as bfloat16, have no buffers.
    PyErr_Clear();
    addresses.push_back(nanobind::cast<uintptr_t>(array.attr("ctypes").attr("data")));
  }
  return addresses;
}

void dyn::python::registerArrays(nanobind::module_ &module) {
  module.def("take_bfloat16", takeBFloat16, "The bits of a bfloat16 array as uint16; None of anything else.");
  module.def("addresses", getAddresses, "Where the elements of dense numpy arrays lie.");
}
