//===- Reductions whose parts can be combined ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using dyn::codegen::readsOutputs;
using vector::CombiningKind;

static std::optional<CombiningKind> getKind(Operation *op) {
  using Kind = std::optional<CombiningKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](Operation *) -> Kind { return CombiningKind::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>([](Operation *) -> Kind { return CombiningKind::MUL; })
      .Case<arith::MaximumFOp>([](Operation *) -> Kind { return CombiningKind::MAXIMUMF; })
      .Case<arith::MinimumFOp>([](Operation *) -> Kind { return CombiningKind::MINIMUMF; })
      .Case<arith::MaxNumFOp>([](Operation *) -> Kind { return CombiningKind::MAXNUMF; })
      .Case<arith::MinNumFOp>([](Operation *) -> Kind { return CombiningKind::MINNUMF; })
      .Case<arith::MaxSIOp>([](Operation *) -> Kind { return CombiningKind::MAXSI; })
      .Case<arith::MinSIOp>([](Operation *) -> Kind { return CombiningKind::MINSI; })
      .Case<arith::MaxUIOp>([](Operation *) -> Kind { return CombiningKind::MAXUI; })
      .Case<arith::MinUIOp>([](Operation *) -> Kind { return CombiningKind::MINUI; })
      .Case<arith::AndIOp>([](Operation *) -> Kind { return CombiningKind::AND; })
      .Case<arith::OrIOp>([](Operation *) -> Kind { return CombiningKind::OR; })
      .Case<arith::XOrIOp>([](Operation *) -> Kind { return CombiningKind::XOR; })
      .Default([](Operation *) -> Kind { return std::nullopt; });
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

bool dyn::codegen::readsOutputs(Value value, Block &body, unsigned firstOutput) {
  // Looks at each op once: the bodies of tree ensembles share most of their ops, so that the ways through them grow
  // exponentially.
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Value> toVisit{value};
  while (!toVisit.empty()) {
    Value each = toVisit.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(each)) {
      if (argument.getOwner() == &body && argument.getArgNumber() >= firstOutput)
        return true;
      continue;
    }
    Operation *op = each.getDefiningOp();
    if (op->getBlock() != &body || !seen.insert(op).second)
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (inner == op || operand.getParentBlock() == &body)
          toVisit.push_back(operand);
    });
  }
  return false;
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
