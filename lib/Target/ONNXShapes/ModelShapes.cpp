//===- The sizes of an ONNX model's values --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNXShapes/ModelShapes.h"
#include "ForeignRelations.h"
#include "ModelMessage.h"
#include "dyn/Analysis/DecidedBroadcasts.h"
#include "dyn/Analysis/ForcedBranches.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Target/ONNX/DimSpec.h"
#include "dyn/Transforms/Shapes/NeededGuards.h"
#include "dyn/Transforms/Shapes/UnrollLoop.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::symbolic;

void onnx::registerModelShapesDialects(DialectRegistry &registry) {
  registry.insert<DynDialect, func::FuncDialect>();
  registerShapeRelations(registry);
}

std::string DeclaredDim::describe() const {
  return "dim " + std::to_string(index) + " of " + (isOutput ? "output '" : "'") + value + "'";
}

static void omitWeights(ImportOptions &options) {
  options.omitWeights = true;
  options.allowForeign = true;
  // Longer tensors do not tell sizes.
  options.inlineLimit = ShapeRelations::kMaxElements * sizeof(int64_t);
  options.inlineWeights = false;
  options.weightsFile.clear();
}

std::unique_ptr<ModelShapes> ModelShapes::inferFile(StringRef path, ImportOptions options, MLIRContext *context) {
  omitWeights(options);
  std::unique_ptr<ModelShapes> shapes(new ModelShapes);
  shapes->module = importONNXFile(path, options, context, &shapes->record);
  if (!shapes->module)
    return nullptr;
  shapes->analyze();
  return shapes;
}

std::unique_ptr<ModelShapes> ModelShapes::infer(ArrayRef<char> bytes, StringRef name, ImportOptions options,
                                                MLIRContext *context) {
  omitWeights(options);
  std::unique_ptr<ModelShapes> shapes(new ModelShapes);
  shapes->module = importONNX(bytes, name, options, context, &shapes->record);
  if (!shapes->module)
    return nullptr;
  shapes->analyze();
  return shapes;
}

void ModelShapes::analyze() {
  function = *module->getOps<func::FuncOp>().begin();
  std::optional<ForeignRelations> foreign;
  if (!record.foreign.empty())
    foreign.emplace(record);
  auto prepare = [&](ShapeAnalysis &prepared) {
    prepared.trustDeclaredRanks();
    if (foreign)
      prepared.setForeignRelations(
          [&](Operation *op, ShapeRelations &relations) { return foreign->relate(op, relations); });
  };
  ForcedBranches forced = findForcedBranches(function, prepare);
  auto run = [&] {
    guards.reset();
    analysis = std::make_unique<ShapeAnalysis>(function, ShapeAnalysis::Mode::Partial);
    analysis->forceBranches(forced);
    prepare(*analysis);
    // Where something contradicts itself, more analyses do not tell more.
    return success(succeeded(analysis->run()) && conflicts.empty());
  };
  llvm::SmallDenseSet<Location> places; // of conflicts
  for (const ForeignNode &node : record.foreign)
    if (node.isContradiction) {
      conflicts.push_back(node.reason);
      places.insert(node.call->getLoc());
    }
  {
    // Warnings compare what is declared with what is inferred: findDeclaredDims() has both.
    ScopedDiagnosticHandler handler(function.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return;
      std::string text = addNode(diagnostic.getLocation(), diagnostic.str());
      for (Diagnostic &note : diagnostic.getNotes())
        text += "\n  " + note.str();
      conflicts.push_back(std::move(text));
      places.insert(diagnostic.getLocation());
    });
    auto runUnrolled = [&] {
      // Branches inside of what was unrolled are other operations now.
      forced = findForcedBranches(function, prepare);
      return run();
    };
    auto learnFromLater = [&] {
      auto isVague = [](const ShapeGuard &guard) { return hasExtremes(guard.predicate); };
      numInferred = analysis->getSymbols().size();
      // Another analysis takes as long as the first.
      bool hasChanged = llvm::any_of(analysis->getGuards(), isVague) && llvm::any_of(getGuards(), isVague) &&
                        requireDecidedBroadcasts(function, *analysis);
      return analysis->dropNeedlessCopies() || hasChanged;
    };
    bool hasFailed = failed(run()) || (unrollVagueLoops() && failed(runUnrolled())) ||
                     (learnFromLater() && failed(run())) ||
                     failed(forceFittingBranches(function, analysis, forced, run));
    if (hasFailed && conflicts.empty())
      conflicts.push_back("the model's declared dims contradict each other");
  }
  analysis->setForeignRelations(nullptr);
  findLostSizes(places);
  numInferred = analysis->getSymbols().size();
}

