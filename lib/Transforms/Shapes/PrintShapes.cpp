//===- Symbols, facts, guards and dims for people -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Transforms/Shapes/Passes.h"

namespace dyn {
#define GEN_PASS_DEF_PRINTSHAPESPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// `[B, S, 768] f32`. Below the waterline, `dims` of inputs and outputs stand beside their type.
static std::string print(Type type, DimsAttr dims = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank()) {
    os << type;
    return text;
  }
  if (!dims)
    dims = DimsAttr::of(shaped);
  os << '[';
  if (dims)
    llvm::interleaveComma(dims.getDims(), os, [&](ExprAttr dim) { os << dim.getText(); });
  else
    llvm::interleaveComma(shaped.getShape(), os, [&](int64_t dim) {
      if (ShapedType::isDynamic(dim))
        os << '?';
      else
        os << dim;
    });
  os << "] " << shaped.getElementType();
  return text;
}

static void printGuard(StringRef predicate, StringRef because, Location loc, raw_ostream &os) {
  os << "    " << predicate << "  (" << because;
  if (StringRef node = getNodeName(loc); !node.empty())
    os << ", node " << node;
  os << ")\n";
}

static void print(func::FuncOp function, raw_ostream &os) {
  os << "function " << function.getName() << '\n';
  auto getInputName = [&](unsigned number) {
    auto name = function.getArgAttrOfType<StringAttr>(number, DynDialect::kNameAttrName);
    return name ? name.getValue().str() : std::to_string(number);
  };
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName)) {
    auto getDim = [&](unsigned number, unsigned index) {
      ExprAttr dim = getArgumentDim(function, number, index);
      return dim ? dim.getText().str() : "";
    };
    os << "  symbols\n";
    for (const symbolic::SymbolDeclaration &symbol : symbols.getDeclarations())
      os << "    " << describeSymbol(symbol, {getInputName, getDim}) << '\n';
  }
  if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName)) {
    os << "  constraints\n";
    for (PredAttr constraint : constraints.getPredicates())
      os << "    " << constraint.getText() << '\n';
  }
  auto guards = function.front().getOps<RequireOp>();
  auto checks = function.front().getOps<shape::CheckOp>();
  if (!guards.empty() || !checks.empty())
    os << "  guards\n";
  for (RequireOp guard : guards)
    printGuard(guard.getPredicate().getText(), guard.getBecause(), guard.getLoc(), os);
  for (shape::CheckOp check : checks)
    printGuard(check.getPredicate().getText(), check.getBecause(), check.getLoc(), os);
  auto printPort = [&](unsigned number, Type type, DictionaryAttr attributes) {
    auto name = attributes ? attributes.getAs<StringAttr>(DynDialect::kNameAttrName) : StringAttr();
    auto dims = attributes ? attributes.getAs<DimsAttr>(DynDialect::kDimsAttrName) : DimsAttr();
    os << "    " << (name ? name.getValue().str() : std::to_string(number)) << "  " << print(type, dims) << '\n';
  };
  // Once memory is planned, outputs are buffers that the caller hands over.
  auto isOutput = [&](unsigned i) { return function.getArgAttr(i, DynDialect::kOutputAttrName) != nullptr; };
  os << "  inputs\n";
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!isOutput(i))
      printPort(i, function.getArgumentTypes()[i], function.getArgAttrDict(i));
  os << "  outputs\n";
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    printPort(i, function.getResultTypes()[i], function.getResultAttrDict(i));
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (isOutput(i))
      printPort(i, function.getArgumentTypes()[i], function.getArgAttrDict(i));
  os << "  values\n";
  for (Operation &op : function.front()) {
    if (isa<ConstantOp>(op))
      continue;
    for (Value result : op.getResults())
      os << "    " << op.getName().stripDialect() << "  " << print(result.getType()) << "  " << getNodeName(op.getLoc())
         << '\n';
  }
}

namespace {

struct PrintShapes : dyn::impl::PrintShapesPassBase<PrintShapes> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        print(function, llvm::outs());
  }
};

} // namespace
