//===- Contractions against plain loops -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace dyn::test;

namespace {

const std::vector<int64_t> rows{0, 1, 2, 3, 5, 7, 11, 12, 13, 16, 25, 131};
const std::vector<int64_t> depths{0, 1, 2, 17, 64};

class ContractionKernels : public testing::TestWithParam<unsigned> {
protected:
  std::unique_ptr<CompiledKernel> compile(const std::string &source) {
    std::string errors;
    auto kernel = CompiledKernel::compile(source, GetParam(), errors);
    EXPECT_TRUE(kernel) << errors;
    return kernel;
  }
  Random random;
};

/// The source of a contraction of two matrices with these maps, and an epilogue or none.
std::string matmul(const char *mapA, const char *mapB) {
  return std::string(R"(
    func.func private @k(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
        attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> )") +
         mapA + ">, affine_map<(m, n, k) -> " + mapB + R"(>, affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %1 = arith.mulf %x, %y : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })";
}

TEST_P(ContractionKernels, MatricesInEveryOrder) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true}) {
      auto kernel = compile(matmul(transposeA ? "(k, m)" : "(m, k)", transposeB ? "(n, k)" : "(k, n)"));
      ASSERT_TRUE(kernel);
      for (int64_t m : rows)
        for (int64_t n : sizes)
          for (int64_t k : depths) {
            Tensor<float> a(transposeA ? std::vector{k, m} : std::vector{m, k}),
                b(transposeB ? std::vector{n, k} : std::vector{k, n}), out({m, n});
            random.fill(a), random.fill(b);
            EXPECT_EQ(kernel->count({a, b, out}) == 0, m * n == 0);
            kernel->run({a, b, out});
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (int64_t p = 0; p < k; ++p)
                  sum += double(transposeA ? a.at(p, i) : a.at(i, p)) * (transposeB ? b.at(j, p) : b.at(p, j));
                ASSERT_NEAR(out.at(i, j), sum, 1e-5) << m << "x" << n << "x" << k << " at " << i << "," << j;
              }
            EXPECT_TRUE(out.memory->isIntact());
          }
    }
}

/// One row that the type tells, or no row at all: the matrix on either side, its columns beside each other or not.
TEST_P(ContractionKernels, OneRow) {
  for (bool isVector : {false, true})
    for (bool isSwapped : {false, true})
      for (bool isTransposed : {false, true}) {
        std::string row = isVector ? "tensor<?xf32>" : "tensor<1x?xf32>";
        std::string mapA = isVector ? "(k)" : "(m, k)", mapB = isTransposed ? "(n, k)" : "(k, n)";
        std::string loops = isVector ? "(n, k)" : "(m, n, k)", parallel = isVector ? "" : "\"parallel\", ";
        std::string source =
            "func.func private @k(%a: " + row + ", %b: tensor<?x?xf32>, %o: " + row + ") -> " + row +
            R"( attributes {dyn.kernel = "contraction"} {
          %zero = arith.constant 0.0 : f32
          %f = linalg.fill ins(%zero : f32) outs(%o : )" +
            row + ") -> " + row + "\n%0 = linalg.generic {indexing_maps = [affine_map<" + loops + " -> " +
            (isSwapped ? mapB : mapA) + ">, affine_map<" + loops + " -> " + (isSwapped ? mapA : mapB) +
            ">, affine_map<" + loops + " -> " + (isVector ? "(n)" : "(m, n)") + ">], iterator_types = [" + parallel +
            "\"parallel\", \"reduction\"]} ins(" +
            (isSwapped ? "%b, %a : tensor<?x?xf32>, " + row : "%a, %b : " + row + ", tensor<?x?xf32>") +
            ") outs(%f : " + row + R"() {
          ^bb0(%x: f32, %y: f32, %s: f32):
            %1 = arith.mulf %x, %y : f32
            %2 = arith.addf %s, %1 : f32
            linalg.yield %2 : f32
          } -> )" +
            row + "\nreturn %0 : " + row + "\n}";
        auto kernel = compile(source);
        ASSERT_TRUE(kernel) << source;
        for (int64_t n : sizes)
          for (int64_t k : depths) {
            auto shape = [&](int64_t size) { return isVector ? std::vector{size} : std::vector<int64_t>{1, size}; };
            Tensor<float> a(shape(k)), b(isTransposed ? std::vector{n, k} : std::vector{k, n}), out(shape(n));
            random.fill(a), random.fill(b);
            kernel->run({a, b, out});
            auto at = [&](Tensor<float> &tensor, int64_t i) { return isVector ? tensor.at(i) : tensor.at(0, i); };
            for (int64_t j = 0; j < n; ++j) {
              double sum = 0;
              for (int64_t p = 0; p < k; ++p)
                sum += double(at(a, p)) * (isTransposed ? b.at(j, p) : b.at(p, j));
              ASSERT_NEAR(at(out, j), sum, 1e-5) << n << "x" << k << " at " << j;
            }
            EXPECT_TRUE(out.memory->isIntact());
          }
      }
}

