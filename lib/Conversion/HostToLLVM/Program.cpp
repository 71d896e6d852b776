//===- What the entry points of one program share ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "dyn-c/Runtime.h"
#include "dyn/Dialect/Dyn/IR/Aliases.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Parser.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::host;

llvm::SmallVector<std::string> dyn::host::getNodeNames(Location loc) {
  SmallVector<std::string> names;
  loc->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named)
      return WalkResult::advance();
    if (!llvm::is_contained(names, named.getName().getValue()))
      names.push_back(named.getName().str());
    return WalkResult::skip();
  });
  return names;
}

int64_t dyn::host::getBytesOfElement(Type type) {
  return type.isIndex() ? 8 : std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

/// Nothing for types that ONNX does not have.
static std::optional<DynElementType> getElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DYN_BOOL;
    case 8:
      return isUnsigned ? DYN_UINT8 : DYN_INT8;
    case 16:
      return isUnsigned ? DYN_UINT16 : DYN_INT16;
    case 32:
      return isUnsigned ? DYN_UINT32 : DYN_INT32;
    case 64:
      return isUnsigned ? DYN_UINT64 : DYN_INT64;
    }
    return std::nullopt;
  }
  if (type.isF32())
    return DYN_FLOAT32;
  if (type.isF64())
    return DYN_FLOAT64;
  if (type.isF16())
    return DYN_FLOAT16;
  if (type.isBF16())
    return DYN_BFLOAT16;
  return std::nullopt;
}

LogicalResult Program::read() {
  if (auto attribute = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    symbols = attribute.getDeclarations();
  // The context orders symbols by first use: everywhere, they then stand in the order of their declaration.
  for (const symbolic::SymbolDeclaration &symbol : symbols)
    context.getSymbol(symbol.name);
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    bool isOutput = function.getArgAttr(index, DynDialect::kOutputAttrName) != nullptr;
    SmallVectorImpl<Port> &ports = isOutput ? outputs : inputs;
    Port port{"", dyn_cast<MemRefType>(argument.getType()), Type(), {}, argument};
    if (auto name = function.getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName))
      port.name = name.str();
    else
      port.name = (isOutput ? "result" : "arg") + std::to_string(ports.size());
    if (!port.type || !port.type.getLayout().isIdentity())
      return function.emitOpError("argument ") << index << " is no memref with identity layout but "
                                               << argument.getType() << "; dyn-bufferize should have seen to that";
    port.elementType = port.type.getElementType();
    if (auto type = function.getArgAttrOfType<TypeAttr>(index, DynDialect::kElementTypeAttrName))
      port.elementType = type.getValue();
    if (!getElementType(port.elementType))
      return function.emitOpError("argument ") << index << " ('" << port.name << "') has elements of type "
                                               << port.elementType << ", which no buffer of a model has";
    if (auto dims = function.getArgAttrOfType<DimsAttr>(index, DynDialect::kDimsAttrName)) {
      port.dims = dims.getExprs(context);
    } else {
      if (!port.type.hasStaticShape())
        return function.emitOpError("argument ") << index << " has dynamic dims but no dyn.dims";
      for (int64_t dim : port.type.getShape())
        port.dims.push_back(context.getConstant(dim));
    }
    if (port.dims.size() != size_t(port.type.getRank()))
      return function.emitOpError("argument ")
             << index << " has rank " << port.type.getRank() << " but " << port.dims.size() << " dims in dyn.dims";
    ports.push_back(std::move(port));
  }
  // The dialect has verified what the attribute holds.
  if (auto guards = function->getAttrOfType<ArrayAttr>(DynDialect::kIndexGuardsAttrName))
    for (Attribute guard : guards) {
      auto texts = dyn_cast<DictionaryAttr>(guard);
      auto getText = [&](StringRef key) {
        auto text = texts ? texts.getAs<StringAttr>(key) : StringAttr();
        return text ? text.str() : std::string();
      };
      bool isDivisor = texts && texts.contains("divisor_of");
      std::string node = isDivisor ? getText("divisor_of")
                         : texts   ? getText("index_of")
                                   : cast<StringAttr>(guard).str();
      std::string noun = getText("noun");
      StringRef kind = isDivisor ? "divisor" : noun.empty() ? "index" : "count";
      addGuard({kind.str(), "", noun, node, {}, getText("input"), -1});
    }
  return success();
}

