//===- dyn-version-kernels: kernels for sizes that turn out to be equal --------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelGrouping.h"
#include "dyn/Transforms/Kernels/Passes.h"
#include "dyn/Transforms/Memory/SizeExprs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace dyn {
#define GEN_PASS_DEF_VERSIONKERNELSPASS
#include "dyn/Transforms/Kernels/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;
using symbolic::Expr;
using symbolic::Predicate;
using symbolic::Verdict;

namespace {

/// A read of a body that can be an input: the place of its `tensor.extract` among those of the kernel, and the map.
struct Read {
  unsigned index;
  AffineMap map;
  bool operator<(const Read &other) const {
    return std::pair(index, map.getAsOpaquePointer()) < std::pair(other.index, other.map.getAsOpaquePointer());
  }
};

/// Calls `visit` for the reads of the bodies of a kernel, with their place among them.
void forEachRead(func::FuncOp kernel, llvm::function_ref<void(unsigned, GenericOp, tensor::ExtractOp)> visit) {
  unsigned index = 0;
  for (auto generic : llvm::to_vector(kernel.front().getOps<GenericOp>()))
    for (auto extract : llvm::to_vector(generic.getBody()->getOps<tensor::ExtractOp>()))
      visit(index++, generic, extract);
}

/// Sizes of tensors of main, and of loops of kernels that it launches, as expressions.
class Sizes {
public:
  explicit Sizes(func::FuncOp function) : function(function), exprs(function) {}
  LogicalResult readFacts() { return exprs.readFacts(); }

  /// Null where no expression is known.
  Expr getDim(Value tensor, int64_t dim);
  /// The size of a dim of a tensor in a kernel, for one launch of it.
  Expr getDim(shape::LaunchOp launch, Value tensor, int64_t dim);
  Expr getLoopSize(shape::LaunchOp launch, GenericOp generic, unsigned loop);
  bool areEqual(Expr lhs, Expr rhs) {
    return lhs && rhs && (lhs == rhs || exprs.getSolver().isEqual(lhs, rhs) == Verdict::Yes);
  }
  /// Does `condition` say that the sizes are equal?
  bool saysEqual(shape::HoldsOp condition, Expr lhs, Expr rhs);

private:
  Expr getExpr(OpFoldResult size) {
    if (auto value = dyn_cast<Value>(size))
      return exprs.getExpr(value);
    return exprs.getSolver().getContext().getConstant(cast<IntegerAttr>(cast<Attribute>(size)).getInt());
  }

  func::FuncOp function;
  SizeExprs exprs;
};

} // namespace

Expr Sizes::getDim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  symbolic::SymbolicContext &context = exprs.getSolver().getContext();
  if (!type.isDynamicDim(dim))
    return context.getConstant(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto dims = function.getArgAttrOfType<DimsAttr>(argument.getArgNumber(), DynDialect::kDimsAttrName);
    return dims ? dims.getDims()[dim].getExpr(context) : Expr();
  }
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return getExpr(empty.getMixedSizes()[dim]);
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    return getExpr(expand.getMixedOutputShape()[dim]);
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
    Expr product = context.getConstant(1);
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    for (int64_t inner : group) {
      Expr size = getDim(collapse.getSrc(), inner);
      product = product && size ? product * size : Expr();
    }
    return product;
  }
  OpOperand *destination = getDestination(cast<OpResult>(tensor));
  return destination ? getDim(destination->get(), dim) : Expr();
}

Expr Sizes::getDim(shape::LaunchOp launch, Value tensor, int64_t dim) {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    OpOperand *destination = getDestination(result);
    if (!destination)
      break;
    tensor = destination->get();
  }
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return getDim(launch.getOperand(argument.getArgNumber()), dim);
  auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return {};
  OpFoldResult size = empty.getMixedSizes()[dim];
  auto argument = dyn_cast_if_present<BlockArgument>(dyn_cast<Value>(size));
  if (isa<Value>(size) && !argument)
    return {};
  return getExpr(argument ? OpFoldResult(launch.getOperand(argument.getArgNumber())) : size);
}

