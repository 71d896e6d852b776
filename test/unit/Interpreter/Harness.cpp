//===- Ops and functions on concrete tensors, as text -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Target/Weights/WeightFiles.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace dyn;

namespace {
/// A context whose diagnostics are kept.
struct Session {
  Session()
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (error.empty())
            error = "error: " + diagnostic.str();
        }) {
    DialectRegistry registry;
    registry.insert<DynDialect, func::FuncDialect>();
    registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
};
} // namespace

std::string test::run(const std::string &text, const std::vector<std::string> &inputs, const std::string &folder) {
  Session session;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &session.context);
  if (!module)
    return session.error;
  auto function = module->lookupSymbol<func::FuncOp>("f");
  std::vector<ReferenceTensor> tensors;
  for (const std::string &input : inputs) {
    auto elements = dyn_cast_or_null<ElementsAttr>(parseAttribute(input, &session.context));
    std::optional<ReferenceTensor> tensor = elements ? ReferenceTensor::fromAttribute(elements) : std::nullopt;
    if (!tensor)
      return "error: no tensor: " + input + " " + session.error;
    tensors.push_back(*tensor);
  }
  WeightFiles weights(folder);
  FailureOr<SmallVector<ReferenceTensor>> results = interpretFunction(function, tensors, weights);
  if (failed(results))
    return session.error;
  std::string joined;
  llvm::raw_string_ostream os(joined);
  llvm::interleave(*results, os, [&](const ReferenceTensor &tensor) { os << tensor.toAttribute(); }, "; ");
  return joined;
}

std::string test::evaluate(const std::string &op, const std::vector<std::string> &inputs,
                           const std::string &resultType) {
  std::string arguments, types;
  char name = 'a';
  for (const std::string &input : inputs) {
    // `dense<...> : tensor<2x3xf32>` has the type `tensor<*xf32>` here.
    std::string type = input.substr(input.rfind("tensor<") + 7);
    std::string unranked = "tensor<*x" + type.substr(type.rfind('x') == std::string::npos ? 0 : type.rfind('x') + 1);
    if (name != 'a') {
      arguments += ", ";
      types += ", ";
    }
    arguments += std::string("%") + name++ + ": " + unranked;
    types += unranked;
  }
  return run("func.func @f(" + arguments + ") -> " + resultType + " {\n  %r = " + op + " : (" + types + ") -> " +
                 resultType + "\n  return %r : " + resultType + "\n}",
             inputs);
}
