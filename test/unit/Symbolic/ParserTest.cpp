//===- Text ------------------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Parser.h"
#include "gtest/gtest.h"

using namespace dyn::symbolic;

namespace {
struct ParserTest : testing::Test {
  std::string parse(llvm::StringRef text, Syntax syntax = Syntax::Dyn) {
    ParseError error;
    Expr expr = parseExpr(text, context, error);
    return expr ? expr.str(syntax) : std::to_string(error.column) + ": " + error.message;
  }
  std::string predicate(llvm::StringRef text) {
    ParseError error;
    std::optional<Predicate> result = parsePredicate(text, context, error);
    return result ? result->str() : std::to_string(error.column) + ": " + error.message;
  }
  std::string declarations(llvm::StringRef text) {
    ParseError error;
    auto result = parseSymbolDeclarations(text, error);
    return result ? printSymbolDeclarations(*result) : std::to_string(error.column) + ": " + error.message;
  }
  SymbolicContext context;
};
} // namespace

TEST_F(ParserTest, RollsUpWhatTheNormalFormDissolves) {
  EXPECT_EQ(parse("S mod 8"), "S mod 8");
  EXPECT_EQ(parse("S ceildiv 8"), "S ceildiv 8");
  EXPECT_EQ(parse("S ceildiv 2"), "S ceildiv 2");
  EXPECT_EQ(parse("min(S, 10)"), "min(S, 10)");
  EXPECT_EQ(parse("max(S - 1, 0)"), "max(S - 1, 0)");
  EXPECT_EQ(parse("max(min(a, b), c)"), "max(min(a, b), c)");
  EXPECT_EQ(parse("2 * (x floordiv 2) * y"), "2 * y * (x floordiv 2)");
  EXPECT_EQ(parse("-N + S"), "S - N");
  EXPECT_EQ(parse("x mod t"), "x mod t");
}

TEST_F(ParserTest, ReadsWhatExportersWrite) {
  EXPECT_EQ(parse("9*((((width - 1)//8)) + 1)"), "9 * (width ceildiv 8)");
  EXPECT_EQ(parse("floor(height/2 - 1/2) + 1"), "height ceildiv 2");
  EXPECT_EQ(parse("2.5"), "1: 5/2 is no integer");
  EXPECT_EQ(parse("n - 1/2"), "1: (2 * n - 1)/2 is no integer");
  EXPECT_EQ(parse("n/2 + 1/2"), "n ceildiv 2");
  EXPECT_EQ(parse("ceiling(s0/4)"), "s0 ceildiv 4");
  EXPECT_EQ(parse("floor((s0 + 2)/t)"), "(s0 + 2) floordiv t");
  EXPECT_EQ(parse("Max(1, s0)"), "max(s0, 1)");
  EXPECT_EQ(parse("Min(512, s12)"), "min(s12, 512)");
  EXPECT_EQ(parse("Mod(s0, 4) + s0 % 4"), "2 * (s0 mod 4)");
  EXPECT_EQ(parse("s0**2"), "s0 * s0");
  EXPECT_EQ(parse("Abs(s0)"), parse("max(s0, -s0)"));
  EXPECT_EQ(parse("0.5*s0 + 1.0"), "s0 floordiv 2 + 1");
  EXPECT_EQ(parse("tdiv(8*x, 4)"), "2 * x");
}

TEST_F(ParserTest, ReadsSizesThatWentThroughFloatsInPython) {
  EXPECT_EQ(parse("CeilToInt(IntTrueDiv(h, 2))"), "h ceildiv 2");
  EXPECT_EQ(parse("FloorToInt(IntTrueDiv(h - 1, t)) + 1"), "(h - 1) floordiv t + 1");
  EXPECT_EQ(parse("FloorToInt(1.5*ToFloat(h))"), parse("(3*h)//2"));
  EXPECT_EQ(parse("FloorToInt(FloatTrueDiv(ToFloat(h), 4.0))"), "h floordiv 4");
  EXPECT_EQ(parse("TruncToInt(IntTrueDiv(h - 7, 2))"), parse("tdiv(h - 7, 2)"));
  EXPECT_EQ(parse("TruncToInt(2.0*ToFloat(h))"), "2 * h");
  EXPECT_EQ(parse("PowByNatural(h, 2)"), "h * h");
  EXPECT_EQ(parse("TruncToInt(IntTrueDiv(h, t))"), "1: 'TruncToInt' needs a constant divisor other than 0");
  EXPECT_EQ(parse("IntTrueDiv(h, 0)"), "15: division by zero");
  EXPECT_EQ(parse("ToFloat(h, 2)"), "1: 'ToFloat' takes 1 operand");
  EXPECT_EQ(parse("ToFloat + IntTrueDiv"), "IntTrueDiv + ToFloat");
  // As a float, 0.29 is less than 0.29: floor(0.29 * 100.0) is 28.
  EXPECT_EQ(parse("FloorToInt(0.29*ToFloat(h))"), "12: the number '0.29' is held by no float");
  EXPECT_EQ(parse("floor(0.1*h)"), "7: the number '0.1' is held by no float");
}

