//===- Import of Einsum ------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Operands are joined one after the other. Two that share labels which nothing
// needs any more are a matrix product: shared labels that stay are batch dims,
// those that go are contracted.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// A label for each dim: a letter, or 256 and the number of a dim of the ellipsis, counted from its end.
using Labels = SmallVector<int, 8>;
constexpr int kEllipsis = 256;

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string describe(int label) {
  return label >= kEllipsis ? "the ellipsis"
                            : "label " + quoteName(StringRef(std::string(1, static_cast<char>(label))));
}

struct Term {
  Value value;
  Labels labels;
};

int64_t find(const Term &term, int label) { return llvm::find(term.labels, label) - term.labels.begin(); }

class Einsum {
public:
  explicit Einsum(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult readTerm(StringRef text, size_t operand);
  LogicalResult readResult(StringRef text);
  FailureOr<Labels> readLabels(StringRef text, std::optional<int64_t> rank, const Twine &what);
  LogicalResult takeDiagonals(Term &term);
  void sumUnneeded(Term &term, ArrayRef<Term> others);
  Term join(Term lhs, Term rhs, ArrayRef<Term> others);
  void sumRepeated(Term &lhs, Term &rhs, Labels &contracted);
  Term multiply(const Term &lhs, const Term &rhs);
  /// `value` with the dims in the order of `labels`, some of them perhaps merged.
  Value arrange(const Term &term, ArrayRef<Labels> groups);
  Value getSizes(const Term &term, ArrayRef<int> labels);
  bool isNeeded(int label, ArrayRef<Term> others) const;

  NodeImport &node;
  SmallVector<Term> terms;
  Labels result;
  int ellipsisRank = 0;
};

} // namespace

FailureOr<Labels> Einsum::readLabels(StringRef text, std::optional<int64_t> rank, const Twine &what) {
  Labels before, behind;
  bool hasEllipsis = false;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      if (hasEllipsis)
        return node.error(what + " has two ellipses");
      hasEllipsis = true;
    } else if (isLetter(text.front())) {
      (hasEllipsis ? behind : before).push_back(text.front());
      text = text.drop_front();
    } else {
      return node.error(what + " has the character " + quoteName(text.take_front()));
    }
  }
  auto named = static_cast<int64_t>(before.size() + behind.size());
  if (rank && (named > *rank || (!hasEllipsis && named != *rank)))
    return node.contradiction(what + " names " + Twine(named) + " dims, the operand has rank " + Twine(*rank));
  if (hasEllipsis) {
    int length = rank ? static_cast<int>(*rank - named) : ellipsisRank;
    ellipsisRank = std::max(ellipsisRank, length);
    for (int dim = length; dim-- > 0;)
      before.push_back(kEllipsis + dim);
  }
  llvm::append_range(before, behind);
  return before;
}

LogicalResult Einsum::readTerm(StringRef text, size_t operand) {
  std::optional<int64_t> rank = node.findRank(operand);
  if (!rank && text.contains("..."))
    rank = node.requireRank(operand);
  if (node.hasFailed())
    return failure();
  FailureOr<Labels> labels = readLabels(text, rank, "the term of operand " + Twine(operand));
  if (failed(labels))
    return failure();
  Value value = node.getOperand(operand);
  // The equation states the rank; a transposition that moves nothing holds it to that.
  if (!NodeImport::getRank(value))
    value = node.transpose(value, llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(labels->size()))));
  terms.push_back({value, *labels});
  return success();
}

/// Without a result in the equation: the ellipsis, then all labels that stand once, in the order of the alphabet.
LogicalResult Einsum::readResult(StringRef equation) {
  auto [left, right] = equation.split("->");
  if (equation.contains("->")) {
    FailureOr<Labels> labels = readLabels(right, std::nullopt, "the result");
    if (failed(labels))
      return failure();
    result = *labels;
  } else {
    for (int dim = ellipsisRank; dim-- > 0;)
      result.push_back(kEllipsis + dim);
    for (int letter = 'A'; letter <= 'z'; ++letter)
      if (left.count(static_cast<char>(letter)) == 1 && isLetter(static_cast<char>(letter)))
        result.push_back(letter);
  }
  for (auto [index, label] : llvm::enumerate(result)) {
    int wanted = label;
    if (llvm::count(result, wanted) > 1)
      return node.error("the result has a label twice");
    if (llvm::none_of(terms, [&](const Term &term) { return llvm::is_contained(term.labels, wanted); }))
      return node.error("dim " + Twine(index) + " of the result stands in no operand");
  }
  return success();
}

