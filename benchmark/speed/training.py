r"""The time of an epoch, against PyG's DistMult with PyG's loader.

    python benchmark/speed/training.py [--repeats 5] [--out FILE]

Both sides see the triples of FB15k-237 in batches of 2,048, one negative each,
100 channels, Adam. PyG trains a deterministic model by its documented loop. Our
trainer trains means and variances. Epochs alternate, and the best epoch of each
side counts. Compare the ratios of one run, not times, on an idle machine.
"""

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import torch
import torch_geometric
from torch_geometric.nn.kge import DistMult

import pyg_cagp
from pyg_cagp import GaussianDistMult
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge import OneNegative
from pyg_cagp.train import Trainer, TrainOptions

HERE = Path(__file__).parent
BATCH, CHANNELS, LR = 2048, 100, 0.001


class PyGLoop:
    """The loop of PyG's examples/kge_fb15k_237.py, as documented."""

    def __init__(self, kg: Any, model: Any) -> None:
        head, rel, tail = triples(kg, "train")
        self.model = model
        self.loader = model.loader(
            head_index=head,
            rel_type=rel,
            tail_index=tail,
            batch_size=BATCH,
            shuffle=True,
        )
        self.optimizer = torch.optim.Adam(model.parameters(), lr=LR)

    def epoch(self) -> None:
        """Trains on every triple once."""
        self.model.train()
        total = 0.0
        for head_index, rel_type, tail_index in self.loader:
            self.optimizer.zero_grad()
            loss = self.model.loss(head_index, rel_type, tail_index)
            loss.backward()
            self.optimizer.step()
            total += float(loss) * head_index.numel()


class OurLoop:
    """The trainer, of which one epoch is taken at a time."""

    def __init__(self, kg: Any, noise_table: int = 0, **kwargs: Any) -> None:
        model = GaussianDistMult(
            kg.num_nodes,
            kg.num_relations,
            CHANNELS,
            objective=OneNegative(),
            **kwargs,
        )
        options = TrainOptions(
            epochs=10**6,
            batch_size=BATCH,
            lr=LR,
            schedule="constant",
            noise_table=noise_table,
        )
        self.trainer = Trainer(model, kg, options=options, progress=False)

    def epoch(self) -> None:
        """Trains on every triple once."""
        self.trainer.model.train()
        for batch in self.trainer.batches:
            self.trainer._train_on(batch, self.trainer.model.kl_weight)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--root")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "training.json"
    )
    args = parser.parse_args()
    kg = load("fb15k-237", root=args.root)
    num_train = int(kg.train_mask.sum())
    sizes = (kg.num_nodes, kg.num_relations, CHANNELS)
    sides = {
        "PyG DistMult, PyG loop": PyGLoop(kg, DistMult(*sizes)),
        "GaussianDistMult, our trainer": OurLoop(kg),
        "the same, noise from a table": OurLoop(kg, 2**22),
        "the same, spherical": OurLoop(kg, 2**22, covariance="spherical"),
        "GaussianDistMult, PyG loop": PyGLoop(
            kg, GaussianDistMult(*sizes, objective=OneNegative())
        ),
        "deterministic twin, our trainer": OurLoop(kg, variational=False),
    }
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(args.repeats):
        for name, side in sides.items():
            start = time.perf_counter()
            side.epoch()
            seconds[name].append(time.perf_counter() - start)
    speed = {name: num_train / min(times) for name, times in seconds.items()}
    base = speed["PyG DistMult, PyG loop"]
    record = {
        "dataset": "fb15k-237",
        "num_train": num_train,
        "batch_size": BATCH,
        "hidden_channels": CHANNELS,
        "seconds": seconds,
        "triples_a_second": speed,
        "ratio to PyG": {name: value / base for name, value in speed.items()},
        "versions": {
            "pyg_cagp": pyg_cagp.__version__,
            "torch": torch.__version__,
            "torch-geometric": torch_geometric.__version__,
            "python": platform.python_version(),
            "threads": torch.get_num_threads(),
        },
    }
    for name, value in speed.items():
        print(f"{name:34s} {value:12,.0f} triples/s {value / base:6.2f} x")
    args.out.write_text(json.dumps(record, indent=2) + "\n")
    print(f"written to {args.out}")


if __name__ == "__main__":
    main()
