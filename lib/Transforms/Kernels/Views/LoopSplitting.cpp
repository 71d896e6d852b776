//===- Reshapes move out of the way ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LoopSplitting.h"
#include "../KernelGrouping.h"
#include "../ProducerInlining.h"
#include "ReshapeViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

static bool isView(Operation *op) { return isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op); }

static Value getViewed(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The generics that read a value, also through views.
static void collectReaders(Value value, SmallVectorImpl<GenericOp> &readers) {
  for (OpOperand &use : value.getUses()) {
    if (isView(use.getOwner()))
      collectReaders(use.getOwner()->getResult(0), readers);
    else if (auto generic = dyn_cast<GenericOp>(use.getOwner()); generic && generic.isDpsInput(&use))
      readers.push_back(generic);
  }
}

//===----------------------------------------------------------------------===//
// One generic
//===----------------------------------------------------------------------===//

namespace {
/// A generic and the sizes of the loops that some of its loops become; no sizes for a loop that stays.
class GenericSplitter {
public:
  GenericSplitter(GenericOp generic, ArrayRef<Sizes> parts, SizeFinder &sizes);
  void run();

private:
  /// For each dim of an operand, what its loop is divided into.
  SmallVector<Sizes> getDimParts(OpOperand &operand);
  AffineMap getMap(OpOperand &operand);
  Value createDestination(OpBuilder &b, OpOperand &init);
  void cloneBody(OpBuilder &b, ValueRange arguments);

  GenericOp generic;
  ArrayRef<Sizes> parts;
  SizeFinder &sizes;
  /// Of each old loop.
  SmallVector<unsigned> firstLoop;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

GenericSplitter::GenericSplitter(GenericOp generic, ArrayRef<Sizes> parts, SizeFinder &sizes)
    : generic(generic), parts(parts), sizes(sizes) {
  for (auto [type, loopParts] : llvm::zip_equal(generic.getIteratorTypesArray(), parts)) {
    firstLoop.push_back(iterators.size());
    iterators.append(std::max<size_t>(loopParts.size(), 1), type);
  }
}

SmallVector<Sizes> GenericSplitter::getDimParts(OpOperand &operand) {
  return llvm::map_to_vector(generic.getMatchingIndexingMap(&operand).getResults(), [&](AffineExpr expr) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    return loop ? parts[loop.getPosition()] : Sizes();
  });
}

AffineMap GenericSplitter::getMap(OpOperand &operand) {
  MLIRContext *context = generic.getContext();
  SmallVector<AffineExpr> renamed =
      llvm::map_to_vector(firstLoop, [&](unsigned loop) { return getAffineDimExpr(loop, context); });
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : generic.getMatchingIndexingMap(&operand).getResults()) {
    results.push_back(expr.replaceDims(renamed));
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      for (unsigned part = 1; part < parts[loop.getPosition()].size(); ++part)
        results.push_back(getAffineDimExpr(firstLoop[loop.getPosition()] + part, context));
  }
  return AffineMap::get(iterators.size(), 0, results, context);
}

Value GenericSplitter::createDestination(OpBuilder &b, OpOperand &init) {
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  auto empty = (fill ? fill.getOutputs().front() : init.get()).getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> shape;
  for (auto [size, dimParts] : llvm::zip_equal(empty.getMixedSizes(), getDimParts(init))) {
    if (dimParts.empty())
      shape.push_back(size);
    llvm::append_range(shape, dimParts);
  }
  Value destination = tensor::EmptyOp::create(b, empty.getLoc(), shape, empty.getType().getElementType());
  if (fill)
    destination = linalg::FillOp::create(b, fill.getLoc(), fill.getInputs().front(), destination).getResult(0);
  return destination;
}

void GenericSplitter::cloneBody(OpBuilder &b, ValueRange arguments) {
  Location loc = generic.getLoc();
  SmallVector<Value> places(parts.size());
  auto placeOf = [&](unsigned loop) {
    if (places[loop])
      return places[loop];
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(b.getInsertionBlock());
    Value place = linalg::IndexOp::create(b, loc, firstLoop[loop]);
    for (unsigned part = 1; part < parts[loop].size(); ++part) {
      Value size = getValueOrCreateConstantIndexOp(b, loc, parts[loop][part]);
      Value inner = linalg::IndexOp::create(b, loc, firstLoop[loop] + part);
      place = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, place, size), inner);
    }
    return places[loop] = place;
  };
  IRMapping mapping;
  mapping.map(generic.getBody()->getArguments(), arguments);
  for (Operation &op : *generic.getBody()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), placeOf(index.getDim()));
      continue;
    }
    b.clone(op, mapping)->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(placeOf(index.getDim()));
      index.erase();
    });
  }
}

