//===- From the llvm dialect to LLVM IR with data ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Triple.h"

using namespace dyn;

void dyn::registerArtefactTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

static std::string getSectionName(const CUDAImage &image) { return ".dyn." + image.getFileName(); }

/// What `dyn-lower-host` said of the program, and what the target adds.
static llvm::Expected<std::string> completeDescriptor(const ArtefactProgram &program, const ArtefactOptions &options) {
  mlir::ModuleOp module = program.module;
  auto attribute = module->getAttrOfType<mlir::StringAttr>(DynDialect::kDescriptorAttrName);
  if (!attribute)
    return llvm::createStringError("the module has no dyn.descriptor; dyn-lower-host should have made one");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(attribute.getValue());
  if (!value)
    return value.takeError();
  llvm::json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("the module's dyn.descriptor is no JSON object");
  (*object)["target_cpu"] = program.cpu.name;
  (*object)["cpu_features"] = llvm::json::Array(program.cpu.features);
  llvm::json::Array archs, images;
  for (const CUDAImage &image : options.images) {
    if (!llvm::is_contained(archs, llvm::json::Value(image.arch)))
      archs.push_back(image.arch);
    images.push_back(llvm::json::Object{{"kind", image.getKind()},
                                        {"arch", image.arch},
                                        {"module", image.module},
                                        {"section", getSectionName(image)},
                                        {"bytes", int64_t(image.bytes.size())}});
  }
  (*object)["cuda_archs"] = std::move(archs);
  (*object)["images"] = std::move(images);
  std::string text;
  llvm::raw_string_ostream(text) << *value;
  return text;
}

/// The images, each in a section of its own, and the table of them; null without any.
static llvm::Constant *addImages(llvm::Module &module, llvm::ArrayRef<CUDAImage> images) {
  llvm::LLVMContext &context = module.getContext();
  llvm::PointerType *pointer = llvm::PointerType::get(context, 0);
  if (images.empty())
    return llvm::ConstantPointerNull::get(pointer);
  auto addData = [&](llvm::StringRef data, bool addNull, const llvm::Twine &name) {
    llvm::Constant *value = llvm::ConstantDataArray::getString(context, data, addNull);
    return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
                                    value, name);
  };
  llvm::Type *integer = llvm::Type::getInt64Ty(context);
  llvm::StructType *type = llvm::StructType::get(context, {pointer, pointer, pointer, pointer, integer});
  std::vector<llvm::Constant *> rows;
  for (const CUDAImage &image : images) {
    llvm::GlobalVariable *data = addData(image.bytes, /*addNull=*/false, "dyn.image." + image.getFileName());
    data->setSection(getSectionName(image));
    data->setAlignment(llvm::Align(64));
    rows.push_back(llvm::ConstantStruct::get(type, {addData(image.getKind(), true, "dyn.image.kind"),
                                                    addData(image.arch, true, "dyn.image.arch"),
                                                    addData(image.module, true, "dyn.image.module"), data,
                                                    llvm::ConstantInt::get(integer, image.bytes.size())}));
  }
  auto *tableType = llvm::ArrayType::get(type, rows.size());
  return new llvm::GlobalVariable(module, tableType, /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantArray::get(tableType, rows), "dyn.images");
}

std::string dyn::getWeightSymbol(llvm::StringRef name, size_t program) {
  return (name + "." + llvm::Twine(program)).str();
}

/// The symbol of a program's table: the one that is exported, or one that only the artefact's own objects see.
static std::string getTableSymbol(size_t program) {
  return program == 0 ? "dyn_artefact" : "dyn_artefact." + std::to_string(program);
}

/// The table of a program, of type DynArtefact.
static llvm::Error addTable(llvm::Module &module, llvm::StringRef descriptor, size_t program, size_t numPrograms,
                            llvm::ArrayRef<CUDAImage> images) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *integer = llvm::Type::getInt64Ty(context);
  llvm::Function *check = module.getFunction(kCheckFunctionName), *run = module.getFunction(kRunFunctionName);
  llvm::Constant *buffers = module.getFunction(kBuffersFunctionName);
  llvm::Function *scratch = module.getFunction(kScratchFunctionName), *arena = module.getFunction(kArenaFunctionName);
  if (!check || !run || !scratch || !arena)
    return llvm::createStringError("the module has no entry points; dyn-lower-host should have made them");
  llvm::Constant *text = llvm::ConstantDataArray::getString(context, descriptor, /*AddNull=*/true);
  auto *textGlobal = new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                                              llvm::GlobalValue::InternalLinkage, text, "dyn.descriptor");
  llvm::Constant *next = llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  if (program + 1 < numPrograms) {
    auto *other = new llvm::GlobalVariable(module, integer, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                                           /*Initializer=*/nullptr, getTableSymbol(program + 1));
    other->setVisibility(llvm::GlobalValue::HiddenVisibility);
    next = other;
  }
  llvm::Constant *members[] = {llvm::ConstantInt::get(integer, DYN_ARTEFACT_MAGIC),
                               llvm::ConstantInt::get(integer, DYN_ARTEFACT_VERSION),
                               textGlobal,
                               llvm::ConstantInt::get(integer, descriptor.size()),
                               check,
                               run,
                               addImages(module, images),
                               llvm::ConstantInt::get(integer, images.size()),
                               buffers ? buffers : llvm::Constant::getNullValue(pointer),
                               scratch,
                               arena,
                               next};
  llvm::StructType *type = llvm::StructType::get(context, {integer, integer, pointer, integer, pointer, pointer,
                                                           pointer, integer, pointer, pointer, pointer, pointer});
  auto *table = new llvm::GlobalVariable(module, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantStruct::get(type, members), getTableSymbol(program));
  if (program > 0)
    table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>> dyn::translateProgram(llvm::ArrayRef<ArtefactProgram> programs,
                                                                    size_t index, const ArtefactOptions &options,
                                                                    llvm::LLVMContext &context) {
  const ArtefactProgram &program = programs[index];
  llvm::Expected<std::string> descriptor = completeDescriptor(program, options);
  if (!descriptor)
    return descriptor.takeError();
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(program.module, context, "dyn");
  if (!result)
    return llvm::createStringError("cannot translate the module to LLVM IR");
  result->setTargetTriple(llvm::Triple(program.cpu.triple));
  result->setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : *result)
    if (!function.isDeclaration()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setDoesNotThrow();
      function.addFnAttr("prefer-vector-width", std::to_string(program.cpu.vectorBits));
    }
  mlir::ModuleOp module = program.module;
  for (auto global : module.getOps<mlir::LLVM::GlobalOp>()) {
    if (!global->hasAttr(DynDialect::kWeightAttrName))
      continue;
    llvm::GlobalVariable *weight = result->getGlobalVariable(global.getSymName());
    weight->setName(getWeightSymbol(global.getSymName(), index));
    // Weights may lie more than 2 GiB from code.
    if (result->getTargetTriple().isX86())
      weight->setCodeModel(llvm::CodeModel::Large);
  }
  // The images are there once, with the exported table.
  llvm::ArrayRef<CUDAImage> images = options.images;
  if (llvm::Error error =
          addTable(*result, *descriptor, index, programs.size(), index == 0 ? images : llvm::ArrayRef<CUDAImage>()))
    return std::move(error);
  return result;
}
