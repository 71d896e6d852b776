//===- Functions of the math dialect against the C library ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "llvm/ADT/Twine.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace dyn::test;

namespace {

struct Function {
  const char *name;
  double (*exact)(double);
  /// The largest error allowed, in units of the last place of the exact result.
  double ulps;
  /// Arguments beyond this are not compared.
  double limit;
  /// The sum of the function and 1 is tested; `exact` is that of the sum.
  bool addsOne = false;
  /// Errors up to this are allowed whatever the last place is.
  double absolute = 0;
  /// What gives `%1` from `%a`, where that is more than an op of the math dialect called `name`.
  const char *body = nullptr;
};

void PrintTo(const Function &function, std::ostream *stream) { *stream << function.name; }

double distanceInUlps(float actual, double exact) {
  float rounded = float(exact);
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) == std::isnan(actual) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(actual))
    return rounded == actual ? 0 : INFINITY;
  double unit = std::ldexp(1.0, std::max(std::ilogb(exact == 0 ? 1e-45 : exact), -126) - 23);
  return std::abs(actual - exact) / unit;
}

/// One more than the bits of any float.
constexpr uint64_t everyFloat = uint64_t(1) << 32;

class Math : public testing::TestWithParam<Function> {
protected:
  std::unique_ptr<CompiledKernel> compile(unsigned bits) {
    const Function &function = GetParam();
    std::string source = std::string(R"(
      #id = affine_map<(i) -> (i)>
      func.func private @k(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
        %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
            ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
        ^bb0(%a: f32, %out: f32):
          )") + (function.body ? function.body : std::string("%1 = math.") + function.name + " %a : f32") +
                         R"(
          %one = arith.constant )" +
                         (function.addsOne ? "1.0" : "0.0") +
                         R"( : f32
          %2 = arith.)" + (function.addsOne ? "addf %1, %one" : "subf %1, %one") +
                         R"( : f32
          linalg.yield %2 : f32
        } -> tensor<?xf32>
        return %0 : tensor<?xf32>
      })";
    std::string errors;
    auto kernel = CompiledKernel::compile(source, bits, errors);
    EXPECT_TRUE(kernel) << errors;
    return kernel;
  }

  /// The floats whose bits are `begin`, `begin + step`, ... below `end`, as far as they are compared.
  void append(std::vector<float> &arguments, uint64_t begin, uint64_t end, uint64_t step) {
    for (uint64_t pattern = begin; pattern < end; pattern += step) {
      uint32_t word = uint32_t(pattern);
      float x;
      memcpy(&x, &word, sizeof x);
      if (!std::isnan(x) && (std::isinf(x) || std::abs(x) <= GetParam().limit))
        arguments.push_back(x);
    }
  }

  /// Kernels of all widths of vectors share the exact values, which take most of the time.
  void check(const std::vector<float> &arguments) {
    const Function &function = GetParam();
    Tensor<float> x({int64_t(arguments.size())});
    memcpy(x.data(), arguments.data(), arguments.size() * sizeof(float));
    std::vector<Tensor<float>> results;
    for (const std::unique_ptr<CompiledKernel> &kernel : kernels) {
      results.emplace_back(x.dims);
      kernel->run({x, results.back()});
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      double exact = function.exact(arguments[i]);
      // A unit of the last place is more than this part of the exact result.
      double near = std::abs(exact) * 0x1p-24 * std::min(worst, function.ulps);
      for (const Tensor<float> &out : results)
        if (float actual = out[int64_t(i)]; !(std::abs(actual - exact) < near))
          ASSERT_NO_FATAL_FAILURE(checkExactly(arguments[i], actual, exact));
    }
  }

  void checkExactly(float x, float actual, double exact) {
    const Function &function = GetParam();
    if (exact == 0)
      ASSERT_EQ(std::signbit(actual), std::signbit(exact)) << function.name << "(" << x << ")";
    if (std::abs(actual - exact) <= function.absolute)
      return;
    double distance = distanceInUlps(actual, exact);
    ASSERT_LE(distance, function.ulps) << function.name << "(" << x << ") is " << exact << ", not " << actual;
    worst = std::max(worst, distance);
  }

  void SetUp() override {
    for (unsigned bits : getVectorBits())
      ASSERT_TRUE(kernels.emplace_back(compile(bits)));
  }

  std::vector<std::unique_ptr<CompiledKernel>> kernels;
  double worst = 0;
};

TEST_P(Math, IsAsExactAsPromised) {
  // Every exponent and sign, and some mantissas.
  std::vector<float> arguments{0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f};
  append(arguments, 1, everyFloat, 2503);
  ASSERT_NO_FATAL_FAILURE(check(arguments));
  RecordProperty("worst", std::to_string(worst));
}

