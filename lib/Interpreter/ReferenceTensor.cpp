//===- Concrete tensors of the interpreter -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/ReferenceTensor.h"
#include "Elements.h"
#include "NarrowElements.h"
#include "Strings.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;

std::optional<int64_t> dyn::getElementBytes(Type elementType) {
  if (elementType.isInteger(1) || elementType.isInteger(8) || isNarrowElement(elementType))
    return 1;
  if (elementType.isInteger(16) || elementType.isF16() || elementType.isBF16())
    return 2;
  if (elementType.isInteger(32) || elementType.isF32())
    return 4;
  if (elementType.isInteger(64) || elementType.isF64() || isa<StringType>(elementType))
    return 8;
  return std::nullopt;
}

std::optional<int64_t> dyn::getNumElements(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  // A zero makes the product zero, however large the other dims are.
  if (llvm::any_of(dims, [](int64_t dim) { return dim < 0; }))
    return std::nullopt;
  if (llvm::is_contained(dims, 0))
    return 0;
  for (int64_t dim : dims)
    if (llvm::MulOverflow(count, dim, count))
      return std::nullopt;
  return count;
}

std::optional<ReferenceTensor> ReferenceTensor::allocate(Type elementType, ArrayRef<int64_t> dims) {
  std::optional<int64_t> elementBytes = dyn::getElementBytes(elementType), count = dyn::getNumElements(dims);
  int64_t bytes;
  if (!elementBytes || !count || llvm::MulOverflow(*count, *elementBytes, bytes))
    return std::nullopt;
  // `calloc` gives pages that the system has cleared already, and can say no.
  void *memory = std::calloc(std::max<int64_t>(bytes, 1), 1);
  if (!memory)
    return std::nullopt;
  ReferenceTensor tensor;
  tensor.elementType = elementType;
  tensor.dims.assign(dims.begin(), dims.end());
  tensor.numElements = *count;
  tensor.data = std::shared_ptr<const char>(static_cast<char *>(memory),
                                            [](const char *data) { std::free(const_cast<char *>(data)); });
  return tensor;
}

ReferenceTensor ReferenceTensor::makeList(std::vector<ReferenceTensor> elements) {
  ReferenceTensor tensor;
  tensor.list = std::make_shared<const std::vector<ReferenceTensor>>(std::move(elements));
  return tensor;
}

ReferenceTensor ReferenceTensor::wrap(Type elementType, ArrayRef<int64_t> dims, const char *data,
                                      std::shared_ptr<const void> owner) {
  ReferenceTensor tensor;
  tensor.elementType = elementType;
  tensor.dims.assign(dims.begin(), dims.end());
  tensor.numElements = *dyn::getNumElements(dims);
  tensor.data = std::shared_ptr<const char>(std::move(owner), data);
  return tensor;
}

std::optional<ReferenceTensor> ReferenceTensor::fromAttribute(ElementsAttr elements) {
  auto type = cast<ShapedType>(elements.getType());
  std::optional<ReferenceTensor> tensor = allocate(type.getElementType(), type.getShape());
  if (!tensor)
    return std::nullopt;
  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements)) {
    auto *out = tensor->getMutableElements<uint64_t>();
    for (StringRef text : strings.getValues<StringRef>())
      *out++ = getNumberOfString(text, type.getContext());
    return tensor;
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (dense && isNarrowElement(type.getElementType())) {
    auto *out = tensor->getMutableElements<uint8_t>();
    if (auto integer = dyn_cast<IntegerType>(type.getElementType()))
      for (const APInt &value : dense.getValues<APInt>())
        *out++ = static_cast<uint8_t>(integer.isUnsigned() ? value.getZExtValue()
                                                           : static_cast<uint64_t>(value.getSExtValue()));
    else
      for (const APFloat &value : dense.getValues<APFloat>())
        *out++ = static_cast<uint8_t>(value.bitcastToAPInt().getZExtValue());
    return tensor;
  }
  // Dense data that are not packed bits lie in memory as ours do.
  if (dense && !dense.isSplat() && !type.getElementType().isInteger(1)) {
    ArrayRef<char> raw = dense.getRawData();
    std::copy(raw.begin(), raw.end(), tensor->getMutableData());
    return tensor;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != tensor->getBytes().size())
      return std::nullopt;
    std::copy(blob->getData().begin(), blob->getData().end(), tensor->getMutableData());
    return tensor;
  }
  bool known = dispatchElement(type.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T *out = tensor->getMutableElements<T>();
    if constexpr (isFloat<T>) {
      for (const APFloat &value : elements.getValues<APFloat>()) {
        APFloat wide = value;
        bool lossy;
        wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
        *out++ = T(wide.convertToDouble());
      }
    } else {
      for (const APInt &value : elements.getValues<APInt>())
        *out++ = static_cast<T>(value.getZExtValue());
    }
  });
  return known ? tensor : std::nullopt;
}

