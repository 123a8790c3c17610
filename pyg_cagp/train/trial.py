r"""One trial of a search: its config, and its training in limited time."""

import math
import random
import time
from pathlib import Path
from types import NoneType
from typing import Any

import torch
from torch_geometric.data import Data

from pyg_cagp._utils.documents import is_count
from pyg_cagp.exceptions import DivergenceError
from pyg_cagp.train.build import build_model, build_objective
from pyg_cagp.train.config import Config
from pyg_cagp.train.for_graph import SAMPLED
from pyg_cagp.train.trainer import Trainer

#: The search space: factors of values of the first trial, if it has them.
FACTORS: dict[str, tuple[float, ...]] = {
    "train.lr": (0.3, 0.5, 1, 2, 3),
    "model.kl_weight": (0.1, 0.3, 1, 3, 10),
    "model.n3": (0, 0.3, 1, 3),
    "model.hidden_channels": (0.5, 0.75, 1),
    "objective.num_negatives": (1, 2, 4),
}

#: The values of dropout, for models that have an N3 penalty.
DROPOUT = (0.0, 0.1, 0.2, 0.3)

#: The share of the trials that replace a full softmax by a sampled one, and the
#: least number of entities for it: four times that of the negatives.
SAMPLED_SHARE, SAMPLED_NODES = 0.25, 8192

#: The form of each trial in the state.
TRIAL = {
    **dict.fromkeys(("trial", "rung", "k", "triples", "epochs"), is_count),
    "val/mrr": (int, float),
    "val/log_loss": (int, float, NoneType),
    "seconds": (int, float),
    "note": str,
    "changes": dict,
}

#: The notes of a training that the clock ended, and of one that diverged.
CUT, DIVERGED = "cut short", "diverged"


def draw_changes(
    base: Config, num_nodes: int, seed: int, trial: int
) -> dict[str, Any]:
    r"""Returns how the config of a trial differs from that of trial 0. Trials
    do not depend on each other.
    """
    if trial == 0:
        return {}
    draw = random.Random(f"{seed} {trial}")  # noqa: S311
    sections = base.to_dict()
    changes: dict[str, Any] = {}
    for key, factors in FACTORS.items():
        section, name = key.split(".")
        value, factor = sections[section].get(name), draw.choice(factors)
        if isinstance(value, int):
            changes[key] = max(1, round(value * factor))
        elif value is not None:
            changes[key] = float(f"{value * factor:.2g}")
    if "n3" in sections["model"]:
        changes["model.dropout"] = draw.choice(DROPOUT)
    sampled = draw.random() < SAMPLED_SHARE and num_nodes >= SAMPLED_NODES
    if sampled and sections["objective"].get("name") == "kvsall":
        changes |= {f"objective.{k}": v for k, v in SAMPLED.items()}
    return changes


class _OutOfTime(Exception):
    r"""The time of a training is over."""


class _TimedTrainer(Trainer):
    r"""A trainer that stops at a time."""

    end = math.inf

    def _train_on(self, batch: Any, full_weight: float) -> None:
        if time.monotonic() >= self.end:
            raise _OutOfTime
        super()._train_on(batch, full_weight)


def measure(
    kg: Data,
    config: Config,
    seed: int,
    device: torch.device | str,
    end: float,
) -> dict[str, Any]:
    r"""Trains a config until a time, and returns its best validation."""
    objective = build_objective(config.objective, kg)
    sizes = kg.num_nodes, kg.num_relations
    model = build_model(config.model, *sizes, objective=objective, seed=seed)
    model = model.to(device)
    trainer = _TimedTrainer(
        model, kg, options=config.train, seed=seed, progress=False
    )
    trainer.end, note = end, ""
    try:
        try:
            trainer.fit()
        except _OutOfTime:
            note = CUT
        history = [row for row in trainer.state.history if "val/mrr" in row]
        if note == CUT:
            epoch = {"epoch": trainer.state.epoch}
            history.append(epoch | trainer.validation(model.eval()))
    except DivergenceError:
        history = [{"epoch": trainer.state.epoch, "val/mrr": 0.0}]
        note = DIVERGED
    best = max(history, key=lambda row: row["val/mrr"])
    return {
        "epochs": int(best["epoch"]),
        "val/mrr": best["val/mrr"],
        "val/log_loss": best.get("val/log_loss"),
        "note": note,
    }


def write_events(folder: Path, config: Config, trial: dict[str, Any]) -> None:
    r"""Writes the options and the results of a trial for TensorBoard."""
    from torch.utils.tensorboard import SummaryWriter

    options = {
        f"{section}.{key}": value
        for section, values in config.to_dict().items()
        for key, value in values.items()
        if isinstance(value, (bool, int, float, str))
    }
    results = {
        f"hparam/{key}": trial[key]
        for key in ("val/mrr", "val/log_loss")
        if trial[key] is not None
    }
    name = f"rung{trial['rung']}-trial{trial['trial']}"
    with SummaryWriter(str(folder / name)) as writer:
        writer.add_hparams(options, results, run_name=".")
