//===- Names of sizes that inputs do not declare ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/Aliases.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dyn;

/// `["dim 0 of output 'y'", "/Add"]`
static bool isSource(Attribute attribute) {
  auto pair = dyn_cast<ArrayAttr>(attribute);
  return pair && pair.size() == 2 && llvm::all_of(pair, llvm::IsaPred<StringAttr>);
}

static size_t countAliases(Operation *function) {
  auto relations = function->getAttrOfType<ConstraintsAttr>(DynDialect::kAliasesAttrName);
  return relations ? relations.getPredicates().size() : 0;
}

LogicalResult dyn::verifyAliasSources(Operation *function, Attribute sources) {
  auto list = dyn_cast<ArrayAttr>(sources);
  if (!list || !llvm::all_of(list, isSource))
    return function->emitOpError() << "attribute '" << kAliasSourcesAttrName << "' is not a list of pairs of strings";
  if (list.size() != countAliases(function))
    return function->emitOpError() << "attribute '" << kAliasSourcesAttrName << "' has " << list.size()
                                   << " elements for " << countAliases(function) << " of '"
                                   << DynDialect::kAliasesAttrName << "'";
  return success();
}

SmallVector<Alias> dyn::getAliases(Operation *function) {
  SmallVector<Alias> aliases;
  if (auto relations = function->getAttrOfType<ConstraintsAttr>(DynDialect::kAliasesAttrName))
    for (PredAttr relation : relations.getPredicates())
      aliases.push_back({relation, "", ""});
  if (auto sources = function->getAttrOfType<ArrayAttr>(kAliasSourcesAttrName))
    for (auto [alias, source] : llvm::zip_equal(aliases, sources.getAsRange<ArrayAttr>())) {
      alias.because = cast<StringAttr>(source[0]).str();
      alias.where = cast<StringAttr>(source[1]).str();
    }
  return aliases;
}

void dyn::setAliases(Operation *function, ArrayRef<Alias> aliases) {
  if (aliases.empty())
    return;
  Builder builder(function->getContext());
  SmallVector<PredAttr> relations;
  SmallVector<Attribute> sources;
  for (const Alias &alias : aliases) {
    relations.push_back(alias.relation);
    sources.push_back(builder.getStrArrayAttr({alias.because, alias.where}));
  }
  function->setAttr(DynDialect::kAliasesAttrName, ConstraintsAttr::get(builder.getContext(), relations));
  function->setAttr(kAliasSourcesAttrName, builder.getArrayAttr(sources));
}
