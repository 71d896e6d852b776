//===- What predicates tell by their words alone ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An op states its guards in one form for all dims. With some dims, parts of one
// say `M == M` or `1 <= 1`, which tells nobody what is compared.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_GUARDS_DECIDEDPARTS_H
#define DYN_LIB_ANALYSIS_GUARDS_DECIDEDPARTS_H

#include "dyn/Symbolic/Predicate.h"
#include <optional>

namespace dyn {

/// A predicate, which is complete, without those parts of it that its words decide, and with each other part said once;
/// nothing where it holds in any case.
std::optional<symbolic::Predicate> dropDecided(const symbolic::Predicate &predicate);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_GUARDS_DECIDEDPARTS_H
