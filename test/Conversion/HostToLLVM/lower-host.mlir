// RUN: dyn-opt %s --dyn-lower-host | FileCheck %s

// Executed in test/unit/ExecutionEngine. Here: what stands where.

// The descriptor names ports, symbols and guards, in the order in which they are tested.
// CHECK: module attributes {dyn.descriptor = "{
// CHECK-SAME: \22arena\22:\22256 * N\22
// CHECK-SAME: \22kind\22:\22range\22,\22node\22:\22\22,\22predicate\22:\22N in 1..64\22
// CHECK-SAME: \22because\22:\22matmul\22,\22dim\22:-1,\22input\22:\22\22,\22kind\22:\22guard\22,\22node\22:\22/l0/MatMul\22
// What is no UTF-8 in a name is replaced.
// CHECK-SAME: \22because\22:\22add\22{{.*}}\22node\22:\22node\EF\BF\BD\22
// CHECK-SAME: \22inputs\22:[{\22dims\22:[\22N\22],\22element_type\22:1,\22name\22:\22x\22}]

// Data in a file are declared only.
// CHECK-DAG: llvm.mlir.global external hidden constant @data.0() {{{.*}}dyn.weight = #dyn.weight<"w.weights", 0, 16>
// CHECK-DAG: llvm.mlir.global internal constant @data.1("\01\00\00\00\00\00\00\00") {{{.*}}alignment = 64

// CHECK-LABEL: func.func private @dyn.check(
// CHECK-SAME:    !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK:         cf.cond_br

// One launch: with arguments only if there is work. Then all launches end.
// CHECK-LABEL: func.func private @dyn.run(
// CHECK:         %[[COUNT:.*]] = call @k.count(
// CHECK:         %[[ITEMS:.*]] = arith.index_cast %[[COUNT]]
// CHECK:         %[[ANY:.*]] = arith.cmpi sgt, %[[ITEMS]]
// CHECK:         cf.cond_br %[[ANY]]
// CHECK:         call @k.grain(
// CHECK:         constant @k.work
// CHECK:         %[[SUBMIT:.*]] = llvm.load {{.*}} -> !llvm.ptr
// CHECK:         llvm.call %[[SUBMIT]](%{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         %[[FINISH:.*]] = llvm.load {{.*}} -> !llvm.ptr
// CHECK-NEXT:    llvm.call %[[FINISH]](%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> ()

// What kernels take while they run.
// CHECK-LABEL: func.func private @dyn.scratch(
// CHECK-SAME:    %[[SYMBOLS:.*]]: !llvm.ptr) -> i64
// CHECK-NOT:     llvm.store
// CHECK:         call @k.scratch(
// CHECK:         arith.maxsi
// CHECK-NEXT:    return

// CHECK-LABEL: func.func private @k.work(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:         llvm.load %[[ARGS]]
// CHECK:         call @k(%[[CONTEXT]]
// CHECK-NOT:   func.func @main
func.func @main(%x: memref<?xf32> {dyn.name = "x", dyn.dims = #dyn.dims<[N]>},
                %y: memref<?xf32> {dyn.name = "y", dyn.dims = #dyn.dims<[N]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<N: [1, 64] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  dyn_shape.check N ne 3 (N = %N) because "matmul" loc("/l0/MatMul")
  dyn_shape.check N ne 5 (N = %N) because "add" loc("node\E9")
  %bytes = dyn_shape.apply 256 * N (N = %N) : index
  %arena = dyn_shape.arena %bytes : memref<?xi8>
  %c0 = arith.constant 0 : index
  %w = dyn_shape.data #dyn.weight<"w.weights", 0, 16> : tensor<4xf32> -> memref<4xf32>
  %i = dyn_shape.data dense<1> : tensor<1xi64> -> memref<1xi64>
  %t = memref.view %arena[%c0][%N] : memref<?xi8> to memref<?xf32>
  dyn_shape.launch @k ins(%x, %w, %i : memref<?xf32>, memref<4xf32>, memref<1xi64>) outs(%y : memref<?xf32>)
  return
}
func.func private @k(%context: !llvm.ptr, %begin: index, %end: index, %x: !llvm.ptr, %n: index, %w: !llvm.ptr,
                     %i: !llvm.ptr, %y: !llvm.ptr, %m: index) attributes {dyn.kernel = "pointwise"} {
  return
}
func.func private @k.count(%x: !llvm.ptr, %n: index, %w: !llvm.ptr, %i: !llvm.ptr, %y: !llvm.ptr, %m: index) -> index {
  return %n : index
}
func.func private @k.grain(%x: !llvm.ptr, %n: index, %w: !llvm.ptr, %i: !llvm.ptr, %y: !llvm.ptr, %m: index) -> index {
  return %n : index
}
func.func private @k.scratch(%x: !llvm.ptr, %n: index, %w: !llvm.ptr, %i: !llvm.ptr, %y: !llvm.ptr, %m: index) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
