//===- All sizes of a model as texts --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNXShapes/ShapeTable.h"
#include "ModelMessage.h"
#include "ShapeText.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "llvm/Support/StringSaver.h"

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

std::string onnx::describeOrigin(ModelShapes &shapes, const SymbolDeclaration &symbol) {
  auto getName = [&](unsigned input) { return getInputName(shapes, input); };
  auto getDim = [&](unsigned input, unsigned index) {
    ExprAttr dim = getArgumentDim(shapes.getFunction(), input, index);
    return dim ? dim.getText().str() : "";
  };
  return dyn::describeOrigin(symbol, {getName, getDim});
}

/// The symbols that stand anywhere for people: in values, in guards, and in what is said of such symbols. Those of the
/// inside of a loop do not. `used`: in values.
static llvm::SmallDenseSet<Expr> findMentioned(ModelShapes &shapes, const llvm::SmallDenseSet<Expr> &used) {
  ShapeAnalysis &analysis = shapes.getAnalysis();
  llvm::DenseMap<Expr, StringRef> definitions;
  for (const SymbolDeclaration &symbol : analysis.getSymbols())
    definitions[analysis.getContext().getSymbol(symbol.name)] = symbol.definition;
  llvm::SmallDenseSet<Expr> mentioned;
  SmallVector<Expr> open;
  auto mention = [&](ArrayRef<Expr> symbols) {
    for (Expr symbol : symbols)
      if (mentioned.insert(symbol).second)
        open.push_back(symbol);
  };
  mention(llvm::to_vector(used));
  for (const ShapeGuard &guard : shapes.getGuards())
    mention(guard.predicate.getSymbols());
  while (!open.empty()) {
    Expr symbol = open.pop_back_val();
    SizeLimits limits = analysis.getSizeLimits(symbol);
    StringRef text = definitions.lookup(symbol);
    ParseError error;
    Expr definition = text.empty() ? Expr() : parseExpr(text, analysis.getContext(), error);
    for (Expr said : {limits.lower, limits.upper, definition})
      if (said)
        mention(said.getSymbols());
  }
  return mentioned;
}

/// `, at least n - 1, at most n`: limits of a size from data that are no numbers, which its range would tell.
static std::string describeLimits(ShapeAnalysis &analysis, const SymbolDeclaration &symbol) {
  SizeLimits limits = analysis.getSizeLimits(analysis.getContext().getSymbol(symbol.name));
  std::string text;
  for (auto [limit, words] : {std::pair(limits.lower, ", at least "), std::pair(limits.upper, ", at most ")})
    if (Expr known = limit ? analysis.simplify(limit) : Expr(); known && !known.getConstant())
      text += words + known.str();
  return text;
}

static ShapeTable::Symbol getSymbol(ModelShapes &shapes, const SymbolDeclaration &symbol) {
  return {symbol.name, printSymbolFacts(symbol),
          describeOrigin(shapes, symbol) + describeLimits(shapes.getAnalysis(), symbol)};
}

namespace {

/// Makes the rows of values. Few sizes and element types stand in many of them: each is printed once.
class ValuePrinter {
public:
  explicit ValuePrinter(llvm::BumpPtrAllocator &memory) : memory(memory), saver(memory) {}

  /// The symbols of all that was printed.
  const llvm::SmallDenseSet<Expr> &getSymbols() const { return symbols; }
  /// `type`: that of the elements; null where it is not known. `node` is a text that save() has given.
  ShapeTable::Value print(Type type, StringRef name, StringRef node, const std::optional<Dims> &dims) {
    ShapeTable::Value result{save(name), "", node, std::nullopt, std::nullopt};
    if (type)
      result.elementType = print(type);
    if (!dims)
      return result;
    auto *texts = memory.Allocate<StringRef>(dims->size());
    for (auto [index, dim] : llvm::enumerate(*dims))
      new (texts + index) StringRef(dim ? print(dim) : "?");
    result.dims = ArrayRef(texts, dims->size());
    return result;
  }
  ShapeTable::Value print(const SequenceShape &sequence, StringRef name, StringRef node) {
    ShapeTable::Value result = print(sequence.elementType, name, node, sequence.dims);
    result.length = sequence.length ? print(sequence.length) : StringRef("?");
    return result;
  }
  StringRef save(StringRef text) { return saver.save(text); }

private:
  StringRef print(Type type) {
    StringRef &text = types[type];
    if (text.empty()) {
      std::string printed;
      if (isa<StringType>(type))
        printed = "string";
      else
        llvm::raw_string_ostream(printed) << type;
      text = save(printed);
    }
    return text;
  }
  StringRef print(Expr expr) {
    StringRef &text = exprs[expr];
    if (text.empty()) {
      text = save(expr.str());
      symbols.insert_range(expr.getSymbols());
    }
    return text;
  }

