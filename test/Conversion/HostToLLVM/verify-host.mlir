// RUN: dyn-opt %s --split-input-file --dyn-verify-host --verify-diagnostics

module attributes {dyn.descriptor = "{\22inputs\22:[]}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.run(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    cf.br ^end(%c : i32)
  ^end(%r: i32):
    return %r : i32
  }
  func.func private @dyn.scratch(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
  func.func private @dyn.arena(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
}

// -----

// expected-error @below {{has no 'dyn.descriptor'; 'dyn-lower-host' should have seen to it}}
module {
}

// -----

// expected-error @below {{has a 'dyn.descriptor' that is no JSON: }}
module attributes {dyn.descriptor = "{"} {
}

// -----

// expected-error @below {{has a 'dyn.descriptor' that is no object}}
module attributes {dyn.descriptor = "[]"} {
}

// -----

// expected-error @below {{has no function 'dyn.check'}}
module attributes {dyn.descriptor = "{}"} {
}

// -----

module attributes {dyn.descriptor = "{}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  // expected-error @below {{should be '(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32', but is '(!llvm.ptr) -> i32'}}
  func.func private @dyn.run(%0: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
}

// -----

module attributes {dyn.descriptor = "{}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    // expected-error @below {{'dyn_shape.sym' op has no place in 'dyn.check'}}
    %n = dyn_shape.sym "n" : index
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.run(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.scratch(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
  func.func private @dyn.arena(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
}

// -----

module attributes {dyn.descriptor = "{}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.run(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr) -> i32 {
    // expected-error @below {{'memref.alloc' op works on tensors or memrefs in 'dyn.run'}}
    %m = memref.alloc() : memref<4xf32>
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.scratch(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
  func.func private @dyn.arena(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
}

// -----

module attributes {dyn.descriptor = "{}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.run(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.scratch(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
  func.func private @dyn.arena(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
  // expected-error @below {{is public; callers reach an artefact through its table}}
  func.func @main() {
    return
  }
}

// -----

// expected-error @below {{has no function 'dyn.scratch'; 'dyn-lower-host' should have seen to it}}
module attributes {dyn.descriptor = "{}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.run(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
}

// -----

// expected-error @below {{has no function 'dyn.arena'; 'dyn-lower-host' should have seen to it}}
module attributes {dyn.descriptor = "{}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.run(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.scratch(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
}

// -----

module attributes {dyn.descriptor = "{}"} {
  func.func private @dyn.check(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr, %5: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.run(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
  func.func private @dyn.scratch(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
  func.func private @dyn.arena(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
  // expected-error @below {{should be '(!llvm.ptr, !llvm.ptr) -> i64', but is '(!llvm.ptr) -> i64'}}
  func.func private @dyn.buffers(%0: !llvm.ptr) -> i64 {
    %c = arith.constant 0 : i64
    return %c : i64
  }
}
