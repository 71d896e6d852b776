//===- Reductions whose parts can be combined ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using vector::CombiningKind;

static std::optional<CombiningKind> getKind(Operation *op) {
  return llvm::StringSwitch<std::optional<CombiningKind>>(op->getName().getStringRef())
      .Cases({"arith.addf", "arith.addi"}, CombiningKind::ADD)
      .Cases({"arith.mulf", "arith.muli"}, CombiningKind::MUL)
      .Case("arith.maximumf", CombiningKind::MAXIMUMF)
      .Case("arith.minimumf", CombiningKind::MINIMUMF)
      .Case("arith.maxnumf", CombiningKind::MAXNUMF)
      .Case("arith.minnumf", CombiningKind::MINNUMF)
      .Case("arith.maxsi", CombiningKind::MAXSI)
      .Case("arith.minsi", CombiningKind::MINSI)
      .Case("arith.maxui", CombiningKind::MAXUI)
      .Case("arith.minui", CombiningKind::MINUI)
      .Case("arith.andi", CombiningKind::AND)
      .Case("arith.ori", CombiningKind::OR)
      .Case("arith.xori", CombiningKind::XOR)
      .Default(std::nullopt);
}

static TypedAttr getIdentity(CombiningKind kind, Type type) {
  Builder builder(type.getContext());
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    switch (kind) {
    case CombiningKind::ADD:
      return builder.getFloatAttr(type, APFloat::getZero(semantics, /*Negative=*/true));
    case CombiningKind::MUL:
      return builder.getFloatAttr(type, 1.0);
    case CombiningKind::MAXIMUMF:
    case CombiningKind::MAXNUMF:
      return builder.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/true));
    case CombiningKind::MINIMUMF:
    case CombiningKind::MINNUMF:
      return builder.getFloatAttr(type, APFloat::getInf(semantics));
    default:
      return {};
    }
  }
  if (!isa<IntegerType>(type))
    return {};
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::OR:
  case CombiningKind::XOR:
  case CombiningKind::MAXUI:
    return builder.getIntegerAttr(type, 0);
  case CombiningKind::MUL:
    return builder.getIntegerAttr(type, APInt(width, 1));
  case CombiningKind::AND:
  case CombiningKind::MINUI:
    return builder.getIntegerAttr(type, APInt::getAllOnes(width));
  case CombiningKind::MAXSI:
    return builder.getIntegerAttr(type, APInt::getSignedMinValue(width));
  case CombiningKind::MINSI:
    return builder.getIntegerAttr(type, APInt::getSignedMaxValue(width));
  default:
    return {};
  }
}

/// Whether computing `value` in `body` reads a block argument from `firstOutput` on.
static bool readsOutputs(Value value, Block &body, unsigned firstOutput) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &body && argument.getArgNumber() >= firstOutput;
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != &body)
    return false;
  bool reads = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      reads |= (inner == op || operand.getParentBlock() == &body) && readsOutputs(operand, body, firstOutput);
  });
  return reads;
}

std::optional<dyn::codegen::Reduction> dyn::codegen::matchReduction(Block &body, unsigned numInputs, unsigned output) {
  Value old = body.getArgument(numInputs + output);
  Operation *combiner = body.getTerminator()->getOperand(output).getDefiningOp();
  if (!combiner || combiner->getBlock() != &body || combiner->getNumOperands() != 2 || !old.hasOneUse())
    return std::nullopt;
  std::optional<CombiningKind> kind = getKind(combiner);
  unsigned place = combiner->getOperand(0) == old ? 0 : 1;
  if (!kind || combiner->getOperand(place) != old || readsOutputs(combiner->getOperand(1 - place), body, numInputs))
    return std::nullopt;
  TypedAttr identity = getIdentity(*kind, old.getType());
  if (!identity)
    return std::nullopt;
  return Reduction{combiner, *kind, identity};
}
