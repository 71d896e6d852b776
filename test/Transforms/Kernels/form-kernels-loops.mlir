// RUN: dyn-opt %s -dyn-form-kernels -split-input-file | FileCheck %s

// Each op of a trip writes to memory of its own, which the kernel has before the loop, though they share what is empty;
// so does the first value of what is carried, whose last one nobody reads.
// CHECK-LABEL: func.func private @sequential_0(
// CHECK: %[[A:.*]] = tensor.empty() : tensor<2xf32>
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} outs(%[[A]] : tensor<2xf32>)
// CHECK: %[[B:.*]] = tensor.empty() : tensor<2xf32>
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %[[FIRST]])
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<2xf32>) outs(%[[B]] : tensor<2xf32>)
// CHECK-NOT: tensor.empty
// CHECK: return
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = dyn_shape.sym "n" : index
  %empty = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2xf32>
  %2:2 = scf.for %i = %zero to %n step %one iter_args(%p = %0, %q = %1) -> (tensor<2xf32>, tensor<2xf32>) {
    %3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%p : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2xf32>
    %4 = tensor.insert_slice %q into %p[0] [2] [1] : tensor<2xf32> into tensor<2xf32>
    %5 = tensor.insert_slice %3 into %q[0] [2] [1] : tensor<2xf32> into tensor<2xf32>
    scf.yield %4, %5 : tensor<2xf32>, tensor<2xf32>
  }
  return %2#0 : tensor<2xf32>
}

// -----

// Sums that begin alike begin each for itself; what one op alone reads moves into it.
// CHECK-LABEL: func.func private @sequential_0(
// CHECK: scf.for
// CHECK: %[[S:.*]] = linalg.fill {{.*}} outs(%[[A:.*]] : tensor<f32>)
// CHECK: %[[T:.*]] = linalg.fill {{.*}} outs(%[[B:.*]] : tensor<f32>)
// CHECK: linalg.generic {{.*}} outs(%[[S]] : tensor<f32>)
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} outs(%[[T]] : tensor<f32>)
// CHECK: scf.yield
func.func @sums(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %n = dyn_shape.sym "n" : index
  %empty = tensor.empty() : tensor<f32>
  %row = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%y : tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  %1 = scf.for %i = %zero to %n step %one iter_args(%p = %0) -> tensor<f32> {
    %fill = linalg.fill ins(%none : f32) outs(%empty : tensor<f32>) -> tensor<f32>
    %e = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x : tensor<2xf32>) outs(%row : tensor<2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %exp = math.exp %a : f32
      linalg.yield %exp : f32
    } -> tensor<2xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%e : tensor<2xf32>) outs(%fill : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %sum = arith.addf %o, %a : f32
      linalg.yield %sum : f32
    } -> tensor<f32>
    %t = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%x, %s : tensor<2xf32>, tensor<f32>) outs(%fill : tensor<f32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %o, %product : f32
      linalg.yield %sum : f32
    } -> tensor<f32>
    %4 = tensor.insert_slice %t into %p[] [] [] : tensor<f32> into tensor<f32>
    scf.yield %4 : tensor<f32>
  }
  return %1 : tensor<f32>
}