void GenericSplitter::run() {
  OpBuilder b(generic);
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : generic->getOpOperands()) {
    maps.push_back(getMap(operand));
    if (generic.isDpsInput(&operand))
      inputs.push_back(isa<RankedTensorType>(operand.get().getType())
                           ? createSplit(b, sizes, operand.get(), getDimParts(operand))
                           : operand.get());
    else
      inits.push_back(createDestination(b, operand));
  }
  auto body = [&](OpBuilder &b, Location, ValueRange arguments) { cloneBody(b, arguments); };
  auto split =
      GenericOp::create(b, generic.getLoc(), ValueRange(inits).getTypes(), inputs, inits, maps, iterators, body);
  for (auto [index, result] : llvm::enumerate(generic->getResults())) {
    SmallVector<ReassociationIndices> groups;
    int64_t next = 0;
    for (const Sizes &dimParts : getDimParts(*generic.getDpsInitOperand(index))) {
      groups.emplace_back();
      for (size_t part = 0; part < std::max<size_t>(dimParts.size(), 1); ++part)
        groups.back().push_back(next++);
    }
    Value joined = split->getResult(index);
    if (next != cast<RankedTensorType>(result.getType()).getRank())
      joined = tensor::CollapseShapeOp::create(b, generic.getLoc(), result.getType(), joined, groups);
    result.replaceAllUsesWith(joined);
  }
  generic->erase();
}

//===----------------------------------------------------------------------===//
// All generics
//===----------------------------------------------------------------------===//

namespace {
/// Loops of generics, of which those that run over the same dim of a tensor are one class.
class LoopClasses {
public:
  LoopClasses(Block &block, SizeFinder &sizes);

  /// Divides loops; gives whether there were any to divide.
  bool split();

private:
  void findFixedLoops(GenericOp generic);
  void joinAlong(GenericOp reader);
  /// The dims of one view: the loop for each group of several dims, and the sizes of these.
  using Wish = SmallVector<std::pair<unsigned, Sizes>>;
  void wishForInput(GenericOp generic, OpOperand &operand);
  void wishForResult(GenericOp generic, OpResult result);
  void wish(const Wish &wish);

  unsigned numberOf(GenericOp generic, AffineExpr loop) {
    return firstNumber.lookup(generic) + cast<AffineDimExpr>(loop).getPosition();
  }

  SizeFinder &sizes;
  SmallVector<GenericOp> generics;
  llvm::DenseMap<Operation *, unsigned> firstNumber;
  llvm::IntEqClasses classes;
  /// By class: whether some op can't divide the loop, and whether it is a row loop of a product with weights.
  llvm::SmallBitVector isFixed, isRowLoop;
  /// By class: sizes that views ask for, and how many do.
  SmallVector<SmallVector<std::pair<Sizes, unsigned>>> wishes;
};
} // namespace

