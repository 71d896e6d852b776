//===- Inferred sizes back into an ONNX model -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNXShapes/ExportShapes.h"
#include "ModelMessage.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Target/Files/OutputFile.h"
#include "dyn/Target/ONNX/DimSpec.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "dyn/Target/ONNX/ExternalData.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <numeric>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::symbolic;
using llvm::Error;
using llvm::Expected;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

template <typename... Ts>
static Error failed(const Ts &...parts) {
  std::string message;
  (message.append(StringRef(parts).str()), ...);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// The message
//===----------------------------------------------------------------------===//

namespace {
/// Texts in arithmetic that every reader knows, with the value of the expression.
class PlainText {
public:
  explicit PlainText(Expr expr) {
    // Names that are found again in a text.
    for (Expr symbol : expr.getSymbols())
      while (symbol.getSymbolName().contains(prefix))
        prefix += '$';
    if (Expr hidden = hide(*getTree(expr)))
      text = spellOut(hidden);
  }
  std::string text; ///< empty where 64 bits overflow

private:
  /// With a symbol in place of each broadcast, and quotients rounded that are exact.
  Expr hide(const ExprTree &tree) {
    using Kind = ExprTree::Kind;
    SmallVector<Expr, 4> operands;
    for (const auto &operand : tree.operands) {
      operands.push_back(hide(*operand));
      if (!operands.back())
        return {};
    }
    auto fold = [&](auto combine) {
      return std::accumulate(std::next(operands.begin()), operands.end(), operands.front(), combine);
    };
    switch (tree.kind) {
    case Kind::Constant:
      return context.getConstant(tree.value);
    case Kind::Symbol:
      return context.getSymbol(tree.symbol);
    case Kind::Add:
      return fold([](Expr a, Expr b) { return a + b; });
    case Kind::Mul:
      return fold([](Expr a, Expr b) { return a * b; });
    case Kind::FloorDiv:
    case Kind::ExactDiv:
      return floorDiv(operands[0], operands[1]);
    case Kind::CeilDiv:
      return ceilDiv(operands[0], operands[1]);
    case Kind::Mod:
      return symbolic::mod(operands[0], operands[1]);
    case Kind::Min:
      return symbolic::min(operands);
    case Kind::Max:
      return symbolic::max(operands);
    case Kind::Bcast: {
      // The greatest is the size, or 0 where one is 0: the others are 1 or equal to it.
      std::string list;
      for (Expr operand : operands)
        list += (list.empty() ? "" : ", ") + operand.str(Syntax::SymPy);
      broadcasts.push_back("Max(" + list + ")*Min(" + list + ", 1)");
      return context.getSymbol(getName(broadcasts.size() - 1));
    }
    }
    llvm_unreachable("every kind is above");
  }

  std::string getName(size_t broadcast) const { return prefix + std::to_string(broadcast) + "$"; }

  std::string spellOut(Expr hidden) const {
    std::string text = hidden.str(Syntax::SymPy);
    // Those inside of others were found first.
    for (size_t broadcast = broadcasts.size(); broadcast-- > 0;) {
      std::string name = getName(broadcast);
      std::string spelt = text == name ? broadcasts[broadcast] : "(" + broadcasts[broadcast] + ")";
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + spelt.size()))
        text.replace(at, name.size(), spelt);
    }
    return text;
  }

  SymbolicContext context;
  std::string prefix = "bcast$";
  std::vector<std::string> broadcasts;
};
} // namespace

std::string onnx::getDimText(Expr dim) {
  // A name alone stands as it is; only inside an expression it has to be told from what is around it.
  if (dim.isSymbol())
    return dim.getSymbolName().str();
  bool isPlain = !getTree(dim)->contains({ExprTree::Kind::Bcast, ExprTree::Kind::ExactDiv});
  std::string text = isPlain ? std::string() : PlainText(dim).text;
  return text.empty() ? dim.str(Syntax::SymPy) : text;
}

static InferredType getType(int elementType, const std::optional<Dims> &dims) {
  InferredType type{elementType, std::nullopt, /*isSequence=*/false};
  if (!dims)
    return type;
  type.dims.emplace();
  for (Expr dim : *dims)
    type.dims->push_back(dim ? getDimText(dim) : "");
  return type;
}

static InferredType getType(Value value, const std::optional<Dims> &dims) {
  InferredType type = getType(getNumberOfType(getTensorElementType(value.getType())), dims);
  type.isOptional = isa<OptionalType>(value.getType());
  return type;
}

/// What an input declares stays as it is written, unless it names nothing or options say something else.
static void keepDeclaredTexts(ArrayRef<std::string> declared, ArrayRef<Expr> dims, std::vector<std::string> &texts) {
  if (declared.size() != texts.size())
    return;
  for (auto [text, dim, result] : llvm::zip(declared, dims, texts))
    if (dim && parseDimText(text, dim.getContext()) == dim)
      result = text;
}

