/* An artefact written by hand: y = 2 * x for x : float32[n], with the guard n <= 100, a size that is too
 * large beyond n = 1000, and an index error when x[0] is
 * negative. The test builds it with another format version as well, and with a program before it (or alone) that no
 * machine can run. */
#include "dyn/Runtime/ArtefactABI.h"

#ifndef FAKE_VERSION
#define FAKE_VERSION DYN_ARTEFACT_VERSION
#endif

#define MODEL                                                                                                          \
  " \"cuda_archs\": [],"                                                                                               \
  " \"inputs\": [{\"name\": \"x\", \"element_type\": 1, \"dims\": [\"n\"]}],"                                          \
  " \"outputs\": [{\"name\": \"y\", \"element_type\": 1, \"dims\": [\"n\"]}],"                                         \
  " \"symbols\": [{\"name\": \"n\", \"facts\": \"[0, ?]\", \"input\": \"x\", \"dim\": 0, \"element\": -1}],"           \
  " \"symbol_facts\": \"n: [0, ?] from arg0[0]\","                                                                     \
  " \"guards\": ["                                                                                                     \
  "  {\"kind\": \"guard\", \"predicate\": \"n <= 100\", \"because\": \"rows of \\\"table\\\"\", \"node\": "            \
  "\"/emb/Gather\","                                                                                                   \
  "   \"symbols\": [\"n\"], \"input\": \"\", \"dim\": -1},"                                                            \
  "  {\"kind\": \"index\", \"predicate\": \"\", \"because\": \"\", \"node\": \"/Take\", \"symbols\": [],"              \
  "   \"input\": \"\", \"dim\": -1},"                                                                                  \
  "  {\"kind\": \"size\", \"predicate\": \"\", \"because\": \"\", \"node\": \"/Big\", \"symbols\": [],"                \
  "   \"input\": \"\", \"dim\": -1}],"                                                                                 \
  " \"launches\": [{\"kernel\": \"double\", \"kind\": \"pointwise\", \"nodes\": [\"/Double\", \"/Take\"],"             \
  "   \"operations\": \"n\", \"bytes\": \"8 * n\"}],"                                                                  \
  " \"arena\": \"64\"}"

static const char descriptor[] = "{\"target_cpu\": \"x86-64\", \"cpu_features\": []," MODEL;

static int32_t check(const int64_t *inputDims, const void *const *inputData, int64_t *symbols, int64_t *outputDims,
                     int64_t *arenaBytes, DynErrorRecord *error) {
  (void)inputData;
  symbols[0] = inputDims[0];
  if (symbols[0] > 1000) {
    error->guard = 2;
    error->numValues = 0;
    return 1;
  }
  if (symbols[0] > 100) {
    error->guard = 0;
    error->numValues = 1;
    error->values[0] = symbols[0];
    return 1;
  }
  if (outputDims)
    outputDims[0] = symbols[0];
  if (arenaBytes)
    *arenaBytes = 64;
  return 0;
}

struct Arguments {
  const float *x;
  float *y;
};

static void work(DynRunContext *context, void *arguments, int64_t begin, int64_t end) {
  struct Arguments *a = arguments;
  float *scratch = context->scratch(context, (end - begin) * 4 + 4);
  for (int64_t i = begin; i < end; ++i)
    scratch[i - begin] = 2 * a->x[i];
  for (int64_t i = begin; i < end; ++i)
    a->y[i] = scratch[i - begin];
  if (begin == 0 && end > 0 && a->x[0] < 0) {
    context->errorState = 1;
    context->error.guard = 1;
    context->error.numValues = 2;
    context->error.values[0] = -5;
    context->error.values[1] = 7;
  }
}

static int32_t run(DynRunContext *context, const int64_t *symbols, const void *const *inputs, void *const *outputs,
                   void *arena) {
  struct Arguments arguments = {inputs[0], outputs[0]};
  (void)arena;
  DynLaunch launch = {work, &arguments, symbols[0], 3, 0, DYN_AFTER_ALL};
  context->submit(context, &launch);
  context->finish(context);
  return context->errorState;
}

static int64_t scratch(const int64_t *symbols) { return symbols[0] * 4 + 4; }

static int64_t arena(const int64_t *symbols) {
  (void)symbols;
  return 64;
}

static const DynArtefact portable = {
    DYN_ARTEFACT_MAGIC, FAKE_VERSION, descriptor, sizeof(descriptor) - 1, check, run, 0, 0, 0, scratch, arena, 0};

#ifdef FAKE_FUTURE
static const char futureDescriptor[] =
    "{\"target_cpu\": \"x86-64-v9\", \"cpu_features\": [\"avx\", \"avx9001\"]," MODEL;
__attribute__((visibility("default"))) const DynArtefact dyn_artefact = {DYN_ARTEFACT_MAGIC,
                                                                         FAKE_VERSION,
                                                                         futureDescriptor,
                                                                         sizeof(futureDescriptor) - 1,
                                                                         check,
                                                                         run,
                                                                         0,
                                                                         0,
                                                                         0,
                                                                         scratch,
                                                                         arena,
                                                                         FAKE_FUTURE ? &portable : 0};
#else
extern __attribute__((visibility("default"), alias("portable"))) const DynArtefact dyn_artefact;
#endif
