r"""The partition of the paper into ID, emerging and novel triples."""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import scatter

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage, kind_of
from pyg_cagp.data import as_kg, triples
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms.reference import (
    as_split,
    describe_options,
    extend_coverage,
    has_splits,
    needs_reference,
    training_edges,
)
from pyg_cagp.typing import PartitionName, Population, SelfLoops


@functional_transform("kg_temporal_like_ood")
class TemporalLikeOOD(BaseTransform):
    r"""Separates ID triples from those with emerging entities and those in
    novel contexts, as in the `"Decomposing Uncertainty in Probabilistic
    Knowledge Graph Embeddings: Why Entity Variance Is Not Enough"
    <https://arxiv.org/abs/2512.22318>`_ paper
    (functional name: :obj:`kg_temporal_like_ood`).

    With :math:`\text{freq}(e)` the number of training slots that an entity
    fills, :math:`c(e, r)` its coverage and :math:`\tau` a quantile of the
    frequencies, a triple :math:`(h, r, t)` is

    .. math::
        \begin{cases}
            \text{emerging} & \text{if }
                \min(\text{freq}(h), \text{freq}(t)) < \tau \\
            \text{novel} & \text{else if }
                c(h, r) = 0 \text{ or } c(t, r) = 0 \\
            \text{ID} & \text{otherwise.}
        \end{cases}

    Adds :obj:`ood_type`: -1 for training edges and edges of no split, 0 for
    ID, 1 for emerging, 2 for novel; and :obj:`ood_tau`, the threshold.

    .. note::

        The labels are a function of frequency and coverage. A method given
        the exact frequency and coverage can be perfect.

    Args:
        quantile (float, optional): The quantile of the entity frequencies that
            is :math:`\tau`, in :math:`(0, 1)`. (default: :obj:`0.10`)
        inclusive (bool, optional): A frequency of exactly :math:`\tau` is
            also emerging. (default: :obj:`False`)
        population (str, optional): The entities of the quantile: those
            :obj:`"seen"` in train, or :obj:`"all"`. (default: :obj:`"seen"`)
        self_loops (str, optional): A triple with one entity as head and tail
            counts :obj:`"twice"` or :obj:`"once"`. (default: :obj:`"twice"`)
        reference (optional): The training triples of a single split, in any
            form that :func:`~pyg_cagp.data.as_kg` takes, or their
            :class:`~pyg_cagp.coverage.Coverage`. The training split itself is
            labelled -1, unless a coverage is given. (default: :obj:`None`)

    Example:
        >>> from pyg_cagp.datasets import SyntheticKG
        >>> data = SyntheticKG(transform=TemporalLikeOOD.preset("stated"))[0]
        >>> data.ood_type.unique().tolist()
        [-1, 0, 1, 2]
    """

    #: The partitions of the paper: that of its text (and with an inclusive
    #: threshold), of its tables 1 and 2, and of its appendix on assumption A3.
    presets = {  # noqa: RUF012
        "stated": {"quantile": 0.10, "inclusive": False},
        "inclusive": {"quantile": 0.10, "inclusive": True},
        "table2": {"quantile": 0.25, "inclusive": True},
        "appendix": {"quantile": 0.20, "inclusive": False},
    }

    def __init__(
        self,
        *,
        quantile: float = 0.10,
        inclusive: bool = False,
        population: Population = "seen",
        self_loops: SelfLoops = "twice",
        reference: Any = None,
    ) -> None:
        if not 0 < quantile < 1:
            raise InvalidInputError(
                f"'quantile' must lie in (0, 1) (got {quantile})"
            )
        check_choice("population", population, Population)
        check_choice("self_loops", self_loops, SelfLoops)
        if isinstance(reference, Coverage) and self_loops == "once":
            raise InvalidInputError(
                "self_loops='once' needs the training edges as 'reference' "
                "(got a Coverage, which holds slots and not triples)"
            )
        self.quantile, self.inclusive = quantile, inclusive
        self.population, self.self_loops = population, self_loops
        self.reference = reference
        self._edges: tuple[Tensor, Tensor, int, int] | None = None

    @classmethod
    def preset(
        cls, name: PartitionName, *, reference: Any = None
    ) -> "TemporalLikeOOD":
        r"""Returns the transform that gives a partition of the paper.

        Args:
            name (str): :obj:`"stated"`, the same but :obj:`"inclusive"`,
                :obj:`"table2"` or :obj:`"appendix"`.
            reference (optional): See the class. (default: :obj:`None`)
        """
        check_choice("name", name, PartitionName)
        return cls(**cls.presets[name], reference=reference)  # type: ignore[arg-type]

    def forward(self, data: Data) -> Data:
        r"""Labels the edges of a graph, or of one split of it."""
        if self.reference is None and not has_splits(data):
            needed = "the training split or its Coverage"
            raise needs_reference("TemporalLikeOOD", needed)
        data = as_kg(data) if has_splits(data) else as_split(data)
        coverage, train, is_train = self._evidence(data)
        kinds = self._kinds(coverage, train, *triples(data))
        data.ood_type, data.ood_tau = kinds
        if has_splits(data):
            data.ood_type[~(data.val_mask | data.test_mask)] = -1
        elif is_train:
            data.ood_type.fill_(-1)
        return data

    def _kinds(
        self,
        coverage: Coverage,
        train: Tensor,
        head: Tensor,
        rel: Tensor,
        tail: Tensor,
    ) -> tuple[Tensor, float]:
        r"""Returns the kinds of triples and the threshold, given the coverage
        and the :obj:`edge_index` of train.
        """
        frequency = coverage.frequency()
        if self.self_loops == "once":
            source, target = train
            loops = (source == target).long()
            frequency -= scatter(loops, source, dim_size=coverage.num_nodes)
        tau = self.threshold(frequency)
        kind = kind_of(
            coverage,
            tau,
            head,
            rel,
            tail,
            inclusive=self.inclusive,
            frequency=frequency,
        )
        return kind, tau

    def threshold(self, frequency: Tensor) -> float:
        r"""Returns :math:`\tau` for the given entity frequencies.

        Args:
            frequency (torch.Tensor): One for each entity.
        """
        if self.population == "seen":
            frequency = frequency[frequency > 0]
        if frequency.numel() == 0:
            raise InvalidInputError("'data' has no training edges")
        # torch.quantile is limited to 16 million entries.
        return float(np.quantile(frequency.cpu().numpy(), self.quantile))

    def _evidence(self, data: Data) -> tuple[Coverage, Tensor, bool]:
        device = data.edge_index.device
        if isinstance(self.reference, Coverage):
            coverage = self.reference
            if coverage.device != device:
                coverage = coverage.clone().to(device)
            # Slots are counted twice, so the edges are not read.
            return (
                extend_coverage(coverage, data),
                data.edge_index[:, :0],
                False,
            )
        if self.reference is None:
            edges = training_edges(data)
        else:
            # A transform may run at every access; its reference is read once.
            self._edges = self._edges or training_edges(self.reference)
            edges = self._edges
        edge_index, edge_type = edges[0].to(device), edges[1].to(device)
        coverage = Coverage.from_edges(edge_index, edge_type, *edges[2:])
        same_ends = torch.equal(data.edge_index, edge_index)
        is_train = same_ends and torch.equal(data.edge_type, edge_type)
        return extend_coverage(coverage, data), edge_index, is_train

    def __repr__(self) -> str:
        names = "quantile", "inclusive", "population", "self_loops"
        return describe_options(self, names)
