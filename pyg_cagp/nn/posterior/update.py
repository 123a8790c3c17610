r"""New evidence for a posterior, without training again."""

import torch
from torch import Tensor

from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.posterior.curvature import ggn_diagonal
from pyg_cagp.nn.posterior.laplace import LaplacePosterior


@torch.no_grad()
def update_posterior(
    model: GaussianKGEModel,
    edge_index: Tensor,
    edge_type: Tensor,
    num_negatives: int | None = None,
    seed: int = 0,
) -> None:
    r"""Makes a model surer of the entities that new triples speak of.

    The curvature of the new triples is added to the precision of each entity
    that stands in one of them, or has stood in others before,

    .. math::
        \frac{1}{s_{ij}} \leftarrow \frac{1}{s_{ij}} + G_{ij},

    which is what a Laplace posterior of all triples at the same means would
    have. The curvature is that at the means, also where the posterior's is a
    mean over draws: new triples then count for less than those of training,
    which errs on the side of doubt. Means do not move: an entity that was never
    trained stays where it was drawn, and only its doubt is told apart from that
    of entities without any triple.

    Args:
        model (GaussianKGEModel): The model, whose variances change.
        edge_index (torch.Tensor): Heads and tails of the new triples, of shape
            :obj:`[2, E]`.
        edge_type (torch.Tensor): Their relations, of shape :obj:`[E]`.
        num_negatives (int, optional): See
            :func:`~pyg_cagp.nn.posterior.ggn_diagonal`.
            (default: :obj:`None`)
        seed (int, optional): The seed of whatever is drawn.
            (default: :obj:`0`)
    """
    LaplacePosterior().check(model)
    every = torch.arange(model.num_nodes, device=edge_type.device)
    variance = model.variance(every)
    generator = torch.Generator(edge_index.device).manual_seed(seed)
    curvature = ggn_diagonal(
        model, edge_index, edge_type, num_negatives, generator
    )
    is_isotropic = bool((variance == variance[:, :1]).all())
    if is_isotropic:
        curvature = curvature.mean(dim=1, keepdim=True).expand_as(variance)
    model.node_freq += torch.bincount(
        edge_index.flatten(), minlength=model.num_nodes
    )
    seen = (model.node_freq > 0)[:, None]
    precision = 1 / variance + curvature * seen
    width = model.node_log_var.weight.size(1)
    model.node_log_var.weight.copy_(-precision[:, :width].log())
