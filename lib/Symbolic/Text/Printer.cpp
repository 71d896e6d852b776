//===- Text of expressions and predicates ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Node.h"
#include "Text/Keywords.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Letters of all scripts stay; bytes that are no UTF-8, and what can't be seen, are escaped.
static void printQuoted(llvm::StringRef name, llvm::raw_ostream &os) {
  auto *place = reinterpret_cast<const llvm::UTF8 *>(name.begin()),
       *end = reinterpret_cast<const llvm::UTF8 *>(name.end());
  while (place != end) {
    const llvm::UTF8 *start = place;
    llvm::UTF32 character = 0;
    bool isLetter = *place >= 0x80 &&
                    llvm::convertUTF8Sequence(&place, end, &character, llvm::strictConversion) == llvm::conversionOK &&
                    llvm::sys::unicode::isPrintable(static_cast<int>(character));
    if (!isLetter)
      place = start + 1;
    llvm::StringRef bytes(reinterpret_cast<const char *>(start), place - start);
    if (isLetter)
      os << bytes;
    else
      llvm::printEscapedString(bytes, os);
  }
}

std::string dyn::symbolic::printSymbolName(llvm::StringRef name) {
  if (isIdentifier(name) && !isKeyword(name))
    return name.str();
  std::string text = "\"";
  llvm::raw_string_ostream os(text);
  printQuoted(name, os);
  os << '"';
  return text;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

/// How tightly the place of a text binds: a text that binds less tightly gets parentheses.
enum class Binding { Sum, Product, Operand };

class TreePrinter {
public:
  using Kind = ExprTree::Kind;
  TreePrinter(llvm::raw_ostream &os, Syntax syntax) : os(os), sympy(syntax == Syntax::SymPy) {}

  void print(const ExprTree &tree, Binding binding) {
    switch (tree.kind) {
    case Kind::Constant:
      return parenthesize(tree.value < 0 && binding == Binding::Operand, [&] { os << tree.value; });
    case Kind::Symbol:
      os << printSymbolName(tree.symbol);
      return;
    case Kind::Add:
      return parenthesize(binding != Binding::Sum, [&] { printSum(tree); });
    case Kind::Mul:
      return parenthesize(binding == Binding::Operand, [&] { printProduct(tree, /*negate=*/false); });
    case Kind::FloorDiv:
    case Kind::ExactDiv:
    case Kind::CeilDiv:
    case Kind::Mod:
      return printDivision(tree, binding);
    case Kind::Min:
      return printCall(sympy ? "Min" : "min", tree);
    case Kind::Max:
      return printCall(sympy ? "Max" : "max", tree);
    case Kind::Bcast:
      return printCall("bcast", tree);
    }
  }

private:
  template <typename Print>
  void parenthesize(bool needed, Print print) {
    if (needed)
      os << '(';
    print();
    if (needed)
      os << ')';
  }

  void printCall(llvm::StringRef name, const ExprTree &tree) {
    os << name << '(';
    llvm::interleaveComma(tree.operands, os, [&](const auto &operand) { print(*operand, Binding::Sum); });
    os << ')';
  }

  static bool isNegative(const ExprTree &tree) {
    const ExprTree &first = tree.kind == Kind::Mul ? *tree.operands.front() : tree;
    return first.kind == Kind::Constant && first.value < 0;
  }

  void printSum(const ExprTree &tree) {
    for (const auto &[index, operand] : llvm::enumerate(tree.operands)) {
      bool negative = index > 0 && isNegative(*operand);
      if (index > 0)
        os << (negative ? " - " : " + ");
      if (!negative)
        print(*operand, Binding::Sum);
      else if (operand->kind == Kind::Constant)
        os << 0 - static_cast<uint64_t>(operand->value);
      else
        printProduct(*operand, /*negate=*/true);
    }
  }

  void printProduct(const ExprTree &tree, bool negate) {
    llvm::ArrayRef<std::shared_ptr<const ExprTree>> factors = tree.operands;
    bool first = true;
    auto separate = [&] {
      if (!first)
        os << (sympy ? "*" : " * ");
      first = false;
    };
    if (factors.front()->kind == Kind::Constant) {
      int64_t value = factors.front()->value;
      if (value == -1) {
        if (!negate)
          os << '-';
      } else {
        separate();
        if (negate)
          os << 0 - static_cast<uint64_t>(value);
        else
          os << value;
      }
      factors = factors.drop_front();
    }
    for (const auto &factor : factors) {
      separate();
      print(*factor, Binding::Operand);
    }
  }

  void printDivision(const ExprTree &tree, Binding binding) {
    // SymPy has neither; PyTorch has the one, and for SymPy both are functions that nobody has defined.
    if (tree.kind == Kind::ExactDiv)
      return printCall(sympy ? "CleanDiv" : "exactdiv", tree);
    if (tree.kind == Kind::CeilDiv && sympy) {
      // Python has no division that rounds up.
      const ExprTree &divisor = *tree.operands[1];
      if (divisor.kind == Kind::Constant && divisor.value > 0)
        return parenthesize(binding == Binding::Operand, [&] {
          os << '(';
          print(*tree.operands[0], Binding::Sum);
          os << " + " << divisor.value - 1 << ")//" << divisor.value;
        });
      os << "(-((-";
      print(*tree.operands[0], Binding::Operand);
      os << ")//";
      print(*tree.operands[1], Binding::Operand);
      os << "))";
      return;
    }
    llvm::StringRef name = tree.kind == Kind::CeilDiv ? " ceildiv "
                           : tree.kind == Kind::Mod   ? (sympy ? " % " : " mod ")
                                                      : (sympy ? "//" : " floordiv ");
    parenthesize(binding == Binding::Operand, [&] {
      print(*tree.operands[0], Binding::Operand);
      os << name;
      print(*tree.operands[1], Binding::Operand);
    });
  }

  llvm::raw_ostream &os;
  bool sympy;
};

} // namespace

