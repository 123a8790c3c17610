r"""Judges a run by a protocol, on the graph it was trained on."""

from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data

from pyg_cagp import evaluate
from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.files import check_target
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import kg_digest
from pyg_cagp.datasets import load
from pyg_cagp.evaluate.error_ranking import Predictions
from pyg_cagp.evaluate.record import Record
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import PROTOCOLS as OOD_PROTOCOLS
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.train import load_run
from pyg_cagp.transforms import TimestampOOD
from pyg_cagp.uncertainty import (
    CAGP,
    EvidenceUncertainty,
    SemanticUncertainty,
    StructuralUncertainty,
)

#: The protocols that a run can be evaluated by.
PROTOCOLS = ("ranking", *OOD_PROTOCOLS, "error-ranking", "conformal")

#: How often the bootstrap draws.
NUM_RESAMPLES = 1000


def evaluate_run(
    run_folder: str | Path,
    protocol: str,
    root: str | Path | None = None,
    dataset: str | Path | None = None,
    device: torch.device | str = "cpu",
    seed: int = 0,
    progress: bool = False,
) -> Record:
    r"""Judges the model of a run, as it was trained, and writes the record
    into its folder as :obj:`evaluate-PROTOCOL.json`.

    What has to be fitted is fitted on validation triples labelled by the same
    protocol. For wrong predictions, evidence is fitted on the model's own
    mistakes there, and CAGP's weight on emerging entities and novel contexts.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        protocol (str): One of :obj:`PROTOCOLS`.
        root (str or pathlib.Path, optional): The folder that holds datasets.
            (default: :obj:`None`)
        dataset (str or pathlib.Path, optional): Where the graph is now, if not
            where it was when the run was trained. (default: :obj:`None`)
        device (torch.device or str, optional): Where to compute.
            (default: :obj:`"cpu"`)
        seed (int, optional): The seed of corruption and of the bootstrap.
            (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows progress bars
            where there is a terminal. (default: :obj:`False`)
    """
    check_choice("protocol", protocol, PROTOCOLS)
    target = Path(run_folder) / f"evaluate-{protocol}.json"
    check_target(target)
    run = load_run(run_folder, device=device)
    model = run.model
    kg = graph_of(run.record, root, dataset)
    if protocol == "timestamp" and "ood_label" not in kg:
        raise InvalidInputError(
            f"the model of '{run_folder}' has seen the future of its graph; "
            f"train one that has not with 'pyg-cagp train DATASET --by-time'"
        )
    record = judge_model(model, kg, protocol, seed, progress)
    record.save(target)
    return record


def judge_model(
    model: GaussianKGEModel,
    kg: Data,
    protocol: str,
    seed: int = 0,
    progress: bool = False,
) -> Record:
    r"""Judges a model by a protocol; see :func:`evaluate_run`.

    Args:
        model (GaussianKGEModel): The model.
        kg (Data): The graph it was trained on.
        protocol (str): One of :obj:`PROTOCOLS`.
        seed (int, optional): The seed of corruption and of the bootstrap.
            (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows progress bars
            where there is a terminal. (default: :obj:`False`)
    """
    if protocol == "ranking":
        return evaluate.ranking(model, kg, progress=progress)
    if protocol == "conformal":
        return evaluate.conformal(model, kg, progress=progress)
    signals = fitted_signals(model, kg, protocol, seed)
    if protocol == "error-ranking":
        return evaluate.error_ranking(
            model,
            signals,
            kg,
            seed=seed,
            num_resamples=NUM_RESAMPLES,
            progress=progress,
        )
    rule = protocol_of(protocol, seed=seed)
    return evaluate.ood(signals, kg, rule, seed=seed)


def graph_of(
    record: dict[str, Any],
    root: str | Path | None = None,
    dataset: str | Path | None = None,
) -> Data:
    r"""Loads the graph that a run was trained on, and no other.

    Args:
        record (dict): The record of the run.
        root (str or pathlib.Path, optional): The folder that holds datasets.
            (default: :obj:`None`)
        dataset (str or pathlib.Path, optional): Where the graph is now.
            (default: :obj:`None`)
    """
    name = dataset or record["dataset"]
    if not name:
        raise InvalidInputError(
            "the run does not say which graph it was trained on; name it "
            "(--dataset)"
        )
    kg = load(name, root=root, seed=record["seed"])
    if record["time_cut"] is not None and "edge_time" in kg:
        kg = TimestampOOD(**record["time_cut"])(kg)
    if kg_digest(kg) != record["graph"]["sha256"]:
        raise InvalidInputError(
            f"the graph '{name}' is not the one that the run was trained on: "
            f"its triples, splits or names have changed since"
        )
    return kg


def fitted_signals(
    model: GaussianKGEModel, kg: Data, protocol: str, seed: int = 0
) -> dict[str, Any]:
    r"""Returns what a run is judged by: both kinds of doubt, their mix, and all
    evidence, fitted on validation triples.

    Args:
        model (GaussianKGEModel): The model.
        kg (Data): The graph it was trained on.
        protocol (str): How validation triples are labelled.
        seed (int, optional): The seed of corruption. (default: :obj:`0`)
    """
    coverage = Coverage.from_data(kg).to(next(model.parameters()).device)
    cagp, evidence = CAGP(model, coverage), EvidenceUncertainty(coverage, model)
    if protocol == "error-ranking":
        val = _mistakes(model, kg)
        cagp.fit(kg, seed=seed)
        evidence.fit_labelled(val.head, val.rel, val.tail, val.error)
    else:
        split = protocol_of(protocol, seed=seed).label(kg, "val")
        cagp.fit(split)
        evidence.fit(split)
    return {
        "semantic": SemanticUncertainty(model),
        "structural": StructuralUncertainty(coverage),
        "CAGP": cagp,
        "evidence": evidence,
    }


def _mistakes(model: GaussianKGEModel, kg: Data) -> Predictions:
    r"""Returns the model's answers to validation queries, of which some must be
    wrong and some right for anything to be learned.
    """
    if not bool(kg.val_mask.any()):
        raise InvalidInputError("the graph has no validation triple")
    found = evaluate.predictions(model, kg, "val")
    wrong = found.error
    if bool(wrong.all()) or not bool(wrong.any()):
        raise InvalidInputError(
            f"the model's answers to validation queries are all "
            f"{'wrong' if bool(wrong.all()) else 'right'}, which leaves "
            f"nothing to learn from"
        )
    return found
