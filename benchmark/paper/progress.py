r"""How far the grid is, and how long the rest of it takes."""

import time
from collections.abc import Collection

from tqdm import tqdm

from benchmark.paper.cell import Cell

#: Seconds that a cell takes, by what it computes: means over graphs and seeds
#: of the committed records. Only their ratios matter.
EFFORT = {
    "confidences": 840.0,
    "scores/gpn": 290.0,
    "models": 230.0,
    "scores/beurre": 150.0,
    "recipe": 110.0,
    "scores/ensemble": 94.0,
    "architectures": 94.0,
    "scores/ukge": 75.0,
    "scores/sngp": 75.0,
    "timestamp": 44.0,
    "errors": 25.0,
    "scores/mc-dropout": 21.0,
    "conformal": 16.0,
    "rival-errors": 14.0,
    "cost": 12.0,
    "scores/evidence": 10.0,
    "scores/relation-variance": 7.0,
    "scores/energy": 7.0,
    "scores/probability": 6.0,
    "detection": 5.0,
    "rivals": 3.0,
    "arrival": 1.0,
}

#: How much longer, or shorter, they take on a graph than on others.
SIZE = {
    "fb15k-237": 1.3,
    "wn18rr": 1.1,
    "icews14": 0.8,
    "yago-sample": 1.3,
    "codex-s": 0.3,
}

#: Seconds of a cell that is not listed.
SHORT = 0.5


def kind(name: str) -> str:
    r"""Returns what a cell computes, whatever the graph and the seed.

    Args:
        name (str): Its name.

    Example:
        >>> kind("wn18rr/scores/gpn/0"), kind("fb15k-237/tau/1")
        ('scores/gpn', 'tau')
    """
    parts = name.split("/")[1:]
    both = "/".join(parts[:2])
    return both if both in EFFORT else parts[0] if parts else name


def effort(name: str) -> float:
    r"""Returns about how many seconds a cell takes.

    Args:
        name (str): Its name.
    """
    graph = name.split("/")[0]
    return SIZE.get(graph, 1.0) * EFFORT.get(kind(name), SHORT)


class GridBar:
    r"""A progress bar over cells, which tells how much time is left.

    Some cells take a thousand times as long as others, so that their number
    says little: each counts with about the time it takes, and one that is under
    way with the time that has passed.

    Args:
        cells (collection): The cells that are to be computed.
        disable (bool, optional): If set to :obj:`True`, nothing is shown; if
            :obj:`None`, nothing is shown where there is no terminal.
            (default: :obj:`None`)
    """

    def __init__(
        self, cells: Collection[Cell], disable: bool | None = None
    ) -> None:
        self._number = len(cells)
        self._count = 0
        self._done = 0.0
        self._running: dict[str, float] = {}
        self._bar = tqdm(
            total=sum(effort(cell.name) for cell in cells),
            desc=f"cells: 0/{self._number}",
            # A mean over the whole run: cells of one kind follow each other.
            smoothing=0,
            bar_format="{desc} {percentage:3.0f}%|{bar}| "
            "[{elapsed}<{remaining}{postfix}]",
            disable=disable if cells else True,
        )

    def __enter__(self) -> "GridBar":
        return self

    def __exit__(self, *args: object) -> None:
        self._bar.close()

    def began(self, cell: Cell) -> None:
        r"""Notes that a cell is under way.

        Args:
            cell (Cell): The cell.
        """
        self._running[cell.name] = time.monotonic()

    def ended(self, cell: Cell, seconds: float, computed: bool) -> None:
        r"""Counts a cell.

        Args:
            cell (Cell): The cell.
            seconds (float): How long it took.
            computed (bool): Whether it was computed. If not, it says nothing
                about how long others take.
        """
        self._running.pop(cell.name, None)
        self._count += 1
        if computed:
            self._done += effort(cell.name)
        else:
            self._bar.total -= effort(cell.name)
        self._bar.set_description_str(
            f"cells: {self._count}/{self._number}", refresh=False
        )
        self._bar.set_postfix_str(f"{cell.name} {seconds:.0f} s", refresh=False)
        self.tick()

    def tick(self) -> None:
        r"""Shows that time passes, though a cell may take minutes."""
        now = time.monotonic()
        under_way = sum(
            min(now - since, effort(name))
            for name, since in self._running.items()
        )
        self._bar.n = self._done + under_way
        self._bar.refresh()
