//===- What users say about declared dims ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNX/DimSpec.h"
#include "dyn/Symbolic/LinearForms.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace dyn;
using namespace dyn::onnx;
using symbolic::SymbolFacts;

template <typename... Ts>
static Error invalid(const Ts &...parts) {
  std::string message;
  (message.append(StringRef(parts).str()), ...);
  return createStringError(inconvertibleErrorCode(), message);
}

static Expected<int64_t> parseSize(StringRef text, StringRef whole) {
  int64_t value;
  text = text.trim();
  if (text.getAsInteger(10, value))
    return invalid("expected a number instead of '", text, "' in '", whole, "'");
  return value;
}

Error onnx::verifyDimFacts(const SymbolFacts &facts) {
  if (facts.range.lower && *facts.range.lower < 0)
    return invalid("a dim is never below 0, so ", std::to_string(*facts.range.lower), " can't be its lower bound");
  if (facts.range.upper && *facts.range.upper < facts.range.lower.value_or(0))
    return invalid("the range ", std::to_string(facts.range.lower.value_or(0)), "..",
                   std::to_string(*facts.range.upper), " is empty");
  if (facts.modulus < 1)
    return invalid("the divisor ", std::to_string(facts.modulus), " is not positive");
  if (facts.range.upper && symbolic::getAnyValue(facts) > *facts.range.upper)
    return invalid("no size of ", std::to_string(facts.range.lower.value_or(0)), "..",
                   std::to_string(*facts.range.upper), " is a multiple of ", std::to_string(facts.modulus));
  for (int64_t likely : facts.likely)
    if (likely < 0 || !symbolic::allows(facts, likely))
      return invalid("the likely size ", std::to_string(likely), " is not one of the sizes allowed");
  return Error::success();
}

static Error parseBounds(StringRef text, StringRef whole, symbolic::Range &range) {
  if (!text.contains("..")) {
    Expected<int64_t> size = parseSize(text, whole);
    if (!size)
      return size.takeError();
    range = {*size, *size};
    return Error::success();
  }
  auto [low, high] = text.split("..");
  if (!low.trim().empty()) {
    Expected<int64_t> bound = parseSize(low, whole);
    if (!bound)
      return bound.takeError();
    range.lower = *bound;
  }
  if (!high.trim().empty() && high.trim() != "?") {
    Expected<int64_t> bound = parseSize(high, whole);
    if (!bound)
      return bound.takeError();
    range.upper = *bound;
  }
  return Error::success();
}

/// Braces may be missing: shells expand `@{1,8}` to one argument for each size.
static Error parseLikely(StringRef text, StringRef whole, SymbolFacts &facts) {
  text = text.trim();
  if (text.consume_front("{") != text.consume_back("}"))
    return invalid("expected '{' sizes '}' after '@' in '", whole, "'");
  SmallVector<StringRef> sizes;
  text.split(sizes, ',');
  for (StringRef size : sizes) {
    Expected<int64_t> value = parseSize(size, whole);
    if (!value)
      return value.takeError();
    facts.likely.push_back(*value);
  }
  return Error::success();
}

Expected<SymbolFacts> onnx::parseDimRange(StringRef text) {
  SymbolFacts facts;
  auto [beforeLikely, likely] = text.split('@');
  auto [bounds, divisor] = beforeLikely.split(':');
  if (Error error = parseBounds(bounds, text, facts.range))
    return std::move(error);
  if (beforeLikely.contains(':')) {
    Expected<int64_t> value = parseSize(divisor, text);
    if (!value)
      return value.takeError();
    facts.modulus = *value;
  }
  if (text.contains('@'))
    if (Error error = parseLikely(likely, text, facts))
      return std::move(error);
  if (Error error = verifyDimFacts(facts))
    return invalid(toString(std::move(error)), " in '", text, "'");
  return facts;
}

Expected<std::pair<std::string, SymbolFacts>> onnx::parseDimSpec(StringRef text) {
  auto [name, range] = text.rsplit('=');
  if (name.empty() || name.size() == text.size())
    return invalid("expected NAME=RANGE instead of '", text, "'");
  Expected<SymbolFacts> facts = parseDimRange(range);
  if (!facts)
    return invalid("dim '", name, "': ", toString(facts.takeError()));
  return std::make_pair(name.str(), *facts);
}

bool onnx::isUnnamedDim(StringRef text) {
  return text.empty() || text == "?" || text == "-1" || text == "None" || text.starts_with("unk__");
}