TEST_F(ParserTest, WritesWhatSymPyReads) {
  EXPECT_EQ(parse("2*(S floordiv 2) + S mod 3", Syntax::SymPy), "2*(S//2) + S % 3");
  EXPECT_EQ(parse("S ceildiv 8", Syntax::SymPy), "(S + 7)//8");
  EXPECT_EQ(parse("min(S, 512)", Syntax::SymPy), "Min(S, 512)");
  EXPECT_EQ(parse("bcast(S, P)", Syntax::SymPy), "bcast(P, S)");
  EXPECT_EQ(parse("2 * bcast(S, P) + 1", Syntax::SymPy), "2*bcast(P, S) + 1");
  EXPECT_EQ(parse("3 * exactdiv(S, P)", Syntax::SymPy), "3*CleanDiv(S, P)");
  EXPECT_EQ(parse("3*CleanDiv(S, P)"), "3 * exactdiv(S, P)");
}

TEST_F(ParserTest, TheLowestIntegerIsReadAsItIsPrinted) {
  Expr lowest = context.getConstant(std::numeric_limits<int64_t>::min()), s = context.getSymbol("s");
  for (Expr expr : {lowest, s + lowest, floorDiv(s, lowest), s * s - s + lowest})
    for (Syntax syntax : {Syntax::Dyn, Syntax::SymPy}) {
      ParseError error;
      ASSERT_TRUE(expr);
      EXPECT_EQ(parseExpr(expr.str(syntax), context, error), expr) << expr.str(syntax) << ": " << error.message;
    }
  ParseError error;
  EXPECT_FALSE(parseExpr("9223372036854775808", context, error));
  EXPECT_FALSE(parseExpr("-9223372036854775809", context, error));
  EXPECT_FALSE(parseExpr("s + 9223372036854775808", context, error));
  // A coefficient has an opposite.
  EXPECT_FALSE(lowest * s);
  EXPECT_FALSE(parseExpr("-9223372036854775808 * s", context, error));
}

