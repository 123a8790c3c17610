r"""How far the grid is, and how long the rest of it takes."""

from collections.abc import Collection
from threading import Event, Thread
from types import TracebackType

from tqdm import tqdm

from pyg_cagp.reproduce.cell import Cell

#: Seconds that a cell takes, by what it computes: means over graphs and seeds
#: of the committed records. Only their ratios matter.
EFFORT = {
    "confidences": 1700.0,
    "scores/gpn": 600.0,
    "scores/beurre": 350.0,
    "architectures": 200.0,
    "models": 200.0,
    "scores/ensemble": 200.0,
    "scores/ukge": 200.0,
    "recipe": 200.0,
    "scores/sngp": 150.0,
    "errors": 100.0,
    "scores/evidence": 100.0,
    "scores/probability": 80.0,
    "scores/relation-variance": 80.0,
    "conformal": 80.0,
    "timestamp": 100.0,
    "arrival": 70.0,
    "scores/mc-dropout": 50.0,
    "scores/energy": 30.0,
    "rival-errors": 30.0,
    "detection": 20.0,
    "cost": 12.0,
    "rivals": 8.0,
}

#: Seconds between two looks at the clock.
TICK = 1.0

#: Seconds of a cell that is not listed.
SHORT = 2.0


def effort(name: str) -> float:
    r"""Returns about how many seconds a cell takes.

    Args:
        name (str): Its name.

    Example:
        >>> effort("wn18rr/scores/gpn/0") > effort("wn18rr/scores/energy/0")
        True
    """
    parts = name.split("/")[1:]
    for kind in ("/".join(parts[:2]), *parts[:1]):
        if kind in EFFORT:
            return EFFORT[kind]
    return SHORT


class GridBar:
    r"""A progress bar over cells, which tells how much time is left.

    Some cells take a thousand times as long as others, so that their number
    says little: each counts with about the time it takes.

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
        self._done = 0
        self._bar = tqdm(
            total=sum(effort(cell.name) for cell in cells),
            desc=self._count(),
            # A mean over the whole run: cells of one kind follow each other.
            smoothing=0,
            bar_format="{desc} {percentage:3.0f}%|{bar}| "
            "[{elapsed}<{remaining}{postfix}]",
            disable=disable,
        )
        self._over = Event()
        self._clock = Thread(target=self._tick, daemon=True)

    def __enter__(self) -> "GridBar":
        if not self._bar.disable:
            self._clock.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._clock.is_alive():
            self._clock.join()
        self._bar.close()

    def done(self, cell: Cell, seconds: float) -> None:
        r"""Counts a cell.

        Args:
            cell (Cell): The cell.
            seconds (float): How long it took.
        """
        self._done += 1
        self._bar.set_description_str(self._count(), refresh=False)
        self._bar.set_postfix_str(f"{cell.name} {seconds:.0f} s", refresh=False)
        self._bar.update(effort(cell.name))
        self._bar.refresh()

    def _count(self) -> str:
        return f"cells: {self._done}/{self._number}"

    def _tick(self) -> None:
        r"""Shows that time passes, though a cell may take minutes."""
        while not self._over.wait(TICK):
            self._bar.refresh()
