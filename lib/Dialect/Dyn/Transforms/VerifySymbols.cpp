//===- Checks that symbols are declared where they are used -----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace dyn {
#define GEN_PASS_DEF_VERIFYSYMBOLSPASS
#include "dyn/Dialect/Dyn/Transforms/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using Origin = symbolic::SymbolDeclaration::Origin;

namespace {
/// The symbols that types and attributes mention; each is looked into once.
class Mentions {
public:
  template <typename TypeOrAttribute>
  ArrayRef<std::string> get(TypeOrAttribute element) {
    auto [it, isNew] = known.try_emplace(element.getAsOpaquePointer());
    if (isNew) {
      std::set<std::string> names;
      AttrTypeWalker walker;
      walker.addWalk([&](ExprAttr expr) { collect(expr.getExpr(context).getSymbols(), names); });
      walker.addWalk([&](PredAttr predicate) { collect(predicate.getPredicate(context).getSymbols(), names); });
      walker.walk(element);
      it->second.assign(names.begin(), names.end());
    }
    return it->second;
  }

private:
  static void collect(ArrayRef<symbolic::Expr> symbols, std::set<std::string> &names) {
    for (symbolic::Expr symbol : symbols)
      names.insert(symbol.getSymbolName().str());
  }

  symbolic::SymbolicContext context;
  llvm::DenseMap<const void *, SmallVector<std::string, 2>> known;
};

/// Checks one function.
class FunctionVerifier {
public:
  FunctionVerifier(FunctionOpInterface function, Mentions &mentions, DominanceInfo &dominance)
      : function(function), mentions(mentions), dominance(dominance) {
    if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
      for (const symbolic::SymbolDeclaration &declaration : symbols.getDeclarations())
        origins[declaration.name] = declaration.origin;
  }

  LogicalResult verify();

private:
  LogicalResult verifyOp(Operation *op);
  /// `user` is null for the signature, which no op dominates.
  template <typename TypeOrAttribute>
  LogicalResult verifyMentions(Operation *user, const Twine &what, TypeOrAttribute element);

  FunctionOpInterface function;
  Mentions &mentions;
  DominanceInfo &dominance;
  llvm::StringMap<Origin> origins;
  llvm::StringMap<Operation *> binders;
};

struct VerifySymbolsPass : public dyn::impl::VerifySymbolsPassBase<VerifySymbolsPass> {
  void runOnOperation() final {
    Mentions mentions;
    DominanceInfo dominance(getOperation());
    WalkResult result = getOperation().walk([&](FunctionOpInterface function) -> WalkResult {
      return FunctionVerifier(function, mentions, dominance).verify();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

LogicalResult FunctionVerifier::verify() {
  function->walk([&](NonZeroOp op) {
    if (op.getCount())
      binders[*op.getCount()] = op;
  });
  function->walk([&](Operation *op) {
    if (auto names = isa<IfOp, LoopOp>(op) ? op->getAttrOfType<ArrayAttr>("binds") : ArrayAttr())
      for (StringRef name : names.getAsValueRange<StringAttr>())
        binders[name] = op;
    if (auto loop = dyn_cast<LoopOp>(op); loop && loop.getCounting())
      binders[*loop.getCounting()] = op;
  });
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(verifyMentions(nullptr, "type of argument " + Twine(index), type)))
      return failure();
  // What a function returns may have a size that an op of its body binds.
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(verifyMentions(function, "type of result " + Twine(index), type)))
      return failure();
  WalkResult result = function.getFunctionBody().walk([&](Operation *op) -> WalkResult { return verifyOp(op); });
  return failure(result.wasInterrupted());
}

LogicalResult FunctionVerifier::verifyOp(Operation *op) {
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verifyMentions(op, "type of result " + Twine(index), type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(verifyMentions(op, "type of a block argument", type)))
          return failure();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, call.getCalleeAttr());
    if (callee && callee->hasAttr(DynDialect::kSymbolsAttrName))
      return op->emitOpError() << "calls '" << call.getCallee() << "', whose symbols only 'dyn.call' gives values";
  }
  if (!isa_and_nonnull<DynDialect>(op->getDialect()))
    return success();
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (failed(verifyMentions(op, "attribute '" + attribute.getName().getValue() + "'", attribute.getValue())))
      return failure();
  return success();
}

template <typename TypeOrAttribute>
LogicalResult FunctionVerifier::verifyMentions(Operation *user, const Twine &what, TypeOrAttribute element) {
  Operation *place = user ? user : function.getOperation();
  for (StringRef name : mentions.get(element)) {
    auto origin = origins.find(name);
    if (origin == origins.end())
      return place->emitOpError() << what << " mentions symbol '" << name << "', which '" << function.getName()
                                  << "' does not declare";
    if (origin->second != Origin::Bound || user == function)
      continue;
    Operation *binder = binders.lookup(name);
    if (!binder)
      return place->emitOpError() << what << " mentions symbol '" << name
                                  << "', which is declared 'bound' but no op binds";
    if (!user || (user != binder && !dominance.properlyDominates(binder, user)))
      return place->emitOpError() << what << " mentions symbol '" << name
                                  << "' where the op that binds it does not dominate";
  }
  return success();
}
