//===- NumPy's file format ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "dyn/Target/Files/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn;
using llvm::StringRef;

namespace {
struct TypeName {
  DynElementType type;
  StringRef descr; ///< NumPy's letter and size, without byte order
};
} // namespace

static constexpr TypeName kTypes[] = {{DYN_FLOAT32, "f4"}, {DYN_FLOAT64, "f8"}, {DYN_FLOAT16, "f2"}, {DYN_INT8, "i1"},
                                      {DYN_INT16, "i2"},   {DYN_INT32, "i4"},   {DYN_INT64, "i8"},   {DYN_UINT8, "u1"},
                                      {DYN_UINT16, "u2"},  {DYN_UINT32, "u4"},  {DYN_UINT64, "u8"},  {DYN_BOOL, "b1"},
                                      {DYN_BFLOAT16, "V2"}};

/// NumPy has no such elements: they are written, a byte each, as the numbers that integers are, and as bytes without a
/// meaning that floats are. By the numbers of onnx.TensorProto.DataType.
static StringRef getNarrowDescr(int type) {
  switch (type) {
  case 21: // uint4
  case 25: // uint2
    return "u1";
  case 22: // int4
  case 26: // int2
    return "i1";
  default:
    return "V1";
  }
}

static StringRef getDescr(DynElementType type) {
  const TypeName *known = llvm::find_if(kTypes, [&](const TypeName &entry) { return entry.type == type; });
  return known == std::end(kTypes) ? getNarrowDescr(type) : known->descr;
}

size_t dyn::getElementBytes(DynElementType type) { return size_t(getDescr(type).back() - '0'); }

std::string dyn::formatDims(llvm::ArrayRef<int64_t> dims) {
  return "[" + llvm::join(llvm::map_range(dims, [](int64_t dim) { return std::to_string(dim); }), ", ") + "]";
}

/// Nothing when the address space is too small.
static std::optional<size_t> getBytes(const Tensor &tensor) {
  size_t bytes = getElementBytes(tensor.elementType);
  if (llvm::is_contained(tensor.dims, 0))
    return 0;
  for (int64_t dim : tensor.dims)
    if (__builtin_mul_overflow(bytes, size_t(dim), &bytes))
      return std::nullopt;
  return bytes <= PTRDIFF_MAX ? std::optional(bytes) : std::nullopt;
}

llvm::Error dyn::allocate(Tensor &tensor, const llvm::Twine &what) {
  std::string subject = (what + " of dims " + formatDims(tensor.dims)).str();
  std::optional<size_t> bytes = getBytes(tensor);
  if (!bytes)
    return llvm::createStringError(subject + " is larger than the address space");
  try {
    tensor.data.resize(*bytes);
  } catch (const std::bad_alloc &) {
    return llvm::createStringError("not enough memory: " + subject + " needs " + llvm::Twine(*bytes) + " bytes");
  }
  return llvm::Error::success();
}

static llvm::Error fail(StringRef path, const llvm::Twine &message) {
  return llvm::createStringError("'" + path + "': " + message);
}

/// The text after `'key':` in the header's dictionary.
static StringRef findValue(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  return at == StringRef::npos ? "" : header.drop_front(at + key.size() + 3).ltrim();
}

namespace {
/// How the elements lie in a file.
struct Order {
  bool isBigEndian = false, isColumnMajor = false;
};
} // namespace

static llvm::Error readHeader(StringRef path, StringRef header, Tensor &tensor, Order &order) {
  StringRef descr = findValue(header, "descr");
  if (!descr.consume_front("'"))
    return fail(path, "has no plain element type");
  descr = descr.take_until([](char c) { return c == '\''; });
  StringRef name = descr.drop_front(1);
  const TypeName *type = llvm::find_if(kTypes, [&](const TypeName &entry) { return entry.descr == name; });
  if (type == std::end(kTypes))
    return fail(path, "has element type '" + descr + "', which no input can have");
  order.isBigEndian = descr.starts_with(">") && type->type != DYN_BFLOAT16;
  order.isColumnMajor = findValue(header, "fortran_order").starts_with("True");
  tensor.elementType = type->type;
  StringRef shape = findValue(header, "shape");
  if (!shape.consume_front("("))
    return fail(path, "has no shape");
  llvm::SmallVector<StringRef> parts;
  shape.take_until([](char c) { return c == ')'; }).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t dim;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, dim) || dim < 0)
      return fail(path, "has a shape that can't be read");
    tensor.dims.push_back(dim);
  }
  return llvm::Error::success();
}

