//===- Symbols, facts, guards and dims for people -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Transforms/Shapes/Passes.h"

namespace dyn {
#define GEN_PASS_DEF_PRINTSHAPESPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// `[B, S, 768] f32`
static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor || !tensor.hasRank()) {
    os << type;
    return text;
  }
  auto ranked = cast<RankedTensorType>(type);
  os << '[';
  if (DimsAttr dims = DimsAttr::of(ranked))
    llvm::interleaveComma(dims.getDims(), os, [&](ExprAttr dim) { os << dim.getText(); });
  else
    llvm::interleaveComma(ranked.getShape(), os, [&](int64_t dim) {
      if (ShapedType::isDynamic(dim))
        os << '?';
      else
        os << dim;
    });
  os << "] " << ranked.getElementType();
  return text;
}

namespace {

struct PrintShapes : dyn::impl::PrintShapesPassBase<PrintShapes> {
  void runOnOperation() override;
};

} // namespace

void PrintShapes::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration())
    return;
  // Written at once: functions are handled in parallel.
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "function " << function.getName() << '\n';
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName)) {
    os << "  symbols\n";
    for (const symbolic::SymbolDeclaration &symbol : symbols.getDeclarations())
      os << "    " << symbolic::printSymbolDeclarations(symbol) << '\n';
  }
  if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName)) {
    os << "  constraints\n";
    for (PredAttr constraint : constraints.getPredicates())
      os << "    " << constraint.getText() << '\n';
  }
  auto guards = function.front().getOps<RequireOp>();
  if (!guards.empty()) {
    os << "  guards\n";
    for (RequireOp guard : guards) {
      os << "    " << guard.getPredicate().getText() << "  (" << guard.getBecause();
      if (StringRef node = getNodeName(guard.getLoc()); !node.empty())
        os << ", node " << node;
      os << ")\n";
    }
  }
  auto printNames = [&](unsigned count, StringRef title, auto getName, auto getType) {
    os << "  " << title << '\n';
    for (unsigned i = 0; i < count; ++i) {
      auto name = getName(i);
      os << "    " << (name ? name.getValue().str() : std::to_string(i)) << "  " << print(getType(i)) << '\n';
    }
  };
  printNames(
      function.getNumArguments(), "inputs",
      [&](unsigned i) { return function.getArgAttrOfType<StringAttr>(i, DynDialect::kNameAttrName); },
      [&](unsigned i) { return function.getArgumentTypes()[i]; });
  printNames(
      function.getNumResults(), "outputs",
      [&](unsigned i) { return function.getResultAttrOfType<StringAttr>(i, DynDialect::kNameAttrName); },
      [&](unsigned i) { return function.getResultTypes()[i]; });
  os << "  values\n";
  for (Operation &op : function.front()) {
    if (isa<ConstantOp>(op))
      continue;
    for (Value result : op.getResults())
      os << "    " << op.getName().stripDialect() << "  " << print(result.getType()) << "  " << getNodeName(op.getLoc())
         << '\n';
  }
  llvm::outs() << text;
}