llvm::StringRef SymbolicContext::Impl::getText(Expr expr) {
  llvm::StringRef &text = texts[expr.getNode()];
  if (text.empty()) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    // Most texts are of these, and need no tree.
    if (expr.isSymbol())
      os << printSymbolName(expr.getSymbolName());
    else if (std::optional<int64_t> constant = expr.getConstant())
      os << *constant;
    else
      TreePrinter(os, Syntax::Dyn).print(*getTree(expr), Binding::Sum);
    text = llvm::StringRef(printed).copy(allocator);
  }
  return text;
}

void Expr::print(llvm::raw_ostream &os, Syntax syntax) const {
  if (!node)
    os << "<null>";
  else if (syntax == Syntax::Dyn)
    os << node->context->getText(*this);
  else
    TreePrinter(os, syntax).print(*getTree(*this), Binding::Sum);
}

std::string Expr::str(Syntax syntax) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, syntax);
  return text;
}

llvm::raw_ostream &dyn::symbolic::operator<<(llvm::raw_ostream &os, Expr expr) {
  expr.print(os);
  return os;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

static void printPredicate(llvm::raw_ostream &os, const Predicate &predicate, Syntax syntax, bool nested) {
  using Kind = Predicate::Kind;
  auto printComparison = [&](llvm::StringRef relation) {
    predicate.lhs.print(os, syntax);
    os << ' ' << relation << ' ';
    predicate.rhs.print(os, syntax);
  };
  auto printJoined = [&](llvm::StringRef word) {
    if (nested)
      os << '(';
    llvm::interleave(
        predicate.operands, os, [&](const Predicate &operand) { printPredicate(os, operand, syntax, true); }, word);
    if (nested)
      os << ')';
  };
  switch (predicate.kind) {
  case Kind::True:
    os << "true";
    return;
  case Kind::False:
    os << "false";
    return;
  case Kind::Equal:
    return printComparison("==");
  case Kind::NotEqual:
    return printComparison("!=");
  case Kind::LessEqual:
    return printComparison("<=");
  case Kind::Less:
    return printComparison("<");
  case Kind::And:
    return printJoined(" and ");
  case Kind::Or:
    return printJoined(" or ");
  case Kind::Not:
    os << "not (";
    printPredicate(os, predicate.operands.front(), syntax, false);
    os << ')';
    return;
  }
}

void Predicate::print(llvm::raw_ostream &os, Syntax syntax) const { printPredicate(os, *this, syntax, false); }

std::string Predicate::str(Syntax syntax) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, syntax);
  return text;
}
