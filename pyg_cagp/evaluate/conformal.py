r"""Answer sets of split conformal prediction, their coverage and size."""

from typing import Any, Literal

import torch
from torch import Tensor
from torch_geometric.data import Data
from tqdm import tqdm

from pyg_cagp import metrics
from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.evaluate.graph import EvaluationGraph, GraphLike
from pyg_cagp.evaluate.results import ConformalResult
from pyg_cagp.evaluate.scoring import Estimator, identities, uncertainties
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring.scorer import (
    Scorer,
    ScorerLike,
    as_scorer,
    evaluating,
    finite_scores,
    scorer_device,
)
from pyg_cagp.protocols import LabelledTriples, Partition, TemporalLike
from pyg_cagp.typing import Fallback, Side


def conformal(
    model: ScorerLike,
    kg: GraphLike,
    *,
    alpha: float = 0.1,
    group: Literal["relation"] | None = None,
    difficulty: Estimator | None = None,
    fallback: Fallback = "everything",
    preset: Partition = "stated",
    max_scores: int = 2**21,
    progress: bool = False,
) -> ConformalResult:
    r"""Answers each test query with a set of entities, by split conformal
    prediction, and measures the coverage and the size of the sets.

    The nonconformity of a candidate is :math:`-\log p(c \mid q)` under the
    softmax over all candidates that are not answers in an earlier split.
    Thresholds are fitted on the validation triples alone, one for each side.
    The sets have a coverage of at least :math:`1 - \alpha` for queries that are
    exchangeable with those of validation. Emerging entities and novel contexts
    may not be, so coverage is also reported for each kind of triple.

    Args:
        model (Scorer or callable): See :func:`~pyg_cagp.nn.scoring.as_scorer`.
        kg (Data): The graph; see :func:`~pyg_cagp.data.as_kg`.
        alpha (float, optional): The share of sets that may miss the answer.
            (default: :obj:`0.1`)
        group (str, optional): If set to :obj:`"relation"`, each relation has a
            separate threshold (Mondrian). (default: :obj:`None`)
        difficulty (callable, optional): An estimator with positive values. The
            nonconformity of a query is divided by its value for the model's
            best answer, so uncertain queries get larger sets.
            (default: :obj:`None`)
        fallback (str, optional): The threshold of relations with too few
            triples; see :func:`~pyg_cagp.metrics.mondrian_thresholds`.
            (default: :obj:`"everything"`)
        preset (str, optional): The partition. (default: :obj:`"stated"`)
        max_scores (int, optional): The largest number of scores in memory.
            (default: :obj:`2097152`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Example:
        >>> from pyg_cagp import GaussianDistMult
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
        >>> result = conformal(model, kg, alpha=0.2)
        >>> result["coverage"] > 0.7
        True
    """
    check_choice("group", group, (None, "relation"))
    check_choice("fallback", fallback, ("everything", "pooled"))
    graph = EvaluationGraph.of(kg)
    if graph.kg.edge_index.device.type != "cpu":
        graph = EvaluationGraph(graph.kg.clone().cpu())
    kg = graph.kg
    scorer = as_scorer(model, kg)
    rule = TemporalLike(preset)
    val, test = graph.label(rule, "val"), graph.label(rule, "test")
    if val.rel.numel() == 0 or test.rel.numel() == 0:
        raise InvalidInputError("'kg' must have validation and test triples")
    sets = AnswerSets(scorer, kg, difficulty, max_scores)
    options: Any = {"alpha": alpha, "fallback": fallback}
    covered, size = [], []
    total = 2 * (val.rel.numel() + test.rel.numel())
    with tqdm(total=total, unit="query", disable=not progress) as bar:
        for side in SIDES:
            misfit, _ = sets(side, val, "val", None, bar)
            if group is None:
                level = metrics.conformal_threshold(misfit, alpha=alpha)
                threshold = misfit.new_full(test.rel.shape, level)
            else:
                groups = misfit, val.rel, kg.num_relations
                levels = metrics.mondrian_thresholds(*groups, **options)
                threshold = levels[test.rel]
            misfit, number = sets(side, test, "test", threshold, bar)
            covered.append(misfit <= threshold)
            size.append(number)
    parts = {"model": model, "difficulty": difficulty}
    parts = {k: v for k, v in parts.items() if v is not None}
    config = {"difficulty": None, **identities(parts), **options}
    config |= {"group": group, "preset": preset}
    figures: dict[str, Any] = {
        "promised": 1 - alpha,
        "num_candidates": kg.num_nodes,
        **_describe(covered, size, test.rel >= 0),
        "by_kind": {},
    }
    for place, kind in enumerate(test.kinds):
        if bool((mask := test.kind == place).any()):
            figures["by_kind"][kind] = _describe(covered, size, mask)
    columns = (*test.triples, test.kind)
    samples = dict(zip(("head", "rel", "tail", "kind"), columns, strict=True))
    for side, is_covered, number in zip(SIDES, covered, size, strict=True):
        samples[f"{side}_covered"] = is_covered
        samples[f"{side}_size"] = number
    return ConformalResult(
        "conformal", figures, config, graph.description, samples
    )


