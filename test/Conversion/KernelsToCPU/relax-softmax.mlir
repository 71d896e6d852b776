// RUN: dyn-opt %s --dyn-relax-softmax --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func private @softmax
// CHECK:         arith.maxnumf
// CHECK:         math.exp
// CHECK:         arith.addf
// CHECK:       ^bb0(%[[E:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT:    %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[S]]
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %[[E]], %[[INVERSE]]
// CHECK-NEXT:    linalg.yield %[[R]]
func.func private @softmax(%x: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {dyn.kernel = "row"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0 = linalg.fill ins(%least : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%0 : tensor<?xf32>) {
  ^bb0(%in: f32, %old: f32):
    %1 = arith.maximumf %in, %old : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %all = tensor.empty(%m, %n) : tensor<?x?xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%in: f32, %greatest: f32, %old: f32):
    %1 = arith.subf %in, %greatest : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
  ^bb0(%in: f32, %old: f32):
    %1 = arith.addf %in, %old : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %quotient = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%in: f32, %total: f32, %old: f32):
    %1 = arith.divf %in, %total : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %quotient : tensor<?x?xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What is rounded to fewer bits stays rounded.
// CHECK-LABEL: func.func private @rounded
// CHECK:         arith.maxnumf
// CHECK:         %[[INVERSE:.*]] = arith.divf
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %{{.*}}, %[[INVERSE]]
// CHECK-NEXT:    %[[H:.*]] = arith.truncf %[[R]] : f32 to f16
// CHECK-NEXT:    linalg.yield %[[H]]
func.func private @rounded(%x: tensor<?x?xf32>, %out: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {dyn.kernel = "row"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%m) : tensor<?xf32>
  %0 = linalg.fill ins(%least : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%0 : tensor<?xf32>) {
  ^bb0(%in: f32, %old: f32):
    %1 = arith.maximumf %in, %old : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %all = tensor.empty(%m, %n) : tensor<?x?xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%in: f32, %greatest: f32, %old: f32):
    %1 = arith.subf %in, %greatest : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
  ^bb0(%in: f32, %old: f32):
    %1 = arith.addf %in, %old : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %quotient = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf16>) {
  ^bb0(%in: f32, %total: f32, %old: f16):
    %1 = arith.divf %in, %total : f32
    %3 = arith.truncf %1 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<?x?xf16>
  return %quotient : tensor<?x?xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Who computes in f64 wants it exact.
// CHECK-LABEL: func.func private @doubles
// CHECK:         arith.maximumf
// CHECK:         arith.divf
// CHECK-NOT:     arith.mulf
func.func private @doubles(%x: tensor<?x?xf64>, %out: tensor<?x?xf64>) -> tensor<?x?xf64> attributes {dyn.kernel = "row"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %n = tensor.dim %x, %c1 : tensor<?x?xf64>
  %least = arith.constant 0xFFF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %rows = tensor.empty(%m) : tensor<?xf64>
  %0 = linalg.fill ins(%least : f64) outs(%rows : tensor<?xf64>) -> tensor<?xf64>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf64>) outs(%0 : tensor<?xf64>) {
  ^bb0(%in: f64, %old: f64):
    %1 = arith.maximumf %in, %old : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64>
  %all = tensor.empty(%m, %n) : tensor<?x?xf64>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf64>, tensor<?xf64>) outs(%all : tensor<?x?xf64>) {
  ^bb0(%in: f64, %greatest: f64, %old: f64):
    %1 = arith.subf %in, %greatest : f64
    %2 = math.exp %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?x?xf64>
  %2 = linalg.fill ins(%zero : f64) outs(%rows : tensor<?xf64>) -> tensor<?xf64>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf64>) outs(%2 : tensor<?xf64>) {
  ^bb0(%in: f64, %old: f64):
    %1 = arith.addf %in, %old : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64>
  %quotient = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf64>, tensor<?xf64>) outs(%out : tensor<?x?xf64>) {
  ^bb0(%in: f64, %total: f64, %old: f64):
    %1 = arith.divf %in, %total : f64
    linalg.yield %1 : f64
  } -> tensor<?x?xf64>
  return %quotient : tensor<?x?xf64>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Other divisions stay as exact as they are, and so do maxima that others may see.
// CHECK-LABEL: func.func private @division
// CHECK:         arith.maximumf
// CHECK:         arith.divf %{{.*}}, %{{.*}}
// CHECK-NOT:     arith.mulf
func.func private @division(%x: tensor<?x?xf32>, %max: tensor<?xf32>, %out: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) attributes {dyn.kernel = "row"} {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%max : tensor<?xf32>) {
  ^bb0(%in: f32, %old: f32):
    %1 = arith.maximumf %in, %old : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %quotient = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%in: f32, %total: f32, %old: f32):
    %1 = arith.divf %in, %total : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0, %quotient : tensor<?xf32>, tensor<?x?xf32>
}

// -----

#scalar = affine_map<() -> ()>

// A division of scalars has no rows.
// CHECK-LABEL: func.func private @scalars
// CHECK:         arith.divf
func.func private @scalars(%x: tensor<f32>, %y: tensor<f32>, %out: tensor<f32>) -> tensor<f32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
      ins(%x, %y : tensor<f32>, tensor<f32>) outs(%out : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
