r"""KG2E: entities and relations as Gaussians."""

import math
from typing import Literal, TypeAlias, Unpack

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.base import GaussianKGEModel
from pyg_cagp.nn.kge.draw import Draws
from pyg_cagp.nn.kge.objective import OneNegative
from pyg_cagp.nn.kge.options import GaussianOptions

#: The score: a KL divergence, or an expected likelihood.
Divergence: TypeAlias = Literal["kl", "el"]


class KG2E(GaussianKGEModel):
    r"""The KG2E model from the `"Learning to Represent Knowledge Graphs with
    Gaussian Embedding" <https://dl.acm.org/doi/10.1145/2806416.2806502>`_
    paper.

    The translation :math:`P_e = \mathcal{N}(\boldsymbol{\mu}_h -
    \boldsymbol{\mu}_t, \mathbf{S}_h + \mathbf{S}_t)` is compared with the
    relation :math:`P_r = \mathcal{N}(\boldsymbol{\mu}_r, \mathbf{S}_r)`, by
    :math:`d(h, r, t) = -\textrm{KL}(P_e \| P_r)` or by the expected likelihood
    :math:`d(h, r, t) = \log \int P_e P_r`. With
    :math:`\boldsymbol{\delta} = \boldsymbol{\mu}_h - \boldsymbol{\mu}_t -
    \boldsymbol{\mu}_r`,

    .. math::
        d_{\textrm{KL}} &= -\frac{1}{2} \sum_j \left( \frac{s_{hj} + s_{tj} +
        \delta_j^2}{s_{rj}} - 1 + \log \frac{s_{rj}}{s_{hj} + s_{tj}} \right),
        \\ d_{\textrm{EL}} &= -\frac{1}{2} \sum_j \left(
        \frac{\delta_j^2}{s_{hj} + s_{tj} + s_{rj}} + \log (s_{hj} + s_{tj} +
        s_{rj}) + \log 2 \pi \right).

    Scores are functions of the distributions, without draws and without a
    prior. As in the paper, training uses a margin loss with one negative. Call
    :meth:`constrain` after each step: it projects means into the unit ball and
    variances into :obj:`variance_range`. The variances measure how specific an
    entity is, not how often it occurs.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        score (str, optional): :obj:`"kl"` or :obj:`"el"`.
            (default: :obj:`"kl"`)
        variance_range (tuple, optional): The least and the largest variance.
            (default: :obj:`(0.05, 5.0)`)
        objective (Objective, optional): The training objective. If set to
            :obj:`None`, a margin loss with a margin of 1.
            (default: :obj:`None`)
        **kwargs (optional): Additional arguments of
            :class:`~pyg_cagp.nn.kge.GaussianKGEModel`.

    .. note::
        For training this model with its shipped config, see
        ``docs/howto/training.md``.
    """

    rel_width = 2
    scores_hold_variances = True

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        score: Divergence = "kl",
        variance_range: tuple[float, float] = (0.05, 5.0),
        **kwargs: Unpack[GaussianOptions],
    ) -> None:
        check_choice("score", score, Divergence)
        low, high = variance_range
        if not 0 < low < high:
            raise InvalidInputError(
                f"'variance_range' must hold two positive numbers in ascending "
                f"order (got {variance_range})"
            )
        if not kwargs.setdefault("variational", True):
            raise InvalidInputError(
                "'variational' must be True for KG2E, which has no variant "
                "without variances (got False)"
            )
        if kwargs.get("objective") is None:
            kwargs["objective"] = OneNegative(kind="margin")
        kwargs.setdefault("kl_weight", 0.0)
        kwargs.setdefault("prior_variance", high)
        self.score = score
        self.variance_range = (float(low), float(high))
        super().__init__(num_nodes, num_relations, hidden_channels, **kwargs)

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module."""
        super().reset_parameters()
        middle = 0.5 * sum(map(math.log, self.variance_range))
        _, rel_log_var = self.rel_emb.weight.data.chunk(2, dim=-1)
        for log_var in (self.node_log_var.weight, rel_log_var):
            torch.nn.init.constant_(log_var, middle)

    @torch.no_grad()
    def constrain(self) -> None:
        r"""Projects means into the unit ball and variances into their range."""
        low, high = map(math.log, self.variance_range)
        rel, rel_log_var = self.rel_emb.weight.chunk(2, dim=-1)
        for mean in (self.node_emb.weight, rel):
            length = torch.linalg.vector_norm(mean, dim=-1, keepdim=True)
            mean.div_(length.clamp(min=1))
        for log_var in (self.node_log_var.weight, rel_log_var):
            log_var.clamp_(low, high)

    def embed(self, entity: Tensor | None = None) -> Tensor:
        r"""Returns means and variances of entities, side by side."""
        if entity is None:
            mean, log_var = self.node_emb.weight, self.node_log_var.weight
        else:
            mean, log_var = self.node_emb(entity), self.node_log_var(entity)
        variance = log_var.exp().expand_as(mean)
        return torch.cat([mean, variance], dim=-1)

    def embed_rel(self, rel_type: Tensor) -> Tensor:
        r"""Returns means and variances of relations, side by side."""
        mean, log_var = self.rel_emb(rel_type).chunk(2, dim=-1)
        return torch.cat([mean, log_var.exp()], dim=-1)

    def sample(self, entity: Tensor) -> Tensor:
        r"""Returns the distributions of entities, without a draw."""
        return self.embed(entity)

    def draw(
        self, head_index: Tensor, tail_index: Tensor, other: Tensor
    ) -> tuple[Draws, Tensor]:
        r"""Returns the distributions of a batch's entities, and its
        :meth:`kl_term`.
        """
        entity = torch.cat([head_index, tail_index, other])
        sizes = [head_index.numel(), tail_index.numel(), other.numel()]
        parts = self.embed(entity).split(sizes)
        if self.kl_weight == 0:
            return Draws(*parts), parts[0].new_zeros(())
        return Draws(*parts), self.kl_term(head_index, tail_index)

    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores distributions."""
        head, head_var = head.chunk(2, dim=-1)
        rel, rel_var = rel.chunk(2, dim=-1)
        tail, tail_var = tail.chunk(2, dim=-1)
        gap, var = (head - tail - rel).square(), head_var + tail_var
        if self.score == "kl":
            ratio = var / rel_var
            return -0.5 * (gap / rel_var + ratio - 1 - ratio.log()).sum(dim=-1)
        var = var + rel_var
        return -0.5 * (gap / var + (2 * math.pi * var).log()).sum(dim=-1)

    def score_variance(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance of the energy :math:`\frac{1}{2} \sum_j
        \delta_j^2 / c_j` over triples drawn from the distributions.

        .. math::
            \textrm{Var} = \sum_j \frac{v_j^2 + 2 v_j \delta_j^2}{2 c_j^2}

        For :obj:`"kl"`, :math:`\mathbf{v} = \mathbf{s}_h + \mathbf{s}_t` and
        :math:`\mathbf{c} = \mathbf{s}_r`; for :obj:`"el"`, :math:`\mathbf{v} =
        \mathbf{c} = \mathbf{s}_h + \mathbf{s}_t + \mathbf{s}_r`.
        """
        head, head_var = self.embed(head_index).chunk(2, dim=-1)
        rel, rel_var = self.embed_rel(rel_type).chunk(2, dim=-1)
        tail, tail_var = self.embed(tail_index).chunk(2, dim=-1)
        gap = (head - rel - tail).square()
        # The deviations of an entity cancel where it is both head and tail.
        apart = (head_index != tail_index)[..., None]
        var = apart * (self.variance(head_index) + self.variance(tail_index))
        scale = rel_var
        if self.score == "el":
            var, scale = var + rel_var, head_var + tail_var + rel_var
        return ((var**2 + 2 * var * gap) / (2 * scale**2)).sum(dim=-1)