/// The elements of `[N, 3, ?, S + P]`. Commas inside parentheses belong to an element.
static SmallVector<StringRef> splitList(StringRef list) {
  SmallVector<StringRef> elements;
  list = list.trim();
  list.consume_front("[");
  list.consume_back("]");
  if (list.trim().empty())
    return elements;
  size_t start = 0, depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < list.size(); ++i) {
    quoted ^= list[i] == '"';
    if (quoted)
      continue;
    depth += list[i] == '(';
    depth -= list[i] == ')' && depth;
    if (list[i] == ',' && !depth) {
      elements.push_back(list.slice(start, i));
      start = i + 1;
    }
  }
  elements.push_back(list.substr(start));
  return elements;
}

static Expected<symbolic::Expr> parseDim(StringRef text, symbolic::SymbolicContext &context) {
  text = text.trim();
  if (text.empty())
    return invalid("it is empty; a dim without a name is ?");
  if (isUnnamedDim(text))
    return symbolic::Expr();
  symbolic::ParseError error;
  symbolic::Expr expr = symbolic::parseExpr(text, context, error);
  if (!expr)
    return invalid(error.message, " at column ", std::to_string(error.column),
                   "; a name that is no identifier needs quotes");
  // A size has some value somewhere.
  auto isSizeAt = [&](int64_t point) {
    std::optional<int64_t> value = evaluate(expr, [&](StringRef) { return std::optional<int64_t>(point); });
    return value && *value >= 0;
  };
  constexpr int64_t kPoints[] = {0, 1, 2, 3, 1000};
  if (llvm::none_of(kPoints, isSizeAt))
    return invalid("it is negative or divides by zero");
  return expr;
}

Expected<SmallVector<symbolic::Expr>> onnx::parseDimList(StringRef list, symbolic::SymbolicContext &context) {
  SmallVector<symbolic::Expr> dims;
  if (!list.trim().starts_with("[") || !list.trim().ends_with("]"))
    return invalid("expected [DIM, ...] instead of '", list, "'");
  for (auto [index, element] : llvm::enumerate(splitList(list))) {
    Expected<symbolic::Expr> dim = parseDim(element, context);
    if (!dim)
      return invalid("dim ", std::to_string(index), ", '", element.trim(), "': ", toString(dim.takeError()));
    dims.push_back(*dim);
  }
  return dims;
}

Expected<std::pair<std::string, std::string>> onnx::parseInputDimsSpec(StringRef text) {
  size_t split = text.contains("=[") ? text.rfind("=[") : text.find('=');
  if (split == StringRef::npos || split == 0)
    return invalid("expected INPUT=[DIM,...] instead of '", text, "'");
  symbolic::SymbolicContext context;
  StringRef name = text.substr(0, split), list = text.substr(split + 1);
  if (Expected<SmallVector<symbolic::Expr>> dims = parseDimList(list, context); !dims)
    return invalid("dims of input '", name, "': ", toString(dims.takeError()));
  return std::make_pair(name.str(), list.str());
}

Expected<InputValues> onnx::parseInputValuesSpec(StringRef text) {
  auto [name, list] = text.rsplit('=');
  if (name.empty() || name.size() == text.size())
    return invalid("expected INPUT=VALUE,... instead of '", text, "'");
  InputValues result{name.str(), {}};
  SmallVector<StringRef> values;
  list.split(values, ',');
  for (StringRef value : values) {
    value = value.trim();
    if (value == "true" || value == "false") {
      result.values.push_back(value == "true");
      continue;
    }
    int64_t number;
    if (value.getAsInteger(10, number))
      return invalid("values of '", name, "': expected an integer of 64 bits instead of '", value, "' in '", list, "'");
    result.values.push_back(number);
  }
  return result;
}

symbolic::Expr onnx::parseDimText(StringRef text, symbolic::SymbolicContext &context) {
  text = text.trim();
  if (isUnnamedDim(text))
    return {};
  symbolic::ParseError error;
  symbolic::Expr expr = symbolic::parseExpr(text, context, error);
  // Names that begin with a control character are the engine's own.
  std::string name;
  llvm::raw_string_ostream os(name);
  if (!expr && static_cast<unsigned char>(text.front()) < ' ')
    printEscapedString(text, os);
  if (!expr)
    return context.getSymbol(name.empty() ? text : StringRef(name));
  return expr.getConstant() && *expr.getConstant() < 0 ? symbolic::Expr() : expr;
}
