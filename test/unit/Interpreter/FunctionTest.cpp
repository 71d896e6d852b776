//===- Whole functions ----------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "gtest/gtest.h"

using dyn::test::run;

static const char *staticForms = R"(
func.func @f(%x: tensor<?x?xf32, #dyn.dims<[B, 2 * H]>>) -> tensor<?x?x2xf32, #dyn.dims<[B, H, 2]>>
    attributes {dyn.symbols = #dyn.symbols<B: [0, 4] from arg0[0], H: [0, ?] from arg0[1]>} {
  dyn.require H <= 3 because "rows of the table"
  %0 = dyn.reshape %x : tensor<?x?xf32, #dyn.dims<[B, 2 * H]>> to tensor<?x?x2xf32, #dyn.dims<[B, H, 2]>>
  return %0 : tensor<?x?x2xf32, #dyn.dims<[B, H, 2]>>
})";

TEST(Function, SymbolsAreSolvedFromInputs) {
  EXPECT_EQ(run(staticForms, {"dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>"}),
            "dense<[[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]]> : tensor<1x2x2xf32>");
  EXPECT_EQ(run(staticForms, {"dense<0.0> : tensor<0x0xf32>"}), "dense<> : tensor<0x0x2xf32>");
}

TEST(Function, InputsThatNoSymbolFitsAreRefused) {
  EXPECT_EQ(run(staticForms, {"dense<0.0> : tensor<1x3xf32>"}),
            "error: 'func.func' op no value of symbol 'H' gives input 0 the dims [1, 3]");
}

TEST(Function, DeclaredFactsAreChecked) {
  EXPECT_EQ(run(staticForms, {"dense<0.0> : tensor<5x2xf32>"}),
            "error: 'func.func' op `B` must be in 0..4; got B = 5 (dim 0 of input 'arg0')");
}

TEST(Function, GuardsAreChecked) {
  EXPECT_EQ(
      run(staticForms, {"dense<0.0> : tensor<1x8xf32>"}),
      "error: 'func.func' op `H` must be <= 3: rows of the table; got H = 4 (dim 1 of input 'arg0', which is 2 * H)");
}

TEST(Function, LongFormulasStandBehindWhatTheyAreFor) {
  std::string formula;
  for (int i = 1; i <= 40; ++i)
    formula += (i == 1 ? "" : " or ") + ("n == " + std::to_string(i));
  std::string text = run("func.func @f(%x: tensor<?xf32, #dyn.dims<[n]>>)\n"
                         "    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {\n"
                         "  dyn.require " +
                             formula + " because \"few\"\n  return }",
                         {"dense<0.0> : tensor<50xf32>"});
  EXPECT_EQ(text.substr(0, text.find(": n")),
            "error: 'func.func' op few; got n = 50 (dim 0 of input 'arg0'); the formula "
            "that does not hold");
}

TEST(Function, InputsAreNamed) {
  EXPECT_EQ(run("func.func @f(%x: tensor<?x4xf32> {dyn.name = \"mask\"}) { return }", {"dense<0.0> : tensor<2x3xf32>"}),
            "error: input 'mask' dim 1 is 3, must be 4");
  EXPECT_EQ(run("func.func @f(%x: tensor<?x4xf32>) { return }", {"dense<0> : tensor<2x4xi64>"}),
            "error: 'func.func' op input 0 has element type int64, must be float32");
  EXPECT_EQ(run("func.func @f(%x: tensor<*xui8> {dyn.name = \"mask\"}) { return }", {"dense<true> : tensor<2xi1>"}),
            "error: input 'mask' has element type bool, must be uint8");
  EXPECT_EQ(run("func.func @f(%x: tensor<2xf8E4M3FN> {dyn.name = \"x\"}) { return }", {"dense<1.0> : tensor<2xbf16>"}),
            "error: input 'x' has element type bfloat16, must be float8e4m3fn");
}

TEST(Function, ResultsAreCheckedAgainstTheirTypes) {
  EXPECT_EQ(run("func.func @f(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S + 1]>> {\n"
                "  %0 = dyn.add %x, %x : (tensor<?xf32, #dyn.dims<[S]>>, tensor<?xf32, #dyn.dims<[S]>>) -> "
                "tensor<?xf32, #dyn.dims<[S + 1]>>\n"
                "  return %0 : tensor<?xf32, #dyn.dims<[S + 1]>>\n}",
                {"dense<0.0> : tensor<3xf32>"})
                .substr(0, 62),
            "error: 'dyn.add' op result 0 has the dims [3] but its type 'te");
}

TEST(Function, TheSameValueMayBeReturnedTwice) {
  EXPECT_EQ(
      run("func.func @f(%x: tensor<i64>) -> (tensor<i64>, tensor<i64>) { return %x, %x : tensor<i64>, tensor<i64> }",
          {"dense<1> : tensor<i64>"}),
      "dense<1> : tensor<i64>; dense<1> : tensor<i64>");
}

TEST(Function, CalledFunctionsHaveTheirOwnSymbols) {
  EXPECT_EQ(run(R"(
func.func private @g(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<i64>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.dim_values [S] : tensor<i64>
  return %0 : tensor<i64>
}
func.func @f(%x: tensor<?x3xf32, #dyn.dims<[S, 3]>>) -> tensor<i64>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.reshape %x : tensor<?x3xf32, #dyn.dims<[S, 3]>> to tensor<?xf32, #dyn.dims<[3 * S]>>
  %1 = dyn.call @g<[S = 3 * S]>(%0) : (tensor<?xf32, #dyn.dims<[3 * S]>>) -> tensor<i64>
  return %1 : tensor<i64>
})",
                {"dense<0.0> : tensor<2x3xf32>"}),
            "dense<6> : tensor<i64>");
}

TEST(Function, OpsWithoutEvaluationAreNamed) {
  EXPECT_EQ(run("func.func @f() { %c = func.constant @f : () -> ()\n return }", {}),
            "error: 'func.constant' op has no reference evaluation");
}
