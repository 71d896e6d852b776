//===- Concatenations and sequential kernels against plain loops ----------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "gtest/gtest.h"

using namespace dyn::test;

namespace {

class SequentialKernels : public testing::TestWithParam<unsigned> {
protected:
  std::unique_ptr<CompiledKernel> compile(const char *source) {
    std::string errors;
    auto kernel = CompiledKernel::compile(source, GetParam(), errors);
    EXPECT_TRUE(kernel) << errors;
    return kernel;
  }
  Random random;
};

/// Past keys and new keys along the middle dim.
TEST_P(SequentialKernels, Concatenation) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
        attributes {dyn.kernel = "concat"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %B = tensor.dim %x, %c0 : tensor<?x?x?xf32>
      %P = tensor.dim %x, %c1 : tensor<?x?x?xf32>
      %S = tensor.dim %y, %c1 : tensor<?x?x?xf32>
      %D = tensor.dim %x, %c2 : tensor<?x?x?xf32>
      %0 = tensor.insert_slice %x into %o[0, 0, 0] [%B, %P, %D] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32>
      %1 = tensor.insert_slice %y into %0[0, %P, 0] [%B, %S, %D] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32>
      return %1 : tensor<?x?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 3})
    for (int64_t p : sizes)
      for (int64_t s : sizes)
        for (int64_t d : {0, 1, 5, 16, 300}) {
          Tensor<float> x({b, p, d}), y({b, s, d}), out({b, p + s, d});
          random.fill(x), random.fill(y);
          EXPECT_EQ(kernel->count({x, y, out}) == 0, out.size() == 0);
          kernel->run({x, y, out});
          for (int64_t i = 0; i < b; ++i)
            for (int64_t j = 0; j < p + s; ++j)
              for (int64_t k = 0; k < d; ++k)
                ASSERT_EQ(out.at(i, j, k), j < p ? x.at(i, j, k) : y.at(i, j - p, k));
        }
}

/// Pieces that are computed where they belong: one transposed, one not, and an input between them.
TEST_P(SequentialKernels, ConcatenationOfComputedPieces) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>, %z: tensor<?x?x?xf32>, %B: index, %P: index,
                         %S: index, %T: index, %D: index, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
        attributes {dyn.kernel = "concat"} {
      %ex = tensor.empty(%B, %P, %D) : tensor<?x?x?xf32>
      %xt = linalg.generic {indexing_maps = [affine_map<(b, p, d) -> (b, d, p)>, affine_map<(b, p, d) -> (b, p, d)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x : tensor<?x?x?xf32>) outs(%ex : tensor<?x?x?xf32>) {
      ^bb0(%a: f32, %out: f32):
        linalg.yield %a : f32
      } -> tensor<?x?x?xf32>
      %0 = tensor.insert_slice %xt into %o[0, 0, 0] [%B, %P, %D] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32>
      %1 = tensor.insert_slice %y into %0[0, %P, 0] [%B, %S, %D] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32>
      %ez = tensor.empty(%B, %T, %D) : tensor<?x?x?xf32>
      %zn = linalg.generic {indexing_maps = [affine_map<(b, p, d) -> (b, p, d)>, affine_map<(b, p, d) -> (b, p, d)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%z : tensor<?x?x?xf32>) outs(%ez : tensor<?x?x?xf32>) {
      ^bb0(%a: f32, %out: f32):
        %n = arith.negf %a : f32
        linalg.yield %n : f32
      } -> tensor<?x?x?xf32>
      %PS = arith.addi %P, %S : index
      %2 = tensor.insert_slice %zn into %1[0, %PS, 0] [%B, %T, %D] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32>
      return %2 : tensor<?x?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 3})
    for (int64_t p : {0, 1, 7, 33})
      for (int64_t s : {0, 1, 5})
        for (int64_t t : {0, 1, 19, 70})
          for (int64_t d : {0, 1, 5, 16, 300}) {
            Tensor<float> x({b, d, p}), y({b, s, d}), z({b, t, d}), out({b, p + s + t, d});
            random.fill(x), random.fill(y), random.fill(z);
            EXPECT_EQ(kernel->count({x, y, z, b, p, s, t, d, out}) == 0, out.size() == 0);
            kernel->run({x, y, z, b, p, s, t, d, out});
            for (int64_t i = 0; i < b; ++i)
              for (int64_t j = 0; j < p + s + t; ++j)
                for (int64_t k = 0; k < d; ++k)
                  ASSERT_EQ(out.at(i, j, k), j < p       ? x.at(i, k, j)
                                             : j < p + s ? y.at(i, j - p, k)
                                                         : -z.at(i, j - p - s, k));
          }
}

