r"""Graphs, trained models and stored scores of the experiments."""

import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock
from torch import Tensor
from torch_geometric.data import Data

from benchmark.paper.stages import STAGES
from benchmark.paper.store import digest
from pyg_cagp._utils.files import atomic_path
from pyg_cagp.data import as_kg, kg_digest
from pyg_cagp.datasets import load
from pyg_cagp.datasets.cache import data_root
from pyg_cagp.exceptions import DownloadError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.train import Config, Run, load_checkpoint, load_run, train_run
from pyg_cagp.train.checkpoint import unnest
from pyg_cagp.train.run import RECORD, STATE

#: The configs of the paper.
CONFIGS = Path(__file__).with_name("configs")

#: Graphs whose config is that of another one.
CONFIG_OF = {
    "yago-sample": "yago3-10",
    "nl27k": "fb15k-237",
    "golden": "synthetic",
    "golden-confidences": "fb15k-237",
}

#: Graphs that lie in a folder and cannot be downloaded.
FOLDERS = {"yago-sample": "YAGO-sample"}

#: Small pinned graphs, in this repository.
PINNED = {"golden": "dated", "golden-confidences": "uncertain"}

#: The stages that trained models, and stored scores, depend on.
TRAINED = ("data", "model", "posterior")
SCORED = ("data", "labels", "model", "posterior", "scores")


class Artifacts:
    r"""Returns graphs, models and scores. Trained models and slow scores are
    stored, so each is computed once.

    Args:
        folder (str or pathlib.Path): Where models and scores are stored.
        root (str, optional): The folder that holds datasets.
            (default: :obj:`None`)
    """

    def __init__(self, folder: str | Path, root: str | None = None) -> None:
        self.folder = Path(folder)
        self.root = root

    def kg(self, dataset: str) -> Data:
        r"""Returns a graph: one that :func:`~pyg_cagp.datasets.load` knows,
        :obj:`"yago-sample"`, or one of the pinned graphs.
        """
        return _load(dataset, self.root)

    def digest(self, dataset: str) -> str:
        r"""Returns a short digest of a graph."""
        return _digest(dataset, self.root)

    def model(
        self, kg: Data, config: Config, seed: int, dataset: str = ""
    ) -> Run:
        r"""Returns a trained model. It is trained if it is not stored, and
        interrupted training is resumed.
        """
        folder = self.model_folder(kg, config, seed, dataset)
        # Two processes may want one model: the second waits for the first.
        with FileLock(f"{folder}.lock"):
            if not (folder / RECORD).exists():
                train_run(
                    kg,
                    config,
                    out=folder,
                    dataset=dataset,
                    seed=seed,
                    resume=folder.exists(),
                    progress=False,
                )
        return load_run(folder)

    def model_folder(
        self, kg: Data, config: Config, seed: int, dataset: str
    ) -> Path:
        r"""Returns the folder of a model, named by a digest of its inputs."""
        code = digest([config.to_dict(), kg_digest(kg), _versions(TRAINED)])
        name = f"{config.model['name']}-{seed}-{code}"
        return self._path("models", dataset, name)

    def before_posterior(
        self, kg: Data, config: Config, seed: int, dataset: str
    ) -> GaussianKGEModel | None:
        r"""Returns a trained model with the variances of training in place of
        those of its posterior, or :obj:`None` if it has none.
        """
        if not config.model.get("variational", True):
            return None
        folder = self.model_folder(kg, config, seed, dataset)
        state, _ = load_checkpoint(folder / STATE)
        model = load_run(folder).model
        model.set_posterior(None)
        model.load_state_dict(unnest("best", state))
        return model

    def tensors(
        self,
        dataset: str,
        decided_by: Any,
        make: Callable[[], dict[str, Any]] | None = None,
    ) -> dict[str, Tensor]:
        r"""Returns stored tensors; they are made if there are none."""
        path = self.tensors_path(dataset, decided_by)
        if make is not None and not path.exists():
            arrays = {key: value.numpy() for key, value in make().items()}
            with atomic_path(path) as part, open(part, "wb") as file:
                np.savez(file, **arrays)
        with np.load(path) as stored:
            return {key: torch.from_numpy(stored[key]) for key in stored}

    def tensors_path(self, dataset: str, decided_by: Any) -> Path:
        r"""Returns where tensors are stored."""
        code = digest([decided_by, self.digest(dataset), _versions(SCORED)])
        return self._path("scores", dataset, f"{code}.npz")

    def samples(self, dataset: str, name: str) -> Path:
        r"""Returns where the scores of an evaluation are saved."""
        return self._path("samples", dataset, f"{name}.json")

    def _path(self, *parts: str) -> Path:
        path = self.folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def paper_config(
    dataset: str,
    model: str,
    changes: dict[str, Any] | None = None,
    recipe: str | None = None,
) -> Config:
    r"""Returns the config of a model on a graph, with some options changed.

    The configs of the paper lie beside this file, so that its records do not
    depend on the configs that ship with the package.
    """
    path = CONFIGS / f"{recipe or model}.toml"
    sections = tomllib.loads(path.read_text(encoding="utf-8"))
    if recipe is not None:
        sections["model"]["name"] = model
    else:
        graph = sections.pop("graphs")[CONFIG_OF.get(dataset, dataset)]
        for name, options in graph.items():
            sections[name] = sections.get(name, {}) | options
    return Config.from_dict(sections, path.name).override(changes or {})


def _versions(stages: tuple[str, ...]) -> list[Any]:
    # Bits differ between sets of processor instructions as well.
    versions = [STAGES[name].version for name in stages]
    return [*versions, torch.backends.cpu.get_cpu_capability()]


@cache
def _digest(dataset: str, root: str | None) -> str:
    return kg_digest(_load(dataset, root))[:16]


@cache
def _load(dataset: str, root: str | None) -> Data:
    if dataset in PINNED:
        return _pinned(PINNED[dataset])
    if dataset in FOLDERS:
        folder = data_root(root) / FOLDERS[dataset]
        if not folder.is_dir():
            raise DownloadError(
                f"'{dataset}' is not at '{folder}' and cannot be downloaded"
            )
        return as_kg(load(folder / "raw", root=root))
    return as_kg(load(dataset, root=root))


def _pinned(name: str) -> Data:
    r"""Reads a pinned graph, and draws false triples for it."""
    path = Path(__file__).with_name("golden") / name
    with tempfile.TemporaryDirectory() as folder:
        kg = as_kg(load(path, root=folder))
    generator = torch.Generator().manual_seed(0)
    for split in ("val", "test"):
        mask = kg[f"{split}_mask"]
        edges = kg.edge_index[:, mask].clone()
        edges[1] = torch.randint(
            kg.num_nodes, edges[1].shape, generator=generator
        )
        kg[f"{split}_neg_edge_index"] = edges
        kg[f"{split}_neg_edge_type"] = kg.edge_type[mask]
    return kg
