r"""The report as one page without links to other files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyg_cagp.protocols import PROTOCOLS
from pyg_cagp.report.canvas import check_packages, to_svg
from pyg_cagp.report.pictures import Picture, all_pictures
from pyg_cagp.report.summary import summarize


def render_page(
    record: dict[str, Any], *, pictures: Sequence[Picture] | None = None
) -> str:
    r"""Returns the page.

    Args:
        record (dict): The record of :func:`~pyg_cagp.report.gather`.
        pictures (sequence, optional): Its pictures, if they are drawn already.
            (default: :obj:`None`)
    """
    check_packages()
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("pyg_cagp.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    pages.filters.update(shown=shown, percent="{:.1%}".format)
    pictures = all_pictures(record) if pictures is None else pictures
    model = record["run"]["config"]["model"]["name"]
    # The last name of a folder.
    graph = Path(record["run"]["dataset"]).name or "a graph"
    return pages.get_template("page.html").render(
        record=record,
        title=f"How far to trust {model} on {graph}",
        summary=summarize(record),
        pictures=[(p, to_svg(p.figure, p.name, p.title)) for p in pictures],
        titles={name: rule.title for name, rule in PROTOCOLS.items()},
        run=run_as_text(record),
    )


def run_as_text(record: dict[str, Any]) -> str:
    r"""Returns the run without its history of training, as JSON."""
    run = {k: v for k, v in record["run"].items() if k != "progress"}
    return json.dumps(run, indent=2)


def shown(value: Any) -> Any:
    r"""Returns the text of a table cell. Text stays as it is.

    Example:
        >>> [shown(value) for value in (0.12345, None, 12345, True)]
        ['0.123', '-', '12,345', 'yes']
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else value
