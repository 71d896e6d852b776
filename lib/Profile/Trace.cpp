//===- The timeline of a run --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/Profile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace dyn;
namespace json = llvm::json;

/// Node names are bytes of a model, which need not be text.
static json::Value getText(llvm::StringRef text) { return json::isUTF8(text) ? text.str() : json::fixUTF8(text); }

void Profile::writeTrace(llvm::raw_ostream &os) const {
  json::OStream out(os, /*IndentSize=*/1);
  auto writeEvent = [&](llvm::StringRef phase, llvm::StringRef name, size_t thread, llvm::function_ref<void()> rest) {
    out.object([&] {
      out.attribute("ph", phase);
      out.attribute("name", getText(name));
      out.attribute("pid", 1);
      out.attribute("tid", int64_t(thread));
      rest();
    });
  };
  auto writePieces = [&](const Launch &launch, int64_t start) {
    DynLaunchInfo info = dynModelGetLaunch(&model, launch.number);
    for (const DynProfilePiece &piece : launch.pieces)
      writeEvent("X", info.kernel, piece.thread, [&] {
        out.attribute("cat", info.kind);
        out.attribute("ts", double(piece.begin - start) * 1e-3);
        out.attribute("dur", double(piece.end - piece.begin) * 1e-3);
        out.attributeObject("args", [&] {
          out.attribute("launch", int64_t(launch.number));
          out.attribute("first item", piece.firstItem);
          out.attribute("items", piece.numItems);
          out.attributeArray("nodes", [&] {
            for (size_t i = 0; i < info.numNodes; ++i)
              out.value(getText(info.nodes[i]));
          });
          out.attribute("operations", info.operations);
          out.attribute("bytes", info.bytes);
        });
      });
  };
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      for (size_t thread = 0; thread < dynModelGetNumThreads(&model); ++thread)
        writeEvent("M", "thread_name", thread, [&] {
          out.attributeObject("args", [&] {
            out.attribute("name", thread ? "worker " + std::to_string(thread) : std::string("caller"));
          });
        });
      for (const Launch &launch : fastest.launches)
        writePieces(launch, fastest.begin);
    });
  });
  os << '\n';
}
