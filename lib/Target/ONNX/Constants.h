//===- Constants of the imported module --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_CONSTANTS_H
#define DYN_LIB_TARGET_ONNX_CONSTANTS_H

#include "WeightFile.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"

namespace dyn::onnx {

/// The MLIR type of elements; null, for instance, for complex numbers.
mlir::Type getElementType(ElementType type, mlir::MLIRContext *context);
/// The same with a type for complex numbers, which have sizes, but are not computed with.
mlir::Type getSizedElementType(ElementType type, mlir::MLIRContext *context);
/// The inverse.
ElementType getElementType(mlir::Type type);

/// Makes the constants of a function. All stand at its start, those that decompositions need again and again once.
class ConstantPool {
public:
  /// `model` is the file that the model is in; its path may be empty.
  ConstantPool(mlir::Block *body, ExternalFiles::View model, ExternalFiles &files, WeightWriter &writer,
               const ImportOptions &options)
      : body(body), model(std::move(model)), files(files), writer(writer), options(options) {}

  /// An initializer or the tensor of a Constant node.
  llvm::Expected<mlir::Value> createTensor(mlir::Location loc, const Tensor &tensor);
  /// The elements of a small tensor, read wherever they are.
  llvm::Expected<mlir::DenseElementsAttr> readElements(const Tensor &tensor, mlir::MLIRContext *context);
  mlir::Value create(mlir::Location loc, mlir::ElementsAttr elements);
  /// A constant that is shared.
  mlir::Value getShared(mlir::Location loc, mlir::ElementsAttr elements);
  /// The same of a tensor of rank 0.
  mlir::Value getScalar(mlir::Location loc, double value, mlir::Type elementType);

private:
  mlir::Value createWeight(mlir::Location loc, mlir::Type type, llvm::StringRef path, uint64_t offset, uint64_t length);
  /// By its name alone where it lies beside the module, else by its absolute path.
  std::string nameFile(llvm::StringRef path) const;
  /// Valid until the next tensor is read.
  llvm::Expected<llvm::StringRef> readBytes(const Tensor &tensor, uint64_t length,
                                            std::optional<ExternalFiles::View> &view);
  /// Where bytes stand in the file of the model; nothing if they don't, or are not to be read there.
  std::optional<ExternalFiles::View> findInModel(llvm::StringRef bytes) const;
  mlir::Value insert(mlir::Location loc, mlir::Type type, mlir::Attribute value);

  mlir::Block *body;
  ExternalFiles::View model;
  std::string unpacked;                      ///< elements of the last tensor whose elements share bytes in files
  llvm::StringMap<std::string> namesOfFiles; ///< how weights name those that they lie in, by path
  /// The last constant: the next one stands after it.
  mlir::Operation *last = nullptr;
  ExternalFiles &files;
  WeightWriter &writer;
  const ImportOptions &options;
  llvm::DenseMap<mlir::Attribute, mlir::Value> shared;
  llvm::DenseMap<std::pair<mlir::Type, uint64_t>, mlir::Value> scalars; ///< of those by type and bits
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_CONSTANTS_H
