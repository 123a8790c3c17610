r"""What embeddings are trained by: the likelihood of triples."""

from typing import TYPE_CHECKING, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from pyg_cagp.data.checks import check_choice

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.base import GaussianKGEModel


class Objective(Protocol):
    r"""Anything that gives the negative log-likelihood of a batch, per triple,
    at one draw from the posterior.
    """

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns the mean negative log-likelihood of a batch of triples."""


class OneNegative:
    r"""One false triple for each true one, as in PyG's models and in the
    paper: a random head or a random tail, told apart by cross-entropy or by a
    margin.

    Args:
        kind (str, optional): :obj:`"bce"` for binary cross-entropy or
            :obj:`"margin"` for a ranking loss. (default: :obj:`"bce"`)
        margin (float, optional): The margin of the ranking loss.
            (default: :obj:`1.0`)
        head_rate (torch.Tensor, optional): For each relation, the probability
            that it is the head that is replaced; see
            :func:`~pyg_cagp.nn.kge.bernoulli_rates`. If set to :obj:`None`,
            heads are replaced in one half of a batch and tails in the other.
            (default: :obj:`None`)
    """

    def __init__(
        self,
        kind: str = "bce",
        margin: float = 1.0,
        head_rate: Tensor | None = None,
    ) -> None:
        check_choice("kind", kind, ("bce", "margin"))
        self.kind = kind
        self.margin = margin
        self.head_rate = head_rate

    def corrupt(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> tuple[Tensor, Tensor]:
        r"""Returns heads and tails of one false triple for each true one."""
        if self.head_rate is None:
            head, _, tail = model.random_sample(
                head_index, rel_type, tail_index
            )
            return head, tail
        device, generator = head_index.device, model.generator
        rate = self.head_rate.to(device)[rel_type]
        chance = torch.rand(rate.shape, generator=generator, device=device)
        in_head = chance < rate
        drawn = torch.randint(
            model.num_nodes, rate.shape, generator=generator, device=device
        )
        return (
            torch.where(in_head, drawn, head_index),
            torch.where(in_head, tail_index, drawn),
        )

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns the mean loss of a batch of triples."""
        false_head, false_tail = self.corrupt(
            model, head_index, rel_type, tail_index
        )
        rel = model.embed_rel(rel_type)
        true = model.interaction(
            model.sample(head_index), rel, model.sample(tail_index)
        )
        false = model.interaction(
            model.sample(false_head), rel, model.sample(false_tail)
        )
        if self.kind == "margin":
            return F.relu(self.margin - true + false).mean()
        return (F.softplus(-true) + F.softplus(false)).mean()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.kind!r})"


def bernoulli_rates(
    head_index: Tensor, rel_type: Tensor, tail_index: Tensor, num_relations: int
) -> Tensor:
    r"""Returns for each relation how often to replace the head, from the
    `"Knowledge Graph Embedding by Translating on Hyperplanes"
    <https://ojs.aaai.org/index.php/AAAI/article/view/8870>`_ paper.

    .. math::
        \frac{\textrm{tph}}{\textrm{tph} + \textrm{hpt}}, \quad
        \textrm{tph} = \frac{\#(h, t)}{\# h}, \quad
        \textrm{hpt} = \frac{\#(h, t)}{\# t},

    so that the side with fewer right answers is replaced more often, and fewer
    negatives are true. Relations without a triple get one half.

    Args:
        head_index (torch.Tensor): The head indices of all training triples.
        rel_type (torch.Tensor): The relation type of each.
        tail_index (torch.Tensor): The tail indices of each.
        num_relations (int): The number of relations.

    Example:
        >>> head, tail = torch.tensor([0, 0, 0]), torch.tensor([1, 2, 3])
        >>> bernoulli_rates(head, torch.tensor([0, 0, 0]), tail, 2)
        tensor([0.7500, 0.5000])
    """
    num_heads, num_tails = (
        torch.stack([rel_type, entity]).unique(dim=1)[0]
        for entity in (head_index, tail_index)
    )
    heads = torch.bincount(num_heads, minlength=num_relations).float()
    tails = torch.bincount(num_tails, minlength=num_relations).float()
    # tph / (tph + hpt) = (1 / heads) / (1 / heads + 1 / tails).
    return torch.where(heads > 0, tails / (heads + tails), 0.5)