LoopClasses::LoopClasses(Block &block, SizeFinder &sizes) : sizes(sizes) {
  unsigned count = 0;
  for (auto generic : block.getOps<GenericOp>()) {
    generics.push_back(generic);
    firstNumber[generic] = count;
    count += generic.getNumLoops();
  }
  classes.grow(count);
  isFixed.resize(count);
  isRowLoop.resize(count);
  for (GenericOp generic : generics) {
    findFixedLoops(generic);
    joinAlong(generic);
  }
  classes.compress();
  llvm::SmallBitVector fixedClasses(classes.getNumClasses()), rowClasses(classes.getNumClasses());
  for (unsigned loop = 0; loop < count; ++loop) {
    if (isFixed.test(loop))
      fixedClasses.set(classes[loop]);
    if (isRowLoop.test(loop))
      rowClasses.set(classes[loop]);
  }
  isFixed = fixedClasses;
  isRowLoop = rowClasses;
  wishes.resize(classes.getNumClasses());
}

void LoopClasses::findFixedLoops(GenericOp generic) {
  unsigned first = firstNumber.lookup(generic);
  auto fixLoopsOf = [&](AffineExpr expr) {
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
      if (expr.isFunctionOfDim(loop))
        isFixed.set(first + loop);
  };
  for (auto [loop, type] : llvm::enumerate(generic.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction)
      isFixed.set(first + loop);
  bool isProduct = isContraction(generic);
  for (OpOperand &operand : generic->getOpOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(&operand);
    // Weights stay as they are: they are laid out for the loops that read them.
    bool isWeight = isProduct && generic.isDpsInput(&operand) && getViewed(operand.get()).getDefiningOp<ConstantOp>();
    bool isMade = true;
    if (generic.isDpsInit(&operand)) {
      auto fill = operand.get().getDefiningOp<linalg::FillOp>();
      isMade = (fill ? fill.getOutputs().front() : operand.get()).getDefiningOp<tensor::EmptyOp>() != nullptr;
    }
    // What may have to be repeated along a dim is 1 or the whole dim long, no number of parts.
    auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineDimExpr>(expr) || isWeight || !isMade ||
          (slice && !isConstantIntValue(slice.getMixedStrides()[dim], 1)))
        fixLoopsOf(expr);
    if (isWeight)
      for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
        if (!map.isFunctionOfDim(loop))
          isRowLoop.set(first + loop);
  }
}

void LoopClasses::joinAlong(GenericOp reader) {
  bool isProduct = isContraction(reader);
  SmallVector<utils::IteratorType> iterators = reader.getIteratorTypesArray();
  for (OpOperand *operand : reader.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<GenericOp>();
    if (!producer)
      continue;
    OpOperand *init = producer.getDpsInitOperand(cast<OpResult>(operand->get()).getResultNumber());
    for (auto [written, read] : llvm::zip_equal(producer.getMatchingIndexingMap(init).getResults(),
                                                reader.getMatchingIndexingMap(operand).getResults())) {
      auto from = dyn_cast<AffineDimExpr>(written), to = dyn_cast<AffineDimExpr>(read);
      if (!from || !to)
        continue;
      // A sum of products reads through a view what it can't be fused with.
      if (isProduct && !isCopy(producer) && iterators[to.getPosition()] == utils::IteratorType::reduction)
        continue;
      classes.join(numberOf(producer, from), numberOf(reader, to));
    }
  }
}

void LoopClasses::wish(const Wish &wish) {
  for (const auto &[loop, parts] : wish)
    if (isFixed.test(classes[loop]))
      return;
  for (const auto &[loop, parts] : wish) {
    auto &known = wishes[classes[loop]];
    auto it = llvm::find_if(known, [&parts = parts](const auto &entry) { return entry.first == parts; });
    if (it == known.end())
      known.push_back({parts, 1});
    else
      ++it->second;
  }
}

/// What reads a tensor that a view joined would rather read it as it was, if it can be fused with what made it.
void LoopClasses::wishForInput(GenericOp generic, OpOperand &operand) {
  auto view = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
  auto producer = view ? view.getSrc().getDefiningOp<GenericOp>() : GenericOp();
  if (!producer || (isContraction(generic) && !isCopy(producer)))
    return;
  Wish wanted;
  AffineMap map = generic.getMatchingIndexingMap(&operand);
  for (auto [group, expr] : llvm::zip_equal(view.getReassociationIndices(), map.getResults())) {
    std::optional<Sizes> parts = getLargeSizes(sizes, view.getSrc(), group);
    if (parts && parts->size() < 2)
      continue;
    if (!parts || !isa<AffineDimExpr>(expr))
      return;
    wanted.push_back({numberOf(generic, expr), *parts});
  }
  wish(wanted);
}

