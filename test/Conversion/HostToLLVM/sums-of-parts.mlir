// RUN: dyn-opt %s --dyn-lower-host | FileCheck %s

// Where parts stand behind each other, each place is computed from the one before, though the terms of sums stand in the
// order of their names.

// CHECK-LABEL: func.func private @dyn.check(
// CHECK:         %[[TWO:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK-NOT:     arith.addi
// CHECK:         %[[THREE:.*]] = arith.addi %[[TWO]], %{{.*}} : i64
// CHECK-NOT:     arith.addi
// CHECK:         arith.addi %[[THREE]], %{{.*}} : i64

// CHECK-LABEL: func.func private @dyn.arena(
// CHECK:         %[[TWO:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK-NOT:     arith.addi
// CHECK:         %[[THREE:.*]] = arith.addi %[[TWO]], %{{.*}} : i64
// CHECK-NOT:     arith.addi
// CHECK:         arith.addi %[[THREE]], %{{.*}} : i64
// CHECK-NOT:     arith.addi
// CHECK:         return
func.func @main(%a: memref<?x?x?x?xf32> {dyn.name = "a", dyn.dims = #dyn.dims<[N2, N10, N3, N1]>},
                %y: memref<?xf32> {dyn.name = "y", dyn.dims = #dyn.dims<[N1 + N10 + N2 + N3]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<N2: [0, 64] from arg0[0], N10: [0, 64] from arg0[1], N3: [0, 64] from arg0[2],
                                           N1: [0, 64] from arg0[3]>} {
  %0 = dyn_shape.sym "N2" : index
  %1 = dyn_shape.sym "N10" : index
  %2 = dyn_shape.sym "N3" : index
  %3 = dyn_shape.sym "N1" : index
  dyn_shape.check N10 + N2 <= 100 (N2 = %0, N10 = %1) because "first"
  dyn_shape.check N10 + N2 + N3 <= 100 (N2 = %0, N10 = %1, N3 = %2) because "second"
  %4 = dyn_shape.apply N10 + N2 (N2 = %0, N10 = %1) : index
  %5 = dyn_shape.apply N10 + N2 + N3 (N2 = %0, N10 = %1, N3 = %2) : index
  %6 = dyn_shape.apply N1 + N10 + N2 + N3 (N2 = %0, N10 = %1, N3 = %2, N1 = %3) : index
  %arena = dyn_shape.arena %6 : memref<?xi8>
  return
}
