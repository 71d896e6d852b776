//===- What a guard is called for people --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dyn;

static constexpr llvm::StringLiteral kOperator{"operator"}, kOperands{"operands"}, kWhat{"what"};

std::optional<GuardReason> GuardReason::get(Operation *op) {
  Attribute attribute = op->getDiscardableAttr(kBecauseAttrName);
  if (!attribute)
    return std::nullopt;
  GuardReason reason;
  if (auto whole = dyn_cast<StringAttr>(attribute)) {
    reason.whole = whole.str();
    return reason;
  }
  auto parts = cast<DictionaryAttr>(attribute);
  auto read = [&](StringRef key) {
    auto text = parts.getAs<StringAttr>(key);
    return text ? text.str() : std::string();
  };
  reason.operatorName = read(kOperator);
  reason.operands = read(kOperands);
  reason.what = read(kWhat);
  return reason;
}

void GuardReason::set(Operation *op) const {
  Builder builder(op->getContext());
  Attribute attribute = builder.getStringAttr(whole);
  if (whole.empty()) {
    NamedAttrList parts;
    for (auto [key, text] : {std::pair(kOperator, &operatorName), {kOperands, &operands}, {kWhat, &what}})
      if (!text->empty())
        parts.append(key, builder.getStringAttr(*text));
    attribute = parts.getDictionary(op->getContext());
  }
  op->setDiscardableAttr(kBecauseAttrName, attribute);
}

bool GuardReason::isValid(Attribute attribute) {
  if (isa<StringAttr>(attribute))
    return true;
  auto parts = dyn_cast<DictionaryAttr>(attribute);
  return parts && parts.contains(kOperator) && llvm::all_of(parts, [](NamedAttribute part) {
           return isa<StringAttr>(part.getValue()) &&
                  llvm::is_contained({kOperator, kOperands, kWhat}, part.getName().getValue());
         });
}

std::string GuardReason::getSubject() const {
  return operands.empty() ? operatorName : operatorName + " of " + operands;
}

std::string GuardReason::str() const {
  if (!whole.empty())
    return whole;
  return what.empty() ? getSubject() : getSubject() + ": " + what;
}

StringRef dyn::getToldName(Operation *op) {
  if (isa<ExpandLikeOp>(op))
    return "one-way broadcast";
  StringRef name = op->getName().stripDialect();
  name.consume_back("_to");
  return name;
}
