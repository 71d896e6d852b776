//===- Reductions and row kernels against plain loops ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace dyn::test;

namespace {

class ReductionKernels : public testing::TestWithParam<unsigned> {
protected:
  void SetUp() override {
    if (!hasExponentials(GetParam()))
      GTEST_SKIP() << "this CPU has no exponentials in vectors of " << GetParam() << " bits";
  }
  std::unique_ptr<CompiledKernel> compile(const char *source) {
    std::string errors;
    auto kernel = CompiledKernel::compile(source, GetParam(), errors);
    EXPECT_TRUE(kernel) << errors;
    return kernel;
  }
  Random random;
};

TEST_P(ReductionKernels, SumOfContiguousRows) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
        attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %1 = arith.addf %s, %a : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<float> x({m, n}), out({m});
      random.fill(x);
      kernel->run({x, out});
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j)
          sum += x.at(i, j);
        ASSERT_NEAR(out[i], sum, 1e-5) << m << "x" << n;
      }
    }
}

TEST_P(ReductionKernels, MaximumOverTheOuterDim) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?xf32>, %o: tensor<1x?xf32>) -> tensor<1x?xf32>
        attributes {dyn.kernel = "row", dyn.rows = 0 : i64} {
      %low = arith.constant 0xFF800000 : f32
      %f = linalg.fill ins(%low : f32) outs(%o : tensor<1x?xf32>) -> tensor<1x?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(u, j, i) -> (i, j)>, affine_map<(u, j, i) -> (u, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%f : tensor<1x?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %1 = arith.maximumf %a, %s : f32
        linalg.yield %1 : f32
      } -> tensor<1x?xf32>
      return %0 : tensor<1x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<float> x({m, n}), out({1, n});
      random.fill(x);
      if (x.size() > 5)
        x[5] = NAN;
      kernel->run({x, out});
      for (int64_t j = 0; j < n; ++j) {
        float expected = -INFINITY;
        for (int64_t i = 0; i < m; ++i)
          expected = std::isnan(x.at(i, j)) || std::isnan(expected) ? NAN : std::max(expected, x.at(i, j));
        if (std::isnan(expected))
          ASSERT_TRUE(std::isnan(out[j]));
        else
          ASSERT_EQ(out[j], expected);
      }
    }
}

TEST_P(ReductionKernels, IntegersAndBools) {
  auto kernel = compile(R"(
    #in = affine_map<(i, j) -> (i, j)>
    #out = affine_map<(i, j) -> (i)>
    func.func private @k(%x: tensor<?x?xi8>, %o: tensor<?xi8>, %p: tensor<?xi1>) -> (tensor<?xi8>, tensor<?xi1>)
        attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
      %low = arith.constant -128 : i8
      %false = arith.constant false
      %f = linalg.fill ins(%low : i8) outs(%o : tensor<?xi8>) -> tensor<?xi8>
      %g = linalg.fill ins(%false : i1) outs(%p : tensor<?xi1>) -> tensor<?xi1>
      %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xi8>) outs(%f, %g : tensor<?xi8>, tensor<?xi1>) {
      ^bb0(%a: i8, %s: i8, %t: i1):
        %1 = arith.maxsi %s, %a : i8
        %c100 = arith.constant 100 : i8
        %2 = arith.cmpi sgt, %a, %c100 : i8
        %3 = arith.ori %2, %t : i1
        linalg.yield %1, %3 : i8, i1
      } -> (tensor<?xi8>, tensor<?xi1>)
      return %0#0, %0#1 : tensor<?xi8>, tensor<?xi1>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : {0, 1, 3})
    for (int64_t n : sizes) {
      Tensor<int8_t> x({m, n}), out({m});
      Tensor<uint8_t> any({m});
      for (int64_t i = 0; i < x.size(); ++i)
        x[i] = int8_t(random.next() * 102);
      kernel->run({x, out, any});
      for (int64_t i = 0; i < m; ++i) {
        int8_t expected = -128;
        for (int64_t j = 0; j < n; ++j)
          expected = std::max(expected, x.at(i, j));
        ASSERT_EQ(out[i], expected);
        ASSERT_EQ(any[i], expected > 100);
      }
    }
}

