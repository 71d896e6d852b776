//===- What becomes of outputs --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Outputs.h"
#include "Reference.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Target/Files/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace dyn;
using llvm::StringRef;

std::string dyn::getFileName(StringRef output) {
  // Most systems allow 255 bytes.
  constexpr size_t kLongest = 240, kBeginning = 200;
  std::string result;
  for (auto [place, character] : llvm::enumerate(output)) {
    bool isPlain = llvm::isAlnum(character) || static_cast<unsigned char>(character) >= 0x80 ||
                   StringRef("_-+=,:;()[]{}@#!~^$").contains(character) || (character == '.' && place > 0);
    if (isPlain)
      result += character;
    else
      result += "%" + llvm::toHex(StringRef(&character, 1));
  }
  if (result.empty())
    result = "%";
  // No escaped name has a '%' before a letter beyond 'F'.
  if (result.size() > kLongest)
    result = result.substr(0, kBeginning) + "%x" + llvm::utohexstr(llvm::xxh3_64bits(output), false, 16);
  return result + ".npy";
}

llvm::Error dyn::deliver(const Inputs &outputs, StringRef folder, llvm::ArrayRef<InputFile> inputs) {
  for (const auto &[name, tensor] : outputs) {
    std::string file = getFileName(name);
    llvm::outs() << getLine(name) << ": " << formatDims(tensor.dims);
    if (!folder.empty() && file != name + ".npy")
      llvm::outs() << " in '" << file << "'";
    llvm::outs() << '\n';
    if (folder.empty())
      continue;
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, file);
    for (const InputFile &input : inputs)
      if (isSameFile(path, input.path))
        return llvm::createStringError("output '" + name + "' would overwrite '" + path + "', the file of input '" +
                                       input.name + "'");
    if (llvm::Error error = writeNpy(path, tensor))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error dyn::compareOutputs(const Inputs &expected, const Inputs &actual, double tolerance) {
  bool differs = false;
  for (auto [theirs, ours] : llvm::zip_equal(expected, actual)) {
    const auto &[name, reference] = theirs;
    std::optional<Difference> difference = compare(reference, ours.second);
    if (!difference)
      return llvm::createStringError("output '" + name + "' has the dims " + formatDims(ours.second.dims) +
                                     ", the reference " + formatDims(reference.dims) + ", or another element type");
    llvm::outs() << llvm::format("%s: largest difference %.3g of %.3g\n", getLine(name).c_str(), difference->largest,
                                 difference->magnitude);
    differs |= difference->largest > tolerance * difference->magnitude;
  }
  if (differs)
    return llvm::createStringError("outputs differ from the reference by more than --tolerance");
  return llvm::Error::success();
}
