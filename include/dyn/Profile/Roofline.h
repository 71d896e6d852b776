//===- What a machine can do at most ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PROFILE_ROOFLINE_H
#define DYN_PROFILE_ROOFLINE_H

namespace dyn {

/// The limits that no kernel passes for long: arithmetic from registers, and memory that no cache holds.
struct Roofline {
  double operationsPerSecond = 0; ///< f32, a fused multiply-add is two
  double bytesPerSecond = 0;      ///< read in order

  /// The time below which so much work can't be done when its data come from memory.
  double getLeastSeconds(double operations, double bytes) const;
};

/// Measures both with so many threads at a time, in some tenths of a second: the best of several tries.
Roofline measureRoofline(unsigned threads);

} // namespace dyn

#endif // DYN_PROFILE_ROOFLINE_H