void ReferenceTensor::setIntegers(ArrayRef<int64_t> values) {
  assert(static_cast<int64_t>(values.size()) == numElements && "one value for each element");
  dispatchElement(elementType, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    llvm::transform(values, getMutableElements<T>(), [](int64_t value) { return convertElement<T>(value); });
  });
}

std::optional<ReferenceTensor> ReferenceTensor::fromStrings(ArrayRef<std::string> texts, ArrayRef<int64_t> dims,
                                                            MLIRContext *context) {
  std::optional<ReferenceTensor> tensor = allocate(StringType::get(context), dims);
  if (!tensor || tensor->getNumElements() != static_cast<int64_t>(texts.size()))
    return std::nullopt;
  llvm::transform(texts, tensor->getMutableElements<uint64_t>(),
                  [&](const std::string &text) { return getNumberOfString(text, context); });
  return tensor;
}

std::optional<SmallVector<StringRef>> ReferenceTensor::getStrings() const {
  if (isList() || !isa<StringType>(elementType))
    return std::nullopt;
  return SmallVector<StringRef>(llvm::map_range(getElements<uint64_t>(), getStringOfNumber));
}

SmallVector<int64_t> ReferenceTensor::getIntegers() const {
  SmallVector<int64_t> values;
  dispatchElement(elementType, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (!isFloat<T>)
      for (T value : getElements<T>())
        values.push_back(static_cast<int64_t>(value));
  });
  return values;
}

ReferenceTensor ReferenceTensor::withDims(ArrayRef<int64_t> newDims) const {
  assert(dyn::getNumElements(newDims) == numElements);
  ReferenceTensor tensor = *this;
  tensor.dims.assign(newDims.begin(), newDims.end());
  return tensor;
}

DenseElementsAttr ReferenceTensor::toAttribute() const {
  auto type = RankedTensorType::get(dims, elementType);
  if (isa<StringType>(elementType))
    return DenseElementsAttr::get(type, llvm::map_to_vector(getElements<uint64_t>(), getStringOfNumber));
  if (elementType.isInteger(1)) {
    auto values = llvm::map_to_vector(getElements<Boolean>(), [](Boolean value) { return static_cast<bool>(value); });
    return DenseElementsAttr::get(type, values);
  }
  if (auto integer = dyn_cast<IntegerType>(elementType); integer && isNarrowElement(integer)) {
    // Attributes have 0 in the bits beyond the width.
    SmallVector<char> bytes(getBytes());
    for (char &byte : bytes)
      byte = static_cast<char>(byte & ((1 << integer.getWidth()) - 1));
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  return DenseElementsAttr::getFromRawBuffer(type, getBytes());
}

llvm::raw_ostream &dyn::operator<<(llvm::raw_ostream &os, const ReferenceTensor &tensor) {
  if (tensor.isList())
    return os << "list of " << tensor.getList().size();
  os << "tensor<";
  for (int64_t dim : tensor.getDims())
    os << dim << 'x';
  return os << tensor.getElementType() << '>';
}
