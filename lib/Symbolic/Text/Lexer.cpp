//===- Tokens of the syntax ---------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Text/Lexer.h"
#include "Text/Keywords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace dyn::symbolic;

void Lexer::lexQuotedName() {
  size_t start = position++;
  std::string name;
  while (position < text.size() && text[position] != '"') {
    char c = text[position++];
    if (c == '\\' && position < text.size()) {
      char escaped = text[position++];
      if (position < text.size() && llvm::isHexDigit(escaped) && llvm::isHexDigit(text[position]))
        c = static_cast<char>(llvm::hexFromNibbles(escaped, text[position++]));
      else
        c = escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
    name += c;
  }
  if (position == text.size()) {
    token.kind = Token::Kind::Invalid;
    token.text = text.substr(start, 1);
    return;
  }
  ++position;
  token.kind = Token::Kind::QuotedName;
  token.text = text.slice(start, position);
  token.name = std::move(name);
}

/// How many characters of the text, which is not empty, are one punctuation mark; 0 if it begins with none.
static size_t getPunctuationLength(llvm::StringRef text) {
  constexpr llvm::StringLiteral single("+-*/%()[]{},:;?=<>&|~");
  char next = text.size() > 1 ? text[1] : '\0';
  switch (text.front()) {
  case '!':
    return next == '=' ? 2 : 0;
  case '.':
    return next == '.' ? 2 : 0;
  case '/':
  case '*':
    return next == text.front() ? 2 : 1;
  case '=':
  case '<':
  case '>':
    return next == '=' ? 2 : 1;
  default:
    return single.contains(text.front()) ? 1 : 0;
  }
}

void Lexer::advance() {
  while (position < text.size() && llvm::isSpace(text[position]))
    ++position;
  token = Token();
  token.column = position + 1;
  if (position == text.size())
    return;
  char c = text[position];
  size_t start = position;
  if (c == '"')
    return lexQuotedName();
  if (isIdentifierStart(c)) {
    position = std::min(text.find_if_not(isIdentifierPart, position), text.size());
    token.kind = Token::Kind::Name;
    token.text = text.slice(start, position);
    token.name = token.text.str();
    return;
  }
  auto skipDigits = [&] { position = std::min(text.find_if_not(llvm::isDigit, position), text.size()); };
  if (llvm::isDigit(c)) {
    skipDigits();
    // `0..7` is a range, `0.5` a decimal.
    if (text.substr(position).starts_with(".") && !text.substr(position).starts_with("..")) {
      ++position;
      skipDigits();
    }
    // Letters make it no number: it is to be named as a whole.
    size_t end = std::min(text.find_if_not(isIdentifierPart, position), text.size());
    llvm::StringRef letters = text.slice(position, end);
    if (!letters.empty() && isIdentifierStart(letters.front()) && !isKeyword(letters)) {
      position = end;
      if ((letters == "e" || letters == "E") &&
          (text.substr(position).starts_with("+") || text.substr(position).starts_with("-"))) {
        ++position;
        skipDigits();
      }
    }
    token.kind = Token::Kind::Number;
    token.text = text.slice(start, position);
    return;
  }
  if (size_t length = getPunctuationLength(text.substr(position))) {
    token.kind = Token::Kind::Punctuation;
    token.text = text.substr(start, length);
    position += length;
    return;
  }
  token.kind = Token::Kind::Invalid;
  // A character of several bytes is one.
  do
    ++position;
  while (position < text.size() && (text[position] & 0xC0) == 0x80);
  token.text = text.slice(start, position);
}

char Lexer::peekBehind() const {
  size_t place = text.find_if_not(llvm::isSpace, position);
  return place == llvm::StringRef::npos ? '\0' : text[place];
}

std::string dyn::symbolic::makeVisible(llvm::StringRef text) {
  std::string visible;
  auto *place = reinterpret_cast<const llvm::UTF8 *>(text.begin()),
       *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  while (place != end) {
    const llvm::UTF8 *start = place;
    llvm::UTF32 character = *place;
    bool isShown = character < 0x80 ? llvm::isPrint(static_cast<char>(character))
                                    : llvm::convertUTF8Sequence(&place, end, &character, llvm::strictConversion) ==
                                              llvm::conversionOK &&
                                          llvm::sys::unicode::isPrintable(static_cast<int>(character));
    if (place == start || !isShown)
      place = start + 1;
    if (isShown)
      visible.append(start, place);
    else
      visible += "\\x" + llvm::toHex(llvm::ArrayRef<uint8_t>(*start), /*LowerCase=*/true);
  }
  return visible;
}

std::string dyn::symbolic::shorten(llvm::StringRef token) {
  constexpr size_t shown = 40;
  if (token.size() <= shown)
    return makeVisible(token);
  // Characters of several bytes are not cut.
  size_t end = shown;
  while ((token[end] & 0xC0) == 0x80 && end > shown - 4)
    --end;
  return makeVisible(token.take_front(end)) + "...";
}

void ErrorState::failExpected(llvm::StringRef expected, const Lexer &lexer) {
  const Token &token = lexer.peek();
  if (token.kind == Token::Kind::End)
    return fail("expected " + expected + ", found the end of the text", token.column);
  if (token.kind == Token::Kind::Invalid && token.text == "\"")
    return fail("unterminated quoted name", token.column);
  fail("expected " + expected + ", found '" + shorten(token.text) + "'", token.column);
}