std::optional<unsigned> Program::getSymbolIndex(llvm::StringRef name) const {
  auto found = llvm::find_if(symbols, [&](const auto &symbol) { return symbol.name == name; });
  return found == symbols.end() ? std::nullopt : std::optional<unsigned>(found - symbols.begin());
}

const Port *Program::getPort(Value argument) const {
  for (const SmallVector<Port> *ports : {&inputs, &outputs})
    for (const Port &port : *ports)
      if (port.argument == argument)
        return &port;
  return nullptr;
}

LogicalResult Program::refuseUndetermined(llvm::StringRef name) {
  InFlightDiagnostic diagnostic = emitError(function.getLoc()) << "no input determines '" << name << "'";
  for (const Port &port : inputs)
    for (auto [index, dim] : llvm::enumerate(port.dims))
      if (llvm::is_contained(dim.getSymbols(), context.getSymbol(name)))
        return diagnostic << ": dim " << index << " of input '" << port.name << "' is " << dim.str()
                          << ", and no dim is " << symbolic::printSymbolName(name)
                          << ", or linear in it with the rest known";
  return diagnostic << ": it stands in no input's dims";
}

int64_t Program::addGuard(Guard guard) {
  guards.push_back(std::move(guard));
  return guards.size() - 1;
}

int64_t Program::addLaunch(Launch launch) {
  launches.push_back(std::move(launch));
  return launches.size() - 1;
}

/// Names come from files, and not each of them is UTF-8.
static llvm::json::Value getText(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

static llvm::json::Array getTexts(llvm::ArrayRef<std::string> texts) {
  llvm::json::Array array;
  for (const std::string &text : texts)
    array.push_back(getText(text));
  return array;
}

static llvm::json::Array describePorts(llvm::ArrayRef<Port> ports) {
  llvm::json::Array array;
  for (const Port &port : ports) {
    llvm::json::Array dims;
    for (symbolic::Expr dim : port.dims)
      dims.push_back(getText(dim.str()));
    array.push_back(llvm::json::Object{{"name", getText(port.name)},
                                       {"element_type", int64_t(*getElementType(port.elementType))},
                                       {"dims", std::move(dims)}});
  }
  return array;
}

std::string Program::getDescriptor() const {
  llvm::json::Array symbolArray, guardArray, aliasArray, launchArray;
  for (const Alias &alias : getAliases(function))
    aliasArray.push_back(llvm::json::Object{{"relation", getText(alias.relation.getText())},
                                            {"because", getText(alias.because)},
                                            {"node", getText(alias.where)}});
  for (symbolic::SymbolDeclaration symbol : symbols) {
    std::string name = symbol.name;
    symbol.origin = symbolic::SymbolDeclaration::Origin::None;
    std::string text = symbolic::printSymbolDeclarations(symbol);
    std::string prefix = symbolic::printSymbolName(name) + ": ";
    llvm::StringRef facts = text;
    facts.consume_front(prefix);
    SymbolSource source = sources.lookup(name);
    symbolArray.push_back(llvm::json::Object{{"name", getText(name)},
                                             {"facts", getText(facts)},
                                             {"input", getText(source.input)},
                                             {"dim", source.dim},
                                             {"element", source.element}});
  }
  for (const Guard &guard : guards)
    guardArray.push_back(llvm::json::Object{{"kind", getText(guard.kind)},
                                            {"predicate", getText(guard.predicate)},
                                            {"because", getText(guard.because)},
                                            {"node", getText(guard.node)},
                                            {"symbols", getTexts(guard.symbols)},
                                            {"input", getText(guard.input)},
                                            {"dim", guard.dim}});
  for (const Launch &launch : launches)
    launchArray.push_back(llvm::json::Object{{"kernel", getText(launch.kernel)},
                                             {"kind", getText(launch.kind)},
                                             {"nodes", getTexts(launch.nodes)},
                                             {"operations", getText(launch.operations)},
                                             {"bytes", getText(launch.bytes)}});
  llvm::json::Object object{{"inputs", describePorts(inputs)},
                            {"outputs", describePorts(outputs)},
                            {"symbols", std::move(symbolArray)},
                            {"symbol_facts", getText(symbolic::printSymbolDeclarations(symbols))},
                            {"guards", std::move(guardArray)},
                            {"aliases", std::move(aliasArray)},
                            {"launches", std::move(launchArray)},
                            {"arena", getText(arena)},
                            {"live", getText(live)},
                            {"lifetimes", llvm::json::Array(lifetimes)},
                            {"beside", llvm::json::Array(beside)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}
