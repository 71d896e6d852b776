//===- dyn-share-slices: pieces of buffers without copies ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HoistSizes.h"
#include "Views.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "dyn/Transforms/Memory/SizeExprs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

namespace dyn {
#define GEN_PASS_DEF_SHARESLICESPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using symbolic::Expr;
using symbolic::Verdict;

namespace {

/// A place that a kernel reads, for each dim: a loop, none (-1), and what is added to it.
struct Place {
  int64_t loop = -1;
  Expr offset;
};

/// What a kernel copies: an argument, and the place of each of its dims.
struct CopiedSlice {
  BlockArgument source;
  SmallVector<Place> places;
};

/// A source of a concat, and the number of the result's element that it begins at.
struct Piece {
  unsigned operand; ///< of the launch: what it is changes when another piece of the same buffer is shared
  Expr offset;
};

class FunctionSharer {
public:
  FunctionSharer(func::FuncOp function, SymbolTable &symbols)
      : block(function.front()), symbols(symbols), sizes(function), context(sizes.getSolver().getContext()) {}

  LogicalResult run(unsigned &numConcats, unsigned &numSlices) {
    hoistSizes(block);
    if (failed(sizes.readFacts()))
      return failure();
    for (Value value : block.getTerminator()->getOperands())
      returned.insert(skipReshapes(value));
    for (auto launch : llvm::make_early_inc_range(block.getOps<shape::LaunchOp>()))
      numConcats += shareConcat(launch);
    for (auto launch : llvm::make_early_inc_range(block.getOps<shape::LaunchOp>()))
      numSlices += shareSlice(launch);
    return success();
  }

private:
  bool shareConcat(shape::LaunchOp launch);
  bool shareSlice(shape::LaunchOp launch);

  /// Is it memory of main's own that is written for nobody else?
  memref::AllocOp getOwnMemory(Value buffer) {
    auto alloc = skipReshapes(buffer).getDefiningOp<memref::AllocOp>();
    return alloc && !returned.contains(alloc.getResult()) ? alloc : memref::AllocOp();
  }
  func::FuncOp getKernel(shape::LaunchOp launch, StringRef kind) {
    auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
    bool fits = kernel && !kernel.isExternal() &&
                kernel->getAttr(DynDialect::kKernelAttrName) == StringAttr::get(launch.getContext(), kind);
    return fits && launch.getOutputs().size() == 1 ? kernel : func::FuncOp();
  }

  std::optional<SmallVector<Piece>> getPieces(shape::LaunchOp launch, func::FuncOp kernel);
  std::optional<Place> getPlace(shape::LaunchOp launch, Value index);
  std::optional<CopiedSlice> getCopiedSlice(shape::LaunchOp launch, linalg::GenericOp generic);
  /// An index value of a kernel as an expression, for one launch of it; null if it is none.
  Expr getExpr(shape::LaunchOp launch, Value value);
  Expr getExpr(shape::LaunchOp launch, OpFoldResult value) {
    if (auto attribute = dyn_cast<Attribute>(value))
      return context.getConstant(cast<IntegerAttr>(attribute).getInt());
    return getExpr(launch, cast<Value>(value));
  }

  Expr multiply(ArrayRef<Expr> factors) {
    Expr product = context.getConstant(1);
    for (Expr factor : factors)
      product = product && factor ? product * factor : Expr();
    return product;
  }
  /// For each dim, how many elements lie between one of its indices and the next; empty if that, or a dim, is not
  /// known.
  SmallVector<Expr> getStrides(ArrayRef<Expr> dims) {
    if (llvm::is_contained(dims, Expr()))
      return {};
    SmallVector<Expr> strides(dims.size());
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (!(strides[dim] = multiply(dims.drop_front(dim + 1))))
        return {};
    return strides;
  }
  bool areEqual(Expr lhs, Expr rhs) {
    return lhs && rhs && (lhs == rhs || sizes.getSolver().isEqual(lhs, rhs) == Verdict::Yes);
  }
  bool isOne(Expr expr) { return areEqual(expr, context.getConstant(1)); }

  /// A part of `buffer` with the type and dims of `like`.
  Value createPart(OpBuilder &builder, Location loc, Value buffer, Expr offset, Value like) {
    SmallVector<Value> dynamic;
    for (OpFoldResult dim : sizes.materializeDims(builder, loc, like))
      if (auto value = dyn_cast<Value>(dim))
        dynamic.push_back(value);
    Value from = sizes.materialize(builder, loc, offset);
    return shape::PartOp::create(builder, loc, like.getType(), buffer, from, dynamic);
  }

