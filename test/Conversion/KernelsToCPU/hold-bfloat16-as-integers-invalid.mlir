// RUN: not dyn-opt %s --dyn-hold-bfloat16-as-integers 2>&1 | FileCheck %s

// CHECK: 'llvm.fadd' op operand #0 must be floating point {{.*}}, but got 'i16'
llvm.func @adds(%a: bf16, %b: bf16) -> bf16 {
  %sum = llvm.fadd %a, %b : bf16
  llvm.return %sum : bf16
}
