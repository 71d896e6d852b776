//===- Reference evaluation of what computes strings -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Strings.h"
#include "Pairs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <clocale>
#include <cwctype>
#include <re2/re2.h>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;
using llvm::UTF32;
using llvm::UTF8;

static Result evaluateConcat(StringConcatOp op, Operands operands, const ReferenceScope &) {
  Result result = allocateBroadcast(op, operands);
  if (failed(result))
    return failure();
  mapPairs<uint64_t, uint64_t, uint64_t>(operands[0], operands[1], *result, [&](uint64_t lhs, uint64_t rhs) {
    return getNumberOfString((getStringOfNumber(lhs) + getStringOfNumber(rhs)).str(), op.getContext());
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Large and small letters
//===----------------------------------------------------------------------===//

/// What knows the letters of all languages; null where the C library lacks it.
static locale_t getUnicode() {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t());
  return unicode;
}

static std::string changeCase(StringRef text, bool upper, locale_t unicode) {
  std::string changed;
  const auto *begin = reinterpret_cast<const UTF8 *>(text.begin()), *end = reinterpret_cast<const UTF8 *>(text.end());
  while (begin != end) {
    const UTF8 *next = begin;
    UTF32 letter;
    if (llvm::convertUTF8Sequence(&next, end, &letter, llvm::strictConversion) != llvm::conversionOK) {
      changed += static_cast<char>(*begin++);
      continue;
    }
    begin = next;
    auto wide = static_cast<wint_t>(letter);
    char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *place = bytes;
    (void)llvm::ConvertCodePointToUTF8(upper ? towupper_l(wide, unicode) : towlower_l(wide, unicode), place);
    changed.append(bytes, place);
  }
  return changed;
}

static Result evaluateCase(StringCaseOp op, Operands operands, const ReferenceScope &) {
  Result result = allocate(op, operands[0].getElementType(), operands[0].getDims());
  if (failed(result))
    return failure();
  locale_t unicode = getUnicode();
  if (!unicode)
    return emitError(op) << "the C library lacks the locale C.UTF-8, which tells small and large letters";
  llvm::transform(operands[0].getElements<uint64_t>(), result->getMutableElements<uint64_t>(), [&](uint64_t number) {
    return getNumberOfString(changeCase(getStringOfNumber(number), op.getUpper(), unicode), op.getContext());
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Regular expressions
//===----------------------------------------------------------------------===//

static re2::StringPiece toPiece(StringRef text) { return {text.data(), text.size()}; }

static RE2::Options getQuietOptions() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

std::string dyn::findPatternError(StringRef pattern) { return RE2(toPiece(pattern), getQuietOptions()).error(); }

static Result evaluateMatch(StringMatchOp op, Operands operands, const ReferenceScope &) {
  RE2 pattern(toPiece(op.getPattern()), getQuietOptions());
  if (!pattern.ok())
    return emitError(op) << "'" << op.getPattern() << "' is no regular expression: " << pattern.error();
  SmallVector<int64_t> matches;
  for (uint64_t number : operands[0].getElements<uint64_t>())
    matches.push_back(RE2::FullMatch(toPiece(getStringOfNumber(number)), pattern));
  return makeIntegers(op, matches, operands[0].getDims(), getResultElementType(op));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The parts of `text`, as the ops describe them.
static SmallVector<StringRef> split(StringRef text, StringRef delimiter, int64_t maxSplits) {
  constexpr StringLiteral blanks = " \t\n\v\f\r";
  bool splitsAtBlanks = delimiter.empty();
  if (splitsAtBlanks)
    text = text.trim(blanks);
  SmallVector<StringRef> parts;
  if (splitsAtBlanks && text.empty())
    return parts;
  while (static_cast<int64_t>(parts.size()) != maxSplits) {
    size_t place = splitsAtBlanks ? text.find_first_of(blanks) : text.find(delimiter);
    if (place == StringRef::npos)
      break;
    parts.push_back(text.take_front(place));
    text = splitsAtBlanks ? text.drop_front(place).ltrim(blanks) : text.drop_front(place + delimiter.size());
  }
  parts.push_back(text);
  return parts;
}

static Result evaluateCount(StringCountOp op, Operands operands, const ReferenceScope &) {
  auto maxSplits = static_cast<int64_t>(op.getMaxSplits());
  SmallVector<int64_t> counts;
  for (uint64_t number : operands[0].getElements<uint64_t>())
    counts.push_back(static_cast<int64_t>(split(getStringOfNumber(number), op.getDelimiter(), maxSplits).size()));
  return makeIntegers(op, counts, operands[0].getDims(), getResultElementType(op));
}

static Result evaluatePart(StringPartOp op, Operands operands, const ReferenceScope &) {
  FailureOr<Dims> dims = broadcast(op, {operands[0].getDims(), operands[1].getDims()});
  if (failed(dims))
    return failure();
  Result result = allocate(op, operands[0].getElementType(), *dims);
  if (failed(result))
    return failure();
  Result indices =
      makeIntegers(op, operands[1].getIntegers(), operands[1].getDims(), IntegerType::get(op.getContext(), 64));
  if (failed(indices))
    return failure();
  // Most often the parts of a string stand beside each other.
  uint64_t last = 0;
  SmallVector<StringRef> parts = split({}, op.getDelimiter(), static_cast<int64_t>(op.getMaxSplits()));
  mapPairs<uint64_t, int64_t, uint64_t>(operands[0], *indices, *result, [&](uint64_t number, int64_t index) {
    if (number != last)
      parts = split(getStringOfNumber(number), op.getDelimiter(), static_cast<int64_t>(op.getMaxSplits()));
    last = number;
    bool isThere = index >= 0 && index < static_cast<int64_t>(parts.size());
    return getNumberOfString(isThere ? parts[static_cast<size_t>(index)] : StringRef(), op.getContext());
  });
  return result;
}

void reference::attachStringModels(MLIRContext *context) {
  attach<StringConcatOp, evaluateConcat>(context);
  attach<StringCaseOp, evaluateCase>(context);
  attach<StringMatchOp, evaluateMatch>(context);
  attach<StringCountOp, evaluateCount>(context);
  attach<StringPartOp, evaluatePart>(context);
}
