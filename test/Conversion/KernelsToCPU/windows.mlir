// RUN: dyn-opt %s --dyn-lower-kernels-to-cpu='vector-bits=256' --canonicalize | FileCheck %s

#image = affine_map<(n, o, h, w, c, k, l) -> (n, c, h + k, w + l)>
#strided = affine_map<(n, o, h, w, c, k, l) -> (n, c, 2 * h + k, 2 * w + l)>
#filter = affine_map<(n, o, h, w, c, k, l) -> (o, c, k, l)>
#plain = affine_map<(n, o, h, w, c) -> (n, c, h, w)>
#plain_filter = affine_map<(n, o, h, w, c) -> (o, c, 0, 0)>
#plain_result = affine_map<(n, o, h, w, c) -> (n, o, h, w)>
#result = affine_map<(n, o, h, w, c, k, l) -> (n, o, h, w)>

// Windows of one place: height and width are one loop of 42 columns, two tiles of 16 and one of 10.
// CHECK-LABEL: func.func private @one_place.count(
// CHECK-NEXT:    %[[ITEMS:.*]] = arith.constant 3 : index
// CHECK-NEXT:    return %[[ITEMS]]
func.func private @one_place(%x: tensor<1x8x6x7xf32>, %w: tensor<64x8x1x1xf32>, %o: tensor<1x64x6x7xf32>)
    -> tensor<1x64x6x7xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1x64x6x7xf32>) -> tensor<1x64x6x7xf32>
  %0 = linalg.generic {indexing_maps = [#plain, #plain_filter, #plain_result], iterator_types = ["parallel", "parallel",
      "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x8x6x7xf32>, tensor<64x8x1x1xf32>) outs(%start : tensor<1x64x6x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x64x6x7xf32>
  return %0 : tensor<1x64x6x7xf32>
}

// Other windows keep the rows of the image apart. Of 7 columns a tile takes twice as many rows, 12.
// CHECK-LABEL: func.func private @three_places(
// CHECK:         llvm.call @dyn.pack.f32.16.step1(
// CHECK:         llvm.call @dyn.tile{{.*}}.12x1of2(
// CHECK-LABEL: func.func private @three_places.count(
// CHECK-NEXT:    %[[ITEMS:.*]] = arith.constant 6 : index
// CHECK-NEXT:    return %[[ITEMS]]
func.func private @three_places(%x: tensor<1x8x8x9xf32>, %w: tensor<64x8x3x3xf32>, %o: tensor<1x64x6x7xf32>)
    -> tensor<1x64x6x7xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1x64x6x7xf32>) -> tensor<1x64x6x7xf32>
  %0 = linalg.generic {indexing_maps = [#image, #filter, #result], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x8x8x9xf32>, tensor<64x8x3x3xf32>) outs(%start : tensor<1x64x6x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x64x6x7xf32>
  return %0 : tensor<1x64x6x7xf32>
}

// Every second column is picked out of vectors, though the places of a window lie beside each other.
// CHECK-LABEL: func.func private @every_second(
// CHECK:         llvm.call @dyn.pack.f32.16.step2(
// CHECK:       llvm.func internal @dyn.pack.f32.16.step2(
// CHECK:         vector.shuffle
func.func private @every_second(%x: tensor<1x8x17x17xf32>, %w: tensor<64x8x3x3xf32>, %o: tensor<1x64x8x8xf32>)
    -> tensor<1x64x8x8xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1x64x8x8xf32>) -> tensor<1x64x8x8xf32>
  %0 = linalg.generic {indexing_maps = [#strided, #filter, #result], iterator_types = ["parallel", "parallel",
      "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x8x17x17xf32>, tensor<64x8x3x3xf32>) outs(%start : tensor<1x64x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x64x8x8xf32>
  return %0 : tensor<1x64x8x8xf32>
}
