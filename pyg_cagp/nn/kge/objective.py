r"""The interface of training objectives, and losses with one negative."""

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.nn.kge.draw import Draws

#: The loss of a pair of a true and a false triple.
Loss: TypeAlias = Literal["bce", "margin"]

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.base import GaussianKGEModel


class Objective(Protocol):
    r"""The negative log-likelihood of a batch, per triple, at one draw from the
    posterior.
    """

    def negatives(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns the entities that are needed in addition to the batch."""

    def draw(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        other: Tensor,
    ) -> tuple[Draws, Tensor]:
        r"""Draws the entities of a batch, most often by ``model.draw``, and
        returns the draws and the prior term.
        """

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        other: Tensor,
        drawn: Draws,
    ) -> Tensor:
        r"""Returns the mean negative log-likelihood of a batch of triples."""


class OneNegative:
    r"""One false triple for each true one, as in PyG's models and in the
    paper. A random entity replaces the head or the tail.

    Args:
        kind (str, optional): :obj:`"bce"` for binary cross-entropy or
            :obj:`"margin"` for a ranking loss. (default: :obj:`"bce"`)
        margin (float, optional): The margin of the ranking loss.
            (default: :obj:`1.0`)
        head_rate (torch.Tensor, optional): The probability that the head is
            replaced, for each relation; see
            :func:`~pyg_cagp.nn.kge.bernoulli_rates`. By default, heads are
            replaced in one half of a batch. (default: :obj:`None`)
    """

    def __init__(
        self,
        *,
        kind: Loss = "bce",
        margin: float = 1.0,
        head_rate: Tensor | None = None,
    ) -> None:
        check_choice("kind", kind, Loss)
        self.kind = kind
        self.margin = margin
        self.head_rate = head_rate

    def negatives(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Draws an entity for each triple, to replace its head or tail."""
        return model.draw_nodes(head_index.shape, head_index.device)

    def draw(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        other: Tensor,
    ) -> tuple[Draws, Tensor]:
        r"""Draws the entities of a batch; if candidates are integrated, only
        those that are not replaced.
        """
        if not model.integrates:
            return model.draw(head_index, tail_index, other)
        in_head = self._in_head(model, rel_type)
        given = torch.where(in_head, tail_index, head_index)
        answer = torch.where(in_head, head_index, tail_index)
        return model.draw_turned(given, answer, other, in_head)

    def _in_head(self, model: "GaussianKGEModel", rel_type: Tensor) -> Tensor:
        r"""Marks the triples whose head is replaced."""
        shape, device = rel_type.shape, rel_type.device
        if self.head_rate is None:
            place = torch.arange(rel_type.numel(), device=device)
            return place < rel_type.numel() // 2
        rate = self.head_rate.to(device)[rel_type]
        chance = torch.rand(shape, generator=model.generator, device=device)
        return chance < rate

    def corrupt(
        self, model: "GaussianKGEModel", rel_type: Tensor, drawn: Draws
    ) -> tuple[Tensor, Tensor]:
        r"""Replaces drawn heads or tails by the negatives."""
        if self.head_rate is None:
            half = rel_type.numel() // 2
            # Not slices: their gradients are padded with zeros.
            sizes = [half, rel_type.numel() - half]
            (_, head), (tail, _), (in_head, in_tail) = (
                part.split(sizes)
                for part in (drawn.head, drawn.tail, drawn.other)
            )
            return torch.cat([in_head, head]), torch.cat([tail, in_tail])
        mask = self._in_head(model, rel_type)[:, None]
        return (
            torch.where(mask, drawn.other, drawn.head),
            torch.where(mask, drawn.tail, drawn.other),
        )

    def scores(
        self, model: "GaussianKGEModel", rel_type: Tensor, drawn: Draws
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the scores of true and of false triples."""
        if drawn.turned is not None:
            return model.pair_scores(rel_type, drawn)
        rel = model.embed_rel(rel_type)
        true = model.interaction(drawn.head, rel, drawn.tail)
        false_head, false_tail = self.corrupt(model, rel_type, drawn)
        return true, model.interaction(false_head, rel, false_tail)

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        other: Tensor,
        drawn: Draws,
    ) -> Tensor:
        r"""Returns the mean loss of a batch of triples."""
        true, false = self.scores(model, rel_type, drawn)
        if self.kind == "margin":
            return F.relu(self.margin - true + false).mean()
        return (F.softplus(-true) + F.softplus(false)).mean()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.kind!r})"


def bernoulli_rates(
    head_index: Tensor, rel_type: Tensor, tail_index: Tensor, num_relations: int
) -> Tensor:
    r"""Returns the probability of replacing the head for each relation, of the
    `"Knowledge Graph Embedding by Translating on Hyperplanes"
    <https://ojs.aaai.org/index.php/AAAI/article/view/8870>`_ paper.

    .. math::
        \frac{\textrm{tph}}{\textrm{tph} + \textrm{hpt}}, \quad
        \textrm{tph} = \frac{\#(h, t)}{\# h}, \quad
        \textrm{hpt} = \frac{\#(h, t)}{\# t}

    These rates make fewer negatives true. Relations without triples get 0.5.

    Args:
        head_index (torch.Tensor): The head indices of training.
        rel_type (torch.Tensor): The relation type.
        tail_index (torch.Tensor): The tail indices.
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
