r"""A model trained as a paper trained it, in place of the one that ships."""

from typing import Any

from filelock import FileLock
from torch_geometric.data import Data

from benchmark.paper.cells import doubt, sweeps
from benchmark.paper.workshop import Workshop
from pyg_cagp.train import Config, Run, load_run
from pyg_cagp.train.run import RECORD


class PresetWorkshop(Workshop):
    r"""A workshop whose models are trained by the recipe of a preset.

    Args:
        workshop (Workshop): Where graphs come from, and models are kept.
        preset (str): The preset.
    """

    def __init__(self, workshop: Workshop, preset: str) -> None:
        super().__init__(workshop.folder, workshop.root)
        self.preset = preset

    def model(
        self,
        dataset: str,
        model: str,
        seed: int,
        changes: dict[str, Any] | None = None,
        kg: Data | None = None,
    ) -> Run:
        r"""Returns a model that is trained if it is not there yet."""
        config = preset_config(model, self.preset, changes)
        kg = self.kg(dataset) if kg is None else kg
        folder = self.model_folder(dataset, config, seed, kg)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not (folder / RECORD).exists():
                self._train(kg, config, folder, dataset, seed)
        return load_run(folder)


def preset_config(
    model: str, preset: str, changes: dict[str, Any] | None = None
) -> Config:
    r"""Returns the config of a model by a preset, which is the same for every
    graph.

    Args:
        model (str): The name of the model.
        preset (str): The preset.
        changes (dict, optional): What is changed. (default: :obj:`None`)
    """
    return Config.find("", model, preset).override(changes or {})


def recipe(
    workshop: Workshop,
    dataset: str,
    model: str,
    seed: int,
    changes: dict[str, Any],
    trained_as: str,
) -> dict[str, Any]:
    r"""How well such a model ranks, what its variances know, and what single
    signals and their mix find with it.
    """
    of = PresetWorkshop(workshop, trained_as), dataset, model, seed, changes
    return {
        "model": doubt.model(*of),
        "detection": sweeps.architecture(*of),
    }
