//===- Constants of the imported module --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Interpreter/ReferenceTensor.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Error;
using llvm::Expected;

Type onnx::getElementType(ElementType type, MLIRContext *context) {
  Builder b(context);
  switch (type) {
  case ElementType::Float:
    return b.getF32Type();
  case ElementType::Double:
    return b.getF64Type();
  case ElementType::Float16:
    return b.getF16Type();
  case ElementType::BFloat16:
    return b.getBF16Type();
  case ElementType::Bool:
    return b.getI1Type();
  case ElementType::String:
    return StringType::get(context);
  case ElementType::Int8:
    return b.getI8Type();
  case ElementType::Int16:
    return b.getI16Type();
  case ElementType::Int32:
    return b.getI32Type();
  case ElementType::Int64:
    return b.getI64Type();
  case ElementType::UInt8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case ElementType::UInt16:
    return b.getIntegerType(16, /*isSigned=*/false);
  case ElementType::UInt32:
    return b.getIntegerType(32, /*isSigned=*/false);
  case ElementType::UInt64:
    return b.getIntegerType(64, /*isSigned=*/false);
  case ElementType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementType::Float4E2M1:
    return Float4E2M1FNType::get(context);
  case ElementType::Float8E8M0:
    return Float8E8M0FNUType::get(context);
  case ElementType::UInt4:
    return b.getIntegerType(4, /*isSigned=*/false);
  case ElementType::Int4:
    return b.getIntegerType(4);
  case ElementType::UInt2:
    return b.getIntegerType(2, /*isSigned=*/false);
  case ElementType::Int2:
    return b.getIntegerType(2);
  default:
    return {};
  }
}

Type onnx::getSizedElementType(ElementType type, MLIRContext *context) {
  Builder b(context);
  if (type == ElementType::Complex64)
    return ComplexType::get(b.getF32Type());
  if (type == ElementType::Complex128)
    return ComplexType::get(b.getF64Type());
  return getElementType(type, context);
}

ElementType onnx::getElementType(Type type) {
  for (auto number = static_cast<int32_t>(ElementType::Float); number <= static_cast<int32_t>(ElementType::Int2);
       ++number)
    if (getSizedElementType(static_cast<ElementType>(number), type.getContext()) == type)
      return static_cast<ElementType>(number);
  return ElementType::Undefined;
}

Type onnx::getTypeOfNumber(int32_t number, MLIRContext *context) {
  return getElementType(static_cast<ElementType>(number), context);
}

Type onnx::getSizedTypeOfNumber(int32_t number, MLIRContext *context) {
  return getSizedElementType(static_cast<ElementType>(number), context);
}

int32_t onnx::getNumberOfType(Type type) { return static_cast<int32_t>(getElementType(type)); }

static std::string describe(const Tensor &tensor) {
  return tensor.name.empty() ? "constant" : "tensor " + quoteName(tensor.name);
}

