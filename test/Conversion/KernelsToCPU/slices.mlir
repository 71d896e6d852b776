// RUN: dyn-opt %s --dyn-lower-kernels-to-cpu=vector-bits=512 --canonicalize --cse | FileCheck %s

// A slice lies where the argument does: its strides are those of the argument times those of the slice, which are 0 where
// one batch stands for all. Sizes are those of the slice.
// CHECK-LABEL: func.func private @product(
// CHECK-SAME:    !llvm.ptr, %[[BEGIN:[^:]*]]: index, %[[END:[^:]*]]: index,
// CHECK-SAME:    %[[A:[^:]*]]: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: index, %[[M:[^:]*]]: index, %[[K:[^:]*]]: index,
// CHECK-SAME:    %[[B:[^:]*]]: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: index, %{{[^:]*}}: index, %{{[^:]*}}: index,
// CHECK-SAME:    %{{[^:]*}}: index, %{{[^:]*}}: index, %{{[^:]*}}: index, %{{[^:]*}}: index, %[[F:[^:]*]]: index, %[[G:[^:]*]]: index,
// CHECK:         %[[MATRIX:.*]] = arith.muli %[[K]], %[[M]]
// CHECK:         arith.muli %[[MATRIX]], %[[F]]
// CHECK:         arith.muli %{{.*}}, %[[G]]
// CHECK-NOT:     memref
func.func private @product(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %n: index, %m: index, %k: index, %c: index,
                          %f: index, %g: index, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %x = tensor.extract_slice %a[0, 0, 0] [%n, %m, %k] [%f, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %y = tensor.extract_slice %b[0, 0, 0] [%n, %k, %c] [%g, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %e = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, m, c, k) -> (n, m, k)>, affine_map<(n, m, c, k) -> (n, k, c)>,
                                        affine_map<(n, m, c, k) -> (n, m, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
