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
static llvm::Expected<std::string> completeDescriptor(mlir::ModuleOp module, const ArtefactOptions &options) {
  auto attribute = module->getAttrOfType<mlir::StringAttr>(DynDialect::kDescriptorAttrName);
  if (!attribute)
    return llvm::createStringError("the module has no dyn.descriptor; dyn-lower-host should have made one");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(attribute.getValue());
  if (!value)
    return value.takeError();
  llvm::json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("the module's dyn.descriptor is no JSON object");
  (*object)["target_cpu"] = options.cpu.name;
  (*object)["cpu_features"] = llvm::json::Array(options.cpu.features);
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

/// The one exported symbol, of type DynArtefact.
static llvm::Error addTable(llvm::Module &module, llvm::StringRef descriptor, llvm::ArrayRef<CUDAImage> images) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *integer = llvm::Type::getInt64Ty(context);
  llvm::Function *check = module.getFunction(kCheckFunctionName), *run = module.getFunction(kRunFunctionName);
  llvm::Constant *buffers = module.getFunction(kBuffersFunctionName);
  if (!check || !run)
    return llvm::createStringError("the module has no entry points; dyn-lower-host should have made them");
  llvm::Constant *text = llvm::ConstantDataArray::getString(context, descriptor, /*AddNull=*/true);
  auto *textGlobal = new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                                              llvm::GlobalValue::InternalLinkage, text, "dyn.descriptor");
  llvm::Constant *members[] = {llvm::ConstantInt::get(integer, DYN_ARTEFACT_MAGIC),
                               llvm::ConstantInt::get(integer, DYN_ARTEFACT_VERSION),
                               textGlobal,
                               llvm::ConstantInt::get(integer, descriptor.size()),
                               check,
                               run,
                               addImages(module, images),
                               llvm::ConstantInt::get(integer, images.size()),
                               buffers ? buffers : llvm::Constant::getNullValue(pointer)};
  llvm::StructType *type =
      llvm::StructType::get(context, {integer, integer, pointer, integer, pointer, pointer, pointer, integer, pointer});
  new llvm::GlobalVariable(module, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantStruct::get(type, members), "dyn_artefact");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
dyn::translateArtefact(mlir::ModuleOp module, const ArtefactOptions &options, llvm::LLVMContext &context) {
  llvm::Expected<std::string> descriptor = completeDescriptor(module, options);
  if (!descriptor)
    return descriptor.takeError();
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context, "dyn");
  if (!result)
    return llvm::createStringError("cannot translate the module to LLVM IR");
  result->setTargetTriple(llvm::Triple(options.cpu.triple));
  result->setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : *result)
    if (!function.isDeclaration()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setDoesNotThrow();
      function.addFnAttr("prefer-vector-width", std::to_string(options.cpu.vectorBits));
    }
  // Weights may lie more than 2 GiB from code.
  if (result->getTargetTriple().isX86())
    for (auto global : module.getOps<mlir::LLVM::GlobalOp>())
      if (global->hasAttr(DynDialect::kWeightAttrName))
        result->getGlobalVariable(global.getSymName())->setCodeModel(llvm::CodeModel::Large);
  if (llvm::Error error = addTable(*result, *descriptor, options.images))
    return std::move(error);
  return result;
}
