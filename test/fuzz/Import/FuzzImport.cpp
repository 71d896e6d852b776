//===- Any bytes as an ONNX model ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A model is imported with its weights written to a file, and its sizes are
// inferred. What is refused is refused with an error, and leaves no file.
//
//===----------------------------------------------------------------------===//

#include "ModelMutations.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "dyn/Target/ONNXShapes/CheckDims.h"
#include "dyn/Target/ONNXShapes/ExportShapes.h"
#include "dyn/Target/ONNXShapes/ShapeTable.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>

using namespace dyn;
using namespace dyn::onnx;
namespace fs = llvm::sys::fs;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

// MLIR's libraries hand out memory of allocators that inline functions of headers, which are sanitized here, mark as
// free, and do not mark it as taken.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

static void require(bool condition, const llvm::Twine &what) {
  if (condition)
    return;
  std::fprintf(stderr, "%s\n", what.str().c_str());
  std::abort();
}

namespace {

/// A folder with a file `data` that models may refer to, removed at the end.
class Workplace {
public:
  Workplace() {
    require(!fs::createUniqueDirectory("import-fuzz", folder), "no temporary folder");
    std::error_code error;
    llvm::raw_fd_ostream stream(getPath("data"), error);
    require(!error, "no file in the temporary folder");
    for (char byte = 0; byte < 64; ++byte)
      stream << byte;
  }
  ~Workplace() { fs::remove_directories(folder); }

  std::string getFolder() const { return folder.str().str(); }
  std::string getPath(llvm::StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  /// Removes what an import wrote. After one that failed there must be nothing.
  void clear(bool succeeded) {
    std::error_code error;
    std::vector<std::string> found;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (llvm::sys::path::filename(entry->path()) != "data")
        found.push_back(entry->path());
    require(!error, "the temporary folder can't be read");
    for (const std::string &path : found) {
      require(succeeded && path == getPath("weights"), "the import leaves " + path);
      fs::remove(path);
    }
  }

private:
  llvm::SmallString<128> folder;
};

/// The diagnostics of a context, which nobody sees.
struct Errors {
  explicit Errors(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          count += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        }) {}
  unsigned count = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

static void import(llvm::ArrayRef<char> bytes, Workplace &workplace) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Errors errors(context);
  ImportOptions options;
  options.dataDirectory = options.moduleDirectory = workplace.getFolder();
  options.weightsFile = workplace.getPath("weights");
  options.copyExternalData = true;
  options.inlineLimit = 16;
  mlir::OwningOpRef<mlir::ModuleOp> module = importONNX(bytes, "model", options, &context);
  require(module || errors.count > 0, "refused without an error");
  if (module)
    module->print(llvm::nulls());
  workplace.clear(static_cast<bool>(module));
}

static void inferShapes(llvm::ArrayRef<char> bytes, Workplace &workplace) {
  mlir::DialectRegistry registry;
  registerModelShapesDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  Errors errors(context);
  ImportOptions options;
  options.dataDirectory = workplace.getFolder();
  std::unique_ptr<ModelShapes> shapes = ModelShapes::infer(bytes, "model", options, &context);
  require(shapes || errors.count > 0, "refused without an error, for its sizes");
  if (shapes) {
    printShapeTable(getShapeTable(*shapes), llvm::nulls());
    printCheck(checkDims(*shapes), llvm::nulls());
    llvm::Expected<std::string> written = serializeWithShapes(*shapes);
    if (written)
      require(::onnx::ModelProto().ParseFromString(*written), "written so that it does not read back");
    else
      require(!llvm::toString(written.takeError()).empty(), "not written, without a word");
  }
  workplace.clear(/*succeeded=*/false);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Workplace workplace;
  llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(data), size);
  import(bytes, workplace);
  inferShapes(bytes, workplace);
  return 0;
}

/// 0 if there is no room.
static size_t write(const ::onnx::ModelProto &model, uint8_t *data, size_t maxSize) {
  size_t size = model.ByteSizeLong();
  return size <= maxSize && model.SerializePartialToArray(data, static_cast<int>(size)) ? size : 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  ::onnx::ModelProto model;
  if (random() % 4 == 0 || !model.ParsePartialFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, maxSize);
  fuzz::ModelMutations mutations(model, seed);
  for (unsigned i = 0, e = 1 + random() % 4; i != e; ++i)
    mutations.changeField();
  size_t written = write(model, data, maxSize);
  return written != 0 ? written : LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *result, size_t maxSize, unsigned seed) {
  ::onnx::ModelProto model, other;
  if (!model.ParsePartialFromArray(first, static_cast<int>(firstSize)) ||
      !other.ParsePartialFromArray(second, static_cast<int>(secondSize)))
    return 0;
  fuzz::ModelMutations(model, seed).takeFrom(other);
  return write(model, result, maxSize);
}
