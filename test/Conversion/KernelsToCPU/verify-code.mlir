// RUN: dyn-opt %s --split-input-file --verify-diagnostics --dyn-verify-code

llvm.mlir.global internal constant @data(1 : i64) : i64
llvm.func @right(%x: i64) -> i64 {
  %0 = llvm.add %x, %x : i64
  llvm.return %0 : i64
}

// -----

llvm.func @wrong(%x: i64) -> i64 {
  // expected-error @below {{'arith.addi' op is not in the llvm dialect, in 'wrong'; the conversions before should have seen to it}}
  %0 = arith.addi %x, %x : i64
  llvm.return %0 : i64
}

// -----

// expected-error @below {{'func.func' op is not in the llvm dialect; the conversions before}}
func.func @left() {
  return
}
