//===- Import of counts of n-grams ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {
/// The n-grams of one length.
struct Ngrams {
  int64_t length;
  SmallVector<int64_t> starts;  ///< in the pool
  SmallVector<int64_t> numbers; ///< among those of all lengths
};

/// The items that n-grams are made of: integers or strings.
struct Pool {
  SmallVector<int64_t> integers;
  std::vector<std::string> strings;

  size_t size() const { return integers.size() + strings.size(); }
  /// Equal for equal n-grams of one length.
  std::string getKey(int64_t start, int64_t length) const {
    std::string key;
    for (auto place = static_cast<size_t>(start); place < static_cast<size_t>(start + length); ++place)
      key += strings.empty() ? std::to_string(integers[place]) + ' '
                             : std::to_string(strings[place].size()) + ' ' + strings[place];
    return key;
  }
  /// The items `offset` behind the starts.
  Value take(NodeImport &node, ArrayRef<int64_t> starts, int64_t offset, Type type) const {
    auto at = [&](int64_t start) { return static_cast<size_t>(start + offset); };
    if (strings.empty())
      return node.cast(node.i64Vector(llvm::map_to_vector(starts, [&](int64_t start) { return integers[at(start)]; })),
                       type);
    auto texts = llvm::map_to_vector(starts, [&](int64_t start) { return StringRef(strings[at(start)]); });
    return node.constant(
        DenseElementsAttr::get(RankedTensorType::get(static_cast<int64_t>(starts.size()), type), texts));
  }
};
} // namespace

static LogicalResult readPool(NodeImport &node, Pool &pool) {
  pool.integers = node.getInts("pool_int64s").value_or(SmallVector<int64_t>());
  pool.strings = node.getStrings("pool_strings").value_or(std::vector<std::string>());
  if (pool.integers.empty() == pool.strings.empty())
    return node.error("one of the attributes 'pool_int64s' and 'pool_strings' must have elements");
  bool isString = isa<StringType>(NodeImport::getElementType(node.getOperand(0)));
  if (isString != pool.integers.empty())
    return node.error("operand 0 has elements of type " +
                      getElementTypeName(getElementType(NodeImport::getElementType(node.getOperand(0)))) +
                      ", those of the pool are " + (isString ? "integers" : "strings"));
  return success();
}

/// The n-grams of the lengths that count, the last one of equal ones.
static LogicalResult readNgrams(NodeImport &node, const Pool &pool, ArrayRef<int64_t> indexes,
                                SmallVectorImpl<Ngrams> &result) {
  std::optional<SmallVector<int64_t>> begins = node.getInts("ngram_counts");
  int64_t least = node.getRequiredInt("min_gram_length"), most = node.getRequiredInt("max_gram_length");
  if (node.hasFailed())
    return failure();
  if (!begins || begins->empty())
    return node.error("attribute 'ngram_counts' is missing");
  if (least < 1 || least > most)
    return node.error("attributes 'min_gram_length' and 'max_gram_length' are " + Twine(least) + " and " + Twine(most));
  auto size = static_cast<int64_t>(pool.size());
  int64_t number = 0;
  for (auto [index, begin] : llvm::enumerate(*begins)) {
    auto length = static_cast<int64_t>(index) + 1;
    int64_t end = index + 1 < begins->size() ? (*begins)[index + 1] : size;
    if (begin < 0 || begin > end || end > size)
      return node.error("entry " + Twine(index) + " of attribute 'ngram_counts' is " + Twine(begin) +
                        ", the next one " + Twine(end) + ", and the pool has " + Twine(size) + " items");
    Ngrams ngrams{length, {}, {}};
    llvm::StringMap<size_t> known;
    for (int64_t start = begin; start + length <= end; start += length, ++number) {
      if (length < least || length > most)
        continue;
      auto [entry, isNew] = known.try_emplace(pool.getKey(start, length), ngrams.starts.size());
      if (!isNew) {
        ngrams.numbers[entry->second] = number;
        continue;
      }
      ngrams.starts.push_back(start);
      ngrams.numbers.push_back(number);
    }
    if (!ngrams.starts.empty())
      result.push_back(std::move(ngrams));
  }
  if (number != static_cast<int64_t>(indexes.size()))
    return node.error("the pool has " + Twine(number) + " n-grams, attribute 'ngram_indexes' " + Twine(indexes.size()) +
                      " entries");
  return success();
}

/// How often each n-gram occurs in the last dim, with up to `skips` items left out between its items.
static Value countNgrams(NodeImport &node, const Ngrams &ngrams, const Pool &pool, int64_t skips) {
  Value x = node.getOperand(0), sum;
  Type type = NodeImport::getElementType(x);
  SmallVector<Value> items;
  for (int64_t place = 0; place < ngrams.length; ++place)
    items.push_back(pool.take(node, ngrams.starts, place, type));
  for (int64_t step = 1; step <= (ngrams.length == 1 ? 1 : skips + 1); ++step) {
    Value occurs;
    for (int64_t place = 0; place < ngrams.length; ++place) {
      int64_t behind = (ngrams.length - 1 - place) * step;
      Value window = node.slice(x, place * step, behind == 0 ? std::numeric_limits<int64_t>::max() : -behind, -1);
      Value isItem = node.compare(CompareDirection::EQ, node.unsqueeze(window, -1), items[static_cast<size_t>(place)]);
      occurs = occurs ? node.binary<AndOp>(occurs, isItem) : isItem;
    }
    Value count = node.reduce(ReduceKind::Sum, node.cast(occurs, node.builder.getF32Type()), ArrayRef<int64_t>(-2),
                              /*keepDims=*/false);
    sum = sum ? node.add(sum, count) : count;
  }
  return sum;
}

