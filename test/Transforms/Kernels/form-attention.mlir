// RUN: dyn-opt %s --split-input-file --dyn-pipeline=to=kernels --mlir-print-local-scope | FileCheck %s
// RUN: dyn-opt %s --split-input-file --dyn-pipeline='to=kernels target=cuda' | FileCheck %s --check-prefix=CUDA

// Scale and mask, keys that four heads share, keys and values of other lengths than queries: one kernel, which reads
// the shared keys and values where they are, by loops for what shares them and what is shared. Grids have no code for it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: dyn_shape.launch
// CHECK: dyn_shape.launch @attention_0 ins(%{{.*}}, %arg1, %{{.*}}, %arg2 : tensor<?x2x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x?x?xf32>, tensor<?x2x?x16xf32>)
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @attention_0
// CHECK-SAME: attributes {dyn.kernel = "attention"}
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5)>
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d5, d4)>
// CUDA-LABEL: func.func @main
// CUDA-NOT: @attention
// CUDA: dyn_shape.launch @contraction_0
// CUDA: dyn_shape.launch @row_0
// CUDA: dyn_shape.launch @contraction_1
func.func @main(%q: tensor<?x8x?x16xf32, #dyn.dims<[B, 8, S, 16]>> {dyn.name = "q"},
                %k: tensor<?x2x?x16xf32, #dyn.dims<[B, 2, T, 16]>> {dyn.name = "k"},
                %v: tensor<?x2x?x16xf32, #dyn.dims<[B, 2, T, 16]>> {dyn.name = "v"},
                %mask: tensor<?x1x?x?xf32, #dyn.dims<[B, 1, S, T]>> {dyn.name = "mask"})
    -> (tensor<?x?x8x16xf32, #dyn.dims<[B, S, 8, 16]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[2], T: [0, ?] from arg1[2]>} {
  %scale = dyn.constant dense<2.5e-01> : tensor<f32>
  %k5 = dyn.reshape %k : tensor<?x2x?x16xf32, #dyn.dims<[B, 2, T, 16]>> to tensor<?x2x1x?x16xf32, #dyn.dims<[B, 2, 1, T, 16]>>
  %kb = dyn.broadcast %k5 : tensor<?x2x1x?x16xf32, #dyn.dims<[B, 2, 1, T, 16]>> to tensor<?x2x4x?x16xf32, #dyn.dims<[B, 2, 4, T, 16]>>
  %k8 = dyn.reshape %kb : tensor<?x2x4x?x16xf32, #dyn.dims<[B, 2, 4, T, 16]>> to tensor<?x8x?x16xf32, #dyn.dims<[B, 8, T, 16]>>
  %v5 = dyn.reshape %v : tensor<?x2x?x16xf32, #dyn.dims<[B, 2, T, 16]>> to tensor<?x2x1x?x16xf32, #dyn.dims<[B, 2, 1, T, 16]>>
  %vb = dyn.broadcast %v5 : tensor<?x2x1x?x16xf32, #dyn.dims<[B, 2, 1, T, 16]>> to tensor<?x2x4x?x16xf32, #dyn.dims<[B, 2, 4, T, 16]>>
  %v8 = dyn.reshape %vb : tensor<?x2x4x?x16xf32, #dyn.dims<[B, 2, 4, T, 16]>> to tensor<?x8x?x16xf32, #dyn.dims<[B, 8, T, 16]>>
  %kt = dyn.transpose %k8 perm [0, 1, 3, 2] : (tensor<?x8x?x16xf32, #dyn.dims<[B, 8, T, 16]>>) -> tensor<?x8x16x?xf32, #dyn.dims<[B, 8, 16, T]>>
  %qk = dyn.matmul %q, %kt : (tensor<?x8x?x16xf32, #dyn.dims<[B, 8, S, 16]>>, tensor<?x8x16x?xf32, #dyn.dims<[B, 8, 16, T]>>) -> tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>
  %scaled = dyn.mul %qk, %scale : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>, tensor<f32>) -> tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>
  %scores = dyn.add %scaled, %mask : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>, tensor<?x1x?x?xf32, #dyn.dims<[B, 1, S, T]>>) -> tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>
  %max = dyn.reduce max %scores axes [-1] keep_dims : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>) -> tensor<?x8x?x1xf32, #dyn.dims<[B, 8, S, 1]>>
  %sub = dyn.sub %scores, %max : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>, tensor<?x8x?x1xf32, #dyn.dims<[B, 8, S, 1]>>) -> tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>
  %exp = dyn.exp %sub : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>) -> tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>) -> tensor<?x8x?x1xf32, #dyn.dims<[B, 8, S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>, tensor<?x8x?x1xf32, #dyn.dims<[B, 8, S, 1]>>) -> tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>
  %o = dyn.matmul %p, %v8 : (tensor<?x8x?x?xf32, #dyn.dims<[B, 8, S, T]>>, tensor<?x8x?x16xf32, #dyn.dims<[B, 8, T, 16]>>) -> tensor<?x8x?x16xf32, #dyn.dims<[B, 8, S, 16]>>
  %y = dyn.transpose %o perm [0, 2, 1, 3] : (tensor<?x8x?x16xf32, #dyn.dims<[B, 8, S, 16]>>) -> tensor<?x?x8x16xf32, #dyn.dims<[B, S, 8, 16]>>
  return %y : tensor<?x?x8x16xf32, #dyn.dims<[B, S, 8, 16]>>
}

// -----

// Weights that somebody else reads as well must be in memory.
// CHECK-LABEL: func.func @weights_are_returned
// CHECK-NOT: @attention
// CHECK: dyn_shape.launch @contraction_0
// CHECK: dyn_shape.launch @row_0
// CHECK: dyn_shape.launch @contraction_1
func.func @weights_are_returned(%q: tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "q"},
                                %k: tensor<8x?xf32, #dyn.dims<[8, T]>> {dyn.name = "k"},
                                %v: tensor<?x8xf32, #dyn.dims<[T, 8]>> {dyn.name = "v"})
    -> (tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "y"}, tensor<?x?xf32, #dyn.dims<[S, T]>> {dyn.name = "p"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg2[0]>} {
  %scores = dyn.matmul %q, %k : (tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<8x?xf32, #dyn.dims<[8, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %max = dyn.reduce max %scores axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %sub = dyn.sub %scores, %max : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %exp = dyn.exp %sub : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %y = dyn.matmul %p, %v : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x8xf32, #dyn.dims<[T, 8]>>) -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  return %y, %p : tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<?x?xf32, #dyn.dims<[S, T]>>
}

// -----

// No maximum is subtracted: exponentials may overflow, and do so one by one.
// CHECK-LABEL: func.func @no_maximum
// CHECK-NOT: @attention
// CHECK: dyn_shape.launch @contraction_0
func.func @no_maximum(%q: tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "q"},
                      %k: tensor<8x?xf32, #dyn.dims<[8, T]>> {dyn.name = "k"},
                      %v: tensor<?x8xf32, #dyn.dims<[T, 8]>> {dyn.name = "v"})
    -> (tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg2[0]>} {
  %scores = dyn.matmul %q, %k : (tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<8x?xf32, #dyn.dims<[8, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %exp = dyn.exp %scores : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %y = dyn.matmul %p, %v : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x8xf32, #dyn.dims<[T, 8]>>) -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  return %y : tensor<?x8xf32, #dyn.dims<[S, 8]>>
}

// -----

// Products of f16 are summed in f32, and so is softmax computed. Scores are rounded in between, as the graph says.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: dyn_shape.launch
// CHECK: dyn_shape.launch @attention_0 ins({{.*}} : tensor<?x8xf16>, tensor<8x?xf16>, tensor<?x?xf16>, tensor<?x8xf16>)
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @attention_0
// CHECK-COUNT-2: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.mulf %{{.*}} : f16
// CHECK: arith.addf %{{.*}} : f16
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.maximumf %{{.*}} : f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.divf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-COUNT-2: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CUDA-LABEL: func.func @halves
// CUDA-NOT: @attention
func.func @halves(%q: tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "q"},
                  %k: tensor<8x?xf16, #dyn.dims<[8, T]>> {dyn.name = "k"},
                  %v: tensor<?x8xf16, #dyn.dims<[T, 8]>> {dyn.name = "v"},
                  %mask: tensor<?x?xf16, #dyn.dims<[S, T]>> {dyn.name = "mask"})
    -> (tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg2[0]>} {
  %scale = dyn.constant dense<2.5e-01> : tensor<f16>
  %qk = dyn.matmul %q, %k : (tensor<?x8xf16, #dyn.dims<[S, 8]>>, tensor<8x?xf16, #dyn.dims<[8, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %scaled = dyn.mul %qk, %scale : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<f16>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %masked = dyn.add %scaled, %mask : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %scores = dyn.cast %masked : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %max = dyn.reduce max %scores axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %sub = dyn.sub %scores, %max : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %exp = dyn.exp %sub : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %w = dyn.cast %p : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %y = dyn.matmul %w, %v : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x8xf16, #dyn.dims<[T, 8]>>) -> tensor<?x8xf16, #dyn.dims<[S, 8]>>
  return %y : tensor<?x8xf16, #dyn.dims<[S, 8]>>
}

// -----

// A softmax that the graph computes in f16, node by node: steps between the scores and what the weights give may be
// rounded or not.
// CHECK-LABEL: func.func @rounded_exponentials
// CHECK-NOT: dyn_shape.launch
// CHECK: dyn_shape.launch @attention_0
// CHECK-NOT: dyn_shape.launch
// CHECK: math.exp %{{.*}} : f16
func.func @rounded_exponentials(%q: tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "q"},
                                %k: tensor<8x?xf16, #dyn.dims<[8, T]>> {dyn.name = "k"},
                                %v: tensor<?x8xf16, #dyn.dims<[T, 8]>> {dyn.name = "v"})
    -> (tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg2[0]>} {
  %scores = dyn.matmul %q, %k : (tensor<?x8xf16, #dyn.dims<[S, 8]>>, tensor<8x?xf16, #dyn.dims<[8, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %max = dyn.reduce max %scores axes [-1] keep_dims : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x1xf16, #dyn.dims<[S, 1]>>
  %sub = dyn.sub %scores, %max : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x1xf16, #dyn.dims<[S, 1]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %exp = dyn.exp %sub : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x1xf16, #dyn.dims<[S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x1xf16, #dyn.dims<[S, 1]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %y = dyn.matmul %p, %v : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x8xf16, #dyn.dims<[T, 8]>>) -> tensor<?x8xf16, #dyn.dims<[S, 8]>>
  return %y : tensor<?x8xf16, #dyn.dims<[S, 8]>>
}

// -----

// Such exponentials must be in memory if somebody else reads them as well.
// CHECK-LABEL: func.func @rounded_exponentials_are_returned
// CHECK-NOT: @attention
// CHECK: dyn_shape.launch @contraction_0
func.func @rounded_exponentials_are_returned(%q: tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "q"},
                                             %k: tensor<8x?xf16, #dyn.dims<[8, T]>> {dyn.name = "k"},
                                             %v: tensor<?x8xf16, #dyn.dims<[T, 8]>> {dyn.name = "v"})
    -> (tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "y"}, tensor<?x?xf16, #dyn.dims<[S, T]>> {dyn.name = "e"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg2[0]>} {
  %scores = dyn.matmul %q, %k : (tensor<?x8xf16, #dyn.dims<[S, 8]>>, tensor<8x?xf16, #dyn.dims<[8, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %max = dyn.reduce max %scores axes [-1] keep_dims : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x1xf16, #dyn.dims<[S, 1]>>
  %sub = dyn.sub %scores, %max : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x1xf16, #dyn.dims<[S, 1]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %exp = dyn.exp %sub : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x1xf16, #dyn.dims<[S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x1xf16, #dyn.dims<[S, 1]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %y = dyn.matmul %p, %v : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x8xf16, #dyn.dims<[T, 8]>>) -> tensor<?x8xf16, #dyn.dims<[S, 8]>>
  return %y, %exp : tensor<?x8xf16, #dyn.dims<[S, 8]>>, tensor<?x?xf16, #dyn.dims<[S, T]>>
}

// -----

// Rounded weights that somebody else reads as well must be in memory.
// CHECK-LABEL: func.func @rounded_weights_are_returned
// CHECK-NOT: @attention
// CHECK: dyn_shape.launch @contraction_0
func.func @rounded_weights_are_returned(%q: tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "q"},
                                        %k: tensor<8x?xf16, #dyn.dims<[8, T]>> {dyn.name = "k"},
                                        %v: tensor<?x8xf16, #dyn.dims<[T, 8]>> {dyn.name = "v"})
    -> (tensor<?x8xf16, #dyn.dims<[S, 8]>> {dyn.name = "y"}, tensor<?x?xf16, #dyn.dims<[S, T]>> {dyn.name = "w"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg2[0]>} {
  %qk = dyn.matmul %q, %k : (tensor<?x8xf16, #dyn.dims<[S, 8]>>, tensor<8x?xf16, #dyn.dims<[8, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %scores = dyn.cast %qk : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %max = dyn.reduce max %scores axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %sub = dyn.sub %scores, %max : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %exp = dyn.exp %sub : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %w = dyn.cast %p : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %y = dyn.matmul %w, %v : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x8xf16, #dyn.dims<[T, 8]>>) -> tensor<?x8xf16, #dyn.dims<[S, 8]>>
  return %y, %w : tensor<?x8xf16, #dyn.dims<[S, 8]>>, tensor<?x?xf16, #dyn.dims<[S, T]>>
}
