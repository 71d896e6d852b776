//===- Strings in concrete tensors ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Strings.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

uint64_t dyn::getNumberOfString(StringRef text, MLIRContext *context) {
  if (text.empty())
    return 0;
  return reinterpret_cast<uintptr_t>(StringAttr::get(context, text).getAsOpaquePointer());
}

StringRef dyn::getStringOfNumber(uint64_t number) {
  if (number == 0)
    return {};
  return cast<StringAttr>(Attribute::getFromOpaquePointer(reinterpret_cast<const void *>(number))).getValue();
}