/// Takes minutes for each function: --gtest_also_run_disabled_tests --gtest_filter='*AtEveryFloat*'
TEST_P(Math, DISABLED_IsAsExactAsPromisedAtEveryFloat) {
  constexpr uint64_t part = uint64_t(1) << 20;
  for (uint64_t begin = 0; begin < everyFloat; begin += part) {
    std::vector<float> arguments;
    append(arguments, begin, begin + part, 1);
    ASSERT_NO_FATAL_FAILURE(check(arguments));
  }
  std::printf("%s: at most %.3f ulp\n", GetParam().name, worst);
}

double onePlusErf(double x) { return std::erfc(-x); }
double onePlusTanh(double x) { return 2 / (1 + std::exp(-2 * x)); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double cube(double x) { return x * x * x; }
double fourthPower(double x) { return (x * x) * (x * x); }

/// As `dyn.sigmoid` is lowered.
constexpr const char *sigmoidBody = R"(
          %number = arith.constant 1.0 : f32
          %limit = arith.constant 88.0 : f32
          %isAbove = arith.cmpf ogt, %a, %limit : f32
          %bounded = arith.select %isAbove, %limit, %a : f32
          %power = math.exp %bounded : f32
          %sum = arith.addf %number, %power : f32
          %1 = arith.divf %power, %sum : f32)";
constexpr const char *cubeBody = R"(
          %three = arith.constant 3.0 : f32
          %1 = math.powf %a, %three : f32)";
/// As `dyn.pow` with such a constant is lowered.
constexpr const char *fourthPowerBody = R"(
          %square = arith.mulf %a, %a : f32
          %1 = arith.mulf %square, %square : f32)";

const Function functions[] = {{"exp", std::exp, 1.0, 1e38},
                              {"exp2", std::exp2, 2.0, 1e38},
                              {"expm1", std::expm1, 2.0, 1e38},
                              {"tanh", std::tanh, 2.0, 1e38},
                              {"erf", std::erf, 2.0, 1e38},
                              {"log", std::log, 1.0, 1e39},
                              {"log2", std::log2, 3.0, 1e39},
                              {"log10", std::log10, 3.0, 1e39},
                              {"log1p", std::log1p, 3.0, 1e39},
                              {"sin", std::sin, 2.0, 1e39},
                              {"cos", std::cos, 2.0, 1e39},
                              {"tan", std::tan, 4.0, 1e39},
                              {"rsqrt", rsqrt, 1.5, 1e39},
                              {"atan", std::atan, 4.0, 1e38},
                              {"erf", onePlusErf, 1.0, 1e38, true, 1.8e-7},
                              {"tanh", onePlusTanh, 3.0, 1e38, true, 1e-38},
                              {"sigmoid", sigmoid, 2.5, 1e39, false, 0, sigmoidBody},
                              {"cube", cube, 2.0, 1e39, false, 0, cubeBody},
                              {"fourthPower", fourthPower, 3.0, 1e39, false, 0, fourthPowerBody}};

INSTANTIATE_TEST_SUITE_P(Functions, Math, testing::ValuesIn(functions),
                         [](const testing::TestParamInfo<Function> &info) {
                           return std::string(info.param.addsOne ? "one_plus_" : "") + info.param.name;
                         });

