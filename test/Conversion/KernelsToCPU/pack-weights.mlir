// RUN: dyn-opt %s --split-input-file --dyn-pack-weights=vector-bits=256 | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#t = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Both orders of the weight's dims; what is no weight keeps the kernel as it was.
// CHECK-DAG: #[[PLAIN:.*]] = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
// CHECK-DAG: #[[TRANSPOSED:.*]] = affine_map<(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)>
// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[ONE:.*]] = dyn_shape.data #dyn.weight<"w", 0, 3200> : {{.*}} -> memref<20x40xf32, #[[PLAIN]]>
// CHECK-DAG:     %[[TWO:.*]] = dyn_shape.data #dyn.weight<"w", 3200, 3200> : {{.*}} -> memref<40x20xf32, #[[TRANSPOSED]]>
// CHECK:         dyn_shape.launch @[[COPY:plain_.*]] ins(%{{.*}}, %[[ONE]] :
// CHECK:         dyn_shape.launch @plain ins(%{{.*}}, %arg1 :
// CHECK:         dyn_shape.launch @transposed ins(%{{.*}}, %[[TWO]] :
// CHECK-LABEL: func.func private @plain(
// CHECK-NOT:     dyn.layout
// CHECK:       func.func private @[[COPY]](
// CHECK-SAME:    tensor<20x40xf32> {dyn.layout = #[[PLAIN]]}
// CHECK-LABEL: func.func private @transposed(
// CHECK-SAME:    tensor<40x20xf32> {dyn.layout = #[[TRANSPOSED]]}
func.func @main(%x: memref<?x20xf32>, %other: memref<20x40xf32>, %y: memref<?x40xf32>) {
  %w = dyn_shape.data #dyn.weight<"w", 0, 3200> : tensor<20x40xf32> -> memref<20x40xf32>
  %t = dyn_shape.data #dyn.weight<"w", 3200, 3200> : tensor<40x20xf32> -> memref<40x20xf32>
  dyn_shape.launch @plain ins(%x, %w : memref<?x20xf32>, memref<20x40xf32>) outs(%y : memref<?x40xf32>)
  dyn_shape.launch @plain ins(%x, %other : memref<?x20xf32>, memref<20x40xf32>) outs(%y : memref<?x40xf32>)
  dyn_shape.launch @transposed ins(%x, %t : memref<?x20xf32>, memref<40x20xf32>) outs(%y : memref<?x40xf32>)
  return
}

func.func private @plain(%x: tensor<?x20xf32>, %w: tensor<20x40xf32>, %o: tensor<?x40xf32>) -> tensor<?x40xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<?x40xf32>) -> tensor<?x40xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x20xf32>, tensor<20x40xf32>) outs(%start : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

func.func private @transposed(%x: tensor<?x20xf32>, %w: tensor<40x20xf32>, %o: tensor<?x40xf32>) -> tensor<?x40xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<?x40xf32>) -> tensor<?x40xf32>
  %0 = linalg.generic {indexing_maps = [#x, #t, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x20xf32>, tensor<40x20xf32>) outs(%start : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

// -----

// One row only: in panels all the same.
// CHECK-LABEL: func.func @one_row
// CHECK:         dyn_shape.data #dyn.weight<"w", 0, 3200> : {{.*}} -> memref<40x20xf32, #{{.*}}>
// CHECK-LABEL: func.func private @row(
// CHECK-SAME:    tensor<40x20xf32> {dyn.layout = #{{.*}}}
func.func @one_row(%x: memref<1x20xf32>, %y: memref<1x40xf32>) {
  %w = dyn_shape.data #dyn.weight<"w", 0, 3200> : tensor<40x20xf32> -> memref<40x20xf32>
  dyn_shape.launch @row ins(%x, %w : memref<1x20xf32>, memref<40x20xf32>) outs(%y : memref<1x40xf32>)
  return
}

func.func private @row(%x: tensor<1x20xf32>, %w: tensor<40x20xf32>, %o: tensor<1x40xf32>) -> tensor<1x40xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1x40xf32>) -> tensor<1x40xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x20xf32>, tensor<40x20xf32>) outs(%start : tensor<1x40xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x40xf32>
  return %0 : tensor<1x40xf32>
}

// -----

// The weight has the rows, not the columns; and constants that are not in a file stay as they are.
#x = affine_map<(m, n, k) -> (k, n)>
#w = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @left
// CHECK-NOT:     affine_map
// CHECK-NOT:     dyn.layout
func.func @left(%x: memref<4x?xf32>, %y: memref<2x?xf32>) {
  %w = dyn_shape.data #dyn.weight<"w", 0, 32> : tensor<2x4xf32> -> memref<2x4xf32>
  dyn_shape.launch @rows ins(%w, %x : memref<2x4xf32>, memref<4x?xf32>) outs(%y : memref<2x?xf32>)
  %c = dyn_shape.data dense<1.0> : tensor<2x4xf32> -> memref<2x4xf32>
  dyn_shape.launch @rows ins(%c, %x : memref<2x4xf32>, memref<4x?xf32>) outs(%y : memref<2x?xf32>)
  return
}

func.func private @rows(%w: tensor<2x4xf32>, %x: tensor<4x?xf32>, %o: tensor<2x?xf32>) -> tensor<2x?xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<2x?xf32>) -> tensor<2x?xf32>
  %0 = linalg.generic {indexing_maps = [#w, #x, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<2x4xf32>, tensor<4x?xf32>) outs(%start : tensor<2x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
