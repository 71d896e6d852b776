//===- Concrete tensors of the interpreter --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INTERPRETER_REFERENCETENSOR_H
#define DYN_INTERPRETER_REFERENCETENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>

namespace dyn {

/// Bytes that an element takes in memory: booleans and those of less than a byte one, strings eight, others their
/// width. Nothing for element types that the interpreter does not have, such as complex numbers.
std::optional<int64_t> getElementBytes(mlir::Type elementType);

/// The product of dims; nothing where a dim is negative or the product exceeds 64 bits.
std::optional<int64_t> getNumElements(llvm::ArrayRef<int64_t> dims);

/// A tensor in memory, row-major and densely packed. Copies share the data, which nobody changes after a tensor has
/// been handed on.
class ReferenceTensor {
public:
  ReferenceTensor() = default;

  /// A tensor with zeros in it; nothing where the element type is none of ours or there is not enough memory.
  static std::optional<ReferenceTensor> allocate(mlir::Type elementType, llvm::ArrayRef<int64_t> dims);
  /// A tensor whose data lie elsewhere and live as long as `owner`.
  static ReferenceTensor wrap(mlir::Type elementType, llvm::ArrayRef<int64_t> dims, const char *data,
                              std::shared_ptr<const void> owner);
  static std::optional<ReferenceTensor> fromAttribute(mlir::ElementsAttr elements);
  /// A sequence of tensors, or an optional as a list of one or none. Of what is asked of tensors a list has nothing.
  static ReferenceTensor makeList(std::vector<ReferenceTensor> elements);
  bool isList() const { return static_cast<bool>(list); }
  llvm::ArrayRef<ReferenceTensor> getList() const { return *list; }
  /// Strings, which the context keeps as long as it lives; nothing where there is not enough memory, or other dims.
  static std::optional<ReferenceTensor> fromStrings(llvm::ArrayRef<std::string> texts, llvm::ArrayRef<int64_t> dims,
                                                    mlir::MLIRContext *context);

  mlir::Type getElementType() const { return elementType; }
  llvm::ArrayRef<int64_t> getDims() const { return dims; }
  int64_t getRank() const { return dims.size(); }
  int64_t getDim(int64_t dim) const { return dims[dim]; }
  int64_t getNumElements() const { return numElements; }
  int64_t getElementBytes() const { return *dyn::getElementBytes(elementType); }

  llvm::ArrayRef<char> getBytes() const { return {data.get(), static_cast<size_t>(numElements * getElementBytes())}; }
  /// For the one who allocated it, before it is handed on.
  char *getMutableData() { return const_cast<char *>(data.get()); }

  /// The elements as `T`, whose size is that of an element.
  template <typename T>
  llvm::ArrayRef<T> getElements() const {
    assert(sizeof(T) == static_cast<size_t>(getElementBytes()));
    return {reinterpret_cast<const T *>(data.get()), static_cast<size_t>(numElements)};
  }
  template <typename T>
  T *getMutableElements() {
    assert(sizeof(T) == static_cast<size_t>(getElementBytes()));
    return reinterpret_cast<T *>(getMutableData());
  }

  /// For the one who allocated it: as many values as there are elements, converted to their type.
  void setIntegers(llvm::ArrayRef<int64_t> values);

  /// The elements of an integer or boolean tensor.
  llvm::SmallVector<int64_t> getIntegers() const;

  /// The elements if they are strings.
  std::optional<llvm::SmallVector<llvm::StringRef>> getStrings() const;

  /// The same elements under other dims, of which there are as many.
  ReferenceTensor withDims(llvm::ArrayRef<int64_t> dims) const;

  /// The tensor as `dense<...>`.
  mlir::DenseElementsAttr toAttribute() const;

private:
  mlir::Type elementType;
  llvm::SmallVector<int64_t, 4> dims;
  int64_t numElements = 0;
  std::shared_ptr<const char> data;
  std::shared_ptr<const std::vector<ReferenceTensor>> list;
};

/// `tensor<2x3xf32>`
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const ReferenceTensor &tensor);

} // namespace dyn

#endif // DYN_INTERPRETER_REFERENCETENSOR_H
