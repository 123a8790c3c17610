r"""What a trained run needs to give advice without its graph."""

import math
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data
from tqdm import tqdm

from pyg_cagp import metrics
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.advice import state
from pyg_cagp.advice.parts import write_known, write_names
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg, describe_graph, split_edges
from pyg_cagp.evaluate.conformal import SIDES, AnswerSets
from pyg_cagp.evaluate.ranking import check_fits
from pyg_cagp.evaluate.scoring import doubts
from pyg_cagp.exceptions import (
    CAGPWarning,
    CheckpointError,
    InvalidInputError,
)
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import labelled_triples
from pyg_cagp.train.checkpoint import load_checkpoint
from pyg_cagp.train.load import MODEL
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import CAGP, EvidenceUncertainty
from pyg_cagp.uncertainty.cagp import SimpleAverage

#: The protocol that labels validation triples.
PROTOCOL = "comprehensive"

#: How often an answer set may miss.
ALPHA = 0.1


def prepare(
    run_folder: str | Path,
    kg: Data,
    model: GaussianKGEModel,
    seed: int = 0,
    progress: bool = False,
    preset: str = "stated",
) -> dict[str, Any]:
    r"""Puts into the folder of a run all that is needed to give advice about
    triples without the graph it was trained on: the coverage of the training
    triples, estimators that were fitted on validation, thresholds, names, and
    the known triples. See :class:`Adviser` for what comes of it.

    Where validation has no ID or no OOD triple, there is no
    :obj:`doubt` and no threshold, and a warning says so.

    Args:
        run_folder (str or pathlib.Path): The folder of a finished run.
        kg (Data): The graph it was trained on.
        model (GaussianKGEModel): Its model.
        seed (int, optional): The seed of corrupted validation triples.
            (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`False`)
        preset (str, optional): The partition into ID triples, emerging
            entities and novel contexts; see
            :meth:`~pyg_cagp.transforms.TemporalLikeOOD.preset`.
            (default: :obj:`"stated"`)

    Returns:
        What :obj:`advice.json` holds.
    """
    run, kg = Path(run_folder), as_kg(kg).clone().cpu()
    check_fits(model, kg)
    rule = TemporalLikeOOD.preset(preset)
    _, meta = load_checkpoint(run / MODEL)
    device = next(model.parameters()).device
    coverage = Coverage.from_data(kg).to(device)
    cagp, evidence, threshold = _fit(kg, model, coverage, preset, seed)
    with state.changing(run):
        version = _next_version(run)
        with state.new_state(run, version) as folder:
            coverage.save(folder / state.COVERAGE)
            cagp.save(folder / state.CAGP_FILE)
            if evidence is not None:
                evidence.save(folder / state.EVIDENCE)
            write_names(
                folder / state.NAMES,
                _usable(kg, "node_names"),
                _usable(kg, "relation_names"),
            )
            write_known(
                folder / state.KNOWN, _triples(kg, "train"), _triples(kg, "val")
            )
            document = {
                "version": version,
                "model": MODEL,
                "model_crc32": meta["crc32"],
                "graph": describe_graph(kg),
                "seed": seed,
                "protocol": PROTOCOL,
                "preset": preset,
                "tau": rule.threshold(coverage.frequency()),
                "inclusive": rule.inclusive,
                "threshold": threshold,
                "evidence": None if evidence is None else state.EVIDENCE,
                "conformal": _conformal(kg, model, preset, progress),
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "versions": package_versions(),
                "updates": [],
            }
        state.make_valid(run, document)
    return document


def _fit(
    kg: Data,
    model: GaussianKGEModel,
    coverage: Coverage,
    preset: str,
    seed: int,
) -> tuple[CAGP, EvidenceUncertainty | None, float | None]:
    cagp = CAGP(model, coverage)
    try:
        if not bool(kg.val_mask.any()):
            raise InvalidInputError("the graph has no validation triple")
        # Refuses graphs that leave nothing to tell apart, or to corrupt.
        cagp.fit(kg, protocol=PROTOCOL, preset=preset, seed=seed)
        evidence = EvidenceUncertainty(coverage, model)
        evidence.fit(kg, protocol=PROTOCOL, preset=preset, seed=seed)
        val = labelled_triples(kg, PROTOCOL, "val", preset, seed)
        doubt = doubts("doubt", evidence, (val.head, val.rel, val.tail))
        return cagp, evidence, metrics.best_threshold(doubt, val.label)
    except InvalidInputError as error:
        reason = str(error)
    warnings.warn(
        f"there will be no 'doubt', and all triples that are not ID are "
        f"abstained from, since {reason}",
        CAGPWarning,
        stacklevel=3,
    )
    # Both kinds of doubt are still there; nothing tells how to weigh them.
    even = SimpleAverage(model, coverage).fit(kg)
    cagp.alpha_, cagp.low_, cagp.high_ = even.alpha_, even.low_, even.high_
    return cagp, None, None


def _conformal(
    kg: Data, model: GaussianKGEModel, preset: str, progress: bool
) -> dict[str, float | None]:
    # No threshold means that every answer is in the set.
    found: dict[str, float | None] = {"alpha": ALPHA}
    found |= dict.fromkeys(SIDES)
    num = int(kg.val_mask.sum())
    if num == 0:
        return found
    val = labelled_triples(kg, split="val", preset=preset)
    sets = AnswerSets(model, kg)
    hide = None if progress else True
    with tqdm(total=2 * num, unit="query", disable=hide, leave=False) as bar:
        for side in SIDES:
            misfit, _ = sets(side, val, "val", None, bar)
            level = metrics.conformal_threshold(misfit, ALPHA)
            found[side] = level if math.isfinite(level) else None
    return found


def _next_version(run: Path) -> int:
    try:
        before = state.read_pointer(run)
    except CheckpointError:
        # Nothing there that could still be of use.
        return 0
    if before["updates"]:
        warnings.warn(
            f"the advice of '{run}' is made anew, without its "
            f"{len(before['updates'])} updates; apply them again",
            CAGPWarning,
            stacklevel=3,
        )
    return before["version"] + 1


def _usable(kg: Data, key: str) -> list[str] | None:
    names = kg.get(key)
    if names is None:
        return None
    names = [str(name) for name in names]
    # A name that two entities share says which is meant of neither.
    return names if len(set(names)) == len(names) else None


def _triples(kg: Data, split: str) -> Tensor:
    (head, tail), rel = split_edges(kg, split)
    return torch.stack([head, rel, tail])
