/* Runs a compiled model with one input of dims [B, S] and one of [S, 5], at sizes given on the command line. */
#include "dyn-c/Runtime.h"
#include <stdio.h>
#include <stdlib.h>

static int fail(void) {
  fprintf(stderr, "%s\n", dynGetLastError());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  DynModel *model;
  if (dynModelLoad(argv[1], /*threads=*/1, &model))
    return fail();
  long long b = atoll(argv[2]), s = atoll(argv[3]);
  int64_t dims[] = {b, s, s, 5};
  int64_t *symbols = malloc(dynModelGetNumSymbols(model) * sizeof(int64_t));
  int64_t outputDims[2];
  size_t arenaBytes;
  if (dynModelCheck(model, dims, NULL, symbols, outputDims, &arenaBytes))
    return fail();
  float *x = calloc((size_t)(b * s + 1), sizeof(float)), *w = calloc((size_t)(s * 5 + 1), sizeof(float));
  float *y = calloc((size_t)(outputDims[0] * outputDims[1] + 1), sizeof(float));
  void *arena = aligned_alloc(64, (arenaBytes + 64) / 64 * 64);
  const void *inputs[] = {x, w};
  void *outputs[] = {y};
  if (dynModelRun(model, symbols, inputs, outputs, arena))
    return fail();
  printf("%s: [%lld, %lld]\n", dynModelGetOutput(model, 0).name, (long long)outputDims[0], (long long)outputDims[1]);
  free(arena), free(y), free(w), free(x), free(symbols);
  dynModelFree(model);
  return 0;
}
