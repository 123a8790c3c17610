r"""Time and memory of filtered ranking at the size of YAGO3-10.

    python benchmark/scale/rank.py [--out FILE]

A generated graph has YAGO3-10's numbers of entities, relations and triples, of
which 5,000 are test triples; :obj:`evaluate.ranking` ranks all 10,000 queries
of these with a :class:`GaussianComplEx` of 100 channels that was not trained.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import torch
from train import NODES, RELATIONS, graph

from pyg_cagp import GaussianComplEx, evaluate

HERE = Path(__file__).parent
NUM_TEST = 5_000


def peak() -> float:
    """Peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "rank.json"
    )
    args = parser.parse_args()
    kg = graph()
    kg.test_mask[:NUM_TEST] = True
    kg.train_mask[:NUM_TEST] = False
    base = peak()
    torch.manual_seed(0)
    model = GaussianComplEx(NODES, RELATIONS, 100)
    start = time.perf_counter()
    result = evaluate.ranking(model, kg)
    record = {
        "num_nodes": NODES,
        "num_relations": RELATIONS,
        "num_triples": kg.edge_type.numel(),
        "queries": result["num_queries"],
        "seconds": time.perf_counter() - start,
        "peak_mib": {"graph": base, "ranking": peak()},
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(record, indent=2))
    args.out.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
