//===- What points show of a predicate -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_SEENTRUTHS_H
#define DYN_LIB_SYMBOLIC_SEENTRUTHS_H

namespace dyn::symbolic {

/// Is a predicate true, is it false, at some point where all facts hold?
struct SeenTruths {
  bool isTrue = false, isFalse = false;
  bool areBoth() const { return isTrue && isFalse; }
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SEENTRUTHS_H
