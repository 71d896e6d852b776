//===- Elementwise ops ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNELEMENTWISEOPS_TD
#define DYN_DIALECT_DYN_IR_DYNELEMENTWISEOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"

/// Marks ops whose result element depends on the operands' elements at the same place, operands broadcast as by numpy.
/// The rank of the result is the greatest rank of an operand. Element types of operands and result are the same unless
/// an op says otherwise.
def Dyn_Elementwise : NativeOpTrait<"Elementwise"> { let cppNamespace = "::dyn::OpTrait"; }

class Dyn_ElementwiseOp<string opMnemonic, list<Trait> traits = []>
    : Dyn_PureOp<opMnemonic, !listconcat([Dyn_Elementwise], traits)>;

class Dyn_UnaryOp<string opMnemonic, string text, TypeConstraint type = Dyn_Tensor>
    : Dyn_ElementwiseOp<opMnemonic, [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = text;
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

class Dyn_UnaryPredicateOp<string opMnemonic, string text> : Dyn_ElementwiseOp<opMnemonic> {
  let summary = text;
  let arguments = (ins Dyn_FloatTensor:$operand);
  let results = (outs Dyn_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

class Dyn_BinaryOp<string opMnemonic, string text, list<Trait> traits = [], TypeConstraint type = Dyn_Tensor>
    : Dyn_ElementwiseOp<opMnemonic, !listconcat([AllElementTypesMatch<["lhs", "rhs", "result"]>], traits)> {
  let summary = text;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Dyn_AbsOp : Dyn_UnaryOp<"abs", "magnitude">;
def Dyn_NegOp : Dyn_UnaryOp<"neg", "sign change">;
def Dyn_SignOp : Dyn_UnaryOp<"sign", "-1, 0 or 1; NaN stays NaN">;
def Dyn_ExpOp : Dyn_UnaryOp<"exp", "power of e", Dyn_FloatTensor>;
def Dyn_LogOp : Dyn_UnaryOp<"log", "natural logarithm", Dyn_FloatTensor>;
def Dyn_SqrtOp : Dyn_UnaryOp<"sqrt", "square root", Dyn_FloatTensor>;
def Dyn_ReciprocalOp : Dyn_UnaryOp<"reciprocal", "one divided by the operand", Dyn_FloatTensor>;
def Dyn_ErfOp : Dyn_UnaryOp<"erf", "error function", Dyn_FloatTensor>;
def Dyn_TanhOp : Dyn_UnaryOp<"tanh", "hyperbolic tangent", Dyn_FloatTensor>;
def Dyn_SigmoidOp : Dyn_UnaryOp<"sigmoid", "1 / (1 + exp(-x))", Dyn_FloatTensor>;
def Dyn_SinOp : Dyn_UnaryOp<"sin", "sine of radians", Dyn_FloatTensor>;
def Dyn_CosOp : Dyn_UnaryOp<"cos", "cosine of radians", Dyn_FloatTensor>;
def Dyn_FloorOp : Dyn_UnaryOp<"floor", "round towards minus infinity", Dyn_FloatTensor>;
def Dyn_CeilOp : Dyn_UnaryOp<"ceil", "round towards plus infinity", Dyn_FloatTensor>;
def Dyn_RoundOp : Dyn_UnaryOp<"round", "round to nearest, halves to even", Dyn_FloatTensor>;
def Dyn_NotOp : Dyn_UnaryOp<"not", "logical not of booleans, bitwise not of integers", Dyn_IntegerTensor>;
def Dyn_IsNanOp : Dyn_UnaryPredicateOp<"is_nan", "true where the operand is no number">;
def Dyn_IsInfOp : Dyn_UnaryPredicateOp<"is_inf", "true where the operand is an infinity of a sign asked for"> {
  let arguments = (ins Dyn_FloatTensor:$operand, DefaultValuedAttr<BoolAttr, "true">:$detect_negative,
                       DefaultValuedAttr<BoolAttr, "true">:$detect_positive);
}

def Dyn_AddOp : Dyn_BinaryOp<"add", "sum", [Commutative]>;
def Dyn_SubOp : Dyn_BinaryOp<"sub", "difference">;
def Dyn_MulOp : Dyn_BinaryOp<"mul", "product", [Commutative]>;
def Dyn_DivOp : Dyn_BinaryOp<"div", "quotient; of integers rounded towards zero">;
def Dyn_ModOp : Dyn_BinaryOp<"mod", "remainder with the sign of the divisor, or of the dividend with `fmod`"> {
  let arguments = (ins Dyn_Tensor:$lhs, Dyn_Tensor:$rhs, UnitAttr:$fmod);
}
def Dyn_PowOp : Dyn_ElementwiseOp<"pow", [AllElementTypesMatch<["lhs", "result"]>]> {
  let summary = "power; the result has the element type of the base";
  let description = [{
    As onnxruntime computes it. An integer to the power 2 or 3 is a product, which wraps. Every other power of an integer
    is that of doubles, which `dyn.cast` brings into the integer's type: it is exact up to 2^53, and 0 to the power -1 is
    the lowest integer.
  }];
  let arguments = (ins Dyn_Tensor:$lhs, Dyn_Tensor:$rhs);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}
def Dyn_MinOp : Dyn_BinaryOp<"min", "lesser value; NaN if either is NaN", [Commutative]>;
def Dyn_MaxOp : Dyn_BinaryOp<"max", "greater value; NaN if either is NaN", [Commutative]>;
def Dyn_AndOp : Dyn_BinaryOp<"and", "logical and of booleans, bitwise and of integers", [Commutative],
                             Dyn_IntegerTensor>;
def Dyn_OrOp : Dyn_BinaryOp<"or", "logical or of booleans, bitwise or of integers", [Commutative],
                             Dyn_IntegerTensor>;
def Dyn_XorOp : Dyn_BinaryOp<"xor", "logical xor of booleans, bitwise xor of integers", [Commutative],
                             Dyn_IntegerTensor>;

def Dyn_CompareDirection : I32EnumAttr<"CompareDirection", "relation that `dyn.compare` tests", [
    I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
    I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]> {
  let cppNamespace = "::dyn";
  let genSpecializedAttr = 0;
}
def Dyn_CompareDirectionAttr : EnumAttr<Dyn_Dialect, Dyn_CompareDirection, "direction">;

def Dyn_CompareOp : Dyn_ElementwiseOp<"compare", [AllElementTypesMatch<["lhs", "rhs"]>]> {
  let summary = "a relation of two tensors, element by element; ordered, so false where one is NaN (`ne`: true)";
  let arguments = (ins Dyn_CompareDirectionAttr:$direction, Dyn_Tensor:$lhs, Dyn_Tensor:$rhs);
  let results = (outs Dyn_BoolTensor:$result);
  let assemblyFormat = "custom<Word>($direction) $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Dyn_SelectOp : Dyn_ElementwiseOp<"select", [AllElementTypesMatch<["on_true", "on_false", "result"]>]> {
  let summary = "the second operand where the first is true, else the third; all three broadcast";
  let arguments = (ins Dyn_BoolTensor:$condition, Dyn_Tensor:$on_true, Dyn_Tensor:$on_false);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
}

def Dyn_CastOp : Dyn_ElementwiseOp<"cast"> {
  let summary = "conversion to the element type of the result; floats to integers round towards zero";
  let description = [{
    A number becomes true unless it is 0; integers keep their low bits. Floats become integers as in onnxruntime on x86:
    first of 64 bits if the result is `ui32`, `i64` or `ui64`, else of 32, where NaN and what does not fit give the lowest
    integer; the result has their low bits. So -1 is 255 as `ui8` and 300 is 44, and infinity is 0 as `i8`. As `ui64` a
    float of 2^63 or more is converted less 2^63, which is added behind that.
  }];
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Dyn_BitCastOp : Dyn_ElementwiseOp<"bitcast"> {
  let summary = "the same bits as elements of another type of the same width";
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

def Dyn_StringTensor : TensorOf<[Type<CPred<"::llvm::isa<::dyn::StringType>($_self)">, "string">]>;

def Dyn_StringConcatOp : Dyn_BinaryOp<"string_concat", "one string behind the other", [], Dyn_StringTensor>;

def Dyn_StringCaseOp : Dyn_UnaryOp<"string_case", "letters made small, or large with `upper`", Dyn_StringTensor> {
  let description = [{
    By Unicode's mappings of one character to one, whatever the language; bytes that are no UTF-8 stay as they are.
    See ONNX StringNormalizer.
  }];
  let arguments = (ins Dyn_StringTensor:$operand, UnitAttr:$upper);
}

def Dyn_StringMatchOp : Dyn_ElementwiseOp<"string_match"> {
  let summary = "true where a regular expression in RE2's syntax matches the string as a whole";
  let description = [{ See ONNX RegexFullMatch. }];
  let arguments = (ins Dyn_StringTensor:$operand, StrAttr:$pattern);
  let results = (outs Dyn_BoolTensor:$result);
  let assemblyFormat = "$operand `pattern` $pattern attr-dict `:` functional-type(operands, results)";
}

class Dyn_StringSplitOp<string opMnemonic, list<Trait> traits = []> : Dyn_ElementwiseOp<opMnemonic, traits> {
  string parts = [{
    The parts of a string are what stands between `delimiter`s; without one, between runs of blanks (space and ASCII 9 to
    13), none of which are at the ends. Behind the first `max_splits` cuts, unless it is negative, all is one part.
    See ONNX StringSplit.
  }];
}

def Dyn_StringCountOp : Dyn_StringSplitOp<"string_count"> {
  let summary = "how many parts strings are split into";
  let description = parts;
  let arguments = (ins Dyn_StringTensor:$operand, StrAttr:$delimiter, I64Attr:$max_splits);
  let results = (outs Dyn_IndexTensor:$result);
  let assemblyFormat = [{
    $operand `delimiter` $delimiter `max_splits` $max_splits attr-dict `:` functional-type(operands, results)
  }];
}

def Dyn_StringPartOp : Dyn_StringSplitOp<"string_part", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "one of the parts that strings are split into; the empty string where there are not so many";
  let description = parts;
  let arguments = (ins Dyn_StringTensor:$operand, Dyn_IndexTensor:$index, StrAttr:$delimiter, I64Attr:$max_splits);
  let results = (outs Dyn_StringTensor:$result);
  let assemblyFormat = [{
    $operand `,` $index `delimiter` $delimiter `max_splits` $max_splits attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // DYN_DIALECT_DYN_IR_DYNELEMENTWISEOPS_TD