/// Attention scores: batch and head loops, heads inside rows, a scale and a mask behind.
TEST_P(ContractionKernels, BatchesWithEpilogue) {
  auto kernel = compile(R"(
    #s = affine_map<(b, h, m, n) -> (b, h, m, n)>
    func.func private @k(%q: tensor<?x?x3x24xf32>, %k: tensor<?x?x3x24xf32>, %mask: tensor<?x1x1x?xf32>,
                         %o: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %B = tensor.dim %q, %c0 : tensor<?x?x3x24xf32>
      %M = tensor.dim %q, %c1 : tensor<?x?x3x24xf32>
      %N = tensor.dim %k, %c1 : tensor<?x?x3x24xf32>
      %t = tensor.empty(%B, %M, %N) : tensor<?x3x?x?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%t : tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>,
                                            affine_map<(b, h, m, n, k) -> (b, n, h, k)>,
                                            affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
          ins(%q, %k : tensor<?x?x3x24xf32>, tensor<?x?x3x24xf32>) outs(%f : tensor<?x3x?x?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %1 = arith.mulf %x, %y : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?x3x?x?xf32>
      %1 = linalg.generic {indexing_maps = [#s, affine_map<(b, h, m, n) -> (b, 0, 0, n)>, #s],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%0, %mask : tensor<?x3x?x?xf32>, tensor<?x1x1x?xf32>) outs(%o : tensor<?x3x?x?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %c = arith.constant 0.125 : f32
        %2 = arith.mulf %x, %c : f32
        %3 = arith.addf %2, %y : f32
        linalg.yield %3 : f32
      } -> tensor<?x3x?x?xf32>
      return %1 : tensor<?x3x?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 2})
    for (int64_t m : rows)
      for (int64_t n : {0, 1, 5, 17, 33, 64}) {
        Tensor<float> q({b, m, 3, 24}), k({b, n, 3, 24}), mask({b, 1, 1, n}), out({b, 3, m, n});
        random.fill(q), random.fill(k), random.fill(mask);
        kernel->run({q, k, mask, out});
        for (int64_t ib = 0; ib < b; ++ib)
          for (int64_t h = 0; h < 3; ++h)
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (int64_t p = 0; p < 24; ++p)
                  sum += double(q.at(ib, i, h, p)) * k.at(ib, j, h, p);
                ASSERT_NEAR(out.at(ib, h, i, j), sum / 8 + mask.at(ib, 0, 0, j), 1e-5) << b << " " << m << " " << n;
              }
      }
}

/// The context of attention, written back with heads inside rows.
TEST_P(ContractionKernels, PermutedOutput) {
  auto kernel = compile(R"(
    func.func private @k(%p: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %bias: tensor<?x?xf32>, %o: tensor<?x?x?x?xf32>)
        -> tensor<?x?x?x?xf32> attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %B = tensor.dim %p, %c0 : tensor<?x?x?x?xf32>
      %H = tensor.dim %p, %c1 : tensor<?x?x?x?xf32>
      %M = tensor.dim %p, %c2 : tensor<?x?x?x?xf32>
      %D = tensor.dim %v, %c3 : tensor<?x?x?x?xf32>
      %t = tensor.empty(%B, %H, %M, %D) : tensor<?x?x?x?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%t : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, m, k)>,
                                            affine_map<(b, h, m, n, k) -> (b, h, k, n)>,
                                            affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
          ins(%p, %v : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%f : tensor<?x?x?x?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %1 = arith.mulf %x, %y : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?x?x?x?xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (h, n)>,
                                            affine_map<(b, h, m, n) -> (b, m, h, n)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%0, %bias : tensor<?x?x?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %2 = arith.addf %x, %y : f32
        linalg.yield %2 : f32
      } -> tensor<?x?x?x?xf32>
      return %1 : tensor<?x?x?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {1, 2})
    for (int64_t m : rows)
      for (int64_t d : {1, 8, 33}) {
        int64_t h = 3, s = 19;
        Tensor<float> p({b, h, m, s}), v({b, h, s, d}), bias({h, d}), out({b, m, h, d});
        random.fill(p), random.fill(v), random.fill(bias);
        kernel->run({p, v, bias, out});
        for (int64_t ib = 0; ib < b; ++ib)
          for (int64_t ih = 0; ih < h; ++ih)
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < d; ++j) {
                double sum = bias.at(ih, j);
                for (int64_t q = 0; q < s; ++q)
                  sum += double(p.at(ib, ih, i, q)) * v.at(ib, ih, q, j);
                ASSERT_NEAR(out.at(ib, i, ih, j), sum, 1e-5);
              }
      }
}

