//===- What ONNX defines about operators -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_SCHEMAS_SCHEMAS_H
#define DYN_LIB_TARGET_ONNX_SCHEMAS_SCHEMAS_H

#include "../Model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace onnx {
class OpSchema;
}

namespace dyn::onnx {

/// Importers know operators as they are from this opset of ai.onnx on.
constexpr int64_t kOldestOpset = 7;

/// The opset by which a node of ai.onnx is to be read in a model that declares `declared`. An operator that is newer
/// than that is read by the oldest opset that has it; onnxruntime runs such models too. One of an older opset than
/// kOldestOpset that has stayed the same until then is read by that.
int64_t resolveOpset(llvm::StringRef opType, int64_t declared);

/// The newest opset of ai.onnx that there are schemas of.
int64_t getNewestOpset();

/// What ONNX defines of the operator of a node; null if nothing.
const ::onnx::OpSchema *lookUpSchema(const Node &node);

/// What schemas say of the operators of one model: looking for a schema is dear, and each is asked for many times.
class OperatorSchemas {
public:
  /// As the function of this name.
  int64_t resolveOpset(llvm::StringRef opType, int64_t declared);

  /// An operator as it is in one opset.
  class Operator {
  public:
    /// Says which operand has elements of a type that the operator does not take; empty if none has, or if ONNX does
    /// not define the operator. `Undefined` stands for operands that are left out.
    std::string findTypeError(const Node &node, llvm::ArrayRef<ElementType> operands) const;
    /// Says which attribute the operator does not have; empty if it has all, or if ONNX does not define the operator.
    std::string findUnknownAttribute(const Node &node) const;
    /// Says which attribute the operator has in other opsets only, where it would mean what nothing here reads: empty
    /// if none, or if each is what it is where it is left out.
    std::string findMisreadAttribute(const Node &node) const;
    /// Is the node none that ONNX defines, by the number and types of its operands and by its attributes? Then
    /// no run of it means anything. False for operators that ONNX does not define. Operands as for findTypeError.
    bool refuses(const Node &node, llvm::ArrayRef<ElementType> operands) const;

  private:
    friend class OperatorSchemas;
    explicit Operator(const Node &node);
    bool hasAttribute(llvm::StringRef name) const { return llvm::is_contained(attributes, name); }

    const ::onnx::OpSchema *schema = nullptr;         ///< null for operators that ONNX does not define
    llvm::SmallVector<llvm::StringRef, 8> attributes; ///< of the schema
    llvm::SmallVector<uint64_t, 4> operands;          ///< types of tensors, a bit for each number of an element type
    size_t repeated = 0; ///< so many of them, the last ones, stand for all that follow, too
  };
  /// The operator of a node, which others of the model have too. It stays where it is.
  const Operator &getOperator(const Node &node);

private:
  /// By opset, of which a model has few of one domain. It may be any number that a file says.
  template <typename T>
  using ByOpset = llvm::SmallVector<std::pair<int64_t, T>, 1>;

  llvm::StringMap<ByOpset<int64_t>, llvm::BumpPtrAllocator> resolved;
  llvm::StringMap<ByOpset<std::unique_ptr<Operator>>, llvm::BumpPtrAllocator> operators;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_SCHEMAS_SCHEMAS_H
