// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @element_types(%a: tensor<4xf32>, %b: tensor<4xi64>) {
  // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same element type}}
  %0 = dyn.add %a, %b : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @integers_have_no_exponential(%a: tensor<4xi64>) {
  // expected-error @below {{'dyn.exp' op operand #0 must be tensor of floating-point values}}
  %0 = dyn.exp %a : (tensor<4xi64>) -> tensor<4xi64>
  return
}

// -----

func.func @rank(%a: tensor<4xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{result has rank 1, expected the greatest rank of an operand, 2}}
  %0 = dyn.add %a, %b : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

// Nothing is said about what is not known.
func.func @unknown_ranks_pass(%a: tensor<*xf32>, %b: tensor<3x4xf32>) {
  %0 = dyn.add %a, %b : (tensor<*xf32>, tensor<3x4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @comparison(%a: tensor<4xf32>) {
  // expected-error @below {{result #0 must be tensor of 1-bit signless integer values}}
  %0 = dyn.compare lt %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @choice(%c: tensor<4xi64>, %a: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be tensor of 1-bit signless integer values}}
  %0 = dyn.select %c, %a, %a : (tensor<4xi64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
