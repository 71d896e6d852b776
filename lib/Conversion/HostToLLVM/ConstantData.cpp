//===- Constants and weights in the artefact -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "Program.h"
#include "dyn/Conversion/KernelCode/PanelLayout.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::host;

/// The bytes of dense elements as they lie in memory: booleans take one each. Nothing for what is not stored so.
static std::optional<std::string> getBytes(ElementsAttr elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || resource.getElementType().isInteger(1))
      return std::nullopt;
    return std::string(blob->getData().begin(), blob->getData().end());
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return std::nullopt;
  std::string bytes;
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat())
    return std::string(raw.begin(), raw.end());
  bytes.reserve(raw.size() * dense.getNumElements());
  for (int64_t index = 0; index < dense.getNumElements(); ++index)
    bytes.append(raw.begin(), raw.end());
  return bytes;
}

FailureOr<Value> ConstantData::getAddress(shape::DataOp op) {
  auto type = cast<MemRefType>(op.getType());
  std::optional<codegen::PanelLayout> layout = codegen::PanelLayout::of(type);
  LLVM::GlobalOp &global = globals[{op.getValue(), type.getLayout().getAffineMap()}];
  if (!global) {
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(table.getOp()->getRegion(0).empty() ? nullptr : &table.getOp()->getRegion(0).front());
    std::string name = "data." + std::to_string(globals.size() - 1);
    auto create = [&](uint64_t bytes, LLVM::Linkage linkage, Attribute value) {
      Type type = LLVM::LLVMArrayType::get(code.getI8Type(), bytes);
      global = LLVM::GlobalOp::create(code, type, /*isConstant=*/true, linkage, name, value, /*alignment=*/64);
    };
    if (auto weight = dyn_cast<WeightAttr>(op.getValue())) {
      uint64_t elementBytes = getBytesOfElement(type.getElementType()), needed = type.getNumElements() * elementBytes;
      if (weight.getLength() < needed)
        return op.emitOpError("needs ") << needed << " bytes, but '" << weight.getFile() << "' gives "
                                        << weight.getLength();
      create(layout ? layout->countElements(type.getShape()) * elementBytes : weight.getLength(),
             LLVM::Linkage::External, Attribute());
      global->setAttr(DynDialect::kWeightAttrName,
                      WeightAttr::get(RankedTensorType::get(type.getShape(), type.getElementType()), weight.getFile(),
                                      weight.getOffset(), weight.getLength()));
      if (layout)
        global->setAttr(DynDialect::kLayoutAttrName, AffineMapAttr::get(type.getLayout().getAffineMap()));
      global.setVisibility_(LLVM::Visibility::Hidden);
    } else {
      std::optional<std::string> bytes = getBytes(cast<ElementsAttr>(op.getValue()));
      if (!bytes)
        return op.emitOpError("has constant data of a kind that cannot be written: ") << op.getValue();
      // LLVM refuses an initializer for an array of no elements that is a string.
      if (bytes->empty())
        bytes->push_back(0);
      create(bytes->size(), LLVM::Linkage::Internal, code.getStringAttr(*bytes));
    }
    table.insert(global);
  }
  return LLVM::AddressOfOp::create(code, global).getResult();
}