/// Rows of two dims, two reductions, and an output whose last dim is not n.
TEST_P(ContractionKernels, SeveralRowsAndReductions) {
  auto kernel = compile(R"(
    func.func private @k(%a: tensor<?x?x?x5xf32>, %b: tensor<?x5x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
        attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %B = tensor.dim %a, %c0 : tensor<?x?x?x5xf32>
      %M = tensor.dim %a, %c1 : tensor<?x?x?x5xf32>
      %N = tensor.dim %b, %c2 : tensor<?x5x?xf32>
      %t = tensor.empty(%B, %M, %N) : tensor<?x?x?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%t : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, h, k) -> (b, m, h, k)>,
                                            affine_map<(b, m, n, h, k) -> (h, k, n)>,
                                            affine_map<(b, m, n, h, k) -> (b, m, n)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
          ins(%a, %b : tensor<?x?x?x5xf32>, tensor<?x5x?xf32>) outs(%f : tensor<?x?x?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %1 = arith.mulf %x, %y : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?x?x?xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, n, m)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%0 : tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) {
      ^bb0(%x: f32, %s: f32):
        %2 = arith.negf %x : f32
        linalg.yield %2 : f32
      } -> tensor<?x?x?xf32>
      return %1 : tensor<?x?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {1, 3})
    for (int64_t m : rows)
      for (int64_t n : {0, 1, 3, 40, 65})
        for (int64_t h : {0, 1, 4}) {
          Tensor<float> a({b, m, h, 5}), w({h, 5, n}), out({b, n, m});
          random.fill(a), random.fill(w);
          kernel->run({a, w, out});
          for (int64_t ib = 0; ib < b; ++ib)
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (int64_t q = 0; q < h * 5; ++q)
                  sum += double(a[(ib * m + i) * h * 5 + q]) * w[q * n + j];
                ASSERT_NEAR(out.at(ib, j, i), -sum, 1e-5);
              }
        }
}

