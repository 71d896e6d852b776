// RUN: dyn-opt %s --dyn-lower-kernels-to-cpu='vector-bits=512 l2-bytes=4096' | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: dyn-opt %s --dyn-lower-kernels-to-cpu='vector-bits=512 l2-bytes=1048576' | FileCheck %s --check-prefixes=CHECK,BIG

// What is known to be smaller than the caches is written there.
// CHECK-LABEL: func.func private @small(
// CHECK-NOT:     nontemporal
// CHECK-NOT:     llvm.fence
// CHECK:       func.func private @small.count(
func.func private @small(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>) -> tensor<8x64xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// 32 KiB are 8 times a cache of 4 KiB: written past the caches where the output is aligned, seen by others after a fence.
// CHECK-LABEL: func.func private @known(
// SMALL:         llvm.ptrtoint
// SMALL:         scf.if
// SMALL:           llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// SMALL:         } else {
// SMALL:           llvm.store {{.*}} {alignment = 4 : i64} : vector<16xf32>
// SMALL:         llvm.fence seq_cst
// BIG-NOT:       nontemporal
// BIG-NOT:       llvm.fence
// CHECK:       func.func private @known.count(
func.func private @known(%x: tensor<128x64xf32>, %o: tensor<128x64xf32>) -> tensor<128x64xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x64xf32>) outs(%o : tensor<128x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// The run decides.
// CHECK-LABEL: func.func private @unknown(
// CHECK:         %[[LARGE:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : index
// CHECK:         %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK:         %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[ALIGNED]]
// CHECK:         scf.if %[[BOTH]]
// CHECK:         scf.if %[[LARGE]] {
// CHECK-NEXT:      llvm.fence seq_cst
// CHECK:       func.func private @unknown.count(
func.func private @unknown(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xf32>) outs(%o : tensor<?x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
