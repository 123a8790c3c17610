r"""Ranking of right answers among all entities."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.evaluate.count_baseline import CountBaseline
from pyg_cagp.evaluate.graph import EvaluationGraph, GraphLike
from pyg_cagp.evaluate.groups import (
    CATEGORIES,
    LINKS,
    equal_groups,
    link_groups,
    relation_categories,
    relation_labels,
)
from pyg_cagp.evaluate.results import RankingResult
from pyg_cagp.evaluate.scoring import identities
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.metrics import ranking_metrics
from pyg_cagp.nn.scoring import RankCounts, as_scorer, rank_counts
from pyg_cagp.nn.scoring.scorer import ScorerLike, scorer_device
from pyg_cagp.typing import Split, Ties


def ranking(
    model: ScorerLike,
    kg: GraphLike,
    *,
    split: Split = "test",
    filtered: bool = True,
    ties: Ties = "realistic",
    ks: int | Sequence[int] = (1, 3, 10),
    max_scores: int = 2**21,
    progress: bool = False,
) -> RankingResult:
    r"""Ranks the tail and the head of each triple among all entities.

    All entities are candidates, and triples with entities that do not occur in
    training are ranked as well. The result has :obj:`mrr`, :obj:`mean_rank`,
    :obj:`hits@k`, :obj:`amr` and :obj:`amri` over both sides, and the same
    under

    * :obj:`by_side`: :obj:`"tail"` and :obj:`"head"`,
    * :obj:`by_category`: "1-1", "1-N", "N-1" and "N-N", each with both sides,
    * :obj:`by_link`: "repeated" (the triple stands in training), "linked"
      (training links both entities in another way) and "new",
    * :obj:`count_baseline`, for graphs with :obj:`edge_time`: the same of a
      :class:`CountBaseline`,
    * :obj:`by_relation`: each relation, by its name or number,
    * :obj:`by_frequency`: ten groups of queries by the training frequency of
      their answer.

    Args:
        model (Scorer or callable): See :func:`~pyg_cagp.nn.scoring.as_scorer`.
        kg (Data): The graph; see :func:`~pyg_cagp.data.as_kg`.
        split (str, optional): The split to rank. (default: :obj:`"test"`)
        filtered (bool, optional): If set to :obj:`False`, other right answers
            are candidates. (default: :obj:`True`)
        ties (str, optional): :obj:`"realistic"`, :obj:`"optimistic"` or
            :obj:`"pessimistic"`; see :func:`~pyg_cagp.metrics.ranks`.
            (default: :obj:`"realistic"`)
        ks (int or sequence, optional): The values of :math:`k` for hits.
            (default: :obj:`(1, 3, 10)`)
        max_scores (int, optional): The largest number of scores in memory.
            (default: :obj:`2097152`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Example:
        >>> from pyg_cagp import GaussianDistMult
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> model = GaussianDistMult(kg.num_nodes, kg.num_relations, 16)
        >>> result = ranking(model, kg)
        >>> result["mrr"] < 0.1  # It was not trained.
        True
    """
    check_choice("ties", ties, Ties)
    ks = (ks,) if isinstance(ks, int) else tuple(ks)
    graph = EvaluationGraph.of(kg)
    kg = graph.kg
    scorer = as_scorer(model, kg)
    device = scorer_device(scorer)
    head, rel, tail = (part.to(device) for part in triples(kg, split))
    if rel.numel() == 0:
        raise InvalidInputError(f"'kg' has no {split} triples to rank")
    known = AnswerIndex.from_data(kg).to(device) if filtered else None
    options: dict[str, Any] = {"max_scores": max_scores, "progress": progress}
    counts = rank_counts(scorer, head, rel, tail, known=known, **options)
    answer, both_rel = torch.cat([tail, head]), torch.cat([rel, rel])
    is_head = torch.arange(2, device=device).repeat_interleave(rel.numel())
    sides = zip(counts["tail"], counts["head"], strict=True)
    groups = _Groups(RankCounts(*map(torch.cat, sides)), ks, ties)
    category = relation_categories(kg).to(device)[both_rel]
    link = link_groups(kg, head, rel, tail).repeat(2)
    frequency = graph.coverage.frequency().to(device)[answer]
    metrics = {
        **groups.measure(),
        "num_queries": both_rel.numel(),
        "by_side": groups.by(is_head, ("tail", "head")),
        "by_category": _by_category(category, is_head, groups),
        "by_link": groups.by(link, LINKS),
        "by_relation": groups.by(both_rel, relation_labels(kg)),
        "by_frequency": _by_frequency(frequency, groups),
    }
    choice = {"split": split, "filtered": filtered, "ties": ties}
    if "edge_time" in kg and not isinstance(model, CountBaseline):
        metrics["count_baseline"] = _count_baseline(
            graph, ks, **choice, **options
        )
    samples = {"head": head, "rel": rel, "tail": tail}
    for side, part in counts.items():
        samples |= {f"{side}_{k}": v for k, v in part._asdict().items()}
    config = {**identities({"model": model}), **choice}
    return RankingResult("ranking", metrics, config, graph.description, samples)


class _Groups:
    r"""Metrics of all queries, and of groups of them."""

    def __init__(self, counts: RankCounts, ks: Sequence[int], ties: Ties):
        self.counts, self.ks, self.ties = counts, ks, ties

    def measure(self, chosen: Tensor | slice = slice(None)) -> dict[str, float]:
        higher, equal, others = (part[chosen] for part in self.counts)
        options: dict[str, Any] = {"ks": self.ks, "ties": self.ties}
        return ranking_metrics(higher, equal, others + 1, **options)

    def by(self, group: Tensor, names: Sequence[str]) -> dict[str, Any]:
        rows = {}
        for place, name in enumerate(names):
            chosen = (group == place).nonzero().view(-1)
            if chosen.numel():
                rows[name] = {**self.measure(chosen), "num": chosen.numel()}
        return rows


def _count_baseline(
    graph: EvaluationGraph, ks: Sequence[int], **options: Any
) -> dict[str, Any]:
    r"""Ranks by counts. Events repeat, so counts are the baseline of dated
    graphs.
    """
    result = ranking(CountBaseline(graph), graph, ks=ks, **options)
    names = "mrr", "mean_rank", *(f"hits@{k}" for k in ks), "amr", "amri"
    return {
        **{name: result[name] for name in names},
        "num": result["num_queries"],
        "by_link": result["by_link"],
    }


def _by_category(
    category: Tensor, is_head: Tensor, groups: _Groups
) -> dict[str, Any]:
    rows = groups.by(category, CATEGORIES)
    for place, side in enumerate(("tail", "head")):
        sided = torch.where(is_head == place, category, -1)
        for label, values in groups.by(sided, CATEGORIES).items():
            rows[label][side] = values
    return rows


def _by_frequency(frequency: Tensor, groups: _Groups) -> list[dict[str, Any]]:
    group = equal_groups(frequency)
    rows = []
    for place in range(int(group.max()) + 1):
        chosen = (group == place).nonzero().view(-1)
        low, high = torch.aminmax(frequency[chosen])
        row = {"lowest": int(low), "highest": int(high), "num": chosen.numel()}
        rows.append(row | groups.measure(chosen))
    return rows
