//===- Import of support vector machines -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A row is compared with all support vectors by a kernel function; what decides
// is a product with coefficients.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "../ControlFlow/LoopImport.h"
#include "../Guards.h"
#include "Forest.h"
#include "VectorAttribute.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

struct SupportVectors {
  std::string kernel;
  double gamma = 0, offset = 0, degree = 0;
  SmallVector<double> vectors, coefficients, rho;
  int64_t count = 0, features = 0;
};

} // namespace

/// Reads what all machines have; `count` is how many support vectors there are.
static LogicalResult readSupportVectors(NodeImport &node, int64_t count, SupportVectors &machine) {
  machine.kernel = node.getString("kernel_type", "LINEAR");
  auto read = [&](StringRef name) { return node.getFloats(name).value_or(SmallVector<double>()); };
  SmallVector<double> parameters = read("kernel_params");
  machine.vectors = read("support_vectors");
  machine.coefficients = read("coefficients");
  machine.rho = read("rho");
  if (std::string transform = node.getString("post_transform", "NONE"); transform != "NONE")
    return node.error("post_transform " + quoteName(transform) + " is not supported");
  if (node.hasFailed())
    return failure();
  if (count < 1)
    return node.error("has no support vectors, which is not supported");
  if (machine.vectors.empty() || machine.vectors.size() % static_cast<size_t>(count) != 0)
    return node.error("attribute 'support_vectors' has " + Twine(machine.vectors.size()) + " entries for " +
                      Twine(count) + " vectors");
  if (!parameters.empty() && parameters.size() != 3)
    return node.error("attribute 'kernel_params' has " + Twine(parameters.size()) + " entries instead of 3");
  if (!parameters.empty()) {
    machine.gamma = parameters[0];
    machine.offset = parameters[1];
    machine.degree = std::trunc(parameters[2]);
  }
  machine.count = count;
  machine.features = static_cast<int64_t>(machine.vectors.size()) / count;
  return success();
}

/// The kernel function of each row of `x` with each support vector; null, after an error, if there is no such function.
static Value compareRows(NodeImport &node, Value x, const SupportVectors &machine) {
  Value vectors = makeFloats(node, machine.vectors, {machine.count, machine.features}, NodeImport::getElementType(x));
  if (machine.kernel == "RBF") {
    holdDim(node, x, 1, machine.features, "features of `" + node.node.inputs[0] + "` and of support vectors");
    Value difference = node.sub(node.unsqueeze(x, 1), vectors);
    Value distance =
        node.reduce(ReduceKind::Sum, node.mul(difference, difference), ArrayRef<int64_t>(-1), /*keepDims=*/false);
    return node.exp(node.mul(distance, node.scalar(-machine.gamma, x)));
  }
  constexpr int64_t swapped[] = {1, 0};
  Value product = node.matmul(x, node.transpose(vectors, ArrayRef<int64_t>(swapped)));
  if (machine.kernel == "LINEAR")
    return product;
  Value scaled = node.add(node.mul(product, node.scalar(machine.gamma, x)), node.scalar(machine.offset, x));
  if (machine.kernel == "POLY")
    return node.binary<PowOp>(scaled, node.scalar(machine.degree, x));
  if (machine.kernel == "SIGMOID")
    return node.unary<TanhOp>(scaled);
  (void)node.error("kernel_type " + quoteName(machine.kernel) + " is not supported");
  return {};
}

/// Operand 0 as rows of f32.
static Value getRows(NodeImport &node) {
  Value x = node.cast(node.getOperand(0), node.builder.getF32Type());
  return node.requireRank(0) == 1 ? node.unsqueeze(x, 0) : x;
}

static LogicalResult importRegressor(NodeImport &node) {
  SupportVectors machine;
  if (failed(readSupportVectors(node, node.getInt("n_supports", 0), machine)))
    return failure();
  if (machine.coefficients.size() != static_cast<size_t>(machine.count) || machine.rho.size() != 1)
    return node.error("has " + Twine(machine.coefficients.size()) + " 'coefficients' and " + Twine(machine.rho.size()) +
                      " 'rho' for " + Twine(machine.count) + " support vectors");
  Value x = getRows(node), kernels = node.hasFailed() ? Value() : compareRows(node, x, machine);
  if (!kernels)
    return failure();
  Value weights = makeFloats(node, machine.coefficients, {machine.count, 1}, NodeImport::getElementType(x));
  Value sum = node.add(node.matmul(kernels, weights), node.scalar(machine.rho.front(), x));
  if (node.getInt("one_class", 0))
    sum =
        node.select(node.compare(CompareDirection::GT, sum, node.scalar(0, x)), node.scalar(1, x), node.scalar(-1, x));
  return node.finish(sum);
}