bool Einsum::isNeeded(int label, ArrayRef<Term> others) const {
  return llvm::is_contained(result, label) ||
         llvm::any_of(others, [&](const Term &term) { return llvm::is_contained(term.labels, label); });
}

/// A label that an operand has twice, in dims that must be equal: elements off the diagonal become 0, and the second
/// dim is summed up.
LogicalResult Einsum::takeDiagonals(Term &term) {
  for (size_t second = 1; second < term.labels.size();) {
    auto *first = llvm::find(term.labels, term.labels[second]);
    if (first == term.labels.begin() + second) {
      ++second;
      continue;
    }
    auto rank = static_cast<int64_t>(term.labels.size());
    int64_t row = first - term.labels.begin(), column = static_cast<int64_t>(second);
    std::string label = describe(*first);
    if (auto dims = NodeImport::getDims(term.value)) {
      int64_t height = (*dims)[row], width = (*dims)[column];
      if (!ShapedType::isDynamic(height) && !ShapedType::isDynamic(width) && height != width)
        return node.contradiction(label + " names dims of " + Twine(height) + " and " + Twine(width) +
                                  " in one operand");
    }
    auto count = [&](int64_t axis) { return countTo(node, getDim(node, term.value, axis)); };
    Value places = holdToAxis(node, count(column), term.value, row, "dims of " + label);
    Value isDiagonal =
        node.compare(CompareDirection::EQ, spread(node, count(row), row, rank), spread(node, places, column, rank));
    Value kept = node.select(isDiagonal, term.value, node.scalar(0, term.value));
    term.value = node.reduce(ReduceKind::Sum, kept, ArrayRef<int64_t>(column), /*keepDims=*/false);
    term.labels.erase(term.labels.begin() + second);
  }
  return success();
}

void Einsum::sumUnneeded(Term &term, ArrayRef<Term> others) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [axis, label] : llvm::enumerate(term.labels)) {
    if (isNeeded(label, others))
      kept.push_back(label);
    else
      axes.push_back(static_cast<int64_t>(axis));
  }
  if (axes.empty())
    return;
  term.value = node.reduce(ReduceKind::Sum, term.value, ArrayRef<int64_t>(axes), /*keepDims=*/false);
  term.labels = std::move(kept);
}

Value Einsum::getSizes(const Term &term, ArrayRef<int> labels) {
  SmallVector<Value> parts;
  for (int label : labels) {
    int64_t axis = find(term, label);
    parts.push_back(getDims(node, term.value, axis, axis + 1));
  }
  return parts.empty() ? node.i64Vector({}) : node.concat(0, parts);
}

Value Einsum::arrange(const Term &term, ArrayRef<Labels> groups) {
  SmallVector<int64_t> order;
  SmallVector<Value> dims;
  bool merges = false;
  for (const Labels &group : groups) {
    for (int label : group)
      order.push_back(find(term, label));
    merges |= group.size() != 1;
    Value sizes = getSizes(term, group);
    if (group.size() != 1)
      sizes = node.unsqueeze(node.reduce(ReduceKind::Prod, sizes, std::nullopt, /*keepDims=*/false), 0);
    dims.push_back(sizes);
  }
  bool isSame = llvm::equal(order, llvm::seq<int64_t>(0, static_cast<int64_t>(order.size())));
  Value value = isSame ? term.value : node.transpose(term.value, ArrayRef<int64_t>(order));
  return merges ? node.reshapeTo(value, node.concat(0, dims), /*allowZero=*/true) : value;
}

/// Without contraction: every dim of the one against every dim of the other.
Term Einsum::multiply(const Term &lhs, const Term &rhs) {
  Labels labels = lhs.labels;
  for (int label : rhs.labels)
    if (!llvm::is_contained(labels, label))
      labels.push_back(label);
  auto align = [&](const Term &term) {
    SmallVector<Labels> groups;
    SmallVector<int64_t> missing;
    for (auto [axis, label] : llvm::enumerate(labels)) {
      if (llvm::is_contained(term.labels, label))
        groups.push_back({label});
      else
        missing.push_back(static_cast<int64_t>(axis));
    }
    Value value = arrange(term, groups);
    return missing.empty() ? value : node.unsqueeze(value, missing);
  };
  return {node.mul(align(lhs), align(rhs)), labels};
}

