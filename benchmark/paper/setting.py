r"""The setting of an experiment: a graph, a model, and a seed."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from torch_geometric.data import Data

from benchmark.paper.artifacts import Artifacts, paper_config
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.train import Run


@dataclass(frozen=True)
class Setting:
    r"""A graph with its coverage, and the model that is evaluated on it.

    Args:
        artifacts (Artifacts): Where graphs and models come from.
        dataset (str): The graph.
        name (str, optional): The name of the model. (default: :obj:`""`)
        seed (int, optional): The seed. (default: :obj:`0`)
        changes (dict, optional): Options that differ from the config.
        recipe (str, optional): :obj:`"paper"` for the recipe of the paper.
            (default: :obj:`None`)
    """

    artifacts: Artifacts
    dataset: str
    name: str = ""
    seed: int = 0
    changes: dict[str, Any] = field(default_factory=dict)
    recipe: str | None = None

    @property
    def kg(self) -> Data:
        r"""The graph."""
        return self.artifacts.kg(self.dataset)

    @property
    def sizes(self) -> tuple[int, int]:
        r"""The numbers of entities and relations."""
        return int(self.kg.num_nodes), int(self.kg.num_relations)

    @cached_property
    def coverage(self) -> Coverage:
        r"""The coverage of the training triples."""
        return Coverage.from_data(self.kg)

    @cached_property
    def run(self) -> Run:
        r"""The training run of the model."""
        config = paper_config(
            self.dataset, self.name, self.changes, self.recipe
        )
        return self.artifacts.model(self.kg, config, self.seed, self.dataset)

    @property
    def model(self) -> GaussianKGEModel:
        r"""The trained model."""
        return self.run.model

    def trained_on(self, kg: Data) -> GaussianKGEModel:
        r"""Returns the model, trained on another form of the graph."""
        config = paper_config(self.dataset, self.name, self.changes)
        return self.artifacts.model(kg, config, self.seed, self.dataset).model