/// What a class of each pair has against the other becomes one probability for each class, by the second method of Wu,
/// Lin and Weng ("Probability Estimates for Multi-class Classification by Pairwise Coupling", 2004), a hundred times at
/// most; a row stays as it is once it is near enough. `pairwise` is rows x pairs.
static FailureOr<Value> couplePairs(NodeImport &node, Value pairwise, int64_t classes) {
  Type type = NodeImport::getElementType(pairwise);
  auto number = [&](double value) { return node.scalar(value, type); };
  auto column = [&](Value x, int64_t index) { return node.slice(x, index, index + 1, 1); };
  // Entry i of row j is what class j has against class i.
  SmallVector<SmallVector<Value>> shares(static_cast<size_t>(classes), SmallVector<Value>(classes));
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      shares[i][j] = column(pairwise, pair);
      shares[j][i] = node.sub(number(1), shares[i][j]);
    }
  SmallVector<Value> rows;
  for (int64_t i = 0; i < classes; ++i) {
    SmallVector<Value> entries(static_cast<size_t>(classes));
    for (int64_t j = 0; j < classes; ++j) {
      if (i == j)
        continue;
      Value square = node.mul(shares[j][i], shares[j][i]);
      entries[i] = entries[i] ? node.add(entries[i], square) : square;
      entries[j] = node.neg(node.mul(shares[j][i], shares[i][j]));
    }
    rows.push_back(node.unsqueeze(node.concat(1, entries), 1));
  }
  Value matrix = node.concat(1, rows);
  auto count = static_cast<double>(classes);
  Value start = node.concat(1, SmallVector<Value>(static_cast<size_t>(classes), column(pairwise, 0)));
  start = node.add(node.mul(start, number(0)), number(1 / count));
  auto reduce = [&](ReduceKind kind, Value x) { return node.reduce(kind, x, ArrayRef<int64_t>(1), /*keepDims=*/true); };
  auto step = [&](ArrayRef<Value> states, ArrayRef<Value>) -> FailureOr<StepResults> {
    Value p = states[0];
    Value product = node.squeeze(node.matmul(matrix, node.unsqueeze(p, 2)), ArrayRef<int64_t>(2));
    Value total = reduce(ReduceKind::Sum, node.mul(p, product));
    Value error = reduce(ReduceKind::Max, node.abs(node.sub(product, total)));
    Value isNear = node.compare(CompareDirection::LT, error, number(0.005 / count));
    for (int64_t i = 0; i < classes; ++i) {
      SmallVector<double> unit(static_cast<size_t>(classes));
      unit[i] = 1;
      Value row = node.squeeze(node.slice(matrix, i, i + 1, 1), ArrayRef<int64_t>(1)), own = column(row, i);
      Value change = node.div(node.sub(total, column(product, i)), own), whole = node.add(number(1), change);
      Value twice = node.mul(number(2), column(product, i));
      total = node.add(total, node.mul(change, node.add(node.mul(change, own), twice)));
      total = node.div(node.div(total, whole), whole);
      product = node.div(node.add(product, node.mul(change, row)), whole);
      p = node.div(node.add(p, node.mul(change, makeFloats(node, unit, {1, classes}, type))), whole);
    }
    return StepResults{{node.select(isNear, states[0], p)}, {}};
  };
  FailureOr<SmallVector<Value>> result = loopOverSteps(node, start, countTo(node, node.i64Scalar(100)), step);
  if (failed(result) || node.hasFailed())
    return failure();
  return result->front();
}

/// The attributes 'prob_a' and 'prob_b' turn the score of a pair into what the first class has against the second.
static FailureOr<Value> getProbabilities(NodeImport &node, Value scores, ArrayRef<double> factors, int64_t classes) {
  SmallVector<double> offsets = node.getFloats("prob_b").value_or(SmallVector<double>());
  auto pairs = static_cast<size_t>(classes * (classes - 1) / 2);
  constexpr int64_t most = 32;
  if (factors.size() != pairs || offsets.size() != pairs)
    return node.error("has " + Twine(factors.size()) + " 'prob_a' and " + Twine(offsets.size()) + " 'prob_b' for " +
                      Twine(pairs) + " pairs of classes");
  if (classes > most)
    return node.error("probabilities of " + Twine(classes) + " classes are not supported");
  Type type = NodeImport::getElementType(scores);
  auto columns = static_cast<int64_t>(pairs);
  Value line = node.add(node.mul(scores, makeFloats(node, factors, {columns}, type)),
                        makeFloats(node, offsets, {columns}, type));
  constexpr double least = 1e-7;
  Value share = node.unary<SigmoidOp>(node.neg(line));
  share = node.min(node.max(share, node.scalar(least, type)), node.scalar(1 - least, type));
  return couplePairs(node, share, classes);
}

