//===- Inferred sizes back into an ONNX model -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNXShapes/ExportShapes.h"
#include "ModelMessage.h"
#include "dyn/Target/Files/OutputFile.h"
#include "dyn/Target/ONNX/DimSpec.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "dyn/Target/ONNX/ExternalData.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

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

std::string onnx::getDimText(Expr dim) {
  // A name alone stands as it is; only inside an expression it has to be told from what is around it.
  return dim.isSymbol() ? dim.getSymbolName().str() : dim.str(Syntax::SymPy);
}

static InferredType getType(Value value, const std::optional<Dims> &dims) {
  InferredType type{getNumberOfType(cast<TensorType>(value.getType()).getElementType()), std::nullopt};
  if (!dims)
    return type;
  type.dims.emplace();
  for (Expr dim : *dims)
    type.dims->push_back(dim ? getDimText(dim) : "");
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
    std::optional<Dims> dims = shapes.getInputDims(argument.getArgNumber());
    InferredType type = getType(argument, dims);
    if (dims)
      keepDeclaredTexts(declaredInputs.lookup(name), *dims, *type.dims);
    return type;
  };
  auto getValueType = [&](StringRef name) -> std::optional<InferredType> {
    Value value = shapes.getValue(name);
    return value ? std::optional(getType(value, shapes.getDims(name))) : std::nullopt;
  };
  writeTypes(shapes.getMessage().get(), getInputType, getValueType);
}

Expected<std::string> onnx::serializeWithShapes(ModelShapes &shapes) {
  writeShapes(shapes);
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
