//===- Procedures: ops that no composition of others says -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNPROCEDUREOPS_TD
#define DYN_DIALECT_DYN_IR_DYNPROCEDUREOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"

def Dyn_RecurrentKindAttr : I32EnumAttr<"RecurrentKind", "the cell of `dyn.recurrent`", [
    I32EnumAttrCase<"RNN", 0, "rnn">, I32EnumAttrCase<"GRU", 1, "gru">, I32EnumAttrCase<"LSTM", 2, "lstm">]> {
  let cppNamespace = "::dyn";
}

def Dyn_RecurrentOp : Dyn_PureOp<"recurrent", [AttrSizedOperandSegments,
    AllElementTypesMatch<["inputs", "weights", "hidden", "sequence", "last"]>]> {
  let summary = "one direction of a recurrent layer over a sequence: the product of the input and its weights is given";
  let description = [{
    With T steps, B sequences, H hidden elements and G gates (`rnn` 1; `gru` 3, in the order z, r, h; `lstm` 4, in the
    order i, o, f, c): `inputs` is T x B x (G H), what the input adds to each gate; `weights` is (G H) x H; `hidden` and,
    of an LSTM, `cell` are B x H, the initial states; `bias` is G H, added to the product of weights and hidden state;
    `peepholes` of an LSTM is 3 H, in the order i, o, f. `sequence` is T x B x H, `last` and `last_cell` B x H.

    A sequence has as many steps as its entry of `lengths` says (B integers; all T without it), taken from the last to the
    first with `reverse`. Behind its steps `sequence` is 0. `last` and `last_cell` are the state after them, 0 if there are
    none. `clip` bounds what goes into the activations of gates. `linear_before_reset` lets the reset gate of a GRU
    multiply the product with the weights and the bias instead of the hidden state; `input_forget` makes the forget gate
    of an LSTM what the input gate leaves.

    (1) The ranks are as above. (2) `cell` and the result `last_cell` are there for `lstm` and no other kind; `peepholes`
    for no other, `linear_before_reset` for `gru` only. (3) `activations` are as many as the kind has (`rnn` 1, `gru` 2,
    `lstm` 3), of ONNX's names in lower case, with an entry of `alpha` and `beta` each. See ONNX RNN, GRU and LSTM.
  }];
  let arguments = (ins Dyn_RecurrentKindAttr:$kind, Dyn_FloatTensor:$inputs, Dyn_FloatTensor:$weights,
                       Dyn_FloatTensor:$hidden, Optional<Dyn_FloatTensor>:$cell, Optional<Dyn_FloatTensor>:$bias,
                       Optional<Dyn_FloatTensor>:$peepholes, Optional<Dyn_IndexTensor>:$lengths,
                       StrArrayAttr:$activations, DenseF64ArrayAttr:$alpha, DenseF64ArrayAttr:$beta,
                       OptionalAttr<F64Attr>:$clip, UnitAttr:$reverse, UnitAttr:$linear_before_reset,
                       UnitAttr:$input_forget);
  let results = (outs Dyn_FloatTensor:$sequence, Dyn_FloatTensor:$last, Optional<Dyn_FloatTensor>:$last_cell);
  let assemblyFormat = [{
    $kind $inputs `weights` $weights `hidden` $hidden (`cell` $cell^)? (`bias` $bias^)? (`peepholes` $peepholes^)?
    (`lengths` $lengths^)? `activations` $activations `alpha` $alpha `beta` $beta (`reverse` $reverse^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static int64_t getNumGates(RecurrentKind kind) {
      return kind == RecurrentKind::LSTM ? 4 : kind == RecurrentKind::GRU ? 3 : 1;
    }
    static bool isActivation(::llvm::StringRef name);
    int64_t getNumGates() { return getNumGates(getKind()); }
  }];
}

def Dyn_SuppressOp : Dyn_PureOp<"suppress"> {
  let summary = "which boxes stay when those that overlap a better one are removed (non-maximum suppression)";
  let description = [{
    `boxes` is B x N x 4: corners (y, x, y, x) in any order, or with `centres` middles and extents (x, y, width, height).
    `order` is B x C x N: for each batch and class the boxes, the best first. `scores` are B x C x N, in the same order.
    The result is B x C x N, in that order: true for a box whose score exceeds `min_score`, that overlaps none before it
    that stays by more than `max_overlap` of the area of their union, and before which fewer than `max_count` stay.
    (1) The ranks are as above. (2) `max_count`, `max_overlap` and `min_score` have one element. See ONNX
    NonMaxSuppression.
  }];
  let arguments = (ins Dyn_FloatTensor:$boxes, Dyn_IndexTensor:$order, Dyn_FloatTensor:$scores,
                       Dyn_IndexTensor:$max_count, Dyn_FloatTensor:$max_overlap, Dyn_FloatTensor:$min_score,
                       UnitAttr:$centres);
  let results = (outs Dyn_BoolTensor:$result);
  let assemblyFormat = [{
    $boxes `order` $order `scores` $scores `max_count` $max_count `max_overlap` $max_overlap `min_score` $min_score
    (`centres` $centres^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_RoiAlignOp : Dyn_PureOp<"roi_align", [AllElementTypesMatch<["operand", "rois", "result"]>]> {
  let summary = "regions of feature maps, each cut into height x width bins of interpolated samples";
  let description = [{
    `operand` is N x C x H x W, `rois` is R x 4 (x, y, x, y), `batches` R, the map of each region; the result is R x C x
    height x width. A bin is the mean, or with `max` the maximum, of `samples` x `samples` points, or of as many as there
    are pixels along it where `samples` is 0, at most 65535. `half_pixel` shifts regions by half a pixel and lets them be empty.
    (1) The ranks are as above. (2) `height` and `width` are positive, `samples` is not negative. See ONNX RoiAlign.
  }];
  let arguments = (ins Dyn_FloatTensor:$operand, Dyn_FloatTensor:$rois, Dyn_IndexTensor:$batches, I64Attr:$height,
                       I64Attr:$width, I64Attr:$samples, F64Attr:$scale, UnitAttr:$max, UnitAttr:$half_pixel);
  let results = (outs Dyn_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $rois `,` $batches `height` $height `width` $width `samples` $samples `scale` $scale (`max` $max^)?
    (`half_pixel` $half_pixel^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kMostSamples = 65535;
  }];
}

def Dyn_InverseOp : Dyn_PureOp<"inverse", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "inverses of the square matrices in the last two dims";
  let description = [{
    Of a matrix that has none the elements are infinite or NaN. (1) The ranks agree and are at least 2. See
    com.microsoft.Inverse.
  }];
  let arguments = (ins Dyn_FloatTensor:$operand);
  let results = (outs Dyn_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_DetOp : Dyn_PureOp<"det", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "determinants of the square matrices in the last two dims";
  let description = [{ (1) The rank of the result is that of the operand less 2. See ONNX Det. }];
  let arguments = (ins Dyn_FloatTensor:$operand);
  let results = (outs Dyn_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // DYN_DIALECT_DYN_IR_DYNPROCEDUREOPS_TD
