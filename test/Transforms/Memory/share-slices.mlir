// RUN: dyn-opt %s --split-input-file --dyn-share-slices | FileCheck %s
// RUN: dyn-opt %s --split-input-file --dyn-share-slices --dyn-plan-memory -o /dev/null

// What is concatenated along the outermost dim is written where it belongs from the start.
// CHECK-LABEL: func.func @concat_of_two
// CHECK-DAG:     %[[M:.*]] = dyn_shape.sym "M"
// CHECK-DAG:     %[[N:.*]] = dyn_shape.sym "N"
// CHECK:         %[[WHOLE:.*]] = memref.alloc(%{{.*}}) : memref<?x8xf32>
// CHECK:         %[[A:.*]] = dyn_shape.part %[[WHOLE]] from %{{.*}} dims(%[[M]]) : memref<?x8xf32> to memref<?x8xf32>
// CHECK:         dyn_shape.launch @exp {{.*}} outs(%[[A]]
// CHECK:         %[[OFFSET:.*]] = dyn_shape.apply 8 * M (M = %[[M]])
// CHECK:         %[[B:.*]] = dyn_shape.part %[[WHOLE]] from %[[OFFSET]] dims(%[[N]]) : memref<?x8xf32> to memref<?x8xf32>
// CHECK:         dyn_shape.launch @exp {{.*}} outs(%[[B]]
// CHECK-NOT:     dyn_shape.launch @concat
// CHECK:         return %[[WHOLE]]
func.func @concat_of_two(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[M + N, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  %b = memref.alloc(%N) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%y : memref<?x8xf32>) outs(%b : memref<?x8xf32>)
  %MN = dyn_shape.apply M + N (M = %M, N = %N) : index
  %c = memref.alloc(%MN) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%a, %b : memref<?x8xf32>, memref<?x8xf32>) sizes(%M, %N) outs(%c : memref<?x8xf32>)
  return %c : memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %m: index, %n: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %b into %0[%m, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// A part may be the whole of another concat, and be written under other dims.
// CHECK-LABEL: func.func @nested
// CHECK:         %[[WHOLE:.*]] = memref.alloc
// CHECK:         %[[INNER:.*]] = dyn_shape.part %[[WHOLE]]
// CHECK:         dyn_shape.part %[[INNER]] from %{{.*}} : memref<?x8xf32> to memref<?xf32>
// CHECK:         dyn_shape.part %[[INNER]]
// CHECK-NOT:     dyn_shape.launch @concat
// CHECK:         return
func.func @nested(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[2 * M + N, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %flat = memref.collapse_shape %x [[0, 1]] : memref<?x8xf32> into memref<?xf32>
  %M8 = dyn_shape.apply 8 * M (M = %M) : index
  %a1 = memref.alloc(%M8) : memref<?xf32>
  dyn_shape.launch @exp1 ins(%flat : memref<?xf32>) outs(%a1 : memref<?xf32>)
  %a = memref.expand_shape %a1 [[0, 1]] output_shape [%M, 8] : memref<?xf32> into memref<?x8xf32>
  %b = memref.alloc(%N) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%y : memref<?x8xf32>) outs(%b : memref<?x8xf32>)
  %MN = dyn_shape.apply M + N (M = %M, N = %N) : index
  %c = memref.alloc(%MN) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%a, %b : memref<?x8xf32>, memref<?x8xf32>) sizes(%M, %N) outs(%c : memref<?x8xf32>)
  %d = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%d : memref<?x8xf32>)
  %MMN = dyn_shape.apply 2 * M + N (M = %M, N = %N) : index
  %e = memref.alloc(%MMN) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%c, %d : memref<?x8xf32>, memref<?x8xf32>) sizes(%MN, %M) outs(%e : memref<?x8xf32>)
  return %e : memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @exp1(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%in : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %m: index, %n: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %b into %0[%m, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// What is not main's own is copied, if it is proved to be no bigger than what is not copied.
// CHECK-LABEL: func.func @one_row_of_an_argument
// CHECK:         memref.copy
// CHECK-NOT:     dyn_shape.launch @concat
// CHECK:         return
func.func @one_row_of_an_argument(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[M + N, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [4, ?] from arg0[0], N: [0, 4] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  %MN = dyn_shape.apply M + N (M = %M, N = %N) : index
  %c = memref.alloc(%MN) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%a, %y : memref<?x8xf32>, memref<?x8xf32>) sizes(%M, %N) outs(%c : memref<?x8xf32>)
  return %c : memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %m: index, %n: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %b into %0[%m, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @argument_of_any_size
// CHECK-NOT:     memref.copy
// CHECK:         dyn_shape.launch @concat
func.func @argument_of_any_size(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[M + N, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  %MN = dyn_shape.apply M + N (M = %M, N = %N) : index
  %c = memref.alloc(%MN) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%a, %y : memref<?x8xf32>, memref<?x8xf32>) sizes(%M, %N) outs(%c : memref<?x8xf32>)
  return %c : memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %m: index, %n: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %b into %0[%m, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// A returned buffer is the caller's, and one buffer can't be in two places.
// CHECK-LABEL: func.func @returned_or_twice
// CHECK-COUNT-2: dyn_shape.launch @concat
// CHECK-NOT:     dyn_shape.part
// CHECK:         return
func.func @returned_or_twice(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>}, memref<?x8xf32> {dyn.dims = #dyn.dims<[2 * M, 8]>}, memref<?x8xf32> {dyn.dims = #dyn.dims<[M + N, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  %MM = dyn_shape.apply 2 * M (M = %M) : index
  %c = memref.alloc(%MM) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%a, %a : memref<?x8xf32>, memref<?x8xf32>) sizes(%M, %M) outs(%c : memref<?x8xf32>)
  %MN = dyn_shape.apply M + N (M = %M, N = %N) : index
  %d = memref.alloc(%MN) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%a, %y : memref<?x8xf32>, memref<?x8xf32>) sizes(%M, %N) outs(%d : memref<?x8xf32>)
  return %a, %c, %d : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %m: index, %n: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %b into %0[%m, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// Behind a dim that may be larger than 1 pieces do not lie in one; behind one of 1 they do.
// CHECK-LABEL: func.func @inner_axis
// CHECK:         dyn_shape.launch @columns
// CHECK:         dyn_shape.part
// CHECK:         dyn_shape.part
// CHECK-NOT:     dyn_shape.launch @one_row
// CHECK:         return
func.func @inner_axis(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>}, %y: memref<1x8xf32>)
    -> (memref<?x16xf32> {dyn.dims = #dyn.dims<[M, 16]>}, memref<1x16xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %M = dyn_shape.sym "M" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  %b = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%b : memref<?x8xf32>)
  %c = memref.alloc(%M) : memref<?x16xf32>
  dyn_shape.launch @columns ins(%a, %b : memref<?x8xf32>, memref<?x8xf32>) sizes(%M) outs(%c : memref<?x16xf32>)
  %d = memref.alloc() : memref<1x8xf32>
  dyn_shape.launch @exp1 ins(%y : memref<1x8xf32>) outs(%d : memref<1x8xf32>)
  %e = memref.alloc() : memref<1x8xf32>
  dyn_shape.launch @exp1 ins(%y : memref<1x8xf32>) outs(%e : memref<1x8xf32>)
  %f = memref.alloc() : memref<1x16xf32>
  dyn_shape.launch @one_row ins(%d, %e : memref<1x8xf32>, memref<1x8xf32>) outs(%f : memref<1x16xf32>)
  return %c, %f : memref<?x16xf32>, memref<1x16xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @exp1(%in: tensor<1x8xf32>, %out: tensor<1x8xf32>) -> tensor<1x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<1x8xf32>) outs(%out : tensor<1x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}
func.func private @columns(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %m: index, %out: tensor<?x16xf32>) -> tensor<?x16xf32>
    attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x16xf32>
  %1 = tensor.insert_slice %b into %0[0, 8] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}
func.func private @one_row(%a: tensor<1x8xf32>, %b: tensor<1x8xf32>, %out: tensor<1x16xf32>) -> tensor<1x16xf32>
    attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<1x16xf32>
  %1 = tensor.insert_slice %b into %0[0, 8] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<1x16xf32>
  return %1 : tensor<1x16xf32>
}

// -----

// One buffer in two places: written in the first, copied to the second.
// CHECK-LABEL: func.func @twice
// CHECK:         %[[WHOLE:.*]] = memref.alloc
// CHECK:         %[[FIRST:.*]] = dyn_shape.part %[[WHOLE]]
// CHECK:         dyn_shape.launch @exp {{.*}} outs(%[[FIRST]]
// CHECK:         %[[SECOND:.*]] = dyn_shape.part %[[WHOLE]]
// CHECK:         memref.copy %[[FIRST]], %[[SECOND]]
// CHECK-NOT:     dyn_shape.launch @concat
// CHECK:         return %[[WHOLE]]
func.func @twice(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[2 * M, 8]>}) attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %M = dyn_shape.sym "M" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  %MM = dyn_shape.apply 2 * M (M = %M) : index
  %c = memref.alloc(%MM) : memref<?x8xf32>
  dyn_shape.launch @concat ins(%a, %a : memref<?x8xf32>, memref<?x8xf32>) sizes(%M, %M) outs(%c : memref<?x8xf32>)
  return %c : memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %m: index, %n: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %a into %out[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %b into %0[%m, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
