r"""The paper's two signals of the test triples of a graph."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.coverage import Coverage
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.metrics import auroc


class Signals(NamedTuple):
    r"""Semantic and structural uncertainty, both on :math:`[0, 2]`, and the
    kind of each test triple.
    """

    semantic: Tensor
    structural: Tensor
    kind: Tensor

    def area(self, score: Tensor, *kinds: int) -> float | None:
        r"""Returns the AUROC of a score for some kinds of OOD against ID;
        :obj:`None` if there are none of the one or of the other.

        Args:
            score (torch.Tensor): One number a test triple.
            *kinds (int): 1 for emerging, 2 for novel.
        """
        return kind_auroc(score, self.kind, *kinds)


def kind_auroc(score: Tensor, kind: Tensor, *kinds: int) -> float | None:
    r"""Returns the AUROC of a score for some kinds of OOD against ID;
    :obj:`None` if there are none of the one or of the other.

    Args:
        score (torch.Tensor): One number a triple.
        kind (torch.Tensor): The kind of each triple, 0 for ID.
        *kinds (int): The kinds to be found.

    Example:
        >>> kind = torch.tensor([0, 0, 1, 2])
        >>> kind_auroc(torch.tensor([0.0, 1.0, 2.0, 0.5]), kind, 1)
        1.0
    """
    positive = torch.isin(kind, torch.tensor(kinds, device=kind.device))
    chosen = positive | (kind == 0)
    label = positive[chosen]
    if bool(label.all()) or not bool(label.any()):
        return None
    return auroc(score[chosen], label)


def check_labelled(data: Data) -> None:
    r"""Checks that a graph has been partitioned.

    Args:
        data (Data): The graph.
    """
    if "ood_type" not in data:
        raise InvalidInputError(
            "'data' has no 'ood_type'; apply TemporalLikeOOD to it first"
        )


def signals(data: Data, variance: Tensor) -> Signals:
    r"""Returns both signals of the test triples.

    Args:
        data (Data): A graph that
            :class:`~pyg_cagp.transforms.TemporalLikeOOD` has labelled.
        variance (torch.Tensor): The variance of each entity.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.transforms import TemporalLikeOOD
        >>> data = TemporalLikeOOD()(load("synthetic"))
        >>> found = signals(data, torch.rand(data.num_nodes))
        >>> found.area(found.structural, 2)
        1.0
    """
    check_labelled(data)
    mask = data.test_mask
    head, tail = data.edge_index[:, mask]
    missing = Coverage.from_data(data).missing(head, data.edge_type[mask], tail)
    return Signals(
        normalised_semantic(data, variance)[mask],
        missing.double(),
        data.ood_type[mask],
    )


def normalised_semantic(data: Data, variance: Tensor) -> Tensor:
    r"""Returns the semantic uncertainty of each edge on the scale of structural
    uncertainty, :math:`[0, 2]`.

    .. math::
        \tilde{U}_{\text{sem}}(h, r, t) =
        \frac{v_h + v_t - 2 \min_e v_e}{\max_e v_e - \min_e v_e}

    Both ends of the scale are those of all entities, so that no score depends
    on which triples are scored with it.

    Args:
        data (Data): The graph.
        variance (torch.Tensor): The variance of each entity.

    Example:
        >>> edges = torch.tensor([[0, 0], [1, 2]])
        >>> data = Data(edge_index=edges, num_nodes=3)
        >>> normalised_semantic(data, torch.tensor([0.0, 1.0, 4.0]))
        tensor([0.2500, 1.0000], dtype=torch.float64)
    """
    if variance.shape != (data.num_nodes,):
        raise InvalidInputError(
            f"'variance' must have one entry for each of {data.num_nodes} "
            f"entities (got shape {list(variance.shape)})"
        )
    values = variance.detach().double().to(data.edge_index.device)
    if not bool(values.isfinite().all()):
        raise InvalidInputError(
            f"'variance' must hold finite numbers (got "
            f"{float(values[~values.isfinite()][0])} for entity "
            f"{int((~values.isfinite()).nonzero()[0])})"
        )
    low, high = torch.aminmax(values)
    width = high - low if high > low else torch.ones_like(high)
    return ((values - low) / width)[data.edge_index].sum(dim=0)
