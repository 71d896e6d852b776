//===- Elements of less than a byte, and floats of a byte ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "NarrowElements.h"
#include "Elements.h"
#include "Models.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace dyn;

bool dyn::isNarrowElement(Type type) {
  if (isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType, Float4E2M1FNType,
          Float8E8M0FNUType>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && (integer.getWidth() == 2 || integer.getWidth() == 4);
}

double dyn::widenNarrowElement(Type type, uint8_t byte) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    APInt bits(integer.getWidth(), byte, /*isSigned=*/false, /*implicitTrunc=*/true);
    return static_cast<double>(integer.isUnsigned() ? static_cast<int64_t>(bits.getZExtValue()) : bits.getSExtValue());
  }
  auto floating = cast<FloatType>(type);
  APFloat value(floating.getFloatSemantics(), APInt(floating.getWidth(), byte, /*isSigned=*/false,
                                                    /*implicitTrunc=*/true));
  bool isLossy;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isLossy);
  return value.convertToDouble();
}

uint8_t dyn::narrowElement(Type type, double value) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    // Stored as the number that it is, negative ones with all upper bits set.
    APInt bits(integer.getWidth(), static_cast<uint64_t>(convertElement<int64_t>(value)), /*isSigned=*/false,
               /*implicitTrunc=*/true);
    return static_cast<uint8_t>(integer.isUnsigned() ? bits.getZExtValue()
                                                     : static_cast<uint64_t>(bits.getSExtValue()));
  }
  const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
  bool hasNaN = !isa<Float4E2M1FNType>(type), hasSign = !isa<Float8E8M0FNUType>(type);
  if (std::isnan(value) && hasNaN)
    return static_cast<uint8_t>(APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue());
  if (!hasSign) {
    // Powers of two only, neither 0 nor negative.
    double least = std::ldexp(1.0, -127), most = std::ldexp(1.0, 127);
    value = std::min(std::max(std::fabs(value), least), most);
  }
  if (!hasNaN)
    // No number is what the negative zero stands for, as in ml_dtypes.
    value = std::isnan(value) ? -0.0 : std::min(std::max(value, -6.0), 6.0);
  APFloat number(value);
  bool isLossy;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &isLossy);
  return static_cast<uint8_t>(number.bitcastToAPInt().getZExtValue());
}

void dyn::castNarrowElements(const ReferenceTensor &operand, ReferenceTensor &result) {
  Type from = operand.getElementType(), to = result.getElementType();
  auto store = [&](int64_t place, double value) {
    if (isNarrowElement(to)) {
      result.getMutableElements<uint8_t>()[place] = narrowElement(to, value);
      return;
    }
    dispatchElement(to, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      result.getMutableElements<T>()[place] = convertElement<T>(value);
    });
  };
  if (isNarrowElement(from)) {
    for (auto [place, byte] : llvm::enumerate(operand.getElements<uint8_t>()))
      store(static_cast<int64_t>(place), widenNarrowElement(from, byte));
    return;
  }
  dispatchElement(from, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (auto [place, value] : llvm::enumerate(operand.getElements<T>()))
      store(static_cast<int64_t>(place), static_cast<double>(value));
  });
}

/// Handles elements as bytes, whatever they are?
static bool isMove(Operation *op) {
  if (isa<AssumeShapeOp, BroadcastOp, CallOp, ConcatOp, ConstantOp, ExpandLikeOp, ExpandToOp, FlattenOp, FullOp,
          FullToOp, GatherElementsOp, GatherNDOp, GatherOp, PadOp, PadToOp, ReshapeOp, ReshapeToOp, SelectOp, ShapeOfOp,
          SliceOp, SliceToOp, SplitOp, SqueezeOp, TileOp, TileToOp, TransposeOp, TriluOp, UnsqueezeOp>(op) ||
      isa<OptionalGetOp, OptionalHasOp, OptionalNoneOp, OptionalSomeOp, SequenceAtOp, SequenceEraseOp, SequenceInsertOp,
          SequenceJoinOp, SequenceLengthOp, SequenceMakeOp, SequenceSplitOp>(op))
    return true;
  auto scatter = dyn_cast<ScatterNDOp>(op);
  return scatter && !scatter.getReduction();
}

LogicalResult dyn::verifyElements(Operation *op) {
  if (isMove(op) || isa<StringConcatOp, StringCaseOp, StringMatchOp, StringCountOp, StringPartOp>(op))
    return success();
  // Strings are ordered by their bytes, and read as numbers; the empty one is what zero is among these.
  bool takesStrings = isa<CompareOp, CastOp, NonZeroOp>(op);
  bool converts = isa<BitCastOp, CastOp>(op);
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes()))) {
    Type element = getElementTypeOrSelf(type);
    if (isa<ShapedType>(type) &&
        ((isNarrowElement(element) && !converts) || (isa<StringType>(element) && !takesStrings)))
      return reference::emitError(op) << "is not defined for elements of type " << element;
  }
  return success();
}
