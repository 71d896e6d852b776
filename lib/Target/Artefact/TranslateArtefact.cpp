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
  (*object)["cuda_archs"] = llvm::json::Array();
  std::string text;
  llvm::raw_string_ostream(text) << *value;
  return text;
}

/// The one exported symbol, of type DynArtefact.
static llvm::Error addTable(llvm::Module &module, llvm::StringRef descriptor) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *integer = llvm::Type::getInt64Ty(context);
  llvm::Function *check = module.getFunction(kCheckFunctionName), *run = module.getFunction(kRunFunctionName);
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
                               run};
  llvm::StructType *type = llvm::StructType::get(context, {integer, integer, pointer, integer, pointer, pointer});
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
  if (llvm::Error error = addTable(*result, *descriptor))
    return std::move(error);
  return result;
}
