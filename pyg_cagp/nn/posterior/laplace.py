r"""A Gaussian around the solution of training."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice, check_least
from pyg_cagp.exceptions import DivergenceError, InvalidInputError
from pyg_cagp.nn.posterior.curvature import check_scores, ggn_diagonal
from pyg_cagp.nn.posterior.posterior import Posterior, count_slots

if TYPE_CHECKING:
    from pyg_cagp.nn.kge import GaussianKGEModel

Triples = tuple[Tensor, Tensor, Tensor]


class LaplacePosterior:
    r"""The Laplace approximation from the `"A Practical Bayesian Framework for
    Backpropagation Networks" <https://doi.org/10.1162/neco.1992.4.3.448>`_
    paper, with a diagonal precision, in closed form after training.

    .. math::
        s_{ij} = \frac{1}{1 / \sigma_0^2 + G_{ij}},

    where :math:`\mathbf{G}` is the diagonal of the generalised Gauss-Newton
    matrix of the softmax over all entities, summed over all training triples
    in both directions (see :func:`~pyg_cagp.nn.posterior.ggn_diagonal`). The
    curvature of an entity's training triples adds up, so variance falls about
    as fast as frequency rises.

    The isotropic posterior has the mean of :math:`G_{ij}` over :math:`j` in
    place of :math:`G_{ij}`. Of all isotropic Gaussians, it has the least
    divergence :math:`\textrm{KL}(q \| p)` from the full approximation.

    A model that memorised its triples has no curvature at the means. With
    :obj:`num_draws`, :math:`\mathbf{G}` is the mean
    :math:`\mathbb{E}_q[\mathbf{G}] / \beta` under the variances of training, by
    draws. It is the optimum of a variational posterior with weight
    :math:`\beta` of its KL term, from the `"The Variational Gaussian
    Approximation Revisited" <https://doi.org/10.1162/neco.2008.08-07-592>`_
    paper.

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
            so many candidates a query. (default: :obj:`None`)
        seed (int, optional): The seed of all draws. (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)
        num_draws (int, optional): The number of draws from the model's own
            variances; none for the curvature at the means. (default: :obj:`0`)
    """

    def __init__(
        self,
        prior: Literal["marginal", "validation", "model"] | float = "marginal",
        *,
        structure: Literal["isotropic", "diagonal"] = "isotropic",
        num_negatives: int | None = None,
        seed: int = 0,
        progress: bool = False,
        num_draws: int = 0,
    ) -> None:
        if isinstance(prior, str):
            check_choice("prior", prior, ("marginal", "validation", "model"))
        elif not (prior > 0 and math.isfinite(prior)):
            raise InvalidInputError(f"'prior' must be positive (got {prior})")
        if num_negatives is not None:
            check_least("num_negatives", num_negatives, 1)
        check_least("num_draws", num_draws, 0)
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
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        val: Triples | None = None,
        curvature: Tensor | None = None,
    ) -> Posterior:
        r"""Returns the posterior after one pass over the training triples.

        Args:
            model (GaussianKGEModel): The trained model.
            head_index (torch.Tensor): The head indices of training.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
            val (tuple, optional): Heads, relations and tails of validation, for
                :obj:`prior="validation"`. (default: :obj:`None`)
            curvature (torch.Tensor, optional): The result of
                :func:`~pyg_cagp.nn.posterior.ggn_diagonal`; computed if set to
                :obj:`None`. (default: :obj:`None`)
        """
        self.check(model)
        if self.prior == "validation" and (val is None or not len(val[1])):
            raise InvalidInputError(
                f"prior='validation' needs validation triples (got val={val})"
            )
        if curvature is None:
            generator = torch.Generator(rel_type.device).manual_seed(self.seed)
            curvature = ggn_diagonal(
                model,
                head_index,
                rel_type,
                tail_index,
                num_negatives=self.num_negatives,
                generator=generator,
                progress=self.progress,
                num_draws=self.num_draws,
                structure=self.structure,
            )
        if self.num_draws:
            curvature = curvature / model.kl_weight
        if self.structure == "isotropic":
            curvature = curvature.mean(dim=1, keepdim=True)
        frequency = count_slots(head_index, tail_index, model.num_nodes)
        # A candidate that is never an answer has curvature as well, but no
        # triple states anything about it.
        curvature = curvature * (frequency > 0)[:, None]
        if self.prior == "validation":
            assert val is not None
            prior = _minimise(self._held_out(model, curvature, val))
        elif self.prior == "marginal":
            prior = _minimise(_evidence(model, curvature, frequency > 0))
        elif self.prior == "model":
            prior = float(model.prior.variance)
        else:
            prior = float(self.prior)
        variance = 1 / (1 / prior + curvature)
        return Posterior(model.node_emb, variance.log(), prior, frequency)

    def check(self, model: "GaussianKGEModel") -> None:
        r"""Raises an error if the model's scores hold its variances, or if it
        was trained without a prior. It can be called before training.
        """
        check_scores(model)
        if self.num_draws and model.kl_weight == 0:
            raise InvalidInputError(
                "'num_draws' needs a model that was trained with a prior "
                "(kl_weight > 0)"
            )

    def _held_out(
        self,
        model: "GaussianKGEModel",
        curvature: Tensor,
        val: Triples,
        num_triples: int = 500,
        num_draws: int = 8,
    ) -> Callable[[float], float]:
        r"""The negative logarithm of the predictive probability of held-out
        triples. All priors have the same noise, so that the cost is smooth.
        """
        mean, device = model.node_emb.weight, val[1].device
        generator = torch.Generator(device).manual_seed(self.seed)
        size = val[1].numel()
        order = torch.randperm(size, generator=generator, device=device)
        head, rel, tail = (part[order[:num_triples]] for part in val)
        sides = ("tail", head, tail), ("head", tail, head)
        shape, seed = mean.shape, self.seed + 1

        def cost(log_prior: float) -> float:
            scale = (1 / (1 / math.exp(log_prior) + curvature)).sqrt()
            generator = torch.Generator(device).manual_seed(seed)
            logs: dict[str, list[Tensor]] = {"tail": [], "head": []}
            for _ in range(num_draws):
                noise = torch.randn(shape, generator=generator, device=device)
                nodes = mean + scale * noise
                for side, given, answer in sides:
                    known = nodes[given]
                    scores = model.score_candidates(side, known, rel, nodes)
                    log_prob = scores.log_softmax(dim=1)
                    logs[side].append(log_prob.gather(1, answer[:, None]))
            return -sum(
                float(torch.stack(part).logsumexp(dim=0).mean())
                for part in logs.values()
            )

        return cost


def _evidence(
    model: "GaussianKGEModel", curvature: Tensor, seen: Tensor
) -> Callable[[float], float]:
    r"""The negative logarithm of the marginal likelihood, up to a constant."""
    mean = model.node_emb.weight
    curvature = curvature.expand_as(mean)[seen].double()
    mean = mean[seen].double()
    energy, size = float(mean.square().sum()), mean.numel()

    def cost(log_prior: float) -> float:
        precision = math.exp(-log_prior)
        volume = float((precision + curvature).log().sum())
        return 0.5 * (precision * energy + size * log_prior + volume)

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
