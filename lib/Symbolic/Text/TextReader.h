//===- Recursive descent over expressions and predicates ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   disjunction := conjunction ('or' conjunction)*
//   conjunction := negation ('and' negation)*
//   negation    := 'not' negation | comparison
//   comparison  := sum ((== != ne < <= > >=) sum)* | sum 'in' set
//   set         := '(' sum (',' sum)* ')' | '{' ... '}' | bound '..' bound
//   sum         := product (('+' | '-') product)*
//   product     := sign (('*' | '/' | '//' | '%' | 'floordiv' | 'ceildiv' | 'mod') sign)*
//   sign        := ('-' | '+') sign | power
//   power       := primary ('**' sign)?
//   primary     := number | name | function '(' ... ')' | '(' disjunction ')'
//
// Expressions are fractions while they are read, since SymPy writes
// `floor(height/2 - 1/2)`.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_TEXTREADER_H
#define DYN_LIB_SYMBOLIC_TEXTREADER_H

#include "Text/Lexer.h"

namespace dyn::symbolic {

class TextReader {
public:
  /// With `promises`, what has a value nowhere is an error, and they receive what `exactdiv` and `bcast` promise. Text
  /// that is printed is read without: facts may have put 0 where a divisor was.
  TextReader(llvm::StringRef text, SymbolicContext &context, ParseError &error,
             std::vector<Predicate> *promises = nullptr)
      : lexer(text), context(context), errors(error), promises(promises) {}

  // Null or nothing after an error.
  Expr readExpr();
  std::optional<Predicate> readPredicate();

  Lexer &getLexer() { return lexer; }
  ErrorState &getErrors() { return errors; }
  /// Fails unless the whole text was read.
  void expectEnd();
  bool expect(llvm::StringRef punctuation);

private:
  struct Fraction {
    Expr numerator, denominator; ///< the denominator is 1 or was written
  };
  /// What a piece of text stands for: an expression or a predicate.
  struct Value {
    Fraction number;
    std::optional<Predicate> predicate;
    size_t column = 1;
    bool isComparison = false; ///< one that no parentheses enclose
  };
  /// The operand of `&`, `|` or `~`, which in Python bind tighter than comparisons.
  Predicate getEnclosed(Value value);

  // From what binds least to what binds most, as in Python: `or`, `and`, `not`, `|`, `&`, `~`.
  /// One operand, or several joined by a word.
  template <Value (TextReader::*readOperand)()>
  Value readJoined(Predicate::Kind kind, llvm::StringRef word);
  /// The same of a mark.
  template <Value (TextReader::*readOperand)()>
  Value readMarked(Predicate::Kind kind, llvm::StringRef mark);
  Value readDisjunction();
  Value readConjunction();
  Value readNegation();
  Value readMarkedDisjunction();
  Value readMarkedConjunction();
  Value readMarkedNegation();
  Value readComparison();
  std::optional<Predicate> readSet(Expr element);
  Value readSum();
  /// The sum, or the difference.
  Value add(const Value &left, const Value &right, bool minus);
  Value readProduct();
  Value readSign();
  bool isLowestInteger() const;
  Value readPower();
  Value readPrimary();
  Value readNumber();
  enum class Function : uint8_t;
  struct FunctionName;
  /// Null for what is none.
  static const FunctionName *findFunction(llvm::StringRef text);
  std::optional<Value> readFunction();
  Value callOnNumbers(Function function, const Token &name, llvm::ArrayRef<Value> arguments);
  Expr callOnIntegers(Function function, const Token &name, llvm::ArrayRef<Expr> operands);
  /// Of what divides.
  void checkDivisor(Function function, Expr divisor, size_t column);
  llvm::SmallVector<Value> readArguments(bool areSides);

  Fraction makeFraction(Expr numerator, Expr denominator);
  Fraction makeInteger(Expr expr) { return {expr, context.getConstant(1)}; }
  /// How a value came about, for the message if it has no expression.
  enum class Joined { Sum, Product, Call };
  Value makeValue(Fraction number, size_t column, Joined joined = Joined::Call, llvm::ArrayRef<Expr> operands = {});
  Value makeInteger(Expr expr, size_t column, llvm::ArrayRef<Expr> operands) {
    return makeValue(makeInteger(expr), column, Joined::Call, operands);
  }
  /// Which limit the result of such operands is above.
  static std::string describeLimit(Joined joined, llvm::ArrayRef<Expr> operands);
  Value makeValue(Predicate predicate, size_t column) { return {{}, std::move(predicate), column}; }
  Fraction getNumber(const Value &value);
  Expr getInteger(const Value &value);
  Predicate getPredicate(Value value);

  // What has to have a value, as it is written.
  /// Of what rounds.
  void noteDivisor(Expr divisor, size_t column);
  void promise(const Predicate &predicate, const llvm::Twine &otherwise, size_t column);
  /// `(2 * s + 1)/2`, for people.
  static std::string describeFraction(Expr numerator, Expr denominator);
  /// `isWritten` as such, or as a fraction.
  Expr divideExactly(Expr dividend, Expr divisor, bool isWritten, size_t column);
  Expr broadcast(llvm::ArrayRef<Expr> operands, size_t column);
  /// A side of a comparison, or a whole expression. It has no value where a divisor that was written since there were
  /// so many is 0, though nothing may be left of that division.
  Expr getSide(const Value &value, size_t firstDivisor);

  Expr truncatingDiv(Expr dividend, Expr divisor, const Token &function);
  /// `a/b`, which need not be an integer.
  Value divide(const Value &dividend, const Value &divisor);
  /// `a**b`
  Value raise(const Value &base, const Value &power);
  /// Joins predicates, taking the operands of those that are of the same kind already.
  static Predicate join(Predicate::Kind kind, std::vector<Predicate> operands);

  Lexer lexer;
  SymbolicContext &context;
  ErrorState errors;
  /// Goes one level deeper, where that is not too deep.
  void enter(size_t column, bool isOperand = false);
  unsigned depth = 0;         ///< of what is read
  std::vector<Expr> divisors; ///< as they were written, of what is read
  std::vector<Predicate> *promises;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_TEXTREADER_H