bool ModelShapes::unrollVagueLoops() {
  // As many as compilation writes out.
  constexpr int64_t maxOps = 1000;
  llvm::SmallDenseSet<Expr> fromData;
  for (const SymbolDeclaration &symbol : analysis->getSymbols())
    if (symbol.origin == SymbolDeclaration::Origin::Bound)
      fromData.insert(analysis->getContext().getSymbol(symbol.name));
  auto isOfData = [&](Expr expr) {
    return !expr || llvm::any_of(expr.getSymbols(), [&](Expr symbol) { return fromData.contains(symbol); });
  };
  auto isVague = [&](Value value) {
    auto type = dyn_cast<TensorType>(value.getType());
    std::optional<Dims> dims = type ? analysis->getDims(value) : std::nullopt;
    if (!type)
      return false;
    if (!dims || llvm::any_of(*dims, isOfData))
      return true;
    // A shape that is carried, too, of which dims behind the loop are made.
    if (!type.getElementType().isInteger() || type.getElementType().isInteger(1) || !analysis->decidesSizes(value) ||
        !analysis->getSmallDims(value))
      return false;
    const ElementValues *elements = analysis->findElements(value);
    return !elements ||
           llvm::any_of(*elements, [&](const ElementValue &element) { return isOfData(element.getInteger()); });
  };
  // Nodes that are not imported are known by their calls, which there is one of.
  auto hasCall = [](LoopOp op) {
    return op.getBody().walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  bool hasChanged = false;
  for (LoopOp op : llvm::make_early_inc_range(function.front().getOps<LoopOp>())) {
    std::optional<int64_t> trips = analysis->getKnownTrips(op);
    if (!trips || !mayUnrollLoop(op, *trips, maxOps) || llvm::none_of(op.getResults(), isVague) || hasCall(op))
      continue;
    SmallVector<std::pair<Value *, unsigned>> named;
    auto note = [&](Value &value) {
      if (value && value.getDefiningOp() == op)
        named.emplace_back(&value, cast<OpResult>(value).getResultNumber());
    };
    for (auto &entry : record.values)
      note(entry.getValue());
    for (auto &entry : record.sequences)
      llvm::for_each(entry.getValue().tensors, note);
    SmallVector<Value> results = unrollLoop(op, *trips);
    for (auto [value, number] : named)
      *value = results[number];
    hasChanged = true;
  }
  return hasChanged;
}

void ModelShapes::findLostSizes(const llvm::SmallDenseSet<Location> &places) {
  if (places.empty())
    return;
  llvm::SmallDenseSet<Expr> fromData;
  for (const SymbolDeclaration &symbol : analysis->getSymbols())
    if (symbol.origin == SymbolDeclaration::Origin::Bound)
      fromData.insert(analysis->getContext().getSymbol(symbol.name));
  auto visit = [&](Value value, llvm::function_ref<void(Expr)> use) {
    for (Expr dim : analysis->getDims(value).value_or(Dims()))
      for (Expr symbol : dim ? dim.getSymbols() : SmallVector<Expr, 4>())
        if (fromData.contains(symbol))
          use(symbol);
  };
  // What is computed from the results of such a node may lack a size as well; what is not has sizes of its own.
  llvm::SmallPtrSet<Operation *, 16> affected;
  for (Operation &op : function.front()) {
    bool isAffected = places.contains(op.getLoc()) || llvm::any_of(op.getOperands(), [&](Value operand) {
                        return operand.getDefiningOp() && affected.contains(operand.getDefiningOp());
                      });
    if (!isAffected)
      continue;
    affected.insert(&op);
    for (Value result : op.getResults())
      visit(result, [&](Expr symbol) { lostSizes.insert(symbol); });
  }
  for (Operation &op : function.front())
    for (Value result : op.getResults())
      if (!affected.contains(&op))
        visit(result, [&](Expr symbol) { lostSizes.erase(symbol); });
}

std::vector<ShapeGuard> ModelShapes::findGuards() {
  std::vector<ShapeGuard> all;
  for (RequireOp guard : function.front().getOps<RequireOp>())
    all.push_back(
        {guard.getPredicate().getPredicate(analysis->getContext()), guard.getBecause().str(), guard.getLoc()});
  llvm::append_range(all, analysis->getGuards());
  if (all.empty())
    return {};
  std::vector<Predicate> predicates;
  for (const ShapeGuard &guard : all)
    predicates.push_back(guard.predicate);
  auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName);
  auto needed =
      findNeededGuards(predicates, analysis->getSymbols().take_front(numInferred), constraints, analysis->getContext());
  if (!needed)
    return {};
  std::vector<ShapeGuard> result;
  for (const NeededGuard &guard : *needed) {
    result.push_back(all[guard.index]);
    result.back().predicate = guard.predicate;
  }
  return result;
}

Value ModelShapes::getValue(StringRef name) const {
  Value value = record.values.lookup(name);
  return value && isa<TensorType>(unwrapOptional(value.getType())) ? value : Value();
}

