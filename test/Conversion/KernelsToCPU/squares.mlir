// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-cpu='vector-bits=256' | FileCheck %s

// Eight rows of the input are read in order, and transposed in registers by three steps of eight interleavings. What is
// left of the loops is gathered.
// CHECK-LABEL: func.func private @transpose(
// CHECK-COUNT-8:  llvm.load {{.*}} -> vector<8xf32>
// CHECK-COUNT-12: vector.shuffle {{.*}} [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xf32>, vector<8xf32>
// CHECK:          vector.shuffle {{.*}} [4, 12, 5, 13, 6, 14, 7, 15] : vector<8xf32>, vector<8xf32>
// CHECK-NOT:      vector.shuffle
// CHECK-COUNT-8:  llvm.store {{.*}} : vector<8xf32>
// CHECK:          llvm.intr.masked.gather
// CHECK:        func.func private @transpose.count(
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func private @transpose(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Other inputs are read as they are, once for each vector of the square.
// CHECK-LABEL: func.func private @sum(
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: arith.addf {{.*}} : vector<8xf32>
// CHECK:       func.func private @sum.count(
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func private @sum(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %y = linalg.generic {indexing_maps = [#turned, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Three channels fill no square.
// CHECK-LABEL: func.func private @short(
// CHECK-NOT:     vector.shuffle
// CHECK:       func.func private @short.count(
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func private @short(%x: tensor<3x?xf32>, %o: tensor<?x3xf32>) -> tensor<?x3xf32>
    attributes {dyn.kernel = "pointwise"} {
  %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x?xf32>) outs(%o : tensor<?x3xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// A long body is not repeated for each vector of a square.
// CHECK-LABEL: func.func private @long(
// CHECK-NOT:     vector.shuffle
// CHECK:       func.func private @long.count(
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func private @long(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Booleans are gathered, byte by byte.
// CHECK-LABEL: func.func private @booleans(
// CHECK-NOT:     vector.shuffle
// CHECK:       func.func private @booleans.count(
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func private @booleans(%x: tensor<?x?xi1>, %o: tensor<?x?xi1>) -> tensor<?x?xi1>
    attributes {dyn.kernel = "pointwise"} {
  %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xi1>) outs(%o : tensor<?x?xi1>) {
  ^bb0(%a: i1, %out: i1):
    linalg.yield %a : i1
  } -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}
