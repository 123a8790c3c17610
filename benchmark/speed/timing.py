r"""Functions that the speed benchmarks share."""

import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from pyg_cagp._utils.versions import package_versions


def seconds(function: Callable[[], Any], repeats: int = 1) -> float:
    """Returns the least time that a call took."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def write_record(record: dict[str, Any], out: Path) -> None:
    """Writes a record, with the versions of libraries and the machine."""
    versions = {**package_versions(), "threads": torch.get_num_threads()}
    document = {**record, "versions": versions, "machine": platform.machine()}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document, indent=2) + "\n")
    print(f"written to {out}")
