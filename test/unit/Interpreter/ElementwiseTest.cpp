//===- Elementwise ops ----------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "gtest/gtest.h"

using dyn::test::evaluate;

TEST(Elementwise, OperandsBroadcastAsInNumpy) {
  EXPECT_EQ(evaluate("dyn.add %a, %b",
                     {"dense<[[1.0], [2.0]]> : tensor<2x1xf32>", "dense<[10.0, 20.0, 30.0]> : tensor<3xf32>"},
                     "tensor<*xf32>"),
            "dense<[[1.100000e+01, 2.100000e+01, 3.100000e+01], [1.200000e+01, 2.200000e+01, 3.200000e+01]]> : "
            "tensor<2x3xf32>");
}

TEST(Elementwise, SizeZeroBroadcastsAgainstOne) {
  EXPECT_EQ(
      evaluate("dyn.mul %a, %b", {"dense<1.0> : tensor<0x4xf32>", "dense<2.0> : tensor<1x4xf32>"}, "tensor<*xf32>"),
      "dense<> : tensor<0x4xf32>");
}

TEST(Elementwise, DimsThatDoNotFitAreNamed) {
  EXPECT_EQ(evaluate("dyn.sub %a, %b", {"dense<1.0> : tensor<2x3xf32>", "dense<2.0> : tensor<4xf32>"}, "tensor<*xf32>"),
            "error: 'dyn.sub' op operands do not broadcast: dim 0 of operand 1 is 4, expected 1 or 3 as in "
            "operand 0; their dims are [4] and [2, 3]");
}

TEST(Elementwise, IntegersDivideTowardsZero) {
  EXPECT_EQ(evaluate("dyn.div %a, %b", {"dense<[7, -7]> : tensor<2xi64>", "dense<2> : tensor<1xi64>"}, "tensor<*xi64>"),
            "dense<[3, -3]> : tensor<2xi64>");
}

TEST(Elementwise, TheLeastIntegerDividedByMinusOneWraps) {
  EXPECT_EQ(evaluate("dyn.div %a, %b", {"dense<-128> : tensor<i8>", "dense<-1> : tensor<i8>"}, "tensor<*xi8>"),
            "dense<-128> : tensor<i8>");
}

