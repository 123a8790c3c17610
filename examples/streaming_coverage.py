r"""New triples update coverage and variances, without training.

python examples/streaming_coverage.py
"""

import argparse

import torch

from pyg_cagp import CAGP, Coverage
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.train import Config, train_run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()

    kg = load(args.dataset)
    config = Config.find(args.dataset, "gaussian-distmult")
    config = config.override({"train.epochs": args.epochs})
    model = train_run(kg, config).model
    coverage = Coverage.from_data(kg)
    cagp = CAGP(model, coverage).fit(kg)

    head, rel, tail = triples(kg, "test")
    half = rel.numel() // 2
    new = head[:half], rel[:half], tail[:half]
    later = head[half:], rel[half:], tail[half:]
    before = cagp.decompose(*later)
    coverage.update(torch.stack([new[0], new[2]]), new[1])
    model.set_posterior(model.posterior.update(model, *new))
    after = cagp.accept_posterior().decompose(*later)
    for name in ("semantic", "structural", "total"):
        means = [
            float(torch.as_tensor(getattr(parts, name)).mean())
            for parts in (before, after)
        ]
        print(f"{name:10s} {means[0]:.4f} before, {means[1]:.4f} after")


if __name__ == "__main__":
    main()
