//===- Names of a model's nodes in locations ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

llvm::StringRef dyn::getNodeName(Location loc) {
  // A walk would find it first, or nothing, but takes twenty times as long.
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getName();
  if (isa<FileLineColLoc>(loc))
    return {};
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
  auto describe = [&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place || !place.getLine())
      return WalkResult::advance();
    text = (place.getFilename().getValue() + ":" + Twine(place.getLine())).str();
    return WalkResult::interrupt();
  };
  if (isa<FileLineColLoc>(loc))
    (void)describe(loc);
  else
    loc->walk(describe);
  return text;
}

/// Does the text have the name, and not only as a part of a word?
static bool hasName(StringRef text, StringRef name) {
  auto isInside = [&](size_t place) {
    return place < text.size() && (llvm::isAlnum(text[place]) || StringRef("_/.").contains(text[place]));
  };
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1))
    if (!isInside(at + name.size()) && !(at && isInside(at - 1)))
      return true;
  return false;
}

std::string dyn::describeOp(Operation *op) {
  std::string place;
  for (Operation *named = op; named && place.empty(); named = named->getParentOp())
    place = describePlace(named->getLoc());
  if (place.empty() && !op->use_empty())
    place = describePlace((*op->user_begin())->getLoc());
  return ("node '" + Twine(place) + "' (" + op->getName().getStringRef() + ")").str();
}

std::string dyn::addNode(Location loc, StringRef text) {
  StringRef node = getNodeName(loc), rest = text;
  if (node.empty())
    return text.str();
  if (rest.consume_front("'"))
    if (auto [op, said] = rest.split("' op "); !said.empty() && !op.contains('\''))
      return ("node '" + node + "' (" + op + "): " + said).str();
  return hasName(text, node) ? text.str() : ("node '" + node + "': " + text).str();
}
