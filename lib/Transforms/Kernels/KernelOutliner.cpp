//===- Groups of ops become kernels and launches ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelOutliner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;

StringRef dyn::stringifyKernelKind(KernelKind kind) {
  switch (kind) {
  case KernelKind::Pointwise:
    return "pointwise";
  case KernelKind::Row:
    return "row";
  case KernelKind::Contraction:
    return "contraction";
  case KernelKind::Attention:
    return "attention";
  case KernelKind::Concat:
    return "concat";
  case KernelKind::Sequential:
    return "sequential";
  }
  llvm_unreachable("all kinds handled");
}

OpOperand *dyn::getDestination(OpResult result) {
  Operation *op = result.getOwner();
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    return destinationStyle.getTiedOpOperand(result);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getTiedLoopInit(result);
  return nullptr;
}

bool dyn::isDestinationOnly(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  return isa<linalg::FillOp>(op) && llvm::all_of(op->getUses(), [](OpOperand &use) {
           auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
           return destinationStyle && destinationStyle.isDpsInit(&use);
         });
}

namespace {
/// What a kernel takes and gives, and its body.
class KernelBuilder {
public:
  KernelBuilder(const KernelGroup &group) : group(group), members(group.ops.begin(), group.ops.end()) {}

  LogicalResult collectArguments();
  func::FuncOp build();
  void replaceByLaunch(func::FuncOp kernel);

private:
  void addValue(Value value);
  void addDestination(Value value, bool isOutput);
  Value makeDestination(OpBuilder &b, Value value, BlockArgument output);
  bool isMember(Value value) const { return value.getDefiningOp() && members.contains(value.getDefiningOp()); }

  const KernelGroup &group;
  llvm::SmallPtrSet<Operation *, 8> members;
  llvm::SetVector<Value> inputs, sizes, constants;
  /// Of inputs.
  llvm::SetVector<Operation *> slices;
  /// Results that are used outside, and the operands whose memory they are written to.
  SmallVector<OpResult> outputs;
  SmallVector<OpOperand *> roots;
  IRMapping mapping;
  Operation *unfit = nullptr;
};
} // namespace

void KernelBuilder::addValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && members.contains(op))
    return;
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    slices.insert(slice);
    for (Value operand : slice->getOperands())
      addValue(operand);
  } else if (op && op->hasTrait<mlir::OpTrait::ConstantLike>() && !isa<ShapedType>(value.getType()))
    constants.insert(value);
  else if (isa<RankedTensorType>(value.getType()))
    inputs.insert(value);
  else if (value.getType().isIndex())
    sizes.insert(value);
  else
    unfit = op ? op : group.ops.front();
}

/// Adds what the kernel needs to make a destination: of its own, or in the memory of an output.
void KernelBuilder::addDestination(Value value, bool isOutput) {
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op)) {
    addValue(fill.getInputs().front());
    addDestination(fill.getOutputs().front(), isOutput);
  } else if (isa_and_present<tensor::EmptyOp>(op)) {
    if (!isOutput)
      for (Value size : op->getOperands())
        addValue(size);
  } else {
    unfit = op ? op : group.ops.front();
  }
}

LogicalResult KernelBuilder::collectArguments() {
  Block *block = group.ops.front()->getBlock();
  auto isOutside = [&](Operation *user) { return !members.contains(block->findAncestorOpInBlock(*user)); };
  for (Operation *op : group.ops)
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), isOutside)) {
        OpOperand *root = getDestination(result);
        while (root && isMember(root->get()))
          root = getDestination(cast<OpResult>(root->get()));
        if (!root || !isa<TensorType>(result.getType()))
          return op->emitOpError() << "writes to no destination, so that 'dyn-form-kernels' can't outline it";
        if (llvm::is_contained(roots, root))
          return op->emitOpError() << "shares its destination with another result of the same kernel";
        outputs.push_back(result);
        roots.push_back(root);
      }
  for (Operation *op : group.ops) {
    llvm::SmallPtrSet<OpOperand *, 2> destinations;
    for (OpResult result : op->getResults())
      if (OpOperand *destination = getDestination(result); destination && isa<TensorType>(result.getType()))
        destinations.insert(destination);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!destinations.contains(&operand) || isMember(operand.get()))
        addValue(operand.get());
      else
        addDestination(operand.get(), llvm::is_contained(roots, &operand));
    }
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured) {
      // What a loop computes in each trip.
      if (Operation *made = value.getDefiningOp(); made && isDestinationOnly(made))
        addDestination(value, /*isOutput=*/false);
      else
        addValue(value);
    }
  }
  if (unfit)
    return unfit->emitOpError() << "can be no argument of a kernel";
  return success();
}

Value KernelBuilder::makeDestination(OpBuilder &b, Value value, BlockArgument output) {
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    Value destination = makeDestination(b, fill.getOutputs().front(), output);
    Value scalar = mapping.lookup(fill.getInputs().front());
    return linalg::FillOp::create(b, op->getLoc(), scalar, destination).getResult(0);
  }
  if (output)
    return output;
  // Ops share what is empty, but not the memory that they write: no other use may be mapped to this one.
  IRMapping own(mapping);
  return b.clone(*op, own)->getResult(0);
}

