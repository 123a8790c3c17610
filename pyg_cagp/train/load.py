r"""Loading of finished runs."""

from dataclasses import dataclass, field
from operator import gt
from pathlib import Path
from types import NoneType
from typing import Any

import torch
from torch import Tensor

from pyg_cagp._utils.documents import (
    NUMBER,
    OPTIONAL_NUMBER,
    fits,
    is_count,
    read_document,
)
from pyg_cagp.exceptions import CheckpointError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.posterior import Posterior
from pyg_cagp.train.build import build_model
from pyg_cagp.train.checkpoint import POSTERIOR, SCHEMA, load_checkpoint, unnest
from pyg_cagp.train.config import Config

#: The files of a run.
STATE, MODEL, RECORD = "last.safetensors", "model.safetensors", "run.json"

#: The values that :obj:`run.json` and the file of the model share.
STORED = ("dataset", "seed", "config", "graph")

#: The remedy for a run that is missing or damaged.
REMEDY = "train one with 'pyg-cagp train'"

#: The form of a graph in :obj:`run.json` and in the file of a model.
GRAPH = {
    f"num_{part}": is_count
    for part in ("nodes", "relations", "train", "val", "test")
} | {"sha256": str}

#: The form of the rule that splits a dated graph.
TIME_CUT = {
    "cutoff": (str, *NUMBER),
    "val_cutoff": (str, *OPTIONAL_NUMBER),
    "held_out": NUMBER,
    "repeats": str,
    "seed": is_count,
}

#: The form of each value of :obj:`run.json`.
FORMS = {
    "dataset": str,
    "seed": is_count,
    "config": dict,
    "config_source": (str, NoneType),
    "graph": GRAPH,
    "time_cut": (TIME_CUT, NoneType),
    "device": (str, NoneType),
    "versions": (dict, NoneType),
    "epochs": (is_count, NoneType),
    "prior_variance": OPTIONAL_NUMBER,
    "seconds": ({"training": NUMBER, "posterior": NUMBER}, NoneType),
}


#: The errors that malformed values of a file cause.
MALFORMED = AttributeError, LookupError, RuntimeError, TypeError, ValueError


@dataclass
class Run:
    r"""A finished training run.

    Args:
        model (GaussianKGEModel): The model, with its posterior.
        config (Config): The config of the training.
        record (dict): The values of :obj:`run.json`.
    """

    model: GaussianKGEModel
    config: Config
    record: dict[str, Any] = field(repr=False)


def load_run(folder: str | Path, *, device: torch.device | str = "cpu") -> Run:
    r"""Loads a finished run. The folder may be untrusted: every value is
    checked, and nothing is unpickled.

    Args:
        folder (str or pathlib.Path): The folder.
        device (torch.device or str, optional): The device of the model.
            (default: :obj:`"cpu"`)
    """
    folder = Path(folder)
    if folder.is_file():
        raise CheckpointError(f"'{folder}' is a file, not the folder of a run")
    if not (folder / RECORD).exists():
        remedy = REMEDY
        if (folder / STATE).exists():
            remedy = "it was interrupted; continue it with --resume"
        raise CheckpointError(f"'{folder}' holds no finished run; {remedy}")
    record = read_document(folder / RECORD, SCHEMA, FORMS, REMEDY)
    model, meta = load_model(folder / MODEL, device=device)
    for key in STORED[1:]:
        if record[key] != meta[key]:
            raise CheckpointError(
                f"'{folder / MODEL}' belongs to another run: its '{key}' "
                f"differs from that of '{RECORD}'; {REMEDY}"
            )
    return Run(model, Config.from_dict(meta["config"], str(folder)), record)


def load_model(
    path: Path, *, device: torch.device | str = "cpu"
) -> tuple[GaussianKGEModel, dict[str, Any]]:
    r"""Loads the model of a run, or of an updated run, and the values that are
    stored with it.

    Args:
        path (pathlib.Path): The file.
        device (torch.device or str, optional): The device of the model.
            (default: :obj:`"cpu"`)
    """
    tensors, meta = load_checkpoint(path, device=device)
    try:
        forms = {key: FORMS[key] for key in STORED[1:]}
        if not fits({key: meta.get(key) for key in forms}, forms):
            raise ValueError("it lacks a seed, a config or sizes of a graph")
        config = Config.from_dict(meta["config"], f"'{path}'").model
        sizes = meta["graph"]["num_nodes"], meta["graph"]["num_relations"]
        # A model must not take more memory than the tensors of the file.
        num_nodes, width = tensors["node_emb.weight"].shape
        num_relations, _ = tensors["rel_emb.weight"].shape
        needed = *sizes, config.get("hidden_channels", 0)
        if any(map(gt, needed, (num_nodes, num_relations, width))):
            raise ValueError("its tensors are too small for its sizes")
        model = build_model(config, *sizes)
        posterior = unnest(POSTERIOR, tensors)
        for name in posterior:
            del tensors[f"{POSTERIOR}.{name}"]
        model.load_state_dict(tensors)
        if posterior:
            model.set_posterior(_posterior(model, posterior))
    except MALFORMED as error:
        reason = str(error).splitlines()[0] if str(error) else repr(error)
        raise CheckpointError(
            f"'{path}' cannot be read as the model of a run ({reason})"
        ) from None
    return model.to(device).eval(), meta


def _posterior(
    model: GaussianKGEModel, tensors: dict[str, Tensor]
) -> Posterior:
    names = ("log_variance_", "_extra_state", "frequency_")
    if set(tensors) != set(names):
        raise ValueError(f"its posterior has the tensors {sorted(tensors)}")
    log_variance, prior, frequency = (tensors[name] for name in names)
    if log_variance.dtype != model.node_emb.weight.dtype:
        raise ValueError("its posterior has variances of another type")
    return Posterior(model.node_emb, log_variance, float(prior), frequency)
