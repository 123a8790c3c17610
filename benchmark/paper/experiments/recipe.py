r"""A model trained by the recipe of the paper, in place of the shipped one."""

from typing import Any

from benchmark.paper.experiments.models import model
from benchmark.paper.experiments.sweeps import architecture
from benchmark.paper.setting import Setting


def recipe(setting: Setting) -> dict[str, Any]:
    r"""The ranking of the model, measures of its variances, and detection by
    both signals and their weighted sum.
    """
    return {"model": model(setting), "detection": architecture(setting)}
