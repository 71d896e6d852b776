//===- What a guard is called for people --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"

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

void GuardReason::set(Operation *op) const { GuardReasonWriter(op->getContext()).set(op, *this); }

GuardReasonWriter::GuardReasonWriter(MLIRContext *context)
    : context(context), because(StringAttr::get(context, kBecauseAttrName)),
      operands(StringAttr::get(context, kOperands)), operatorName(StringAttr::get(context, kOperator)),
      what(StringAttr::get(context, kWhat)) {}

bool GuardReasonWriter::isSet(Operation *op) const { return bool(op->getDiscardableAttr(because)); }

DictionaryAttr GuardReasonWriter::makeAttributes(const GuardReason &reason) const {
  if (!reason.whole.empty())
    return DictionaryAttr::getWithSorted(context, NamedAttribute(because, StringAttr::get(context, reason.whole)));
  // In the order of their names, as dictionaries have them.
  SmallVector<NamedAttribute, 3> parts;
  for (auto [name, text] :
       {std::pair(operands, &reason.operands), {operatorName, &reason.operatorName}, {what, &reason.what}})
    if (!text->empty())
      parts.emplace_back(name, StringAttr::get(context, *text));
  return DictionaryAttr::getWithSorted(context, NamedAttribute(because, DictionaryAttr::getWithSorted(context, parts)));
}

void GuardReasonWriter::set(Operation *op, const GuardReason &reason) {
  DictionaryAttr attributes;
  if (reason.whole.empty() && reason.operands.empty() && reason.what.empty()) {
    DictionaryAttr &known = ofOperators[reason.operatorName];
    if (!known)
      known = makeAttributes(reason);
    attributes = known;
  } else {
    attributes = makeAttributes(reason);
  }
  if (op->getRawDictionaryAttrs().empty())
    op->setDiscardableAttrs(attributes);
  else
    op->setDiscardableAttr(because, attributes.begin()->getValue());
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
