r"""A Gaussian around the solution that training found."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import DivergenceError, InvalidInputError
from pyg_cagp.nn.kge import KG2E, GaussianKGEModel
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.posterior.curvature import ggn_diagonal
from pyg_cagp.nn.posterior.posterior import (
    SPHERICAL,
    Posterior,
    count_slots,
)


class LaplacePosterior(Posterior):
    r"""The Laplace approximation from the `"A Practical Bayesian Framework for
    Backpropagation Networks" <https://doi.org/10.1162/neco.1992.4.3.448>`_
    paper, with a diagonal precision, in closed form after training.

    .. math::
        s_{ij} = \frac{1}{1 / \sigma_0^2 + G_{ij}},

    where :math:`\mathbf{G}` is the diagonal of the generalised Gauss-Newton
    matrix of the softmax over all entities, summed over all training triples
    in both directions (see :func:`~pyg_cagp.nn.posterior.ggn_diagonal`). What
    an entity's training triples say adds up in it, so variance falls about as
    fast as frequency rises. It works for any way of training, variational or
    not.

    A mean over dimensions of such variances is ruled by the few dimensions of
    which the data say least. The isotropic posterior has one variance for all
    dimensions of an entity, with the mean of :math:`G_{ij}` over :math:`j` in
    place of :math:`G_{ij}`; of all isotropic Gaussians, it is the one with the
    least divergence :math:`\textrm{KL}(q \| p)` from the full approximation.

    Where training has learned its triples by heart, no curvature is left at the
    means. With :obj:`num_draws`, :math:`\mathbf{G}` is the mean
    :math:`\mathbb{E}_q[\mathbf{G}] / \beta` under the variances that the
    model was trained with, by draws. This is what the variances of a
    variational posterior with weight :math:`\beta` of its KL term would be in
    the end, from the `"The Variational Gaussian Approximation Revisited"
    <https://doi.org/10.1162/neco.2008.08-07-592>`_ paper; gradients take an
    entity there that is seen often, but not one that is seen twice.

    Args:
        prior (str or float, optional): The variance :math:`\sigma_0^2` of the
            prior; :obj:`"marginal"` for the one of the largest marginal
            likelihood, :obj:`"validation"` for the one under which held-out
            triples are likeliest, :obj:`"model"` for that of training.
            (default: :obj:`"marginal"`)
        structure (str, optional): :obj:`"isotropic"` for one variance an entity
            or :obj:`"diagonal"` for one a dimension.
            (default: :obj:`"isotropic"`)
        num_negatives (int, optional): If set, the curvature is estimated with
            so many candidates a query, for graphs or models for which all are
            too many. (default: :obj:`None`)
        seed (int, optional): The seed of whatever is drawn.
            (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)
        num_draws (int, optional): If set, the curvature is averaged over so
            many draws from the model's own variances. (default: :obj:`0`)
    """

    def __init__(
        self,
        prior: str | float = "marginal",
        structure: str = "isotropic",
        num_negatives: int | None = None,
        seed: int = 0,
        progress: bool = False,
        num_draws: int = 0,
    ) -> None:
        if isinstance(prior, str):
            check_choice("prior", prior, ("marginal", "validation", "model"))
        elif not (prior > 0 and math.isfinite(prior)):
            raise InvalidInputError(f"'prior' must be positive (got {prior})")
        if num_negatives is not None and num_negatives < 1:
            raise InvalidInputError(
                f"'num_negatives' must be positive (got {num_negatives})"
            )
        if num_draws < 0:
            raise InvalidInputError(
                f"'num_draws' must not be negative (got {num_draws})"
            )
        check_choice("structure", structure, ("isotropic", "diagonal"))
        self.prior = prior
        self.structure = structure
        self.num_negatives = num_negatives
        self.seed = seed
        self.progress = progress
        self.num_draws = num_draws

    @torch.no_grad()
    def fit(
        self,
        model: GaussianKGEModel,
        edge_index: Tensor,
        edge_type: Tensor,
        val_edge_index: Tensor | None = None,
        val_edge_type: Tensor | None = None,
        *,
        curvature: Tensor | None = None,
    ) -> "LaplacePosterior":
        r"""Computes the variances of all entities in one pass over training.

        Args:
            model (GaussianKGEModel): The trained model.
            edge_index (torch.Tensor): Heads and tails of training, of shape
                :obj:`[2, E]`.
            edge_type (torch.Tensor): Relations of training, of shape
                :obj:`[E]`.
            val_edge_index (torch.Tensor, optional): Heads and tails of
                validation, for :obj:`prior="validation"`.
                (default: :obj:`None`)
            val_edge_type (torch.Tensor, optional): Relations of validation.
                (default: :obj:`None`)
            curvature (torch.Tensor, optional): The result of
                :func:`~pyg_cagp.nn.posterior.ggn_diagonal`, if it is there
                already. (default: :obj:`None`)
        """
        self.check(model)
        held_out = None
        if self.prior == "validation":
            if val_edge_index is None or val_edge_type is None:
                raise InvalidInputError(
                    "prior='validation' needs 'val_edge_index' and "
                    "'val_edge_type'"
                )
            if val_edge_type.numel() == 0:
                raise InvalidInputError(
                    "prior='validation' needs validation triples (got none)"
                )
            held_out = (val_edge_index, val_edge_type)
        self.node_freq_ = count_slots(edge_index, model.num_nodes)
        generator = torch.Generator(edge_index.device).manual_seed(self.seed)
        if curvature is None:
            curvature = ggn_diagonal(
                model,
                edge_index,
                edge_type,
                self.num_negatives,
                generator,
                progress=self.progress,
                num_draws=self.num_draws,
            )
        if self.num_draws:
            curvature = curvature / model.kl_weight
        self.curvature_ = curvature
        if self.structure == "isotropic":
            mean = curvature.mean(dim=1, keepdim=True)
            self.curvature_ = mean.expand_as(curvature)
        if held_out is not None:
            cost = self._held_out(model, *held_out)
            self.prior_variance_ = _minimise(cost)
        elif self.prior == "marginal":
            self.prior_variance_ = _minimise(self._evidence(model))
        elif self.prior == "model":
            self.prior_variance_ = float(model.prior.variance)
        else:
            self.prior_variance_ = float(self.prior)
        self.variance_ = self._variance(model, self.prior_variance_)
        return self

    def check(self, model: GaussianKGEModel) -> None:
        r"""Raises an error if the model's scores hold its variances, if it has
        room for one of them only, or if it was trained without a prior.
        """
        if isinstance(model, KG2E):
            raise InvalidInputError(
                "KG2E has no Laplace posterior: its scores hold the variances; "
                "use a VariationalPosterior"
            )
        if self.num_draws and model.kl_weight == 0:
            raise InvalidInputError(
                "'num_draws' needs a model that was trained with a prior "
                "(kl_weight > 0)"
            )
        width = model.node_log_var.weight.size(1)
        is_spherical = width < model.node_emb.weight.size(1)
        if self.structure == "diagonal" and is_spherical:
            raise InvalidInputError(SPHERICAL)

    def _variance(self, model: GaussianKGEModel, prior: float) -> Tensor:
        seen = (self.node_freq_ > 0)[:, None]
        # A candidate that never is an answer bends the likelihood as well, but
        # no triple speaks of it.
        return 1 / (1 / prior + self.curvature_ * seen)

    def _evidence(self, model: GaussianKGEModel) -> Callable[[float], float]:
        r"""The negative logarithm of the marginal likelihood, up to what does
        not depend on the prior.
        """
        seen = self.node_freq_ > 0
        mean = model.node_emb.weight[seen].double()
        curvature = self.curvature_[seen].double()
        energy, size = float(mean.square().sum()), mean.numel()

        def cost(log_prior: float) -> float:
            precision = math.exp(-log_prior)
            volume = float((precision + curvature).log().sum())
            return 0.5 * (precision * energy + size * log_prior + volume)

        return cost

    def _held_out(
        self,
        model: GaussianKGEModel,
        edge_index: Tensor,
        edge_type: Tensor,
        num_triples: int = 500,
        num_draws: int = 8,
    ) -> Callable[[float], float]:
        r"""The negative logarithm of the predictive probability of held-out
        triples, its integral over the posterior taken by draws. All priors see
        the same noise, so that the cost is smooth.
        """
        generator = torch.Generator(edge_index.device).manual_seed(self.seed)
        device = edge_index.device
        pick = torch.randperm(
            edge_type.numel(), generator=generator, device=device
        )[:num_triples]
        (head, tail), rel = edge_index[:, pick], edge_type[pick]
        seed = self.seed + 1

        def cost(log_prior: float) -> float:
            scale = self._variance(model, math.exp(log_prior)).sqrt()
            generator = torch.Generator(device).manual_seed(seed)
            logs: dict[str, list[Tensor]] = {side: [] for side in SIDES}
            for _ in range(num_draws):
                noise = torch.randn(
                    scale.shape, generator=generator, device=device
                )
                nodes = model.node_emb.weight + scale * noise
                for side, given, answer in (
                    ("tail", head, tail),
                    ("head", tail, head),
                ):
                    scores = model.score_candidates(
                        side, nodes[given], rel, nodes
                    )
                    log_prob = scores.log_softmax(dim=1)
                    logs[side].append(log_prob.gather(1, answer[:, None]))
            return -sum(
                float(torch.stack(part).logsumexp(dim=0).mean())
                for part in logs.values()
            )

        return cost


def _minimise(cost: Callable[[float], float]) -> float:
    # Importing it takes longer than importing all of pyg_cagp.
    from scipy.optimize import minimize_scalar

    low, high = math.log(1e-6), math.log(1e6)
    best = minimize_scalar(
        cost, bounds=(low, high), method="bounded", options={"xatol": 0.01}
    )
    if not math.isfinite(best.fun):
        raise DivergenceError(
            "no prior can be found: the likelihood is no finite number"
        )
    return math.exp(best.x)
