r"""The golden run: every experiment on a small pinned graph, to the last bit.

Figures are stored as hexadecimal floats and tensors as digests, with the
environment they were computed in: one file in :obj:`golden/` for each kind of
processor, since processors round differently. They are stored in their order,
so that a key can be renamed.
"""

import hashlib
import json
import re
from contextlib import nullcontext
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from benchmark.paper.artifacts import Artifacts
from benchmark.paper.budget import GOLDEN
from benchmark.paper.experiment import Experiment
from benchmark.paper.experiments import models
from benchmark.paper.grid import Grid
from benchmark.paper.setting import Setting
from benchmark.paper.stages import traced
from benchmark.paper.store import environment, figures
from pyg_cagp._utils.files import write_atomically
from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.lookup import find
from pyg_cagp.evaluate.record import plain
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel

FOLDER = Path(__file__).with_name("golden")

Values = dict[str, dict[str, Any]]


class Comparison(NamedTuple):
    r"""The comparison of a golden run with the stored values."""

    environment: dict[str, list[Any]]  #: Stored and present, if they differ.
    different: list[str]  #: The places of values that differ.
    count: int  #: The number of values.


def compare(values: Values) -> Comparison:
    r"""Compares values with those stored for this processor, or another."""
    path = _file() if _file().exists() else min(FOLDER.glob("*.json"))
    golden = json.loads(path.read_text(encoding="utf-8"))
    stored, present = golden.pop("environment"), environment()
    different = []
    for name in golden | values:
        places = list(values.get(name, {}))
        pairs = zip_longest(golden.get(name, []), values.get(name, {}).values())
        for row, (before, now) in enumerate(pairs):
            if before != now:
                place = places[row] if row < len(places) else f" {row}"
                different.append(f"{name}{place}: {before} -> {now}")
    changed = {
        key: [stored.get(key), present.get(key)]
        for key in stored | present
        if stored.get(key) != present.get(key)
    }
    return Comparison(changed, different, sum(map(len, values.values())))


def record(values: Values) -> None:
    r"""Stores values to compare with."""
    content: dict[str, Any] = {"environment": environment()}
    content |= {name: list(part.values()) for name, part in values.items()}
    lines = (f'"{name}": {json.dumps(v)}' for name, v in content.items())
    write_atomically(_file(), ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def _file() -> Path:
    present = environment()
    name = f"{present['processor']} {present['instructions']}".lower()
    return FOLDER / f"{'-'.join(re.findall('[a-z0-9]+', name))}.json"


def compute(folder: Path, stages: set[str] | None = None) -> Values:
    r"""Returns all values by experiment and place."""
    artifacts = Artifacts(folder)
    experiments = [e for e in Grid(GOLDEN).experiments.values() if not e.alone]
    values: Values = {"coverage": _coverage(Setting(artifacts, "golden"))}
    for experiment in tqdm(experiments, disable=None):
        with nullcontext(set()) if stages is None else traced() as passed:
            result = experiment.run(artifacts)
        if stages is not None:
            _check_stages(experiment, passed)
            stages |= passed
        part = {
            place: value.hex() if isinstance(value, float) else value
            for place, value in figures(plain(result))
            if not isinstance(value, str)
        }
        for name, tensor in _tensors(experiment, artifacts).items():
            part[f"/{name}"] = _digest(tensor)
        values[experiment.name] = part
    return values


def _check_stages(experiment: Experiment, passed: set[str]) -> None:
    if missing := passed - set(experiment.stages):
        raise InvalidInputError(
            f"'{experiment.name}' passed through {', '.join(sorted(missing))}, "
            f"which its 'stages' in grid.py do not name"
        )


def _tensors(experiment: Experiment, artifacts: Artifacts) -> dict[str, Tensor]:
    if experiment.stores:
        return artifacts.tensors(experiment.dataset, experiment.key)
    if experiment.compute is models.model:
        setting = Setting(artifacts, experiment.dataset, **experiment.inputs)
        return _state(setting.model)
    return {}


def _state(model: GaussianKGEModel) -> dict[str, Tensor]:
    r"""The model's state with its posterior in place of the variances of
    training.
    """
    state, posterior = model.state_dict(), model.posterior
    seen = posterior.frequency[:, None] > 0
    variance = state["node_log_var.weight"]
    state["node_log_var.weight"] = torch.where(
        seen, posterior.log_variance, variance
    )
    state["node_freq"] = posterior.frequency
    prior = torch.tensor(posterior.prior_variance).log()
    state["prior.log_variance"] = prior
    return state


def _coverage(setting: Setting) -> dict[str, Any]:
    r"""Coverage of all pairs by both searches, and directed counts."""
    coverage: Coverage = setting.coverage
    entity, rel = torch.meshgrid(
        torch.arange(coverage.num_nodes),
        torch.arange(coverage.num_relations),
        indexing="ij",
    )
    entity, rel = entity.flatten(), rel.flatten()
    rows = coverage.rowptr, coverage.col
    values = {
        "contains": coverage.contains(entity, rel),
        "rows": find(*rows, entity, rel, coverage.longest_row),
        "frequency": coverage.frequency(),
        "head": coverage.count(entity, rel, role="head"),
        "tail": coverage.count(entity, rel, role="tail"),
        "any": coverage.count(entity, rel, role="any"),
    }
    return {f"/{k}": _digest(v) for k, v in values.items()}


def _digest(tensor: Tensor) -> str:
    r"""Returns the shape of a tensor, its sum and a digest of its bytes."""
    array = np.ascontiguousarray(tensor.detach().numpy())
    total = float(array.astype(np.float64).sum())
    code = hashlib.sha256(array.tobytes()).hexdigest()[:16]
    return f"{list(array.shape)} {total.hex()} {code}"
