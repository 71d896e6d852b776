//===- Contractions -------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Interpreter/Operations/MatrixProduct.h"
#include "Harness.h"
#include "gtest/gtest.h"
#include <random>

using dyn::test::evaluate;

TEST(MatMul, VectorsArePromoted) {
  const char *vector = "dense<[1, 2]> : tensor<2xi64>", *matrix = "dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>";
  EXPECT_EQ(evaluate("dyn.matmul %a, %b", {vector, vector}, "tensor<*xi64>"), "dense<5> : tensor<i64>");
  EXPECT_EQ(evaluate("dyn.matmul %a, %b", {vector, matrix}, "tensor<*xi64>"), "dense<[7, 10]> : tensor<2xi64>");
  EXPECT_EQ(evaluate("dyn.matmul %a, %b", {matrix, vector}, "tensor<*xi64>"), "dense<[5, 11]> : tensor<2xi64>");
}

TEST(MatMul, LeadingDimsBroadcast) {
  EXPECT_EQ(
      evaluate("dyn.matmul %a, %b",
               {"dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>", "dense<[[1.0], [10.0]]> : tensor<2x1xf32>"},
               "tensor<*xf32>"),
      "dense<[[[2.100000e+01]], [[4.300000e+01]]]> : tensor<2x1x1xf32>");
}

TEST(MatMul, AnEmptySumIsZero) {
  EXPECT_EQ(
      evaluate("dyn.matmul %a, %b", {"dense<1.0> : tensor<2x0xf32>", "dense<1.0> : tensor<0x2xf32>"}, "tensor<*xf32>"),
      "dense<0.000000e+00> : tensor<2x2xf32>");
}

TEST(MatMul, AnEmptyBatchIsEmpty) {
  EXPECT_EQ(evaluate("dyn.matmul %a, %b", {"dense<1.0> : tensor<0x2x3xf32>", "dense<1.0> : tensor<3x2xf32>"},
                     "tensor<*xf32>"),
            "dense<> : tensor<0x2x2xf32>");
}

TEST(MatMul, ContractedDimsThatDifferAreNamed) {
  EXPECT_EQ(
      evaluate("dyn.matmul %a, %b", {"dense<1.0> : tensor<2x3xf32>", "dense<1.0> : tensor<4x2xf32>"}, "tensor<*xf32>"),
      "error: 'dyn.matmul' op (2) the contracted dims are 3 of operand 0 and 4 of operand 1; their dims are [2, 3] "
      "and [4, 2]");
}

TEST(MatMul, HalfPrecisionRoundsOnce) {
  // 2048 + 1 + 1: each sum rounded to f16 would stay 2048.
  EXPECT_EQ(evaluate("dyn.matmul %a, %b", {"dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>", "dense<1.0> : tensor<3xf16>"},
                     "tensor<*xf16>"),
            "dense<2.050000e+03> : tensor<f16>");
}

TEST(MatMul, PanelsOfEverySizeAgreeWithThePlainSum) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> values(-4, 4);
  for (int64_t rows : {1, 3, 4, 9})
    for (int64_t columns : {1, 255, 256, 300})
      for (int64_t depth : {0, 1, 7}) {
        std::vector<float> a(rows * depth), b(depth * columns), c(rows * columns, 99);
        for (float &value : a)
          value = values(random);
        for (float &value : b)
          value = values(random);
        dyn::reference::multiply(a.data(), b.data(), c.data(), rows, columns, depth);
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < columns; ++j) {
            float sum = 0;
            for (int64_t k = 0; k < depth; ++k)
              sum += a[i * depth + k] * b[k * columns + j];
            ASSERT_EQ(c[i * columns + j], sum) << rows << 'x' << columns << 'x' << depth;
          }
      }
}

TEST(Conv, PadsAndStrides) {
  EXPECT_EQ(evaluate("dyn.conv %a, %b {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>}",
                     {"dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>",
                      "dense<[[[1.0, 10.0, 100.0]]]> : tensor<1x1x3xf32>"},
                     "tensor<*xf32>"),
            "dense<[[[2.100000e+02, 4.320000e+02]]]> : tensor<1x1x2xf32>");
}

TEST(Conv, WindowMustFit) {
  EXPECT_EQ(evaluate("dyn.conv %a, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>}",
                     {"dense<1.0> : tensor<1x1x2xf32>", "dense<1.0> : tensor<1x1x3xf32>"}, "tensor<*xf32>"),
            "error: 'dyn.conv' op a window of 3 does not fit into spatial dim 0, which is 2");
}

TEST(Conv, GroupsSeeTheirOwnChannels) {
  EXPECT_EQ(evaluate("dyn.conv %a, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, "
                     "group = 2 : i64}",
                     {"dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>", "dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf32>"},
                     "tensor<*xf32>"),
            "dense<[[[3.000000e+00], [1.000000e+01]]]> : tensor<1x2x1xf32>");
}