class AnswerSets:
    r"""Computes the nonconformity of answers and the sizes of answer sets."""

    def __init__(
        self,
        model: Scorer,
        kg: Data,
        difficulty: Estimator | None = None,
        max_scores: int = 2**21,
    ) -> None:
        self.device = scorer_device(model)
        before = {"val": kg.train_mask, "test": kg.train_mask | kg.val_mask}
        sizes = kg.num_nodes, kg.num_relations
        #: The answers in earlier splits, for each split.
        self.known = {
            split: AnswerIndex(*triples(kg, mask), *sizes).to(self.device)
            for split, mask in before.items()
        }
        self.model = model
        self.difficulty = difficulty
        self.score = finite_scores(model)
        self.size = max(1, max_scores // kg.num_nodes)

    @torch.no_grad()
    def __call__(
        self,
        side: Side,
        triples: LabelledTriples,
        split: str,
        threshold: Tensor | None,
        bar: Any,
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the nonconformity of each answer and, with a threshold, the
        size of each set.
        """
        misfits, sizes = [], []
        for start in range(0, triples.rel.numel(), self.size):
            part = slice(start, start + self.size)
            head, rel, tail = (
                column[part].to(self.device)
                for column in (triples.head, triples.rel, triples.tail)
            )
            given, answer = (head, tail) if side == "tail" else (tail, head)
            with evaluating(self.model):
                scores = self.score(side, given, rel).double()
            true = scores.gather(1, answer[:, None])
            scores[self.known[split].find(side, given, rel)] = -torch.inf
            scores.scatter_(1, answer[:, None], true)
            misfit = scores.logsumexp(dim=1, keepdim=True) - scores
            misfit /= self._difficulty(side, given, rel, scores)[:, None]
            misfits.append(misfit.gather(1, answer[:, None])[:, 0].cpu())
            if threshold is not None:
                level = threshold[part].to(self.device)[:, None]
                # Left-out answers are not in a set, at any threshold.
                inside = (misfit <= level) & (scores > -torch.inf)
                sizes.append(inside.sum(dim=1).cpu())
            bar.update(rel.numel())
        return torch.cat(misfits), torch.cat(sizes) if sizes else torch.empty(0)

    def _difficulty(
        self, side: Side, given: Tensor, rel: Tensor, scores: Tensor
    ) -> Tensor:
        if self.difficulty is None:
            return torch.ones_like(rel, dtype=torch.double)
        best = scores.argmax(dim=1)
        ends = (given, best) if side == "tail" else (best, given)
        triples = ends[0], rel, ends[1]
        difficulty = uncertainties("difficulty", self.difficulty, triples)
        is_valid = (difficulty > 0) & difficulty.isfinite()
        if not bool(is_valid.all()):
            row = int((~is_valid).nonzero()[0])
            raise InvalidInputError(
                f"'difficulty' must return positive numbers (got "
                f"{float(difficulty[row])} for triple ({int(ends[0][row])}, "
                f"{int(rel[row])}, {int(ends[1][row])}))"
            )
        return difficulty


def _describe(
    covered: list[Tensor], size: list[Tensor], mask: Tensor
) -> dict[str, Any]:
    is_covered = torch.cat([part[mask] for part in covered]).double()
    sizes = torch.cat([part[mask] for part in size]).double()
    return {
        "num_queries": is_covered.numel(),
        "coverage": float(is_covered.mean()),
        "mean_size": float(sizes.mean()),
        "median_size": float(sizes.median()),
    }