void onnx::writeShapes(ModelShapes &shapes) {
  llvm::StringMap<std::vector<std::string>> declaredInputs;
  for (DeclaredType &type : readInputTypes(shapes.getMessage().get()))
    declaredInputs[type.name] = std::move(type.dims);
  func::FuncOp function = shapes.getFunction();
  auto getInputType = [&](StringRef name) -> std::optional<InferredType> {
    auto argument = dyn_cast_if_present<BlockArgument>(shapes.getValue(name));
    auto argumentName = argument
                            ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), DynDialect::kNameAttrName)
                            : StringAttr();
    if (!argumentName || argumentName.getValue() != name)
      return std::nullopt; // An initializer.
    if (!isa<TensorType>(argument.getType()))
      return std::nullopt; // Of what is in an optional nothing is known but what is declared.
    std::optional<Dims> dims = shapes.getInputDims(argument.getArgNumber());
    InferredType type = getType(argument, dims);
    if (dims)
      keepDeclaredTexts(declaredInputs.lookup(name), *dims, *type.dims);
    return type;
  };
  auto getValueType = [&](StringRef name) -> std::optional<InferredType> {
    if (Value value = shapes.getValue(name))
      return getType(value, shapes.getDims(name));
    if (std::optional<SequenceShape> sequence = shapes.findSequence(name)) {
      InferredType type = getType(getNumberOfType(sequence->elementType), sequence->dims);
      type.isSequence = true;
      return type;
    }
    const UnneededTensor *unneeded = shapes.findUnneeded(name);
    if (!unneeded)
      return std::nullopt;
    InferredType type = getType(unneeded->elementType, unneeded->dims);
    type.isSequence = unneeded->isSequence;
    return type;
  };
  auto isSymbol = [&](StringRef name) {
    return llvm::any_of(shapes.getAnalysis().getSymbols(),
                        [&](const SymbolDeclaration &symbol) { return symbol.name == name; });
  };
  writeTypes(shapes.getMessage().get(), getInputType, getValueType, isSymbol);
}

Expected<std::string> onnx::serializeWithShapes(ModelShapes &shapes) {
  writeShapes(shapes);
  shapes.completeMessage();
  return serialize(shapes.getMessage().get());
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Expected<bool> haveSameContents(StringRef file, StringRef other) {
  auto first = llvm::MemoryBuffer::getFile(file, false, false),
       second = llvm::MemoryBuffer::getFile(other, false, false);
  if (!first)
    return failed("can't read '", file, "': ", first.getError().message());
  if (!second)
    return failed("can't read '", other, "': ", second.getError().message());
  return (*first)->getBuffer() == (*second)->getBuffer();
}

/// Copies one file of external data beside the output.
static Error copyData(StringRef from, StringRef to, StringRef location) {
  if (fs::exists(to)) {
    Expected<bool> same = haveSameContents(from, to);
    if (!same)
      return same.takeError();
    return *same ? Error::success()
                 : failed("external data '", location, "' would replace '", to, "', which holds something else");
  }
  if (std::error_code error = fs::create_directories(path::parent_path(to)))
    return failed("can't make the folder of '", to, "': ", error.message());
  auto buffer = llvm::MemoryBuffer::getFile(from, false, false);
  if (!buffer)
    return failed("can't read '", from, "': ", buffer.getError().message());
  return writeOutputFile(to, [&](raw_ostream &os) { os << (*buffer)->getBuffer(); });
}

Error onnx::exportWithShapes(ModelShapes &shapes, StringRef model, StringRef output,
                             llvm::function_ref<void(const Twine &)> warn) {
  if (isSameFile(model, output))
    return failed("the output '", output, "' is the model itself");
  std::vector<std::pair<std::string, std::string>> data; // location and file
  for (const std::string &location : listExternalFiles(shapes.getMessage().get())) {
    Expected<std::string> found = findExternalFile(path::parent_path(model), location);
    if (!found)
      return found.takeError();
    if (found->empty())
      warn("external data '" + location + "' is missing");
    else if (isSameFile(*found, output))
      return failed("the output '", output, "' holds weights of the model");
    else
      data.emplace_back(location, std::move(*found));
  }
  Expected<OutputFile> file = OutputFile::create(output);
  if (!file)
    return file.takeError();
  Expected<std::string> bytes = serializeWithShapes(shapes);
  if (!bytes)
    return bytes.takeError();
  for (const auto &[location, from] : data) {
    SmallString<256> to(path::parent_path(output));
    path::append(to, location);
    if (!isSameFile(from, to) && !isStream(output))
      if (Error error = copyData(from, to, location))
        return error;
  }
  if (Error error = file->write([&](raw_ostream &os) { os << *bytes; }))
    return error;
  return file->commit();
}
