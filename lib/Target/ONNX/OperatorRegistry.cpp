//===- Which function imports which operator ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"

using namespace dyn::onnx;

std::vector<std::string> OperatorRegistry::listNames() const {
  std::vector<std::string> names;
  for (const auto &domain : entries)
    for (const auto &entry : domain.second)
      names.push_back((domain.first() + (domain.first().empty() ? "" : ".") + entry.first()).str());
  llvm::sort(names);
  return names;
}

const OperatorRegistry &OperatorRegistry::get() {
  static const OperatorRegistry registry;
  return registry;
}

OperatorRegistry::OperatorRegistry() {
  registerActivations(*this);
  registerAffineGrid(*this);
  registerAttention(*this);
  registerBlockQuantization(*this);
  registerBlockedChannels(*this);
  registerBranches(*this);
  registerCausalConvolution(*this);
  registerContractions(*this);
  registerContribAttention(*this);
  registerContribNormalizations(*this);
  registerContribOperators(*this);
  registerContribQuantization(*this);
  registerDataMovement(*this);
  registerDetection(*this);
  registerEinsum(*this);
  registerElementwise(*this);
  registerEmbeddings(*this);
  registerEncoders(*this);
  registerFusedBlockProducts(*this);
  registerGates(*this);
  registerGenerators(*this);
  registerIndexing(*this);
  registerLegacy(*this);
  registerLinearAttention(*this);
  registerLongformerAttention(*this);
  registerLoops(*this);
  registerMaskedDecoding(*this);
  registerNgramHashes(*this);
  registerNgrams(*this);
  registerNormalizations(*this);
  registerPackedAttention(*this);
  registerPooling(*this);
  registerQuantization(*this);
  registerQuantizedRecurrences(*this);
  registerRandomNumbers(*this);
  registerRecurrences(*this);
  registerReductions(*this);
  registerRegions(*this);
  registerResizing(*this);
  registerSampling(*this);
  registerScans(*this);
  registerSelection(*this);
  registerShapeChanges(*this);
  registerSignals(*this);
  registerSparseAttention(*this);
  registerStreams(*this);
  registerStrings(*this);
  registerSupportVectors(*this);
  registerTensorLists(*this);
  registerTokenPlaces(*this);
  registerTraditionalModels(*this);
  registerTransposedConvolutions(*this);
  registerTrees(*this);
  registerTrigonometry(*this);
}
