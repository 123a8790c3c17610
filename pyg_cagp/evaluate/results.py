r"""The results of the evaluations, with their tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyg_cagp.evaluate.result import Result, rows
from pyg_cagp.protocols import PROTOCOLS


@dataclass(frozen=True, eq=False, repr=False)
class RankingResult(Result):
    r"""The result of :func:`~pyg_cagp.evaluate.ranking`."""

    mrr: float = field(init=False)
    mean_rank: float = field(init=False)
    amri: float = field(init=False)

    def table(self) -> list[dict[str, Any]]:
        r"""Returns one row for all queries, each side and each category."""
        overall = {"num": self["num_queries"], **self.metrics}
        overall.pop("num_queries")
        parts = {"all": overall, **self["by_side"], **self["by_category"]}
        return rows(parts, "group")


@dataclass(frozen=True, eq=False, repr=False)
class OODResult(Result):
    r"""The result of :func:`~pyg_cagp.evaluate.ood`."""

    columns = (
        "method",
        "kind",
        "num_ood",
        "auroc",
        "aupr",
        "fpr_at_95_tpr",
        "f1",
    )

    counts: dict[str, dict[str, int]] = field(init=False)
    by_construction: dict[str, Any] = field(init=False)
    methods: dict[str, dict[str, Any]] = field(init=False)

    def table(self) -> list[dict[str, Any]]:
        r"""Returns one row for each method and kind of OOD triples."""
        return [
            {"method": method, **row}
            for method, parts in self.methods.items()
            for row in rows(
                {k: v for k, v in parts.items() if k != "calibration"}, "kind"
            )
        ]


@dataclass(frozen=True, eq=False, repr=False)
class ErrorRankingResult(Result):
    r"""The result of :func:`~pyg_cagp.evaluate.error_ranking`."""

    accuracy: float = field(init=False)
    optimal_aurc: float = field(init=False)
    methods: dict[str, dict[str, Any]] = field(init=False)

    def table(self) -> list[dict[str, Any]]:
        r"""Returns one row for each method."""
        return rows(self.methods, "method")


@dataclass(frozen=True, eq=False, repr=False)
class ConformalResult(Result):
    r"""The result of :func:`~pyg_cagp.evaluate.conformal`."""

    columns = ("kind", "num_queries", "coverage", "mean_size", "median_size")

    coverage: float = field(init=False)
    mean_size: float = field(init=False)

    def table(self) -> list[dict[str, Any]]:
        r"""Returns one row for all queries and each kind of triple."""
        return rows({"all": self.metrics, **self["by_kind"]}, "kind")


@dataclass(frozen=True, eq=False, repr=False)
class CircularityResult(Result):
    r"""The result of :func:`~pyg_cagp.evaluate.circularity`."""

    oracle: float | None = field(init=False)
    rarity: float | None = field(init=False)
    structural: float | None = field(init=False)
    verdict: str = field(init=False)


@dataclass(frozen=True, eq=False, repr=False)
class PartitionResult(Result):
    r"""The result of :func:`~pyg_cagp.evaluate.partition_summary`."""

    tau: float = field(init=False)
    splits: dict[str, dict[str, Any]] = field(init=False)

    def table(self) -> list[dict[str, Any]]:
        r"""Returns one row for each split, with the AUROC by kind."""
        parts = {}
        for name, part in self.splits.items():
            areas = part["u_str_auroc"].items()
            parts[name] = part | {f"auroc {kind}": area for kind, area in areas}
        return rows(parts, "split")


@dataclass(frozen=True, eq=False, repr=False)
class SpreadResult(Result):
    r"""The result of :func:`~pyg_cagp.evaluate.seed_spread`."""

    def table(self) -> list[dict[str, Any]]:
        r"""Returns one row for each figure."""
        return rows(dict(_leaves(self.metrics)), "figure")


def _leaves(
    parts: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, part in parts.items():
        if isinstance(part, Mapping) and "std" in part:
            yield f"{prefix}{name}", part
        elif isinstance(part, Mapping):
            yield from _leaves(part, f"{prefix}{name}/")


#: The class of the results of each protocol.
CLASSES: dict[str, type[Result]] = {
    "ranking": RankingResult,
    "error-ranking": ErrorRankingResult,
    "conformal": ConformalResult,
    "circularity": CircularityResult,
    "partition": PartitionResult,
    "seed-spread": SpreadResult,
    **dict.fromkeys(PROTOCOLS, OODResult),
}