Expr Sizes::getLoopSize(shape::LaunchOp launch, GenericOp generic, unsigned loop) {
  for (OpOperand &operand : llvm::reverse(generic->getOpOperands()))
    for (auto [dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(&operand).getResults()))
      if (auto found = dyn_cast<AffineDimExpr>(expr); found && found.getPosition() == loop)
        if (Expr size = getDim(launch, operand.get(), dim))
          return size;
  return {};
}

bool Sizes::saysEqual(shape::HoldsOp condition, Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return false;
  std::optional<Predicate> predicate =
      exprs.getPredicate(condition.getPredicate(), condition.getNames(), condition.getOperands());
  if (!predicate || predicate->kind != Predicate::Kind::Equal)
    return false;
  return (areEqual(predicate->lhs, lhs) && areEqual(predicate->rhs, rhs)) ||
         (areEqual(predicate->lhs, rhs) && areEqual(predicate->rhs, lhs));
}

/// The predicate that a factor is 1 under and 0 otherwise.
static shape::HoldsOp getCondition(Value factor) {
  auto cast = factor.getDefiningOp<arith::IndexCastUIOp>();
  return cast ? cast.getIn().getDefiningOp<shape::HoldsOp>() : shape::HoldsOp();
}

/// Tells `loop * factor`, where the factor is an argument of the kernel, from `loop`.
static linalg::IndexOp matchPlace(Value place, BlockArgument &factor) {
  if (auto product = place.getDefiningOp<arith::MulIOp>()) {
    bool isSecond = isa<BlockArgument>(product.getRhs());
    factor = dyn_cast<BlockArgument>(product->getOperand(isSecond));
    place = product->getOperand(!isSecond);
    if (!factor)
      return {};
  }
  return place.getDefiningOp<linalg::IndexOp>();
}

/// The map by which a read sees the tensor where `conditions`, to which those that it needs are added, hold; null if
/// there is none or the read has no factor.
static AffineMap getMap(Sizes &sizes, shape::LaunchOp launch, GenericOp generic, tensor::ExtractOp extract,
                        llvm::SetVector<Value> &conditions) {
  auto tensor = dyn_cast<BlockArgument>(extract.getTensor());
  if (!tensor || tensor.getOwner()->getParentOp() == generic)
    return {};
  SmallVector<AffineExpr> results;
  SmallVector<Value> needed;
  for (auto [dim, place] : llvm::enumerate(extract.getIndices())) {
    if (matchPattern(place, m_Zero()) && extract.getTensor().getType().getDimSize(dim) == 1) {
      results.push_back(getAffineConstantExpr(0, launch.getContext()));
      continue;
    }
    BlockArgument factor;
    linalg::IndexOp loop = matchPlace(place, factor);
    if (!loop || loop->getParentOp() != generic)
      return {};
    Expr size = sizes.getDim(launch, tensor, dim), loopSize = sizes.getLoopSize(launch, generic, loop.getDim());
    if (factor) {
      Value value = launch.getOperand(factor.getArgNumber());
      shape::HoldsOp condition = getCondition(value);
      if (!condition || !sizes.saysEqual(condition, size, loopSize))
        return {};
      needed.push_back(condition.getResult());
    } else if (!sizes.areEqual(size, loopSize)) {
      return {};
    }
    results.push_back(getAffineDimExpr(loop.getDim(), launch.getContext()));
  }
  if (needed.empty())
    return {};
  conditions.insert(needed.begin(), needed.end());
  return AffineMap::get(generic.getNumLoops(), 0, results, launch.getContext());
}

