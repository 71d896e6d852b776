// RUN: dyn-opt %s --dyn-infer-shapes -split-input-file | FileCheck %s

// At S = 0 the shape [-1, S, 8] copies the dim of 4. ONNX refuses such runs at the next op, which has no dim 3 to copy,
// so that a 0 may be a size here.
// CHECK-LABEL: func.func @refused_elsewhere
// CHECK-NOT: dyn.require
// CHECK: dyn.reshape_to {{.*}} allow_zero {{.*}} -> tensor<?x?x8xf32, #dyn.dims<[4 * B, S, 8]>>
// CHECK: dyn.reshape_to
// CHECK-NOT: allow_zero
// CHECK: -> tensor<?x4x8x?xf32, #dyn.dims<[B, 4, 8, S]>>
func.func @refused_elsewhere(%x: tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>) -> tensor<?x?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[2]>} {
  %rest = dyn.constant dense<-1> : tensor<1xi64>
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %three = dyn.constant dense<3> : tensor<1xi64>
  %four = dyn.constant dense<4> : tensor<1xi64>
  %dims = dyn.shape_of %x : (tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>) -> tensor<4xi64>
  %s = dyn.slice_to %dims from %two to %three : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %d = dyn.slice_to %dims from %three to %four : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %b = dyn.slice_to %dims from %zero to %two : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %to = dyn.concat 0 (%rest, %s, %d) : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %matrices = dyn.reshape_to %x, %to : (tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %turned = dyn.transpose %matrices perm [0, 2, 1] : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %back = dyn.concat 0 (%b, %d, %s) : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %y = dyn.reshape_to %turned, %back : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----

// Nothing else says that S is not 0.
// CHECK: #[[DIMS:.*]] = #dyn.dims<[{{.*}}, 4 * max(S, 1) - 3 * S, 8]>
// CHECK-LABEL: func.func @needed
// CHECK: dyn.reshape_to
// CHECK-NOT: allow_zero
// CHECK-SAME: -> tensor<?x?x8xf32, #[[DIMS]]>
func.func @needed(%x: tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[2]>} {
  %rest = dyn.constant dense<-1> : tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %four = dyn.constant dense<4> : tensor<1xi64>
  %dims = dyn.shape_of %x : (tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>) -> tensor<4xi64>
  %rows = dyn.slice_to %dims from %two to %four : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %to = dyn.concat 0 (%rest, %rows) : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %y = dyn.reshape_to %x, %to : (tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// The same where the op that refuses comes first.
// CHECK-LABEL: func.func @refused_before
// CHECK-NOT: dyn.require
// CHECK: dyn.reshape_to
// CHECK-NOT: allow_zero
// CHECK: -> tensor<1x?xf32, #dyn.dims<[1, S]>>
// CHECK: dyn.reshape_to {{.*}} allow_zero {{.*}} -> tensor<?x?x8xf32, #dyn.dims<[4 * B, S, 8]>>
func.func @refused_before(%x: tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>, %z: tensor<?xf32, #dyn.dims<[S]>>)
    -> (tensor<?x?xf32>, tensor<?x?x?xf32>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[2]>} {
  %rest = dyn.constant dense<-1> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %three = dyn.constant dense<3> : tensor<1xi64>
  %eight = dyn.constant dense<8> : tensor<1xi64>
  %dims = dyn.shape_of %x : (tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>) -> tensor<4xi64>
  %s = dyn.slice_to %dims from %two to %three : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %row = dyn.concat 0 (%one, %s) : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %first = dyn.reshape_to %z, %row : (tensor<?xf32, #dyn.dims<[S]>>, tensor<2xi64>) -> tensor<?x?xf32>
  %to = dyn.concat 0 (%rest, %s, %eight) : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %y = dyn.reshape_to %x, %to : (tensor<?x4x?x8xf32, #dyn.dims<[B, 4, S, 8]>>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %first, %y : tensor<?x?xf32>, tensor<?x?x?xf32>
}
