//===- Pointwise kernels against plain loops ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace dyn::test;

namespace {

class PointwiseKernels : public testing::TestWithParam<unsigned> {
protected:
  std::unique_ptr<CompiledKernel> compile(const char *source) {
    std::string errors;
    auto kernel = CompiledKernel::compile(source, GetParam(), errors);
    EXPECT_TRUE(kernel) << errors;
    return kernel;
  }
  Random random;
};

TEST_P(PointwiseKernels, SumOfBroadcastOperands) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?xf32>, %bias: tensor<?xf32>, %s: tensor<?x1xf32>, %o: tensor<?x?xf32>)
        -> tensor<?x?xf32> attributes {dyn.kernel = "pointwise"} {
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                            affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %bias, %s : tensor<?x?xf32>, tensor<?xf32>, tensor<?x1xf32>) outs(%o : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
        %1 = arith.addf %a, %b : f32
        %2 = arith.mulf %1, %c : f32
        linalg.yield %2 : f32
      } -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<float> x({m, n}), bias({n}), scale({m, 1}), out({m, n});
      random.fill(x), random.fill(bias), random.fill(scale);
      EXPECT_EQ(kernel->count({x, bias, scale, out}) == 0, m * n == 0);
      kernel->run({x, bias, scale, out});
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(out.at(i, j), (x.at(i, j) + bias[j]) * scale[i]) << m << "x" << n << " at " << i << "," << j;
      EXPECT_TRUE(out.memory->isIntact());
    }
}

TEST_P(PointwiseKernels, EqualOperandsRunAsOneLoop) {
  auto kernel = compile(R"(
    #id = affine_map<(i, j, k) -> (i, j, k)>
    func.func private @k(%x: tensor<?x?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
        attributes {dyn.kernel = "pointwise"} {
      %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x : tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) {
      ^bb0(%a: f32, %out: f32):
        %1 = arith.negf %a : f32
        linalg.yield %1 : f32
      } -> tensor<?x?x?xf32>
      return %0 : tensor<?x?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  Tensor<float> x({100, 41, 3}), out({100, 41, 3});
  random.fill(x);
  // Blocks of 4096 elements.
  EXPECT_EQ(kernel->count({x, out}), 4);
  EXPECT_GT(kernel->grain({x, out}), 1);
  kernel->run({x, out});
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(out[i], -x[i]);
}

TEST_P(PointwiseKernels, TransposeAndSeveralOutputs) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %p: tensor<?x?xi1>)
        -> (tensor<?x?xf32>, tensor<?x?xi1>) attributes {dyn.kernel = "pointwise"} {
      %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>,
                                              affine_map<(i, j) -> (j, i)>],
                             iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%o, %p : tensor<?x?xf32>, tensor<?x?xi1>) {
      ^bb0(%a: f32, %out: f32, %sign: i1):
        %zero = arith.constant 0.0 : f32
        %1 = arith.cmpf olt, %a, %zero : f32
        linalg.yield %a, %1 : f32, i1
      } -> (tensor<?x?xf32>, tensor<?x?xi1>)
      return %0#0, %0#1 : tensor<?x?xf32>, tensor<?x?xi1>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<float> x({n, m}), out({m, n});
      Tensor<uint8_t> sign({n, m});
      random.fill(x);
      kernel->run({x, out, sign});
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          ASSERT_EQ(out.at(i, j), x.at(j, i)) << m << "x" << n;
          ASSERT_EQ(sign.at(j, i), x.at(j, i) < 0) << m << "x" << n;
        }
    }
}

