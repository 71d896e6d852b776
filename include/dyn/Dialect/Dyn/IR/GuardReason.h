//===- What a guard is called for people ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_GUARDREASON_H
#define DYN_DIALECT_DYN_IR_GUARDREASON_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace dyn {

/// On an op: what is told of its guards where its own name would tell nothing, because no node of the model is one.
/// Either a string, which says all, or a dictionary, behind which stands what the op says itself:
/// `{operator = "LSTM", what = "elements of `B`"}`.
constexpr llvm::StringLiteral kBecauseAttrName{"dyn.because"};

/// The attribute, read or to be written.
struct GuardReason {
  std::string whole;        ///< "Resize: dim 2 must be at least 1"; empty where the others say it
  std::string operatorName; ///< "Conv"
  std::string operands;     ///< "`x` and `w`", between which the guard is; may be empty
  std::string what;         ///< "elements of `B`", what the guard is about; may be empty

  /// What the op has, if any.
  static std::optional<GuardReason> get(mlir::Operation *op);
  void set(mlir::Operation *op) const;
  /// Is the attribute in one of the two forms?
  static bool isValid(mlir::Attribute attribute);

  /// "Conv of `x` and `w`", for something that is said of them.
  std::string getSubject() const;
  /// All of it.
  std::string str() const;
};

/// Sets reasons as GuardReason::set does, those of many ops of one context: most name an operator alone, of which there
/// are few.
class GuardReasonWriter {
public:
  explicit GuardReasonWriter(mlir::MLIRContext *context);

  bool isSet(mlir::Operation *op) const;
  void set(mlir::Operation *op, const GuardReason &reason);

private:
  mlir::DictionaryAttr makeAttributes(const GuardReason &reason) const;

  mlir::MLIRContext *context;
  mlir::StringAttr because, operands, operatorName, what;
  llvm::StringMap<mlir::DictionaryAttr> ofOperators; ///< what an op has of which there is nothing else to tell
};

/// The name of an op in reasons of guards: "reshape" of `dyn.reshape_to`, as of `dyn.reshape`.
llvm::StringRef getToldName(mlir::Operation *op);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_GUARDREASON_H
