r"""The state of records: current, or to be computed again."""

from collections.abc import Sequence
from typing import Any

from benchmark.paper.artifacts import Artifacts
from benchmark.paper.experiment import Experiment
from benchmark.paper.stages import STAGES, changed_since, code_digests, stamps
from benchmark.paper.store import Store, environment
from pyg_cagp.exceptions import CAGPError

CURRENT = "current"


def states(
    experiments: Sequence[Experiment], store: Store, artifacts: Artifacts
) -> dict[str, str]:
    r"""Returns the state of each record by its name."""
    digests: dict[str, str | None] = {}
    for dataset in {e.dataset for e in experiments}:
        try:
            digests[dataset] = artifacts.digest(dataset)
        except (CAGPError, OSError):
            digests[dataset] = None  # Its files are not here.
    present = environment()
    return {
        e.name: _state(e, store.read(e.name), digests[e.dataset], present)
        for e in experiments
    }


def _state(
    experiment: Experiment,
    record: dict[str, Any] | None,
    data: str | None,
    present: dict[str, Any],
) -> str:
    if record is None:
        return "not computed"
    identity = experiment.identity(data or record["data"])
    if record["config"] != identity["config"]:
        return "config changed"
    if record["data"] != identity["data"]:
        return "data changed"
    if record["stages"] != identity["stages"]:
        return "version raised"
    provenance = record["provenance"]
    commit = changed_since(provenance)
    if commit is not None:
        return f"unverified since {commit}"
    known = provenance["environment"]
    if any(present[key] != value for key, value in known.items()):
        return "other environment"
    return CURRENT


def unverified_stages() -> list[str]:
    r"""Returns the stages whose code differs from what the golden run has
    confirmed.
    """
    now, confirmed = code_digests(), stamps()
    return [
        name
        for name in STAGES
        if confirmed.get(name, {}).get("code") != now[name]
    ]
