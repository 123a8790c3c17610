r"""Training from a config to a folder that holds everything of it."""

import hashlib
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data

from pyg_cagp._utils.files import write_atomically
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.data import check_kg, describe_graph
from pyg_cagp.exceptions import CacheError, InvalidInputError
from pyg_cagp.train.build import (
    build_model,
    build_objective,
    build_posterior,
    fit_posterior,
)
from pyg_cagp.train.checkpoint import SCHEMA, model_tensors, save_checkpoint
from pyg_cagp.train.load import MODEL, RECORD, STATE, STORED, Run
from pyg_cagp.train.options import Config
from pyg_cagp.train.tracker import Tracker
from pyg_cagp.train.trainer import Trainer
from pyg_cagp.train.validation import Validation


def train_run(
    kg: Data,
    config: Config,
    out: str | Path,
    dataset: str = "",
    seed: int = 0,
    resume: bool = False,
    device: torch.device | str = "cpu",
    progress: bool = True,
) -> Run:
    r"""Trains a model into a folder: :obj:`run.json` (options and
    measurements), :obj:`model.safetensors` (the model with its posterior),
    :obj:`last.safetensors` (the state to resume from) and event files for
    TensorBoard.

    Args:
        kg (Data): The graph.
        config (Config): The config.
        out (str or pathlib.Path): The folder.
        dataset (str, optional): The name of the graph, for the record.
            (default: :obj:`""`)
        seed (int, optional): The seed of everything. (default: :obj:`0`)
        resume (bool, optional): If set to :obj:`True`, goes on where an
            interrupted run in the folder stopped. (default: :obj:`False`)
        device (torch.device or str, optional): Where to train.
            (default: :obj:`"cpu"`)
        progress (bool, optional): If set to :obj:`True`, shows progress bars
            where there is a terminal. (default: :obj:`True`)
    """
    kg, out = check_kg(kg), Path(out)
    graph = describe_graph(kg)
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "dataset": dataset,
        "seed": seed,
        "config": config.to_dict(),
        "graph": graph,
        "time_cut": kg.get("time_cut"),
        "device": str(device),
        "versions": package_versions(),
    }
    # Not the posterior, which can be found in another way after training.
    decisive = {**record["config"], "posterior": None}
    fingerprint = _hash([decisive, graph["sha256"], seed])
    objective = build_objective(config.objective, kg)
    model = build_model(
        config.model, kg.num_nodes, kg.num_relations, objective, seed
    ).to(device)
    fitter = build_posterior(config.posterior, seed, progress)
    fitter.check(model)
    trainer = Trainer(
        model,
        kg,
        config.train,
        seed,
        out / STATE,
        fingerprint,
        progress=progress,
    )
    _prepare(out, resume)
    if (out / STATE).exists():
        trainer.load()
    # What an interrupted run had shown of epochs that come again is hidden.
    is_new = not any(out.glob("events.out.tfevents.*"))
    purge_step = None if is_new else trainer.state.epoch + 1
    tracker = trainer.tracker = Tracker(out, purge_step)
    try:
        state = trainer.fit()
        began = time.perf_counter()
        posterior = fit_posterior(fitter, model, kg)
        model.set_posterior(posterior)
        model.eval()
        record |= {
            "validation": Validation(kg)(model),
            "epochs": state.epoch,
            "best_epoch": state.best_epoch or state.epoch,
            "prior_variance": posterior.prior_variance,
            "seconds": {
                "training": trainer.seconds,
                "posterior": time.perf_counter() - began,
            },
            "progress": asdict(state),
        }
        tracker.variances(model, state.epoch + 1)
        tracker.embeddings(model, kg, state.epoch + 1)
        tracker.hparams(record["config"], record["validation"])
    finally:
        tracker.close()
    save_checkpoint(
        out / MODEL,
        model_tensors(model),
        {key: record[key] for key in STORED},
    )
    # Last, for a folder with a record is a finished run.
    write_atomically(
        out / RECORD, json.dumps(record, indent=2, allow_nan=False).encode()
    )
    return Run(model, config, record)


def _prepare(out: Path, resume: bool) -> None:
    if not resume and any(
        (out / name).exists() for name in (STATE, MODEL, RECORD)
    ):
        raise InvalidInputError(
            f"'{out}' already holds a run; resume it (--resume) or choose "
            f"another folder"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheError(
            f"cannot make the folder '{out}' ({error.strerror})"
        ) from error
    # What a killed process had half-written when it was killed.
    for name in (STATE, MODEL, RECORD):
        for part in out.glob(f".{name}.*.part"):
            part.unlink(missing_ok=True)


def _hash(content: Any) -> str:
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
