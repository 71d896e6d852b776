//===- Register tiles of contractions -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TileFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace dyn::cpu;

/// In steps of the reduction.
static constexpr int64_t prefetchDistance = 8;

TileFunctions::TileFunctions(CPUKernelCode &kernel, linalg::GenericOp op, unsigned lhs, unsigned rhs, bool isFlat,
                             Operands operands)
    : kernel(kernel), code(kernel.code), body(op.getBlock()), lhs(lhs), rhs(rhs) {
  unpackedType = body->getArgument(rhs).getType();
  resultType = body->getArgument(2).getType();
  if (operands != Operands::AsTheyAre)
    widenBody(operands == Operands::Widened);
  lhsType = body->getArgument(lhs).getType();
  rhsType = body->getArgument(rhs).getType();
  lanes = getPanelWidth(kernel.vectorBits, resultType) / panelVectors;
  // 24 sums of 32 registers, or 12 of 16; the rest holds operands.
  unsigned sums = hasManyRegisters(kernel.vectorBits) ? 24 : 12;
  maxRows = isFlat ? getMaxFlatRows(kernel.vectorBits) : sums / panelVectors;
  vectors = sums / maxRows;
}

int64_t TileFunctions::getPanelWidth(unsigned vectorBits, Type resultType) {
  return int64_t(panelVectors) * vectorBits / (8 * getStoredBytes(resultType));
}

/// Lets the body take operands of the sums' type, which need no widening; the right one if so asked.
void TileFunctions::widenBody(bool widensRight) {
  ownBody = std::make_unique<Block>();
  OpBuilder b(code.builder.getContext());
  b.setInsertionPointToEnd(ownBody.get());
  IRMapping mapping;
  for (BlockArgument argument : body->getArguments()) {
    bool stays = argument.getArgNumber() == rhs && !widensRight;
    mapping.map(argument, ownBody->addArgument(stays ? argument.getType() : resultType, argument.getLoc()));
  }
  for (Operation &inner : *body) {
    auto widening = dyn_cast<arith::ExtFOp>(inner);
    Value wide = widening ? mapping.lookupOrDefault(widening.getIn()) : Value();
    if (wide && wide.getType() == widening.getType())
      mapping.map(widening.getOut(), wide);
    else
      b.clone(inner, mapping);
  }
  body = ownBody.get();
}

LLVM::LLVMFuncOp TileFunctions::createFunction(StringRef name, TypeRange arguments, function_ref<void(Block &)> body) {
  auto module = kernel.kernel->getParentOfType<ModuleOp>();
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder &b = code.builder;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), llvm::to_vector(arguments));
  auto function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type, LLVM::Linkage::Internal);
  function.setNoInline(true);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  body(*entry);
  LLVM::ReturnOp::create(b, module.getLoc(), ValueRange());
  return function;
}

LLVM::LLVMFuncOp TileFunctions::getTileFunction(unsigned rows, unsigned usedVectors, bool prefetches, bool looksAhead) {
  std::string name = "dyn.tile." + describeBody() + "." + std::to_string(rows) + "x" + std::to_string(usedVectors) +
                     "of" + std::to_string(vectors) + (prefetches ? "" : ".in_order") + (looksAhead ? ".ahead" : "");
  OpBuilder &b = code.builder;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  SmallVector<Type> types{pointer, i64, i64, pointer, i64, i64, i64, pointer, getStoredType(resultType), b.getI1Type()};
  if (looksAhead)
    types.append({pointer, i64});
  return createFunction(name, types,
                        [&](Block &entry) { emitTileBody(entry, rows, usedVectors, prefetches, looksAhead); });
}

