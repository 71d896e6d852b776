//===- Which function imports which operator ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"

using namespace dyn::onnx;

OperatorRegistry::OperatorRegistry() {
  registerActivations(*this);
  registerContractions(*this);
  registerContribOperators(*this);
  registerDataMovement(*this);
  registerEinsum(*this);
  registerElementwise(*this);
  registerGenerators(*this);
  registerIndexing(*this);
  registerNormalizations(*this);
  registerPooling(*this);
  registerQuantization(*this);
  registerReductions(*this);
  registerResizing(*this);
  registerSelection(*this);
  registerShapeChanges(*this);
  registerTrigonometry(*this);
}
