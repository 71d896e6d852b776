// RUN: dyn-opt %s --split-input-file --verify-diagnostics

// (1) As many expressions as the rank.
// expected-error @below {{'#dyn.dims' has 1 dims for a tensor of rank 2}}
func.func private @rank(tensor<?x?xf32, #dyn.dims<[S]>>)

// -----

// (2) A static dim holds the equal constant.
// expected-error @below {{dim 0 is 4 but '#dyn.dims' holds 'S'}}
func.func private @static_dim(tensor<4x?xf32, #dyn.dims<[S, P]>>)

// -----

// expected-error @below {{dim 0 is 4 but '#dyn.dims' holds '5'}}
func.func private @static_dim(tensor<4xf32, #dyn.dims<[5]>>)

// -----

// (3) A dynamic dim holds no constant, also when it only turns out to be one.
// expected-error @below {{dim 0 is dynamic but '#dyn.dims' holds the constant 4}}
func.func private @constant(tensor<?xf32, #dyn.dims<[S + 4 - S]>>)

// -----

// expected-error @+1 {{expected '[' before a list of dims}}
func.func private @no_list(tensor<?xf32, #dyn.dims<S>>)

// -----

// expected-error @+1 {{expected an expression}}
#e = #dyn.expr<>

// -----

// expected-error-re @+1 {{{{.+}}}}
#e = #dyn.expr<S + >

// -----

// expected-error-re @+1 {{{{.+}}}}
#p = #dyn.pred<"S <">

// -----

// expected-error @+1 {{expected string}}
#p = #dyn.pred<S == P>

// -----

// expected-error-re @+1 {{{{.+}}}}
#s = #dyn.symbols<B: [1, >

// -----

// expected-error @+1 {{unexpected character in symbolic text}}
#e = #dyn.expr<S | P>
