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

/// Kernels over vectors of N numbers, and over two of them one behind the other.
constexpr const char *kVectorKernels = R"mlir(
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
  func.func private @join(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index, %out: tensor<?xf32>) -> tensor<?xf32>
      attributes {dyn.kernel = "concat"} {
    %0 = tensor.insert_slice %a into %out[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    %1 = tensor.insert_slice %b into %0[%n] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    return %1 : tensor<?xf32>
  }
  func.func private @fold(%pair: tensor<2x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
      attributes {dyn.kernel = "pointwise"} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (0, i)>, affine_map<(i) -> (1, i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%pair, %pair : tensor<2x?xf32>, tensor<2x?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %quarter = arith.constant 0.25 : f32
      %q = arith.mulf %y, %quarter : f32
      %z = arith.subf %x, %q : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @second(%pair: tensor<2x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
      attributes {dyn.kernel = "pointwise"} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (1, i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]} ins(%pair : tensor<2x?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
)mlir";

/// A random program over vectors of N numbers, and what it computes. Some of the sums are written to parts of one
/// buffer, which others read as a whole, or a part of it.
class Program {
public:
  explicit Program(unsigned seed) {
    std::mt19937 random(seed);
    // Few of the values before: chains side by side. Many: what others wait for lies far back.
    unsigned reach = 1 + random() % 12;
    for (unsigned number = 0; number < 30; ++number) {
      auto pick = [&](unsigned most) { return unsigned(random() % std::min<size_t>(most, values.size())); };
      auto pickRecent = [&] { return values.size() - 1 - pick(reach); };
      auto pickPair = [&] { return std::pair(pickRecent(), random() % 2 ? pickRecent() : 0); };
      auto first = pickPair(), other = pickPair();
      size_t a = addSum(first);
      if (random() % 3 == 0)
        addJoined(a, addSum(other));
    }
  }

  std::string getText() const {
    std::string last = std::to_string(values.size() - 1), before = std::to_string(values.size() - 2);
    return kVectorKernels + std::string(R"mlir(
      func.func @main(%v0: tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
          -> (tensor<?xf32> {dyn.dims = #dyn.dims<[N]>}, tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
          attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
        %N = dyn_shape.sym "N" : index
        %NN = dyn_shape.apply 2 * N (N = %N) : index
    )mlir") +
           text + "return %v" + before + ", %v" + last + " : tensor<?xf32>, tensor<?xf32>\n}\n";
  }

  std::array<float, 2> compute(float input) const {
    std::vector<float> results{input};
    for (size_t index = 1; index < values.size(); ++index) {
      const Value &value = values[index];
      results.push_back(results[value.a] + value.factor * results[value.b]);
    }
    return {results[values.size() - 2], results.back()};
  }

private:
  /// That of an earlier one and a multiple of another one.
  struct Value {
    size_t a, b;
    float factor;
  };

  size_t addSum(std::pair<size_t, size_t> operands) {
    auto [a, b] = operands;
    std::string number = std::to_string(values.size());
    addLaunch("plus", "%v" + std::to_string(a) + ", %v" + std::to_string(b) + " : tensor<?xf32>, tensor<?xf32>");
    values.push_back({a, b, 0.5f});
    return values.size() - 1;
  }

  void addJoined(size_t a, size_t b) {
    std::string number = std::to_string(values.size());
    text += "%f" + number + " = tensor.empty(%NN) : tensor<?xf32>\n%w" + number + " = dyn_shape.launch @join ins(%v" +
            std::to_string(a) + ", %v" + std::to_string(b) + " : tensor<?xf32>, tensor<?xf32>) sizes(%N) outs(%f" +
            number + " : tensor<?xf32>) -> tensor<?xf32>\n%p" + number + " = tensor.expand_shape %w" + number +
            " [[0, 1]] output_shape [2, %N] : tensor<?xf32> into tensor<2x?xf32>\n";
    std::string pair = "%p" + number + " : tensor<2x?xf32>";
    addLaunch("second", pair);
    values.push_back({b, b, 0.0f});
    addLaunch("fold", pair);
    values.push_back({a, b, -0.25f});
  }

  void addLaunch(const std::string &kernel, const std::string &operands) {
    std::string number = std::to_string(values.size());
    text += "%e" + number + " = tensor.empty(%N) : tensor<?xf32>\n%v" + number + " = dyn_shape.launch @" + kernel +
            " ins(" + operands + ") outs(%e" + number + " : tensor<?xf32>) -> tensor<?xf32>\n";
  }

  std::vector<Value> values{{0, 0, 0}}; ///< the first is the input
  std::string text;
};

} // namespace

TEST_F(CompilerTest, LaunchesRunInAnyOrderThatTheyAllow) {
  size_t numEarly = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
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
