// RUN: dyn-opt %s -dyn-lower-kernels-to-cpu=vector-bits=256 | FileCheck %s

// The windows of a pool are short: vectors run along the row of them, with an element of each window at a time.
// CHECK-LABEL: func.func private @windows(
// CHECK: scf.for
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-LABEL: func.func private @windows.count(
// CHECK: %[[ITEMS:.*]] = arith.muli %arg8, %arg9 : index
// CHECK-NEXT: return %[[ITEMS]] : index
func.func private @windows(%in: tensor<?x?x?xf32>, %n: index, %c: index, %w: index, %out: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32> attributes {dyn.kernel = "row", dyn.rows = 3 : i64} {
  %two = arith.constant 2 : index
  %lowest = arith.constant 0xFF800000 : f32
  %0 = tensor.empty(%n, %c, %w) : tensor<?x?x?x2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%0 : tensor<?x?x?x2xf32>) {
  ^bb0(%e: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %first = arith.muli %i, %two : index
    %place = arith.addi %first, %j : index
    %x = tensor.extract %in[%a, %b, %place] : tensor<?x?x?xf32>
    linalg.yield %x : f32
  } -> tensor<?x?x?x2xf32>
  %2 = linalg.fill ins(%lowest : f32) outs(%out : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%1 : tensor<?x?x?x2xf32>) outs(%2 : tensor<?x?x?xf32>) {
  ^bb0(%e: f32, %m: f32):
    %max = arith.maximumf %m, %e : f32
    linalg.yield %max : f32
  } -> tensor<?x?x?xf32>
  return %3 : tensor<?x?x?xf32>
}

// Two rows, or a length that is not known, stay as they are: an item is one of them.
// CHECK-LABEL: func.func private @sums.count(
// CHECK: return %arg{{[0-9]+}} : index
func.func private @sums(%in: tensor<?x8xf32>, %n: index, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                       iterator_types = ["parallel", "reduction"]} ins(%in : tensor<?x8xf32>) outs(%0 : tensor<?xf32>) {
  ^bb0(%e: f32, %s: f32):
    %sum = arith.addf %s, %e : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
