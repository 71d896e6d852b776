// RUN: dyn-opt %s --dyn-lower-kernels-to-cpu='vector-bits=512 l2-bytes=2097152' --canonicalize | FileCheck %s --check-prefixes=CHECK,LARGE,EIGHT
// RUN: dyn-opt %s --dyn-lower-kernels-to-cpu='vector-bits=512 l2-bytes=1835008' --canonicalize | FileCheck %s --check-prefixes=CHECK,SMALL,EIGHT
// RUN: dyn-opt %s --dyn-lower-kernels-to-cpu='vector-bits=512 l2-bytes=2097152 l1-ways=12' --canonicalize | FileCheck %s --check-prefixes=CHECK,LARGE,TWELVE
// RUN: not dyn-opt %s --dyn-lower-kernels-to-cpu='l1-ways=1' 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: l1-ways must be at least 2, not 1

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// An item has as many rows of the left operand as fit into half of the second-level cache. Rows of 1024 floats lie
// 4096 bytes apart: a tile has as many as leave two ways to the right operand.
// CHECK-LABEL: func.func private @apart(
// LARGE-DAG:     arith.constant 255 : index
// SMALL-DAG:     arith.constant 223 : index
// EIGHT-DAG:     arith.constant 6 : index
// TWELVE-DAG:    arith.constant 10 : index
// CHECK:       func.func private @apart.count(
func.func private @apart(%x: tensor<?x1024xf32>, %w: tensor<1024x352xf32>, %o: tensor<?x352xf32>) -> tensor<?x352xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<?x352xf32>) -> tensor<?x352xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x1024xf32>, tensor<1024x352xf32>) outs(%start : tensor<?x352xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x352xf32>
  return %0 : tensor<?x352xf32>
}

// Rows of 1040 floats do not share sets of the first-level cache.
// CHECK-LABEL: func.func private @beside(
// CHECK:         arith.constant 12 : index
// CHECK:       func.func private @beside.count(
func.func private @beside(%x: tensor<?x1040xf32>, %w: tensor<1040x352xf32>, %o: tensor<?x352xf32>) -> tensor<?x352xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<?x352xf32>) -> tensor<?x352xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x1040xf32>, tensor<1040x352xf32>) outs(%start : tensor<?x352xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x352xf32>
  return %0 : tensor<?x352xf32>
}

// Rows of the right operand are copied, so that those of a tile lie one behind the other.
// CHECK-LABEL: func.func private @far(
// CHECK:         llvm.call @dyn.pack.f32.32.step1(
// CHECK:       func.func private @far.count(
func.func private @far(%x: tensor<?x128xf32>, %w: tensor<128x1056xf32>, %o: tensor<?x1056xf32>) -> tensor<?x1056xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<?x1056xf32>) -> tensor<?x1056xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x128xf32>, tensor<128x1056xf32>) outs(%start : tensor<?x1056xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x1056xf32>
  return %0 : tensor<?x1056xf32>
}

// Those of one tile's columns lie so already.
// CHECK-LABEL: func.func private @near(
// CHECK-NOT:     llvm.call @dyn.pack.f32.32.
// CHECK:       func.func private @near.count(
func.func private @near(%x: tensor<?x128xf32>, %w: tensor<128x32xf32>, %o: tensor<?x32xf32>) -> tensor<?x32xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x128xf32>, tensor<128x32xf32>) outs(%start : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
