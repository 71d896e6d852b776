//===- Reductions ---------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "gtest/gtest.h"

using dyn::test::evaluate;

static const char *matrix = "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>";

TEST(Reduce, AxesAreKeptOrVanish) {
  EXPECT_EQ(evaluate("dyn.reduce sum %a axes [-1]", {matrix}, "tensor<*xi64>"), "dense<[6, 15]> : tensor<2xi64>");
  EXPECT_EQ(evaluate("dyn.reduce prod %a axes [0] keep_dims", {matrix}, "tensor<*xi64>"),
            "dense<[[4, 10, 18]]> : tensor<1x3xi64>");
  EXPECT_EQ(evaluate("dyn.reduce max %a", {matrix}, "tensor<*xi64>"), "dense<6> : tensor<i64>");
}

TEST(Reduce, EmptyDimsGiveTheNeutralValue) {
  const char *empty = "dense<0.0> : tensor<2x0xf32>";
  EXPECT_EQ(evaluate("dyn.reduce sum %a axes [1]", {empty}, "tensor<*xf32>"), "dense<0.000000e+00> : tensor<2xf32>");
  EXPECT_EQ(evaluate("dyn.reduce prod %a axes [1]", {empty}, "tensor<*xf32>"), "dense<1.000000e+00> : tensor<2xf32>");
  EXPECT_EQ(evaluate("dyn.reduce max %a axes [1]", {empty}, "tensor<*xf32>"), "dense<0xFF800000> : tensor<2xf32>");
  EXPECT_EQ(evaluate("dyn.reduce min %a axes [1]", {"dense<0> : tensor<2x0xi8>"}, "tensor<*xi8>"),
            "dense<127> : tensor<2xi8>");
}

TEST(Reduce, MeansOfFloatsAccumulateWide) {
  EXPECT_EQ(evaluate("dyn.reduce mean %a", {"dense<[1.0e8, 1.0, -1.0e8, 1.0]> : tensor<4xf32>"}, "tensor<*xf32>"),
            "dense<5.000000e-01> : tensor<f32>");
}

TEST(Reduce, ScalarsReduceToThemselves) {
  EXPECT_EQ(evaluate("dyn.reduce sum %a", {"dense<5> : tensor<i64>"}, "tensor<*xi64>"), "dense<5> : tensor<i64>");
}

TEST(Reduce, AxesOutOfRangeAreNamed) {
  EXPECT_EQ(evaluate("dyn.reduce sum %a axes [2]", {matrix}, "tensor<*xi64>"),
            "error: 'dyn.reduce' op axis 2 is out of range for rank 2");
}

TEST(ArgReduce, TheFirstOrTheLastOfEqualOnes) {
  const char *values = "dense<[[1.0, 3.0, 3.0]]> : tensor<1x3xf32>";
  EXPECT_EQ(evaluate("dyn.arg_reduce max %a axis 1", {values}, "tensor<*xi64>"), "dense<1> : tensor<1xi64>");
  EXPECT_EQ(evaluate("dyn.arg_reduce max %a axis 1 keep_dims last", {values}, "tensor<*xi64>"),
            "dense<2> : tensor<1x1xi64>");
  EXPECT_EQ(evaluate("dyn.arg_reduce min %a axis -1", {values}, "tensor<*xi64>"), "dense<0> : tensor<1xi64>");
}

TEST(ArgReduce, NothingIsGreatestOfNothing) {
  EXPECT_EQ(evaluate("dyn.arg_reduce max %a axis 1", {"dense<0.0> : tensor<2x0xf32>"}, "tensor<*xi64>"),
            "error: 'dyn.arg_reduce' op dim 1 of the operand is empty, so no element is the greatest or least");
  EXPECT_EQ(evaluate("dyn.arg_reduce max %a axis 1", {"dense<0.0> : tensor<0x0xf32>"}, "tensor<*xi64>"),
            "dense<> : tensor<0xi64>");
}

TEST(CumSum, ForwardsAndBackwards) {
  const char *values = "dense<[1, 2, 3]> : tensor<3xi64>";
  EXPECT_EQ(evaluate("dyn.cumsum %a axis 0", {values}, "tensor<*xi64>"), "dense<[1, 3, 6]> : tensor<3xi64>");
  EXPECT_EQ(evaluate("dyn.cumsum %a axis 0 exclusive", {values}, "tensor<*xi64>"), "dense<[0, 1, 3]> : tensor<3xi64>");
  EXPECT_EQ(evaluate("dyn.cumsum %a axis 0 exclusive reverse", {values}, "tensor<*xi64>"),
            "dense<[5, 3, 0]> : tensor<3xi64>");
}
