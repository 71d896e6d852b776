// RUN: dyn-opt %s --dyn-hold-bfloat16-as-integers | FileCheck %s

// CHECK-LABEL: llvm.func @moves(
// CHECK-SAME:    %[[FROM:.*]]: !llvm.ptr, %[[OTHER:.*]]: i16, %[[MASK:.*]]: vector<8xi1>)
llvm.func @moves(%from: !llvm.ptr, %other: bf16, %mask: vector<8xi1>) -> bf16 {
  // CHECK: %[[ONES:.*]] = llvm.mlir.constant(dense<16256> : vector<8xi16>) : vector<8xi16>
  %ones = llvm.mlir.constant(dense<1.0> : vector<8xbf16>) : vector<8xbf16>
  // CHECK: llvm.mlir.constant(-16384 : i16) : i16
  %number = llvm.mlir.constant(-2.0 : bf16) : bf16
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[FROM]][1] : (!llvm.ptr) -> !llvm.ptr, i16
  %place = llvm.getelementptr %from[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  // CHECK: %[[LOADED:.*]] = llvm.intr.masked.load %[[PLACE]], %[[MASK]], %[[ONES]] {{.*}} -> vector<8xi16>
  %loaded = llvm.intr.masked.load %place, %mask, %ones {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  // CHECK-NOT: bitcast
  %bits = llvm.bitcast %loaded : vector<8xbf16> to vector<8xi16>
  // CHECK: llvm.store %[[LOADED]], %[[FROM]] {{.*}} : vector<8xi16>, !llvm.ptr
  llvm.store %bits, %from {alignment = 2 : i64} : vector<8xi16>, !llvm.ptr
  %flag = llvm.mlir.constant(true) : i1
  // CHECK: llvm.cond_br %{{.*}}, ^bb1(%{{.*}} : i16), ^bb1(%[[OTHER]] : i16)
  llvm.cond_br %flag, ^end(%number : bf16), ^end(%other : bf16)
^end(%result: bf16):
  llvm.return %result : bf16
}

// CHECK-LABEL: llvm.func @others
// CHECK: llvm.fadd %{{.*}}, %{{.*}} : f32
// CHECK: llvm.mlir.constant(1.000000e+00 : f16) : f16
llvm.func @others(%a: f32, %b: f32) -> f16 {
  %sum = llvm.fadd %a, %b : f32
  %one = llvm.mlir.constant(1.0 : f16) : f16
  llvm.return %one : f16
}
