// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-cpu='vector-bits=512' | FileCheck %s

// The first loop over a row reads it from memory, the second one from the cache: meanwhile the next row is fetched.
// CHECK-LABEL: func.func private @twice(
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:         vector.reduction <maxnumf>
// CHECK:         llvm.intr.prefetch
// CHECK:         math.exp
// CHECK:         vector.reduction <add>
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:       func.func private @twice.count(
#row = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i)>
func.func private @twice(%x: tensor<?x?xf32>, %m: index, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %t0 = tensor.empty(%m) : tensor<?xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%t0 : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f0 : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.maxnumf %a, %out : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #one, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%f1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// What is read once is not fetched twice.
// CHECK-LABEL: func.func private @once(
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:       func.func private @once.count(
#row = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i)>
func.func private @once(%x: tensor<?x?xf32>, %m: index, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.addf %a, %out : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// Weights in panels: the tiles of one panel bring the next one nearer.
// CHECK-LABEL: func.func private @contraction(
// The lines that the tile will be written to are asked for first.
// CHECK:         "llvm.intr.prefetch"({{.*}}rw = 1
// CHECK:         llvm.call @dyn.tile.{{.*}}12x2of2.ahead(
// CHECK-LABEL: llvm.func internal @dyn.tile.{{.*}}.ahead(
// CHECK:         "llvm.intr.prefetch"({{.*}}hint = 2
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func private @contraction(%x: tensor<?x20xf32>,
                               %w: tensor<20x64xf32> {dyn.layout = affine_map<(i, j) -> (j floordiv 32, i, j mod 32)>},
                               %y: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x20xf32>, tensor<20x64xf32>) outs(%start : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// Few rows over panels wait for memory only, which hardware fetches in order best. Many rows, and rows of the right
// operand that lie apart, have it fetched.
// CHECK-LABEL: func.func private @rows_apart.scratch
// CHECK:       llvm.func internal @dyn.tile.{{.*}}.1x6of6.in_order(
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:       llvm.func internal @dyn.tile.{{.*}}.1x2of2.ahead(
// CHECK:         llvm.intr.prefetch
// CHECK:       llvm.func internal @dyn.tile.{{.*}}.1x6of6(
// CHECK:         llvm.intr.prefetch
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func private @panels(%x: tensor<?x20xf32>,
                          %w: tensor<20x64xf32> {dyn.layout = affine_map<(k, n) -> (n floordiv 32, k, n mod 32)>},
                          %o: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x20xf32>, tensor<20x64xf32>) outs(%start : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func private @rows_apart(%x: tensor<1x20xf32>, %w: tensor<20x64xf32>, %o: tensor<1x64xf32>) -> tensor<1x64xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1x64xf32>) -> tensor<1x64xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x20xf32>, tensor<20x64xf32>) outs(%start : tensor<1x64xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