/// The number of bytes that the type of a tensor with elements of `size` bytes says it has.
static Expected<uint64_t> computeByteLength(const Tensor &tensor, uint64_t size) {
  if (!size)
    return llvm::createStringError(describe(tensor) + " has elements of type " + getElementTypeName(tensor.type) +
                                   ", which is not supported");
  bool empty = false, overflow = false;
  for (int64_t dim : tensor.dims) {
    if (dim < 0)
      return llvm::createStringError(describe(tensor) + " has the negative dim " + std::to_string(dim));
    empty |= dim == 0;
    std::optional<uint64_t> product = llvm::checkedMulUnsigned(size, static_cast<uint64_t>(dim));
    overflow |= !product;
    size = product.value_or(size);
  }
  if (empty)
    return 0;
  if (overflow || size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return llvm::createStringError(describe(tensor) + " has more bytes than can be counted");
  return size;
}

static Expected<uint64_t> computeByteLength(const Tensor &tensor) {
  return computeByteLength(tensor, getByteSize(tensor.type));
}

/// The bytes of a tensor, of which there are `length`; `view` is set when they lie in a file.
Expected<StringRef> ConstantPool::readBytes(const Tensor &tensor, uint64_t length,
                                            std::optional<ExternalFiles::View> &view) {
  unsigned perByte = getElementsPerByte(tensor.type);
  if (perByte > 1) {
    // What shares bytes is copied.
    uint64_t packed = (length + perByte - 1) / perByte;
    StringRef bytes = tensor.bytes;
    if (tensor.external) {
      Expected<ExternalFiles::View> read = files.read(*tensor.external, packed);
      if (!read)
        return llvm::createStringError(describe(tensor) + ": " + llvm::toString(read.takeError()));
      bytes = read->bytes;
    }
    if (bytes.size() != packed)
      return llvm::createStringError(describe(tensor) + " has " + std::to_string(bytes.size()) +
                                     " bytes of data instead of the " + std::to_string(packed) +
                                     " that its type needs");
    return unpacked = unpackElements(tensor.type, bytes, length);
  }
  if (tensor.external) {
    Expected<ExternalFiles::View> read = files.read(*tensor.external, length);
    if (!read)
      return llvm::createStringError(describe(tensor) + ": " + llvm::toString(read.takeError()));
    view = *read;
    return view->bytes;
  }
  if (tensor.bytes.size() != length)
    return llvm::createStringError(describe(tensor) + " has " + std::to_string(tensor.bytes.size()) +
                                   " bytes of data instead of the " + std::to_string(length) + " that its type needs");
  return tensor.bytes;
}

static DenseElementsAttr getElements(RankedTensorType type, StringRef bytes) {
  if (type.getElementType().isInteger(1)) {
    // Any byte but 0 is true in ONNX.
    SmallVector<bool> values = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes.data(), bytes.size()));
}

static Expected<DenseElementsAttr> readStrings(const Tensor &tensor, MLIRContext *context) {
  if (tensor.external)
    return llvm::createStringError(describe(tensor) + " has strings in a file, which is not supported");
  std::optional<int64_t> count = dyn::getNumElements(tensor.dims);
  if (!count || tensor.strings.size() != static_cast<uint64_t>(*count))
    return llvm::createStringError(describe(tensor) + " has " + std::to_string(tensor.strings.size()) +
                                   " strings, which is not what its dims say");
  return DenseElementsAttr::get(RankedTensorType::get(tensor.dims, StringType::get(context)), tensor.strings);
}

Expected<DenseElementsAttr> ConstantPool::readElements(const Tensor &tensor, MLIRContext *context) {
  if (tensor.type == ElementType::String)
    return readStrings(tensor, context);
  Expected<uint64_t> length = computeByteLength(tensor);
  if (!length)
    return length.takeError();
  std::optional<ExternalFiles::View> view;
  Expected<StringRef> bytes = readBytes(tensor, *length, view);
  if (!bytes)
    return bytes.takeError();
  return getElements(RankedTensorType::get(tensor.dims, getElementType(tensor.type, context)), *bytes);
}

