//===- Bodies of producers move into consumers -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ProducerInlining.h"
#include "KernelGrouping.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

static Operation *getYielded(GenericOp generic) { return generic.getBody()->getTerminator(); }

bool dyn::isCopy(GenericOp generic) {
  return generic.getNumReductionLoops() == 0 && generic.getNumDpsInputs() == 1 && generic->getNumResults() == 1 &&
         getYielded(generic)->getOperand(0) == generic.getBody()->getArgument(0);
}

/// A few cheap instructions for each element, no reads that data determine.
static bool isCheap(GenericOp generic) {
  unsigned numOps = 0;
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp,
            tensor::ExtractOp>(op) ||
        isa_and_nonnull<math::MathDialect>(op.getDialect()) || op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return false;
    numOps += !isa<arith::ConstantOp, linalg::IndexOp>(op);
  }
  return numOps <= 4 && generic.getNumDpsInputs() <= 1;
}

/// Computing an element again costs no more than reading it: no arithmetic but that of places, no two reads; or a
/// little arithmetic and no read.
static bool isFree(GenericOp generic) {
  if (isCopy(generic) || (generic.getNumDpsInputs() == 0 && isCheap(generic)))
    return true;
  unsigned numReads = generic.getNumDpsInputs();
  for (Operation &op : generic.getBody()->without_terminator()) {
    numReads += isa<tensor::ExtractOp>(op);
    bool isPlace = isa<linalg::IndexOp, tensor::ExtractOp, arith::ConstantOp>(op) ||
                   llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIndex(); });
    if (!isPlace || op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return false;
  }
  return numReads <= 1;
}

static bool isPointwise(GenericOp generic) {
  return generic.getNumReductionLoops() == 0 && generic->getNumResults() == 1 &&
         generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isPermutation() &&
         generic.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
}

bool dyn::isFreeToRepeat(GenericOp generic) { return isPointwise(generic) && isFree(generic); }

/// For an operand of a consumer, the producer's loops as expressions over the consumer's.
static AffineMap getLoopSubstitution(GenericOp producer, GenericOp consumer, OpOperand &operand) {
  AffineMap toLoops = inversePermutation(producer.getMatchingIndexingMap(producer.getDpsInitOperand(0)));
  return toLoops.compose(consumer.getMatchingIndexingMap(&operand));
}

static bool isDimOrConstant(AffineExpr expr) { return isa<AffineDimExpr, AffineConstantExpr>(expr); }

/// Whether the consumer stays of a size that compilers handle in no time. A chain of thousands of ops becomes several
/// kernels, each of which reads what the one before wrote: little beside so many instructions for each element.
static bool staysSmall(GenericOp producer, GenericOp consumer) {
  constexpr size_t maxOps = 256, maxInputs = 64;
  return producer.getBody()->getOperations().size() + consumer.getBody()->getOperations().size() <= maxOps &&
         producer.getNumDpsInputs() + consumer.getNumDpsInputs() <= int64_t(maxInputs);
}

bool dyn::canInline(GenericOp producer, GenericOp consumer) {
  if (!isPointwise(producer) || producer == consumer || !staysSmall(producer, consumer))
    return false;
  bool isConsumerContraction = isContraction(consumer);
  if (isConsumerContraction && !isCopy(producer))
    return false;
  llvm::SmallBitVector covered(consumer.getNumLoops());
  auto cover = [&](AffineMap map) {
    for (AffineExpr result : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        covered.set(dim.getPosition());
  };
  Value result = producer->getResult(0);
  for (OpOperand &use : result.getUses()) {
    if (consumer->isProperAncestor(use.getOwner()))
      return false; // read at a place that the body computes
    if (use.getOwner() == consumer && !consumer.isDpsInput(&use))
      return false;
  }
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    AffineMap map = consumer.getMatchingIndexingMap(operand);
    if (operand->get() != result) {
      cover(map);
      continue;
    }
    AffineMap substitution = getLoopSubstitution(producer, consumer, *operand);
    if (!llvm::all_of(substitution.getResults(), isDimOrConstant) && !isCopy(producer))
      return false;
    for (OpOperand *input : producer.getDpsInputOperands())
      cover(producer.getMatchingIndexingMap(input).compose(substitution));
  }
  for (OpOperand &init : consumer.getDpsInitsMutable())
    cover(consumer.getMatchingIndexingMap(&init));
  return covered.all();
}

/// The static size of a loop, if some operand shows one.
static int64_t getLoopSize(GenericOp generic, unsigned loop) { return generic.getStaticLoopRanges()[loop]; }

bool dyn::isInlinedOncePerPoint(GenericOp producer, GenericOp consumer) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    if (operand->get() != producer->getResult(0))
      continue;
    AffineMap map = getLoopSubstitution(producer, consumer, *operand);
    for (unsigned loop = 0; loop < consumer.getNumLoops(); ++loop)
      if (!map.isFunctionOfDim(loop) && getLoopSize(consumer, loop) != 1)
        return false;
  }
  return true;
}