func::FuncOp KernelBuilder::build() {
  Operation *last = group.ops.back();
  OpBuilder b(last->getContext());
  SmallVector<Type> types, resultTypes;
  for (Value value : llvm::concat<const Value>(inputs, sizes))
    types.push_back(value.getType());
  for (OpResult output : outputs)
    resultTypes.push_back(output.getType());
  llvm::append_range(types, resultTypes);
  auto kernel = func::FuncOp::create(last->getLoc(), "kernel", b.getFunctionType(types, resultTypes));
  kernel.setPrivate();
  kernel->setAttr(DynDialect::kKernelAttrName, b.getStringAttr(stringifyKernelKind(group.kind)));
  if (group.kind == KernelKind::Row)
    kernel->setAttr(DynDialect::kRowsAttrName, b.getI64IntegerAttr(group.rows));

  Block *block = kernel.addEntryBlock();
  b.setInsertionPointToEnd(block);
  unsigned next = 0;
  for (Value value : llvm::concat<const Value>(inputs, sizes))
    mapping.map(value, block->getArgument(next++));
  unsigned firstOutput = next;
  for (Value value : constants)
    b.clone(*value.getDefiningOp(), mapping);
  for (Operation *slice : slices)
    b.clone(*slice, mapping);

  llvm::DenseMap<OpOperand *, BlockArgument> outputOf;
  for (auto [index, root] : llvm::enumerate(roots))
    outputOf[root] = block->getArgument(firstOutput + index);
  for (Operation *op : group.ops) {
    Operation *clone = op->clone(mapping);
    for (OpResult result : op->getResults()) {
      OpOperand *destination = getDestination(result);
      if (!destination || isMember(destination->get()) || !isa<TensorType>(result.getType()))
        continue;
      Value made = makeDestination(b, destination->get(), outputOf.lookup(destination));
      clone->setOperand(destination->getOperandNumber(), made);
    }
    clone->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Operation *made = operand.get().getDefiningOp();
            made && made->getBlock() == op->getBlock() && isDestinationOnly(made))
          operand.set(makeDestination(b, operand.get(), BlockArgument()));
    });
    b.insert(clone);
  }
  SmallVector<Value> results;
  for (OpResult output : outputs)
    results.push_back(mapping.lookup<Value>(output));
  func::ReturnOp::create(b, last->getLoc(), results);
  return kernel;
}

void KernelBuilder::replaceByLaunch(func::FuncOp kernel) {
  Operation *last = group.ops.back();
  OpBuilder b(last);
  SmallVector<Value> destinations;
  SmallVector<Type> types;
  for (auto [output, root] : llvm::zip_equal(outputs, roots)) {
    Operation *empty = root->get().getDefiningOp();
    if (auto fill = dyn_cast<linalg::FillOp>(empty))
      empty = fill.getOutputs().front().getDefiningOp();
    destinations.push_back(b.clone(*empty)->getResult(0));
    types.push_back(output.getType());
  }
  auto launch = shape::LaunchOp::create(b, last->getLoc(), types, SymbolRefAttr::get(kernel), inputs.getArrayRef(),
                                        sizes.getArrayRef(), destinations);
  for (auto [output, result] : llvm::zip_equal(outputs, launch.getResults()))
    output.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(group.ops))
    op->erase();
}

/// Equal for kernels of equal form.
static llvm::hash_code hashKernel(func::FuncOp kernel) {
  llvm::hash_code hash = llvm::hash_combine(kernel.getFunctionType(), kernel->getAttr(DynDialect::kKernelAttrName),
                                            kernel->getAttr(DynDialect::kRowsAttrName));
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(func::FuncOp lhs, func::FuncOp rhs) {
  auto isSame = [&](StringRef name) { return lhs->getAttr(name) == rhs->getAttr(name); };
  return lhs.getFunctionType() == rhs.getFunctionType() && isSame(DynDialect::kKernelAttrName) &&
         isSame(DynDialect::kRowsAttrName) &&
         OperationEquivalence::isRegionEquivalentTo(&lhs.getBody(), &rhs.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

func::FuncOp KernelOutliner::share(func::FuncOp kernel, StringRef kind) {
  auto &candidates = kernels[hashKernel(kernel)];
  for (func::FuncOp candidate : candidates)
    if (areEqual(candidate, kernel)) {
      kernel.erase();
      return candidate;
    }
  kernel.setName((kind + "_" + Twine(numOfKind[kind]++)).str());
  symbols.insert(kernel);
  candidates.push_back(kernel);
  ++numKernels;
  return kernel;
}

LogicalResult KernelOutliner::outline(const KernelGroup &group) {
  KernelBuilder kernelBuilder(group);
  if (failed(kernelBuilder.collectArguments()))
    return failure();
  kernelBuilder.replaceByLaunch(share(kernelBuilder.build(), stringifyKernelKind(group.kind)));
  ++numLaunches;
  return success();
}
