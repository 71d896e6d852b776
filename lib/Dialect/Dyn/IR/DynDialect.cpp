//===- Registration of the dyn dialect ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;

#include "dyn/Dialect/Dyn/IR/DynDialect.cpp.inc"
#include "dyn/Dialect/Dyn/IR/DynEnums.cpp.inc"

namespace {
/// Gives long encodings a name, so that types with many dims do not drown the ops.
struct DynOpAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  static constexpr size_t kLongestInlineText = 40;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const final {
    auto dims = dyn_cast<DimsAttr>(attribute);
    if (!dims)
      return AliasResult::NoAlias;
    size_t length = 0;
    for (ExprAttr dim : dims.getDims())
      length += dim.getText().size() + 2;
    if (length <= kLongestInlineText)
      return AliasResult::NoAlias;
    os << "shape";
    return AliasResult::OverridableAlias;
  }
};

/// A function with symbols is not inlined: they would be lost, and its names captured by the caller.
struct DynInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const final {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return !function || !function->hasAttr(DynDialect::kSymbolsAttrName);
  }
};
} // namespace

void DynDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/Dyn/IR/DynOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.cpp.inc"
      >();
  addInterfaces<DynOpAsmInterface, DynInlinerInterface>();
}

Operation *DynDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type || !isa<ElementsAttr, WeightAttr>(value))
    return nullptr;
  return ConstantOp::create(builder, loc, typed);
}