  Block &block;
  SymbolTable &symbols;
  SizeExprs sizes;
  symbolic::SymbolicContext &context;
  llvm::SmallPtrSet<Value, 4> returned;
};

} // namespace

Expr FunctionSharer::getExpr(shape::LaunchOp launch, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getType().isIndex() ? sizes.getExpr(launch.getOperand(argument.getArgNumber())) : Expr();
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return context.getConstant(constant.getInt());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto tensor = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!tensor || !index)
      return Expr();
    SmallVector<Expr> dims = sizes.getDims(launch.getOperand(tensor.getArgNumber()));
    return *index >= 0 && size_t(*index) < dims.size() ? dims[*index] : Expr();
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  Expr lhs = getExpr(launch, op->getOperand(0)), rhs = getExpr(launch, op->getOperand(1));
  if (!lhs || !rhs)
    return {};
  return isa<arith::AddIOp>(op) ? lhs + rhs : isa<arith::SubIOp>(op) ? lhs - rhs : lhs * rhs;
}

//===----------------------------------------------------------------------===//
// Concats
//===----------------------------------------------------------------------===//

/// The sources of a concat; nothing unless each of them lies in one piece in the result.
std::optional<SmallVector<Piece>> FunctionSharer::getPieces(shape::LaunchOp launch, func::FuncOp kernel) {
  SmallVector<Piece> pieces;
  SmallVector<Expr> dims = sizes.getDims(launch.getOutputs().front()), strides = getStrides(dims);
  if (strides.size() != dims.size())
    return std::nullopt;
  for (Operation &op : kernel.front()) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(op);
    if (!insert)
      continue;
    auto argument = dyn_cast<BlockArgument>(insert.getSource());
    if (!argument || !insert.hasUnitStride() || insert.getSourceType().getRank() != insert.getDestType().getRank())
      return std::nullopt;
    Piece piece{argument.getArgNumber(), context.getConstant(0)};
    SmallVector<Expr> own = sizes.getDims(launch.getOperand(piece.operand)), ownStrides = getStrides(own);
    if (ownStrides.size() != own.size())
      return std::nullopt;
    for (auto [dim, offset] : llvm::enumerate(insert.getMixedOffsets())) {
      Expr begin = getExpr(launch, offset);
      if (!begin || !(isOne(own[dim]) || areEqual(ownStrides[dim], strides[dim])))
        return std::nullopt;
      piece.offset = piece.offset + begin * strides[dim];
      if (!piece.offset)
        return std::nullopt;
    }
    pieces.push_back(piece);
  }
  return pieces;
}

bool FunctionSharer::shareConcat(shape::LaunchOp launch) {
  func::FuncOp kernel = getKernel(launch, "concat");
  if (!kernel)
    return false;
  Value whole = launch.getOutputs().front();
  auto alloc = whole.getDefiningOp<memref::AllocOp>();
  std::optional<SmallVector<Piece>> pieces = alloc ? getPieces(launch, kernel) : std::nullopt;
  if (!pieces)
    return false;

  SmallVector<Piece> shared, copied;
  llvm::SmallPtrSet<Operation *, 4> taken;
  Expr difference = context.getConstant(0); ///< of bytes that need no copy and bytes that do
  for (const Piece &piece : *pieces) {
    Value source = launch.getOperand(piece.operand);
    memref::AllocOp own = getOwnMemory(source);
    bool isShared = own && own != alloc && taken.insert(own).second;
    (isShared ? shared : copied).push_back(piece);
    Expr bytes = sizes.getBytes(source);
    difference = !bytes || !difference ? Expr() : isShared ? difference + bytes : difference - bytes;
  }
  if (shared.empty() || (!copied.empty() && (!difference || sizes.getSolver().isLessEqual(context.getConstant(0),
                                                                                          difference) != Verdict::Yes)))
    return false;

  // The result begins to exist where the first of its parts is written. Sizes stand before all buffers.
  Operation *first = alloc;
  for (const Piece &piece : shared)
    if (Operation *own = getOwnMemory(launch.getOperand(piece.operand)); own->isBeforeInBlock(first))
      first = own;
  if (first != alloc)
    alloc->moveBefore(first);
  for (const Piece &piece : shared) {
    memref::AllocOp own = getOwnMemory(launch.getOperand(piece.operand));
    OpBuilder builder(own);
    own.replaceAllUsesWith(createPart(builder, own.getLoc(), whole, piece.offset, own.getResult()));
    own.erase();
  }
  OpBuilder builder(launch);
  for (const Piece &piece : copied) {
    Value source = launch.getOperand(piece.operand);
    memref::CopyOp::create(builder, launch.getLoc(), source,
                           createPart(builder, launch.getLoc(), whole, piece.offset, source));
  }
  launch.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

std::optional<Place> FunctionSharer::getPlace(shape::LaunchOp launch, Value index) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return Place{int64_t(loop.getDim()), context.getConstant(0)};
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    std::optional<Place> lhs = getPlace(launch, sum.getLhs()), rhs = getPlace(launch, sum.getRhs());
    if (!lhs || !rhs || (lhs->loop >= 0 && rhs->loop >= 0))
      return std::nullopt;
    Place place{std::max(lhs->loop, rhs->loop), lhs->offset + rhs->offset};
    return place.offset ? std::optional(place) : std::nullopt;
  }
  Expr offset = getExpr(launch, index);
  return offset ? std::optional(Place{-1, offset}) : std::nullopt;
}

