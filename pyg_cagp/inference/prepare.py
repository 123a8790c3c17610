r"""Preparation of a trained run for inference."""

import json
import math
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data
from tqdm import tqdm

from pyg_cagp import metrics
from pyg_cagp._utils.files import write_atomically
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg, triples
from pyg_cagp.evaluate.conformal import AnswerSets
from pyg_cagp.evaluate.graph import EvaluationGraph
from pyg_cagp.evaluate.scoring import uncertainties
from pyg_cagp.exceptions import CAGPWarning, CheckpointError, InvalidInputError
from pyg_cagp.inference import state
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring import as_scorer
from pyg_cagp.protocols import Comprehensive, Partition, TemporalLike
from pyg_cagp.train.checkpoint import load_checkpoint, save_checkpoint
from pyg_cagp.uncertainty import CAGP, EvidenceUncertainty
from pyg_cagp.uncertainty.cagp import SimpleAverage

#: The share of answer sets that may miss the right answer.
ALPHA = 0.1


def prepare(
    run_folder: str | Path,
    kg: Data,
    model: GaussianKGEModel,
    *,
    preset: Partition = "stated",
    seed: int = 0,
    progress: bool = False,
) -> dict[str, Any]:
    r"""Writes the inference state of a :class:`Predictor` into the folder of a
    run: the coverage of the training triples, estimators fitted on validation,
    thresholds, names, and the known triples. Returns the values of
    :obj:`inference.json`.

    If validation has no ID or no OOD triple, there is no :obj:`p_ood` and no
    threshold, and a warning states the reason.

    Args:
        run_folder (str or pathlib.Path): The folder of a finished run.
        kg (Data): The graph it was trained on.
        model (GaussianKGEModel): Its model.
        preset (str or TemporalLikeOOD, optional): The partition by
            :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
            (default: :obj:`"stated"`)
        seed (int, optional): The seed of corrupted validation triples.
            (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`False`)
    """
    run = Path(run_folder)
    graph = EvaluationGraph(as_kg(kg).clone().cpu())
    kg = graph.kg
    as_scorer(model, kg)
    rule = Comprehensive(preset, seed)
    _, meta = load_checkpoint(run / state.MODEL)
    device = next(model.parameters()).device
    coverage = graph.coverage_on(device)
    cagp, evidence, threshold = _fit(graph, model, coverage, rule)
    with state.locked(run):
        version = _next_version(run)
        with state.new_state(run, version) as folder:
            coverage.save(folder / state.COVERAGE)
            cagp.save(folder / state.CAGP_FILE)
            if evidence is not None:
                evidence.save(folder / state.EVIDENCE)
            names = {
                "entities": _usable(kg, "node_names"),
                "relations": _usable(kg, "relation_names"),
            }
            write_atomically(folder / state.NAMES, json.dumps(names).encode())
            known = {k: torch.stack(triples(kg, k)) for k in ("train", "val")}
            save_checkpoint(folder / state.KNOWN, known, {})
            document = {
                "version": version,
                "model": state.MODEL,
                "model_crc32": meta["crc32"],
                "graph": graph.description,
                "seed": seed,
                "protocol": rule.name,
                "preset": preset if isinstance(preset, str) else repr(preset),
                "tau": rule.rule.threshold(coverage.frequency()),
                "inclusive": rule.rule.inclusive,
                "threshold": threshold,
                "evidence": None if evidence is None else state.EVIDENCE,
                "conformal": _conformal(graph, model, preset, progress),
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "versions": package_versions(),
                "updates": [],
            }
        state.make_valid(run, document)
    return document


def _fit(
    graph: EvaluationGraph,
    model: GaussianKGEModel,
    coverage: Coverage,
    rule: Comprehensive,
) -> tuple[CAGP, EvidenceUncertainty | None, float | None]:
    cagp = CAGP(model, coverage)
    try:
        if not bool(graph.kg.val_mask.any()):
            raise InvalidInputError("the graph has no validation triple")
        # Refuses graphs with one class of triples, or with none to corrupt.
        val = graph.label(rule, "val")
        cagp.fit(val)
        evidence = EvidenceUncertainty(coverage, model).fit(val)
        p_ood = uncertainties("p_ood", evidence, val.triples)
        return cagp, evidence, metrics.best_threshold(p_ood, val.label)
    except InvalidInputError as error:
        reason = str(error)
    warnings.warn(
        f"there is no 'p_ood', and all triples that are not ID are "
        f"abstained from, since {reason}",
        CAGPWarning,
        stacklevel=3,
    )
    # Without labels, both uncertainties get the same weight.
    average = SimpleAverage(model, coverage).fit(graph.kg)
    cagp.set_extra_state(average.get_extra_state())
    return cagp, None, None


def _conformal(
    graph: EvaluationGraph,
    model: GaussianKGEModel,
    preset: Partition,
    progress: bool,
) -> dict[str, float | None]:
    # Without a threshold, all answers are in the set.
    levels: dict[str, float | None] = {"alpha": ALPHA, **dict.fromkeys(SIDES)}
    num = int(graph.kg.val_mask.sum())
    if num == 0:
        return levels
    val = graph.label(TemporalLike(preset), "val")
    sets = AnswerSets(model, graph.kg)
    hide = None if progress else True
    with tqdm(total=2 * num, unit="query", disable=hide, leave=False) as bar:
        for side in SIDES:
            misfit, _ = sets(side, val, "val", None, bar)
            level = metrics.conformal_threshold(misfit, alpha=ALPHA)
            levels[side] = level if math.isfinite(level) else None
    return levels


def _next_version(run: Path) -> int:
    try:
        document = state.read_pointer(run)
    except CheckpointError:
        # There is no valid state.
        return 0
    if document["updates"]:
        warnings.warn(
            f"the new inference state of '{run}' is without its "
            f"{len(document['updates'])} updates; apply them again",
            CAGPWarning,
            stacklevel=3,
        )
    return document["version"] + 1


def _usable(kg: Data, key: str) -> list[str] | None:
    names = kg.get(key)
    if names is None:
        return None
    names = [str(name) for name in names]
    # A name that two entities share is ambiguous.
    return names if len(set(names)) == len(names) else None