TEST_P(PointwiseKernels, BoolsAndIntegerDivision) {
  auto kernel = compile(R"(
    #id = affine_map<(i) -> (i)>
    func.func private @k(%c: tensor<?xi1>, %x: tensor<?xi32>, %y: tensor<?xi32>, %o: tensor<?xi64>) -> tensor<?xi64>
        attributes {dyn.kernel = "pointwise"} {
      %0 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
          ins(%c, %x, %y : tensor<?xi1>, tensor<?xi32>, tensor<?xi32>) outs(%o : tensor<?xi64>) {
      ^bb0(%p: i1, %a: i32, %b: i32, %out: i64):
        %1 = arith.divsi %a, %b : i32
        %2 = arith.select %p, %1, %b : i32
        %3 = arith.extsi %2 : i32 to i64
        linalg.yield %3 : i64
      } -> tensor<?xi64>
      return %0 : tensor<?xi64>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t n : sizes) {
    Tensor<uint8_t> c({n});
    Tensor<int32_t> x({n}), y({n});
    Tensor<int64_t> out({n});
    for (int64_t i = 0; i < n; ++i)
      c[i] = i % 3 != 0, x[i] = int32_t(random.next() * 1000), y[i] = i % 7 - 3;
    if (n > 16)
      x[16] = INT32_MIN, y[16] = -1;
    kernel->run({c, x, y, out});
    for (int64_t i = 0; i < n; ++i) {
      bool traps = y[i] == 0 || (y[i] == -1 && x[i] == INT32_MIN);
      int64_t expected = !c[i] ? y[i] : traps ? x[i] : x[i] / y[i];
      ASSERT_EQ(out[i], expected) << n << " at " << i;
    }
  }
}

TEST_P(PointwiseKernels, IndexArithmetic) {
  auto kernel = compile(R"(
    func.func private @k(%start: index, %o: tensor<?x?xi64>) -> tensor<?x?xi64> attributes {dyn.kernel = "pointwise"} {
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%o : tensor<?x?xi64>) {
      ^bb0(%out: i64):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %c3 = arith.constant 3 : index
        %1 = arith.muli %j, %c3 : index
        %2 = arith.subi %1, %i : index
        %3 = arith.addi %2, %start : index
        %4 = arith.index_cast %3 : index to i64
        linalg.yield %4 : i64
      } -> tensor<?x?xi64>
      return %0 : tensor<?x?xi64>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<int64_t> out({m, n});
      kernel->run({11, out});
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(out.at(i, j), 3 * j - i + 11);
    }
}

/// Rows of a table, named by data.
TEST_P(PointwiseKernels, GatherOfRowsAndItsErrors) {
  auto kernel = compile(R"(
    func.func private @k(%table: tensor<?x48xf32>, %ids: tensor<?xi64>, %rows: index, %o: tensor<?x48xf32>)
        -> tensor<?x48xf32> attributes {dyn.kernel = "pointwise"} {
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%ids : tensor<?xi64>) outs(%o : tensor<?x48xf32>) {
      ^bb0(%id: i64, %out: f32):
        %i = arith.index_cast %id : i64 to index
        %b = dyn_shape.bound %i below %rows from_end guard 5 : index
        %j = linalg.index 1 : index
        %v = tensor.extract %table[%b, %j] : tensor<?x48xf32>
        linalg.yield %v : f32
      } -> tensor<?x48xf32>
      return %0 : tensor<?x48xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t rows : {1, 2, 31})
    for (int64_t n : sizes) {
      Tensor<float> table({rows, 48}), out({n, 48});
      Tensor<int64_t> ids({n});
      random.fill(table);
      for (int64_t i = 0; i < n; ++i)
        ids[i] = (i * 7) % (2 * rows) - rows;
      DynRunContext context = kernel->run({table, ids, rows, out});
      EXPECT_EQ(context.errorState, 0);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < 48; ++j)
          ASSERT_EQ(out.at(i, j), table.at(ids[i] < 0 ? ids[i] + rows : ids[i], j));
      if (n < 3)
        continue;
      ids[2] = rows + 9;
      context = kernel->run({table, ids, rows, out});
      EXPECT_EQ(context.errorState, 1);
      EXPECT_EQ(context.error.guard, 5);
      EXPECT_EQ(context.error.numValues, 2);
      EXPECT_EQ(context.error.values[0], rows + 9);
      EXPECT_EQ(context.error.values[1], rows);
    }
}

/// An index in each lane.
TEST_P(PointwiseKernels, GatherOfElementsAndItsErrors) {
  auto kernel = compile(R"(
    func.func private @k(%table: tensor<?xf32>, %ids: tensor<?xi32>, %o: tensor<?xf32>) -> tensor<?xf32>
        attributes {dyn.kernel = "pointwise"} {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %table, %c0 : tensor<?xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]} ins(%ids : tensor<?xi32>) outs(%o : tensor<?xf32>) {
      ^bb0(%id: i32, %out: f32):
        %i = arith.index_cast %id : i32 to index
        %b = dyn_shape.bound %i below %n guard 2 : index
        %v = tensor.extract %table[%b] : tensor<?xf32>
        linalg.yield %v : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t n : sizes) {
    Tensor<float> table({13}), out({n});
    Tensor<int32_t> ids({n});
    random.fill(table);
    for (int64_t i = 0; i < n; ++i)
      ids[i] = i * 5 % 13;
    EXPECT_EQ(kernel->run({table, ids, out}).errorState, 0);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(out[i], table[ids[i]]);
    if (n < 2)
      continue;
    ids[n - 1] = -1;
    DynRunContext context = kernel->run({table, ids, out});
    EXPECT_EQ(context.errorState, 1);
    EXPECT_EQ(context.error.guard, 2);
    EXPECT_EQ(context.error.values[0], -1);
    EXPECT_EQ(context.error.values[1], 13);
  }
}

