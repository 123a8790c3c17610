r"""The speed of building and querying coverage, as ratios of one run.

    python benchmark/speed/coverage.py [--triples 10000000] [--out FILE]

Times are the best of a few repeats and mean little by themselves; the ratios
do. Run it on a machine that does nothing else.
"""

import argparse
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

import pyg_cagp
from pyg_cagp import Coverage
from pyg_cagp.datasets import SyntheticKG

HERE = Path(__file__).parent


def best_of(repeats: int, call: Callable[[], Any]) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(
    num_triples: int, num_nodes: int, num_relations: int, repeats: int
) -> dict[str, Any]:
    chunks = list(
        tqdm(
            SyntheticKG.stream(num_nodes, num_relations, num_triples),
            desc="drawing triples",
            total=-(-num_triples // (1 << 20)),
            disable=None,
        )
    )
    edge_index = torch.cat([chunk.edge_index for chunk in chunks], dim=1)
    edge_type = torch.cat([chunk.edge_type for chunk in chunks])
    keys = (edge_index * num_relations + edge_type).view(-1)
    sizes = num_nodes, num_relations

    cov = Coverage.from_edges(edge_index, edge_type, *sizes)
    # Half of the questions are about pairs that were seen.
    generator = torch.Generator().manual_seed(0)
    num_pairs = num_triples
    entity = edge_index[0][torch.randperm(num_triples, generator=generator)]
    relation = torch.where(
        torch.rand(num_triples, generator=generator) < 0.5,
        torch.randint(num_relations, (num_triples,), generator=generator),
        edge_type,
    )
    has_bitmap = cov._presence() is not None
    seconds = {
        "torch.sort of the keys": best_of(repeats, lambda: torch.sort(keys)),
        "numpy.unique of the keys": best_of(1, lambda: np.unique(keys.numpy())),
        "numpy.unique with counts": best_of(
            repeats, lambda: np.unique(keys.numpy(), return_counts=True)
        ),
        "build": best_of(
            repeats, lambda: Coverage.from_edges(edge_index, edge_type, *sizes)
        ),
        "contains": best_of(repeats, lambda: cov.contains(entity, relation)),
        "count": best_of(repeats, lambda: cov.count(entity, relation)),
    }
    # On graphs too sparse for a bitmap, rows are searched.
    cov._cache["bitmap"] = None
    seconds["contains, by rows"] = best_of(
        repeats, lambda: cov.contains(entity, relation)
    )
    build = seconds["build"]
    return {
        "num_triples": num_triples,
        "num_keys": keys.numel(),
        "num_nodes": num_nodes,
        "num_relations": num_relations,
        "nnz": cov.nnz,
        "bytes": cov.nbytes,
        "bitmap": has_bitmap,
        "seconds": seconds,
        "ratios": {
            "build / torch.sort (at most 1.5)": build
            / seconds["torch.sort of the keys"],
            "numpy.unique / build (at least 5)": seconds[
                "numpy.unique of the keys"
            ]
            / build,
            "numpy.unique with counts / build": seconds[
                "numpy.unique with counts"
            ]
            / build,
        },
        "million_pairs_a_second": {
            name: num_pairs / seconds[name] / 1e6
            for name in ("contains", "contains, by rows", "count")
        },
        "versions": {
            "pyg_cagp": pyg_cagp.__version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "threads": torch.get_num_threads(),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--triples", type=int, default=10_000_000)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--relations", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "coverage.json"
    )
    args = parser.parse_args()
    sizes = {
        "sparse": (args.nodes, args.relations),
        # Dense enough for a bitmap, as FB15k-237 is.
        "dense": (max(args.nodes // 100, 24), max(args.relations // 5, 1)),
    }
    record = {
        name: measure(args.triples, *size, args.repeats)
        for name, size in sizes.items()
    }
    for name, result in record.items():
        print(f"{name}: {result['num_nodes']:,} entities, bitmap:", end=" ")
        print(result["bitmap"])
        for title in ("seconds", "ratios", "million_pairs_a_second"):
            print(" ", title.replace("_", " "))
            for key, value in result[title].items():
                print(f"    {key:36s} {value:8.2f}")
    args.out.write_text(json.dumps(record, indent=2) + "\n")
    print(f"written to {args.out}")


if __name__ == "__main__":
    main()
