r"""Training runs: a model, its posterior and a record in a folder."""

import hashlib
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_least
from pyg_cagp._utils.files import make_folder, write_atomically
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.data import as_kg, describe_graph
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train.build import (
    build_model,
    build_objective,
    build_posterior,
    fit_posterior,
)
from pyg_cagp.train.checkpoint import SCHEMA, model_tensors, save_checkpoint
from pyg_cagp.train.config import Config
from pyg_cagp.train.load import MODEL, RECORD, STATE, STORED, Run
from pyg_cagp.train.tracker import Tracker
from pyg_cagp.train.trainer import Trainer
from pyg_cagp.train.validation import Validation
from pyg_cagp.typing import ModelName, Recipe


def train_run(
    kg: Any,
    config: Config | ModelName,
    *,
    out: str | Path | None = None,
    recipe: Recipe | None = None,
    dataset: str | None = None,
    seed: int = 0,
    resume: bool = False,
    device: torch.device | str = "cpu",
    progress: bool = True,
) -> Run:
    r"""Trains a model on a graph and fits its posterior.

    With :obj:`out`, the run is written to a folder: :obj:`run.json` (options
    and measurements), :obj:`model.safetensors` (the model with its posterior),
    :obj:`last.safetensors` (the state to resume from) and event files for
    TensorBoard. Without, nothing is written.

    Args:
        kg (Data or Any): The graph; see :func:`~pyg_cagp.data.as_kg`.
        config (Config or str): The config, or the name of a model for
            :meth:`Config.resolve`. The record states its origin as
            :obj:`"config_source"`.
        out (str or pathlib.Path, optional): The folder of the run.
            (default: :obj:`None`)
        recipe (str, optional): See :meth:`Config.find`. (default: :obj:`None`)
        dataset (str, optional): The name of the graph, for the config and the
            record; by default the one that :func:`~pyg_cagp.datasets.load` gave
            to it. (default: :obj:`None`)
        seed (int, optional): The seed. (default: :obj:`0`)
        resume (bool, optional): If set to :obj:`True`, continues an
            interrupted run in the folder. (default: :obj:`False`)
        device (torch.device or str, optional): The device to train on.
            (default: :obj:`"cpu"`)
        progress (bool, optional): If set to :obj:`True`, shows progress bars
            where there is a terminal. (default: :obj:`True`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.train import TrainOptions
        >>> model = {"name": "gaussian-distmult", "hidden_channels": 8}
        >>> config = Config(model, train=TrainOptions(epochs=1))
        >>> run = train_run(load("synthetic"), config, progress=False)
        >>> run.model.num_nodes
        2000
    """
    kg, folder = as_kg(kg), None if out is None else Path(out)
    dataset = kg.get("name") if dataset is None else dataset
    config = _config_of(kg, config, dataset, recipe)
    if resume and folder is None:
        raise InvalidInputError(
            "'resume' needs the folder of the interrupted run; pass 'out'"
        )
    record = {
        "schema": SCHEMA,
        "dataset": dataset or "",
        "seed": seed,
        "config": config.to_dict(),
        "config_source": config.source,
        "graph": describe_graph(kg),
        "time_cut": kg.get("time_cut"),
        "device": str(device),
        "versions": package_versions(),
    }
    objective = build_objective(config.objective, kg)
    sizes = kg.num_nodes, kg.num_relations
    model = build_model(config.model, *sizes, objective=objective, seed=seed)
    model = model.to(device)
    fitter = build_posterior(config.posterior, seed=seed, progress=progress)
    fitter.check(model)
    trainer = Trainer(
        model,
        kg,
        options=config.train,
        seed=seed,
        checkpoint=None if folder is None else folder / STATE,
        fingerprint=_fingerprint(record),
        progress=progress,
    )
    trainer.tracker = None if folder is None else _open(folder, trainer, resume)
    if progress:  # After all checks, since an error is printed alone.
        _print_source(config)
    try:
        record |= _fit(trainer, kg, fitter)
        if trainer.tracker is not None:
            trainer.tracker.result(model, kg, record)
    finally:
        if trainer.tracker is not None:
            trainer.tracker.close()
    if folder is not None:
        stored = {key: record[key] for key in STORED}
        save_checkpoint(folder / MODEL, model_tensors(model), stored)
        # Written last: a folder with a record is a finished run.
        text = json.dumps(record, indent=2, allow_nan=False)
        write_atomically(folder / RECORD, text.encode())
    return Run(model, config, record)


