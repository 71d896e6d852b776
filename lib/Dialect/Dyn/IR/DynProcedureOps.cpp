//===- Procedures ---------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "Constraints.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

#include "dyn/Dialect/Dyn/IR/DynProcedureEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.cpp.inc"

static LogicalResult verifyRanks(RecurrentOp op) {
  Constraint ranks(op, 1);
  const std::pair<StringRef, std::pair<Value, int64_t>> expected[] = {
      {"inputs", {op.getInputs(), 3}},      {"weights", {op.getWeights(), 2}},   {"hidden", {op.getHidden(), 2}},
      {"cell", {op.getCell(), 2}},          {"bias", {op.getBias(), 1}},         {"peepholes", {op.getPeepholes(), 1}},
      {"lengths", {op.getLengths(), 1}},    {"sequence", {op.getSequence(), 3}}, {"last", {op.getLast(), 2}},
      {"last_cell", {op.getLastCell(), 2}},
  };
  for (const auto &[name, entry] : expected)
    if (entry.first && failed(ranks.isRank(name, entry.first, entry.second)))
      return failure();
  return success();
}

LogicalResult RecurrentOp::verify() {
  if (failed(verifyRanks(*this)))
    return failure();
  bool isLSTM = getKind() == RecurrentKind::LSTM;
  Constraint parts(*this, 2);
  if (static_cast<bool>(getCell()) != isLSTM || static_cast<bool>(getLastCell()) != isLSTM)
    return parts.emitError() << "'cell' and 'last_cell' must be there for 'lstm' and for nothing else";
  if (!isLSTM && (getPeepholes() || getInputForget()))
    return parts.emitError() << "'peepholes' and 'input_forget' are for 'lstm' only";
  if (getLinearBeforeReset() && getKind() != RecurrentKind::GRU)
    return parts.emitError() << "'linear_before_reset' is for 'gru' only";
  Constraint functions(*this, 3);
  auto count = static_cast<int64_t>(isLSTM ? 3 : getKind() == RecurrentKind::GRU ? 2 : 1);
  if (failed(functions.isCount("activations", getActivations().size(), count)) ||
      failed(functions.isCount("alpha", getAlpha().size(), count)) ||
      failed(functions.isCount("beta", getBeta().size(), count)))
    return failure();
  for (StringAttr name : getActivations().getAsRange<StringAttr>())
    if (!isActivation(name))
      return functions.emitError() << "'" << name.getValue() << "' is no activation";
  return success();
}

bool RecurrentOp::isActivation(StringRef name) {
  constexpr StringLiteral names[] = {"relu",       "tanh",        "sigmoid", "affine",   "leakyrelu", "thresholdedrelu",
                                     "scaledtanh", "hardsigmoid", "elu",     "softsign", "softplus"};
  return llvm::is_contained(names, name);
}

LogicalResult SuppressOp::verify() {
  Constraint ranks(*this, 1);
  for (auto [name, value] : {std::pair<StringRef, Value>("boxes", getBoxes()),
                             {"order", getOrder()},
                             {"scores", getScores()},
                             {"result", getResult()}})
    if (failed(ranks.isRank(name, value, 3)))
      return failure();
  for (auto [name, value] : {std::pair<StringRef, Value>("max_count", getMaxCount()),
                             {"max_overlap", getMaxOverlap()},
                             {"min_score", getMinScore()}})
    if (failed(Constraint(*this, 2).hasOneElement(name, value)))
      return failure();
  return success();
}

LogicalResult RoiAlignOp::verify() {
  Constraint ranks(*this, 1), sizes(*this, 2);
  if (failed(ranks.isRank("operand", getOperand(), 4)) || failed(ranks.isRank("rois", getRois(), 2)) ||
      failed(ranks.isRank("batches", getBatches(), 1)) || failed(ranks.isRank("result", getResult(), 4)))
    return failure();
  if (static_cast<int64_t>(getHeight()) < 1 || static_cast<int64_t>(getWidth()) < 1 ||
      static_cast<int64_t>(getSamples()) < 0)
    return sizes.emitError() << "bins are " << getHeight() << " x " << getWidth() << " with " << getSamples()
                             << " samples";
  return success();
}

LogicalResult InverseOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (rank && *rank < 2)
    return Constraint(*this, 1).emitError() << "the operand has rank " << *rank << ", expected at least 2";
  return Constraint(*this, 1).isRank("result", getResult(), rank);
}

LogicalResult DetOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (rank && *rank < 2)
    return Constraint(*this, 1).emitError() << "the operand has rank " << *rank << ", expected at least 2";
  return Constraint(*this, 1).isRank("result", getResult(), rank ? std::optional(*rank - 2) : std::nullopt);
}