/// A text that equal bodies share and others do not.
std::string TileFunctions::describeBody() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << lhsType << "." << rhsType << "." << resultType << "." << lanes << (lhs < rhs ? "" : ".swapped");
  DenseMap<Value, unsigned> numbers;
  auto numberOf = [&](Value value) { return numbers.try_emplace(value, numbers.size()).first->second; };
  for (BlockArgument argument : body->getArguments())
    numberOf(argument);
  for (Operation &inner : *body) {
    stream << "." << inner.getName().stripDialect();
    for (Value operand : inner.getOperands()) {
      stream << "_" << numberOf(operand);
      if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
        stream << "=" << constant.getValue();
    }
    for (NamedAttribute attribute : inner.getAttrs())
      if (attribute.getName() != "fastmath" && attribute.getName() != "overflowFlags")
        stream << "_" << attribute.getValue();
    for (Value result : inner.getResults())
      stream << "_" << numberOf(result) << result.getType();
  }
  return text;
}

void TileFunctions::emitTileBody(Block &entry, unsigned rows, unsigned usedVectors, bool prefetches, bool looksAhead) {
  OpBuilder &b = code.builder;
  auto toIndex = [&](Value value) -> Value { return arith::IndexCastOp::create(b, code.loc, b.getIndexType(), value); };
  Value lhsBase = entry.getArgument(0), lhsRow = toIndex(entry.getArgument(1)), lhsStep = toIndex(entry.getArgument(2));
  Value rhsBase = entry.getArgument(3), rhsStep = toIndex(entry.getArgument(4));
  Value rhsPanel = toIndex(entry.getArgument(5)), steps = toIndex(entry.getArgument(6));
  Value tile = entry.getArgument(7), start = entry.getArgument(8), resumes = entry.getArgument(9);
  Points points{lanes, {}};
  TensorMemory lhsMemory{lhsBase, lhsType, {}, {}, false, {}}, rhsMemory{rhsBase, rhsType, {}, {}, false, {}};
  TensorMemory tileMemory{tile, resultType, {}, {}, false, {}};
  auto placeInTile = [&](unsigned row, unsigned vector) {
    return Lanes::linear(code.index(row * columns() + vector * lanes), code.index(1));
  };
  auto placeOfColumn = [&](int64_t column) {
    Value panel = code.mul(rhsPanel, code.index(column / panelColumns()));
    return code.add(panel, code.index(column % panelColumns()));
  };
  SmallVector<Value> sums;
  Value empty = code.materialize(Lanes::uniform(start), points);
  sums.assign(rows * usedVectors, empty);
  sums = code.ifThen(resumes, sums, [&] {
    SmallVector<Value> old;
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned vector = 0; vector < usedVectors; ++vector)
        old.push_back(load(code, tileMemory, placeInTile(row, vector), points).vector);
    return old;
  });
  sums = code.forLoop(code.index(0), steps, 1, sums, [&](Value step, ValueRange carried) {
    SmallVector<Lanes> right;
    Value rightOffset = code.mul(step, rhsStep), leftOffset = code.mul(step, lhsStep);
    for (unsigned vector = 0; vector < usedVectors; ++vector)
      right.push_back(load(code, rhsMemory,
                           Lanes::linear(code.add(rightOffset, placeOfColumn(vector * lanes)), code.index(1)), points));
    Value ahead = code.mul(code.add(step, code.index(prefetchDistance)), rhsStep);
    for (int64_t column = 0; prefetches && column < int64_t(usedVectors) * lanes;
         column += cacheLineBytes / getStoredBytes(rhsType)) {
      Value address = addressOf(code, rhsBase, rhsType, code.add(ahead, placeOfColumn(column)));
      prefetch(code, address, Fetch::ToRead);
    }
    if (looksAhead) {
      Value offset = code.mul(step, toIndex(entry.getArgument(11)));
      prefetch(code, addressOf(code, entry.getArgument(10), b.getI8Type(), offset), Fetch::ToReadFromSecondLevel);
    }
    SmallVector<Value> next;
    for (unsigned row = 0; row < rows; ++row) {
      Value offset = code.add(leftOffset, code.mul(lhsRow, code.index(row)));
      SmallVector<Lanes> arguments(3);
      arguments[lhs] = load(code, lhsMemory, Lanes::uniform(offset), Points());
      for (unsigned vector = 0; vector < usedVectors; ++vector) {
        arguments[rhs] = right[vector];
        arguments[2] = Lanes::varying(carried[row * usedVectors + vector]);
        Lanes sum = emitBody(kernel, *body, arguments, {}, points).front();
        next.push_back(code.materialize(sum, points));
      }
    }
    return next;
  });
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned vector = 0; vector < usedVectors; ++vector)
      store(code, tileMemory, placeInTile(row, vector), Lanes::varying(sums[row * usedVectors + vector]), points);
}