def train_ensemble(
    kg: Any,
    config: Config | ModelName,
    *,
    num_members: int = 5,
    out: str | Path | None = None,
    dataset: str | None = None,
    seed: int = 0,
    progress: bool = True,
) -> list[Run]:
    r"""Trains the same model from several seeds.

    Args:
        kg (Data or Any): The graph.
        config (Config or str): The config, or the name of a model; see
            :func:`train_run`.
        num_members (int, optional): The number of members.
            (default: :obj:`5`)
        out (str or pathlib.Path, optional): A folder, in which each member has
            a folder, numbered from 0. (default: :obj:`None`)
        dataset (str, optional): See :func:`train_run`. (default: :obj:`None`)
        seed (int, optional): The seed of the first member. Each next member
            has the next seed. (default: :obj:`0`)
        progress (bool, optional): See :func:`train_run`.
            (default: :obj:`True`)
    """
    check_least("num_members", num_members, 1)
    return [
        train_run(
            kg,
            config,
            out=None if out is None else Path(out) / str(member),
            dataset=dataset,
            seed=seed + member,
            progress=progress,
        )
        for member in range(num_members)
    ]


def _config_of(
    kg: Data,
    config: Config | ModelName,
    dataset: str | None,
    recipe: Recipe | None,
) -> Config:
    if not isinstance(config, Config):
        config = Config.resolve(kg, config, dataset=dataset, recipe=recipe)
    elif recipe is not None:
        raise InvalidInputError(
            "'recipe' needs the name of a model (got a Config); pass "
            "Config.find(dataset, model, recipe=...)"
        )
    return config


def _print_source(config: Config) -> None:
    if config.source != Config.source:
        print(f"pyg-cagp: {config.source}", file=sys.stderr, flush=True)


def _fingerprint(record: dict[str, Any]) -> str:
    # Without the posterior, which can be fitted again after training.
    options = {**record["config"], "posterior": None}
    text = json.dumps(
        [options, record["graph"]["sha256"], record["seed"]], sort_keys=True
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _open(folder: Path, trainer: Trainer, resume: bool) -> Tracker:
    r"""Prepares the folder of a run and loads the state to resume from."""
    _prepare(folder, resume)
    if (folder / STATE).exists():
        trainer.load()
    # Old events of epochs that are trained again are hidden.
    has_events = any(folder.glob("events.out.tfevents.*"))
    step = trainer.state.epoch + 1 if has_events else None
    return Tracker(folder, purge_step=step)


def _fit(trainer: Trainer, kg: Data, fitter: Any) -> dict[str, Any]:
    r"""Trains the model, fits its posterior, and returns measurements."""
    model, state = trainer.model, trainer.fit()
    start = time.perf_counter()
    posterior = fit_posterior(fitter, model, kg)
    model.set_posterior(posterior)
    model.eval()
    return {
        "validation": Validation(kg)(model),
        "epochs": state.epoch,
        "best_epoch": state.best_epoch or state.epoch,
        "prior_variance": posterior.prior_variance,
        "seconds": {
            "training": trainer.seconds,
            "posterior": time.perf_counter() - start,
        },
        "progress": asdict(state),
    }


def _prepare(out: Path, resume: bool) -> None:
    files = STATE, MODEL, RECORD
    if not resume and any((out / name).exists() for name in files):
        raise InvalidInputError(
            f"'{out}' already holds a run; resume it (--resume) or choose "
            f"another folder"
        )
    make_folder(out)
    # Incomplete files of a killed process.
    for name in files:
        for part in out.glob(f".{name}.*.part"):
            part.unlink(missing_ok=True)
