//===- Data movement ------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "gtest/gtest.h"

using dyn::test::evaluate;
using dyn::test::run;

static const char *matrix = "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>";
static const char *line = "dense<[0, 1, 2, 3, 4]> : tensor<5xi64>";

TEST(ReshapeTo, MinusOneIsWhatIsLeft) {
  EXPECT_EQ(evaluate("dyn.reshape_to %a, %b", {matrix, "dense<[3, -1]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>");
}

TEST(ReshapeTo, CopiedDimsMayBeZero) {
  EXPECT_EQ(evaluate("dyn.reshape_to %a, %b",
                     {"dense<0.0> : tensor<0x7x6xf32>", "dense<[0, -1, 2, 3]> : tensor<4xi64>"}, "tensor<*xf32>"),
            "dense<> : tensor<0x7x2x3xf32>");
}

TEST(ReshapeTo, ZeroIsASizeIfAllowed) {
  EXPECT_EQ(evaluate("dyn.reshape_to %a, %b allow_zero",
                     {"dense<0.0> : tensor<3x0xf32>", "dense<[0, 3]> : tensor<2xi64>"}, "tensor<*xf32>"),
            "dense<> : tensor<0x3xf32>");
  EXPECT_EQ(evaluate("dyn.reshape_to %a, %b allow_zero",
                     {"dense<0.0> : tensor<3x0x8xf32>", "dense<[3, 0, -1, 4]> : tensor<4xi64>"}, "tensor<*xf32>"),
            "dense<> : tensor<3x0x2x4xf32>")
      << "a dim of size 0 that keeps its place leaves no doubt about the -1";
  EXPECT_EQ(
      evaluate("dyn.reshape_to %a, %b allow_zero", {"dense<0.0> : tensor<3x0xf32>", "dense<[0, -1]> : tensor<2xi64>"},
               "tensor<*xf32>"),
      "error: 'dyn.reshape_to' op no dim can stand for the -1 of the shape [0, -1] with operand 0 of dims [3, 0]");
}

TEST(ReshapeTo, SizesThatDoNotFitAreNamed) {
  EXPECT_EQ(
      evaluate("dyn.reshape_to %a, %b", {matrix, "dense<[4, -1]> : tensor<2xi64>"}, "tensor<*xi64>"),
      "error: 'dyn.reshape_to' op no dim can stand for the -1 of the shape [4, -1] with operand 0 of dims [2, 3]");
  EXPECT_EQ(evaluate("dyn.reshape_to %a, %b", {matrix, "dense<[4, 2]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "error: 'dyn.reshape_to' op cannot give the dims [4, 2] to operand 0 of dims [2, 3]");
}

TEST(Squeeze, NamedOrAll) {
  const char *value = "dense<5> : tensor<1x2x1xi64>";
  EXPECT_EQ(evaluate("dyn.squeeze %a", {value}, "tensor<*xi64>"), "dense<5> : tensor<2xi64>");
  EXPECT_EQ(evaluate("dyn.squeeze %a axes [-1]", {value}, "tensor<*xi64>"), "dense<5> : tensor<1x2xi64>");
  EXPECT_EQ(evaluate("dyn.squeeze %a axes [1]", {value}, "tensor<*xi64>"),
            "error: 'dyn.squeeze' op removes dim 1 of an operand of dims [1, 2, 1], which is not 1");
}

TEST(Unsqueeze, AxesAreOfTheResult) {
  EXPECT_EQ(evaluate("dyn.unsqueeze %a axes [0, -1]", {"dense<[1, 2]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "dense<[[[1], [2]]]> : tensor<1x2x1xi64>");
}

TEST(Flatten, BothSidesMayBeEmpty) {
  EXPECT_EQ(evaluate("dyn.flatten %a axis 0", {matrix}, "tensor<*xi64>"),
            "dense<[[1, 2, 3, 4, 5, 6]]> : tensor<1x6xi64>");
  EXPECT_EQ(evaluate("dyn.flatten %a axis 2", {"dense<1> : tensor<0x3xi64>"}, "tensor<*xi64>"),
            "dense<> : tensor<0x1xi64>");
}

TEST(Transpose, Permutations) {
  EXPECT_EQ(evaluate("dyn.transpose %a perm [1, 0]", {matrix}, "tensor<*xi64>"),
            "dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>");
  EXPECT_EQ(evaluate("dyn.transpose %a", {"dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi64>"}, "tensor<*xi64>"),
            "dense<[[[1, 3]], [[2, 4]]]> : tensor<2x1x2xi64>");
}

TEST(Concat, EmptyPartsVanish) {
  EXPECT_EQ(evaluate("dyn.concat 1 (%a, %b, %c)",
                     {matrix, "dense<0> : tensor<2x0xi64>", "dense<[[7], [8]]> : tensor<2x1xi64>"}, "tensor<*xi64>"),
            "dense<[[1, 2, 3, 7], [4, 5, 6, 8]]> : tensor<2x4xi64>");
}

TEST(Concat, OtherDimsMustAgree) {
  EXPECT_EQ(evaluate("dyn.concat 1 (%a, %b)", {matrix, "dense<0> : tensor<3x1xi64>"}, "tensor<*xi64>"),
            "error: 'dyn.concat' op operand 1 with the dims [3, 1] does not fit operand 0 with the dims [2, 3] outside "
            "axis 1");
}

TEST(Split, EqualPartsWithASmallerLast) {
  EXPECT_EQ(run("func.func @f(%a: tensor<5xi64>) -> (tensor<*xi64>, tensor<*xi64>) {\n"
                "  %0:2 = dyn.split %a axis 0 : (tensor<5xi64>) -> (tensor<*xi64>, tensor<*xi64>)\n"
                "  return %0#0, %0#1 : tensor<*xi64>, tensor<*xi64>\n}",
                {line}),
            "dense<[0, 1, 2]> : tensor<3xi64>; dense<[3, 4]> : tensor<2xi64>");
}

TEST(Split, SizesMustMakeUpTheDim) {
  EXPECT_EQ(run("func.func @f(%a: tensor<5xi64>, %s: tensor<2xi64>) -> (tensor<*xi64>, tensor<*xi64>) {\n"
                "  %0:2 = dyn.split %a sizes %s axis 0 : (tensor<5xi64>, tensor<2xi64>) -> (tensor<*xi64>, "
                "tensor<*xi64>)\n"
                "  return %0#0, %0#1 : tensor<*xi64>, tensor<*xi64>\n}",
                {line, "dense<[1, 3]> : tensor<2xi64>"}),
            "error: 'dyn.split' op parts of sizes [1, 3] do not make up dim 0, which is 5");
}

static std::string slice(int64_t start, int64_t end, int64_t step) {
  auto list = [](int64_t value) { return "dense<" + std::to_string(value) + "> : tensor<1xi64>"; };
  return evaluate("dyn.slice_to %a from %b to %c axes %d steps %e",
                  {line, list(start), list(end), "dense<0> : tensor<1xi64>", list(step)}, "tensor<*xi64>");
}

TEST(SliceTo, BoundsAreClamped) {
  EXPECT_EQ(slice(1, INT64_MAX, 2), "dense<[1, 3]> : tensor<2xi64>");
  EXPECT_EQ(slice(-2, 100, 1), "dense<[3, 4]> : tensor<2xi64>");
  EXPECT_EQ(slice(-100, 2, 1), "dense<[0, 1]> : tensor<2xi64>");
  EXPECT_EQ(slice(4, 1, 1), "dense<> : tensor<0xi64>");
}

TEST(SliceTo, NegativeStepsGoBack) {
  EXPECT_EQ(slice(-1, INT64_MIN, -1), "dense<[4, 3, 2, 1, 0]> : tensor<5xi64>");
  EXPECT_EQ(slice(100, 0, -2), "dense<[4, 2]> : tensor<2xi64>");
  EXPECT_EQ(slice(4, -6, INT64_MIN), "dense<4> : tensor<1xi64>");
  EXPECT_EQ(slice(-9, -9, -1), "dense<0> : tensor<1xi64>") << "a start before the first place is the first";
}

TEST(SliceTo, EmptyDimsGiveEmptySlices) {
  EXPECT_EQ(evaluate("dyn.slice_to %a from %b to %c",
                     {"dense<0> : tensor<0x2xi64>", "dense<0> : tensor<1xi64>", "dense<9> : tensor<1xi64>"},
                     "tensor<*xi64>"),
            "dense<> : tensor<0x2xi64>");
}

TEST(Slice, ReadsNothingOutside) {
  const char *text = "func.func @f(%a: tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xi64, #dyn.dims<[S - 1]>> {\n"
                     "  %0 = dyn.slice %a[2:] : tensor<?xi64, #dyn.dims<[S]>> -> "
                     "tensor<?xi64, #dyn.dims<[S - 1]>>\n"
                     "  return %0 : tensor<?xi64, #dyn.dims<[S - 1]>>\n}";
  EXPECT_EQ(run(text, {line}), "error: 'dyn.slice' op takes the places 2 to 5 of dim 0, which is 5");
}

TEST(ExpandTo, BothWays) {
  EXPECT_EQ(evaluate("dyn.expand_to %a, %b",
                     {"dense<[[1], [2]]> : tensor<2x1xi64>", "dense<[2, 1, 3]> : tensor<3xi64>"}, "tensor<*xi64>"),
            "dense<[[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]> : tensor<2x2x3xi64>");
  EXPECT_EQ(evaluate("dyn.expand_to %a, %b", {line, "dense<1> : tensor<1xi64>"}, "tensor<*xi64>"),
            "dense<[0, 1, 2, 3, 4]> : tensor<5xi64>");
  EXPECT_EQ(evaluate("dyn.expand_to %a, %b", {"dense<1> : tensor<1xi64>", "dense<0> : tensor<1xi64>"}, "tensor<*xi64>"),
            "dense<> : tensor<0xi64>");
}

TEST(ExpandLike, OneWay) {
  EXPECT_EQ(evaluate("dyn.expand_like %a, %b", {"dense<[[1], [2]]> : tensor<2x1xi64>", matrix}, "tensor<*xi64>"),
            "dense<[[1, 1, 1], [2, 2, 2]]> : tensor<2x3xi64>");
  EXPECT_EQ(evaluate("dyn.expand_like %a, %b", {line, "dense<1> : tensor<1xi64>"}, "tensor<*xi64>"),
            "error: 'dyn.expand_like' op operand 0 of dims [5] does not broadcast to [1]");
}

TEST(TileTo, Repeats) {
  EXPECT_EQ(evaluate("dyn.tile_to %a, %b", {matrix, "dense<[1, 2]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "dense<[[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]> : tensor<2x6xi64>");
  EXPECT_EQ(evaluate("dyn.tile_to %a, %b", {matrix, "dense<[0, 2]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "dense<> : tensor<0x6xi64>");
}

TEST(PadTo, Modes) {
  const char *values = "dense<[1, 2, 3]> : tensor<3xi64>", *pads = "dense<[2, 1]> : tensor<2xi64>";
  EXPECT_EQ(
      evaluate("dyn.pad_to constant %a by %b value %c", {values, pads, "dense<9> : tensor<i64>"}, "tensor<*xi64>"),
      "dense<[9, 9, 1, 2, 3, 9]> : tensor<6xi64>");
  EXPECT_EQ(evaluate("dyn.pad_to reflect %a by %b", {values, pads}, "tensor<*xi64>"),
            "dense<[3, 2, 1, 2, 3, 2]> : tensor<6xi64>");
  EXPECT_EQ(evaluate("dyn.pad_to edge %a by %b", {values, pads}, "tensor<*xi64>"),
            "dense<[1, 1, 1, 2, 3, 3]> : tensor<6xi64>");
  EXPECT_EQ(evaluate("dyn.pad_to wrap %a by %b", {values, pads}, "tensor<*xi64>"),
            "dense<[2, 3, 1, 2, 3, 1]> : tensor<6xi64>");
}

TEST(PadTo, ReflectsNoMoreThanThereIs) {
  const char *values = "dense<[1, 2, 3]> : tensor<3xi64>";
  EXPECT_EQ(
      evaluate("dyn.pad_to reflect %a by %b", {values, "dense<[3, 0]> : tensor<2xi64>"}, "tensor<*xi64>"),
      "error: 'dyn.pad_to' op dim 0 of the operand, of which 3 places stay, is too short for 3 and 0 more around it");
  EXPECT_EQ(
      evaluate("dyn.pad_to reflect %a by %b", {values, "dense<[-1, 2]> : tensor<2xi64>"}, "tensor<*xi64>"),
      "error: 'dyn.pad_to' op dim 0 of the operand, of which 2 places stay, is too short for -1 and 2 more around "
      "it");
}

TEST(PadTo, NegativeCountsRemove) {
  EXPECT_EQ(evaluate("dyn.pad_to constant %a by %b", {line, "dense<[-1, 2]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "dense<[1, 2, 3, 4, 0, 0]> : tensor<6xi64>");
  EXPECT_EQ(evaluate("dyn.pad_to constant %a by %b", {line, "dense<[-3, -3]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "error: 'dyn.pad_to' op the pads [-3, -3] remove more than dim 0 has, which is 5");
}

TEST(Trilu, BothTriangles) {
  const char *square = "dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi64>";
  EXPECT_EQ(evaluate("dyn.trilu %a upper", {square}, "tensor<*xi64>"),
            "dense<[[1, 2, 3], [0, 5, 6], [0, 0, 9]]> : tensor<3x3xi64>");
  EXPECT_EQ(evaluate("dyn.trilu %a diagonal %b", {square, "dense<-1> : tensor<i64>"}, "tensor<*xi64>"),
            "dense<[[0, 0, 0], [4, 0, 0], [7, 8, 0]]> : tensor<3x3xi64>");
}

TEST(Strings, AreMoved) {
  const char *words = R"(dense<[["a", "b"], ["", "d"]]> : tensor<2x2x!dyn.string>)";
  EXPECT_EQ(evaluate("dyn.transpose %a", {words}, "tensor<*x!dyn.string>"),
            R"(dense<[["a", ""], ["b", "d"]]> : tensor<2x2x!dyn.string>)");
  EXPECT_EQ(evaluate("dyn.tile_to %a, %b", {words, "dense<[1, 0]> : tensor<2xi64>"}, "tensor<*x!dyn.string>"),
            R"(dense<> : tensor<2x0x!dyn.string>)");
  EXPECT_EQ(evaluate("dyn.pad_to constant %a by %b",
                     {R"(dense<"a"> : tensor<1x!dyn.string>)", "dense<[1, 0]> : tensor<2xi64>"},
                     "tensor<*x!dyn.string>"),
            R"(dense<["", "a"]> : tensor<2x!dyn.string>)");
}
