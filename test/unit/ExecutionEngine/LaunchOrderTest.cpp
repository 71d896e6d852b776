//===- Launches give the same in any order that they allow ------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CompilerHarness.h"
#include <random>

using namespace dyn::test;

namespace {

/// Runs pieces of launches that may begin, whichever comes: as threads might, in one thread.
class RandomQueue {
public:
  explicit RandomQueue(unsigned seed) : random(seed) {}

  DynRunContext makeContext() {
    DynRunContext context = {};
    context.queue = this;
    context.submit = [](DynRunContext *context, const DynLaunch *launch) {
      static_cast<RandomQueue *>(context->queue)->submit(*context, *launch);
    };
    context.finish = [](DynRunContext *context) {
      auto &queue = *static_cast<RandomQueue *>(context->queue);
      while (!queue.open.empty())
        queue.step(*context);
    };
    return context;
  }
  /// Pieces that were run while one of an earlier launch was left.
  size_t numEarly = 0;

private:
  struct Task {
    const DynLaunch *launch;
    uint64_t number;
    int64_t left;
  };

  void submit(DynRunContext &context, const DynLaunch &launch) {
    while (!open.empty() && numSubmitted - open.front().number >= DYN_LAUNCH_WINDOW)
      step(context);
    open.push_back({&launch, numSubmitted++, launch.count});
  }

  bool mayBegin(const Task &task) const {
    return llvm::none_of(open, [&](const Task &other) {
      return other.number < task.number && task.launch->after >> (task.number - other.number - 1) & 1;
    });
  }

  void step(DynRunContext &context) {
    std::vector<size_t> ready;
    for (size_t place = 0; place < open.size(); ++place)
      if (mayBegin(open[place]))
        ready.push_back(place);
    size_t place = ready[random() % ready.size()];
    Task &task = open[place];
    if (task.left > 0) {
      numEarly += place > 0;
      --task.left;
      task.launch->work(&context, task.launch->arguments, task.left, task.left + 1);
    }
    if (task.left <= 0)
      open.erase(open.begin() + long(place));
  }

  std::vector<Task> open; ///< in the order of their numbers
  uint64_t numSubmitted = 0;
  std::mt19937 random;
};

/// A random program of sums and doublings over vectors of N numbers, and what it computes.
struct Program {
  explicit Program(unsigned seed) {
    std::mt19937 random(seed);
    // Few of the values before: chains side by side. Many: what others wait for lies far back.
    unsigned reach = 1 + random() % 12;
    for (unsigned step = 1; step <= 40; ++step) {
      auto pick = [&] { return step - 1 - random() % std::min(reach, step); };
      operands.push_back({pick(), random() % 2 ? pick() : 0});
    }
  }

  std::string getText() const {
    std::string text = R"mlir(
      func.func private @plus(%a: tensor<?xf32>, %b: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
          attributes {dyn.kernel = "pointwise"} {
        %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                             iterator_types = ["parallel"]}
            ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%out : tensor<?xf32>) {
        ^bb0(%x: f32, %y: f32, %o: f32):
          %half = arith.constant 0.5 : f32
          %h = arith.mulf %y, %half : f32
          %z = arith.addf %x, %h : f32
          linalg.yield %z : f32
        } -> tensor<?xf32>
        return %0 : tensor<?xf32>
      }
      func.func @main(%v0: tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
          -> (tensor<?xf32> {dyn.dims = #dyn.dims<[N]>}, tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
          attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
        %N = dyn_shape.sym "N" : index
    )mlir";
    for (auto [index, pair] : llvm::enumerate(operands)) {
      std::string number = std::to_string(index + 1);
      text += "%e" + number + " = tensor.empty(%N) : tensor<?xf32>\n%v" + number + " = dyn_shape.launch @plus ins(%v" +
              std::to_string(pair.first) + ", %v" + std::to_string(pair.second) +
              " : tensor<?xf32>, tensor<?xf32>) outs(%e" + number + " : tensor<?xf32>) -> tensor<?xf32>\n";
    }
    return text + "return %v39, %v40 : tensor<?xf32>, tensor<?xf32>\n}\n";
  }

  std::array<float, 2> compute(float input) const {
    std::vector<float> values{input};
    for (auto [a, b] : operands)
      values.push_back(values[a] + 0.5f * values[b]);
    return {values[39], values[40]};
  }

  std::vector<std::pair<unsigned, unsigned>> operands;
};

} // namespace

TEST_F(CompilerTest, LaunchesRunInAnyOrderThatTheyAllow) {
  size_t numEarly = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    Program program(seed);
    compile(program.getText());
    ASSERT_TRUE(artefact);
    for (int64_t count : {0, 1, 7, 64, 331, 40000}) {
      std::vector<float> x(count), y(count), z(count);
      for (int64_t i = 0; i < count; ++i)
        x[i] = float(i % 97) - 40.0f;
      ASSERT_EQ(check({count}), 0) << getFailure();
      for (unsigned order = 0; order < 4; ++order) {
        RandomQueue queue(100 * seed + order);
        DynRunContext runContext = queue.makeContext();
        ASSERT_EQ(run(runContext, {x.data()}, {y.data(), z.data()}), 0);
        numEarly += queue.numEarly;
        for (int64_t i = 0; i < count; ++i)
          ASSERT_EQ((std::array{y[i], z[i]}), program.compute(x[i])) << "program " << seed << ", N = " << count;
      }
    }
    dlclose(library);
    library = nullptr;
  }
  EXPECT_GT(numEarly, 100u);
}
