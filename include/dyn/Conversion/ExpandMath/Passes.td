//===- Transcendental functions as arithmetic -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_EXPANDMATH_PASSES_TD
#define DYN_CONVERSION_EXPANDMATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"dyn-expand-math"> {
  let summary = "expands transcendental functions of the math dialect into arithmetic";
  let description = [{
    **Before**: `math` ops on scalars and vectors of f16, bf16, f32 and f64. **After**: ops with no instruction of their
    own, on f32 and vectors of f32, are polynomials after a range reduction, each with the error bound that its pattern
    states; f16 and bf16 go through f32. Powers go through f64, where the vector registers are known. Special values (infinities, NaN, -0.0) are as in C. f64 is left to the C library,
    one lane at a time. With registers of 512 bits, vectors that fill them are scaled by powers of two by the instruction
    that AVX-512 has for it.
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"0",
                        "Bits of the vector registers of the target; 0: not known">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // DYN_CONVERSION_EXPANDMATH_PASSES_TD
