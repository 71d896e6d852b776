// Every element type on old and new architectures: ptxas accepts all of it.
// REQUIRES: ptxas
// RUN: dyn-opt %s --dyn-pipeline='from=buffers to=target target=cuda cuda-arch=sm_75,sm_80,sm_90,sm_100,sm_120' | FileCheck %s
// CHECK: gpu.binary @kernels
// CHECK-COUNT-5: bin = "\7FELF
func.func private @halves(%x: tensor<?xf16>, %y: tensor<?xf16>, %o: tensor<?xf16>) -> tensor<?xf16>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf16>, tensor<?xf16>) outs(%o : tensor<?xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %1 = math.exp %a : f16
    %2 = arith.addf %1, %b : f16
    %3 = math.sqrt %2 : f16
    %4 = arith.maximumf %3, %a : f16
    linalg.yield %4 : f16
  } -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
func.func private @brains(%x: tensor<?x?xbf16>, %o: tensor<?xbf16>) -> tensor<?xbf16>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0.0 : bf16
  %f = linalg.fill ins(%zero : bf16) outs(%o : tensor<?xbf16>) -> tensor<?xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xbf16>) outs(%f : tensor<?xbf16>) {
  ^bb0(%a: bf16, %s: bf16):
    %1 = arith.addf %s, %a : bf16
    linalg.yield %1 : bf16
  } -> tensor<?xbf16>
  return %0 : tensor<?xbf16>
}
func.func private @bytes(%x: tensor<?xi8>, %y: tensor<?xi8>, %o: tensor<?xi1>) -> tensor<?xi1>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xi8>, tensor<?xi8>) outs(%o : tensor<?xi1>) {
  ^bb0(%a: i8, %b: i8, %out: i1):
    %1 = arith.divsi %a, %b : i8
    %2 = arith.cmpi slt, %1, %b : i8
    linalg.yield %2 : i1
  } -> tensor<?xi1>
  return %0 : tensor<?xi1>
}
