//===- Questions that another form answers ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
using QuestionFormsTest = test::SolverFixture;
}

TEST_F(QuestionFormsTest, QuotientsAreTakenIntoMaxima) {
  expectYes("min(s//2, t//2)//2 == min(s, t)//4");
  expectYes("min(s//2, t//2) mod 5 == (min(s, t)//2) mod 5");
  expectYes("ceildiv(min(s//2, t//2), 5) == ceildiv(min(s, t)//2, 5)");
  expectYes("ceildiv(max(s - 0, 0), 4) + ceildiv(max(s - 1, 0), 4) + ceildiv(max(s - 2, 0), 4) + "
            "ceildiv(max(s - 3, 0), 4) == s");
  expectYes("min(s//2, t//2)//2 <= min(s, t)//4 and min(s//2, t//2)//2 != min(s, t)//4 + 1");
  expectUnknown("min(s//2, t//2)//2 == min(s + 1, t)//4");
  expectUnknown("min(s//2, t//2)//2 < min(s, t + 1)//4");
  expectUnknown("ceildiv(max(s, 0), 4) + ceildiv(max(s - 1, 0), 4) + ceildiv(max(s - 3, 0), 4) == s");
}

TEST_F(QuestionFormsTest, HalvesOfMaximaAreTakenIntoThem) {
  expectYes("min((h - 1)//2 + 1, (w - 1)//2 + 1)//2 == (min(h, w) + 1)//4");
  expectUnknown("min((h - 1)//2 + 1, (w - 1)//2 + 1)//2 == (min(h, w) + 2)//4");
}

TEST_F(QuestionFormsTest, WhatAllTermsShareIsTakenOut) {
  // Halves of a number of patches, of every row of every image.
  expectYes("b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8) == b*r*(w ceildiv 4)");
  expectYes("b*r*(w ceildiv 4) <= b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8)");
  expectNo("b*r*(w ceildiv 4) < b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8)");
  expectUnknown("b*r*((w + 3) floordiv 8) + b*r*(w floordiv 8) == b*r*(w ceildiv 4)");
  expectUnknown("b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8) != b*r*(w floordiv 4)");
  // A factor that may be negative turns an order.
  expectUnknown("(b - s)*((w + 3) floordiv 8) + (b - s)*(w ceildiv 8) <= (b - s)*(w ceildiv 4) + b - s");
  // Where a factor is 0, a quotient may have no value.
  expectUnknown("b*(s floordiv b) + b*((w + 3) floordiv 8) + b*(w ceildiv 8) == b*(s floordiv b) + b*(w floordiv 4)");
  expectUnknown("b*(s*b floordiv b) == b*s");
}
