//===- From object files to a shared object ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "dyn/Runtime/LargePages.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mutex>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace dyn;

/// Where the loader finds a library of the C library; empty if it does not.
static std::string findLibrary(const char *name) {
  void *handle = dlopen(name, RTLD_LAZY);
  if (!handle)
    return "";
  link_map *map = nullptr;
  std::string path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map)
    path = map->l_name;
  dlclose(handle);
  return path;
}

namespace {
/// Keeps the options that the program's command line has set out of lld's sight, which would set them back to their
/// defaults: the program may read them again.
class HiddenOptions {
public:
  HiddenOptions() {
    llvm::SmallPtrSet<llvm::cl::Option *, 16> seen;
    for (auto &entry : llvm::cl::getRegisteredOptions()) {
      llvm::cl::Option *option = entry.second;
      // An option that is known by the names of its values only could not be registered again.
      if (option->getNumOccurrences() > 0 && option->hasArgStr() && seen.insert(option).second)
        options.push_back(option);
    }
    llvm::append_range(options, llvm::cl::SubCommand::getTopLevel().PositionalOpts);
    for (llvm::cl::Option *option : options)
      option->removeArgument();
  }
  ~HiddenOptions() {
    for (llvm::cl::Option *option : options)
      option->addArgument();
  }

private:
  llvm::SmallVector<llvm::cl::Option *> options;
};

/// A path for lld, which writes to a file of another name first: in that LLVM replaces each `%`, also those of folders.
class PlainPath {
public:
  explicit PlainPath(llvm::StringRef path) : path(path) {
    llvm::StringRef parent = llvm::sys::path::parent_path(path);
    if (parent.contains('%'))
      folder = open(parent.str().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0)
      this->path = "/proc/self/fd/" + std::to_string(folder) + "/" + llvm::sys::path::filename(path).str();
  }
  ~PlainPath() {
    if (folder >= 0)
      close(folder);
  }
  PlainPath(const PlainPath &) = delete;
  PlainPath &operator=(const PlainPath &) = delete;

  const std::string &getPath() const { return path; }

private:
  std::string path;
  int folder = -1;
};

/// Keeps signals that end the process back while lld has a temporary file that LLVM may not know of yet. They come
/// when this goes.
class HeldSignals {
public:
  HeldSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR2})
      sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, &before);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};
} // namespace

llvm::Error dyn::linkSharedObject(llvm::ArrayRef<llvm::StringRef> objectPaths, llvm::StringRef path) {
  const PlainPath output(path);
  llvm::SmallVector<std::string> arguments{"ld.lld",      "-shared", "--hash-style=gnu", "--build-id=none", "-z",
                                           "noexecstack", "-o",      output.getPath()};
  // Only what begins at the same place of a large page in the file and in memory can lie on large pages.
  arguments.append({"-z", "max-page-size=" + std::to_string(kLargePageBytes)});
  // Threads of lld live as long as the process; one that is forked from it would wait for them for ever.
  arguments.push_back("--threads=1");
  for (llvm::StringRef object : objectPaths)
    arguments.push_back(object.str());
  arguments.push_back("--as-needed");
  // Generated code calls mathematical and memory functions; naming their libraries makes a missing function an error
  // here, and not where the artefact is loaded.
  std::string math = findLibrary("libm.so.6"), c = findLibrary("libc.so.6");
  if (!math.empty() && !c.empty())
    arguments.append({math, c, "-z", "defs"});
  llvm::SmallVector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  // lld has global state.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string out, err;
  llvm::raw_string_ostream outStream(out), errStream(err);
  HiddenOptions hidden;
  HeldSignals held;
  lld::Result result = lld::lldMain(pointers, outStream, errStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return llvm::Error::success();
  return llvm::createStringError("cannot link the artefact: %s", llvm::StringRef(err).trim().str().c_str());
}
