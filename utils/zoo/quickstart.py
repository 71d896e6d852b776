"""Compiles a sentence encoder once and runs it at sizes it has never seen, next to onnxruntime."""

import argparse
import pathlib

import dyn
import numpy as np
import onnx

from . import measure, runners
from .sentence_encoder import build_minilm, load_tokenizer

SENTENCES = [
    "A cat sits on the mat.",
    "There is a kitten lying on the rug by the door.",
    "Stocks.",
    "Share prices fell sharply on Monday after the central bank surprised markets with a larger rise of interest rates "
    "than any of the forty economists had expected, and bank shares fell most.",
    "The size of a tensor is known only when the program runs.",
    "A compiler can treat every dimension as a symbol, prove what follows for all values, and check the rest at run time.",
]
STORY = " ".join(SENTENCES * 12)

BATCHES = {
    "one word": ["Stocks."],
    "one sentence": SENTENCES[:1],
    "three sentences": SENTENCES[:3],
    "all sentences": SENTENCES,
    "a long text": [STORY],
    "long and short": [STORY, "Stocks."],
    "fifty sentences": (SENTENCES * 9)[:50],
    "no sentence": [],
}


def show(widths, cells):
    print("  ".join(f"{cell!s:>{width}}" for width, cell in zip(widths, cells)), flush=True)


def print_similarities(vectors):
    print("\nSimilarity of the sentences:")
    for index, (sentence, row) in enumerate(zip(SENTENCES, vectors @ vectors.T)):
        text = sentence if len(sentence) < 50 else sentence[:47] + "..."
        print(f"  {index}  {' '.join(f'{value:6.2f}' for value in row)}   {text}")


def print_table(executable, session, encode):
    """One row for each batch; returns the largest difference."""
    headings = ["batch x seq", "output", "largest difference", "first run ms", "next runs ms", "onnxruntime ms", "arena bytes"]
    widths = [16, *(max(len(heading), 9) for heading in headings)]
    print("\nOne compilation, every size:")
    show(widths, ["", *headings])
    worst = 0.0
    for label, sentences in BATCHES.items():
        inputs = encode(sentences)
        got, expected = [], session.run(None, inputs)[0]
        first = measure.seconds(lambda: got.extend(executable.run(inputs)))
        medians = measure.interleave([lambda: executable.run(inputs), lambda: session.run(None, inputs)], budget=0.3)
        difference = float(np.abs(np.asarray(got[0]) - expected).max()) if expected.size else 0.0
        worst = max(worst, difference if got[0].shape == expected.shape else np.inf)
        batch, seq = inputs["input_ids"].shape
        show(widths, [label, f"{batch} x {seq}", "x".join(map(str, got[0].shape)), f"{difference:.1e}", f"{first * 1e3:.2f}",
                      *(f"{median * 1e3:.2f}" for median in medians), executable.arena_bytes({"batch": batch, "seq": seq})])
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path, help="where the ONNX file is, or is to be written")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    if not arguments.model.exists():
        arguments.model.parent.mkdir(parents=True, exist_ok=True)
        partial = arguments.model.with_suffix(".partial")
        onnx.save(build_minilm(), partial)
        partial.replace(arguments.model)
    compiled = []
    duration = measure.seconds(lambda: compiled.append(dyn.compile(str(arguments.model), threads=arguments.threads)))
    (executable,) = compiled
    print(f"Compiled {arguments.model.name} in {duration:.1f} s")
    for kind, values in {"in ": executable.inputs, "out": executable.outputs}.items():
        for value in values:
            print(f"  {kind}  {value.name}: {value.dtype} [{', '.join(value.dims)}]")
    for guard in executable.guards:
        print(f"  must hold: {guard}")
    encode = load_tokenizer()
    print_similarities(np.asarray(executable.run(encode(SENTENCES))[0]))
    worst = print_table(executable, runners.open_onnxruntime(arguments.model, arguments.threads), encode)
    print(f"\nThe largest difference from onnxruntime is {worst:.1e} (the vectors have length 1)")
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    raise SystemExit(main())
