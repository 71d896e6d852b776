//===- Which function imports which operator ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORREGISTRY_H
#define DYN_LIB_TARGET_ONNX_OPERATORREGISTRY_H

#include "NodeImport.h"

namespace dyn::onnx {

/// Builds the results of a node and hands them to `finish`.
using ImportFunction = mlir::LogicalResult (*)(NodeImport &node);

/// What else is to be known of an operator, as a set of bits.
enum OperatorTraits : uint8_t {
  kNoTraits = 0,
  kTakesLists = 1 << 0,     ///< sequences and optionals may be operands
  kReadsOptionals = 1 << 1, ///< an operand that is a tensor stands for the optional that holds it
  kMovesElements = 1 << 2,  ///< computes nothing of them, so that they may be complex numbers
  kHasGraphs = 1 << 3,      ///< whose nodes are nodes of the model
};
constexpr OperatorTraits operator|(OperatorTraits lhs, OperatorTraits rhs) {
  return static_cast<OperatorTraits>(static_cast<uint8_t>(lhs) | static_cast<uint8_t>(rhs));
}

struct OperatorEntry {
  /// So many operands must be there; how many may be.
  unsigned minOperands, maxOperands;
  ImportFunction import;
  OperatorTraits traits = kNoTraits;

  bool has(OperatorTraits trait) const { return (traits & trait) != 0; }
};

constexpr unsigned kVariadic = ~0u;

class OperatorRegistry {
public:
  /// All operators that can be imported: a table that never changes, made when it is first asked for.
  static const OperatorRegistry &get();

  /// Of ai.onnx.
  void add(llvm::StringRef opType, unsigned minOperands, unsigned maxOperands, ImportFunction import,
           OperatorTraits traits = kNoTraits) {
    add("", opType, minOperands, maxOperands, import, traits);
  }
  void add(llvm::StringRef domain, llvm::StringRef opType, unsigned minOperands, unsigned maxOperands,
           ImportFunction import, OperatorTraits traits = kNoTraits) {
    entries[domain][opType] = {minOperands, maxOperands, import, traits};
  }
  /// `domain.Operator` of all that can be imported, sorted; without the domain those of ai.onnx.
  std::vector<std::string> listNames() const;
  const OperatorEntry *lookup(const Node &node) const {
    auto domain = entries.find(node.domain);
    if (domain == entries.end())
      return nullptr;
    auto entry = domain->second.find(node.opType);
    return entry == domain->second.end() ? nullptr : &entry->second;
  }

private:
  OperatorRegistry();

  llvm::StringMap<llvm::StringMap<OperatorEntry>> entries; ///< by domain, then by operator
};

// One for each file in Operators/.
void registerActivations(OperatorRegistry &registry);
void registerAffineGrid(OperatorRegistry &registry);
void registerAttention(OperatorRegistry &registry);
void registerBlockQuantization(OperatorRegistry &registry);
void registerBlockedChannels(OperatorRegistry &registry);
void registerBranches(OperatorRegistry &registry);
void registerCausalConvolution(OperatorRegistry &registry);
void registerContractions(OperatorRegistry &registry);
void registerContribAttention(OperatorRegistry &registry);
void registerContribNormalizations(OperatorRegistry &registry);
void registerContribOperators(OperatorRegistry &registry);
void registerContribQuantization(OperatorRegistry &registry);
void registerDataMovement(OperatorRegistry &registry);
void registerDetection(OperatorRegistry &registry);
void registerEinsum(OperatorRegistry &registry);
void registerElementwise(OperatorRegistry &registry);
void registerEmbeddings(OperatorRegistry &registry);
void registerEncoders(OperatorRegistry &registry);
void registerFusedBlockProducts(OperatorRegistry &registry);
void registerGates(OperatorRegistry &registry);
void registerGenerators(OperatorRegistry &registry);
void registerIndexing(OperatorRegistry &registry);
void registerLegacy(OperatorRegistry &registry);
void registerLinearAttention(OperatorRegistry &registry);
void registerLongformerAttention(OperatorRegistry &registry);
void registerLoops(OperatorRegistry &registry);
void registerMaskedDecoding(OperatorRegistry &registry);
void registerNgramHashes(OperatorRegistry &registry);
void registerNgrams(OperatorRegistry &registry);
void registerNormalizations(OperatorRegistry &registry);
void registerPackedAttention(OperatorRegistry &registry);
void registerPooling(OperatorRegistry &registry);
void registerQuantization(OperatorRegistry &registry);
void registerQuantizedRecurrences(OperatorRegistry &registry);
void registerRandomNumbers(OperatorRegistry &registry);
void registerRecurrences(OperatorRegistry &registry);
void registerReductions(OperatorRegistry &registry);
void registerRegions(OperatorRegistry &registry);
void registerResizing(OperatorRegistry &registry);
void registerSampling(OperatorRegistry &registry);
void registerScans(OperatorRegistry &registry);
void registerSelection(OperatorRegistry &registry);
void registerShapeChanges(OperatorRegistry &registry);
void registerSignals(OperatorRegistry &registry);
void registerSparseAttention(OperatorRegistry &registry);
void registerStreams(OperatorRegistry &registry);
void registerStrings(OperatorRegistry &registry);
void registerSupportVectors(OperatorRegistry &registry);
void registerTensorLists(OperatorRegistry &registry);
void registerTokenPlaces(OperatorRegistry &registry);
void registerTraditionalModels(OperatorRegistry &registry);
void registerTransposedConvolutions(OperatorRegistry &registry);
void registerTrees(OperatorRegistry &registry);
void registerTrigonometry(OperatorRegistry &registry);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORREGISTRY_H
