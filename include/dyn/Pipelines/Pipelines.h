//===- The road from a model to code, phase by phase ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PIPELINES_PIPELINES_H
#define DYN_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/CommandLine.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace dyn {

/// The phases of docs/architecture.md that leave IR, in their order. `Import` is done by a translation.
enum class Phase { Import, Shapes, Reify, Kernels, Buffers, Target, Host, Code };

enum class Target { CPU, CUDA };

/// What `--dyn-pipeline='...'` reads.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  static llvm::cl::ValuesClass getPhases() {
    return llvm::cl::values(clEnumValN(Phase::Import, "import", ""), clEnumValN(Phase::Shapes, "shapes", ""),
                            clEnumValN(Phase::Reify, "reify", ""), clEnumValN(Phase::Kernels, "kernels", ""),
                            clEnumValN(Phase::Buffers, "buffers", ""), clEnumValN(Phase::Target, "target", ""),
                            clEnumValN(Phase::Host, "host", ""), clEnumValN(Phase::Code, "code", ""));
  }
  Option<Phase> from{*this, "from", llvm::cl::desc("Phase that the input has been through"),
                     llvm::cl::init(Phase::Import), getPhases()};
  Option<Phase> to{*this, "to", llvm::cl::desc("Last phase"), llvm::cl::init(Phase::Code), getPhases()};
  Option<Target> target{*this, "target", llvm::cl::desc("What kernels run on"), llvm::cl::init(Target::CPU),
                        llvm::cl::values(clEnumValN(Target::CPU, "cpu", ""), clEnumValN(Target::CUDA, "cuda", ""))};
  Option<std::string> weightsDirectory{
      *this, "weights-directory",
      llvm::cl::desc("What relative paths of weights start from; none: the working directory"), llvm::cl::init("")};
  Option<unsigned> vectorBits{*this, "vector-bits", llvm::cl::desc("Width of a vector register of the CPU"),
                              llvm::cl::init(256)};
  Option<int64_t> l2Bytes{*this, "l2-bytes", llvm::cl::desc("Size of the second-level cache of a core of the CPU"),
                          llvm::cl::init(256 * 1024)};
  Option<int64_t> l1Ways{*this, "l1-ways",
                         llvm::cl::desc("Lines 4096 bytes apart that the first-level cache of the CPU holds"),
                         llvm::cl::init(8)};
  ListOption<std::string> cudaArch{*this, "cuda-arch", llvm::cl::desc("CUDA architectures; none: sm_80,sm_90")};
  Option<std::string> ptxas{*this, "ptxas", llvm::cl::desc("Path of ptxas; none: that in PATH"), llvm::cl::init("")};
  Option<std::string> libdevice{*this, "libdevice", llvm::cl::desc("Path of libdevice.10.bc; none: that of ptxas"),
                                llvm::cl::init("")};
};

/// Adds the passes of the phases after `first` up to `last`, both phases' contracts being those of
/// docs/pass-pipeline.md.
void addPhases(mlir::OpPassManager &manager, Phase first, Phase last, const PipelineOptions &options);

/// `dyn-pipeline`, for command lines.
void registerPipelines();

} // namespace dyn

#endif // DYN_PIPELINES_PIPELINES_H
