r"""The time of scoring triples by names, as a ratio to a filtered ranking.

    taskset -c 0 python benchmark/speed/predictor.py [--rows NUM] [--out FILE]

A model of FB15k-237 is trained for one epoch, as its accuracy does not matter
here. The same test triples are scored by a predictor and ranked, in turn. A
file of test triples with random tails is then scored.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from benchmark.speed.timing import write_record
from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.datasets import load
from pyg_cagp.inference import Predictor, prepare, score_file
from pyg_cagp.nn.scoring import rank_counts
from pyg_cagp.train import Config, train_run

NUM_TRIPLES, NUM_REPEATS = 2048, 5


def timed(call: Any) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def ratios(predictor: Predictor, kg: Any) -> list[float]:
    """Scoring over ranking, one after the other in each repeat."""
    batch = [part[:NUM_TRIPLES] for part in triples(kg, "test")]
    head, rel, tail = (part.tolist() for part in batch)
    names = (
        [kg.node_names[entity] for entity in head],
        [kg.relation_names[relation] for relation in rel],
        [kg.node_names[entity] for entity in tail],
    )
    known = AnswerIndex.from_data(kg)
    measured = []
    for _ in range(NUM_REPEATS + 1):
        scoring = timed(lambda: predictor.score(*names))
        ranking = timed(
            lambda: rank_counts(predictor.model, *batch, known=known)
        )
        measured.append(scoring / ranking)
    return measured[1:]  # The first repeat also makes tables.


def write_rows(kg: Any, rows: int, path: Path) -> None:
    """Test triples, each row with another random tail."""
    generator = torch.Generator().manual_seed(0)
    head, rel, tail = triples(kg, "test")
    pick = torch.randint(rel.numel(), (rows,), generator=generator)
    drawn = torch.randint(kg.num_nodes, (rows,), generator=generator)
    first = torch.arange(rows) < rel.numel()
    tail = torch.where(first, tail[pick], drawn)
    with open(path, "w", encoding="utf-8") as file:
        for h, r, t in zip(
            head[pick].tolist(), rel[pick].tolist(), tail.tolist(), strict=True
        ):
            file.write(
                f"{kg.node_names[h]}\t{kg.relation_names[r]}\t"
                f"{kg.node_names[t]}\n"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parent / "results" / "predictor.json"
    parser.add_argument("--root", default=None, help="folder of datasets")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=default)
    args = parser.parse_args()
    torch.set_num_threads(1)
    kg = load("fb15k-237", root=args.root)
    config = Config.find("fb15k-237", "gaussian-distmult")
    config = config.override({"train.epochs": 1})
    with tempfile.TemporaryDirectory() as folder:
        run = train_run(kg, config, out=f"{folder}/run")
        prepare(f"{folder}/run", kg, run.model)
        predictor = Predictor.load(f"{folder}/run")
        measured = ratios(predictor, kg)
        source = Path(folder) / "rows.tsv"
        write_rows(kg, args.rows, source)
        seconds = timed(
            lambda: score_file(predictor, source, f"{folder}/scored.tsv")
        )
    record = {
        "num_triples": NUM_TRIPLES,
        "scoring / filtered ranking": {
            "median": round(statistics.median(measured), 3),
            "smallest": round(min(measured), 3),
            "largest": round(max(measured), 3),
        },
        "rows": args.rows,
        "rows a second": round(args.rows / seconds),
    }
    for name, value in record.items():
        print(f"{name:28s} {value}")
    write_record(record, args.out)


if __name__ == "__main__":
    main()
