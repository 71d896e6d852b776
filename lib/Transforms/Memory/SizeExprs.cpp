//===- Sizes in SSA form as expressions, and back ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Memory/SizeExprs.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

std::optional<int64_t> dyn::getBytesOfElement(Type type) {
  if (type.isInteger(1))
    return 1;
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  return type.getIntOrFloatBitWidth() / 8;
}

SizeExprs::SizeExprs(func::FuncOp function) : function(function), solver(context) {
  function.walk([&](shape::SymOp op) { valueOfSymbol.try_emplace(context.getSymbol(op.getName()), op.getResult()); });
}

LogicalResult SizeExprs::readFacts() {
  auto refuse = [&](Location loc) {
    std::string message = solver.getConflict() ? solver.getConflict()->message : "facts contradict each other";
    return emitError(loc) << "no sizes are possible: " << message;
  };
  ReasonId declared = solver.addReason({"declared", "", 0});
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    for (const SymbolDeclaration &declaration : symbols.getDeclarations()) {
      Expr symbol = context.getSymbol(declaration.name);
      if (!solver.declare(symbol, declaration.facts, SymbolClass::Declared, declared))
        return refuse(function.getLoc());
      if (declaration.origin != SymbolDeclaration::Origin::Defined)
        continue;
      ParseError error;
      Expr definition = parseExpr(declaration.definition, context, error);
      if (definition && !solver.addEqual(symbol, definition, declared))
        return refuse(function.getLoc());
    }
  if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
    for (PredAttr predicate : constraints.getPredicates())
      if (!solver.addPredicate(predicate.getPredicate(context), declared))
        return refuse(function.getLoc());
  for (auto check : function.front().getOps<shape::CheckOp>()) {
    std::optional<Predicate> predicate = getPredicate(check.getPredicate(), check.getNames(), check.getOperands());
    if (predicate && !solver.addPredicate(*predicate, solver.addReason({check.getBecause().str(), "", 0})))
      return refuse(check.getLoc());
  }
  return success();
}

bool SizeExprs::getSubstitution(ArrayAttr names, ValueRange operands, Substitution &substitution) {
  for (auto [name, operand] : llvm::zip_equal(names.getAsRange<StringAttr>(), operands)) {
    Expr symbol = context.getSymbol(name.getValue()), value = getExpr(operand);
    if (!value)
      return false;
    if (symbol != value)
      substitution[symbol.getNode()] = value;
  }
  return true;
}

std::optional<Predicate> SizeExprs::getPredicate(PredAttr predicate, ArrayAttr names, ValueRange operands) {
  Substitution substitution;
  if (!getSubstitution(names, operands, substitution))
    return std::nullopt;
  return substitute(predicate.getPredicate(context), substitution);
}

Expr SizeExprs::getExpr(Value size) {
  auto entry = exprs.find(size);
  if (entry != exprs.end())
    return entry->second;
  Expr expr = computeExpr(size);
  return exprs[size] = expr;
}

Expr SizeExprs::computeExpr(Value size) {
  IntegerAttr constant;
  if (matchPattern(size, m_Constant(&constant)))
    return context.getConstant(constant.getInt());
  Operation *op = size.getDefiningOp();
  if (auto symbol = dyn_cast_or_null<shape::SymOp>(op))
    return context.getSymbol(symbol.getName());
  if (auto apply = dyn_cast_or_null<shape::ApplyOp>(op)) {
    Substitution substitution;
    if (!getSubstitution(apply.getNames(), apply.getOperands(), substitution))
      return Expr();
    Expr expr = apply.getExpr().getExpr(context);
    return substitution.empty() ? expr : substitute(expr, substitution);
  }
  if (isa_and_nonnull<arith::AddIOp>(op))
    return getExpr(op->getOperand(0)) + getExpr(op->getOperand(1));
  if (isa_and_nonnull<arith::SubIOp>(op))
    return getExpr(op->getOperand(0)) - getExpr(op->getOperand(1));
  if (isa_and_nonnull<arith::MulIOp>(op))
    return getExpr(op->getOperand(0)) * getExpr(op->getOperand(1));
  Expr symbol = context.createSymbol("v");
  valueOfSymbol[symbol] = size;
  return symbol;
}

