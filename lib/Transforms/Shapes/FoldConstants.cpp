//===- dyn-fold-constants: what depends on constants only ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Target/Weights/WeightFiles.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace dyn {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// Computes its elements in a kernel for less than it costs to read them from memory.
static bool isGenerator(Operation *op) { return isa<IotaOp, FullOp, BroadcastOp>(op); }

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() && getElementBytes(tensor.getElementType());
}

/// Bytes of a tensor of static type; nothing where they exceed 64 bits.
static std::optional<int64_t> getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::optional<int64_t> elements = getNumElements(tensor.getShape());
  int64_t bytes;
  if (!elements || llvm::MulOverflow(*elements, *getElementBytes(tensor.getElementType()), bytes))
    return std::nullopt;
  return bytes;
}

/// As an attribute; all elements of one value are written once.
static DenseElementsAttr toAttribute(const ReferenceTensor &tensor) {
  ArrayRef<char> bytes = tensor.getBytes();
  size_t size = tensor.getElementBytes();
  bool isSplat = tensor.getNumElements() > 0;
  for (size_t place = size; isSplat && place < bytes.size(); place += size)
    isSplat = std::equal(bytes.begin(), bytes.begin() + size, bytes.begin() + place);
  if (!isSplat)
    return tensor.toAttribute();
  auto type = RankedTensorType::get(tensor.getDims(), tensor.getElementType());
  auto element = ReferenceTensor::wrap(tensor.getElementType(), {}, bytes.data(), nullptr).toAttribute();
  return DenseElementsAttr::get(type, element.getSplatValue<Attribute>());
}

namespace {
class FoldConstantsPass : public dyn::impl::FoldConstantsPassBase<FoldConstantsPass> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    FoldConstantsPassBase::getDependentDialects(registry);
    registerReferenceModels(registry);
  }

  void runOnOperation() override {
    values.clear();
    WeightFiles weights(weightsDirectory);
    ReferenceScope scope(&weights);
    SmallVector<Operation *> evaluated;
    for (Block &block : getOperation().getBody())
      for (Operation &op : block)
        if (!isa<ConstantOp>(op) && evaluate(&op, scope))
          evaluated.push_back(&op);
    // From the end: what only folded ops used is not needed any more.
    for (Operation *op : llvm::reverse(evaluated))
      replace(op);
  }

private:
  /// The value of an operand that is constant; null if it is not. A weight is looked up where it is needed.
  const ReferenceTensor *getValue(Value operand, const ReferenceScope &scope) {
    auto known = values.find(operand);
    if (known == values.end()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      if (!constant || !isStatic(constant.getType()))
        return nullptr;
      FailureOr<SmallVector<ReferenceTensor>> results = tryEvaluate(constant, {}, scope);
      known = values.try_emplace(operand, succeeded(results) ? std::optional(results->front()) : std::nullopt).first;
    }
    return known->second ? &*known->second : nullptr;
  }

  /// Are the results small enough to stand in the module? Those of small constants may be larger than they are, those
  /// of data in files may not take the place of the file.
  bool areSmall(Operation *op) {
    int64_t limit = maxBytes;
    if (llvm::none_of(op->getOperands(), [](Value operand) {
          auto constant = operand.getDefiningOp<ConstantOp>();
          return constant && isa<WeightAttr>(constant.getValue());
        })) {
      int64_t operandBytes = 0;
      for (Type type : op->getOperandTypes())
        operandBytes += getBytes(type).value_or(0);
      limit = std::max(limit, operandBytes);
    }
    return llvm::all_of(op->getResultTypes(), [&](Type type) {
      std::optional<int64_t> bytes = getBytes(type);
      return bytes && *bytes <= limit;
    });
  }

  /// Computes an op on constants. False where that is not possible, not allowed, or has no result: whoever runs the op
  /// reports why.
  bool evaluate(Operation *op, const ReferenceScope &scope) {
    if (!isa<ReferenceOpInterface>(op) || op->getNumResults() == 0 || !isMemoryEffectFree(op) ||
        !llvm::all_of(llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()), isStatic) || !areSmall(op))
      return false;
    SmallVector<ReferenceTensor> operands;
    for (Value operand : op->getOperands()) {
      const ReferenceTensor *value = getValue(operand, scope);
      if (!value)
        return false;
      operands.push_back(*value);
    }
    FailureOr<SmallVector<ReferenceTensor>> results = tryEvaluate(op, operands, scope);
    if (failed(results))
      return false;
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *results)) {
      auto type = cast<RankedTensorType>(result.getType());
      if (tensor.getDims() != type.getShape() || tensor.getElementType() != type.getElementType())
        return false;
    }
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *results))
      values[result] = std::move(tensor);
    return true;
  }

  void replace(Operation *op) {
    if (!op->use_empty() && isGenerator(op))
      return;
    OpBuilder builder(op);
    for (Value result : op->getResults())
      if (!result.use_empty())
        result.replaceAllUsesWith(ConstantOp::create(builder, op->getLoc(), toAttribute(*values[result])));
    numFolded += !isGenerator(op);
    // Each once: what is erased can't be asked again.
    llvm::SmallSetVector<Value, 4> operands(op->operand_begin(), op->operand_end());
    op->erase();
    for (Value operand : operands)
      if (auto constant = operand.getDefiningOp<ConstantOp>(); constant && constant->use_empty())
        constant.erase();
  }

  llvm::DenseMap<Value, std::optional<ReferenceTensor>> values;
};
} // namespace