/// Makes `extracts`, which read by `newMaps`, inputs of the generic. Inputs then stand in the order in which the body
/// uses them: the factors of a product in theirs.
static void makeInputs(GenericOp generic, MutableArrayRef<tensor::ExtractOp> extracts, ArrayRef<AffineMap> newMaps) {
  llvm::SmallDenseMap<Value, std::pair<Value, AffineMap>> elements;
  for (OpOperand *input : generic.getDpsInputOperands())
    elements[generic.getMatchingBlockArgument(input)] = {input->get(), generic.getMatchingIndexingMap(input)};
  for (auto [extract, map] : llvm::zip_equal(extracts, newMaps))
    elements[extract.getResult()] = {extract.getTensor(), map};

  llvm::SetVector<std::pair<Value, AffineMap>> inputs;
  generic.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto element = elements.find(operand); element != elements.end())
        inputs.insert(element->second);
  });
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (auto [tensor, map] : inputs) {
    tensors.push_back(tensor);
    maps.push_back(map);
  }
  for (OpOperand &init : generic.getDpsInitsMutable())
    maps.push_back(generic.getMatchingIndexingMap(&init));

  OpBuilder builder(generic);
  auto build = [&](OpBuilder &b, Location, ValueRange arguments) {
    IRMapping mapping;
    for (auto &[value, element] : elements)
      if (auto place = llvm::find(inputs, element); place != inputs.end())
        mapping.map(value, arguments[place - inputs.begin()]);
    mapping.map(generic.getRegionOutputArgs(), arguments.drop_front(tensors.size()));
    for (Operation &op : *generic.getBody())
      if (!llvm::is_contained(extracts, &op))
        b.clone(op, mapping);
  };
  auto replacement = GenericOp::create(builder, generic.getLoc(), generic->getResultTypes(), tensors,
                                       generic.getOutputs(), maps, generic.getIteratorTypesArray(), build);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*replacement.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
  generic->replaceAllUsesWith(replacement->getResults());
  generic->erase();
}

static func::FuncOp createVersion(func::FuncOp kernel, ArrayRef<Read> reads) {
  func::FuncOp version = kernel.clone();
  version.setName((kernel.getName() + "_equal").str());
  llvm::MapVector<Operation *, std::pair<SmallVector<tensor::ExtractOp>, SmallVector<AffineMap>>> changes;
  forEachRead(version, [&](unsigned index, GenericOp generic, tensor::ExtractOp extract) {
    auto read = llvm::find_if(reads, [&](const Read &read) { return read.index == index; });
    if (read == reads.end())
      return;
    changes[generic].first.push_back(extract);
    changes[generic].second.push_back(read->map);
  });
  for (auto &[generic, change] : changes)
    makeInputs(cast<GenericOp>(generic), change.first, change.second);
  // What reads both factors of its product by maps is the kind of kernel that targets know best.
  auto generics = llvm::to_vector(version.front().getOps<GenericOp>());
  if (generics.size() == 1 && classify(generics.front()).kind == KernelKind::Contraction) {
    version->setAttr(DynDialect::kKernelAttrName,
                     StringAttr::get(kernel.getContext(), stringifyKernelKind(KernelKind::Contraction)));
    version->removeAttr(DynDialect::kRowsAttrName);
  }
  return version;
}

namespace {
class VersionKernelsPass : public dyn::impl::VersionKernelsPassBase<VersionKernelsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    std::map<std::pair<Operation *, std::vector<Read>>, FlatSymbolRefAttr> versions;
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal() || function->hasAttr(DynDialect::kKernelAttrName) ||
          function.getOps<shape::HoldsOp>().empty())
        continue;
      Sizes sizes(function);
      if (failed(sizes.readFacts()))
        return signalPassFailure();
      for (auto launch : llvm::to_vector(function.getOps<shape::LaunchOp>())) {
        auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
        if (!kernel || kernel.isExternal() || llvm::none_of(launch.getSizes(), getCondition))
          continue;
        std::vector<Read> reads;
        llvm::SetVector<Value> conditions;
        forEachRead(kernel, [&](unsigned index, GenericOp generic, tensor::ExtractOp extract) {
          if (AffineMap map = getMap(sizes, launch, generic, extract, conditions))
            reads.push_back({index, map});
        });
        if (reads.empty())
          continue;
        FlatSymbolRefAttr &version = versions[{kernel, reads}];
        if (!version) {
          func::FuncOp made = createVersion(kernel, reads);
          symbols.insert(made, std::next(kernel->getIterator()));
          version = FlatSymbolRefAttr::get(made);
          ++numVersions;
        }
        OpBuilder b(launch);
        Value condition = conditions.front();
        for (Value other : conditions.getArrayRef().drop_front())
          condition = arith::AndIOp::create(b, launch.getLoc(), condition, other);
        launch.addVersion(version, condition);
      }
    }
  }
};
} // namespace
