//===- Diagnostics as texts for people --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

std::string dyn::getLine(StringRef text) {
  std::string line;
  for (char character : text)
    if (llvm::isPrint(character) || static_cast<unsigned char>(character) >= 0x80)
      line += character;
    else
      line += "\\x" + llvm::toHex(StringRef(&character, 1));
  return line;
}

static std::string addPlace(Location loc, StringRef text) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (file && file.getLine())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn()) + ": " + text)
        .str();
  if (!dyn::getNodeName(loc).empty())
    return dyn::addNode(loc, text);
  return file && !text.contains(file.getFilename()) ? (file.getFilename().getValue() + ": " + text).str() : text.str();
}

static StringRef getName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    return "note";
  }
  llvm_unreachable("unknown severity");
}

void dyn::printDiagnostic(llvm::raw_ostream &os, StringRef input, Diagnostic &diagnostic) {
  os << input;
  std::string text = diagnostic.str();
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (place && place.getLine())
    os << ':' << place.getLine() << ':' << place.getColumn();
  else
    text = dyn::addNode(diagnostic.getLocation(), text);
  os << ": " << getName(diagnostic.getSeverity()) << ": " << getLine(text) << '\n';
}

std::string dyn::getText(Diagnostic &diagnostic) {
  std::string text = addPlace(diagnostic.getLocation(), diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    text += "\n  " + note.str();
  return text;
}
