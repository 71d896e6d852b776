//===- The command line of dyn-run -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_OPTIONS_H
#define DYN_TOOLS_DYN_RUN_OPTIONS_H

#include "dyn/Target/ONNX/ImportTexts.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace dyn {

namespace cl = llvm::cl;

struct Options {
  cl::OptionCategory category{"dyn-run options"};
  cl::opt<std::string> model{cl::Positional, cl::Required, cl::desc("<model.onnx|.mlir|.so>"), cl::cat(category)};
  cl::opt<bool> compile{"compile", cl::desc("Compile only, to the file of -o"), cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("Artefact that --compile writes; for cuda a .so file that holds the images "
                                       "too, or a folder for the images alone"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("cpu, or, with --compile, cuda"), cl::init("cpu"), cl::cat(category)};
  cl::list<std::string> cudaArchitectures{"cuda-arch", cl::CommaSeparated, cl::value_desc("sm_90[,sm_80...]"),
                                          cl::desc("CUDA architectures; default sm_80,sm_90"), cl::cat(category)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The program ptxas; by default that of the PATH"), cl::cat(category)};
  cl::opt<std::string> targetCPU{
      "target-cpu",
      cl::desc("native, x86-64-v3, ...; several with commas between them, of which loading takes the best"),
      cl::init("native"), cl::cat(category)};
  cl::opt<unsigned> threads{"threads", cl::desc("Threads of a run; 0: one for each core"), cl::init(0),
                            cl::cat(category)};
  cl::list<std::string> inputs{"input", cl::desc("NAME=FILE.npy; repeatable"), cl::cat(category)};
  cl::opt<unsigned> random{"random", cl::desc("Seed of random values for inputs that are not given"),
                           cl::value_desc("seed"), cl::cat(category)};
  onnx::ImportFlags import{
      category, "NAME=V[,V...]: sizes of random inputs or of outputs; several make a run each. A range, such "
                "as NAME=1..512, NAME=1..512:8 (a divisor) or NAME=1..64@{1,8,32} (likely sizes), is what "
                "the model is compiled for, and so is NAME=8 where nothing runs"};
  cl::opt<std::string> outputFolder{"output-dir",
                                    cl::desc("Folder that receives NAME.npy for each output; several runs "
                                             "have folders 1, 2, ... in it"),
                                    cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> reference{"reference", cl::desc("Interpret the model instead of compiling it"), cl::cat(category)};
  cl::opt<std::string> compare{"compare",
                               cl::desc("reference: compare outputs with the interpreter's; fails if one "
                                        "differs by more than --tolerance"),
                               cl::value_desc("with"), cl::cat(category)};
  cl::opt<double> tolerance{"tolerance", cl::desc("Difference allowed, relative to the largest magnitude of an output"),
                            cl::init(1e-3), cl::cat(category)};
  cl::opt<bool> printShapes{"print-shapes", cl::desc("Print symbols, facts, guards and the dims of every value"),
                            cl::cat(category)};
  cl::opt<std::string> device{"device", cl::desc("cpu"), cl::init("cpu"), cl::cat(category)};
  cl::opt<bool> memory{"memory", cl::desc("Print the bytes of working memory"), cl::cat(category)};
  cl::opt<std::string> benchmark{"benchmark", cl::desc("Time so many runs (10 without a number)"),
                                 cl::value_desc("runs"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> profile{"profile",
                        cl::desc("With --benchmark: print the time of each kernel, what it computes and "
                                 "moves, and its share of the roofline"),
                        cl::cat(category)};
  cl::opt<std::string> trace{"trace",
                             cl::desc("With --benchmark: write the timeline of the fastest run, for Perfetto "
                                      "or chrome://tracing"),
                             cl::value_desc("file.json"), cl::cat(category)};

  bool runs() const { return !compile && !printShapes; }
  /// Is what `--dim` gives the size of a run? All else are facts.
  bool isSize(llvm::StringRef dim) const { return runs() && !dim.rsplit('=').second.contains(".."); }
  std::vector<std::string> getSizes() const;
  onnx::ImportTexts getImportTexts() const;
  /// The number of runs to time; nothing for what is no such number.
  std::optional<unsigned> getNumTimedRuns() const;
};

/// What the options say that makes no sense; "" if they do.
std::string findMisuse(const Options &options);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_OPTIONS_H
