// Reads a module, infers its shapes and prints it.
#include "dyn/Analysis/ShapeRelations.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<dyn::DynDialect, dyn::shape::DynShapeDialect, mlir::func::FuncDialect>();
  dyn::registerShapeRelations(registry);
  mlir::MLIRContext context(registry);
  auto module = argc == 2 ? mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context) : nullptr;
  if (!module)
    return 1;
  mlir::PassManager manager(&context);
  dyn::addPhases(manager, dyn::Phase::Import, dyn::Phase::Shapes, {});
  if (failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
}
