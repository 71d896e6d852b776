//===- Which operators can be imported ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNX/ListOperators.h"
#include "../OperatorRegistry.h"
#include "onnx/defs/schema.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

using namespace dyn::onnx;

static std::string makeName(const std::string &domain, const std::string &opType) {
  return domain.empty() ? opType : domain + "." + opType;
}

std::vector<ListedOperator> dyn::onnx::listOperators() {
  llvm::StringSet<> own;
  for (const std::string &name : OperatorRegistry::get().listNames())
    own.insert(name);
  // Operators of ai.onnx come first.
  std::map<std::pair<std::string, std::string>, ListedOperator> operators;
  std::map<std::string, std::set<int>> versions;
  for (const ::onnx::OpSchema &schema : ::onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    std::string name = makeName(schema.domain(), schema.Name());
    versions[name].insert(schema.SinceVersion());
    ListedOperator &entry = operators[{schema.domain(), schema.Name()}];
    bool hasBody = schema.HasFunction() || schema.HasContextDependentFunction();
    bool knowsBody = hasBody || (!entry.name.empty() && entry.import == ListedOperator::Import::Function);
    entry.name = name;
    entry.import = own.contains(name) ? ListedOperator::Import::Own
                   : knowsBody        ? ListedOperator::Import::Function
                                      : ListedOperator::Import::None;
  }
  for (const auto &name : own) {
    auto [domain, opType] = name.first().rsplit('.');
    if (opType.empty())
      std::swap(domain, opType);
    ListedOperator &entry = operators[{domain.str(), opType.str()}];
    entry.name = name.first().str();
    entry.import = ListedOperator::Import::Own;
  }
  std::vector<ListedOperator> result;
  for (auto &entry : operators) {
    const std::set<int> &known = versions[entry.second.name];
    entry.second.versions.assign(known.begin(), known.end());
    result.push_back(std::move(entry.second));
  }
  return result;
}
