r"""Where cells get graphs, trained models and scores from."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock
from torch import Tensor
from torch_geometric.data import Data

from benchmark.paper.code_version import code_version
from pyg_cagp._utils.files import atomic_path
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg, kg_digest, split_edges
from pyg_cagp.datasets import load
from pyg_cagp.datasets.cache import data_root
from pyg_cagp.datasets.registry import REGISTRY
from pyg_cagp.exceptions import DownloadError
from pyg_cagp.train import (
    Config,
    Run,
    load_checkpoint,
    load_run,
    train_run,
)
from pyg_cagp.train.run import RECORD, STATE

#: Graphs that have no config of their own.
CONFIG_OF = {"yago-sample": "yago3-10", "nl27k": "fb15k-237"}

#: Graphs that lie in a folder and cannot be downloaded.
FOLDERS = {"yago-sample": "YAGO-sample"}


class Workshop:
    r"""Gives out graphs and models; whatever took long to make is kept in a
    folder and made once.

    Args:
        folder (str or pathlib.Path): Where models and scores are kept.
        root (str, optional): The folder that holds datasets.
            (default: :obj:`None`)
        progress (bool, optional): If set to :obj:`True`, shows progress bars of
            training. (default: :obj:`False`)
    """

    def __init__(
        self,
        folder: str | Path,
        root: str | None = None,
        progress: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self.root = root
        self.progress = progress

    # Graphs ##################################################################

    def kg(self, dataset: str) -> Data:
        r"""Returns a graph by its name.

        Args:
            dataset (str): A name that :func:`~pyg_cagp.datasets.load` knows,
                :obj:`"yago-sample"`, or :obj:`"subsample"` for a part of
                CoDEx-S (of the generated graph where that is missing).
        """
        return _load(dataset, self.root)

    def coverage(self, dataset: str) -> Coverage:
        r"""Returns the coverage of a graph's training triples."""
        return Coverage.from_data(self.kg(dataset))

    def digest(self, dataset: str) -> str:
        r"""Returns the digest of a graph."""
        return kg_digest(self.kg(dataset))

    # Models ##################################################################

    def model(
        self,
        dataset: str,
        model: str,
        seed: int,
        changes: dict[str, Any] | None = None,
        kg: Data | None = None,
    ) -> Run:
        r"""Returns a trained model; it is trained if it is not there yet, and
        goes on if training was interrupted.

        Args:
            dataset (str): The graph.
            model (str): The name of the model.
            seed (int): The seed.
            changes (dict, optional): What is changed in the shipped config.
                (default: :obj:`None`)
            kg (Data, optional): If given, a form of the graph to train on in
                its place. (default: :obj:`None`)
        """
        config = shipped_config(dataset, model, changes)
        kg = self.kg(dataset) if kg is None else kg
        folder = self.model_folder(dataset, config, seed, kg)
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may want one model: the second waits for the first.
        with FileLock(f"{folder}.lock"):
            if not (folder / RECORD).exists():
                self._train(kg, config, folder, dataset, seed)
        return load_run(folder)

    def _train(
        self, kg: Data, config: Config, folder: Path, dataset: str, seed: int
    ) -> None:
        train_run(
            kg,
            config,
            folder,
            dataset,
            seed,
            resume=folder.exists(),
            progress=self.progress,
        )

    def model_folder(
        self, dataset: str, config: Config, seed: int, kg: Data
    ) -> Path:
        r"""Returns the folder of a model, named by all that decides it."""
        code = code_version(train_run.__module__)
        content = [config.to_dict(), kg_digest(kg), seed, code]
        text = json.dumps(content, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        name = f"{config.model['name']}-{seed}-{digest}"
        return self.folder / "models" / dataset / name

    def before_posterior(self, dataset: str, run: Run, seed: int) -> Any:
        r"""Returns a trained model with the variances of training, in place of
        those of its posterior; :obj:`None` if it was trained without.
        """
        if not run.config.model.get("variational", True):
            return None
        kg = self.kg(dataset)
        folder = self.model_folder(dataset, run.config, seed, kg)
        state, _ = load_checkpoint(folder / STATE)
        model = load_run(folder).model
        model.load_state_dict(
            {
                name.removeprefix("best."): tensor
                for name, tensor in state.items()
                if name.startswith("best.")
            }
        )
        return model

    # Scores ##################################################################

    def path(self, *parts: str) -> Path:
        r"""Returns a path in the folder, whose parents exist."""
        path = self.folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def keep(self, name: str, **tensors: Tensor) -> None:
        r"""Keeps tensors under a name, whole or not at all."""
        arrays: dict[str, Any] = {k: v.numpy() for k, v in tensors.items()}
        with (
            atomic_path(self.path(f"{name}.npz")) as temporary,
            open(temporary, "wb") as file,
        ):
            np.savez(file, **arrays)

    def kept(self, name: str) -> dict[str, Tensor]:
        r"""Returns the tensors that were kept under a name."""
        with np.load(self.path(f"{name}.npz")) as found:
            return {key: torch.from_numpy(found[key]) for key in found}

    def has(self, name: str) -> bool:
        r"""Tells whether tensors are kept under a name."""
        return self.path(f"{name}.npz").exists()


def shipped_config(
    dataset: str, model: str, changes: dict[str, Any] | None = None
) -> Config:
    r"""Returns the config of a model on a graph, with some changes.

    Args:
        dataset (str): The graph.
        model (str): The name of the model.
        changes (dict, optional): The changes. (default: :obj:`None`)
    """
    name = CONFIG_OF.get(dataset, dataset)
    return Config.find(name, model).override(changes or {})


@cache
def _load(dataset: str, root: str | None) -> Data:
    if dataset == "subsample":
        if REGISTRY["codex-s"].missing(root):
            return subsample(as_kg(load("synthetic", seed=1)))
        return subsample(as_kg(load("codex-s", root)))
    if dataset in FOLDERS:
        folder = data_root(root) / FOLDERS[dataset]
        if not folder.is_dir():
            raise DownloadError(
                f"'{dataset}' is not at '{folder}' and cannot be downloaded"
            )
        return as_kg(load(folder / "raw", root))
    return as_kg(load(dataset, root))


def subsample(kg: Data, num_nodes: int = 600) -> Data:
    r"""Returns the part of a graph among its most frequent entities.

    Args:
        kg (Data): The graph.
        num_nodes (int, optional): How many entities are left.
            (default: :obj:`600`)
    """
    edge_index, _ = split_edges(kg, "train")
    frequency = torch.bincount(edge_index.flatten(), minlength=kg.num_nodes)
    order = torch.argsort(frequency, descending=True, stable=True)[:num_nodes]
    place = torch.full((kg.num_nodes,), -1).scatter(
        0, order, torch.arange(order.numel())
    )
    found = {}
    for prefix in ("", "val_neg_", "test_neg_"):
        if f"{prefix}edge_index" not in kg:
            continue
        moved = place[kg[f"{prefix}edge_index"]]
        inside = (moved >= 0).all(dim=0)
        found[f"{prefix}edge_index"] = moved[:, inside]
        found[f"{prefix}edge_type"] = kg[f"{prefix}edge_type"][inside]
        if not prefix:
            for name in ("train_mask", "val_mask", "test_mask", "edge_time"):
                if name in kg:
                    found[name] = kg[name][inside]
    return Data(
        num_nodes=order.numel(), num_relations=kg.num_relations, **found
    )