/// The only generic of a kernel computes `body`, which ends with `%y`, from `%a` and `%b`.
std::unique_ptr<CompiledKernel> compileBinary(llvm::StringRef body, unsigned bits) {
  std::string source = (llvm::Twine(R"(
    #id = affine_map<(i) -> (i)>
    func.func private @k(%x: tensor<?xf32>, %z: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
        attributes {dyn.kernel = "pointwise"} {
      %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%x, %z : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        )") + body + R"(
        linalg.yield %y : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })")
                           .str();
  std::string errors;
  auto kernel = CompiledKernel::compile(source, bits, errors);
  EXPECT_TRUE(kernel) << errors;
  return kernel;
}

float fromBits(uint32_t word) {
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}

/// Compares with `exact` at all pairs of `first` and `second`.
void checkPairs(llvm::StringRef body, const std::vector<float> &first, const std::vector<float> &second,
                double (*exact)(double, double), double ulps) {
  std::vector<float> left, right;
  for (float x : first)
    for (float y : second) {
      left.push_back(x);
      right.push_back(y);
    }
  int64_t count = int64_t(left.size());
  Tensor<float> x({count}), y({count}), out({count});
  memcpy(x.data(), left.data(), left.size() * sizeof(float));
  memcpy(y.data(), right.data(), right.size() * sizeof(float));
  for (unsigned bits : getVectorBits()) {
    auto kernel = compileBinary(body, bits);
    ASSERT_TRUE(kernel);
    kernel->run({x, y, out});
    for (int64_t i = 0; i < count; ++i) {
      double expected = exact(x[i], y[i]);
      ASSERT_LE(distanceInUlps(out[i], expected), ulps)
          << x[i] << " and " << y[i] << " give " << expected << ", not " << out[i];
      if (expected == 0)
        ASSERT_EQ(std::signbit(out[i]), std::signbit(expected)) << x[i] << " and " << y[i];
    }
  }
}

TEST(MathOfTwo, PowersAreExactToHalfAnUlp) {
  float infinity = INFINITY, none = NAN;
  std::vector<float> bases{0.0f,        -0.0f, infinity, -infinity, none,  1.0f,   -1.0f,  1.0000001f,
                           0.99999994f, -2.0f, 2.0f,     10.0f,     -3.0f, 0.5f,   1e-40f, -1e-40f,
                           3.4e38f,     1.5f,  -1.5f,    7.0f,      0.1f,  1e-20f, 1e20f,  65536.0f};
  // All exponents, a few mantissas of each.
  for (uint64_t word = 12345; word < everyFloat; word += 5000011)
    bases.push_back(fromBits(uint32_t(word)));
  std::vector<float> exponents{0.0f,   -0.0f,   infinity, -infinity,   none,         1.0f,  -1.0f,  2.0f,  -2.0f,
                               3.0f,   0.5f,    -0.5f,    1.5f,        -1.5f,        0.25f, 1e-3f,  10.0f, -11.0f,
                               127.0f, -149.0f, 1e-40f,   16777216.0f, -16777215.0f, 1e30f, -1e30f, 2.2f,  1 / 2.2f};
  for (uint64_t word = 999; word < everyFloat; word += 60000013)
    exponents.push_back(fromBits(uint32_t(word)));
  checkPairs("%y = math.powf %a, %b : f32", bases, exponents, std::pow, 0.51);
}

/// The ways to write x / 2 * (1 + erf(scale * x)) that are computed without scaling and halving, and some that are not.
TEST(MathOfTwo, GeluInEveryOrder) {
  struct Form {
    const char *scale, *rest;
    double factor;
  };
  const Form forms[] = {
      {"0.707106769", "%p = arith.mulf %a, %half : f32\n %y = arith.mulf %p, %s : f32", 0.5},
      {"0.707106769", "%p = arith.mulf %half, %a : f32\n %y = arith.mulf %s, %p : f32", 0.5},
      {"0.707106769", "%p = arith.mulf %a, %s : f32\n %y = arith.mulf %p, %half : f32", 0.5},
      {"0.707106769", "%p = arith.mulf %s, %a : f32\n %y = arith.mulf %half, %p : f32", 0.5},
      {"0.707106769", "%y = arith.mulf %s, %a : f32", 1},
      {"2.5", "%p = arith.mulf %a, %half : f32\n %y = arith.mulf %p, %s : f32", 0.5},
      {"1.0e-20", "%p = arith.mulf %a, %half : f32\n %y = arith.mulf %p, %s : f32", 0.5},
      {"-1.0", "%p = arith.mulf %a, %half : f32\n %y = arith.mulf %p, %s : f32", 0.5},
      // Read twice: the sum stays as it is.
      {"0.707106769",
       "%p = arith.mulf %a, %half : f32\n %q = arith.mulf %p, %s : f32\n %n = arith.mulf %s, %zero : f32\n"
       "%y = arith.addf %q, %n : f32",
       0.5}};
  std::vector<float> arguments{0.0f, -0.0f, 1.0f, -1.0f, 1e-40f, -1e-40f, 1e30f, -1e30f};
  for (uint64_t word = 77; word < everyFloat; word += 300007)
    if (float x = fromBits(uint32_t(word)); std::abs(x) < 1e30f)
      arguments.push_back(x);
  Tensor<float> x({int64_t(arguments.size())}), unused({int64_t(arguments.size())}), out({int64_t(arguments.size())});
  memcpy(x.data(), arguments.data(), arguments.size() * sizeof(float));
  for (const Form &form : forms)
    for (unsigned bits : getVectorBits()) {
      auto kernel =
          compileBinary((llvm::Twine("%zero = arith.constant 0.0 : f32\n %one = arith.constant 1.0 : f32\n %half = "
                                     "arith.constant 0.5 : f32\n %scale = arith.constant ") +
                         form.scale +
                         " : f32\n %t = arith.mulf %a, %scale : f32\n %e = math.erf %t : f32\n"
                         "%s = arith.addf %e, %one : f32\n" +
                         form.rest)
                            .str(),
                        bits);
      ASSERT_TRUE(kernel);
      kernel->run({x, unused, out});
      double scale = std::strtof(form.scale, nullptr);
      for (int64_t i = 0; i < int64_t(arguments.size()); ++i) {
        double sum = std::erfc(-scale * x[i]), exact = form.factor * x[i] * sum;
        // Rounding the product and, where it is done, the scaled argument, which moves the sum by at most 1e-7.
        double bound = std::abs(form.factor * x[i]) * (1.8e-7 + 1e-7) + std::abs(exact) * 1.2e-7 + 3e-45;
        ASSERT_LE(std::abs(out[i] - exact), bound)
            << form.rest << " of " << x[i] << " is " << exact << ", not " << out[i];
      }
    }
}

} // namespace
