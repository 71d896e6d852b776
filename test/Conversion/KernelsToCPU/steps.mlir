// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-cpu='vector-bits=256' | FileCheck %s

// Every second element is picked out of two vectors, the second of which ends with the last lane's element. Where not
// all lanes count, of each vector that is read which is for a lane that does.
// CHECK-LABEL: func.func private @second(
// CHECK:         %[[EVEN:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK:         %[[LAST:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK-NEXT:    vector.shuffle %[[EVEN]], %[[LAST]] [0, 2, 4, 6, 9, 11, 13, 15] : vector<8xf32>, vector<8xf32>
// CHECK-NOT:     gather
// CHECK:         llvm.store {{.*}} : vector<8xf32>
// CHECK:         vector.reduction <and>
// CHECK-NEXT:    scf.if
// CHECK:           vector.shuffle
// CHECK:         else
// CHECK:           %[[MASK:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 8, 2, 8, 3, 8] : vector<8xi1>, vector<8xi1>
// CHECK:           llvm.intr.masked.load %{{.*}}, %[[MASK]],
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [8, 4, 8, 5, 8, 6, 8, 7] : vector<8xi1>, vector<8xi1>
// CHECK-NOT:       gather
// CHECK:       func.func private @second.count(
func.func private @second(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  %step = arith.constant 2 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %place = arith.muli %i, %step : index
    %e = tensor.extract %x[%place] : tensor<?xf32>
    linalg.yield %e : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func private @third(
// CHECK:         %[[FIRST:.*]] = llvm.load {{.*}} -> vector<4xf64>
// CHECK:         %[[NEXT:.*]] = llvm.load {{.*}} -> vector<4xf64>
// CHECK-NEXT:    %[[BOTH:.*]] = vector.shuffle %[[FIRST]], %[[NEXT]] [0, 3, 6, 3]
// CHECK:         %[[LAST:.*]] = llvm.load {{.*}} -> vector<4xf64>
// CHECK-NEXT:    vector.shuffle %[[BOTH]], %[[LAST]] [0, 1, 4, 7]
func.func private @third(%x: tensor<?xf64>, %o: tensor<?xf64>) -> tensor<?xf64> attributes {dyn.kernel = "pointwise"} {
  %step = arith.constant 3 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<?xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %place = arith.muli %i, %step : index
    %e = tensor.extract %x[%place] : tensor<?xf64>
    linalg.yield %e : f64
  } -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// CHECK-LABEL: func.func private @backwards(
// CHECK:         %[[BEFORE:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK-NEXT:    vector.shuffle %[[BEFORE]], %[[BEFORE]] [7, 6, 5, 4, 3, 2, 1, 0]
func.func private @backwards(%x: tensor<?xf32>, %last: index, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %place = arith.subi %last, %i : index
    %e = tensor.extract %x[%place] : tensor<?xf32>
    linalg.yield %e : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// What lies far apart is gathered.
// CHECK-LABEL: func.func private @fifth(
// CHECK-NOT:     vector.shuffle
// CHECK:         llvm.intr.masked.gather
// CHECK-NOT:     vector.shuffle
// CHECK:       func.func private @fifth.count(
func.func private @fifth(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  %step = arith.constant 5 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %place = arith.muli %i, %step : index
    %e = tensor.extract %x[%place] : tensor<?xf32>
    linalg.yield %e : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Neighbours of which some are outside, as in padding, are loaded at once.
// CHECK-LABEL: func.func private @padded(
// CHECK-NOT:     gather
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, {{.*}} : vector<8xindex>
// CHECK:         llvm.intr.masked.load {{.*}}, %[[INSIDE]], {{.*}} -> vector<8xf32>
// CHECK-NOT:     gather
// CHECK:       func.func private @padded.count(
func.func private @padded(%x: tensor<?xf32>, %length: index, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %place = arith.subi %i, %one : index
    %isInside = arith.cmpi ult, %place, %length : index
    %e = scf.if %isInside -> f32 {
      %read = tensor.extract %x[%place] : tensor<?xf32>
      scf.yield %read : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %e : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Along a window of three most lanes would have no work: vectors run along the places, which are two elements apart.
// CHECK-LABEL: func.func private @windows(
// CHECK:         vector.shuffle
// CHECK:         arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT:     vector.reduction <add>
// CHECK:       func.func private @windows.count(
func.func private @windows(%x: tensor<?x?xf32>, %f: tensor<?x3xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(c, i, k) -> (c, 2 * i + k)>, affine_map<(c, i, k) -> (c, k)>,
                                        affine_map<(c, i, k) -> (c, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %f : tensor<?x?xf32>, tensor<?x3xf32>) outs(%0 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %2 = arith.mulf %a, %b : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
