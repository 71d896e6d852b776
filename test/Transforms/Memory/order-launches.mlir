// RUN: dyn-opt %s -dyn-order-launches -dyn-find-dependences -split-input-file | FileCheck %s

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Fires: two chains run side by side.
// CHECK-LABEL: func.func @chains
// CHECK:         %[[A:.*]] = memref.alloc
// CHECK-NEXT:    %[[B:.*]] = memref.alloc
// CHECK-NEXT:    %[[C:.*]] = memref.alloc
// CHECK-NEXT:    %[[SHOWN:.*]] = memref.expand_shape %[[C]]
// CHECK-NEXT:    %[[D:.*]] = memref.alloc
// CHECK-NEXT:    dyn_shape.launch @k ins(%{{.*}}) outs(%[[A]] : memref<?xf32>){{$}}
// CHECK-NEXT:    dyn_shape.launch @k ins(%{{.*}}) outs(%[[C]] : memref<?xf32>) after []
// CHECK-NEXT:    dyn_shape.launch @k ins(%[[A]] : memref<?xf32>) outs(%[[B]] : memref<?xf32>) after [2]
// CHECK-NEXT:    dyn_shape.launch @k ins(%[[C]] : memref<?xf32>) outs(%[[D]] : memref<?xf32>) after [2]
// CHECK-NEXT:    return %[[B]], %[[D]], %[[SHOWN]]
func.func @chains(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) -> (memref<?xf32>, memref<?xf32>, memref<?x1xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  %c = memref.alloc(%n) : memref<?xf32>
  %shown = memref.expand_shape %c [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  dyn_shape.launch @k ins(%y : memref<?xf32>) outs(%c : memref<?xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%c : memref<?xf32>) outs(%d : memref<?xf32>)
  return %b, %d, %shown : memref<?xf32>, memref<?xf32>, memref<?x1xf32>
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Does not fire across a copy, nor where what is read is written over later, nor where it makes no fewer groups.
// CHECK-LABEL: func.func @keeps_order
// CHECK:         outs(%[[A:.*]] : memref<?xf32>){{$}}
// CHECK:         ins(%[[A]] : memref<?xf32>)
// CHECK:         memref.copy
// CHECK:         outs(%[[A]] : memref<?xf32>){{$}}
// CHECK:         ins(%[[A]] : memref<?xf32>)
func.func @keeps_order(%x: memref<?xf32>, %y: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  memref.copy %b, %c : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%y : memref<?xf32>) outs(%a : memref<?xf32>)
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%c : memref<?xf32>)
  return
}

// -----

func.func private @widen(%x: tensor<?xf32>, %out: tensor<?x4096xf32>) -> tensor<?x4096xf32> attributes {dyn.kernel = "pointwise"}
func.func private @sum(%x: tensor<?x4096xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Does not fire where all that is large would be needed at the same time.
// CHECK-LABEL: func.func @branches
// CHECK:         dyn_shape.launch @widen {{.*}}{{$}}
// CHECK:         dyn_shape.launch @sum {{.*}}{{$}}
// CHECK:         dyn_shape.launch @widen {{.*}} after [2]
// CHECK:         dyn_shape.launch @sum {{.*}}{{$}}
// CHECK:         dyn_shape.launch @widen {{.*}} after [2, 3]
// CHECK:         dyn_shape.launch @sum {{.*}}{{$}}
func.func @branches(%x: memref<?xf32> {dyn.dims = #dyn.dims<[n]>})
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %n = dyn_shape.sym "n" : index
  %w0 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w0 : memref<?x4096xf32>)
  %s0 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w0 : memref<?x4096xf32>) outs(%s0 : memref<?xf32>)
  %w1 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w1 : memref<?x4096xf32>)
  %s1 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w1 : memref<?x4096xf32>) outs(%s1 : memref<?xf32>)
  %w2 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w2 : memref<?x4096xf32>)
  %s2 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w2 : memref<?x4096xf32>) outs(%s2 : memref<?xf32>)
  %w3 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w3 : memref<?x4096xf32>)
  %s3 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w3 : memref<?x4096xf32>) outs(%s3 : memref<?xf32>)
  %w4 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w4 : memref<?x4096xf32>)
  %s4 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w4 : memref<?x4096xf32>) outs(%s4 : memref<?xf32>)
  return
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Fires for two chains that end in parts of one buffer; what reads the whole comes last.
// CHECK-LABEL: func.func @chains_into_parts
// CHECK:         outs(%[[A:.*]] : memref<?xf32>){{$}}
// CHECK-NEXT:    outs(%[[B:.*]] : memref<?xf32>) after []
// CHECK-NEXT:    ins(%[[A]] : memref<?xf32>) {{.*}} after [2]
// CHECK-NEXT:    ins(%[[B]] : memref<?xf32>) {{.*}} after [2]
// CHECK-NEXT:    dyn_shape.launch @k ins(%arg2 : memref<?xf32>) outs(%arg3 : memref<?xf32>){{$}}
func.func @chains_into_parts(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[N]>},
                             %whole: memref<?xf32>, %out: memref<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%M) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %0 = dyn_shape.part %whole from %c0 dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%0 : memref<?xf32>)
  %b = memref.alloc(%N) : memref<?xf32>
  dyn_shape.launch @k ins(%y : memref<?xf32>) outs(%b : memref<?xf32>)
  %1 = dyn_shape.part %whole from %M dims(%N) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%b : memref<?xf32>) outs(%1 : memref<?xf32>)
  dyn_shape.launch @k ins(%whole : memref<?xf32>) outs(%out : memref<?xf32>)
  return
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Does not fire where the second chain begins with what the first one ends with: parts that may be one.
// CHECK-LABEL: func.func @parts_that_may_meet
// CHECK:         outs(%[[A:.*]] : memref<?xf32>){{$}}
// CHECK:         ins(%[[A]] : memref<?xf32>) outs(%[[PART:.*]] : memref<?xf32>){{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>){{$}}
// CHECK:         ins(%{{.*}} : memref<?xf32>) outs(%arg3 : memref<?xf32>){{$}}
func.func @parts_that_may_meet(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M]>}, %whole: memref<?xf32>, %n: index, %out: memref<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %M = dyn_shape.sym "M" : index
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%M) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %0 = dyn_shape.part %whole from %c0 dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%0 : memref<?xf32>)
  %1 = dyn_shape.part %whole from %n dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>)
  dyn_shape.launch @k ins(%1 : memref<?xf32>) outs(%out : memref<?xf32>)
  return
}
