//===- Where the time of runs goes --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/Profile.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace dyn;
using namespace dyn::symbolic;

/// On the clock of profile records.
static int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::optional<int64_t> dyn::evaluateFor(const DynModel &model, const int64_t *symbols, Expr expr) {
  if (!expr)
    return std::nullopt;
  return evaluate(expr, [&](llvm::StringRef name) -> std::optional<int64_t> {
    for (size_t i = 0; i < dynModelGetNumSymbols(&model); ++i)
      if (name == dynModelGetSymbolName(&model, i))
        return symbols[i];
    return std::nullopt;
  });
}

std::optional<int64_t> dyn::getLiveBytes(const DynModel &model, const int64_t *symbols) {
  SymbolicContext context;
  ParseError error;
  llvm::StringRef text = dynModelGetLiveBytes(&model);
  std::optional<int64_t> bytes =
      text.empty() ? std::nullopt : evaluateFor(model, symbols, parseExpr(text, context, error));
  if (bytes)
    *bytes += int64_t(dynModelGetScratchBytes(&model, symbols));
  return bytes;
}

Profile::Profile(const DynModel &model, const int64_t *symbols)
    : model(model), symbols(symbols, symbols + dynModelGetNumSymbols(&model)) {}

int Profile::addRun(llvm::function_ref<int(DynProfileCallback, void *)> run) {
  Run record;
  auto callback = [](void *data, const DynProfileRecord *launch) {
    static_cast<Run *>(data)->launches.push_back(
        {launch->launch, launch->begin, launch->end, {launch->pieces, launch->pieces + launch->numPieces}});
  };
  record.begin = now();
  int status = run(callback, &record);
  record.end = now();
  if (status == 0 && (numRuns++ == 0 || record.end - record.begin < fastest.end - fastest.begin))
    fastest = std::move(record);
  return status;
}

std::vector<Profile::Kernel> Profile::getKernels(const Roofline &roofline) const {
  SymbolicContext context;
  // Formulas name symbols in the order of their declaration.
  for (size_t i = 0; i < symbols.size(); ++i)
    context.getSymbol(dynModelGetSymbolName(&model, i));
  auto parse = [&](const char *text) {
    ParseError error;
    return *text ? parseExpr(text, context, error) : Expr();
  };
  struct Sums {
    Kernel kernel;
    Expr operations, bytes;
  };
  std::vector<Sums> kernels;
  llvm::StringMap<size_t> places;
  for (const Launch &launch : fastest.launches) {
    DynLaunchInfo info = dynModelGetLaunch(&model, launch.number);
    auto [place, isNew] = places.try_emplace(info.kernel, kernels.size());
    if (isNew) {
      kernels.emplace_back();
      kernels.back().kernel.name = info.kernel;
      kernels.back().kernel.kind = info.kind;
      kernels.back().operations = kernels.back().bytes = context.getConstant(0);
    }
    auto &[kernel, operations, bytes] = kernels[place->second];
    Expr launchOperations = parse(info.operations), launchBytes = parse(info.bytes);
    operations = operations + launchOperations;
    bytes = bytes + launchBytes;
    kernel.nodes.insert(kernel.nodes.end(), info.nodes, info.nodes + info.numNodes);
    kernel.launches += 1;
    kernel.seconds += double(launch.end - launch.begin) * 1e-9;
    kernel.leastSeconds +=
        roofline.getLeastSeconds(double(evaluateFor(model, symbols.data(), launchOperations).value_or(0)),
                                 double(evaluateFor(model, symbols.data(), launchBytes).value_or(0)));
  }
  std::vector<Kernel> result;
  for (Sums &sums : kernels) {
    sums.kernel.operations = evaluateFor(model, symbols.data(), sums.operations);
    sums.kernel.bytes = evaluateFor(model, symbols.data(), sums.bytes);
    sums.kernel.operationsFormula = sums.operations ? sums.operations.str() : "";
    sums.kernel.bytesFormula = sums.bytes ? sums.bytes.str() : "";
    result.push_back(std::move(sums.kernel));
  }
  llvm::sort(result, [](const Kernel &lhs, const Kernel &rhs) {
    return std::tie(rhs.seconds, lhs.name) < std::tie(lhs.seconds, rhs.name);
  });
  return result;
}

double Profile::getSeconds() const { return double(fastest.end - fastest.begin) * 1e-9; }

/// `12.3` for a rate; `-` where there is none.
static std::string formatRate(std::optional<int64_t> amount, double seconds) {
  if (!amount || seconds <= 0)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f", double(*amount) / seconds * 1e-9);
  return text;
}

static std::string formatFormula(const std::string &formula, std::optional<int64_t> value) {
  if (formula.empty())
    return "no formula: data determine how much";
  return formula + (value ? " = " + std::to_string(*value) : " is beyond 64 bits");
}

void Profile::printTable(llvm::raw_ostream &os, const Roofline &roofline) const {
  os << llvm::format("roofline: %.1f GFLOP/s f32 from registers, %.1f GB/s from memory, %zu thread(s)\n",
                     roofline.operationsPerSecond * 1e-9, roofline.bytesPerSecond * 1e-9,
                     dynModelGetNumThreads(&model));
  os << "sizes:";
  for (size_t i = 0; i < symbols.size(); ++i)
    os << (i ? ", " : " ") << dynModelGetSymbolName(&model, i) << " = " << symbols[i];
  os << "\nkernel               launches        ms    part  GFLOP/s     GB/s  roofline\n";
  double whole = getSeconds(), inside = 0;
  auto part = [&](double seconds) { return whole > 0 ? 100 * seconds / whole : 0.0; };
  for (const Kernel &kernel : getKernels(roofline)) {
    inside += kernel.seconds;
    double share = kernel.seconds > 0 ? kernel.leastSeconds / kernel.seconds : 0;
    os << llvm::format("%-20s %8zu %9.3f  %5.1f%% %8s %8s    %5.2f\n", kernel.name.c_str(), kernel.launches,
                       kernel.seconds * 1e3, part(kernel.seconds),
                       formatRate(kernel.operations, kernel.seconds).c_str(),
                       formatRate(kernel.bytes, kernel.seconds).c_str(), share);
    os << "    operations  " << formatFormula(kernel.operationsFormula, kernel.operations) << '\n'
       << "    bytes       " << formatFormula(kernel.bytesFormula, kernel.bytes) << '\n';
    if (!kernel.nodes.empty())
      os << "    nodes       " << kernel.nodes.front();
    if (kernel.nodes.size() > 1)
      os << " and " << kernel.nodes.size() - 1 << " more";
    os << (kernel.nodes.empty() ? "" : "\n");
  }
  double outside = std::max(0.0, whole - inside);
  os << llvm::format("%-20s          %9.3f  %5.1f%%\n", "outside kernels", outside * 1e3, part(outside));
  os << llvm::format("%-20s          %9.3f  the fastest of %zu\n", "whole run", whole * 1e3, numRuns);
}