/// A slice reads at computed places, or by a map that has constants.
std::optional<CopiedSlice> FunctionSharer::getCopiedSlice(shape::LaunchOp launch, linalg::GenericOp generic) {
  if (!generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  CopiedSlice slice;
  if (generic.getNumDpsInputs() == 0) {
    auto extract = yielded.getDefiningOp<tensor::ExtractOp>();
    slice.source = extract ? dyn_cast<BlockArgument>(extract.getTensor()) : BlockArgument();
    for (Value index : extract ? extract.getIndices() : ValueRange()) {
      std::optional<Place> place = getPlace(launch, index);
      if (!place)
        return std::nullopt;
      slice.places.push_back(*place);
    }
  } else if (generic.getNumDpsInputs() == 1 && yielded == generic.getBody()->getArgument(0)) {
    slice.source = dyn_cast<BlockArgument>(generic.getDpsInputs().front());
    bool hasConstant = false;
    for (AffineExpr expr : generic.getMatchingIndexingMap(generic.getDpsInputOperand(0)).getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      if (!loop && !constant)
        return std::nullopt;
      hasConstant |= !loop;
      slice.places.push_back(
          Place{loop ? int64_t(loop.getPosition()) : -1, context.getConstant(constant ? constant.getValue() : 0)});
    }
    if (!hasConstant)
      return std::nullopt;
  }
  bool isOfKernel = slice.source && slice.source.getOwner() == generic->getBlock();
  return isOfKernel ? std::optional(slice) : std::nullopt;
}

bool FunctionSharer::shareSlice(shape::LaunchOp launch) {
  func::FuncOp kernel = getKernel(launch, "pointwise");
  memref::AllocOp own = kernel ? getOwnMemory(launch.getOutputs().front()) : memref::AllocOp();
  if (!own || own.getResult() != launch.getOutputs().front())
    return false;
  auto generics = kernel.front().getOps<linalg::GenericOp>();
  std::optional<CopiedSlice> slice =
      llvm::hasSingleElement(generics) ? getCopiedSlice(launch, *generics.begin()) : std::nullopt;
  if (!slice)
    return false;
  Value source = launch.getOperand(slice->source.getArgNumber());
  SmallVector<Expr> dims = sizes.getDims(own.getResult()), strides = getStrides(dims);
  SmallVector<Expr> sourceDims = sizes.getDims(source), sourceStrides = getStrides(sourceDims);
  if (strides.size() != dims.size() || sourceStrides.size() != sourceDims.size())
    return false;

  // The place of the element at indices i of the result is offset + sum of steps[k] * i[k].
  SmallVector<Expr> steps(dims.size(), context.getConstant(0));
  Expr offset = context.getConstant(0);
  for (auto [dim, place] : llvm::enumerate(slice->places)) {
    offset = offset ? offset + place.offset * sourceStrides[dim] : Expr();
    if (place.loop >= 0)
      steps[place.loop] = steps[place.loop] ? steps[place.loop] + sourceStrides[dim] : Expr();
  }
  if (!offset)
    return false;
  for (size_t loop = 0; loop < dims.size(); ++loop)
    if (!isOne(dims[loop]) && !areEqual(steps[loop], strides[loop]))
      return false;

  // The part stands in the place of the buffer, or behind the source.
  OpBuilder builder(own);
  Operation *definition = source.getDefiningOp();
  if (definition && own->isBeforeInBlock(definition)) {
    if (llvm::any_of(own->getUsers(), [&](Operation *user) { return user->isBeforeInBlock(definition); }))
      return false;
    builder.setInsertionPointAfter(definition);
  }
  own.replaceAllUsesWith(createPart(builder, launch.getLoc(), source, offset, own.getResult()));
  own.erase();
  launch.erase();
  return true;
}

namespace {
struct ShareSlicesPass : dyn::impl::ShareSlicesPassBase<ShareSlicesPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(DynDialect::kKernelAttrName) || function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      unsigned concats = 0, slices = 0;
      if (failed(FunctionSharer(function, symbols).run(concats, slices)))
        return signalPassFailure();
      numConcats += concats;
      numSlices += slices;
    }
  }
};
} // namespace