namespace {
/// The inputs of a generic that is being put together; equal reads are one.
struct InputList {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  unsigned add(Value value, AffineMap map) {
    for (auto [index, entry] : llvm::enumerate(llvm::zip_equal(values, maps)))
      if (entry == std::tuple(value, map))
        return index;
    values.push_back(value);
    maps.push_back(map);
    return values.size() - 1;
  }
};
} // namespace

/// Clones the producer's body for one operand of the consumer; gives what it yields.
static Value cloneBody(OpBuilder &b, GenericOp producer, AffineMap substitution, ArrayRef<Value> elements) {
  IRMapping mapping;
  for (auto [argument, element] : llvm::zip(producer.getBody()->getArguments(), elements))
    mapping.map(argument, element);
  auto cloneOne = [&](Operation &op) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      AffineExpr expr = substitution.getResult(index.getDim());
      Value place;
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        place = linalg::IndexOp::create(b, op.getLoc(), dim.getPosition());
      else
        place = arith::ConstantIndexOp::create(b, op.getLoc(), cast<AffineConstantExpr>(expr).getValue());
      mapping.map(index.getResult(), place);
      return;
    }
    b.clone(op, mapping);
  };
  for (Operation &op : producer.getBody()->without_terminator())
    cloneOne(op);
  return mapping.lookupOrDefault(getYielded(producer)->getOperand(0));
}

GenericOp dyn::inlineProducer(GenericOp producer, GenericOp consumer) {
  Value produced = producer->getResult(0);
  InputList inputs;
  // For each input of the consumer: where its element comes from, or those of the producer's inputs.
  SmallVector<SmallVector<unsigned>> sources;
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    SmallVector<unsigned> &source = sources.emplace_back();
    if (operand->get() != produced) {
      source.push_back(inputs.add(operand->get(), consumer.getMatchingIndexingMap(operand)));
      continue;
    }
    AffineMap substitution = getLoopSubstitution(producer, consumer, *operand);
    for (OpOperand *input : producer.getDpsInputOperands())
      source.push_back(inputs.add(input->get(), producer.getMatchingIndexingMap(input).compose(substitution)));
  }
  SmallVector<AffineMap> maps = inputs.maps;
  for (OpOperand &init : consumer.getDpsInitsMutable())
    maps.push_back(consumer.getMatchingIndexingMap(&init));

  OpBuilder builder(consumer);
  auto build = [&](OpBuilder &b, Location, ValueRange arguments) {
    IRMapping mapping;
    Block &body = *consumer.getBody();
    SmallVector<std::pair<AffineMap, Value>> clones;
    for (auto [index, operand] : llvm::enumerate(consumer.getDpsInputOperands())) {
      auto elements = llvm::map_to_vector(sources[index], [&](unsigned input) -> Value { return arguments[input]; });
      if (operand->get() != produced) {
        mapping.map(body.getArgument(index), elements.front());
        continue;
      }
      AffineMap substitution = getLoopSubstitution(producer, consumer, *operand);
      auto known = llvm::find_if(clones, [&](auto &clone) { return clone.first == substitution; });
      if (known == clones.end()) {
        clones.emplace_back(substitution, cloneBody(b, producer, substitution, elements));
        known = std::prev(clones.end());
      }
      mapping.map(body.getArgument(index), known->second);
    }
    unsigned firstInit = consumer.getNumDpsInputs();
    for (unsigned i = 0; i < consumer.getNumDpsInits(); ++i)
      mapping.map(body.getArgument(firstInit + i), arguments[inputs.values.size() + i]);
    for (Operation &op : body)
      b.clone(op, mapping);
  };
  auto fused = GenericOp::create(builder, builder.getFusedLoc({producer.getLoc(), consumer.getLoc()}),
                                 consumer->getResultTypes(), inputs.values, consumer.getDpsInits(), maps,
                                 consumer.getIteratorTypesArray(), build);
  consumer->replaceAllUsesWith(fused->getResults());
  consumer->erase();
  return fused;
}

/// The ops that read the result, each once.
static llvm::SmallSetVector<Operation *, 4> getReaders(GenericOp generic) {
  llvm::SmallSetVector<Operation *, 4> readers;
  for (Operation *user : generic->getResult(0).getUsers())
    readers.insert(generic->getBlock()->findAncestorOpInBlock(*user));
  return readers;
}

void dyn::inlineCopies(Block &block) {
  for (GenericOp generic : llvm::to_vector(llvm::reverse(llvm::to_vector(block.getOps<GenericOp>())))) {
    if (!isFreeToRepeat(generic))
      continue;
    for (Operation *reader : getReaders(generic))
      if (auto consumer = dyn_cast<GenericOp>(reader); consumer && canInline(generic, consumer))
        inlineProducer(generic, consumer);
    if (generic->use_empty())
      generic->erase();
  }
}

