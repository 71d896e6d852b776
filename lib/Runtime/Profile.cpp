//===- Runs that tell when each launch ran, and where ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "Model.h"
#include <chrono>

using namespace dyn::runtime;

namespace {

/// The context of a profiled run: the usual one, with a `submit` that looks at the clock around each piece of work.
struct ProfiledContext : DynRunContext {
  DynProfileCallback callback;
  void *data;
  std::mutex mutex;
  std::vector<DynProfilePiece> pieces; ///< of the launch that runs; guarded by `mutex`
  bool isComplete = true;              ///< no piece is left out for want of memory; guarded by `mutex`
};

/// What stands in for the arguments of a launch.
struct ProfiledWork {
  DynWorkFunction work;
  void *arguments;
};

} // namespace

static int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void workProfiled(DynRunContext *context, void *arguments, int64_t begin, int64_t end) {
  auto *profiled = static_cast<ProfiledContext *>(context);
  auto *inner = static_cast<ProfiledWork *>(arguments);
  int64_t start = now();
  inner->work(context, inner->arguments, begin, end);
  int64_t stop = now();
  size_t thread = ThreadPool::getCallingThread();
  std::lock_guard<std::mutex> lock(profiled->mutex);
  // Generated code, which called this, lets no exception through.
  try {
    profiled->pieces.push_back({thread, start, stop, begin, end - begin});
  } catch (const std::bad_alloc &) {
    profiled->isComplete = false;
  }
}

/// One launch after the other, so that each has a time of its own.
static void submitProfiled(DynRunContext *context, const DynLaunch *launch) {
  if (launch->count <= 0)
    return;
  auto *profiled = static_cast<ProfiledContext *>(context);
  ProfiledWork inner{launch->work, launch->arguments};
  DynLaunch outer{workProfiled, &inner, launch->count, launch->grain, launch->launch, DYN_AFTER_ALL};
  profiled->pieces.clear();
  int64_t start = now();
  auto &queue = *static_cast<LaunchQueue *>(context->queue);
  queue.submit(outer);
  queue.finish();
  DynProfileRecord record{size_t(launch->launch), start, now(), profiled->pieces.size(), profiled->pieces.data()};
  profiled->callback(profiled->data, &record);
}

extern "C" {

size_t dynModelGetNumLaunches(const DynModel *model) { return model ? model->descriptor.launches.size() : 0; }

DynLaunchInfo dynModelGetLaunch(const DynModel *model, size_t index) {
  if (!model || index >= model->descriptor.launches.size())
    return {"", "", 0, nullptr, "", ""};
  const LaunchDescriptor &launch = model->descriptor.launches[index];
  return {launch.kernel.c_str(),   launch.kind.c_str(),       launch.nodeTexts.size(),
          launch.nodeTexts.data(), launch.operations.c_str(), launch.bytes.c_str()};
}

size_t dynModelGetNumThreads(const DynModel *model) { return model ? model->getPool().getNumThreads() : 0; }

int dynModelRunProfiled(const DynModel *model, const int64_t *symbols, const void *const *inputs, void *const *outputs,
                        void *arena, DynProfileCallback callback, void *data) try {
  if (int status = requireRunArguments("dynModelRunProfiled", model, symbols, inputs, outputs))
    return status;
  if (!callback)
    return dynModelRun(model, symbols, inputs, outputs, arena);
  ProfiledContext context{};
  context.submit = submitProfiled;
  context.callback = callback;
  context.data = data;
  int status = run(*model, context, symbols, inputs, outputs, arena);
  return !status && !context.isComplete ? fail("not enough memory for the profile") : status;
} catch (...) {
  return failForException();
}

} // extern "C"