/// A size that may be 1: the index is multiplied by 0 or 1.
TEST_P(PointwiseKernels, UndecidedBroadcast) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?xf32>, %y: tensor<?xf32>, %f: index, %o: tensor<?xf32>) -> tensor<?xf32>
        attributes {dyn.kernel = "pointwise"} {
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
      ^bb0(%a: f32, %out: f32):
        %i = linalg.index 0 : index
        %j = arith.muli %i, %f : index
        %b = tensor.extract %y[%j] : tensor<?xf32>
        %1 = arith.addf %a, %b : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t n : sizes)
    for (int64_t factor : {0, 1}) {
      Tensor<float> x({n}), y({factor ? n : 1}), out({n});
      random.fill(x), random.fill(y);
      kernel->run({x, y, factor, out});
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(out[i], x[i] + y[i * factor]);
    }
}

/// Reads that are only allowed inside: in each lane, for all lanes, and at one address for some lanes.
TEST_P(PointwiseKernels, PaddingReadsNothingOutside) {
  auto kernel = compile(R"(
    func.func private @k(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
        attributes {dyn.kernel = "pointwise"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %n = tensor.dim %x, %c1 : tensor<?x?xf32>
      %pad = arith.constant 9.0 : f32
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%o : tensor<?x?xf32>) {
      ^bb0(%out: f32):
        %c2 = arith.constant 2 : index
        %d0 = linalg.index 0 : index
        %d1 = linalg.index 1 : index
        %i = arith.subi %d0, %c1 : index
        %j = arith.subi %d1, %c2 : index
        %p = arith.cmpi ult, %i, %m : index
        %q = arith.cmpi ult, %j, %n : index
        %pq = arith.andi %p, %q : i1
        %v = scf.if %pq -> (f32) {
          %a = tensor.extract %x[%i, %j] : tensor<?x?xf32>
          %b = tensor.extract %y[%i] : tensor<?xf32>
          %ab = arith.addf %a, %b : f32
          scf.yield %ab : f32
        } else {
          scf.yield %pad : f32
        }
        %w = scf.if %p -> (f32) {
          %b = tensor.extract %y[%i] : tensor<?xf32>
          %vb = arith.subf %v, %b : f32
          scf.yield %vb : f32
        } else {
          scf.yield %v : f32
        }
        linalg.yield %w : f32
      } -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t m : sizes)
    for (int64_t n : sizes) {
      Tensor<float> x({m, n}), y({m}), out({m + 2, n + 3});
      for (int64_t i = 0; i < m; ++i)
        y[i] = float(i % 5);
      for (int64_t i = 0; i < x.size(); ++i)
        x[i] = float(i % 17);
      kernel->run({x, y, out});
      for (int64_t i = 0; i < m + 2; ++i)
        for (int64_t j = 0; j < n + 3; ++j) {
          bool isRow = i >= 1 && i < m + 1, isInside = isRow && j >= 2 && j < n + 2;
          float expected = isInside ? x.at(i - 1, j - 2) : isRow ? 9 - y[i - 1] : 9;
          ASSERT_EQ(out.at(i, j), expected) << m << "x" << n << " at " << i << "," << j;
        }
    }
}

TEST_P(PointwiseKernels, HalfPrecision) {
  auto kernel = compile(R"(
    #id = affine_map<(i) -> (i)>
    func.func private @k(%x: tensor<?xf16>, %y: tensor<?xbf16>, %o: tensor<?xf32>, %p: tensor<?xbf16>)
        -> (tensor<?xf32>, tensor<?xbf16>) attributes {dyn.kernel = "pointwise"} {
      %0:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
          ins(%x, %y : tensor<?xf16>, tensor<?xbf16>) outs(%o, %p : tensor<?xf32>, tensor<?xbf16>) {
      ^bb0(%a: f16, %b: bf16, %o0: f32, %o1: bf16):
        %1 = arith.addf %a, %a : f16
        %2 = arith.extf %1 : f16 to f32
        %3 = arith.mulf %b, %b : bf16
        linalg.yield %2, %3 : f32, bf16
      } -> (tensor<?xf32>, tensor<?xbf16>)
      return %0#0, %0#1 : tensor<?xf32>, tensor<?xbf16>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t n : sizes) {
    Tensor<uint16_t> x({n}), y({n}), p({n});
    Tensor<float> out({n});
    for (int64_t i = 0; i < n; ++i)
      x[i] = 0x3C00, y[i] = 0x4040; // 1.0, 3.0
    kernel->run({x, y, out, p});
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(out[i], 2.0f);
      ASSERT_EQ(p[i], 0x4110); // 9.0
    }
  }
}

INSTANTIATE_TEST_SUITE_P(VectorBits, PointwiseKernels, testing::Values(128u, 256u, 512u));

} // namespace