/// Puts elements that lie in the order of `from` into that of rows and of this machine.
static void arrange(llvm::ArrayRef<char> from, Order order, Tensor &tensor) {
  size_t bytes = getElementBytes(tensor.elementType), rank = tensor.dims.size();
  // Where the element of the tensor that is next lies in the file, and its place.
  std::vector<int64_t> strides(rank), place(rank);
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    strides[i] = stride;
    stride *= tensor.dims[i];
  }
  int64_t source = 0;
  for (size_t at = 0; at < tensor.data.size(); at += bytes) {
    const char *element = from.data() + (order.isColumnMajor ? size_t(source) * bytes : at);
    char *to = tensor.data.data() + at;
    if (order.isBigEndian)
      std::reverse_copy(element, element + bytes, to);
    else
      std::copy(element, element + bytes, to);
    for (size_t i = rank; i-- > 0;) {
      source += strides[i];
      if (++place[i] < tensor.dims[i])
        break;
      source -= strides[i] * tensor.dims[i];
      place[i] = 0;
    }
  }
}

llvm::Expected<Tensor> dyn::readNpy(StringRef path) {
  // A device may have no end.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return fail(path, "is no regular file");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(path, file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.consume_front("\x93NUMPY") || bytes.size() < 8)
    return fail(path, "is no .npy file");
  bool wide = bytes[0] >= 2;
  size_t length =
      wide ? llvm::support::endian::read32le(bytes.data() + 2) : llvm::support::endian::read16le(bytes.data() + 2);
  size_t start = wide ? 6 : 4;
  if (bytes.size() < start + length)
    return fail(path, "is cut off");
  Tensor tensor;
  Order order;
  if (llvm::Error error = readHeader(path, bytes.substr(start, length), tensor, order))
    return std::move(error);
  bytes = bytes.drop_front(start + length);
  std::optional<size_t> expected = getBytes(tensor);
  if (!expected)
    return fail(path, "has a shape that can't be");
  if (bytes.size() != *expected)
    return fail(path,
                "holds " + llvm::Twine(bytes.size()) + " bytes of data, its shape needs " + llvm::Twine(*expected));
  if (llvm::Error error = allocate(tensor, "the array in '" + path + "'"))
    return std::move(error);
  if (order.isBigEndian || order.isColumnMajor)
    arrange(llvm::ArrayRef<char>(bytes.data(), bytes.size()), order, tensor);
  else
    llvm::copy(bytes, tensor.data.begin());
  return tensor;
}

llvm::Error dyn::writeNpy(StringRef path, const Tensor &tensor) {
  StringRef descr = getDescr(tensor.elementType);
  std::string header = "{'descr': '";
  header += descr.back() == '1' ? "|" : "<";
  header += descr.str() + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : tensor.dims)
    header += std::to_string(dim) + ",";
  header += "), }";
  // Magic, version and length take 10 bytes; the data start at a multiple of 64.
  header.append(llvm::alignTo(10 + header.size() + 1, 64) - 10 - header.size() - 1, ' ');
  header += '\n';
  return writeOutputFile(path, [&](llvm::raw_ostream &os) {
    char length[2];
    llvm::support::endian::write16le(length, uint16_t(header.size()));
    os << "\x93NUMPY" << char(1) << char(0) << StringRef(length, 2) << header
       << StringRef(tensor.data.data(), tensor.data.size());
  });
}
