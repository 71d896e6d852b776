/* A compiler in C: reads a model or a module, infers its shapes, compiles it. Diagnostics go to standard output. */

#include "dyn-c/Dialects.h"
#include "dyn-c/Translation.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(MlirStringRef text, void *data) {
  (void)data;
  fwrite(text.data, 1, text.length, stdout);
}

static MlirLogicalResult report(MlirDiagnostic diagnostic, void *data) {
  (void)data;
  printf("diagnostic: ");
  mlirDiagnosticPrint(diagnostic, print, NULL);
  printf("\n");
  return mlirLogicalResultSuccess();
}

static MlirStringRef text(const char *value) { return mlirStringRefCreateFromCString(value); }

/* The phase of shapes by the text of a pipeline. */
static void inferShapes(MlirContext context, MlirModule module) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  MlirLogicalResult parsed = mlirParsePassPipeline(passes, text("builtin.module(dyn-pipeline{to=shapes})"), print, NULL);
  MlirLogicalResult ran = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  printf("shapes: %d %d\n", mlirLogicalResultIsSuccess(parsed), mlirLogicalResultIsSuccess(ran));
  mlirOperationPrint(mlirModuleGetOperation(module), print, NULL);
  mlirPassManagerDestroy(manager);
}

static void *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  void *bytes = malloc(1 << 20);
  *size = file ? fread(bytes, 1, 1 << 20, file) : 0;
  if (file)
    fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  dynRegisterAllPasses();
  dynRegisterAllPasses();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  dynRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, report, NULL, NULL);
  MlirDialectHandle handles[] = {mlirGetDialectHandle__dyn__(), mlirGetDialectHandle__dyn_shape__()};
  for (int i = 0; i < 2; ++i) {
    printf("dialect: ");
    print(mlirDialectHandleGetNamespace(handles[i]), NULL);
    printf(" %d\n", !mlirDialectIsNull(mlirDialectHandleLoadDialect(handles[i], context)));
  }

  const char *dims[] = {"n=1..64"};
  DynImportOptions import;
  memset(&import, 0, sizeof import);
  import.dims = dims;
  import.numDims = 1;
  MlirModule module = dynImportONNXFile(context, argv[1], &import);
  printf("imported: %d\n", !mlirModuleIsNull(module));
  inferShapes(context, module);
  mlirModuleDestroy(module);

  size_t size = 0;
  void *bytes = readFile(argv[1], &size);
  module = dynImportONNX(context, bytes, size, "from memory", NULL);
  printf("compiled: %d\n", mlirLogicalResultIsSuccess(dynCompileModule(module, argv[2], NULL)));
  mlirModuleDestroy(module);
  remove(argv[2]);
  printf("compiled: %d\n", mlirLogicalResultIsSuccess(dynCompileFile(context, argv[1], argv[2], &import, NULL)));

  /* A context that knows nothing yet will do. */
  MlirContext bare = mlirContextCreate();
  DynCompileOptions compile;
  memset(&compile, 0, sizeof compile);
  compile.targetCPU = "x86-64-v3";
  printf("compiled: %d\n", mlirLogicalResultIsSuccess(dynCompileFile(bare, argv[1], argv[2], NULL, &compile)));
  mlirContextDestroy(bare);

  /* What goes wrong is said. */
  printf("bytes: %d\n", mlirModuleIsNull(dynImportONNX(context, bytes, size / 2, "half", NULL)));
  printf("missing: %d\n", mlirModuleIsNull(dynImportONNXFile(context, "missing.onnx", NULL)));
  printf("no path: %d\n", mlirModuleIsNull(dynImportONNXFile(context, NULL, NULL)));
  dims[0] = "n=8..1";
  printf("range: %d\n", mlirModuleIsNull(dynImportONNXFile(context, argv[1], &import)));
  dims[0] = "n=1..64";
  const char *values[] = {"x=1"};
  import.inputValues = values;
  import.numInputValues = 1;
  printf("values: %d\n", mlirModuleIsNull(dynImportONNXFile(context, argv[1], &import)));
  import.numInputValues = 0;
  dims[0] = NULL;
  printf("null: %d\n", mlirModuleIsNull(dynImportONNXFile(context, argv[1], &import)));
  compile.target = "tpu";
  printf("target: %d\n", mlirLogicalResultIsFailure(dynCompileFile(context, argv[1], argv[2], NULL, &compile)));
  free(bytes);
  mlirContextDestroy(context);
  return 0;
}
