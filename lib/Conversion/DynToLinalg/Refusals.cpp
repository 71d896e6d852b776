//===- What is not compiled yet --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Refusals.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// Adds the inputs that a value follows from. False unless all of these are few integers or booleans, which can be
/// given.
static bool collectDeciders(Value value, llvm::SetVector<BlockArgument> &inputs, llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isInput = isa<func::FuncOp>(argument.getOwner()->getParentOp());
    inputs.insert(argument);
    constexpr int64_t most = 64;
    return isInput && type && type.hasStaticShape() && type.getNumElements() <= most &&
           isa<IntegerType>(type.getElementType());
  }
  Operation *op = value.getDefiningOp();
  return op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return collectDeciders(operand, inputs, seen); });
}

/// Which inputs decide the branches of all these ops, as advice; "" where others do too.
static std::string adviseValues(func::FuncOp function, ArrayRef<Operation *> ops) {
  llvm::SetVector<BlockArgument> inputs;
  llvm::DenseSet<Value> seen;
  for (Operation *op : ops)
    if (auto branch = dyn_cast<IfOp>(op); !branch || !collectDeciders(branch.getCondition(), inputs, seen))
      return "";
  std::string names, options;
  for (BlockArgument input : inputs) {
    auto name = function.getArgAttrOfType<StringAttr>(input.getArgNumber(), DynDialect::kNameAttrName);
    if (!name)
      return "";
    names += (names.empty() ? "'" : ", '") + name.str() + "'";
    options += " --input-values=" + name.str() + "=VALUE";
  }
  if (names.empty())
    return "";
  return "; input" + std::string(inputs.size() > 1 ? "s " : " ") + names +
         (inputs.size() > 1 ? " decide" : " decides") +
         " which branch is taken: the model can be compiled for one (dyn-run" + options + ", in Python input_values)";
}

/// How many trips a loop makes that nothing ends before: nothing where its operands' types do not tell.
static std::optional<ExprAttr> findTrips(LoopOp op) {
  for (Value sliced : op.getSliced())
    if (auto type = dyn_cast<RankedTensorType>(sliced.getType()))
      if (DimsAttr dims = type.isDynamicDim(0) ? DimsAttr::of(type) : DimsAttr())
        return dims.getDims().front();
  return std::nullopt;
}

/// The number of trips that is known, and yet too large to write them out.
static std::optional<int64_t> findKnownTrips(LoopOp op) {
  for (Value sliced : op.getSliced())
    if (auto type = dyn_cast<RankedTensorType>(sliced.getType()); type && !type.isDynamicDim(0))
      return type.getDimSize(0);
  DenseIntElementsAttr count;
  if (op.getTripCount() && matchPattern(op.getTripCount(), m_Constant(&count)))
    // Without a limit, exporters write the largest integer.
    if (int64_t trips = count.getSplatValue<APInt>().getSExtValue(); trips != INT64_MAX)
      return trips;
  return std::nullopt;
}

/// What would let the loops be compiled.
static std::string adviseLoops(func::FuncOp function, ArrayRef<Operation *> ops) {
  if (ops.empty())
    return "";
  std::string advice = "; a loop is compiled where sizes alone say how often it is run, and no dim differs between its "
                       "trips, or where the number of its trips is known at compilation, and all of these are at most "
                       "1000 ops, or what `max-ops` of dyn-unroll-loops is";
  llvm::StringSet<> given;
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    for (const SymbolDeclaration &symbol : symbols.getDeclarations())
      if (symbol.origin == SymbolDeclaration::Origin::ArgumentDim)
        given.insert(symbol.name);
  SymbolicContext context;
  llvm::SetVector<ExprAttr> numbers;
  llvm::SmallSetVector<StringRef, 4> names;
  std::string known;
  for (Operation *op : ops) {
    auto loop = cast<LoopOp>(op);
    if (std::optional<ExprAttr> trips = findTrips(loop)) {
      SmallVector<Expr, 4> symbols = trips->getExpr(context).getSymbols();
      if (!llvm::all_of(symbols, [&](Expr symbol) { return given.contains(symbol.getSymbolName()); }))
        return advice;
      numbers.insert(*trips);
      for (Expr symbol : symbols)
        names.insert(symbol.getSymbolName());
    } else if (std::optional<int64_t> trips = findKnownTrips(loop)) {
      size_t numOps = 0;
      loop.getBody().walk([&](Operation *) { ++numOps; });
      known += (known.empty() ? "; here " : ", ") + std::to_string(*trips) + " trips are of " + std::to_string(numOps) +
               " ops each";
    } else {
      return advice;
    }
  }
  if (numbers.empty())
    return advice + known;
  std::string texts, options, dims;
  for (ExprAttr number : numbers)
    texts += (texts.empty() ? "'" : "', '") + number.getText().str();
  for (StringRef name : names) {
    options += " --dim=" + name.str() + "=N..N";
    dims += (dims.empty() ? "\"" : ", \"") + name.str() + "\": N";
  }
  return advice + "; here it is " + texts + "', which is known if the model is compiled for one size (dyn-run" +
         options + ", in Python dims={" + dims + "})" + known;
}

LogicalResult dyn::verifyHaveLowerings(func::FuncOp function, ArrayRef<Operation *> ops,
                                       llvm::function_ref<bool(Operation *)> hasNone,
                                       llvm::function_ref<std::string(LoopOp)> findLoopObstacle) {
  llvm::MapVector<StringRef, SmallVector<Operation *>> refused;
  for (Operation *op : ops)
    if (auto loop = dyn_cast<LoopOp>(op); loop ? !findLoopObstacle(loop).empty() : hasNone(op))
      refused[op->getName().getStringRef()].push_back(op);
  if (refused.empty())
    return success();
  constexpr size_t shown = 5;
  std::string list;
  llvm::raw_string_ostream os(list);
  auto describe = [&](const auto &entry) {
    // One node may be several ops, such as a loop for each direction.
    llvm::SmallSetVector<StringRef, 8> names;
    llvm::StringMap<std::string> obstacles;
    for (Operation *op : entry.second)
      if (StringRef name = getNodeName(op->getLoc()); !name.empty() && names.insert(name))
        if (auto loop = dyn_cast<LoopOp>(op))
          obstacles[name] = ": " + findLoopObstacle(loop);
    os << entry.first;
    if (names.empty())
      return;
    os << (names.size() > 1 ? " (nodes " : " (node ");
    ArrayRef<StringRef> first = names.getArrayRef().take_front(shown);
    llvm::interleaveComma(first, os, [&](StringRef name) { os << '\'' << name << '\'' << obstacles.lookup(name); });
    if (names.size() > shown)
      os << " and " << names.size() - shown << " more";
    os << ')';
  };
  llvm::interleaveComma(refused, os, describe);
  return emitError(refused.front().second.front()->getLoc())
         << "ops that are interpreted (dyn-run --reference), but not compiled yet: " << list
         << adviseLoops(function, refused.lookup(LoopOp::getOperationName()))
         << (refused.size() == 1 ? adviseValues(function, refused.front().second) : "");
}
