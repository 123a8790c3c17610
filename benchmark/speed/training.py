r"""The speed of training, as a ratio to a deterministic model.

    python benchmark/speed/training.py [--repeats 5] [--out FILE]

All models have 100 channels and see FB15k-237 with Adam, on one thread.

With one negative, our trainer is compared with PyG's DistMult in the loop that
PyG documents, in batches of 2,048 triples. With a softmax over all entities,
Gaussian models are compared with their deterministic twin, in batches of 512
queries, on the first batches of an epoch.

Each model is trained in a process of its own, as in use: in a shared process,
the memory that one model frees is the memory that another one gets. The
processes take turns, each epoch of a model comes right after one of the base,
and a ratio is that of the two. Times are CPU times, since other programs
lengthen those of a clock.
"""

import argparse
import itertools
import multiprocessing
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
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


def ours(kg: Any, **kwargs: Any) -> OurLoop:
    """The trainer with one negative."""
    return OurLoop(kg, OneNegative(), 2048, sparse=True, **kwargs)


def full(kg: Any, **kwargs: Any) -> OurLoop:
    """The trainer with a softmax over all entities."""
    return OurLoop(kg, KvsAll(), 512, NUM_QUERY_BATCHES, **kwargs)


def pyg(kg: Any) -> PyGLoop:
    """PyG's model in its loop."""
    return PyGLoop(kg, DistMult(kg.num_nodes, kg.num_relations, CHANNELS))


def pyg_gaussian(kg: Any) -> PyGLoop:
    """A Gaussian model in PyG's loop."""
    sizes = kg.num_nodes, kg.num_relations, CHANNELS
    return PyGLoop(kg, GaussianDistMult(*sizes, objective=OneNegative()))


SPHERICAL = {"covariance": "spherical"}

#: The loops by comparison and name. The first of each is the base.
COMPARISONS: dict[str, dict[str, tuple[Callable[..., Any], dict]]] = {
    "one negative": {
        "PyG DistMult, PyG loop": (pyg, {}),
        "coordinate, diagonal": (ours, {}),
        "coordinate, spherical": (ours, SPHERICAL),
        "score, diagonal": (ours, {"noise": "score"}),
        "score, spherical": (ours, {"noise": "score", **SPHERICAL}),
        "deterministic twin": (ours, {"variational": False}),
        "GaussianDistMult, PyG loop": (pyg_gaussian, {}),
    },
    "all entities": {
        "deterministic twin": (full, {"variational": False}),
        "coordinate, diagonal": (full, {}),
        "none, diagonal": (full, {"noise": "none"}),
        "none, spherical": (full, {"noise": "none", **SPHERICAL}),
        "score, diagonal": (full, {"noise": "score"}),
        "score, spherical": (full, {"noise": "score", **SPHERICAL}),
    },
}


def work(pipe: Connection, title: str, name: str, root: str | None) -> None:
    """Trains one model, an epoch for each message."""
    torch.set_num_threads(1)
    make, options = COMPARISONS[title][name]
    side = make(load("fb15k-237", root=root), **options)
    while pipe.recv():
        start = time.process_time()
        side.epoch()
        pipe.send(time.process_time() - start)


def compare(title: str, repeats: int, root: str | None) -> dict[str, Any]:
    """Times all loops of a comparison in turn."""
    context = multiprocessing.get_context("spawn")
    pipes = {}
    for name in COMPARISONS[title]:
        pipes[name], other = context.Pipe()
        context.Process(
            target=work, args=(other, title, name, root), daemon=True
        ).start()

    def epoch(name: str) -> float:
        pipes[name].send(True)
        return pipes[name].recv()

    base, *others = pipes
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in others}
    for repeat, name in itertools.product(range(1 + repeats), others):
        pair = epoch(base), epoch(name)
        if repeat > 0:  # The first one allocates memory.
            pairs[name].append(pair)
    for pipe in pipes.values():
        pipe.send(False)
    print(f"{title}: speed as a ratio to '{base}'")
    ratios = {}
    for name, times in pairs.items():
        each = sorted(of_base / own for of_base, own in times)
        median = statistics.median(each)
        ratios[name] = {"median": median, "range": [each[0], each[-1]]}
        seconds = statistics.median(own for _, own in times)
        print(
            f"{name:30s} {seconds:7.2f} s "
            f"{median:6.2f} x ({each[0]:.2f} to {each[-1]:.2f})"
        )
    return {"base": base, "ratios": ratios, "seconds (base, own)": pairs}


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
    record = {
        "dataset": "fb15k-237",
        "num_train": int(kg.train_mask.sum()),
        "hidden_channels": CHANNELS,
        **{
            title: compare(title, args.repeats, args.root)
            for title in COMPARISONS
        },
    }
    write_record(record, args.out)


if __name__ == "__main__":
    main()
