// RUN: dyn-opt %s --dyn-pipeline='to=target vector-bits=512' | FileCheck %s

// Executed in test/python/kernels. Here: operands of f16 are widened when they are copied, so that the inner loops are those
// of f32, and scores are rounded as the graph says. For a single row nothing is copied but the row itself: scores are dot
// products with keys where these are, and the inner loop widens values.
// CHECK-LABEL: func.func private @attention_0(
// CHECK-NOT:     @dyn.tile.f16
// CHECK:         llvm.call @dyn.pack.f16.f32.32.columns(
// CHECK:         llvm.call @dyn.pack.f16.f32.32.step1(
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<16xf16>
// CHECK:         arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:         llvm.call @dyn.dots.f16.f32.f32.f32.16
// CHECK:         llvm.call @[[TILE:dyn.tile.f32.f32.f32.16[^(]*]].12x2of2(
// CHECK:         arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
// CHECK:         math.exp
// CHECK:         llvm.call @dyn.tile.f32.f16.f32.16{{.*}}.1x2of2(
// CHECK-NOT:     llvm.call @dyn.tile.f32.f16.f32
// CHECK:         llvm.call @[[TILE]].12x2of2(
// CHECK:         arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
// CHECK:         llvm.intr.masked.store %{{.*}} : vector<16xf16>
// CHECK-LABEL: func.func private @attention_0.count(
func.func @main(%q: tensor<?x16xf16, #dyn.dims<[S, 16]>> {dyn.name = "q"},
                %k: tensor<?x16xf16, #dyn.dims<[T, 16]>> {dyn.name = "k"},
                %v: tensor<?x32xf16, #dyn.dims<[T, 32]>> {dyn.name = "v"},
                %mask: tensor<?x?xf16, #dyn.dims<[S, T]>> {dyn.name = "mask"})
    -> (tensor<?x32xf16, #dyn.dims<[S, 32]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg2[0]>} {
  %scale = dyn.constant dense<2.5e-01> : tensor<f16>
  %kt = dyn.transpose %k perm [1, 0] : (tensor<?x16xf16, #dyn.dims<[T, 16]>>) -> tensor<16x?xf16, #dyn.dims<[16, T]>>
  %qk = dyn.matmul %q, %kt : (tensor<?x16xf16, #dyn.dims<[S, 16]>>, tensor<16x?xf16, #dyn.dims<[16, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %scaled = dyn.mul %qk, %scale : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<f16>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %masked = dyn.add %scaled, %mask : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %scores = dyn.cast %masked : (tensor<?x?xf16, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %max = dyn.reduce max %scores axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %sub = dyn.sub %scores, %max : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %exp = dyn.exp %sub : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %p = dyn.div %exp, %sum : (tensor<?x?xf32, #dyn.dims<[S, T]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x?xf32, #dyn.dims<[S, T]>>
  %w = dyn.cast %p : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf16, #dyn.dims<[S, T]>>
  %y = dyn.matmul %w, %v : (tensor<?x?xf16, #dyn.dims<[S, T]>>, tensor<?x32xf16, #dyn.dims<[T, 32]>>) -> tensor<?x32xf16, #dyn.dims<[S, 32]>>
  return %y : tensor<?x32xf16, #dyn.dims<[S, 32]>>
}