std::optional<Dims> ModelShapes::getDims(StringRef name) {
  Value value = getValue(name);
  return value ? getDims(value) : std::nullopt;
}

std::optional<SequenceShape> ModelShapes::findSequence(StringRef name) {
  auto known = hasKnownSequences() ? record.sequences.find(name) : record.sequences.end();
  if (known != record.sequences.end()) {
    SequenceShape shape{known->second.elementType, std::nullopt,
                        analysis->getConstant(static_cast<int64_t>(known->second.tensors.size()))};
    for (auto [index, tensor] : llvm::enumerate(known->second.tensors)) {
      std::optional<Dims> dims = getDims(tensor);
      if (index == 0)
        shape.dims = dims;
      if (!dims || !shape.dims || dims->size() != shape.dims->size())
        return SequenceShape{shape.elementType, std::nullopt, shape.length};
      for (auto [joined, dim] : llvm::zip_equal(*shape.dims, *dims))
        if (!joined || !dim || !analysis->isKnownEqual(joined, dim))
          joined = Expr();
    }
    return shape;
  }
  Value value = record.values.lookup(name);
  if (!value || !isa<SequenceType>(unwrapOptional(value.getType())))
    return std::nullopt;
  SequenceShape shape{getTensorElementType(value.getType()), getDims(value), Expr()};
  // The length stands in front. Without tensors it is all that there is.
  if (shape.dims)
    shape.length = shape.dims->front();
  if (shape.dims && (!shape.dims->front() || !shape.dims->front().isConstant(0)))
    shape.dims->erase(shape.dims->begin());
  else
    shape.dims.reset();
  return shape;
}

const UnneededTensor *ModelShapes::findUnneeded(StringRef name) {
  if (!unneeded) {
    unneeded = inferUnneeded(record, *analysis, [this](StringRef name) { return findSequence(name); });
    for (auto &entry : *unneeded)
      if (std::optional<Dims> &dims = entry.second.dims)
        for (Expr &dim : *dims)
          if (dim && !dim.isWithinBudget())
            dim = analysis->defineSymbol(dim);
  }
  auto found = unneeded->find(name);
  return found == unneeded->end() ? nullptr : &found->second;
}

std::optional<Dims> ModelShapes::getInputDims(unsigned index) { return analysis->getDims(function.getArgument(index)); }

/// Is the node itself the reason that it is not imported, and nothing that was said of its dims?
static bool isForeign(const ForeignNode &node) { return !node.isContradiction && !node.lacksOperands; }

unsigned ModelShapes::countForeignNodes() const { return llvm::count_if(record.foreign, isForeign); }

std::vector<std::string> ModelShapes::describeForeignNodes() const {
  llvm::MapVector<StringRef, std::vector<const ForeignNode *>> byOperator;
  for (const ForeignNode &node : record.foreign)
    if (isForeign(node))
      byOperator[node.operatorName].push_back(&node);
  std::vector<std::string> lines;
  for (const auto &[name, nodes] : byOperator) {
    std::string line = nodes.front()->reason;
    if (nodes.size() > 1)
      line += " (and " + std::to_string(nodes.size() - 1) + " more)";
    lines.push_back(line + "; of its sizes only what ONNX infers is known");
  }
  return lines;
}

bool ModelShapes::isUnnamed(unsigned input, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(input, DynDialect::kNameAttrName);
  for (const DeclaredType &type : readInputTypes(record.message.get()))
    if (name && type.name == name.getValue() && index < type.dims.size())
      return !parseDimText(type.dims[index], analysis->getContext());
  return true;
}

std::vector<DeclaredDim> ModelShapes::findDeclaredDims() {
  std::vector<DeclaredDim> declaredDims;
  for (const DeclaredType &type : readDeclaredTypes(record.message.get())) {
    std::optional<Dims> inferred = getDims(type.name);
    for (auto [index, text] : llvm::enumerate(type.dims)) {
      Expr declared = parseDimText(text, analysis->getContext());
      if (!declared)
        continue;
      bool isKnown = inferred && inferred->size() == type.dims.size();
      declaredDims.push_back(
          {type.name, static_cast<unsigned>(index), type.isOutput, declared, isKnown ? (*inferred)[index] : Expr()});
    }
  }
  return declaredDims;
}

std::vector<DeclaredRank> ModelShapes::findWrongRanks() {
  std::vector<DeclaredRank> ranks;
  for (const DeclaredType &type : readDeclaredTypes(record.message.get())) {
    std::optional<Dims> inferred = getDims(type.name);
    // Exporters write no dims where they know none.
    if (inferred && !type.dims.empty() && inferred->size() != type.dims.size())
      ranks.push_back({type.name, type.isOutput, type.dims.size(), inferred->size()});
  }
  return ranks;
}
