//===- Diagnostics as texts for people --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

/// Ends with ": " unless it is empty.
static std::string getPlace(Location loc, StringRef text) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (file && file.getLine())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn()) + ": ").str();
  StringRef node = dyn::getNodeName(loc);
  if (!node.empty())
    return text.contains(node) ? "" : ("node '" + node + "': ").str();
  return file && !text.contains(file.getFilename()) ? (file.getFilename().getValue() + ": ").str() : "";
}

std::string dyn::getText(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  text = getPlace(diagnostic.getLocation(), text) + text;
  for (Diagnostic &note : diagnostic.getNotes())
    text += "\n  " + note.str();
  return text;
}
