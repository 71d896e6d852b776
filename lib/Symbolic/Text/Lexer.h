//===- Tokens of the syntax -------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_LEXER_H
#define DYN_LIB_SYMBOLIC_LEXER_H

#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/Twine.h"

namespace dyn::symbolic {

struct Token {
  enum class Kind : uint8_t {
    End,
    Name,        ///< an identifier or a word of the syntax
    QuotedName,  ///< `name` holds it without quotes and escapes
    Number,      ///< digits, with a point or not; no number where letters follow
    Punctuation, ///< one of + - * / // % ** ( ) [ ] { } , : ; ? = == != < <= > >= ..
    Invalid,
  };
  Kind kind = Kind::End;
  llvm::StringRef text;
  size_t column = 1;
  std::string name;
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text(text) { advance(); }

  const Token &peek() const { return token; }
  Token take() {
    Token result = std::move(token);
    advance();
    return result;
  }
  bool is(llvm::StringRef punctuation) const {
    return token.kind == Token::Kind::Punctuation && token.text == punctuation;
  }
  bool isWord(llvm::StringRef word) const { return token.kind == Token::Kind::Name && token.text == word; }
  bool isEnd() const { return token.kind == Token::Kind::End; }
  bool consume(llvm::StringRef punctuation) {
    bool found = is(punctuation);
    if (found)
      advance();
    return found;
  }
  bool consumeWord(llvm::StringRef word) {
    bool found = isWord(word);
    if (found)
      advance();
    return found;
  }
  /// The character behind the current token and any space.
  char peekBehind() const;

private:
  void advance();
  void lexQuotedName();

  llvm::StringRef text;
  size_t position = 0;
  Token token;
};

/// The text as an error shows it: what can't be seen is escaped.
std::string makeVisible(llvm::StringRef text);
/// The same of a token, without most of a long one.
std::string shorten(llvm::StringRef token);

/// Keeps the first error.
class ErrorState {
public:
  explicit ErrorState(ParseError &error) : error(error) { error = {}; }
  bool failed() const { return isFailed; }
  void fail(const llvm::Twine &message, size_t column) {
    if (isFailed)
      return;
    isFailed = true;
    error.message = message.str();
    error.column = column;
  }
  /// "expected X, found Y" at the lexer's token.
  void failExpected(llvm::StringRef expected, const Lexer &lexer);

private:
  ParseError &error;
  bool isFailed = false;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_LEXER_H
