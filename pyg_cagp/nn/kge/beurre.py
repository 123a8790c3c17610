r"""The probabilistic box embedding of Chen et al. (2021)."""

import math
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.nn.kge.confidence import ConfidenceKGEModel

#: The form of the volume of a box.
Volume: TypeAlias = Literal["bessel", "softplus"]

#: Euler's constant: the mean of a standard Gumbel variable.
GAMMA = 0.5772156649015329


class Boxes(NamedTuple):
    r"""Boxes by their lower and upper corners, of shape
    :obj:`[..., hidden_channels]`. Both are means of Gumbel variables.
    """

    low: Tensor
    high: Tensor


def gumbel_intersection(first: Boxes, second: Boxes, beta: float) -> Boxes:
    r"""Returns the intersection of Gumbel boxes of scale :obj:`beta`."""
    low = beta * torch.logaddexp(first.low / beta, second.low / beta)
    high = -beta * torch.logaddexp(-first.high / beta, -second.high / beta)
    return Boxes(low, high)


def log_volume(boxes: Boxes, beta: float, form: Volume = "bessel") -> Tensor:
    r"""Returns the logarithm of the expected volume of Gumbel boxes.

    An expected side is :math:`2 \beta K_0(2 e^{-(u - l) / 2 \beta})`, which is
    close to :math:`\beta \, \text{softplus}((u - l) / \beta - 2 \gamma)`, the
    form :obj:`"bessel"`. The form :obj:`"softplus"` is
    :math:`\text{softplus}(u - l - 2 \gamma \beta)`, which is never less than
    about :math:`\ln 2`.
    """
    side = boxes.high - boxes.low
    scale = beta if form == "bessel" else 1.0
    x = side / scale - 2 * GAMMA * beta / scale
    # For very negative x, softplus(x) underflows and its logarithm has no
    # gradient; log softplus(x) is then close to x.
    small = x < -15
    safe = torch.where(small, torch.zeros_like(x), x)
    logs = torch.where(small, x, torch.nn.functional.softplus(safe).log())
    return (logs + math.log(scale)).sum(dim=-1)


class BEUrRE(ConfidenceKGEModel):
    r"""The BEUrRE model from the `"Probabilistic Box Embeddings for Uncertain
    Knowledge Graph Reasoning" <https://arxiv.org/abs/2104.04597>`_ paper.

    Entities are boxes whose corners are Gumbel variables. A relation moves and
    stretches the box of its head by one affine map and that of its tail by
    another, and the confidence is a conditional probability,

    .. math::
        P(h, r, t) = \frac{\mathbb{E}[\text{Vol}(f_r(h) \cap g_r(t))]}
        {\mathbb{E}[\text{Vol}(g_r(t))]}.

    The loss is the squared error of given confidences and of corrupted
    triples, whose target is 0, with a penalty on long sides. :meth:`forward`
    returns the logarithm of the confidence.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int, optional): The number of dimensions of the boxes.
            (default: :obj:`64`)
        beta (float, optional): The scale of the Gumbel variables.
            (default: :obj:`0.01`)
        volume (str, optional): :obj:`"bessel"` or :obj:`"softplus"`, which
            the released code uses. (default: :obj:`"bessel"`)
        num_negatives (int, optional): The number of corrupted triples of each
            triple. (default: :obj:`30`)
        l2_weight (float, optional): The weight of the penalty on sides.
            (default: :obj:`0.001`)
        sparse (bool, optional): If set to :obj:`True`, gradients w.r.t. the
            embedding matrices will be sparse. (default: :obj:`False`)
        seed (int, optional): The seed of corruption. (default: :obj:`0`)

    Example:
        >>> model = BEUrRE(10, 2, hidden_channels=4)
        >>> zero = torch.zeros(1, dtype=torch.long)
        >>> bool(0 <= model.confidence(zero, zero, zero) <= 1)
        True

    .. note::
        For an example of using this model, see ``examples/confidences.py``.
    """

    node_width = 2  # Lower corner, logarithm of the side.
    rel_width = 4  # Translation and logarithm of the scale, for both ends.

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int = 64,
        *,
        beta: float = 0.01,
        volume: Volume = "bessel",
        num_negatives: int = 30,
        l2_weight: float = 0.001,
        sparse: bool = False,
        seed: int = 0,
    ) -> None:
        check_choice("volume", volume, Volume)
        super().__init__(
            num_nodes,
            num_relations,
            hidden_channels,
            num_negatives=num_negatives,
            sparse=sparse,
            seed=seed,
        )
        self.beta = beta
        self.volume = volume
        self.l2_weight = l2_weight
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module. Boxes overlap and
        have sides of about 1; maps are close to the identity.
        """
        low, side = self.node_emb.weight.chunk(2, dim=1)
        torch.nn.init.uniform_(low, -0.2, 0.2)
        torch.nn.init.uniform_(side, -0.2, 0.2)
        torch.nn.init.normal_(self.rel_emb.weight, std=1e-2)
        self.generator = None

    def _map(self, node: Tensor, move: Tensor, stretch: Tensor) -> Boxes:
        low, side = node.chunk(2, dim=-1)
        low = low + move
        return Boxes(low, low + torch.exp(side + stretch))

    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings."""
        rel = rel.unflatten(-1, (4, -1))
        first = self._map(head, rel[..., 0, :], rel[..., 1, :])
        second = self._map(tail, rel[..., 2, :], rel[..., 3, :])
        both = gumbel_intersection(first, second, self.beta)
        score = log_volume(both, self.beta, self.volume)
        score = score - log_volume(second, self.beta, self.volume)
        # The exact volume of an intersection is no larger; the approximate
        # one may be.
        return score.clamp(max=0)

    def confidence(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the confidence of each triple, in :math:`[0, 1]`."""
        return self(head_index, rel_type, tail_index).exp()

    def errors(self, score: Tensor, target: Tensor, wrong: Tensor) -> Tensor:
        r"""Returns the mean squared errors of a batch."""
        squares = (score.exp() - target).square(), wrong.exp().square()
        return squares[0].mean() + squares[1].mean()

    def penalty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the penalty on long sides."""
        head, tail = (
            self.embed(index).chunk(2, dim=-1)[1].exp().square().mean()
            for index in (head_index, tail_index)
        )
        return self.l2_weight * (head + tail)