void dyn::inlineSingleUses(Block &block) {
  // Backwards: when it is a producer's turn, its readers have already become one, if they could.
  for (GenericOp generic : llvm::to_vector(llvm::reverse(llvm::to_vector(block.getOps<GenericOp>())))) {
    if (!isPointwise(generic))
      continue;
    llvm::SmallSetVector<Operation *, 4> readers = getReaders(generic);
    auto consumer = readers.size() == 1 ? dyn_cast<GenericOp>(readers.front()) : GenericOp();
    if (!consumer || !canInline(generic, consumer))
      continue;
    if (!isInlinedOncePerPoint(generic, consumer) && !isCheap(generic))
      continue;
    inlineProducer(generic, consumer);
    generic->erase();
  }
}

/// Loops on which no element depends, apart from where it is written.
static llvm::SmallBitVector getRepeatingLoops(GenericOp generic) {
  llvm::SmallBitVector repeating(generic.getNumLoops(), true);
  for (OpOperand *input : generic.getDpsInputOperands())
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
      if (generic.getMatchingIndexingMap(input).isFunctionOfDim(loop))
        repeating.reset(loop);
  generic.getBody()->walk([&](linalg::IndexOp index) { repeating.reset(index.getDim()); });
  return repeating;
}

/// The generic without its repeating loops, and a copy of that which repeats it.
static GenericOp createRepeated(GenericOp generic, const llvm::SmallBitVector &repeating) {
  OpBuilder b(generic);
  SmallVector<AffineExpr> renamed(generic.getNumLoops(), b.getAffineConstantExpr(0));
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
    if (!repeating.test(loop)) {
      renamed[loop] = b.getAffineDimExpr(iterators.size());
      iterators.push_back(utils::IteratorType::parallel);
    }
  SmallVector<AffineMap> maps;
  for (OpOperand *input : generic.getDpsInputOperands())
    maps.push_back(generic.getMatchingIndexingMap(input).replaceDimsAndSymbols(renamed, {}, iterators.size(), 0));
  AffineMap written = generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  auto whole = generic.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> kept, read;
  for (auto [expr, size] : llvm::zip_equal(written.getResults(), whole.getMixedSizes())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (repeating.test(loop))
      continue;
    sizes.push_back(size);
    kept.push_back(renamed[loop]);
    read.push_back(expr);
  }
  maps.push_back(AffineMap::get(iterators.size(), 0, kept, b.getContext()));
  Value empty = tensor::EmptyOp::create(b, whole.getLoc(), sizes, whole.getType().getElementType());
  auto once = GenericOp::create(b, generic.getLoc(), TypeRange{empty.getType()}, generic.getDpsInputs(), empty, maps,
                                iterators, [&](OpBuilder &b, Location, ValueRange arguments) {
                                  IRMapping mapping;
                                  mapping.map(generic.getBody()->getArguments(), arguments);
                                  for (Operation &op : *generic.getBody())
                                    b.clone(op, mapping)->walk([&](linalg::IndexOp index) {
                                      index.setDim(cast<AffineDimExpr>(renamed[index.getDim()]).getPosition());
                                    });
                                });
  SmallVector<AffineMap> copyMaps{AffineMap::get(generic.getNumLoops(), 0, read, b.getContext()), written};
  return GenericOp::create(
      b, generic.getLoc(), generic->getResultTypes(), once->getResult(0), generic.getDpsInits(), copyMaps,
      generic.getIteratorTypesArray(),
      [](OpBuilder &b, Location loc, ValueRange elements) { linalg::YieldOp::create(b, loc, elements.front()); });
}

void dyn::computeOnce(Block &block) {
  // Backwards: readers are replaced.
  for (GenericOp generic : llvm::to_vector(llvm::reverse(llvm::to_vector(block.getOps<GenericOp>())))) {
    if (!isPointwise(generic) || isFree(generic))
      continue;
    llvm::SmallBitVector repeating = getRepeatingLoops(generic);
    if (repeating.none() || repeating.all())
      continue;
    GenericOp copy = createRepeated(generic, repeating);
    generic->getResult(0).replaceAllUsesWith(copy->getResult(0));
    llvm::SmallSetVector<Operation *, 4> readers = getReaders(copy);
    bool areAllAble = llvm::all_of(readers, [&](Operation *reader) {
      auto consumer = dyn_cast<GenericOp>(reader);
      return consumer && canInline(copy, consumer);
    });
    if (areAllAble) {
      for (Operation *reader : readers)
        inlineProducer(copy, cast<GenericOp>(reader));
      copy->erase();
      generic->erase();
      continue;
    }
    copy->getResult(0).replaceAllUsesWith(generic->getResult(0));
    Operation *once = copy.getDpsInputs().front().getDefiningOp();
    copy->erase();
    once->erase();
  }
}