TEST_P(ContractionKernels, VectorOperands) {
  auto matrixVector = compile(R"(
    func.func private @k(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
        attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>,
                                            affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
          ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %1 = arith.mulf %x, %y : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  auto vectorMatrix = compile(R"(
    func.func private @k(%a: tensor<?xf32>, %b: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
        attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
                                            affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
          ins(%a, %b : tensor<?xf32>, tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %1 = arith.mulf %x, %y : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  ASSERT_TRUE(matrixVector && vectorMatrix);
  for (int64_t m : sizes)
    for (int64_t k : sizes) {
      Tensor<float> a({m, k}), t({k, m}), v({k}), out({m}), outT({m});
      random.fill(a), random.fill(v);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t p = 0; p < k; ++p)
          t.at(p, i) = a.at(i, p);
      matrixVector->run({a, v, out});
      vectorMatrix->run({v, t, outT});
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += double(a.at(i, p)) * v[p];
        ASSERT_NEAR(out[i], sum, 1e-5);
        ASSERT_NEAR(outT[i], sum, 1e-5);
      }
    }
}

/// Bytes into 32-bit sums: operands have casts.
TEST_P(ContractionKernels, WideningIntegers) {
  auto kernel = compile(R"(
    func.func private @k(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %o: tensor<?x?xi32>) -> tensor<?x?xi32>
        attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0 : i32
      %f = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?xi32>) -> tensor<?x?xi32>
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%f : tensor<?x?xi32>) {
      ^bb0(%x: i8, %y: i8, %s: i32):
        %1 = arith.extui %x : i8 to i32
        %2 = arith.extsi %y : i8 to i32
        %3 = arith.muli %1, %2 : i32
        %4 = arith.addi %s, %3 : i32
        linalg.yield %4 : i32
      } -> tensor<?x?xi32>
      return %0 : tensor<?x?xi32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : rows)
    for (int64_t n : sizes)
      for (int64_t k : {0, 1, 17}) {
        Tensor<uint8_t> a({m, k});
        Tensor<int8_t> b({k, n});
        Tensor<int32_t> out({m, n});
        for (int64_t i = 0; i < a.size(); ++i)
          a[i] = uint8_t(random.next() * 127 + 127);
        for (int64_t i = 0; i < b.size(); ++i)
          b[i] = int8_t(random.next() * 127);
        kernel->run({a, b, out});
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            int32_t sum = 0;
            for (int64_t p = 0; p < k; ++p)
              sum += int32_t(a.at(i, p)) * b.at(p, j);
            ASSERT_EQ(out.at(i, j), sum);
          }
      }
}

/// Convolution with stride 2: a sum of loops in the input's map.
TEST_P(ContractionKernels, Convolution) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x3x3xf32>, %bias: tensor<?xf32>, %o: tensor<?x?x?x?xf32>)
        -> tensor<?x?x?x?xf32> attributes {dyn.kernel = "contraction"} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %B = tensor.dim %o, %c0 : tensor<?x?x?x?xf32>
      %F = tensor.dim %o, %c1 : tensor<?x?x?x?xf32>
      %H = tensor.dim %o, %c2 : tensor<?x?x?x?xf32>
      %W = tensor.dim %o, %c3 : tensor<?x?x?x?xf32>
      %t = tensor.empty(%B, %F, %H, %W) : tensor<?x?x?x?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%t : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
      %0 = linalg.generic {
          indexing_maps = [affine_map<(b, f, h, w, c, i, j) -> (b, c, 2 * h + i, 2 * w + j)>,
                           affine_map<(b, f, h, w, c, i, j) -> (f, c, i, j)>,
                           affine_map<(b, f, h, w, c, i, j) -> (b, f, h, w)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x3x3xf32>) outs(%f : tensor<?x?x?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %1 = arith.mulf %a, %b : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?x?x?x?xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(b, f, h, w) -> (b, f, h, w)>, affine_map<(b, f, h, w) -> (f)>,
                                            affine_map<(b, f, h, w) -> (b, f, h, w)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%0, %bias : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %2 = arith.addf %a, %b : f32
        linalg.yield %2 : f32
      } -> tensor<?x?x?x?xf32>
      return %1 : tensor<?x?x?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 2})
    for (int64_t c : {0, 1, 3})
      for (int64_t f : {1, 5})
        for (int64_t h : {1, 2, 4})
          for (int64_t w : {1, 5, 16, 17}) {
            Tensor<float> x({b, c, 2 * h + 1, 2 * w + 1}), weight({f, c, 3, 3}), bias({f}), out({b, f, h, w});
            random.fill(x), random.fill(weight), random.fill(bias);
            kernel->run({x, weight, bias, out});
            for (int64_t ib = 0; ib < b; ++ib)
              for (int64_t jf = 0; jf < f; ++jf)
                for (int64_t y = 0; y < h; ++y)
                  for (int64_t z = 0; z < w; ++z) {
                    double sum = bias[jf];
                    for (int64_t ic = 0; ic < c; ++ic)
                      for (int64_t i = 0; i < 3; ++i)
                        for (int64_t j = 0; j < 3; ++j)
                          sum += double(x.at(ib, ic, 2 * y + i, 2 * z + j)) * weight.at(jf, ic, i, j);
                    ASSERT_NEAR(out.at(ib, jf, y, z), sum, 1e-5);
                  }
          }
}

INSTANTIATE_TEST_SUITE_P(VectorBits, ContractionKernels, testing::Values(128u, 256u, 512u));

} // namespace
