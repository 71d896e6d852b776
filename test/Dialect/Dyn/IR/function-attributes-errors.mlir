// RUN: dyn-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{attribute 'dyn.symbols' belongs on a function}}
module attributes {dyn.symbols = #dyn.symbols<S: [0, ?]>} {}

// -----

// expected-error @below {{attribute 'dyn.symbols' is not '#dyn.symbols'}}
func.func private @kind() attributes {dyn.symbols = "S"}

// -----

// expected-error @below {{symbol 'S' is declared twice}}
func.func private @twice() attributes {dyn.symbols = #dyn.symbols<S: [0, ?], P: [0, ?], S: [0, 4]>}

// -----

// expected-error @below {{declares symbol 'S' from argument 1 but has 1 arguments}}
func.func private @argument(tensor<?xf32>) attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg1[0]>}

// -----

// expected-error @below {{declares symbol 'S' from dim 1 of argument 0, whose rank is 1}}
func.func private @dim(tensor<?xf32>) attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[1]>}

// -----

// expected-error @below {{declares symbol 'S' from the value of argument 0, whose element type is 'f32'}}
func.func private @value(tensor<f32>) attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0{0}>}

// -----

// expected-error @below {{has the constraint 'S <= 4' on symbol 'S', which it does not declare}}
func.func private @constraint() attributes {dyn.symbols = #dyn.symbols<P: [0, ?]>,
                                            dyn.constraints = #dyn.constraints<"S <= 4">}

// -----

// expected-error @below {{attribute 'dyn.dims' of argument 0 is not '#dyn.dims'}}
func.func private @dims(tensor<?xf32> {dyn.dims = 4 : i64})

// -----

// expected-error @below {{argument 0: '#dyn.dims' has 2 dims for a tensor of rank 1}}
func.func private @dims_rank(tensor<?xf32> {dyn.dims = #dyn.dims<[S, P]>})

// -----

// expected-error @below {{result 0: dim 0 is 4 but '#dyn.dims' holds 'S'}}
func.func private @result_dims() -> (tensor<4xf32> {dyn.dims = #dyn.dims<[S]>})

// -----

// expected-error @below {{attribute 'dyn.name' of argument 0 is not a string}}
func.func private @name(tensor<?xf32> {dyn.name = 4 : i64})

// -----

// Attributes are verified before the op that has them.
// expected-error @below {{requires attribute 'function_type'}}
"func.func"() ({
^bb0(%a: tensor<?xf32>):
  "func.return"() : () -> ()
}) {sym_name = "untyped", dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} : () -> ()

// -----

// expected-error @below {{attribute 'dyn.index_guards' is not a list of node names}}
func.func private @guards() attributes {dyn.index_guards = [{index_of = "/Gather"}]}

// -----

// expected-error @below {{attribute 'dyn.index_guards' is not a list of node names}}
func.func private @nouns() attributes {dyn.index_guards = [{index_of = "/RNN", noun = 3}]}

// -----

// expected-error @below {{attribute 'dyn.element_dims' of argument 0 is not an array of integers, strings and units}}
func.func @element_dims_are_no_array(%s: !dyn.sequence<tensor<*xf32>> {dyn.element_dims = 3}) {
  return
}
