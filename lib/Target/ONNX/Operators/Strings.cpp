//===- Import of what computes strings ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "dyn/Interpreter/Interpreter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importStringConcat(NodeImport &node) {
  return node.finish(node.binary<StringConcatOp>(node.getOperand(0), node.getOperand(1)));
}

static LogicalResult importRegexFullMatch(NodeImport &node) {
  Value x = node.getOperand(0);
  std::string pattern = node.getString("pattern", "");
  if (std::string error = findPatternError(pattern); !error.empty())
    return node.error("attribute 'pattern', " + quoteName(pattern) + ", is no regular expression: " + error);
  return node.finish(
      StringMatchOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, node.builder.getI1Type()), x, pattern));
}

//===----------------------------------------------------------------------===//
// StringNormalizer
//===----------------------------------------------------------------------===//

static Value changeCase(NodeImport &node, Value x, bool upper) {
  return StringCaseOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x), x, upper);
}

/// Those of a vector that are no stop words.
static Value removeStopWords(NodeImport &node, Value x, Value words, Value stopWords, bool isCaseSensitive) {
  if (!isCaseSensitive) {
    words = changeCase(node, words, /*upper=*/false);
    stopWords = changeCase(node, stopWords, /*upper=*/false);
  }
  Type i64 = node.builder.getI64Type();
  Value isWord = node.compare(CompareDirection::EQ, node.unsqueeze(words, 1), stopWords);
  Value hits = node.reduce(ReduceKind::Sum, node.cast(isWord, i64), ArrayRef<int64_t>(1), /*keepDims=*/false);
  Value stays = node.compare(CompareDirection::EQ, hits, node.i64Scalar(0));
  Type type = RankedTensorType::get({1, ShapedType::kDynamic}, i64);
  Value places = NonZeroOp::create(node.builder, node.loc, type, stays, /*count=*/StringAttr());
  return node.gather(x, node.squeeze(places, ArrayRef<int64_t>(0)), 0);
}

static LogicalResult importStringNormalizer(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  std::string change = node.getString("case_change_action", "NONE"), locale = node.getString("locale", "en_US");
  bool isCaseSensitive = node.getInt("is_case_sensitive", 0) != 0;
  std::optional<std::vector<std::string>> stopWords = node.getStrings("stopwords");
  bool removes = stopWords && !stopWords->empty();
  if (node.hasFailed())
    return failure();
  if (rank != 1 && rank != 2)
    return node.error("an operand of rank " + Twine(rank) + " is neither [C] nor [1, C]");
  if (!llvm::is_contained({"NONE", "LOWER", "UPPER"}, StringRef(change)))
    return node.error("case_change_action " + quoteName(change) + " is not supported");
  // Their dots and accents follow rules of their own.
  bool needsCases = change != "NONE" || (removes && !isCaseSensitive);
  if (needsCases && llvm::is_contained({"az", "lt", "tr"}, StringRef(locale).take_while(llvm::isAlpha)))
    return node.error("small and large letters of locale " + quoteName(locale) + " are not supported");
  Value x = node.getOperand(0);
  if (rank == 2)
    x = node.squeeze(x, ArrayRef<int64_t>(0));
  Value result = change == "NONE" ? x : changeCase(node, x, change == "UPPER");
  if (removes) {
    auto type = RankedTensorType::get(static_cast<int64_t>(stopWords->size()), NodeImport::getElementType(x));
    SmallVector<StringRef> texts(stopWords->begin(), stopWords->end());
    result = removeStopWords(node, result, x, node.constant(DenseElementsAttr::get(type, texts)), isCaseSensitive);
  }
  // Where no string is left stands an empty one.
  Value missing = node.max(node.sub(node.i64Vector({1}), node.shapeOf(result)), node.i64Vector({0}));
  result = padZeros(node, result, node.concat(0, {node.i64Vector({0}), missing}));
  return node.finish(rank == 2 ? node.unsqueeze(result, 0) : result);
}

//===----------------------------------------------------------------------===//
// StringSplit
//===----------------------------------------------------------------------===//

static LogicalResult importStringSplit(NodeImport &node) {
  int64_t rank = node.requireRank(0), maxSplits = node.getInt("maxsplit", -1);
  StringAttr delimiter = node.builder.getStringAttr(node.getString("delimiter", ""));
  if (node.hasFailed())
    return failure();
  Value x = node.getOperand(0);
  Type i64 = node.builder.getI64Type();
  auto splits = static_cast<uint64_t>(maxSplits);
  Value counts = StringCountOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, i64), x, delimiter, splits);
  if (node.wantsResult(1))
    (void)node.finish(1, counts);
  // Of no strings there are no parts.
  Value flat = node.reshapeTo(counts, node.i64Vector({-1}), /*allowZero=*/false);
  Value most = node.reduce(ReduceKind::Max, node.concat(0, {flat, node.i64Vector({0})}), std::nullopt,
                           /*keepDims=*/false);
  Value indices = countTo(node, most), strings = node.unsqueeze(x, rank);
  Type type = NodeImport::makeBroadcastType({strings, indices}, NodeImport::getElementType(x));
  return node.finish(StringPartOp::create(node.builder, node.loc, type, strings, indices, delimiter, splits));
}

void onnx::registerStrings(OperatorRegistry &registry) {
  registry.add("RegexFullMatch", 1, 1, importRegexFullMatch);
  registry.add("StringConcat", 2, 2, importStringConcat);
  registry.add("StringNormalizer", 1, 1, importStringNormalizer);
  registry.add("StringSplit", 1, 1, importStringSplit);
}
