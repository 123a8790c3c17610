r"""Computes what is not there yet, and loses no more than one cell if it is
interrupted.
"""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch
from tqdm import tqdm

from pyg_cagp.exceptions import CAGPError
from pyg_cagp.reproduce.cell import Cell
from pyg_cagp.reproduce.store import Store
from pyg_cagp.reproduce.workshop import Workshop


def run_cells(
    cells: Sequence[Cell],
    store: Store,
    workshop: Workshop,
    jobs: int = 1,
    progress: bool = True,
) -> dict[str, str]:
    r"""Computes cells that have no record of the same inputs, code and data.

    A cell that is only needed for what it keeps is computed again if that is
    gone and some other cell still needs it.

    Args:
        cells (sequence): The cells, each after those it needs.
        store (Store): Where records are.
        workshop (Workshop): Where graphs and models come from.
        jobs (int, optional): How many cells are computed at a time, each by one
            process with its share of the cores. (default: :obj:`1`)
        progress (bool, optional): If set to :obj:`False`, shows no progress
            bar. (default: :obj:`True`)

    Returns:
        The reasons why cells could not be computed, by their names.
    """
    failed: dict[str, str] = {}
    digests = _digests(cells, workshop, failed)
    todo = {
        cell.name: cell
        for cell in _missing(cells, store, workshop, digests)
        if cell.name not in failed
    }
    bar = tqdm(
        total=len(todo),
        desc="cells",
        unit="cell",
        disable=None if progress else True,
    )
    crowd = {name: cell for name, cell in todo.items() if not cell.alone}
    with bar:
        for cell, seconds, error in _computed(crowd, store, workshop, jobs):
            bar.set_postfix_str(f"{cell.name} {seconds:.0f} s")
            bar.update()
            if error is not None:
                failed[cell.name] = error
        for cell in (cell for cell in todo.values() if cell.alone):
            error = compute(cell, store, workshop)[1]
            bar.update()
            if error is not None:
                failed[cell.name] = error
    return failed


def compute(
    cell: Cell, store: Store, workshop: Workshop
) -> tuple[float, str | None]:
    r"""Computes one cell and writes its record; returns the time it took, and
    why it could not be computed.
    """
    began = time.perf_counter()
    try:
        result = cell.run(workshop)
    except CAGPError as error:
        return time.perf_counter() - began, str(error)
    seconds = time.perf_counter() - began
    store.write(cell, workshop.digest(cell.dataset), result, seconds)
    return seconds, None


def _digests(
    cells: Sequence[Cell], workshop: Workshop, failed: dict[str, str]
) -> dict[str, str]:
    digests, reasons = {}, {}
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        try:
            digests[dataset] = workshop.digest(dataset)
        except (CAGPError, OSError) as error:
            reasons[dataset] = str(error)
    for cell in cells:
        if cell.dataset in reasons:
            failed[cell.name] = reasons[cell.dataset]
    return digests


def _missing(
    cells: Sequence[Cell],
    store: Store,
    workshop: Workshop,
    digests: dict[str, str],
) -> list[Cell]:
    there = {
        cell.name: cell.dataset in digests
        and store.has(cell, digests[cell.dataset])
        for cell in cells
    }
    by_name = {cell.name: cell for cell in cells}
    wanted: set[str] = set()
    for cell in reversed(cells):
        if not there[cell.name]:
            wanted.add(cell.name)
        if cell.name in wanted:
            # What a cell reads must be there, not only the record of it.
            wanted.update(
                name
                for name in cell.needs
                if by_name[name].keeps is not None
                and not workshop.has(by_name[name].keeps)  # type: ignore[arg-type]
            )
    return [cell for cell in cells if cell.name in wanted]


def _computed(
    todo: dict[str, Cell], store: Store, workshop: Workshop, jobs: int
) -> Iterator[tuple[Cell, float, str | None]]:
    if jobs == 1:
        for cell in todo.values():
            yield cell, *compute(cell, store, workshop)
        return
    threads = max(1, (os.cpu_count() or 1) // jobs)
    waiting, done = dict(todo), set()
    running: dict[Future, Cell] = {}
    with ProcessPoolExecutor(
        jobs, get_context("spawn"), torch.set_num_threads, (threads,)
    ) as pool:
        while waiting or running:
            for cell in list(waiting.values()):
                if len(running) == jobs:
                    break
                if all(n in done or n not in todo for n in cell.needs):
                    future = pool.submit(compute, cell, store, workshop)
                    running[future] = waiting.pop(cell.name)
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                cell = running.pop(future)
                done.add(cell.name)
                yield cell, *future.result()


def work_folder(given: str | None, cache: Path) -> Path:
    r"""Returns where models and scores are kept."""
    return Path(given) if given else cache / "reproduce"
