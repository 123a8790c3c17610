r"""What it costs to give memory back after every operation.

    python benchmark/speed/allocator.py [--preload LIBRARY] [--out FILE]

The C library of Linux returns large blocks to the system as soon as they are
free, and each new one is filled with zeros, page by page. Steps of
:class:`~pyg_cagp.nn.radial_flow.RadialFlows`, the most costly part of a
:class:`~pyg_cagp.uncertainty.GraphPosteriorNetwork`, are timed in a process
that does so, in one whose pages are huge, in one that keeps its memory and, if
a library is named, in one that takes its memory from that, in turn.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from timing import write_record

HERE = Path(__file__).parent
HUGE = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
KEEP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**34)}
STEPS = """
import json, resource, time, torch
from pyg_cagp.nn.radial_flow import RadialFlows
torch.set_num_threads(1)
flows, points = RadialFlows(150, 16), torch.randn(4000, 16)
flows(points).sum().backward()
start = time.perf_counter()
for _ in range(5):
    flows(points).sum().backward()
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
print(json.dumps({"seconds": seconds / 5, "peak_mib": peak}))
"""


def steps(environment: dict[str, str]) -> dict[str, float]:
    """Returns the time of a step and the peak of memory."""
    done = subprocess.run(
        [sys.executable, "-c", STEPS],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "allocator.json"
    )
    parser.add_argument("--preload", help="such as libtcmalloc_minimal.so.4")
    args = parser.parse_args()
    ways = {"as_is": {}, "huge": HUGE, "kept": KEEP}
    if args.preload:
        ways["preloaded"] = {"LD_PRELOAD": args.preload}
    runs = [
        {way: steps(environment) for way, environment in ways.items()}
        for _ in range(args.repeats)
    ]
    record: dict[str, Any] = {"runs": runs}
    for way in list(ways)[1:]:
        record[way] = {
            "environment": ways[way],
            "times_faster": median(
                run["as_is"]["seconds"] / run[way]["seconds"] for run in runs
            ),
            "times_the_memory": median(
                run[way]["peak_mib"] / run["as_is"]["peak_mib"] for run in runs
            ),
        }
        print(
            f"{way}: {record[way]['times_faster']:.1f} times faster, "
            f"{record[way]['times_the_memory']:.1f} times the memory"
        )
    write_record(record, args.out)


if __name__ == "__main__":
    main()