/// Results that depend on each other have no partial results.
TEST_P(ReductionKernels, PlaceOfTheMaximum) {
  auto kernel = compile(R"(
    #in = affine_map<(i, j) -> (i, j)>
    #out = affine_map<(i, j) -> (i)>
    func.func private @k(%x: tensor<?x?xf32>, %o: tensor<?xf32>, %p: tensor<?xi64>) -> (tensor<?xf32>, tensor<?xi64>)
        attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
      %low = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0 : i64
      %f = linalg.fill ins(%low : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      %g = linalg.fill ins(%zero : i64) outs(%p : tensor<?xi64>) -> tensor<?xi64>
      %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%f, %g : tensor<?xf32>, tensor<?xi64>) {
      ^bb0(%a: f32, %s: f32, %t: i64):
        %1 = arith.cmpf ogt, %a, %s : f32
        %2 = arith.select %1, %a, %s : f32
        %j = linalg.index 1 : index
        %3 = arith.index_cast %j : index to i64
        %4 = arith.select %1, %3, %t : i64
        linalg.yield %2, %4 : f32, i64
      } -> (tensor<?xf32>, tensor<?xi64>)
      return %0#0, %0#1 : tensor<?xf32>, tensor<?xi64>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<float> x({m, n}), out({m});
      Tensor<int64_t> place({m});
      random.fill(x);
      kernel->run({x, out, place});
      for (int64_t i = 0; i < m; ++i) {
        int64_t expected = 0;
        for (int64_t j = 1; j < n; ++j)
          expected = x.at(i, j) > x.at(i, expected) ? j : expected;
        ASSERT_EQ(place[i], expected);
      }
    }
}

TEST_P(ReductionKernels, Softmax) {
  auto kernel = compile(R"(
    #id = affine_map<(i, j) -> (i, j)>
    #row = affine_map<(i, j) -> (i)>
    func.func private @k(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
        attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
      %zero = arith.constant 0.0 : f32
      %low = arith.constant 0xFF800000 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %n = tensor.dim %x, %c1 : tensor<?x?xf32>
      %r0 = tensor.empty(%m) : tensor<?xf32>
      %r1 = tensor.empty(%m) : tensor<?xf32>
      %t = tensor.empty(%m, %n) : tensor<?x?xf32>
      %f0 = linalg.fill ins(%low : f32) outs(%r0 : tensor<?xf32>) -> tensor<?xf32>
      %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%f0 : tensor<?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %1 = arith.maximumf %a, %s : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
      %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%t : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %1 = arith.subf %a, %b : f32
        %2 = math.exp %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?x?xf32>
      %f1 = linalg.fill ins(%zero : f32) outs(%r1 : tensor<?xf32>) -> tensor<?xf32>
      %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%exp : tensor<?x?xf32>) outs(%f1 : tensor<?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %1 = arith.addf %a, %s : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
      %div = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %1 = arith.divf %a, %b : f32
        linalg.yield %1 : f32
      } -> tensor<?x?xf32>
      return %div : tensor<?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  std::vector<int64_t> widths = sizes;
  widths.push_back(5003);
  for (int64_t m : sizes)
    for (int64_t n : widths) {
      Tensor<float> x({m, n}), out({m, n});
      random.fill(x);
      for (int64_t i = 0; i < x.size(); ++i)
        x[i] *= 8;
      // A masked place.
      if (n > 3 && m > 0)
        x[3] = -INFINITY;
      DynRunContext context = kernel->run({x, out});
      EXPECT_EQ(context.errorState, 0);
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0, top = -INFINITY;
        for (int64_t j = 0; j < n; ++j)
          top = std::max<double>(top, x.at(i, j));
        for (int64_t j = 0; j < n; ++j)
          sum += std::exp(x.at(i, j) - top);
        for (int64_t j = 0; j < n; ++j)
          ASSERT_NEAR(out.at(i, j), std::exp(x.at(i, j) - top) / sum, 1e-6) << m << "x" << n;
      }
    }
}

