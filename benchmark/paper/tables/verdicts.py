r"""The table of claims: each claim of the paper beside our figure."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from benchmark.paper.tables.figures import SEPARATOR, figure, fill, read
from benchmark.paper.tables.measures import CLOSE
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.rules import (
    HOLDS,
    LABELS,
    RULES,
    WIDE_INTERVAL,
    WIDELY,
    on_each,
    unless,
)
from benchmark.paper.tables.spread import Spread
from benchmark.paper.tables.table import Table

FB = "fb15k-237"

NUMBERS = (int, float, Spread)

TITLE = "What holds and what does not (FB15k-237 unless a graph is named)"


class Row(NamedTuple):
    r"""A claim, the paper's figure, ours with the model that ships, ours with
    a model that is trained as the paper says, the verdict, and a note.
    """

    claim: str
    paper: Any
    measured: Any
    recipe: Any
    verdict: str
    note: str | None
    table: str


COLUMNS = tuple(
    "with the paper's recipe" if name == "recipe" else name
    for name in Row._fields
)


def verdicts(records: Records) -> Table:
    r"""Returns every claim of :obj:`claims.yaml` with its verdict."""
    rows = [row for claim in CLAIMS if (row := verdict_of(records, claim))]
    notes = []
    if len(rows) < len(CLAIMS):
        notes.append("Claims without a record are left out.")
    return Table("verdicts", TITLE, COLUMNS, rows, notes)


def expanded(
    items: list[dict[str, Any]], names: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    r"""Yields claims, once for each of the dictionaries in :obj:`each`."""
    for item in items:
        for more in item.get("each", [{}]):
            inner = {**names, **more}
            if item.get("only", inner["dataset"]) != inner["dataset"]:
                continue
            if "claims" in item:
                yield from expanded(item["claims"], inner)
            else:
                claim = {k: v for k, v in item.items() if k != "each"}
                yield fill({"dataset": inner["dataset"], **claim}, inner)


#: The claims of the paper. A claim has these keys:
#:
#: - claim, paper, table: as they are shown; paper may be a reference.
#: - figure: a specification of the figure measured. Or figures: several by
#:   name, with measured (a text that names them) or format (of each). Or
#:   across: one that is measured on each graph. extra: figures that the rule
#:   or a note uses, and that are not shown.
#: - recipe: the figure with the paper's recipe. other: the figure by another
#:   measure, with its name.
#: - rule, limit (of the figure, if it is not the paper's), margin; of: the
#:   figures that the rule is applied to, if not all, or for each place a figure
#:   and its limit. Or verdict: the verdict itself.
#: - labels: whether the labels are made of the measured signals; construction:
#:   a sentence on why the claim holds by construction.
#: - holds, fails, note: sentences for the note, the first two by verdict.
#: - dataset (default: FB15k-237); only_without: a graph whose records would
#:   make the claim superfluous.
CLAIMS = list(expanded(read("claims.yaml"), {"dataset": FB}))


def verdict_of(records: Records, claim: dict[str, Any]) -> Row | None:
    r"""Returns the row of a claim, or :obj:`None` without a record of it."""
    if claim.get("only_without") in records.datasets():
        return None
    figures = _figures(records, claim)
    paper = _paper(records, claim, figures)
    recipe = _one(records, claim, claim.get("recipe"))
    verdict, notes = claim.get("verdict"), []
    if verdict is None:
        compared = _compared(claim, figures, paper)
        if not compared or any(None in pair for pair in compared.values()):
            return None
        verdict, notes = _verdict(records, claim, compared, recipe)
    measured = _measured(claim, figures)
    if measured is None and "only_without" not in claim:
        return None
    keys = ["holds" if verdict.startswith(HOLDS) else "fails", "note"]
    notes += [_text(claim[key], figures) for key in keys if key in claim]
    note = " ".join(note for note in notes if note) or None
    shown = paper, measured, recipe, verdict, note
    return Row(claim["claim"], *shown, claim["table"])


def _one(records: Records, claim: dict[str, Any], spec: Any) -> Any:
    if isinstance(spec, str) and "digits" in claim:
        spec = {"figure": spec, "digits": claim["digits"]}
    return None if spec is None else figure(records, spec, claim["dataset"])


def _figures(records: Records, claim: dict[str, Any]) -> dict[str, Any]:
    if "across" in claim:
        values = {
            dataset: figure(records, claim["across"], dataset)
            for dataset in records.datasets()
        }
        return {d: value for d, value in values.items() if value is not None}
    specs = claim.get("figures", {"": claim.get("figure")})
    values = {n: _one(records, claim, spec) for n, spec in specs.items()}
    numbers = [float(v) for v in values.values() if isinstance(v, NUMBERS)]
    if "figures" in claim and numbers:
        values |= {"low": min(numbers), "high": max(numbers)}
    extra = claim.get("extra", {})
    return values | {n: _one(records, claim, s) for n, s in extra.items()}


def _paper(
    records: Records, claim: dict[str, Any], figures: Mapping[str, Any]
) -> Any:
    paper = claim.get("paper")
    if not isinstance(paper, str):
        return paper
    if SEPARATOR in paper:
        return figure(records, f"paper{SEPARATOR}{paper}", claim["dataset"])
    return _text(paper, figures)


def _compared(
    claim: dict[str, Any], figures: Mapping[str, Any], paper: Any
) -> dict[str, tuple[Any, Any]]:
    r"""Returns the figures that the rule is applied to, with their limits."""
    limit = claim.get("limit", paper)
    names = claim.get("figures", [""] if "figure" in claim else figures)
    pairs = claim.get("of", list(names))
    if isinstance(pairs, list):
        pairs = {name: [name, limit] for name in pairs}
    return {
        place: tuple(
            figures[part] if isinstance(part, str) else part for part in pair
        )
        for place, pair in pairs.items()
    }


def _verdict(
    records: Records,
    claim: dict[str, Any],
    compared: Mapping[str, tuple[Any, Any]],
    recipe: Any,
) -> tuple[str, list[str | None]]:
    r"""Returns the verdict of a rule, and notes on it."""
    rule = RULES[claim["rule"]]

    def by_rule(ours: Any, limit: Any) -> str:
        if not isinstance(ours, Spread):
            ours = Spread(float(ours))
        return rule(ours, float(limit), claim.get("margin", CLOSE))

    verdict, note = on_each({k: by_rule(*v) for k, v in compared.items()})
    ((_, limit), *_) = compared.values()
    if recipe is not None:
        shipped, verdict = verdict, by_rule(recipe, limit)
        note = unless(verdict, shipped, "With the model that ships")
    other = _one(records, claim, claim.get("other"))
    if other is not None:
        by = f"By its {claim['measure']}, {other}"
        note = unless(verdict, by_rule(other, limit), by)
    if verdict == WIDELY:
        return HOLDS, [WIDE_INTERVAL, note]
    if verdict == HOLDS and not note and "construction" in claim:
        return f"{HOLDS} by construction", [claim["construction"]]
    if verdict == HOLDS and not note and claim.get("labels"):
        note = LABELS
    return verdict, [note]


def _measured(claim: dict[str, Any], figures: Mapping[str, Any]) -> Any:
    if "measured" in claim:
        return _text(claim["measured"], figures)
    if "format" not in claim:
        return figures.get("")
    names = claim.get("figures", figures)
    return ", ".join(f"{n} {claim['format'].format(figures[n])}" for n in names)


def _text(template: str, figures: Mapping[str, Any]) -> str | None:
    r"""Returns a text with its figures, or :obj:`None` if it lacks one."""
    there = {k: v for k, v in figures.items() if k and v is not None}
    try:
        return template.format(**there)
    except KeyError:
        return None