TEST(Elementwise, IntegersHaveNoQuotientByZero) {
  EXPECT_EQ(evaluate("dyn.div %a, %b", {"dense<7> : tensor<2xi64>", "dense<[1, 0]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "error: 'dyn.div' op divides an integer by 0: element 1 of operand 1");
}

TEST(Elementwise, RemaindersHaveTheSignOfTheDivisor) {
  EXPECT_EQ(evaluate("dyn.mod %a, %b", {"dense<[7, -7, 7]> : tensor<3xi32>", "dense<[3, 3, -3]> : tensor<3xi32>"},
                     "tensor<*xi32>"),
            "dense<[1, 2, -2]> : tensor<3xi32>");
}

TEST(Elementwise, RemaindersWithFmodHaveTheSignOfTheDividend) {
  EXPECT_EQ(evaluate("dyn.mod %a, %b {fmod}",
                     {"dense<[7.0, -7.0]> : tensor<2xf32>", "dense<[-3.0, 3.0]> : tensor<2xf32>"}, "tensor<*xf32>"),
            "dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>");
}

TEST(Elementwise, IntegersWrap) {
  EXPECT_EQ(evaluate("dyn.add %a, %b", {"dense<127> : tensor<i8>", "dense<1> : tensor<i8>"}, "tensor<*xi8>"),
            "dense<-128> : tensor<i8>");
  EXPECT_EQ(evaluate("dyn.neg %a", {"dense<-128> : tensor<i8>"}, "tensor<*xi8>"), "dense<-128> : tensor<i8>");
}

TEST(Elementwise, MaximumPropagatesNaN) {
  EXPECT_EQ(evaluate("dyn.max %a, %b",
                     {"dense<[0x7FC00000, 1.0]> : tensor<2xf32>", "dense<[2.0, 3.0]> : tensor<2xf32>"},
                     "tensor<*xf32>"),
            "dense<[0x7FC00000, 3.000000e+00]> : tensor<2xf32>");
}

TEST(Elementwise, HalvesRoundToEven) {
  EXPECT_EQ(evaluate("dyn.round %a", {"dense<[0.5, 1.5, 2.5, -0.5]> : tensor<4xf32>"}, "tensor<*xf32>"),
            "dense<[0.000000e+00, 2.000000e+00, 2.000000e+00, -0.000000e+00]> : tensor<4xf32>");
}

TEST(Elementwise, PowersHaveTheTypeOfTheBase) {
  EXPECT_EQ(evaluate("dyn.pow %a, %b", {"dense<[2.0, 3.0]> : tensor<2xf32>", "dense<[3, 2]> : tensor<2xi64>"},
                     "tensor<*xf32>"),
            "dense<[8.000000e+00, 9.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(evaluate("dyn.pow %a, %b", {"dense<[2, -1, 3]> : tensor<3xi64>", "dense<[-1, -3, 4]> : tensor<3xi64>"},
                     "tensor<*xi64>"),
            "dense<[0, -1, 81]> : tensor<3xi64>");
}

TEST(Elementwise, PowersOfIntegersAreThoseOfDoublesButForProducts) {
  EXPECT_EQ(evaluate("dyn.pow %a, %b",
                     {"dense<[3, 0, 9007199254740993]> : tensor<3xi64>", "dense<[39, -1, 1]> : tensor<3xi64>"},
                     "tensor<*xi64>"),
            "dense<[4052555153018976256, -9223372036854775808, 9007199254740992]> : tensor<3xi64>");
  EXPECT_EQ(evaluate("dyn.pow %a, %b",
                     {"dense<[2, 65536, 65537]> : tensor<3xi32>", "dense<[40, 2, 3]> : tensor<3xi32>"},
                     "tensor<*xi32>"),
            "dense<[-2147483648, 0, 196609]> : tensor<3xi32>");
}

TEST(Elementwise, FloatsBecomeIntegersTowardsZero) {
  EXPECT_EQ(evaluate("dyn.cast %a", {"dense<[1.9, -1.9]> : tensor<2xf32>"}, "tensor<*xi64>"),
            "dense<[1, -1]> : tensor<2xi64>");
}

TEST(Elementwise, WhatDoesNotFitBecomesTheLowestIntegerAndItsLowBits) {
  std::string values = "dense<[-1.5, -1.0, 300.0, 256.0, -129.0, 0x7FC00000]> : tensor<6xf32>";
  EXPECT_EQ(evaluate("dyn.cast %a", {values}, "tensor<*xui8>"), "dense<[255, 255, 44, 0, 127, 0]> : tensor<6xui8>");
  EXPECT_EQ(evaluate("dyn.cast %a", {"dense<[3.0e9, 0x7F800000]> : tensor<2xf32>"}, "tensor<*xi32>"),
            "dense<-2147483648> : tensor<2xi32>");
}

TEST(Elementwise, EverythingButZeroIsTrue) {
  EXPECT_EQ(evaluate("dyn.cast %a", {"dense<[0.0, 0.5, 0x7FC00000]> : tensor<3xf32>"}, "tensor<*xi1>"),
            "dense<[false, true, true]> : tensor<3xi1>");
}

TEST(Elementwise, HalfPrecisionRoundsToNearestEven) {
  // 2049 lies between 2048 and 2050; 65520 is the first number that rounds to infinity.
  EXPECT_EQ(
      evaluate("dyn.cast %a", {"dense<[2049.0, 2051.0, 65519.0, 65520.0, 1.0e-8]> : tensor<5xf32>"}, "tensor<*xf16>"),
      "dense<[2.048000e+03, 2.052000e+03, 6.550400e+04, 0x7C00, 0.000000e+00]> : tensor<5xf16>");
}

TEST(Elementwise, HalfPrecisionHasDenormals) {
  EXPECT_EQ(evaluate("dyn.add %a, %b", {"dense<0x0001> : tensor<f16>", "dense<0x0003> : tensor<f16>"}, "tensor<*xf16>"),
            "dense<2.384190e-07> : tensor<f16>");
}

TEST(Elementwise, ComparisonsWithNaNAreFalseButNotEqual) {
  const char *nan = "dense<0x7FC00000> : tensor<f32>", *one = "dense<1.0> : tensor<f32>";
  EXPECT_EQ(evaluate("dyn.compare le %a, %b", {nan, one}, "tensor<*xi1>"), "dense<false> : tensor<i1>");
  EXPECT_EQ(evaluate("dyn.compare eq %a, %b", {nan, nan}, "tensor<*xi1>"), "dense<false> : tensor<i1>");
  EXPECT_EQ(evaluate("dyn.compare ne %a, %b", {nan, one}, "tensor<*xi1>"), "dense<true> : tensor<i1>");
}

TEST(Elementwise, UnsignedIntegersCompareUnsigned) {
  EXPECT_EQ(evaluate("dyn.compare gt %a, %b", {"dense<255> : tensor<ui8>", "dense<1> : tensor<ui8>"}, "tensor<*xi1>"),
            "dense<true> : tensor<i1>");
}

TEST(Elementwise, SelectBroadcastsAllThree) {
  EXPECT_EQ(
      evaluate("dyn.select %a, %b, %c",
               {"dense<[[true], [false]]> : tensor<2x1xi1>", "dense<[1, 2]> : tensor<2xi64>", "dense<7> : tensor<i64>"},
               "tensor<*xi64>"),
      "dense<[[1, 2], [7, 7]]> : tensor<2x2xi64>");
}

TEST(Elementwise, BooleansInvertLogically) {
  EXPECT_EQ(evaluate("dyn.not %a", {"dense<[true, false]> : tensor<2xi1>"}, "tensor<*xi1>"),
            "dense<[false, true]> : tensor<2xi1>");
  EXPECT_EQ(evaluate("dyn.not %a", {"dense<5> : tensor<i8>"}, "tensor<*xi8>"), "dense<-6> : tensor<i8>");
}

TEST(Elementwise, StringsAreEqualOrNot) {
  const char *words = R"(dense<["a", "", "grüß"]> : tensor<3x!dyn.string>)";
  EXPECT_EQ(evaluate("dyn.compare eq %a, %b", {words, R"(dense<"grüß"> : tensor<!dyn.string>)"}, "tensor<*xi1>"),
            "dense<[false, false, true]> : tensor<3xi1>");
  EXPECT_EQ(evaluate("dyn.compare ne %a, %b", {words, R"(dense<""> : tensor<1x!dyn.string>)"}, "tensor<*xi1>"),
            "dense<[true, false, true]> : tensor<3xi1>");
  EXPECT_EQ(evaluate("dyn.select %a, %b, %c",
                     {"dense<[true, false]> : tensor<2xi1>", R"(dense<["x", "y"]> : tensor<2x!dyn.string>)",
                      R"(dense<"z"> : tensor<!dyn.string>)"},
                     "tensor<*x!dyn.string>"),
            R"(dense<["x", "z"]> : tensor<2x!dyn.string>)");
}

TEST(Elementwise, StringsAreOrderedByTheirBytes) {
  const char *words = R"(dense<["a", "b", "ab", "", "\C3\A4"]> : tensor<5x!dyn.string>)",
             *word = R"(dense<"ab"> : tensor<!dyn.string>)";
  EXPECT_EQ(evaluate("dyn.compare lt %a, %b", {words, word}, "tensor<*xi1>"),
            "dense<[true, false, false, true, false]> : tensor<5xi1>");
  EXPECT_EQ(evaluate("dyn.compare ge %a, %b", {words, word}, "tensor<*xi1>"),
            "dense<[false, true, true, false, true]> : tensor<5xi1>");
}

TEST(Elementwise, StringsAreReadAsNumbers) {
  const char *numbers = R"(dense<["7", " -300 "]> : tensor<2x!dyn.string>)";
  EXPECT_EQ(evaluate("dyn.cast %a", {numbers}, "tensor<*xi64>"), "dense<[7, -300]> : tensor<2xi64>");
  EXPECT_EQ(evaluate("dyn.cast %a", {numbers}, "tensor<*xui8>"), "dense<[7, 212]> : tensor<2xui8>");
  EXPECT_EQ(evaluate("dyn.cast %a", {numbers}, "tensor<*xf32>"),
            "dense<[7.000000e+00, -3.000000e+02]> : tensor<2xf32>");
  EXPECT_EQ(evaluate("dyn.cast %a", {"dense<[1.5, 1.0e10]> : tensor<2xf32>"}, "tensor<*x!dyn.string>"),
            R"(dense<["1.5", "1e+10"]> : tensor<2x!dyn.string>)");
  EXPECT_EQ(evaluate("dyn.cast %a", {R"(dense<"a"> : tensor<1x!dyn.string>)"}, "tensor<*xf32>"),
            "error: 'dyn.cast' op 'a' is no number of type 'f32'");
}

TEST(Elementwise, NothingElseIsDefinedForStrings) {
  const char *word = R"(dense<"a"> : tensor<1x!dyn.string>)";
  EXPECT_EQ(evaluate("dyn.max %a, %b", {word, word}, "tensor<*x!dyn.string>"),
            "error: 'dyn.max' op is not defined for elements of type '!dyn.string'");
}