/// Elements of the last dim of a vector or matrix added to those of one with `size` columns.
static Value addToColumns(NodeImport &node, Value counts, ArrayRef<int64_t> columns, int64_t size) {
  auto count = static_cast<int64_t>(columns.size());
  if (size == count && columns == ArrayRef(llvm::to_vector(llvm::seq<int64_t>(0, size))))
    return counts;
  int64_t rank = NodeImport::getRank(counts).value_or(1);
  constexpr int64_t swapped[] = {1, 0};
  auto swap = [&](Value matrix) { return rank == 2 ? node.transpose(matrix, ArrayRef<int64_t>(swapped)) : matrix; };
  Value shape = node.i64Vector(size), places = node.unsqueeze(node.i64Vector(columns), 1);
  if (rank == 2)
    shape = node.concat(0, {shape, getDims(node, counts, 0, 1)});
  Value zeros = fill(node, shape, rank, 0, NodeImport::getElementType(counts));
  return swap(scatterND(node, zeros, places, swap(counts), ReduceKind::Sum));
}

/// Counts of the n-grams of a pool in a vector, or in each row of a matrix.
static LogicalResult importTfIdfVectorizer(NodeImport &node) {
  Pool pool;
  std::optional<SmallVector<int64_t>> indexes = node.getInts("ngram_indexes");
  if (!indexes || indexes->empty() || llvm::any_of(*indexes, [](int64_t index) { return index < 0; }))
    return node.error("attribute 'ngram_indexes' must have elements, none negative");
  int64_t columns = *llvm::max_element(*indexes) + 1, skips = node.getRequiredInt("max_skip_count");
  SmallVector<Ngrams> ngrams;
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (rank != 1 && rank != 2)
    return node.error("operand 0 has rank " + Twine(rank) + " instead of 1 or 2");
  constexpr int64_t mostSkips = 1000;
  if (skips < 0 || skips > mostSkips)
    return node.error("attribute 'max_skip_count' is " + Twine(skips) + ", must be in [0, " + Twine(mostSkips) + "]");
  if (failed(readPool(node, pool)) || failed(readNgrams(node, pool, *indexes, ngrams)))
    return failure();
  std::string mode = node.getString("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return node.error("mode " + quoteName(mode) + " is not supported");
  std::optional<SmallVector<double>> weights = node.getFloats("weights");
  if (weights && !weights->empty() && weights->size() != indexes->size())
    return node.error("has " + Twine(weights->size()) + " weights for " + Twine(indexes->size()) + " n-grams");

  SmallVector<Value> parts;
  SmallVector<int64_t> numbers;
  for (const Ngrams &each : ngrams) {
    parts.push_back(countNgrams(node, each, pool, skips));
    llvm::append_range(numbers, each.numbers);
  }
  if (parts.empty()) {
    Value shape = node.concat(0, {node.slice(node.shapeOf(node.getOperand(0)), 0, -1, 0), node.i64Vector(columns)});
    return node.finish(fill(node, shape, rank, 0, node.builder.getF32Type()));
  }
  Value counts = parts.size() == 1 ? parts.front() : node.concat(rank - 1, parts);
  auto targets = llvm::map_to_vector(numbers, [&](int64_t number) { return (*indexes)[static_cast<size_t>(number)]; });
  if (mode == "IDF") {
    SmallVector<int64_t> sorted(targets);
    llvm::sort(sorted);
    if (auto same = std::adjacent_find(sorted.begin(), sorted.end()); same != sorted.end())
      return node.error("two n-grams have the column " + Twine(*same) + ", which mode 'IDF' does not support");
    counts = node.cast(node.compare(CompareDirection::GT, counts, node.scalar(0, counts)), node.builder.getF32Type());
  }
  if (mode != "TF" && weights && !weights->empty()) {
    auto chosen = llvm::map_to_vector(
        numbers, [&](int64_t number) { return static_cast<float>((*weights)[static_cast<size_t>(number)]); });
    auto type = RankedTensorType::get(static_cast<int64_t>(chosen.size()), node.builder.getF32Type());
    counts = node.mul(counts, node.constant(DenseElementsAttr::get(type, ArrayRef<float>(chosen))));
  }
  return node.finish(addToColumns(node, counts, targets, columns));
}

void onnx::registerNgrams(OperatorRegistry &registry) { registry.add("TfIdfVectorizer", 1, 1, importTfIdfVectorizer); }