Expected<Value> ConstantPool::createTensor(Location loc, const Tensor &tensor) {
  if (tensor.type == ElementType::String) {
    Expected<DenseElementsAttr> strings = readStrings(tensor, loc.getContext());
    return strings ? Expected<Value>(create(loc, *strings)) : strings.takeError();
  }
  bool isComplex =
      options.omitWeights && (tensor.type == ElementType::Complex64 || tensor.type == ElementType::Complex128);
  uint64_t complexSize = tensor.type == ElementType::Complex64 ? 8 : 16;
  Expected<uint64_t> length = computeByteLength(tensor, isComplex ? complexSize : getByteSize(tensor.type));
  if (!length)
    return length.takeError();
  auto type = RankedTensorType::get(tensor.dims, getSizedElementType(tensor.type, loc.getContext()));
  auto omit = [&] { return insert(loc, type, WeightAttr::get(type, "", 0, *length)); };
  if (isComplex || (options.omitWeights && *length > options.inlineLimit))
    return omit();
  std::optional<ExternalFiles::View> view;
  Expected<StringRef> bytes = readBytes(tensor, *length, view);
  if (!bytes && options.omitWeights) {
    // A model without its weights has sizes all the same. Those inside of it are missing by mistake only.
    std::string objection = llvm::toString(bytes.takeError());
    if (!tensor.external)
      emitWarning(loc) << objection;
    return omit();
  }
  if (!bytes)
    return bytes.takeError();
  bool isBool = tensor.type == ElementType::Bool;
  if (options.inlineWeights || *length <= options.inlineLimit)
    return create(loc, getElements(type, *bytes));
  if (!view)
    view = findInModel(*bytes);
  // Booleans are copied, because only 0 and 1 may reach compiled code.
  if (view && !isBool && !options.copyExternalData)
    return createWeight(loc, type, view->path, view->offset, *length);
  if (writer.getPath().empty())
    return llvm::createStringError(
        "tensor '" + tensor.name.str() + "' needs a file for its " + std::to_string(*length) +
        " bytes: name an output (-o), beside which weights go, or have them inside (--inline-weights)");
  std::string booleans;
  if (isBool) {
    booleans = bytes->str();
    for (char &byte : booleans)
      byte = byte != 0;
    bytes = StringRef(booleans);
  }
  Expected<uint64_t> offset = writer.append(*bytes);
  if (!offset)
    return offset.takeError();
  return createWeight(loc, type, writer.getPath(), *offset, *length);
}

std::optional<ExternalFiles::View> ConstantPool::findInModel(StringRef bytes) const {
  // Pointers into different objects have an order as integers only.
  auto at = [](const char *pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  if (!options.referToModel || model.path.empty() || at(bytes.begin()) < at(model.bytes.begin()) ||
      at(bytes.end()) > at(model.bytes.end()))
    return std::nullopt;
  return ExternalFiles::View{model.path, at(bytes.begin()) - at(model.bytes.begin()), bytes};
}

Value ConstantPool::createWeight(Location loc, Type type, StringRef path, uint64_t offset, uint64_t length) {
  auto [known, isNew] = namesOfFiles.try_emplace(path);
  if (isNew)
    known->second = nameFile(path);
  return insert(loc, type, WeightAttr::get(llvm::cast<ShapedType>(type), known->second, offset, length));
}

std::string ConstantPool::nameFile(StringRef path) const {
  SmallString<256> root, file(path);
  if (!options.moduleDirectory.empty() && !llvm::sys::fs::real_path(options.moduleDirectory, root)) {
    llvm::sys::fs::make_absolute(file);
    SmallString<256> parent;
    if (!llvm::sys::fs::real_path(llvm::sys::path::parent_path(file), parent) && parent == root)
      file = SmallString<256>(llvm::sys::path::filename(path));
  } else {
    llvm::sys::fs::make_absolute(file);
  }
  return file.str().str();
}

Value ConstantPool::insert(Location loc, Type type, Attribute value) {
  OpBuilder b(loc.getContext());
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(body);
  last = ConstantOp::create(b, loc, type, value);
  return last->getResult(0);
}

Value ConstantPool::create(Location loc, ElementsAttr elements) { return insert(loc, elements.getType(), elements); }

Value ConstantPool::getShared(Location loc, ElementsAttr elements) {
  Value &value = shared[elements];
  if (!value)
    value = create(loc, elements);
  return value;
}

Value ConstantPool::getScalar(Location loc, double value, Type elementType) {
  Value &known = scalars[{elementType, llvm::bit_cast<uint64_t>(value)}];
  if (known)
    return known;
  Attribute element;
  if (auto type = dyn_cast<FloatType>(elementType))
    element = FloatAttr::get(type, value);
  else
    element = IntegerAttr::get(elementType, APInt(elementType.getIntOrFloatBitWidth(), static_cast<int64_t>(value),
                                                  /*isSigned=*/true, /*implicitTrunc=*/true));
  return known = getShared(loc, DenseElementsAttr::get(RankedTensorType::get({}, elementType), element));
}