/// Along the last dim, rows of the pieces are no neighbours in the whole.
TEST_P(SequentialKernels, ConcatenationOfComputedColumns) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x4x?xf32>, %y: tensor<?x4x3xf32>, %B: index, %P: index, %o: tensor<?x4x?xf32>)
        -> tensor<?x4x?xf32> attributes {dyn.kernel = "concat"} {
      %ex = tensor.empty(%B, %P) : tensor<?x4x?xf32>
      %xn = linalg.generic {indexing_maps = [affine_map<(b, m, p) -> (b, m, p)>, affine_map<(b, m, p) -> (b, m, p)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x : tensor<?x4x?xf32>) outs(%ex : tensor<?x4x?xf32>) {
      ^bb0(%a: f32, %out: f32):
        %n = arith.negf %a : f32
        linalg.yield %n : f32
      } -> tensor<?x4x?xf32>
      %0 = tensor.insert_slice %xn into %o[0, 0, 0] [%B, 4, %P] [1, 1, 1] : tensor<?x4x?xf32> into tensor<?x4x?xf32>
      %ey = tensor.empty(%B) : tensor<?x4x3xf32>
      %yn = linalg.generic {indexing_maps = [affine_map<(b, m, p) -> (b, m, p)>, affine_map<(b, m, p) -> (b, m, p)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%y : tensor<?x4x3xf32>) outs(%ey : tensor<?x4x3xf32>) {
      ^bb0(%a: f32, %out: f32):
        linalg.yield %a : f32
      } -> tensor<?x4x3xf32>
      %1 = tensor.insert_slice %yn into %0[0, 0, %P] [%B, 4, 3] [1, 1, 1] : tensor<?x4x3xf32> into tensor<?x4x?xf32>
      return %1 : tensor<?x4x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 2, 5})
    for (int64_t p = 0; p <= 70; ++p) {
      Tensor<float> x({b, 4, p}), y({b, 4, 3}), out({b, 4, p + 3});
      random.fill(x), random.fill(y);
      kernel->run({x, y, b, p, out});
      for (int64_t i = 0; i < b; ++i)
        for (int64_t j = 0; j < 4; ++j)
          for (int64_t k = 0; k < p + 3; ++k)
            ASSERT_EQ(out.at(i, j, k), k < p ? -x.at(i, j, k) : y.at(i, j, k - p));
    }
}

TEST_P(SequentialKernels, RunningSum) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?xi64>, %o: tensor<?x?xi64>) -> tensor<?x?xi64>
        attributes {dyn.kernel = "sequential"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i64
      %m = tensor.dim %x, %c0 : tensor<?x?xi64>
      %n = tensor.dim %x, %c1 : tensor<?x?xi64>
      %0 = scf.for %i = %c0 to %m step %c1 iter_args(%t = %o) -> tensor<?x?xi64> {
        %1:2 = scf.for %j = %c0 to %n step %c1 iter_args(%u = %t, %s = %zero) -> (tensor<?x?xi64>, i64) {
          %a = tensor.extract %x[%i, %j] : tensor<?x?xi64>
          %sum = arith.addi %s, %a : i64
          %v = tensor.insert %sum into %u[%i, %j] : tensor<?x?xi64>
          scf.yield %v, %sum : tensor<?x?xi64>, i64
        }
        scf.yield %1#0 : tensor<?x?xi64>
      }
      return %0 : tensor<?x?xi64>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : {0, 1, 3})
    for (int64_t n : sizes) {
      Tensor<int64_t> x({m, n}), out({m, n});
      for (int64_t i = 0; i < x.size(); ++i)
        x[i] = int64_t(random.next() * 100);
      EXPECT_EQ(kernel->count({x, out}), m * n ? 1 : 0);
      kernel->run({x, out});
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0, sum = 0; j < n; ++j)
          ASSERT_EQ(out.at(i, j), sum += x.at(i, j));
    }
}

/// A copy, then stores at places that data names.
TEST_P(SequentialKernels, Scatter) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?xf32>, %ids: tensor<?xi64>, %new: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
        attributes {dyn.kernel = "sequential"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %m = tensor.dim %ids, %c0 : tensor<?xi64>
      %copy = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                              iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
      ^bb0(%a: f32, %out: f32):
        linalg.yield %a : f32
      } -> tensor<?xf32>
      %0 = scf.for %i = %c0 to %m step %c1 iter_args(%t = %copy) -> tensor<?xf32> {
        %id = tensor.extract %ids[%i] : tensor<?xi64>
        %j = arith.index_cast %id : i64 to index
        %b = dyn_shape.bound %j below %n from_end guard 1 : index
        %a = tensor.extract %new[%i] : tensor<?xf32>
        %old = tensor.extract %t[%b] : tensor<?xf32>
        %sum = arith.addf %old, %a : f32
        %positive = arith.cmpf ogt, %a, %old : f32
        %u = scf.if %positive -> tensor<?xf32> {
          %v = tensor.insert %sum into %t[%b] : tensor<?xf32>
          scf.yield %v : tensor<?xf32>
        } else {
          scf.yield %t : tensor<?xf32>
        }
        scf.yield %u : tensor<?xf32>
      }
      return %0 : tensor<?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t n : {1, 2, 33})
    for (int64_t m : sizes) {
      Tensor<float> x({n}), values({m}), out({n});
      Tensor<int64_t> ids({m});
      random.fill(x), random.fill(values);
      for (int64_t i = 0; i < m; ++i)
        ids[i] = i * 3 % (2 * n) - n;
      EXPECT_EQ(kernel->run({x, ids, values, out}).errorState, 0);
      std::vector<float> expected(x.data(), x.data() + n);
      for (int64_t i = 0; i < m; ++i) {
        float &place = expected[ids[i] < 0 ? ids[i] + n : ids[i]];
        place = values[i] > place ? place + values[i] : place;
      }
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(out[i], expected[i]);
      if (m == 0)
        continue;
      ids[0] = n;
      EXPECT_EQ(kernel->run({x, ids, values, out}).error.guard, 1);
    }
}

INSTANTIATE_TEST_SUITE_P(VectorBits, SequentialKernels, testing::Values(256u, 512u));

} // namespace
