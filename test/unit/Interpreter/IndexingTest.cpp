//===- Indexing -----------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "gtest/gtest.h"

using dyn::test::evaluate;
using dyn::test::run;

static const char *matrix = "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>";

TEST(Gather, NegativeIndicesCountFromTheEnd) {
  EXPECT_EQ(evaluate("dyn.gather %a, %b axis 1", {matrix, "dense<[[0, -1]]> : tensor<1x2xi64>"}, "tensor<*xi64>"),
            "dense<[[[1, 3]], [[4, 6]]]> : tensor<2x1x2xi64>");
  EXPECT_EQ(evaluate("dyn.gather %a, %b axis 0", {matrix, "dense<1> : tensor<i32>"}, "tensor<*xi64>"),
            "dense<[4, 5, 6]> : tensor<3xi64>");
}

TEST(Gather, NoIndicesGiveAnEmptyResult) {
  EXPECT_EQ(evaluate("dyn.gather %a, %b axis 0", {matrix, "dense<0> : tensor<0xi64>"}, "tensor<*xi64>"),
            "dense<> : tensor<0x3xi64>");
}

TEST(Gather, AnIndexOutOfBoundsNamesNodeIndexAndSize) {
  EXPECT_EQ(run("func.func @f(%a: tensor<2x3xi64>, %i: tensor<1xi64>) -> tensor<1x3xi64> {\n"
                "  %0 = dyn.gather %a, %i axis 0 : (tensor<2x3xi64>, tensor<1xi64>) -> tensor<1x3xi64> "
                "loc(\"/emb/Gather\")\n  return %0 : tensor<1x3xi64>\n}",
                {matrix, "dense<2> : tensor<1xi64>"}),
            "error: node '/emb/Gather': index 2 is out of bounds for dim 0, which is 2");
}

TEST(GatherElements, IndicesMayBeSmallerThanData) {
  EXPECT_EQ(
      evaluate("dyn.gather_elements %a, %b axis 1", {matrix, "dense<[[2, 0]]> : tensor<1x2xi64>"}, "tensor<*xi64>"),
      "dense<[[3, 1]]> : tensor<1x2xi64>");
}

TEST(GatherND, ElementsSlicesAndBatches) {
  EXPECT_EQ(evaluate("dyn.gather_nd %a, %b", {matrix, "dense<[[0, 0], [-1, 2]]> : tensor<2x2xi64>"}, "tensor<*xi64>"),
            "dense<[1, 6]> : tensor<2xi64>");
  EXPECT_EQ(evaluate("dyn.gather_nd %a, %b", {matrix, "dense<[[1]]> : tensor<1x1xi64>"}, "tensor<*xi64>"),
            "dense<[[4, 5, 6]]> : tensor<1x3xi64>");
  EXPECT_EQ(evaluate("dyn.gather_nd %a, %b {batch_dims = 1 : i64}", {matrix, "dense<[[1], [2]]> : tensor<2x1xi64>"},
                     "tensor<*xi64>"),
            "dense<[2, 6]> : tensor<2xi64>");
}

TEST(ScatterND, ReplacesSlices) {
  EXPECT_EQ(evaluate("dyn.scatter_nd %a, %b, %c",
                     {matrix, "dense<[[-1]]> : tensor<1x1xi64>", "dense<[[7, 8, 9]]> : tensor<1x3xi64>"},
                     "tensor<*xi64>"),
            "dense<[[1, 2, 3], [7, 8, 9]]> : tensor<2x3xi64>");
}

TEST(ScatterND, UpdatesMustFit) {
  EXPECT_EQ(evaluate("dyn.scatter_nd %a, %b, %c",
                     {matrix, "dense<[[0]]> : tensor<1x1xi64>", "dense<[[7, 8]]> : tensor<1x2xi64>"}, "tensor<*xi64>"),
            "error: 'dyn.scatter_nd' op indices of dims [1, 1] and updates of dims [1, 2] do not fit data of dims "
            "[2, 3]");
}

TEST(NonZero, OneColumnForEachElement) {
  EXPECT_EQ(evaluate("dyn.nonzero %a", {"dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>"}, "tensor<*xi64>"),
            "dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>");
  EXPECT_EQ(evaluate("dyn.nonzero %a", {"dense<0.0> : tensor<2x2xf32>"}, "tensor<*xi64>"), "dense<> : tensor<2x0xi64>");
}

TEST(NonZero, BindsItsCount) {
  EXPECT_EQ(run("func.func @f(%x: tensor<3xi64>) -> tensor<i64> {\n"
                "  %0 = dyn.nonzero %x binds \"u0\" : (tensor<3xi64>) -> tensor<1x?xi64, #dyn.dims<[1, u0]>>\n"
                "  %1 = dyn.dim_values [u0] : tensor<i64>\n  return %1 : tensor<i64>\n}",
                {"dense<[1, 0, 4]> : tensor<3xi64>"}),
            "dense<2> : tensor<i64>");
}
