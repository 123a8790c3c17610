r"""The golden run: every experiment on a small pinned graph, to the last bit.

    python -m benchmark.paper.golden [--record]

Each experiment of the grid is computed once on the graphs in :obj:`golden/`,
with one small model for each switch that a real experiment uses. Figures are
kept as hexadecimal floats and tensors as digests, in :obj:`golden.json`,
together with the versions and the processor features they were computed with.
Without :obj:`--record`, the run is compared with that file, and every value
that differs is printed. Values stand in their order, so that a key can be
renamed.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")

import numpy as np
import torch
from torch_geometric.data import Data
from tqdm import tqdm

from benchmark.paper import QUICK, Grid, Workshop, workshop
from benchmark.paper.cells import confidences, doubt
from pyg_cagp._utils.threads import one_blas_thread
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.lookup import find, longest_row
from pyg_cagp.datasets import load
from pyg_cagp.evaluate.record import plain

HERE = Path(__file__).parent
FILE = HERE / "golden.json"

#: The switches of the model that experiments evaluate.
SWITCHES = {
    "model.hidden_channels": 8,
    "model.prior_variance": 0.1,
    "model.kl_weight": 0.7,
    "model.reciprocal": True,
    "model.dropout": 0.3,
    "model.sparse": True,
    "objective.name": "sampled-softmax",
    "objective.num_negatives": 64,
    "train.epochs": 4,
    "train.batch_size": 256,
    "train.optimizer": "adagrad",
    "train.lr": 0.3,
    "train.kl_warmup": 2.0,
    "train.eval_every": 2,
    "posterior.num_negatives": 64,
    "posterior.num_draws": 2,
}
SMALL = {
    "model.hidden_channels": 8,
    "train.epochs": 2,
    "train.batch_size": 256,
    "train.eval_every": 2,
}

#: Further models: one for each switch that the one above leaves alone.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "adam": (
        "gaussian-distmult",
        {
            **SMALL,
            "model.reciprocal": True,
            "objective.name": "sampled-softmax",
            "objective.num_negatives": 64,
            "objective.filtered": True,
            "train.schedule": "cosine",
            "train.clip_norm": 1.0,
        },
    ),
    "complex": ("gaussian-complex", SWITCHES),
    "self-adversarial": (
        "gaussian-transe",
        {
            **SMALL,
            "model.sparse": True,
            "objective.name": "self-adversarial",
            "objective.num_negatives": 32,
            "train.optimizer": "sparse-adam",
            "posterior.structure": "diagonal",
            "posterior.prior": "validation",
        },
    ),
    "one-vs-all": (
        "gaussian-distmult",
        {
            **SMALL,
            "model.covariance": "spherical",
            "objective.name": "one-vs-all",
            "train.noise_table": 65536,
            "posterior.prior": 1.0,
        },
    ),
    "rotate": ("gaussian-rotate", {**SMALL, "posterior.prior": "model"}),
    "kg2e": ("kg2e", SMALL),
}


@cache
def graph(name: str, root: str | None = None) -> Data:
    r"""Returns a pinned graph; the dated one has drawn negatives as well."""
    with tempfile.TemporaryDirectory() as folder:
        if name == "nl27k":
            return load(HERE / "golden/uncertain", folder)
        kg = load(HERE / "golden/dated", folder)
    generator = torch.Generator().manual_seed(0)
    for split in ("val", "test"):
        mask = kg[f"{split}_mask"]
        edges = kg.edge_index[:, mask].clone()
        edges[1] = torch.randint(
            kg.num_nodes, edges[1].shape, generator=generator
        )
        kg[f"{split}_neg_edge_index"] = edges
        kg[f"{split}_neg_edge_type"] = kg.edge_type[mask]
    return kg


def run(folder: Path) -> dict[str, dict[str, Any]]:
    r"""Computes everything, and returns values by experiment and place."""
    workshop._load = graph
    works = Workshop(folder)
    budget = replace(
        QUICK,
        datasets=("synthetic",),
        seeds=1,
        changes=SWITCHES,
        architectures=(),
    )
    cells = [c for c in Grid(budget).cells.values() if not c.alone]
    found = {"coverage": _coverage(works.coverage("synthetic"))}
    for cell in tqdm(cells):
        name = cell.name.removeprefix("synthetic/")
        found[name] = dict(_numbers(cell.run(works)))
    for name, (model, changes) in tqdm(MODELS.items()):
        given = "synthetic", model, 0, changes
        figures = dict(_numbers(doubt.model(works, *given)))
        state = works.model(*given).model.state_dict()
        figures |= {k: _digest(v.numpy()) for k, v in state.items()}
        found[f"models/{name}"] = figures
    found["confidences"] = dict(
        _numbers(
            confidences.confidences(
                works,
                "nl27k",
                "gaussian-distmult",
                0,
                {**SMALL, "objective.num_negatives": 32},
                4000,
            )
        )
    )
    for path in sorted(folder.rglob("*.npz")):
        name = str(path.relative_to(folder))
        with np.load(path) as arrays:
            found[name] = {k: _digest(arrays[k]) for k in arrays}
    return found


def _coverage(coverage: Coverage) -> dict[str, Any]:
    r"""Both ways to look pairs up, and directed counts."""
    entity, rel = torch.meshgrid(
        torch.arange(coverage.num_nodes),
        torch.arange(coverage.num_relations),
        indexing="ij",
    )
    entity, rel = entity.flatten(), rel.flatten()
    row = coverage.rowptr
    values = {
        "contains": coverage.contains(entity, rel),
        "rows": find(row, coverage.col, entity, rel, longest_row(row)),
        "frequency": coverage.frequency(),
    }
    for role in ("head", "tail", "any"):
        values[role] = coverage.count(entity, rel, role=role)
    return {k: _digest(v.numpy()) for k, v in values.items()}


def _numbers(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    r"""Yields every number of a result but times, each with its place."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key != "seconds":
                yield from _numbers(part, f"{place}/{key}")
    elif isinstance(value, list | tuple):
        for row, part in enumerate(value):
            yield from _numbers(part, f"{place}/{row}")
    elif isinstance(value, bool | int) or value is None:
        yield place, value
    elif isinstance(value, float):
        yield place, value.hex()


def _digest(array: np.ndarray) -> str:
    r"""Returns the shape of an array, its sum and a digest of its bytes."""
    array = np.ascontiguousarray(array)
    total = float(array.astype(np.float64).sum())
    code = hashlib.sha256(array.tobytes()).hexdigest()[:16]
    return f"{list(array.shape)} {total.hex()} {code}"


def environment() -> dict[str, str]:
    r"""Returns what bits depend on beside the code."""
    return {
        **package_versions(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "threads": str(torch.get_num_threads()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, one_blas_thread():
        values = plain(run(Path(folder)))
    if args.record:
        whole = {"environment": environment()}
        whole |= {name: list(part.values()) for name, part in values.items()}
        lines = (f'"{name}": {json.dumps(v)}' for name, v in whole.items())
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    golden = json.loads(FILE.read_text())
    if golden.pop("environment") != environment():
        sys.exit("other environment")
    different = []
    for name in golden | values:
        places = list(values.get(name, {}))
        pairs = zip_longest(golden.get(name, []), values.get(name, {}).values())
        for row, (before, now) in enumerate(pairs):
            if before != now:
                place = places[row] if row < len(places) else f" {row}"
                different.append(f"{name}{place}: {before} -> {now}")
    print(*different, sep="\n")
    print(f"{len(different)} of {sum(map(len, golden.values()))} differ")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