/// Of each pair of classes one gets a vote. The coefficients of a class have a row for each other class.
static LogicalResult importClassifier(NodeImport &node) {
  SmallVector<int64_t> sizes = node.getInts("vectors_per_class").value_or(SmallVector<int64_t>());
  std::optional<std::vector<std::string>> texts = node.getStrings("classlabels_strings");
  std::optional<SmallVector<int64_t>> numbers = node.getInts("classlabels_ints");
  if (node.hasFailed())
    return failure();
  bool hasTexts = texts && !texts->empty();
  auto classes = static_cast<int64_t>(hasTexts ? texts->size() : numbers ? numbers->size() : 0);
  if (classes < 2 || static_cast<int64_t>(sizes.size()) != classes)
    return node.error("has " + Twine(classes) + " class labels and " + Twine(sizes.size()) + " 'vectors_per_class'");
  SmallVector<double> factors = node.getFloats("prob_a").value_or(SmallVector<double>());
  constexpr int64_t mostVectors = int64_t(1) << 31;
  int64_t count = 0;
  SmallVector<int64_t> begins;
  for (int64_t size : sizes) {
    begins.push_back(count);
    if (size < 0 || size > mostVectors - count)
      return node.error("attribute 'vectors_per_class' has the entry " + Twine(size));
    count += size;
  }
  SupportVectors machine;
  if (failed(readSupportVectors(node, count, machine)))
    return failure();
  auto pairs = static_cast<size_t>(classes * (classes - 1) / 2);
  if (machine.rho.size() != pairs || machine.coefficients.size() != static_cast<size_t>((classes - 1) * count))
    return node.error("has " + Twine(machine.coefficients.size()) + " 'coefficients' and " + Twine(machine.rho.size()) +
                      " 'rho' for " + Twine(classes) + " classes and " + Twine(count) + " support vectors");
  if (classes == 2 && factors.empty() && llvm::none_of(machine.coefficients, [](double value) { return value < 0; }))
    return node.error("coefficients none of which is negative are not supported");
  // For each pair a column: what the vectors of both count, and who gets the vote.
  SmallVector<double> weights(static_cast<size_t>(count) * pairs), first(pairs * static_cast<size_t>(classes)),
      second(first);
  size_t pair = 0;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      auto place = [&](int64_t own, int64_t row) {
        for (int64_t v = begins[own]; v < begins[own] + sizes[own]; ++v)
          weights[static_cast<size_t>(v) * pairs + pair] = machine.coefficients[static_cast<size_t>(row * count + v)];
      };
      place(i, j - 1);
      place(j, i);
      first[pair * static_cast<size_t>(classes) + static_cast<size_t>(i)] = 1;
      second[pair * static_cast<size_t>(classes) + static_cast<size_t>(j)] = 1;
    }
  }
  Value x = getRows(node), kernels = node.hasFailed() ? Value() : compareRows(node, x, machine);
  if (!kernels)
    return failure();
  Type type = NodeImport::getElementType(x);
  auto columns = static_cast<int64_t>(pairs);
  Value scores = node.add(node.matmul(kernels, makeFloats(node, weights, {count, columns}, type)),
                          makeFloats(node, machine.rho, {columns}, type));
  if (node.wantsResult(0)) {
    Value isFirst = node.cast(node.compare(CompareDirection::GT, scores, node.scalar(0, x)), type);
    Value votes =
        node.add(node.matmul(isFirst, makeFloats(node, first, {columns, classes}, type)),
                 node.matmul(node.sub(node.scalar(1, x), isFirst), makeFloats(node, second, {columns, classes}, type)));
    Type places = NodeImport::makeDynamicType(1, node.builder.getI64Type());
    Value best = ArgReduceOp::create(node.builder, node.loc, places, ReduceKind::Max, votes, 1, /*keepDims=*/false,
                                     /*selectLastIndex=*/false);
    Value labels =
        node.constant(hasTexts ? makeStrings(node, *texts) : makeNumbers<int64_t>(*numbers, node.builder.getI64Type()));
    (void)node.finish(0, node.gather(labels, best, 0));
  }
  if (!factors.empty()) {
    FailureOr<Value> probabilities = getProbabilities(node, scores, factors, classes);
    return failed(probabilities) ? failure() : node.finish(1, *probabilities);
  }
  return node.finish(1, classes == 2 ? node.concat(1, {node.neg(scores), scores}) : scores);
}

void onnx::registerSupportVectors(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "ai.onnx.ml";
  registry.add(domain, "SVMRegressor", 1, 1, importRegressor);
  registry.add(domain, "SVMClassifier", 1, 1, importClassifier);
}