bool SizeExprs::isOverSymbols(Expr expr) const {
  return llvm::all_of(expr.getSymbols(), [&](Expr symbol) {
    auto value = valueOfSymbol.find(symbol);
    return value == valueOfSymbol.end() || value->second.getDefiningOp<shape::SymOp>();
  });
}

llvm::SmallVector<Expr> SizeExprs::getDims(Value buffer) {
  auto type = cast<ShapedType>(buffer.getType());
  SmallVector<Expr> dims;
  if (!type.hasRank())
    return dims;
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? Expr() : context.getConstant(dim));
  auto setDynamic = [&](ValueRange dynamicSizes) {
    auto next = dynamicSizes.begin();
    for (Expr &dim : dims)
      if (!dim && next != dynamicSizes.end())
        dim = getExpr(*next++);
  };
  Operation *op = buffer.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    DimsAttr attribute;
    if (argument.getOwner() == &function.front())
      attribute = function.getArgAttrOfType<DimsAttr>(argument.getArgNumber(), DynDialect::kDimsAttrName);
    if (attribute && attribute.getDims().size() == dims.size())
      return attribute.getExprs(context);
  } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    setDynamic(alloc.getDynamicSizes());
  } else if (auto view = dyn_cast<memref::ViewOp>(op)) {
    setDynamic(view.getSizes());
  } else if (auto part = dyn_cast<shape::PartOp>(op)) {
    setDynamic(part.getSizes());
  } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    setDynamic(expand.getOutputShape());
  } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    SmallVector<Expr> source = getDims(collapse.getSrc());
    for (auto [dim, group] : llvm::zip_equal(dims, collapse.getReassociationIndices())) {
      dim = context.getConstant(1);
      for (int64_t index : group)
        dim = dim * source[index];
    }
  }
  return dims;
}

Expr SizeExprs::getBytes(Value buffer) {
  std::optional<int64_t> element = getBytesOfElement(cast<ShapedType>(buffer.getType()).getElementType());
  if (!element)
    return Expr();
  Expr bytes = context.getConstant(*element);
  for (Expr dim : getDims(buffer))
    bytes = bytes * dim;
  return bytes;
}

Value SizeExprs::getSymbolValue(OpBuilder &builder, Location loc, Expr symbol) {
  Value &value = valueOfSymbol[symbol];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.front());
    value = shape::SymOp::create(builder, loc, builder.getIndexType(), symbol.getSymbolName());
  }
  return value;
}

Value SizeExprs::materialize(OpBuilder &builder, Location loc, Expr expr) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return arith::ConstantIndexOp::create(builder, loc, *constant);
  SmallVector<Value> operands;
  SmallVector<Attribute> names;
  for (Expr symbol : expr.getSymbols()) {
    operands.push_back(getSymbolValue(builder, loc, symbol));
    names.push_back(builder.getStringAttr(symbol.getSymbolName()));
  }
  if (expr.isSymbol())
    return operands.front();
  return shape::ApplyOp::create(builder, loc, builder.getIndexType(), ExprAttr::get(builder.getContext(), expr),
                                builder.getArrayAttr(names), operands);
}

llvm::SmallVector<OpFoldResult> SizeExprs::materializeDims(OpBuilder &builder, Location loc, Value buffer) {
  SmallVector<OpFoldResult> dims;
  auto shape = cast<ShapedType>(buffer.getType()).getShape();
  for (auto [size, dim] : llvm::zip_equal(shape, getDims(buffer))) {
    if (ShapedType::isDynamic(size))
      dims.push_back(materialize(builder, loc, dim));
    else
      dims.push_back(builder.getIndexAttr(size));
  }
  return dims;
}