TEST_F(ParserTest, LettersOfAllScriptsArePrintedAsTheyAre) {
  for (const char *name : {"gr\xC3\xB6\xC3\x9F"
                           "e",
                           "\xE6\x97\xA5 \xE6\x9C\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(printSymbolName(name), '"' + std::string(name) + '"');
  // What is no UTF-8: a part of a character, one in too many bytes, a surrogate; and what nobody sees: C1 controls.
  EXPECT_EQ(printSymbolName("a\xC3"), "\"a\\C3\"");
  EXPECT_EQ(printSymbolName("\xC0\xAF\xC3\xB6"), "\"\\C0\\AF\xC3\xB6\"");
  EXPECT_EQ(printSymbolName("\xED\xA0\x80"), "\"\\ED\\A0\\80\"");
  EXPECT_EQ(printSymbolName("\xC2\x85"), "\"\\C2\\85\"");
  for (const char *name : {"\xC3\xB6", "a\xC3", "\xED\xA0\x80\n\"\\\xC3\xB6"})
    EXPECT_EQ(parse(printSymbolName(name)), printSymbolName(name));
}

TEST_F(ParserTest, NamesThatAreNoIdentifiersAreQuoted) {
  EXPECT_EQ(parse("\"a name\" + 1"), "\"a name\" + 1");
  EXPECT_EQ(parse("\"mod\""), "\"mod\"");
  EXPECT_EQ(parse("\"q\\\"\\\\\""), "\"q\\22\\\\\"");
  EXPECT_EQ(printSymbolName("plain_1.x$"), "plain_1.x$");
  EXPECT_EQ(printSymbolName("1x"), "\"1x\"");
  // Words with a meaning only before a parenthesis are names elsewhere.
  EXPECT_EQ(parse("max + 1"), "\"max\" + 1");
  // A slash is a division, and one by a symbol is no dim: such names are not expressions.
  EXPECT_EQ(parse("Or/Or_output_0_dim_0"),
            "1: '/' by something that is no constant needs 'floor' or 'ceiling' around it");
}

TEST_F(ParserTest, ErrorsSayWhatAndWhere) {
  EXPECT_EQ(parse(""), "1: expected an expression, found the end of the text");
  EXPECT_EQ(parse("S +"), "4: expected an expression, found the end of the text");
  EXPECT_EQ(parse("S + )"), "5: expected an expression, found ')'");
  EXPECT_EQ(parse("(S"), "3: expected ')', found the end of the text");
  EXPECT_EQ(parse("S T"), "3: expected an operator or the end of the text, found 'T'");
  EXPECT_EQ(parse("S & T"), "3: expected an operator or the end of the text, found '&'");
  EXPECT_EQ(parse("floordiv(a)"), "1: 'floordiv' takes 2 operands");
  EXPECT_EQ(parse("1/0"), "3: division by zero");
  EXPECT_EQ(parse("99999999999999999999"), "1: the number '99999999999999999999' does not fit into 64 bits");
  EXPECT_EQ(parse("9223372036854775807*s*2"), "1: a coefficient does not fit into 64 bits");
  EXPECT_EQ(parse("\"open"), "1: unterminated quoted name");
  EXPECT_EQ(parse("s ** t"), "6: expected a constant exponent, found 't'");
  EXPECT_EQ(parse("s == t"), "3: expected an operator or the end of the text, found '=='");
  EXPECT_EQ(predicate("s + t"), "1: expected a predicate, found an expression");
  EXPECT_EQ(predicate("(s == t) + 1 == 2"), "1: expected an expression, found a predicate");
}

TEST_F(ParserTest, HostileTextIsRefusedNotObeyed) {
  EXPECT_EQ(parse(std::string(100000, '(')), "102: nested more than 100 levels deep");
  EXPECT_EQ(parse(std::string(100000, '-')), "101: nested more than 100 levels deep");
  std::string power = "s", sum = "s0";
  for (int i = 0; i < 100000; ++i)
    power += "**1";
  EXPECT_EQ(parse(power), "302: nested more than 100 levels deep");
  for (int i = 1; i < 200000; ++i)
    sum += (i % 3 == 0 ? " - s" : " + s") + std::to_string(i % 700);
  ParseError error;
  Expr parsed = parseExpr(sum, context, error);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(evaluate(parsed, [](llvm::StringRef) { return 1; }), 200000 - 2 * (199999 / 3));
  std::string notNot;
  for (int i = 0; i < 1000; ++i)
    notNot += "not ";
  EXPECT_EQ(predicate(notNot + "true"), "401: nested more than 100 levels deep");
  std::string product = "(a0 + b0)";
  for (int i = 1; i < 30; ++i)
    product += "*(a" + std::to_string(i) + " + b" + std::to_string(i) + ")";
  EXPECT_EQ(parse(product), "1: too many terms in a product of sums, at most 512, found 1024");
}

TEST_F(ParserTest, ErrorsNameTheLimitAndWhatIsAboveIt) {
  auto join = [](llvm::StringRef separator, llvm::StringRef name, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i ? separator : "").str() + name.str() + std::to_string(i);
    return text;
  };
  EXPECT_EQ(parse(join(" + ", "s", 1200)), "1: too many terms, at most 1024, found 1200");
  EXPECT_EQ(parse(join("*", "s", 80)), "1: too many factors in a product, at most 64, found 65");
  EXPECT_EQ(parse("max(" + join(", ", "s", 40) + ")"), "1: too many operands, at most 32, found 40");
  EXPECT_EQ(parse("bcast(" + join(", ", "s", 300) + ")"), "1: too many operands, at most 256, found 300");
  // Those that are kept of divisions that cancel.
  std::string cancelled = "0";
  for (int i = 0; i < 1200; ++i)
    cancelled += " + 0*(s floordiv t" + std::to_string(i) + ")";
  EXPECT_EQ(parse(cancelled), "1: too many terms, at most 1024, found 1025");
  EXPECT_EQ(parse("s**17"), "4: an exponent of what is no number is at most 16, found 17");
  // Of powers of numbers, the number is what counts.
  EXPECT_EQ(parse("2**62 + (-1)**99 + 0**1000"), "4611686018427387903");
  EXPECT_EQ(parse("2**64"), "1: '2' to the power of 64 does not fit into 64 bits");
  EXPECT_EQ(parse("s + 3**100000"), "5: '3' to the power of 100000 does not fit into 64 bits");
  EXPECT_EQ(parse(std::string(1000, '9')), "1: the number '" + std::string(40, '9') + "...' does not fit into 64 bits");
}

TEST_F(ParserTest, NumbersWithLettersAreNamedAsAWhole) {
  EXPECT_EQ(parse("1e3*s"), "1: '1e3' is not read: numbers have no exponents, only digits");
  EXPECT_EQ(parse("s + 1.5E-3"), "5: '1.5E-3' is not read: numbers have no exponents, only digits");
  EXPECT_EQ(parse("2s"), "1: '2s' is no number");
  EXPECT_EQ(parse("0x10"), "1: '0x10' is no number");
  EXPECT_EQ(declarations("s: [0, 1e3]"), "8: '1e3' is no integer of 64 bits");
  // Words of the syntax may follow.
  EXPECT_EQ(predicate("s mod 2== 1or t == 2"), "s mod 2 == 1 or t == 2");
}

TEST_F(ParserTest, ErrorsShowWhatCanNotBeSeen) {
  EXPECT_EQ(parse("s \a"), "3: expected an operator or the end of the text, found '\\x07'");
  EXPECT_EQ(parse(llvm::StringRef("s \0", 3)), "3: expected an operator or the end of the text, found '\\x00'");
  EXPECT_EQ(parse("\xC3"), "1: expected an expression, found '\\xc3'");
  EXPECT_EQ(quoteAround("\"a\x1b[31m\\\" \xC3\xB6 \xED\xA0\x80", 1), "'\"a\\x1b[31m\\\" \xC3\xB6 \\xed\\xa0\\x80'");
  EXPECT_EQ(declarations("\"a\n\": int, \"a\n\": int"), "12: symbol 'a\\x0a' is declared twice");
}

TEST_F(ParserTest, ReadsPredicatesThatSymPyPrints) {
  EXPECT_EQ(predicate("Eq(Mod(s, 2), 0)"), "s mod 2 == 0");
  EXPECT_EQ(predicate("Ne(s, t + 1)"), "s != t + 1");
  EXPECT_EQ(predicate("(s > 1) & ~Eq(t, 3) | (u < 2)"), predicate("s > 1 and not t == 3 or u < 2"));
  EXPECT_EQ(predicate("Eq(s)"), "1: 'Eq' takes 2 operands");
  EXPECT_EQ(predicate("s > 1 & t < 2"), "1: expected parentheses around an operand of '&', '|' or '~'");
  EXPECT_EQ(predicate("(s > 1) | t < 2"), "11: expected parentheses around an operand of '&', '|' or '~'");
  EXPECT_EQ(predicate("~s == 3"), "2: expected parentheses around an operand of '&', '|' or '~'");
  // Marks bind tighter than words, and than comparisons wherever these stand.
  EXPECT_EQ(predicate("(a == 1) and (b == 1) | (c == 1)"), predicate("a == 1 and (b == 1 or c == 1)"));
  EXPECT_EQ(predicate("not (a == 1) & (b == 1)"), predicate("not (a == 1 and b == 1)"));
  EXPECT_EQ(predicate("(a == 1) | (b == 1) & ~(c == 1)"), predicate("a == 1 or (b == 1 and not c == 1)"));
  EXPECT_EQ(predicate("a == 1 and b == 1 & (c == 1)"), "12: expected parentheses around an operand of '&', '|' or '~'");
  EXPECT_EQ(predicate("not s > 0 & (t > 0)"), "5: expected parentheses around an operand of '&', '|' or '~'");
  EXPECT_EQ(predicate("s in 1..4 & (t > 0)"), "1: expected parentheses around an operand of '&', '|' or '~'");
  EXPECT_EQ(predicate("s & t"), "1: expected a predicate, found an expression");
  EXPECT_EQ(predicate("s <= int_oo"), "6: 'int_oo' is no size: a bound that is infinite is left out");
  EXPECT_EQ(parse("max(s, oo)"), "8: 'oo' is no size: a bound that is infinite is left out");
  // A dim may have that name.
  EXPECT_EQ(parse("\"oo\" + 1"), "\"oo\" + 1");
}

TEST_F(ParserTest, PredicatesKeepTheirStructure) {
  EXPECT_EQ(predicate("S + P <= 4096 and S != 3"), "P + S <= 4096 and S != 3");
  EXPECT_EQ(predicate("1 <= s <= 15"), "1 <= s and s <= 15");
  EXPECT_EQ(predicate("s >= 2 or s < t"), "2 <= s or s < t");
  EXPECT_EQ(predicate("x in (1, s)"), "x == 1 or x == s");
  EXPECT_EQ(predicate("x in {4}"), "x == 4");
  EXPECT_EQ(predicate("P in 0..4096"), "0 <= P and P <= 4096");
  EXPECT_EQ(predicate("P in 1..?"), "1 <= P");
  EXPECT_EQ(predicate("not (a == b or a == c) and (a == 1 or b == 1)"),
            "not (a == b or a == c) and (a == 1 or b == 1)");
  EXPECT_EQ(predicate("bc_ok(M, N)"), "M == N or M == 1 or N == 1");
  EXPECT_EQ(predicate("M ne 1"), "M != 1");
  EXPECT_EQ(predicate("(a + b)*2 == c"), "2 * a + 2 * b == c");
  EXPECT_EQ(predicate("True and false"), "true and false");
  for (llvm::StringRef text : {"a == b and (c == d or not (e < f))", "a mod 8 == 0 or (b <= c and c <= d)"})
    EXPECT_EQ(predicate(predicate(text)), predicate(text));
}

TEST_F(ParserTest, DeclarationsPrintCanonically) {
  EXPECT_EQ(declarations("B: [1, 64], S: [1, 512] mod 8 rem 0 ne {4} opt [256, 128] hint 128 from arg0[1], "
                         "u: [0, ?] bound, d: [0, ?] = S * B"),
            "B: [1, 64], S: [1, 512] mod 8 ne {4} opt [128, 256] hint 128 from arg0[1], u: [0, ?] bound, "
            "d: [0, ?] = B * S");
  EXPECT_EQ(declarations("n: [0, ?] ne 1 from arg3{2}"), "n: [0, ?] ne {1} from arg3{2}");
  EXPECT_EQ(declarations("x: int, \"a b\": [-3, 4]"), "x: [?, ?], \"a b\": [-3, 4]");
  EXPECT_EQ(declarations("mod: [0, 1]"), "\"mod\": [0, 1]");
  EXPECT_EQ(declarations(""), "");
  EXPECT_EQ(declarations("s: [5, 4]"), "4: the range is empty");
  EXPECT_EQ(declarations("s: [0, ?] mod 0"), "15: expected a modulus of at least 1");
  EXPECT_EQ(declarations("s: [0, ?] mod 4 rem 4"), "21: expected a remainder in [0, 4)");
  EXPECT_EQ(declarations("s: [0, ?], s: [0, ?]"), "12: symbol 's' is declared twice");
  EXPECT_EQ(declarations("s: [0, ?] bound from arg0[0]"), "17: a symbol has one origin");
  EXPECT_EQ(declarations("s [0, ?]"), "3: expected ':', found '['");
  EXPECT_EQ(declarations("s: [0, x]"), "8: expected an integer, found 'x'");
}

TEST_F(ParserTest, ListsOfFactsAreSplitOutsideOfNames) {
  FactTexts texts = splitFacts(R"( s <= t ; "a;b\";:" : [1, 2], t: int;; "c:d" == 1;)");
  EXPECT_EQ(llvm::to_vector(texts.declarations), (llvm::SmallVector<llvm::StringRef>{R"("a;b\";:" : [1, 2], t: int)"}));
  EXPECT_EQ(llvm::to_vector(texts.predicates), (llvm::SmallVector<llvm::StringRef>{"s <= t", R"("c:d" == 1)"}));
  EXPECT_TRUE(splitFacts(" ; ").predicates.empty());
}

TEST_F(ParserTest, ListsAreBracketed) {
  ParseError error;
  llvm::SmallVector<Expr> list;
  EXPECT_TRUE(parseExprList("[S, S + P, 768]", context, list, error));
  EXPECT_EQ(list.size(), 3u);
  list.clear();
  EXPECT_TRUE(parseExprList("[]", context, list, error));
  EXPECT_TRUE(list.empty());
  EXPECT_FALSE(parseExprList("[S", context, list, error));
  EXPECT_EQ(error.column, 3u);
  EXPECT_FALSE(parseExprList("[S] x", context, list, error));
  EXPECT_FALSE(parseExprList("S", context, list, error));
}
