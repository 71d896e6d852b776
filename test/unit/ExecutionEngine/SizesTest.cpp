//===- What compiled programs say of sizes -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CompilerHarness.h"

using dyn::test::CompilerTest;

TEST_F(CompilerTest, RunsAtEverySizeThatItsChecksAllow) {
  compile(R"mlir(
    func.func @main(%x: tensor<?x4xf32> {dyn.dims = #dyn.dims<[2 * N, 4]>, dyn.name = "x"})
        -> (tensor<?x4xf32> {dyn.dims = #dyn.dims<[2 * N, 4]>, dyn.name = "y"})
        attributes {dyn.symbols = #dyn.symbols<N: [0, 100] from arg0[0]>} {
      %N = dyn_shape.sym "N" : index
      %rows = dyn_shape.apply 2 * N (N = %N) : index
      %size = dyn_shape.apply 8 * N (N = %N) : index
      dyn_shape.check N ne 7 (N = %N) because "sevens are unlucky"
      %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
      %e0 = tensor.empty(%size) : tensor<?xf32>
      %0 = dyn_shape.launch @twice ins(%flat : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      %e1 = tensor.empty(%size) : tensor<?xf32>
      %1 = dyn_shape.launch @twice ins(%0 : tensor<?xf32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
      %w = dyn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%rows, 4] : tensor<?xf32> into tensor<?x4xf32>
      %e2 = tensor.empty(%rows) : tensor<?x4xf32>
      %3 = dyn_shape.launch @sum ins(%2, %w : tensor<?x4xf32>, tensor<4xf32>) outs(%e2 : tensor<?x4xf32>)
          -> tensor<?x4xf32>
      return %3 : tensor<?x4xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  for (int64_t n : {0, 1, 3, 50}) {
    ASSERT_EQ(check({2 * n, 4}), 0) << getFailure();
    EXPECT_EQ(symbols[0], n);
    EXPECT_EQ(outputDims[0], 2 * n);
    EXPECT_EQ(outputDims[1], 4);
    // Each launch writes over what the one before has written, and that is the caller's buffer from the start.
    EXPECT_EQ(arenaBytes, 0u);
    std::vector<float> x(8 * n), y(8 * n, -1);
    for (int64_t index = 0; index < 8 * n; ++index)
      x[index] = index;
    ASSERT_EQ(run({x.data()}, {y.data()}), 0);
    for (int64_t index = 0; index < 8 * n; ++index)
      EXPECT_EQ(y[index], 4 * index + 1 + index % 4);
  }
}

TEST_F(CompilerTest, NamesTheCheckThatFailsAndItsValues) {
  compile(R"mlir(
    func.func @main(%x: tensor<?x?xf32> {dyn.dims = #dyn.dims<[2 * N + M, M]>},
                    %u: tensor<?xf32> {dyn.dims = #dyn.dims<[N]>, dyn.name = "u"},
                    %v: tensor<?x4xf32> {dyn.dims = #dyn.dims<[M * N, 4]>})
        -> (tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
        attributes {dyn.symbols = #dyn.symbols<N: [1, 100] mod 2 rem 1 ne {5} from arg1[0], M: [0, ?] from arg0[1]>,
                    dyn.constraints = #dyn.constraints<"N + M <= 150">} {
      %N = dyn_shape.sym "N" : index
      %M = dyn_shape.sym "M" : index
      dyn_shape.check N floordiv M >= 1 or M == 60 (N = %N, M = %M) because "windows"
      %e0 = tensor.empty(%N) : tensor<?xf32>
      %0 = dyn_shape.launch @twice ins(%u : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  auto checkSizes = [&](int64_t n, int64_t m) { return check({2 * n + m, m, n, m * n, 4}) ? getFailure() : "fine"; };
  EXPECT_EQ(checkSizes(7, 3), "fine");
  EXPECT_EQ(checkSizes(7, 60), "fine");
  EXPECT_EQ(checkSizes(0, 3), "range: N in 1..100 | 0");
  EXPECT_EQ(checkSizes(101, 3), "range: N in 1..100 | 101");
  EXPECT_EQ(checkSizes(8, 3), "range: N mod 2 == 1 | 8");
  EXPECT_EQ(checkSizes(5, 3), "range: N != 5 | 5");
  EXPECT_EQ(checkSizes(7, -1), "range: M >= 0 | -1");
  EXPECT_EQ(checkSizes(99, 60).substr(0, 11), "constraint:");
  EXPECT_EQ(error.values[0], 99);
  EXPECT_EQ(error.values[1], 60);
  // M == 0: the quotient has no value, and the guard's other half does not hold.
  EXPECT_EQ(checkSizes(7, 0).substr(0, 5), "size:");
  EXPECT_EQ(checkSizes(7, 8).substr(0, 6), "guard:");
  ASSERT_EQ(check({18, 3, 7, 21, 4}), 1);
  EXPECT_EQ(getFailure().substr(0, 10), "input_dim:");
  EXPECT_EQ(std::vector<int64_t>(error.values, error.values + error.numValues), (std::vector<int64_t>{18, 17, 7, 3}));
  ASSERT_EQ(check({17, 3, 7, 21, 5}), 1);
  EXPECT_EQ(getFailure(), "input_dim: 4 | 5, 4");
}

TEST_F(CompilerTest, SolvesForSymbolsAndRefusesWhatIsNotExact) {
  compile(R"mlir(
    func.func @main(%x: tensor<?x?xf32> {dyn.dims = #dyn.dims<[4 * H, S + H]>})
        -> (tensor<?xf32> {dyn.dims = #dyn.dims<[S]>, dyn.name = "y"})
        attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[1], H: [0, ?] from arg0[0]>} {
      %S = dyn_shape.sym "S" : index
      %e0 = tensor.empty(%S) : tensor<?xf32>
      return %e0 : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  ASSERT_EQ(check({8, 7}), 0) << getFailure();
  EXPECT_EQ(symbols[0], 5);
  EXPECT_EQ(symbols[1], 2);
  EXPECT_EQ(check({9, 7}), 1);
  EXPECT_EQ(getFailure(), "input_dim: 4 * H | 9, 8, 2");
  EXPECT_EQ(check({8, 1}), 1);
  EXPECT_EQ(getFailure(), "range: S >= 0 | -1");
}

TEST_F(CompilerTest, RefusesSizesThatNeedMoreThan64Bits) {
  compile(R"mlir(
    func.func @main(%x: tensor<?xf32> {dyn.dims = #dyn.dims<[N]>}) -> (tensor<?xf64> {dyn.dims = #dyn.dims<[N]>})
        attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
      %N = dyn_shape.sym "N" : index
      %big = dyn_shape.apply N * N (N = %N) : index
      %e0 = tensor.empty(%big) : tensor<?xf32>
      %0 = dyn_shape.launch @twice ins(%x : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      %e1 = tensor.empty(%N) : tensor<?xf64>
      %1 = dyn_shape.launch @widen ins(%0 : tensor<?xf32>) outs(%e1 : tensor<?xf64>) -> tensor<?xf64>
      return %1 : tensor<?xf64>
    })mlir");
  ASSERT_TRUE(artefact);
  EXPECT_EQ(check({1 << 20}), 0);
  // N * N fits, but not the bytes; then not even N * N.
  for (int64_t n : {int64_t(1) << 31, int64_t(1) << 40, INT64_MAX}) {
    ASSERT_EQ(check({n}), 1);
    EXPECT_EQ(getFailure().substr(0, 5), "size:");
    EXPECT_EQ(error.values[0], n);
  }
}

TEST_F(CompilerTest, OfATensorWithoutElementsTheOtherDimsMayBeOfAnySize) {
  compile(R"mlir(
    func.func @main(%x: tensor<?x?x?xi8> {dyn.dims = #dyn.dims<[A, B, C]>})
        -> (tensor<?x?x?xf32> {dyn.dims = #dyn.dims<[A, B, C]>})
        attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], B: [0, ?] from arg0[1], C: [0, ?] from arg0[2]>} {
      %A = dyn_shape.sym "A" : index
      %B = dyn_shape.sym "B" : index
      %C = dyn_shape.sym "C" : index
      %e0 = tensor.empty(%A, %B, %C) : tensor<?x?x?xf32>
      return %e0 : tensor<?x?x?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  int64_t large = int64_t(1) << 62;
  for (std::vector<int64_t> dims : {std::vector{large, large, int64_t(0)}, {0, large, large}, {large, 0, large}}) {
    EXPECT_EQ(check(dims), 0) << getFailure();
    EXPECT_EQ(std::vector<int64_t>(outputDims, outputDims + 3), dims);
  }
  ASSERT_EQ(check({large, large, 1}), 1);
  EXPECT_EQ(getFailure().substr(0, 5), "size:");
}

TEST_F(CompilerTest, APlanThatIsNotTakenMayOverflow) {
  from = dyn::Phase::Buffers;
  compile(R"mlir(
    func.func @main(%x: memref<?xf32> {dyn.dims = #dyn.dims<[N]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[N]>, dyn.output})
        attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
      %N = dyn_shape.sym "N" : index
      %bytes, %place = dyn_shape.plan ["N"](%N) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[N]>,
          live = #dyn.dims<[N]>, offsets = [#dyn.dims<[0]>, #dyn.dims<[1]>],
          predicates = [#dyn.pred<"true">, #dyn.pred<"N >= 1">], sizes = #dyn.dims<[8 * N, N * N * N + 1]>} : index
      %arena = dyn_shape.arena %bytes : memref<?xi8>
      %t = memref.view %arena[%place][%N] : memref<?xi8> to memref<?xf32>
      dyn_shape.launch @twice ins(%x : memref<?xf32>) outs(%t : memref<?xf32>)
      dyn_shape.launch @twice ins(%t : memref<?xf32>) outs(%y : memref<?xf32>)
      return
    })mlir");
  ASSERT_TRUE(artefact);
  for (auto [n, lines] : {std::pair<int64_t, int64_t>{0, 0}, {1, 2}, {2, 9}, {100, 800}}) {
    ASSERT_EQ(check({n}), 0) << getFailure();
    EXPECT_EQ(arenaBytes, 64 * lines) << n;
    std::vector<float> x(n, 1.0f), y(n);
    ASSERT_EQ(run({x.data()}, {y.data()}), 0);
    EXPECT_EQ(y, std::vector<float>(n, 4.0f));
  }
  // N * N * N is 0 in 64 bits, or negative.
  for (int64_t n : {int64_t(1) << 22, int64_t(1) << 21, (int64_t(1) << 21) + 1}) {
    ASSERT_EQ(check({n}), 0) << getFailure();
    EXPECT_EQ(arenaBytes, 64 * 8 * n);
  }
}

TEST_F(CompilerTest, ReadsSymbolsFromElements) {
  compile(R"mlir(
    func.func @main(%k: tensor<2xi64> {dyn.name = "k"}) -> (tensor<?xf32> {dyn.dims = #dyn.dims<[K]>})
        attributes {dyn.symbols = #dyn.symbols<K: [0, 9] from arg0{1}>} {
      %K = dyn_shape.sym "K" : index
      %e0 = tensor.empty(%K) : tensor<?xf32>
      return %e0 : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  EXPECT_EQ(check({2}), 1);
  EXPECT_EQ(getFailure(), "input_data: ");
  int64_t dims[] = {2}, data[] = {100, 8};
  const void *inputs[] = {data};
  ASSERT_EQ(artefact->check(dims, inputs, symbols, outputDims, nullptr, &error), 0) << getFailure();
  EXPECT_EQ(outputDims[0], 8);
  data[1] = 10;
  ASSERT_EQ(artefact->check(dims, inputs, symbols, nullptr, nullptr, &error), 1);
  EXPECT_EQ(getFailure(), "range: K in 0..9 | 10");
}
