//===- All sizes of a model as texts --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNXShapes/ShapeTable.h"
#include "ModelMessage.h"
#include "ShapeText.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::symbolic;

std::string onnx::describeGuard(const ShapeGuard &guard) {
  std::string text = guard.predicate.str() + "  (" + guard.because;
  if (StringRef node = getNodeName(guard.loc); !node.empty())
    text += (", node " + node).str();
  return text + ")";
}

static std::string getInputName(ModelShapes &shapes, unsigned index) {
  auto name = shapes.getFunction().getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName);
  return name ? name.getValue().str() : std::to_string(index);
}

static ShapeTable::Symbol getSymbol(ModelShapes &shapes, const SymbolDeclaration &symbol) {
  return {symbol.name, printSymbolFacts(symbol),
          describeOrigin(symbol, [&](unsigned index) { return getInputName(shapes, index); })};
}

namespace {

/// Makes the rows of values. Few sizes and element types stand in many of them: each is printed once.
class ValuePrinter {
public:
  ShapeTable::Value print(Value value, std::string name, std::string node, const std::optional<Dims> &dims) {
    ShapeTable::Value result{std::move(name), "", std::move(node), std::nullopt};
    if (value)
      result.elementType = print(cast<TensorType>(value.getType()).getElementType());
    if (!dims)
      return result;
    result.dims.emplace();
    for (Expr dim : *dims)
      result.dims->push_back(dim ? print(dim) : "?");
    return result;
  }

private:
  const std::string &print(Type type) {
    std::string &text = types[type];
    if (text.empty())
      llvm::raw_string_ostream(text) << type;
    return text;
  }
  const std::string &print(Expr expr) {
    std::string &text = exprs[expr];
    if (text.empty())
      text = expr.str();
    return text;
  }

  llvm::DenseMap<Type, std::string> types;
  llvm::DenseMap<Expr, std::string> exprs;
};

} // namespace

ShapeTable onnx::getShapeTable(ModelShapes &shapes) {
  ShapeTable table;
  ValuePrinter printer;
  table.conflicts = shapes.getConflicts().vec();
  func::FuncOp function = shapes.getFunction();
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    table.inputs.push_back(printer.print(argument, getInputName(shapes, index), "", shapes.getInputDims(index)));
  }
  const void *message = shapes.getMessage().get();
  auto print = [&](const std::string &name, std::string node) {
    return printer.print(shapes.getValue(name), name, std::move(node), shapes.getDims(name));
  };
  llvm::StringMap<std::string> nodes;
  for (const ComputedValue &value : listComputedValues(message)) {
    nodes[value.name] = value.node;
    table.values.push_back(print(value.name, value.node));
  }
  for (const std::string &output : listOutputs(message))
    table.outputs.push_back(print(output, nodes.lookup(output)));
  // Last: asking for dims may have made abbreviations.
  for (const SymbolDeclaration &symbol : shapes.getAnalysis().getSymbols())
    table.symbols.push_back(getSymbol(shapes, symbol));
  for (const ShapeGuard &guard : shapes.getGuards())
    table.guards.push_back({guard.predicate.str(), guard.because, getNodeName(guard.loc).str()});
  return table;
}

void onnx::printShapeTable(const ShapeTable &table, raw_ostream &os) {
  for (const std::string &conflict : table.conflicts)
    os << "contradiction: " << conflict << '\n';
  os << "symbols\n";
  for (const ShapeTable::Symbol &symbol : table.symbols)
    os << "  " << symbol.name << ": " << symbol.facts << (symbol.origin.empty() ? "" : "  ") << symbol.origin << '\n';
  if (!table.guards.empty())
    os << "guards\n";
  for (const ShapeTable::Guard &guard : table.guards)
    os << "  " << guard.predicate << "  (" << guard.because << (guard.node.empty() ? "" : ", node ") << guard.node
       << ")\n";
  auto print = [&](StringRef title, ArrayRef<ShapeTable::Value> values) {
    os << title << '\n';
    for (const ShapeTable::Value &value : values) {
      os << "  " << value.name << "  ";
      if (value.dims) {
        os << '[';
        llvm::interleaveComma(*value.dims, os);
        os << ']';
      } else {
        os << "of unknown rank";
      }
      os << (value.elementType.empty() ? "" : " ") << value.elementType << '\n';
    }
  };
  print("inputs", table.inputs);
  print("outputs", table.outputs);
  print("values", table.values);
}