/// Labels whose dim is 1 in one of the operands, and repeated as often as the other one says, are summed up before.
void Einsum::sumRepeated(Term &lhs, Term &rhs, Labels &contracted) {
  auto isOne = [](const Term &term, int label) {
    std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(term.value);
    return dims && (*dims)[static_cast<size_t>(find(term, label))] == 1;
  };
  llvm::erase_if(contracted, [&](int label) {
    bool isRepeated = isOne(lhs, label) != isOne(rhs, label);
    for (Term *term : {&lhs, &rhs}) {
      if (!isRepeated)
        break;
      term->value = node.reduce(ReduceKind::Sum, term->value, ArrayRef<int64_t>{find(*term, label)}, false);
      llvm::erase(term->labels, label);
    }
    return isRepeated;
  });
}

Term Einsum::join(Term lhs, Term rhs, ArrayRef<Term> others) {
  Labels batch, contracted, left, right;
  for (int label : lhs.labels) {
    bool isShared = llvm::is_contained(rhs.labels, label);
    (!isShared ? left : isNeeded(label, others) ? batch : contracted).push_back(label);
  }
  for (int label : rhs.labels)
    if (!llvm::is_contained(lhs.labels, label))
      right.push_back(label);
  sumRepeated(lhs, rhs, contracted);
  if (contracted.empty())
    return multiply(lhs, rhs);
  // Merged, they would have to be equal as a product only.
  for (int label : contracted)
    holdDimPairs(node, rhs.value, lhs.value, {{find(rhs, label), find(lhs, label)}}, "dims of " + describe(label));
  SmallVector<Labels> leftGroups, rightGroups;
  for (int label : batch) {
    leftGroups.push_back({label});
    rightGroups.push_back({label});
  }
  llvm::append_values(leftGroups, left, contracted);
  llvm::append_values(rightGroups, contracted, right);
  Value product = node.matmul(arrange(lhs, leftGroups), arrange(rhs, rightGroups));
  Labels labels = batch;
  llvm::append_range(labels, left);
  llvm::append_range(labels, right);
  if (left.size() != 1 || right.size() != 1) {
    // Batch dims of the ellipsis may have been broadcast.
    Value sizes = batch.empty() ? node.i64Vector({}) : getDims(node, product, 0, static_cast<int64_t>(batch.size()));
    Value shape = node.concat(0, {sizes, getSizes(lhs, left), getSizes(rhs, right)});
    product = node.reshapeTo(product, shape, /*allowZero=*/true);
  }
  return {product, labels};
}

LogicalResult Einsum::run() {
  std::string equation = node.getString("equation", "");
  llvm::erase(equation, ' ');
  SmallVector<Value> operands = node.getAllOperands();
  SmallVector<StringRef> texts;
  StringRef(equation).split("->").first.split(texts, ',');
  if (node.hasFailed() || failed(node.requireSameElementTypes(operands)))
    return failure();
  if (texts.size() != operands.size())
    return node.error("the equation " + quoteName(equation) + " has " + Twine(texts.size()) + " terms for " +
                      Twine(operands.size()) + " operands");
  for (auto [index, text] : llvm::enumerate(texts))
    if (failed(readTerm(text, index)))
      return failure();
  if (failed(readResult(equation)))
    return failure();
  for (Term &term : terms)
    if (failed(takeDiagonals(term)))
      return failure();
  Term joined = terms.front();
  for (size_t next = 1; next < terms.size(); ++next) {
    ArrayRef<Term> others = ArrayRef(terms).drop_front(next);
    sumUnneeded(joined, others);
    SmallVector<Term> rest(others.drop_front());
    rest.push_back(joined);
    sumUnneeded(terms[next], rest);
    joined = join(joined, terms[next], others.drop_front());
  }
  sumUnneeded(joined, {});
  SmallVector<Labels> order;
  for (int label : result)
    order.push_back({label});
  return node.finish(arrange(joined, order));
}

static LogicalResult importEinsum(NodeImport &node) { return Einsum(node).run(); }

void onnx::registerEinsum(OperatorRegistry &registry) { registry.add("Einsum", 1, kVariadic, importEinsum); }
