//===- Reading JSON --------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "gtest/gtest.h"

using namespace dyn::runtime;

static std::string readString(const std::string &text) {
  std::optional<Json> value = parseJson("\"" + text + "\"");
  return value ? value->string : "refused";
}

TEST(JsonTest, EscapesBecomeUTF8) { EXPECT_EQ(readString("a\\n\\u0041\\u00e9\\u20ac"), "a\nA\xC3\xA9\xE2\x82\xAC"); }

TEST(JsonTest, PairsOfSurrogatesAreOneCharacter) {
  EXPECT_EQ(readString("\\ud83d\\ude00!"), "\xF0\x9F\x98\x80!");
  EXPECT_EQ(readString("\\udbff\\udfff"), "\xF4\x8F\xBF\xBF");
}

TEST(JsonTest, HalfOfAPairIsRefused) {
  for (const char *text : {"\\ud83d", "\\ud83dx", "\\ud83d\\n", "\\ud83d\\u0041", "\\ude00", "\\ud83d\\ud83d"})
    EXPECT_EQ(readString(text), "refused") << text;
}
