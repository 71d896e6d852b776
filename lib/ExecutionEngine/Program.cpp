//===- The program of a module ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace dyn;

/// Can arrays of the runtime have such elements?
static bool isElement(Type type) {
  if (isa<Float32Type, Float64Type, Float16Type, BFloat16Type>(type))
    return true;
  if (isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType, Float8E8M0FNUType,
          Float4E2M1FNType>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  bool isBool = integer.isSignless() && integer.getWidth() == 1;
  return isBool || llvm::is_contained({2u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

/// Checks the types of inputs or outputs, and gives those without a name theirs. Two of one name are the same value.
static LogicalResult checkPorts(func::FuncOp program, ValueRange values, bool mayBeSequences, StringRef kind,
                                StringRef prefix, llvm::function_ref<StringAttr(unsigned)> getName,
                                llvm::function_ref<void(unsigned, StringAttr)> setName) {
  llvm::StringMap<unsigned> seen;
  for (auto [i, value] : llvm::enumerate(values)) {
    auto index = static_cast<unsigned>(i);
    Type type = value.getType();
    if (!getName(index))
      setName(index, StringAttr::get(program.getContext(), prefix + Twine(index)));
    StringRef name = getName(index).getValue();
    bool isSequence = isa<SequenceType, OptionalType>(type);
    if (!isa<TensorType>(type) && !(isSequence && mayBeSequences))
      return emitError(program.getLoc()) << kind << " '" << name << "' is of type " << type
                                         << "; inputs and outputs of programs are tensors"
                                         << (isSequence ? " (dyn.Reference in Python runs the model)" : "");
    Type elementType = getTensorElementType(type);
    bool isString = isa<StringType>(elementType);
    if (!isElement(elementType) && !(isString && mayBeSequences))
      return emitError(program.getLoc()) << kind << " '" << name << "' has elements of type " << elementType
                                         << ", which no array has that a program takes or gives"
                                         << (isString ? " (dyn.Reference in Python runs the model)" : "");
    auto [entry, isNew] = seen.try_emplace(name, index);
    if (!isNew && values[entry->second] != value)
      return emitError(program.getLoc()) << kind << "s " << entry->second << " and " << index << " are both named '"
                                         << name << "'";
  }
  return success();
}

func::FuncOp dyn::findProgram(ModuleOp module, bool mayHaveSequences) {
  func::FuncOp program;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (program) {
      emitError(function.getLoc()) << "function '" << function.getName() << "' is a second public one, after '"
                                   << program.getName() << "'; a program is one public function";
      return {};
    }
    program = function;
  }
  if (!program) {
    emitError(module.getLoc()) << "there is no public function with a body, so there is nothing to run";
    return {};
  }
  if (!program.getBody().hasOneBlock()) {
    emitError(program.getLoc()) << "function '" << program.getName()
                                << "' has several blocks; programs run straight through";
    return {};
  }
  LogicalResult inputs = checkPorts(
      program, program.getArguments(), mayHaveSequences, "input", "arg",
      [&](unsigned i) { return program.getArgAttrOfType<StringAttr>(i, DynDialect::kNameAttrName); },
      [&](unsigned i, StringAttr name) { program.setArgAttr(i, DynDialect::kNameAttrName, name); });
  if (failed(inputs))
    return {};
  LogicalResult outputs = checkPorts(
      program, program.getBody().front().getTerminator()->getOperands(), mayHaveSequences, "output", "result",
      [&](unsigned i) { return program.getResultAttrOfType<StringAttr>(i, DynDialect::kNameAttrName); },
      [&](unsigned i, StringAttr name) { program.setResultAttr(i, DynDialect::kNameAttrName, name); });
  return failed(outputs) ? func::FuncOp() : program;
}

LogicalResult dyn::verifyIsAlone(func::FuncOp program) {
  for (auto function : program->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (function != program)
      return emitError(function.getLoc())
             << "function '" << function.getName() << "' stands beside the program '" << program.getName()
             << "'; calls are interpreted (dyn-run --reference), but not compiled yet";
  return success();
}
