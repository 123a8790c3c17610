r"""The time of a Laplace posterior as a ratio to that of training.

    taskset -c 0 python benchmark/speed/posterior.py [--repeats 3] [--out FILE]

A random graph with long-tailed degrees is generated. Each repeat trains
GaussianDistMult with the default options of a run, without validation, and fits
the posterior to it with the default options. Times mean little by themselves;
ratios of one run do. Processor time is less disturbed by other work.
"""

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from timing import write_record
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.train import Trainer, TrainOptions
from pyg_cagp.train.build import build_model, build_posterior, fit_posterior
from pyg_cagp.train.options import PosteriorOptions

OUT = Path(__file__).parent / "results" / "posterior.json"

#: The exponents of the popularity of entities and relations by their rank.
ENTITY_TAIL, RELATION_TAIL = 0.8, 1.0


def random_graph(
    num_nodes: int, num_relations: int, num_triples: int, seed: int
) -> Data:
    r"""Draws distinct triples of popular and of rare entities and relations."""
    generator = torch.Generator().manual_seed(seed)
    size = 2 * num_triples

    def draw(number: int, exponent: float) -> Tensor:
        rank = torch.arange(1, number + 1, dtype=torch.double)
        return torch.multinomial(
            rank.pow(-exponent), size, replacement=True, generator=generator
        )

    head, tail = draw(num_nodes, ENTITY_TAIL), draw(num_nodes, ENTITY_TAIL)
    key = (head * num_relations + draw(num_relations, RELATION_TAIL)) * (
        num_nodes
    ) + tail
    key = key.unique()
    key = key[torch.randperm(key.numel(), generator=generator)[:num_triples]]
    pair, tail = key // num_nodes, key % num_nodes
    none = torch.zeros(num_triples, dtype=torch.bool)
    return Data(
        edge_index=torch.stack([pair // num_relations, tail]),
        edge_type=pair % num_relations,
        num_nodes=num_nodes,
        num_relations=num_relations,
        train_mask=~none,
        val_mask=none,
        test_mask=none,
    )


def seconds(call: Callable[[], Any]) -> dict[str, float]:
    r"""Returns the wall time and the processor time of a call."""
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
    }


def measure(kg: Data, channels: int, epochs: int, seed: int) -> dict[str, Any]:
    r"""Returns the times of training and of the posterior, and the peaks of
    memory in megabytes after each.
    """
    config = {"name": "gaussian-distmult", "hidden_channels": channels}
    sizes = kg.num_nodes, kg.num_relations
    model = build_model(config, *sizes, objective=None, seed=seed)
    # Times are those of the training itself.
    options = TrainOptions(epochs=epochs, eval_every=epochs + 1)
    trainer = Trainer(model, kg, options=options, seed=seed, progress=False)
    fitter = build_posterior(PosteriorOptions(), seed=seed)
    training, before = seconds(trainer.fit), _peak()
    posterior = seconds(lambda: fit_posterior(fitter, model, kg))
    return {
        "training": training,
        "posterior": posterior,
        "ratio": {
            clock: posterior[clock] / training[clock] for clock in training
        },
        "peak_megabytes": {"training": before, "posterior": _peak()},
    }


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=75_000)
    parser.add_argument("--relations", type=int, default=200)
    parser.add_argument("--triples", type=int, default=150_000)
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    torch.set_num_threads(1)
    sizes = args.nodes, args.relations, args.triples
    kg = random_graph(*sizes, args.seed)
    repeats = []
    for repeat in range(args.repeats):
        result = measure(kg, args.channels, args.epochs, args.seed + repeat)
        print(
            f"training {result['training']['wall']:.1f} s, posterior "
            f"{result['posterior']['wall']:.1f} s, ratio "
            f"{result['ratio']['wall']:.3f} (processor time "
            f"{result['ratio']['processor']:.3f})"
        )
        repeats.append(result)
    record = {"sizes": sizes, "repeats": repeats, "limit": 1.0}
    write_record(record | {"channels": args.channels}, args.out)


if __name__ == "__main__":
    main()
