r"""Draws who may import whom, as the test of the architecture has it.

    python docs/arrows.py

Only the arrows that say something are drawn: who may import B, which may import
A, may import A as well.
"""

import sys
from collections.abc import Mapping, Set
from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parent
PATH = DOCS / "images" / "arrows.svg"
#: What nearly everybody sees is not drawn.
BASE = {"typing", "exceptions"}
#: Where each part stands, in columns and rows.
PLACES: dict[str, tuple[float, float]] = {
    "datasets": (1, 0),
    "data": (0, 1),
    "coverage": (1, 1),
    "transforms": (2, 1),
    "nn": (1, 2),
    "uncertainty": (3, 2),
    "theory": (3, 3),
    "evaluate": (4, 2.5),
    "serving": (4, 1),
    "train": (2, 4),
    "metrics": (0, 4),
}
OUTSIDE = "advice, report, reproduce, cli"
WIDTH, HEIGHT, STEP_X, STEP_Y, LEFT, TOP = 104, 34, 152, 58, 14, 14


def needed(allowed: Mapping[str, Set[str]]) -> list[tuple[str, str]]:
    r"""Returns the arrows that follow from no others, from what is imported to
    what imports it.
    """
    seen = {
        part: set(other) - BASE
        for part, other in allowed.items()
        if part not in BASE
    }
    return sorted(
        (source, part)
        for part, sources in seen.items()
        for source in sources
        if not any(source in seen[other] for other in sources - {source})
    )


def box(x: float, y: float, width: float, name: str, fill: str) -> str:
    r"""Draws a part."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{HEIGHT}" rx="6" '
        f'fill="{fill}" stroke="#0072b2"/>'
        f'<text x="{x + width / 2:g}" y="{y + HEIGHT / 2 + 5:g}" '
        f'text-anchor="middle">{escape(name)}</text>'
    )


def arrow(source: str, target: str) -> str:
    r"""Draws an arrow from the right of one part to the left of another."""
    (x0, y0), (x1, y1) = PLACES[source], PLACES[target]
    start_x = LEFT + x0 * STEP_X + WIDTH
    start_y = TOP + y0 * STEP_Y + HEIGHT / 2
    end_x = LEFT + x1 * STEP_X - 3
    end_y = TOP + y1 * STEP_Y + HEIGHT / 2
    middle = start_x + (STEP_X - WIDTH) / 2
    return (
        f'<path d="M{start_x:g},{start_y:g} C{middle + 12:g},{start_y:g} '
        f'{end_x - 36:g},{end_y:g} {end_x:g},{end_y:g}" fill="none" '
        f'stroke="#444" marker-end="url(#tip)" '
        f'data-from="{source}" data-to="{target}"/>'
    )


def draw(allowed: Mapping[str, Set[str]]) -> str:
    r"""Returns the picture."""
    columns = 1 + max(x for x, _ in PLACES.values())
    rows = 1 + max(y for _, y in PLACES.values())
    width = 2 * LEFT + (columns - 1) * STEP_X + WIDTH
    bottom = TOP + rows * STEP_Y
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" '
        f'height="{bottom + HEIGHT + TOP:g}" '
        f'viewBox="0 0 {width:g} {bottom + HEIGHT + TOP:g}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="14">',
        "<title>Who may import whom</title>",
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" '
        'refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#444"/>'
        "</marker></defs>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    lines += [arrow(source, target) for source, target in needed(allowed)]
    for name, (x, y) in PLACES.items():
        place = LEFT + x * STEP_X, TOP + y * STEP_Y
        lines.append(box(*place, WIDTH, name, "#e8f2f9"))
    lines.append(
        box(LEFT, bottom, width - 2 * LEFT, f"{OUTSIDE}: see all", "#fdf3ec")
    )
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    r"""Writes the picture."""
    sys.path.insert(0, str(DOCS.parent))
    from tests.test_architecture import ALLOWED

    PATH.write_text(draw(ALLOWED), encoding="utf-8")
    print(PATH)


if __name__ == "__main__":
    main()
