//===- Which values mention a symbol ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_VALUEUSERS_H
#define DYN_LIB_SYMBOLIC_VALUEUSERS_H

#include "Expressions/Node.h"
#include "Solver/PagedTable.h"
#include "llvm/ADT/STLExtras.h"

namespace dyn::symbolic {

/// Removed symbols by what their values mention, or mentioned once. Only what a value mentions that the one before it
/// did not is written down: where a row of maxima is asserted from its end, each fact changes fifty values a little.
class ValueUsers {
public:
  void add(const Atom *user, Expr value) {
    Expr former = entries.look(user->index).listed;
    if (former == value)
      return;
    llvm::SmallVector<Expr, 4> known = former ? former.getSymbols() : llvm::SmallVector<Expr, 4>();
    for (Expr symbol : value.getSymbols())
      if (!llvm::is_contained(known, symbol))
        entries.get(getSymbolAtom(symbol)->index).users.push_back(user);
    entries.get(user->index).listed = value;
  }
  llvm::ArrayRef<const Atom *> look(const Atom *symbol) const { return entries.look(symbol->index).users; }

private:
  struct Entry {
    Expr listed; ///< the value of this symbol that was added last
    llvm::SmallVector<const Atom *, 2> users;
  };
  PagedTable<Entry> entries; ///< by index in the context
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_VALUEUSERS_H