  llvm::BumpPtrAllocator &memory;
  llvm::StringSaver saver;
  llvm::DenseMap<Type, StringRef> types;
  llvm::DenseMap<Expr, StringRef> exprs;
  llvm::SmallDenseSet<Expr> symbols;
};

} // namespace

ShapeTable onnx::getShapeTable(ModelShapes &shapes) {
  ShapeTable table;
  ValuePrinter printer(table.memory);
  table.conflicts = shapes.getConflicts().vec();
  func::FuncOp function = shapes.getFunction();
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    std::string name = getInputName(shapes, index);
    if (std::optional<SequenceShape> sequence = shapes.findSequence(name)) {
      table.inputs.push_back(printer.print(*sequence, name, ""));
      continue;
    }
    table.inputs.push_back(
        printer.print(getTensorElementType(argument.getType()), name, "", shapes.getInputDims(index)));
  }
  const void *message = shapes.getMessage().get();
  auto print = [&](StringRef name, StringRef node) {
    Value value = shapes.getValue(name);
    if (!value || shapes.hasKnownSequences())
      if (std::optional<SequenceShape> sequence = shapes.findSequence(name))
        return printer.print(*sequence, name, node);
    if (value)
      return printer.print(getTensorElementType(value.getType()), name, node, shapes.getDims(value));
    if (const UnneededTensor *unneeded = shapes.findUnneeded(name)) {
      Type type = getSizedTypeOfNumber(unneeded->elementType, function.getContext());
      return unneeded->isSequence ? printer.print(SequenceShape{type, unneeded->dims, Expr()}, name, node)
                                  : printer.print(type, name, node, unneeded->dims);
    }
    return printer.print(Type(), name, node, std::nullopt);
  };
  std::vector<std::string> outputs = listOutputs(message);
  llvm::StringMap<StringRef> nodesOfOutputs;
  for (const std::string &output : outputs)
    nodesOfOutputs[output];
  forEachComputingNode(message, [&](StringRef label, ArrayRef<StringRef> names) {
    StringRef node = printer.save(label);
    for (StringRef name : names) {
      if (auto output = nodesOfOutputs.find(name); output != nodesOfOutputs.end())
        output->second = node;
      table.values.push_back(print(name, node));
    }
  });
  for (const std::string &output : outputs)
    table.outputs.push_back(print(output, nodesOfOutputs.lookup(output)));
  // Last: asking for dims may have made abbreviations.
  llvm::SmallDenseSet<Expr> mentioned = findMentioned(shapes, printer.getSymbols());
  auto isOfInput = [](const SymbolDeclaration &symbol) {
    return symbol.origin != SymbolDeclaration::Origin::Bound && symbol.origin != SymbolDeclaration::Origin::Defined;
  };
  for (const SymbolDeclaration &symbol : shapes.getAnalysis().getSymbols())
    if (isOfInput(symbol) || mentioned.contains(shapes.getAnalysis().getContext().getSymbol(symbol.name)))
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
      os << "  " << value.name << "  " << (value.length ? "sequence of " : "");
      if (value.dims) {
        os << '[';
        llvm::interleaveComma(*value.dims, os);
        os << ']';
      } else {
        os << (value.length ? "tensors " : "") << "of unknown rank";
      }
      os << (value.elementType.empty() ? "" : " ") << value.elementType;
      if (value.length && *value.length != "?")
        os << ", length " << *value.length;
      os << '\n';
    }
  };
  print("inputs", table.inputs);
  print("outputs", table.outputs);
  print("values", table.values);
}
