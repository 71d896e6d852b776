//===- Matrix products -----------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Panels of `kColumns` columns keep their accumulators in the first-level cache; four
// rows at a time share each load and conversion of `b`. The innermost loop runs along
// rows of `b`, so that it vectorises.
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include <algorithm>

// The same code for wider vectors where the processor has them; chosen when the program is loaded.
#if defined(__x86_64__) && defined(__ELF__)
#define DYN_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DYN_CLONES
#endif

static constexpr int64_t kColumns = 256;
static constexpr int64_t kRows = 4;

/// One panel of `width` columns and `height` rows.
template <typename T>
static inline __attribute__((always_inline)) void multiplyPanel(const T *a, const T *b, T *c, int64_t height,
                                                                int64_t width, int64_t columns, int64_t depth) {
  double sums[kRows][kColumns];
  for (int64_t row = 0; row < kRows; ++row)
    std::fill(sums[row], sums[row] + width, 0.0);
  if (height == kRows) {
    for (int64_t k = 0; k < depth; ++k) {
      const T *line = b + k * columns;
      const double a0 = a[k], a1 = a[depth + k], a2 = a[2 * depth + k], a3 = a[3 * depth + k];
      for (int64_t j = 0; j < width; ++j) {
        const double value = line[j];
        sums[0][j] += a0 * value;
        sums[1][j] += a1 * value;
        sums[2][j] += a2 * value;
        sums[3][j] += a3 * value;
      }
    }
  } else {
    for (int64_t row = 0; row < height; ++row)
      for (int64_t k = 0; k < depth; ++k) {
        const T *line = b + k * columns;
        const double factor = a[row * depth + k];
        for (int64_t j = 0; j < width; ++j)
          sums[row][j] += factor * static_cast<double>(line[j]);
      }
  }
  for (int64_t row = 0; row < height; ++row)
    for (int64_t j = 0; j < width; ++j)
      c[row * columns + j] = static_cast<T>(sums[row][j]);
}

template <typename T>
static inline __attribute__((always_inline)) void multiplyAll(const T *a, const T *b, T *c, int64_t rows,
                                                              int64_t columns, int64_t depth) {
  for (int64_t column = 0; column < columns; column += kColumns)
    for (int64_t row = 0; row < rows; row += kRows)
      multiplyPanel(a + row * depth, b + column, c + row * columns + column, std::min(kRows, rows - row),
                    std::min(kColumns, columns - column), columns, depth);
}

DYN_CLONES void dyn::reference::multiply(const float *a, const float *b, float *c, int64_t rows, int64_t columns,
                                         int64_t depth) {
  multiplyAll(a, b, c, rows, columns, depth);
}

DYN_CLONES void dyn::reference::multiply(const double *a, const double *b, double *c, int64_t rows, int64_t columns,
                                         int64_t depth) {
  multiplyAll(a, b, c, rows, columns, depth);
}