void TileFunctions::emitTile(Value rows, const Matrix &lhsMatrix, const Matrix &rhsMatrix, Value steps, Value tile,
                             Value start, Value resumes, const Used &used, const Ahead &ahead) {
  OpBuilder &b = code.builder;
  // Rows of the right operand often lie in different pages, which is where hardware stops to look ahead. Where one
  // follows the other it is better left alone: few rows of the left one wait for memory only.
  bool prefetches = vectors == panelVectors || !isConstant(rhsMatrix.rowStride, panelColumns());
  auto emitCalls = [&](unsigned usedVectors, Value rhsBase, Value tileBase) {
    SmallVector<Value> arguments{lhsMatrix.base,
                                 code.toInt64(lhsMatrix.rowStride),
                                 code.toInt64(lhsMatrix.columnStride),
                                 rhsBase,
                                 code.toInt64(rhsMatrix.rowStride),
                                 code.toInt64(rhsMatrix.panelStride),
                                 code.toInt64(steps),
                                 tileBase,
                                 start,
                                 resumes};
    if (ahead.base)
      arguments.append({ahead.base, code.toInt64(ahead.bytesPerStep)});
    auto emitCall = [&](int64_t count) {
      LLVM::CallOp::create(b, code.loc, getTileFunction(count, usedVectors, prefetches, bool(ahead.base)), arguments);
    };
    unsigned mostRows = usedVectors == 1 && used.isHighIfNarrow ? getMaxNarrowRows() : maxRows;
    SmallVector<int64_t> cases = llvm::to_vector(llvm::seq_inclusive<int64_t>(1, mostRows));
    if (std::optional<int64_t> known = constantOf(rows); known && llvm::is_contained(cases, *known))
      return emitCall(*known);
    auto choice = scf::IndexSwitchOp::create(b, code.loc, TypeRange(), rows, cases, cases.size());
    OpBuilder::InsertionGuard guard(b);
    for (auto [count, region] : llvm::zip_equal(cases, choice.getCaseRegions())) {
      b.createBlock(&region);
      emitCall(count);
      scf::YieldOp::create(b, code.loc);
    }
    b.createBlock(&choice.getDefaultRegion());
    scf::YieldOp::create(b, code.loc);
  };
  auto emitPanels = [&] {
    code.forLoop(code.index(0), used.panels, [&](Value panel) {
      emitCalls(panelVectors, addressOf(code, rhsMatrix.base, rhsType, code.mul(panel, rhsMatrix.panelStride)),
                addressOf(code, tile, resultType, code.mul(panel, code.index(panelColumns()))));
    });
  };
  Value isPart = used.isNarrow;
  if (used.panels)
    isPart = code.isLess(used.panels, code.index(vectors / panelVectors));
  if (!isPart)
    return emitCalls(vectors, rhsMatrix.base, tile);
  auto branch = scf::IfOp::create(b, code.loc, isPart, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (used.panels)
    emitPanels();
  else
    emitCalls(1, rhsMatrix.base, tile);
  b.setInsertionPointToStart(branch.elseBlock());
  emitCalls(vectors, rhsMatrix.base, tile);
}

LLVM::LLVMFuncOp TileFunctions::getPackFunction(std::optional<int64_t> step, bool hasContiguousColumns) {
  std::string name = "dyn.pack.";
  llvm::raw_string_ostream stream(name);
  stream << unpackedType << ".";
  if (unpackedType != rhsType)
    stream << rhsType << ".";
  stream << columns() << (hasContiguousColumns ? ".columns" : "");
  if (step)
    stream << ".step" << *step;
  OpBuilder &b = code.builder;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  return createFunction(name, {pointer, i64, i64, i64, i64, pointer},
                        [&](Block &entry) { emitPackBody(entry, step, hasContiguousColumns); });
}

/// Transposes a square of as many vectors as each has lanes: swaps ever larger blocks beside the diagonal.
SmallVector<Value> TileFunctions::transpose(SmallVector<Value> rows) {
  unsigned size = rows.size();
  for (unsigned width = 1; width < size; width *= 2)
    for (unsigned i = 0; i < size; ++i) {
      if (i & width)
        continue;
      SmallVector<int64_t> lower, upper;
      for (unsigned lane = 0; lane < size; ++lane) {
        lower.push_back(lane & width ? size + lane - width : lane);
        upper.push_back(lane & width ? size + lane : lane + width);
      }
      Value first = rows[i], second = rows[i + width];
      rows[i] = vector::ShuffleOp::create(code.builder, code.loc, first, second, lower);
      rows[i + width] = vector::ShuffleOp::create(code.builder, code.loc, first, second, upper);
    }
  return rows;
}

void TileFunctions::emitPackBody(Block &entry, std::optional<int64_t> step, bool hasContiguousColumns) {
  OpBuilder &b = code.builder;
  auto toIndex = [&](Value value) -> Value { return arith::IndexCastOp::create(b, code.loc, b.getIndexType(), value); };
  TensorMemory from{entry.getArgument(0), unpackedType, {}, {}, false, {}};
  TensorMemory to{entry.getArgument(5), rhsType, {}, {}, false, {}};
  auto read = [&](const Lanes &offset, const Points &points) {
    return widen(code, load(code, from, offset, points), rhsType, points);
  };
  Value rowStride = hasContiguousColumns ? code.index(1) : toIndex(entry.getArgument(1));
  Value columnStride = step ? code.index(*step) : toIndex(entry.getArgument(2));
  Value rowCount = toIndex(entry.getArgument(3)), columnCount = toIndex(entry.getArgument(4));
  Value one = code.index(1);
  auto placeOf = [&](Value row, unsigned vector) {
    return Lanes::linear(code.add(code.mul(row, code.index(columns())), code.index(vector * lanes)), one);
  };
  if (!hasContiguousColumns) {
    code.forLoop(code.index(0), rowCount, [&](Value row) {
      for (unsigned vector = 0; vector < vectors; ++vector) {
        Value column = code.index(vector * lanes);
        Points points{lanes, code.maskOf(code.sub(columnCount, column), lanes)};
        Value offset = code.add(code.mul(row, rowStride), code.mul(column, columnStride));
        store(code, to, placeOf(row, vector), read(Lanes::linear(offset, columnStride), points), Points{lanes, {}});
      }
    });
    return;
  }
  // Squares of `lanes` rows and columns. Columns that are not there are those of the last one, rows are not read.
  Value lastColumn = code.sub(columnCount, one);
  code.forLoop(code.index(0), rowCount, lanes, {}, [&](Value row, ValueRange) {
    Value left = code.sub(rowCount, row);
    for (unsigned vector = 0; vector < vectors; ++vector) {
      auto move = [&](Value mask) {
        SmallVector<Value> square;
        for (unsigned lane = 0; lane < lanes; ++lane) {
          Value column = code.min(code.index(vector * lanes + lane), lastColumn);
          Value offset = code.add(row, code.mul(column, columnStride));
          square.push_back(read(Lanes::linear(offset, one), Points{lanes, mask}).vector);
        }
        for (auto [lane, values] : llvm::enumerate(transpose(square)))
          store(code, to, placeOf(code.add(row, code.index(lane)), vector), Lanes::varying(values), Points{lanes, {}});
      };
      Value isFull = code.isLess(code.index(lanes - 1), left);
      auto branch = scf::IfOp::create(b, code.loc, isFull, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      move(Value());
      b.setInsertionPointToStart(branch.elseBlock());
      move(code.maskOf(left, lanes));
    }
    return SmallVector<Value>();
  });
}

void TileFunctions::emitPack(const Matrix &from, Value rows, Value columnCount, Value to) {
  // Windows of a convolution lie beside each other both ways, and are few: columns a few places apart are picked out of
  // vectors then.
  std::optional<int64_t> step = constantOf(from.columnStride);
  if (step && !isShortStep(from.columnStride))
    step.reset();
  bool hasContiguousColumns = isConstant(from.rowStride, 1) && !step;
  LLVM::LLVMFuncOp function = getPackFunction(step, hasContiguousColumns);
  LLVM::CallOp::create(code.builder, code.loc, function,
                       ValueRange{from.base, code.toInt64(from.rowStride), code.toInt64(from.columnStride),
                                  code.toInt64(rows), code.toInt64(columnCount), to});
}

void TileFunctions::emitDots(Value lhsBase, const Matrix &rhsMatrix, Value steps, Value columnCount, Value tile) {
  OpBuilder &b = code.builder;
  std::string name = "dyn.dots.";
  llvm::raw_string_ostream(name) << unpackedType << "." << describeBody();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  LLVM::LLVMFuncOp function =
      createFunction(name, {pointer, pointer, i64, i64, i64, pointer}, [&](Block &entry) { emitDotsBody(entry); });
  LLVM::CallOp::create(b, code.loc, function,
                       ValueRange{lhsBase, rhsMatrix.base, code.toInt64(rhsMatrix.columnStride), code.toInt64(steps),
                                  code.toInt64(columnCount), tile});
}

/// For as many columns at a time as a vector has lanes: a vector of partial sums for each, transposed and added at
/// last.
void TileFunctions::emitDotsBody(Block &entry) {
  OpBuilder &b = code.builder;
  auto toIndex = [&](Value value) -> Value { return arith::IndexCastOp::create(b, code.loc, b.getIndexType(), value); };
  TensorMemory left{entry.getArgument(0), resultType, {}, {}, false, {}};
  TensorMemory right{entry.getArgument(1), unpackedType, {}, {}, false, {}};
  TensorMemory to{entry.getArgument(5), resultType, {}, {}, false, {}};
  Value columnStride = toIndex(entry.getArgument(2)), steps = toIndex(entry.getArgument(3));
  Value lastColumn = code.sub(toIndex(entry.getArgument(4)), code.index(1)), one = code.index(1);
  Points all{lanes, {}};
  Value whole = code.mul(code.div(steps, code.index(lanes)), code.index(lanes)), rest = code.sub(steps, whole);
  Value zero = arith::ConstantOp::create(b, code.loc, b.getZeroAttr(code.typeAt(resultType, all)));
  code.forLoop(code.index(0), code.index(columns()), lanes, {}, [&](Value first, ValueRange) {
    // Columns that are not there are the last one.
    SmallVector<Value> starts;
    for (unsigned lane = 0; lane < lanes; ++lane)
      starts.push_back(code.mul(code.min(code.add(first, code.index(lane)), lastColumn), columnStride));
    auto accumulate = [&](Value step, ValueRange sums, const Points &points) {
      SmallVector<Lanes> arguments(3);
      arguments[lhs] = load(code, left, Lanes::linear(step, one), points);
      SmallVector<Value> next;
      for (auto [start, sum] : llvm::zip_equal(starts, sums)) {
        arguments[rhs] =
            widen(code, load(code, right, Lanes::linear(code.add(start, step), one), points), rhsType, all);
        arguments[2] = Lanes::varying(sum);
        next.push_back(code.materialize(emitBody(kernel, *body, arguments, {}, all).front(), all));
      }
      return next;
    };
    SmallVector<Value> sums(lanes, zero);
    sums = code.forLoop(code.index(0), whole, lanes, sums,
                        [&](Value step, ValueRange carried) { return accumulate(step, carried, all); });
    sums = code.ifThen(code.isLess(code.index(0), rest), sums,
                       [&] { return accumulate(whole, sums, Points{lanes, code.maskOf(rest, lanes)}); });
    sums = transpose(sums);
    for (; sums.size() > 1; sums.truncate(sums.size() / 2))
      for (size_t i = 0; i < sums.size() / 2; ++i)
        sums[i] = arith::AddFOp::create(b, code.loc, sums[i], sums[i + sums.size() / 2]);
    store(code, to, Lanes::linear(first, one), Lanes::varying(sums.front()), all);
    return SmallVector<Value>();
  });
}
