//===- Sizes of tensors as values that are there already ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SizeFinder.h"
#include "KernelOutliner.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;

SizeFinder::SizeFinder(func::FuncOp function) : function(function) {
  for (Operation &op : function.front()) {
    // A symbol's canonical text is its name, quoted if need be.
    if (auto symbol = dyn_cast<shape::SymOp>(op))
      known[ExprAttr::get(op.getContext(), symbolic::printSymbolName(symbol.getName()))] = symbol;
    else if (auto apply = dyn_cast<shape::ApplyOp>(op))
      known[apply.getExpr()] = apply;
  }
}

/// The value of an expression over symbols that inputs determine. The ops stand at the beginning in any order; forming
/// kernels ends with a topological sort.
static Value createSize(func::FuncOp function, llvm::DenseMap<Attribute, Value> &known, ExprAttr size) {
  if (Value value = known.lookup(size))
    return value;
  symbolic::SymbolicContext context;
  symbolic::Expr expr = size.getExpr(context);
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  if (expr.isSymbol())
    return known[size] = shape::SymOp::create(b, loc, b.getIndexType(), b.getStringAttr(expr.getSymbolName()));
  SmallVector<Value> operands;
  SmallVector<StringRef> names;
  for (symbolic::Expr symbol : expr.getSymbols()) {
    names.push_back(symbol.getSymbolName());
    operands.push_back(createSize(function, known, ExprAttr::get(function.getContext(), symbol)));
  }
  return known[size] = shape::ApplyOp::create(b, loc, b.getIndexType(), size, b.getStrArrayAttr(names), operands);
}

OpFoldResult SizeFinder::find(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Builder(type.getContext()).getIndexAttr(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      return find(loop.getTiedLoopInit(argument)->get(), dim);
    auto dims = function.getArgAttrOfType<DimsAttr>(argument.getArgNumber(), DynDialect::kDimsAttrName);
    Value value = dims ? known.lookup(dims.getDims()[dim]) : Value();
    return value ? OpFoldResult(value) : OpFoldResult();
  }
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getMixedSizes()[dim];
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getMixedOutputShape()[dim];
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getMixedSizes()[dim];
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    // Of one dim and dims of size 1.
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    llvm::erase_if(group, [&](int64_t inner) { return collapse.getSrcType().getDimSize(inner) == 1; });
    return group.size() == 1 ? find(collapse.getSrc(), group.front()) : OpFoldResult();
  }
  OpOperand *destination = getDestination(cast<OpResult>(tensor));
  return destination ? find(destination->get(), dim) : OpFoldResult();
}

SmallVector<OpFoldResult> SizeFinder::materialize(OpBuilder &b, Value tensor) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim) {
    OpFoldResult size = find(tensor, dim);
    auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
    if (!size && collapse) {
      SmallVector<OpFoldResult> inner = materialize(b, collapse.getSrc());
      Value product;
      ReassociationIndices group = collapse.getReassociationIndices()[dim];
      for (int64_t index : group) {
        Value factor = getValueOrCreateConstantIndexOp(b, tensor.getLoc(), inner[index]);
        product = product ? arith::MulIOp::create(b, tensor.getLoc(), product, factor).getResult() : factor;
      }
      size = product;
    }
    auto argument = dyn_cast<BlockArgument>(tensor);
    auto dims = argument && argument.getOwner() == &function.front()
                    ? function.getArgAttrOfType<DimsAttr>(argument.getArgNumber(), DynDialect::kDimsAttrName)
                    : DimsAttr();
    if (!size && dims)
      size = createSize(function, known, dims.getDims()[dim]);
    sizes.push_back(size ? size : tensor::DimOp::create(b, tensor.getLoc(), tensor, dim).getResult());
  }
  return sizes;
}
