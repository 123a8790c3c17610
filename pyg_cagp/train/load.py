r"""Reads a finished run from its folder."""

from dataclasses import dataclass
from operator import gt
from pathlib import Path
from types import NoneType
from typing import Any

import torch

from pyg_cagp._utils.documents import (
    Check,
    is_count,
    is_mapping,
    is_number,
    is_text,
    read_document,
)
from pyg_cagp.exceptions import CheckpointError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.train.build import build_model
from pyg_cagp.train.checkpoint import SCHEMA, load_checkpoint
from pyg_cagp.train.options import Config

#: The files of a run.
STATE, MODEL, RECORD = "last.safetensors", "model.safetensors", "run.json"

#: The remedy for a run that is missing or damaged.
REMEDY = "train one with 'pyg-cagp train'"

_SIZES = ("num_nodes", "num_relations", "num_train", "num_val", "num_test")


def _is_graph(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(is_count(value.get(key)) for key in _SIZES)
        and is_text(value.get("sha256"))
    )


def _is_time_cut(value: Any) -> bool:
    kinds = {
        "cutoff": (str, int, float),
        "val_cutoff": (str, int, float, NoneType),
        "held_out": (int, float),
        "repeats": (str,),
        "seed": (int,),
    }
    return (
        isinstance(value, dict)
        and value.keys() == kinds.keys()
        and all(type(value[key]) in kinds[key] for key in kinds)
    )


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


#: For each value of :obj:`run.json`, whether it is allowed.
CHECKS: dict[str, Check] = {
    "dataset": is_text,
    "seed": is_count,
    "config": is_mapping,
    "graph": _is_graph,
    "time_cut": _or_none(_is_time_cut),
    "device": _or_none(is_text),
    "versions": _or_none(lambda value: is_mapping(value, is_text)),
    "validation": _or_none(lambda value: is_mapping(value, is_number)),
    "epochs": _or_none(is_count),
    "best_epoch": _or_none(is_count),
    "prior_variance": _or_none(is_number),
    "seconds": _or_none(
        lambda value: is_mapping(value, is_number) and "training" in value
    ),
    "progress": _or_none(is_mapping),
}


@dataclass
class Run:
    r"""A finished training run.

    Args:
        model (GaussianKGEModel): The model, with its posterior.
        config (Config): The config it was trained by.
        record (dict): The values of :obj:`run.json`: dataset, seed, versions,
            measurements.
    """

    model: GaussianKGEModel
    config: Config
    record: dict[str, Any]


def load_run(folder: str | Path, device: torch.device | str = "cpu") -> Run:
    r"""Loads a finished run. The folder may come from a stranger: every value
    is checked, and nothing is unpickled.

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
            remedy = "it was interrupted; go on with --resume"
        raise CheckpointError(f"'{folder}' holds no finished run; {remedy}")
    record = read_document(folder / RECORD, SCHEMA, CHECKS, REMEDY)
    model, meta = load_model(folder / MODEL, device)
    for key in ("config", "graph"):
        if record[key] != meta[key]:
            raise CheckpointError(
                f"'{folder / MODEL}' belongs to another run: its '{key}' "
                f"differs from that of '{RECORD}'; {REMEDY}"
            )
    return Run(model, Config.from_dict(meta["config"], str(folder)), record)


def load_model(
    path: Path, device: torch.device | str = "cpu"
) -> tuple[GaussianKGEModel, dict[str, Any]]:
    r"""Loads the model of a run, or of an update of a run, and the values that
    are stored with it.

    Args:
        path (pathlib.Path): The file.
        device (torch.device or str, optional): The device of the model.
            (default: :obj:`"cpu"`)
    """
    tensors, meta = load_checkpoint(path, device)
    try:
        if not _is_graph(meta["graph"]) or not is_count(meta["seed"]):
            raise ValueError("it holds no sizes of a graph or no seed")
        config = Config.from_dict(meta["config"], f"'{path}'").model
        sizes = meta["graph"]["num_nodes"], meta["graph"]["num_relations"]
        # A model must not take more memory than the tensors of the file.
        num_nodes, width = tensors["node_emb.weight"].shape
        num_relations, _ = tensors["rel_emb.weight"].shape
        wanted = *sizes, config.get("hidden_channels", 0)
        if any(map(gt, wanted, (num_nodes, num_relations, width))):
            raise ValueError("its tensors are too small for its sizes")
        model = build_model(config, *sizes)
        model.load_state_dict(tensors)
    except (
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
        RuntimeError,
    ) as error:
        reason = str(error).splitlines()[0] if str(error) else repr(error)
        raise CheckpointError(
            f"'{path}' cannot be read as the model of a run ({reason})"
        ) from None
    model.variational = True
    return model.to(device).eval(), meta
