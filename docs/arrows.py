r"""Draws the arrows of the package: A -> B means that B may import A.

    python docs/arrows.py

Arrows are transitive; an arrow that follows from others is not listed. The test
of the architecture reads the arrows from the picture.
"""

from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parent
PATH = DOCS / "images" / "arrows.svg"
#: For each room, the rooms that it may import. The room "pyg_cagp" is the
#: package's own __init__.py; __main__.py belongs to "cli".
ARROWS: dict[str, tuple[str, ...]] = {
    "data": (),
    "metrics": (),
    "datasets": ("data",),
    "coverage": ("data",),
    "nn": ("data",),
    "transforms": ("coverage",),
    "protocols": ("transforms",),
    "train": ("nn", "metrics"),
    "uncertainty": ("nn", "protocols", "metrics"),
    "evaluate": ("nn", "protocols", "metrics"),
    "theory": ("uncertainty",),
    "inference": ("datasets", "train", "uncertainty", "evaluate"),
    "report": ("inference", "theory"),
    "pyg_cagp": ("inference", "theory"),
    "cli": ("pyg_cagp", "report"),
}
#: The rooms that all others may import, each with its exceptions.
BASE: dict[str, tuple[str, ...]] = {
    "_utils": (),
    "exceptions": (),
    "typing": (),
}
#: The place of each room, in columns and rows.
PLACES: dict[str, tuple[float, float]] = {
    "data": (0, 1),
    "metrics": (0, 3.7),
    "datasets": (1, 5.3),
    "coverage": (1, 0),
    "nn": (1, 2),
    "transforms": (2, 0),
    "train": (2, 4.2),
    "protocols": (3, 0),
    "uncertainty": (4, 0.7),
    "evaluate": (4, 2.5),
    "theory": (5, 0.2),
    "inference": (5, 3.2),
    "pyg_cagp": (6, 0.2),
    "report": (6, 3.2),
    "cli": (7, 1.5),
}
WIDTH, HEIGHT, STEP_X, STEP_Y, LEFT, TOP = 92, 34, 134, 58, 14, 14


def box(x: float, y: float, width: float, name: str, fill: str) -> str:
    r"""Draws a room."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{HEIGHT}" rx="6" '
        f'fill="{fill}" stroke="#0072b2"/>'
        f'<text x="{x + width / 2:g}" y="{y + HEIGHT / 2 + 5:g}" '
        f'text-anchor="middle">{escape(name)}</text>'
    )


def arrow(source: str, target: str) -> str:
    r"""Draws an arrow from the right of one room to the left of another."""
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


def draw() -> str:
    r"""Returns the picture."""
    columns = 1 + max(x for x, _ in PLACES.values())
    rows = 1 + max(y for _, y in PLACES.values())
    width = 2 * LEFT + (columns - 1) * STEP_X + WIDTH
    bottom = TOP + rows * STEP_Y
    height = bottom + HEIGHT + TOP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" '
        f'height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="14">',
        "<title>An arrow from A to B: B may import A</title>",
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" '
        'refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#444"/>'
        "</marker></defs>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    lines += [
        arrow(source, target)
        for target, sources in ARROWS.items()
        for source in sources
    ]
    for name, (x, y) in PLACES.items():
        place = LEFT + x * STEP_X, TOP + y * STEP_Y
        lines.append(box(*place, WIDTH, name, "#e8f2f9"))
    words = [
        f"{name} to all" + "".join(f" but {other}" for other in but)
        for name, but in BASE.items()
    ]
    bar = box(LEFT, bottom, width - 2 * LEFT, ", ".join(words), "#fdf3ec")
    for name, but in BASE.items():
        lines.append(
            f'<g data-from="{name}" data-to="*" data-but="{" ".join(but)}"/>'
        )
    return "\n".join([*lines, bar, "</svg>", ""])


if __name__ == "__main__":
    PATH.write_text(draw(), encoding="utf-8")
    print(PATH)
