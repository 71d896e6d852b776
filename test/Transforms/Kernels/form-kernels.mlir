// RUN: dyn-opt %s --split-input-file --dyn-form-kernels --dyn-verify-kernels --mlir-print-local-scope | FileCheck %s

// The scaled and masked scores are the epilogue of the product; transposes show in its maps.
// CHECK-LABEL: func.func @contraction_with_epilogue
// CHECK-NOT: linalg
// CHECK: dyn_shape.launch @contraction_0 ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?xf32>)
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @contraction_0
// CHECK-SAME: attributes {dyn.kernel = "contraction"}
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d1, d0, d2)>
// CHECK: arith.mulf
// CHECK: arith.addf
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#heads_first = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
func.func @contraction_with_epilogue(%q: tensor<?x2x4xf32>, %k: tensor<?x2x4xf32>, %mask: tensor<?xf32>)
    -> tensor<?x2x?xf32> {
  %s = dyn_shape.sym "S" : index
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%s) : tensor<2x?x4xf32>
  %qt = linalg.generic {indexing_maps = [#heads_first, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<?x2x4xf32>) outs(%e0 : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x?x4xf32>
  %e1 = tensor.empty(%s) : tensor<2x4x?xf32>
  %kt = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<?x2x4xf32>) outs(%e1 : tensor<2x4x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x4x?xf32>
  %e2 = tensor.empty(%s, %s) : tensor<2x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>,
                                             affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>,
                                             affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
                            iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qt, %kt : tensor<2x?x4xf32>, tensor<2x4x?xf32>) outs(%f : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x?x?xf32>
  %scaled = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x?x?xf32>) outs(%e2 : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %half = arith.constant 5.0e-01 : f32
    %r = arith.mulf %a, %half : f32
    linalg.yield %r : f32
  } -> tensor<2x?x?xf32>
  %e3 = tensor.empty(%s, %s) : tensor<?x2x?xf32>
  %masked = linalg.generic {indexing_maps = [#heads_first, #last, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %mask : tensor<2x?x?xf32>, tensor<?xf32>) outs(%e3 : tensor<?x2x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x2x?xf32>
  return %masked : tensor<?x2x?xf32>
}

// -----

// A softmax is one kernel, in which exponentials are computed once.
// CHECK-LABEL: func.func @softmax_is_one_row_kernel
// CHECK: dyn_shape.launch @row_0 ins(%{{.*}} : tensor<?x?xf32>) sizes(%{{.*}}, %{{.*}}) outs
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @row_0
// CHECK-SAME: attributes {dyn.kernel = "row", dyn.rows = 1 : i64}
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @softmax_is_one_row_kernel(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %m = dyn_shape.sym "M" : index
  %n = dyn_shape.sym "N" : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %two = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%two : tensor<?x?xf32>) outs(%f0 : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %sub = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%two, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sub : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%f1 : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %div = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %div : tensor<?x?xf32>
}

// -----

// Rows of M are not rows of K, though both are dynamic: two kernels.
// CHECK-LABEL: func.func @unequal_rows_stay_apart
// CHECK-COUNT-2: dyn_shape.launch
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @unequal_rows_stay_apart(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %m = dyn_shape.sym "M" : index
  %n = dyn_shape.sym "N" : index
  %k = dyn_shape.sym "K" : index
  %zero = arith.constant 0.0 : f32
  %em = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%em : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %ek = tensor.empty(%k) : tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%ek : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %sum, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A value that two kernels read is computed once; a value that one op reads is not stored.
// CHECK-LABEL: func.func @shared_values_are_not_recomputed
// CHECK: %[[E:.*]] = dyn_shape.launch
// CHECK: dyn_shape.launch {{.*}} ins(%[[E]]
// CHECK: dyn_shape.launch {{.*}} ins(%[[E]]
// CHECK-NOT: dyn_shape.launch
// CHECK: return
#v = affine_map<(d0) -> (d0)>
func.func @shared_values_are_not_recomputed(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = dyn_shape.sym "N" : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%1 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %3 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
      ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %2, %3 : tensor<?xf32>, tensor<?xf32>
}

// -----

// What is returned is never an argument, nor one tensor twice, also not by a view.
// CHECK-LABEL: func.func @results_are_tensors_of_their_own
// CHECK: %[[R0:.*]] = dyn_shape.launch @[[COPY:.*]] ins(%arg0
// CHECK: %[[R1:.*]] = dyn_shape.launch @[[COPY]] ins(%arg0
// CHECK: return %[[R0]], %[[R1]]
func.func @results_are_tensors_of_their_own(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @concat
// CHECK: dyn_shape.launch @concat_0 ins(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>) sizes(%{{.*}}, %{{.*}}) outs
// CHECK: func.func private @concat_0
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
func.func @concat(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %p = dyn_shape.sym "P" : index
  %s = dyn_shape.sym "S" : index
  %n = arith.addi %p, %s : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = tensor.insert_slice %x into %e[0, 0] [%p, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %1 = tensor.insert_slice %y into %0[%p, 0] [%s, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// What is computed for a concat alone is computed where it belongs; what others read as well stands by itself.
// CHECK-LABEL: func.func @computed_pieces
// CHECK: %[[SHARED:.*]] = dyn_shape.launch @pointwise_0 ins(%arg1
// CHECK: dyn_shape.launch @concat_0 ins(%arg0, %[[SHARED]] : tensor<?x4xf32>, tensor<?x4xf32>)
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @concat_0
// CHECK: %[[PIECE:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[PIECE]] into %{{.*}}[0, 0]
// CHECK: tensor.insert_slice %arg1 into %[[FIRST]][0, 4]
func.func @computed_pieces(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x4xf32>) {
  %n = dyn_shape.sym "N" : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %f = math.exp %in : f32
    linalg.yield %f : f32
  } -> tensor<?x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %f = math.exp %in : f32
    linalg.yield %f : f32
  } -> tensor<?x4xf32>
  %w = tensor.empty(%n) : tensor<?x8xf32>
  %0 = tensor.insert_slice %a into %w[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %b into %0[0, 4] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  return %1, %b : tensor<?x8xf32>, tensor<?x4xf32>
}

// -----

// Pieces along the first dim are written in place as they are, whatever computes them.
// CHECK-LABEL: func.func @computed_rows
// CHECK: %[[A:.*]] = dyn_shape.launch @pointwise_0 ins(%arg0
// CHECK: dyn_shape.launch @concat_0 ins(%[[A]], %arg1
func.func @computed_rows(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = dyn_shape.sym "N" : index
  %m = arith.addi %n, %n : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %f = math.exp %in : f32
    linalg.yield %f : f32
  } -> tensor<?x4xf32>
  %w = tensor.empty(%m) : tensor<?x4xf32>
  %0 = tensor.insert_slice %a into %w[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %1 = tensor.insert_slice %y into %0[%n, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// Places that an epilogue asks for are those of the loops in the order of the contraction's.
// CHECK-LABEL: func.func @epilogue_with_places
// CHECK: dyn_shape.launch @contraction_0
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @contraction_0
// CHECK-NOT: affine.apply
// CHECK: arith.cmpi
// CHECK-NEXT: %[[ROW:.*]] = linalg.index 0
// CHECK: scf.if
// CHECK: tensor.extract %{{.*}}[%[[ROW]]]
func.func @epilogue_with_places(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %t: tensor<?xf32>) -> tensor<8x?xf32> {
  %n = dyn_shape.sym "N" : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %d = tensor.empty(%n) : tensor<8x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x8xf32>) outs(%d : tensor<8x?xf32>) {
  ^bb0(%a: f32, %c: f32):
    %j = linalg.index 0 : index
    %isInside = arith.cmpi ult, %j, %one : index
    %i = linalg.index 1 : index
    %v = scf.if %isInside -> (f32) {
      %read = tensor.extract %t[%i] : tensor<?xf32>
      scf.yield %read : f32
    } else {
      scf.yield %zero : f32
    }
    %s = arith.addf %a, %v : f32
    linalg.yield %s : f32
  } -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// -----

// Concats that begin with the same piece, which common subexpressions are merged to, have it each.
// CHECK-LABEL: func.func @concats_with_a_common_piece
// CHECK: dyn_shape.launch @concat_0 ins(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>)
// CHECK: dyn_shape.launch @concat_0 ins(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>)
func.func @concats_with_a_common_piece(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %p = dyn_shape.sym "P" : index
  %n = arith.addi %p, %p : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = tensor.insert_slice %x into %e[0, 0] [%p, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %1 = tensor.insert_slice %y into %0[%p, 0] [%p, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %2 = tensor.insert_slice %z into %0[%p, 0] [%p, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A dim of size 1 that a mean keeps does not keep its readers from the row kernel; no view of it is left.
// CHECK-LABEL: func.func @kept_unit_dims
// CHECK-NOT: tensor.expand_shape
// CHECK: dyn_shape.launch @row_0
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @row_0
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kept_unit_dims(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %m = dyn_shape.sym "M" : index
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %kept = tensor.expand_shape %sum [[0, 1]] output_shape [%m, 1] : tensor<?xf32> into tensor<?x1xf32>
  %e1 = tensor.empty(%m) : tensor<?x1xf32>
  %root = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%kept : tensor<?x1xf32>) outs(%e1 : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %div = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %root : tensor<?x8xf32>, tensor<?x1xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %div : tensor<?x8xf32>
}

// -----

// The only window ends before the operand does, so that the loop over windows stays; one that covers all of it goes.
// CHECK-LABEL: func.func @only_windows
// CHECK: func.func private @contraction_0
// CHECK: affine_map<(d0, d1, d2, d3) -> (d0, d2 * 2 + d3)>
// CHECK: func.func private @contraction_1
// CHECK: affine_map<(d0, d1, d2) -> (d0, d2)>
#windows = affine_map<(d0, d1, d2, d3) -> (d0, d2 * 2 + d3)>
#filter = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#maps = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
func.func @only_windows(%x: tensor<?x4xf32>, %y: tensor<?x3xf32>, %w: tensor<5x3xf32>) -> (tensor<?x5x1xf32>, tensor<?x5x1xf32>) {
  %m = dyn_shape.sym "M" : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x5x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
  %0 = linalg.generic {indexing_maps = [#windows, #filter, #maps], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x4xf32>, tensor<5x3xf32>) outs(%f : tensor<?x5x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x5x1xf32>
  %1 = linalg.generic {indexing_maps = [#windows, #filter, #maps], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<?x3xf32>, tensor<5x3xf32>) outs(%f : tensor<?x5x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x5x1xf32>
  return %0, %1 : tensor<?x5x1xf32>, tensor<?x5x1xf32>
}

// -----

// A loop updates a copy of its own, never an argument.
// CHECK-LABEL: func.func @updated_argument
// CHECK: dyn_shape.launch @sequential_0 ins(%arg0, %arg1
// CHECK: func.func private @sequential_0
// CHECK: %[[COPY:.*]] = linalg.generic
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
func.func @updated_argument(%x: tensor<4xf32>, %i: tensor<2xi64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %k = %c0 to %c2 step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %e = tensor.extract %i[%k] : tensor<2xi64>
    %at = arith.index_cast %e : i64 to index
    %u = tensor.insert %zero into %t[%at] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A size that nothing else needed is computed for the copy of an argument.
// CHECK-LABEL: func.func @returned_argument_of_unused_size
// CHECK: %[[S:.*]] = dyn_shape.sym "S"
// CHECK: %[[N:.*]] = dyn_shape.apply {{.*}} (S = %[[S]])
// CHECK: tensor.empty(%[[N]])
// CHECK: dyn_shape.launch
func.func @returned_argument_of_unused_size(%x: tensor<?xf32> {dyn.dims = #dyn.dims<[S + 1]>}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// A view of an argument is copied too, with the sizes of what it shows.
// CHECK-LABEL: func.func @returned_view_of_an_argument
// CHECK-DAG: %[[N:.*]] = dyn_shape.sym "N"
// CHECK-DAG: %[[C:.*]] = dyn_shape.sym "C"
// CHECK: tensor.empty(%[[N]], %[[C]])
// CHECK: dyn_shape.launch
func.func @returned_view_of_an_argument(%x: tensor<?x1x?x1xf32> {dyn.dims = #dyn.dims<[N, 1, C, 1]>}) -> tensor<?x?xf32> {
  %collapsed = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<?x1x?x1xf32> into tensor<?x?xf32>
  return %collapsed : tensor<?x?xf32>
}

// -----

// One of the dims that are one in the view is of a size that only a product says, the other one is a number.
// CHECK-LABEL: func.func @returned_view_of_a_product
// CHECK: %[[D:.*]] = dyn_shape.sym "D"
// CHECK: %[[N:.*]] = arith.muli %{{.*}}, %c3{{.*}} : index
// CHECK: tensor.empty(%[[N]]) : tensor<2x?xf32>
// CHECK: dyn_shape.launch
func.func @returned_view_of_a_product(%x: tensor<2x?x3xf32> {dyn.dims = #dyn.dims<[2, D * D, 3]>}) -> tensor<2x?xf32> {
  %collapsed = tensor.collapse_shape %x [[0], [1, 2]] : tensor<2x?x3xf32> into tensor<2x?xf32>
  return %collapsed : tensor<2x?xf32>
}

// -----

// A reduction over one element of a tensor without dims.
// CHECK-LABEL: func.func @reduction_of_a_scalar
// CHECK: dyn_shape.launch
func.func @reduction_of_a_scalar(%x: tensor<f32>) -> tensor<1xf32> {
  %expanded = tensor.expand_shape %x [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%expanded : tensor<1x1xf32>) outs(%init : tensor<1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
  } -> tensor<1xf32>
  return %sum : tensor<1xf32>
}
