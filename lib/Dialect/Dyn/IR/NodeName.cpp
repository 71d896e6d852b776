//===- Names of a model's nodes in locations ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

llvm::StringRef dyn::getNodeName(Location loc) {
  llvm::StringRef name;
  loc->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named)
      return WalkResult::advance();
    name = named.getName();
    return WalkResult::interrupt();
  });
  return name;
}

std::string dyn::describePlace(Location loc) {
  if (StringRef name = getNodeName(loc); !name.empty())
    return name.str();
  std::string text;
  loc->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    text = (place.getFilename().getValue() + ":" + Twine(place.getLine())).str();
    return WalkResult::interrupt();
  });
  return text;
}
