r"""Coverage of a graph that is never in memory: time and peak memory.

    python benchmark/scale/stream.py [--triples 100000000] [--out FILE]

Triples are drawn by SyntheticKG.stream and counted by CoverageBuilder, chunk
by chunk. Drawing takes part of the time, so it is measured separately, too.
"""

import argparse
import json
import platform
import resource
import time
from pathlib import Path

import torch
from tqdm import tqdm

import pyg_cagp
from pyg_cagp.coverage import CoverageBuilder
from pyg_cagp.datasets import SyntheticKG

HERE = Path(__file__).parent
CHUNK = 1 << 21


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--triples", type=int, default=100_000_000)
    parser.add_argument("--nodes", type=int, default=2_000_000)
    parser.add_argument("--relations", type=int, default=500)
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "stream.json"
    )
    args = parser.parse_args()
    start_mib = peak_mib()
    builder = CoverageBuilder(args.nodes, args.relations)
    drawing = counting = 0.0
    stream = SyntheticKG.stream(
        args.nodes, args.relations, args.triples, chunk_size=CHUNK
    )
    clock = time.perf_counter()
    with tqdm(total=args.triples, unit="triple", unit_scale=True) as bar:
        for chunk in stream:
            drawn = time.perf_counter()
            builder.add(chunk.edge_index, chunk.edge_type)
            drawing += drawn - clock
            clock = time.perf_counter()
            counting += clock - drawn
            bar.update(chunk.num_edges)
    cov = builder.build()
    counting += time.perf_counter() - clock
    record = {
        "num_triples": builder.num_edges,
        "num_nodes": args.nodes,
        "num_relations": args.relations,
        "chunk_size": CHUNK,
        "nnz": cov.nnz,
        "coverage_mib": cov.nbytes / 2**20,
        "edge_list_mib": builder.num_edges * 3 * 8 / 2**20,
        "peak_mib": peak_mib(),
        "peak_before_mib": start_mib,
        "seconds_drawing": drawing,
        "seconds_counting": counting,
        "versions": {
            "pyg_cagp": pyg_cagp.__version__,
            "torch": torch.__version__,
            "python": platform.python_version(),
            "threads": torch.get_num_threads(),
        },
    }
    print(json.dumps(record, indent=2))
    args.out.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
