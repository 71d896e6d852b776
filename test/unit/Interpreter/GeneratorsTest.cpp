//===- Ops that make tensors from little --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using dyn::test::evaluate;
using dyn::test::run;

static std::string range(const char *start, const char *limit, const char *delta, const char *type) {
  auto scalar = [&](const char *value) { return std::string("dense<") + value + "> : tensor<" + type + ">"; };
  return evaluate("dyn.range %a, %b, %c", {scalar(start), scalar(limit), scalar(delta)},
                  std::string("tensor<*x") + type + ">");
}

TEST(Range, CountsAreNeverNegative) {
  EXPECT_EQ(range("1", "8", "3", "i64"), "dense<[1, 4, 7]> : tensor<3xi64>");
  EXPECT_EQ(range("5", "0", "-2", "i64"), "dense<[5, 3, 1]> : tensor<3xi64>");
  EXPECT_EQ(range("5", "0", "2", "i64"), "dense<> : tensor<0xi64>");
  EXPECT_EQ(range("0.0", "1.0", "0.4", "f32"), "dense<[0.000000e+00, 4.000000e-01, 8.000000e-01]> : tensor<3xf32>");
}

TEST(Range, AStepOfZeroIsAnError) {
  EXPECT_EQ(range("0", "4", "0", "i64"),
            "error: 'dyn.range' op there is no range with these bounds and this step (a step of 0, NaN, or too many "
            "numbers)");
}

TEST(FullTo, DimsMayBeZero) {
  EXPECT_EQ(evaluate("dyn.full_to %a value(7 : i64)", {"dense<[2, 0]> : tensor<2xi64>"}, "tensor<*xi64>"),
            "dense<> : tensor<2x0xi64>");
  EXPECT_EQ(evaluate("dyn.full_to %a value(true)", {"dense<2> : tensor<1xi64>"}, "tensor<*xi1>"),
            "dense<true> : tensor<2xi1>");
}

TEST(ShapeOf, OfScalars) {
  EXPECT_EQ(evaluate("dyn.shape_of %a", {"dense<1.0> : tensor<2x0x3xf32>"}, "tensor<*xi64>"),
            "dense<[2, 0, 3]> : tensor<3xi64>");
  EXPECT_EQ(evaluate("dyn.shape_of %a", {"dense<1.0> : tensor<f32>"}, "tensor<*xi64>"), "dense<> : tensor<0xi64>");
}

TEST(DimValues, AreComputedFromSymbols) {
  EXPECT_EQ(run("func.func @f(%a: tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<2xi64> {\n"
                "  %0 = dyn.dim_values [B * S, S + 1] : tensor<2xi64>\n"
                "  return %0 : tensor<2xi64>\n}",
                {"dense<0.0> : tensor<3x4xf32>"}),
            "dense<[12, 5]> : tensor<2xi64>");
}

TEST(Constant, WeightsAreReadFromFiles) {
  llvm::SmallString<128> folder, file;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("dyn-weights", folder));
  llvm::sys::path::append(file, folder, "w.bin");
  {
    std::error_code error;
    llvm::raw_fd_ostream os(file, error);
    float values[] = {0, 1, 2, 3};
    os.write(reinterpret_cast<const char *>(values), sizeof(values));
  }
  auto constant = [](const char *weight, const char *type) {
    return std::string("func.func @f() -> ") + type + " {\n  %0 = dyn.constant " + weight + " : " + type +
           "\n  return %0 : " + type + "\n}";
  };
  EXPECT_EQ(run(constant("#dyn.weight<\"w.bin\", 4, 8>", "tensor<2xf32>"), {}, folder.str().str()),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(run(constant("#dyn.weight<\"w.bin\", 12, 8>", "tensor<2xf32>"), {}, folder.str().str()),
            "error: 'dyn.constant' op weights at 12, 8 bytes, exceed '" + file.str().str() + "', which has 16 bytes");
  llvm::sys::fs::remove_directories(folder);
}
