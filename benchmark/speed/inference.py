r"""How fast the bootstrap and assumption A3 are.

    python benchmark/speed/inference.py [--out FILE]

The bootstrap is that of two AUROCs over as many samples as FB15k-237 has test
triples, against a loop over :obj:`sklearn.metrics.roc_auc_score` on resampled
indices, of which 40 resamples are timed. A3 is measured on FB15k-237 itself,
for all distances and both references. Ratios are of one run.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from timing import seconds, write_record

from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.metrics import paired_bootstrap
from pyg_cagp.protocols import TemporalLike
from pyg_cagp.theory import frequency_overlap

HERE = Path(__file__).parent
NUM_SAMPLES, NUM_RESAMPLES, NUM_TIMED = 20_466, 10_000, 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--root")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "inference.json"
    )
    args = parser.parse_args()
    generator = torch.Generator().manual_seed(0)
    label = (torch.rand(NUM_SAMPLES, generator=generator) < 1 / 3).long()
    smooth = torch.randn(NUM_SAMPLES, generator=generator) + label
    tied = torch.randint(3, (NUM_SAMPLES,), generator=generator) + label
    y, a, b = label.numpy(), smooth.numpy(), tied.numpy()
    rng = np.random.default_rng(0)
    classes = [np.flatnonzero(y == value) for value in (0, 1)]

    def loop() -> None:
        for _ in range(NUM_TIMED):
            drawn = np.concatenate([rng.choice(c, c.size) for c in classes])
            roc_auc_score(y[drawn], a[drawn])
            roc_auc_score(y[drawn], b[drawn])

    ours = seconds(
        lambda: paired_bootstrap(
            smooth, tied, label, num_resamples=NUM_RESAMPLES
        ),
        args.repeats,
    )
    theirs = seconds(loop, args.repeats) * NUM_RESAMPLES / NUM_TIMED
    kg = load("fb15k-237", root=args.root)
    overlap = {}

    def measure() -> None:
        test = TemporalLike("appendix").label(kg, "test")
        overlap["id"] = frequency_overlap(test)
        overlap["train"] = frequency_overlap(test, train=triples(kg, "train"))

    a3 = seconds(measure)
    print(f"bootstrap: {ours:.2f} s, {theirs / ours:.0f} times faster")
    print(f"A3, all distances, both references: {a3:.2f} s")
    for reference, shares in overlap.items():
        print(f"  against {reference}: {shares}")
    record = {
        "bootstrap": {
            "samples": NUM_SAMPLES,
            "resamples": NUM_RESAMPLES,
            "seconds": ours,
            "times_faster_than_a_loop": theirs / ours,
        },
        "a3": {
            "dataset": "fb15k-237",
            "preset": "appendix",
            "seconds": a3,
            "overlap": overlap,
        },
    }
    write_record(record, args.out)


if __name__ == "__main__":
    main()