/// Rows of two dims; the statistics of a row are scalars.
TEST_P(ReductionKernels, LayerNormalization) {
  auto kernel = compile(R"(
    #id = affine_map<(b, i, j) -> (b, i, j)>
    #row = affine_map<(b, i, j) -> (b, i)>
    #col = affine_map<(b, i, j) -> (j)>
    #r = affine_map<(b, i) -> (b, i)>
    func.func private @k(%x: tensor<?x?x40xf32>, %g: tensor<40xf32>, %o: tensor<?x?x40xf32>) -> tensor<?x?x40xf32>
        attributes {dyn.kernel = "row", dyn.rows = 2 : i64} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %x, %c0 : tensor<?x?x40xf32>
      %n = tensor.dim %x, %c1 : tensor<?x?x40xf32>
      %r0 = tensor.empty(%m, %n) : tensor<?x?xf32>
      %r1 = tensor.empty(%m, %n) : tensor<?x?xf32>
      %r2 = tensor.empty(%m, %n) : tensor<?x?xf32>
      %r3 = tensor.empty(%m, %n) : tensor<?x?xf32>
      %t = tensor.empty(%m, %n) : tensor<?x?x40xf32>
      %f0 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x : tensor<?x?x40xf32>) outs(%f0 : tensor<?x?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %1 = arith.addf %a, %s : f32
        linalg.yield %1 : f32
      } -> tensor<?x?xf32>
      %mean = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel", "parallel"]}
          ins(%sum : tensor<?x?xf32>) outs(%r1 : tensor<?x?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %n40 = arith.constant 40.0 : f32
        %1 = arith.divf %a, %n40 : f32
        linalg.yield %1 : f32
      } -> tensor<?x?xf32>
      %centred = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %mean : tensor<?x?x40xf32>, tensor<?x?xf32>) outs(%t : tensor<?x?x40xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %1 = arith.subf %a, %b : f32
        linalg.yield %1 : f32
      } -> tensor<?x?x40xf32>
      %f1 = linalg.fill ins(%zero : f32) outs(%r2 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%centred : tensor<?x?x40xf32>) outs(%f1 : tensor<?x?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %1 = arith.mulf %a, %a : f32
        %2 = arith.addf %1, %s : f32
        linalg.yield %2 : f32
      } -> tensor<?x?xf32>
      %scale = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel", "parallel"]}
          ins(%squares : tensor<?x?xf32>) outs(%r3 : tensor<?x?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %n40 = arith.constant 40.0 : f32
        %eps = arith.constant 1.0e-5 : f32
        %1 = arith.divf %a, %n40 : f32
        %2 = arith.addf %1, %eps : f32
        %3 = math.sqrt %2 : f32
        linalg.yield %3 : f32
      } -> tensor<?x?xf32>
      %0 = linalg.generic {indexing_maps = [#id, #row, #col, #id],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%centred, %scale, %g : tensor<?x?x40xf32>, tensor<?x?xf32>, tensor<40xf32>) outs(%o : tensor<?x?x40xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32, %s: f32):
        %1 = arith.divf %a, %b : f32
        %2 = arith.mulf %1, %c : f32
        linalg.yield %2 : f32
      } -> tensor<?x?x40xf32>
      return %0 : tensor<?x?x40xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 3})
    for (int64_t m : sizes) {
      Tensor<float> x({b, m, 40}), gamma({40}), out({b, m, 40});
      random.fill(x), random.fill(gamma);
      kernel->run({x, gamma, out});
      for (int64_t i = 0; i < b * m; ++i) {
        double sum = 0, squares = 0;
        for (int64_t j = 0; j < 40; ++j)
          sum += x[i * 40 + j];
        for (int64_t j = 0; j < 40; ++j)
          squares += std::pow(x[i * 40 + j] - sum / 40, 2);
        for (int64_t j = 0; j < 40; ++j)
          ASSERT_NEAR(out[i * 40 + j], (x[i * 40 + j] - sum / 40) / std::sqrt(squares / 40 + 1e-5) * gamma[j], 1e-5);
      }
    }
}

/// Rows that lie across memory: softmax over the outer dim.
TEST_P(ReductionKernels, RowsAcrossMemory) {
  auto kernel = compile(R"(
    #t = affine_map<(i, j) -> (j, i)>
    #id = affine_map<(i, j) -> (i, j)>
    #row = affine_map<(i, j) -> (i)>
    func.func private @k(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
        attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
      %zero = arith.constant 0.0 : f32
      %c1 = arith.constant 1 : index
      %m = tensor.dim %x, %c1 : tensor<?x?xf32>
      %r = tensor.empty(%m) : tensor<?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
      %sum = linalg.generic {indexing_maps = [#t, #row], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
      ^bb0(%a: f32, %s: f32):
        %1 = arith.addf %a, %s : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
      %0 = linalg.generic {indexing_maps = [#t, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %1 = arith.subf %a, %b : f32
        linalg.yield %1 : f32
      } -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<float> x({n, m}), out({m, n});
      random.fill(x);
      kernel->run({x, out});
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j)
          sum += x.at(j, i);
        for (int64_t j = 0; j < n; ++j)
          ASSERT_NEAR(out.at(i, j), x.at(j, i) - sum, 2e-5);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(VectorBits, ReductionKernels, testing::Values(128u, 256u, 512u));

} // namespace
