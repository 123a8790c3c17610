r"""Claims about what each signal finds among temporal-like OOD triples."""

from collections.abc import Callable
from functools import partial

from benchmark.paper import published
from benchmark.paper.tables.common import recipes
from benchmark.paper.tables.detection import DATASETS, area
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread
from benchmark.paper.tables.verdicts.gains import gains
from benchmark.paper.tables.verdicts.rivals import misses
from benchmark.paper.tables.verdicts.rules import (
    FB,
    HOLDS,
    LABELS,
    Claim,
    by_recipe,
    near_chance,
    not_below,
    on_each,
)

#: Where a recipe's cell holds the AUROC of the variances by kind.
SEMANTIC = {
    "emerging": ("assumptions", "A6", "auroc"),
    "novel": ("theorems", "semantic on novel", "measured"),
    "overall": ("theorems", "mix", "semantic overall"),
}
#: The same of CAGP.
MIX = {
    "emerging": ("theorems", "mix", "on emerging"),
    "novel": ("theorems", "mix", "on novel"),
    "overall": ("theorems", "mix", "overall"),
}
KINDS = ("emerging", "novel", "overall")

#: What the abstract says that CAGP finds.
LEAST, RANGE = 0.94, "0.94 to 0.99 (abstract)"


def temporal(records: Records) -> list[Claim]:
    r"""Emerging entities and novel contexts."""
    return [
        *_semantic(records),
        *_mixes(records),
        *_benchmarks(records),
        *misses(records),
        *gains(records),
    ]


def _semantic(records: Records) -> list[Claim]:
    rows = []
    for paper, kind in zip(
        published.STRATIFIED["semantic"], KINDS, strict=True
    ):
        ours = area(records, FB, "temporal-like", "table2", "semantic", kind)
        recipe = _of_recipe(records, SEMANTIC[kind])
        title = f"temporal-like, U_sem, {kind}"
        rule: Callable[[Spread | None], str] = partial(not_below, paper=paper)
        if kind != "emerging":
            title, rule = f"{title}: near chance", near_chance
        verdict = by_recipe(rule, ours, recipe)
        rows.append(Claim(title, paper, ours, recipe, verdict, "table2"))
    return rows


def _mixes(records: Records) -> list[Claim]:
    rows = []
    for method, title in (("average", "simple average"), ("cagp", "CAGP")):
        for paper, kind in zip(
            published.STRATIFIED[method], KINDS, strict=True
        ):
            ours = area(records, FB, "temporal-like", "table2", method, kind)
            recipe = None
            if method == "cagp":
                recipe = _of_recipe(records, MIX[kind])
            elif kind == "overall":
                recipe = recipes(records, FB, "temporal-like, table2", method)
            verdict = by_recipe(partial(not_below, paper=paper), ours, recipe)
            rows.append(
                Claim(
                    f"temporal-like, {title}, {kind}",
                    paper,
                    ours,
                    recipe,
                    LABELS if verdict == HOLDS else verdict,
                    "table2",
                )
            )
    return rows


def _of_recipe(records: Records, path: tuple[str, ...]) -> Spread | None:
    return records.spread(f"{FB}/recipe", "model", "presets", "table2", *path)


def _benchmarks(records: Records) -> list[Claim]:
    r"""What CAGP finds on every graph, and by the calendar."""
    found = {
        dataset: figure
        for dataset in records.datasets(DATASETS)
        if (figure := area(records, dataset, "temporal-like", "table2", "cagp"))
    }
    rows = []
    if len(found) > 1:
        verdict = on_each(
            {d: not_below(figure, LEAST) for d, figure in found.items()}
        )
        rows.append(
            Claim(
                "temporal-like: what CAGP finds across benchmarks",
                RANGE,
                ", ".join(f"{d} {f.mean:.3f}" for d, f in found.items()),
                None,
                LABELS if verdict == HOLDS else verdict,
                "table1",
            )
        )
    dated = records.spread(
        "icews14/timestamp", "methods", "cagp", "overall", "auroc"
    )
    if dated is not None:
        rows.append(
            Claim(
                "queries of future time periods, by the dates of ICEWS14: "
                "what CAGP finds",
                RANGE,
                dated,
                None,
                not_below(dated, LEAST),
                "timestamp",
            )
        )
    return rows
