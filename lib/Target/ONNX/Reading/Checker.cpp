//===- What ONNX's checker says of a model ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "../Model.h"
#include "onnx/checker.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace dyn::onnx;
using llvm::StringRef;

/// Without the place in the graph that the checker appends.
static std::string joinLines(StringRef text) {
  text = text.split("\n\n==> Context").first;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef &line : lines)
    line = line.trim();
  return llvm::join(lines, " ");
}

std::string dyn::onnx::findObjection(::onnx::ModelProto &message, const RawDataViews &views, StringRef directory) {
  // Of elements that share bytes the checker counts the bytes, which are not in the message. The importer counts them.
  llvm::SmallVector<std::pair<::onnx::TensorProto *, int32_t>> types;
  llvm::scope_exit putBack([&] {
    for (auto [tensor, type] : types)
      tensor->set_data_type(type);
  });
  for (auto [tensor, data] : views)
    if (getElementsPerByte(static_cast<ElementType>(tensor->data_type())) > 1) {
      types.emplace_back(tensor, tensor->data_type());
      tensor->set_data_type(::onnx::TensorProto::UINT8);
    }
  ::onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(message.ir_version()));
  std::unordered_map<std::string, int> versions;
  for (const auto &import : message.opset_import())
    versions[import.domain()] = static_cast<int>(import.version());
  context.set_opset_imports(versions);
  context.set_model_dir(directory.str());
  try {
    ::onnx::checker::LexicalScopeContext scope;
    ::onnx::checker::check_graph(message.graph(), context, scope);
  } catch (const std::exception &finding) {
    return joinLines(finding.what());
  }
  return {};
}
