//===- Reading the descriptor's JSON ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Json.h"

using namespace dyn::runtime;

const Json &Json::operator[](const char *key) const {
  static const Json null;
  auto it = object.find(key);
  return it == object.end() ? null : it->second;
}

std::vector<std::string> Json::strings() const {
  std::vector<std::string> result;
  for (const Json &element : array)
    result.push_back(element.string);
  return result;
}

namespace {

/// Recursive descent; the depth is bounded so that no text can exhaust the stack.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  std::optional<Json> readWhole() {
    Json value;
    if (!read(value, 0))
      return std::nullopt;
    skipSpace();
    return position == text.size() ? std::optional<Json>(std::move(value)) : std::nullopt;
  }

private:
  static constexpr int kMaxDepth = 32;

  void skipSpace() {
    while (position < text.size() && std::string_view(" \t\r\n").find(text[position]) != std::string_view::npos)
      ++position;
  }
  bool consume(char c) {
    skipSpace();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool consumeWord(std::string_view word) {
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }

  bool read(Json &value, int depth) {
    if (depth > kMaxDepth)
      return false;
    skipSpace();
    if (position >= text.size())
      return false;
    switch (text[position]) {
    case '{':
      return readObject(value, depth);
    case '[':
      return readArray(value, depth);
    case '"':
      value.kind = Json::Kind::String;
      return readString(value.string);
    case 'n':
      return consumeWord("null");
    case 't':
      value.kind = Json::Kind::Number;
      value.number = 1;
      return consumeWord("true");
    case 'f':
      value.kind = Json::Kind::Number;
      return consumeWord("false");
    default:
      return readNumber(value);
    }
  }

  bool readObject(Json &value, int depth) {
    value.kind = Json::Kind::Object;
    ++position;
    if (consume('}'))
      return true;
    do {
      std::string key;
      skipSpace();
      if (!readString(key) || !consume(':') || !read(value.object[key], depth + 1))
        return false;
    } while (consume(','));
    return consume('}');
  }

  bool readArray(Json &value, int depth) {
    value.kind = Json::Kind::Array;
    ++position;
    if (consume(']'))
      return true;
    do {
      if (!read(value.array.emplace_back(), depth + 1))
        return false;
    } while (consume(','));
    return consume(']');
  }

  bool readNumber(Json &value) {
    value.kind = Json::Kind::Number;
    bool negative = consume('-');
    size_t start = position;
    uint64_t magnitude = 0;
    while (position < text.size() && text[position] >= '0' && text[position] <= '9')
      magnitude = magnitude * 10 + uint64_t(text[position++] - '0');
    value.number = int64_t(negative ? 0 - magnitude : magnitude);
    return position > start;
  }

  bool readString(std::string &result) {
    if (position >= text.size() || text[position] != '"')
      return false;
    ++position;
    while (position < text.size() && text[position] != '"') {
      char c = text[position++];
      if (c == '\\' && !readEscape(c, result))
        return false;
      if (c)
        result += c;
    }
    return position < text.size() && text[position++] == '"';
  }

  /// Leaves the character in `c`, or appends what needs more than one byte and leaves 0.
  bool readEscape(char &c, std::string &result) {
    if (position >= text.size())
      return false;
    switch (char escape = text[position++]) {
    case 'n':
      c = '\n';
      return true;
    case 't':
      c = '\t';
      return true;
    case 'r':
      c = '\r';
      return true;
    case 'b':
      c = '\b';
      return true;
    case 'f':
      c = '\f';
      return true;
    case 'u':
      c = 0;
      return readCodePoint(result);
    default:
      c = escape;
      return true;
    }
  }

  /// Four hexadecimal digits.
  bool readCodeUnit(uint32_t &code) {
    code = 0;
    for (int i = 0; i < 4; ++i) {
      if (position >= text.size())
        return false;
      char digit = text[position++];
      if (digit >= '0' && digit <= '9')
        code = code * 16 + uint32_t(digit - '0');
      else if (digit >= 'a' && digit <= 'f')
        code = code * 16 + uint32_t(digit - 'a' + 10);
      else if (digit >= 'A' && digit <= 'F')
        code = code * 16 + uint32_t(digit - 'A' + 10);
      else
        return false;
    }
    return true;
  }

  /// Behind \u. Half of a pair alone is no character.
  bool readCodePoint(std::string &result) {
    uint32_t code, low;
    if (!readCodeUnit(code) || (code >= 0xDC00 && code < 0xE000))
      return false;
    if (code >= 0xD800 && code < 0xDC00) {
      if (!consumeWord("\\u") || !readCodeUnit(low) || low < 0xDC00 || low >= 0xE000)
        return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code < 0x80) {
      result += char(code);
    } else if (code < 0x800) {
      result += char(0xC0 | (code >> 6));
      result += char(0x80 | (code & 0x3F));
    } else if (code >= 0x10000) {
      result += char(0xF0 | (code >> 18));
      result += char(0x80 | ((code >> 12) & 0x3F));
      result += char(0x80 | ((code >> 6) & 0x3F));
      result += char(0x80 | (code & 0x3F));
    } else {
      result += char(0xE0 | (code >> 12));
      result += char(0x80 | ((code >> 6) & 0x3F));
      result += char(0x80 | (code & 0x3F));
    }
    return true;
  }

  std::string_view text;
  size_t position = 0;
};

} // namespace

std::optional<Json> dyn::runtime::parseJson(std::string_view text) { return Reader(text).readWhole(); }
