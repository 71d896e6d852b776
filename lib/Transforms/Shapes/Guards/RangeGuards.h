//===- Guards that say no more than ranges of symbols ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What is found of them here is what the engine would say, which takes longer to
// learn what is declared than to answer.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_RANGEGUARDS_H
#define DYN_LIB_TRANSFORMS_SHAPES_RANGEGUARDS_H

#include "dyn/Transforms/Shapes/NeededGuards.h"

namespace dyn {

/// `lower <= symbol and symbol <= upper and symbol mod m == r`, as far as it says more than `facts`.
symbolic::Predicate describeFacts(symbolic::Expr symbol, const symbolic::SymbolFacts &now,
                                  const symbolic::SymbolFacts &facts);

/// Another way to say a guard where nothing is declared but ranges of symbols: nothing for one that needs the engine.
std::optional<symbolic::Predicate> simplifyBound(const symbolic::Predicate &guard,
                                                 llvm::ArrayRef<symbolic::SymbolDeclaration> symbols);

/// What is needed of guards each of which says something of other symbols than all others, of whose ranges alone it can
/// be read: bounds of one symbol, and equalities of two. Nothing where the engine has to be asked.
std::optional<llvm::SmallVector<NeededGuard>> findNeededOfRanges(llvm::ArrayRef<symbolic::Predicate> guards,
                                                                 llvm::ArrayRef<symbolic::SymbolDeclaration> symbols);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_RANGEGUARDS_H