/// A product with weights is computed in tiles of all its rows only if their loops are one loop for each operand. Is
/// that so for what would become its epilogue?
static bool keepsTogether(tensor::ExpandShapeOp view, ArrayRef<int64_t> group) {
  for (OpOperand &use : view->getUses()) {
    auto reader = dyn_cast<GenericOp>(use.getOwner());
    if (!reader || reader.getNumReductionLoops() != 0 || !reader.isDpsInput(&use))
      continue;
    SmallVector<AffineExpr> loops;
    for (int64_t dim : group)
      if (view.getResultType().getDimSize(dim) != 1)
        loops.push_back(reader.getMatchingIndexingMap(&use).getResult(dim));
    for (AffineMap map : reader.getIndexingMapsArray()) {
      ArrayRef<AffineExpr> results = map.getResults();
      auto first = llvm::find(results, loops.front());
      if (static_cast<size_t>(results.end() - first) >= loops.size() &&
          ArrayRef(first, loops.size()) == ArrayRef(loops))
        continue;
      if (llvm::any_of(loops, [&](AffineExpr loop) { return llvm::is_contained(results, loop); }))
        return false;
    }
  }
  return true;
}

/// What reads a tensor that a view divides would rather have it made as it reads it.
void LoopClasses::wishForResult(GenericOp generic, OpResult result) {
  AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInitOperand(result.getResultNumber()));
  for (Operation *user : result.getUsers()) {
    auto view = dyn_cast<tensor::ExpandShapeOp>(user);
    SmallVector<GenericOp> readers;
    if (view)
      collectReaders(view, readers);
    if (llvm::all_of(readers, [&](GenericOp reader) { return isContraction(reader) && !isCopy(generic); }))
      continue;
    Wish wanted;
    bool isPossible = true;
    for (auto [group, expr] : llvm::zip(view.getReassociationIndices(), map.getResults())) {
      std::optional<Sizes> parts = getLargeSizes(sizes, view, group);
      if (parts && parts->size() < 2)
        continue;
      isPossible &= parts && isa<AffineDimExpr>(expr);
      if (!isPossible)
        break;
      wanted.push_back({numberOf(generic, expr), *parts});
      isPossible = !isRowLoop.test(classes[wanted.back().first]) || keepsTogether(view, group);
    }
    if (isPossible)
      wish(wanted);
  }
}

bool LoopClasses::split() {
  for (GenericOp generic : generics) {
    for (OpOperand *operand : generic.getDpsInputOperands())
      wishForInput(generic, *operand);
    for (OpResult result : generic->getResults())
      wishForResult(generic, result);
  }
  SmallVector<Sizes> chosen(classes.getNumClasses());
  bool isAny = false;
  for (auto [index, known] : llvm::enumerate(wishes)) {
    unsigned most = 0;
    for (const auto &[parts, count] : known)
      if (count > most) {
        chosen[index] = parts;
        most = count;
      }
    isAny |= most != 0;
  }
  if (!isAny)
    return false;
  for (GenericOp generic : generics) {
    SmallVector<Sizes> parts;
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
      parts.push_back(chosen[classes[firstNumber.lookup(generic) + loop]]);
    if (llvm::any_of(parts, [](const Sizes &loopParts) { return !loopParts.empty(); }))
      GenericSplitter(generic, parts, sizes).run();
  }
  return true;
}

void dyn::splitLoopsAtViews(Block &block, SizeFinder &sizes) {
  // What one round brings together may be one class in the next.
  constexpr unsigned maxRounds = 8;
  for (unsigned round = 0; round < maxRounds; ++round) {
    simplifyViews(block, sizes);
    if (!LoopClasses(block, sizes).split())
      return;
  }
  simplifyViews(block, sizes);
}
