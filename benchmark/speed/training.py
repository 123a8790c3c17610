r"""The speed of training, as a ratio to a deterministic model.

    python benchmark/speed/training.py [--repeats 5] [--out FILE]

All models have 100 channels and see FB15k-237 with Adam, on one thread.

With one negative, our trainer is compared with PyG's DistMult in the loop that
PyG documents, in batches of 2,048 triples. With a softmax over all entities,
Gaussian models are compared with their deterministic twin, in batches of 512
queries, on the first batches of an epoch.

Each repeat measures the base and then each other model. A ratio is taken within
a repeat. Times are CPU times of the process, since other programs lengthen
those of a clock.
"""

import argparse
import itertools
import statistics
import time
from pathlib import Path
from typing import Any

import torch
from timing import write_record
from torch_geometric.nn.kge import DistMult

from pyg_cagp import GaussianDistMult
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge import KvsAll, OneNegative
from pyg_cagp.train import Trainer, TrainOptions

HERE = Path(__file__).parent
CHANNELS, LR, NUM_QUERY_BATCHES = 100, 0.001, 60


class PyGLoop:
    """The loop of PyG's examples/kge_fb15k_237.py, as documented."""

    def __init__(self, kg: Any, model: Any) -> None:
        head, rel, tail = triples(kg, "train")
        self.model = model
        self.loader = model.loader(
            head_index=head,
            rel_type=rel,
            tail_index=tail,
            batch_size=2048,
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
            total += float(loss.detach()) * head_index.numel()


class OurLoop:
    """The trainer, of which one epoch, or its beginning, is taken at a time."""

    def __init__(
        self,
        kg: Any,
        objective: Any,
        batch_size: int,
        num_batches: int | None = None,
        **kwargs: Any,
    ) -> None:
        sizes = kg.num_nodes, kg.num_relations, CHANNELS
        model = GaussianDistMult(*sizes, objective=objective, **kwargs)
        options = TrainOptions(
            epochs=10**6, batch_size=batch_size, lr=LR, schedule="constant"
        )
        self.trainer = Trainer(model, kg, options=options, progress=False)
        self.num_batches = num_batches

    def epoch(self) -> None:
        """Trains on every triple once, or on the first batches."""
        trainer = self.trainer
        trainer.model.train()
        batches = trainer.batches.epoch()
        for batch in itertools.islice(batches, self.num_batches):
            trainer._train_on(batch, trainer.model.kl_weight)
            if trainer.losses.is_full():
                trainer.losses.read()
                trainer._firsts.clear()


def compare(title: str, sides: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Times all sides in turn. The first one is the base of the ratios."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for repeat in range(1 + repeats):
        for name, side in sides.items():
            start = time.process_time()
            side.epoch()
            if repeat > 0:  # The first one allocates memory.
                seconds[name].append(time.process_time() - start)
    base = next(iter(seconds.values()))
    ratios = {}
    print(title)
    for name, times in seconds.items():
        each = [b / t for b, t in zip(base, times, strict=True)]
        low, high = min(each), max(each)
        ratios[name] = {
            "median": statistics.median(each),
            "range": [low, high],
        }
        print(
            f"{name:40s} {statistics.median(times):7.2f} s "
            f"{statistics.median(each):6.2f} x ({low:.2f} to {high:.2f})"
        )
    return {"seconds": seconds, "speed as a ratio to the first": ratios}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--root")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "training.json"
    )
    args = parser.parse_args()
    torch.set_num_threads(1)
    kg = load("fb15k-237", root=args.root)
    sizes = (kg.num_nodes, kg.num_relations, CHANNELS)

    def ours(**kwargs: Any) -> OurLoop:
        return OurLoop(kg, OneNegative(), 2048, sparse=True, **kwargs)

    def full(**kwargs: Any) -> OurLoop:
        return OurLoop(kg, KvsAll(), 512, NUM_QUERY_BATCHES, **kwargs)

    one_negative = {
        "PyG DistMult, PyG loop": PyGLoop(kg, DistMult(*sizes)),
        "coordinate, diagonal": ours(),
        "coordinate, spherical": ours(covariance="spherical"),
        "score, diagonal": ours(noise="score"),
        "score, spherical": ours(noise="score", covariance="spherical"),
        "deterministic twin": ours(variational=False),
        "GaussianDistMult, PyG loop": PyGLoop(
            kg, GaussianDistMult(*sizes, objective=OneNegative())
        ),
    }
    all_entities = {
        "deterministic twin": full(variational=False),
        "coordinate, diagonal": full(),
        "none, diagonal": full(noise="none"),
        "none, spherical": full(noise="none", covariance="spherical"),
        "score, diagonal": full(noise="score"),
        "score, spherical": full(noise="score", covariance="spherical"),
    }
    record = {
        "dataset": "fb15k-237",
        "num_train": int(kg.train_mask.sum()),
        "hidden_channels": CHANNELS,
        "one negative": compare("one negative", one_negative, args.repeats),
        "all entities": compare("all entities", all_entities, args.repeats),
    }
    write_record(record, args.out)


if __name__ == "__main__":
    main()
