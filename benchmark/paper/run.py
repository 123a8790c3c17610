r"""Computes what is not there yet, and loses no more than one cell if it is
interrupted.
"""

import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import (
    BrokenProcessPool,
    ProcessPoolExecutor,
)
from contextlib import nullcontext
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import NamedTuple

import torch

from benchmark.paper.cell import Cell, cell_keys
from benchmark.paper.huge_pages import huge_pages
from benchmark.paper.instructions import instructions, same_instructions
from benchmark.paper.progress import GridBar, effort
from benchmark.paper.store import Store
from benchmark.paper.worker import begin
from benchmark.paper.workshop import Workshop
from pyg_cagp._utils.threads import one_blas_thread
from pyg_cagp.exceptions import CAGPError, InvalidInputError

KILLED = "a process that computed cells was killed, perhaps for want of memory"

#: What models and scores in a workshop were computed with.
MARK = "instructions"

#: Seconds between two looks at the clock.
TICK = 1.0


class Outcome(NamedTuple):
    r"""What came of cells that were to be computed."""

    computed: int
    failed: dict[str, str]


def run_cells(
    cells: Sequence[Cell],
    store: Store,
    workshop: Workshop,
    jobs: int = 1,
    progress: bool = True,
    spawn: bool = False,
) -> Outcome:
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
        spawn (bool, optional): If set to :obj:`True`, a process is started even
            for a single job, which computes with AVX2 where the processor has
            AVX-512, as several jobs do in any case. (default: :obj:`False`)

    Returns:
        The number of cells that were computed, and the reasons why others
        could not be, by their names.
    """
    computed = 0
    failed: dict[str, str] = {}
    keys = cell_keys(cells, _digests(cells, workshop, failed))
    todo = {
        cell.name: cell
        for cell in _missing(cells, store, workshop, keys)
        if cell.name not in failed
    }
    bar = GridBar(todo.values(), disable=None if progress else True)
    crowd = {name: cell for name, cell in todo.items() if not cell.alone}
    alone = {name: cell for name, cell in todo.items() if cell.alone}
    spawn = spawn or jobs > 1
    with bar, same_instructions() as theirs:
        if todo:
            _check_instructions(workshop, theirs if spawn else instructions())
        # Cells that are computed alone are there for the time they take, which
        # is to be that of a process as anybody starts it.
        for part, processes, pages in (
            (crowd, jobs, huge_pages()),
            (alone, 1, nullcontext()),
        ):
            with pages:
                for cell, seconds, error in _computed(
                    part, store, workshop, keys, processes, failed, spawn, bar
                ):
                    bar.ended(cell, seconds, error is None)
                    if error is None:
                        computed += 1
                    else:
                        failed[cell.name] = error
    return Outcome(computed, failed)


def compute(
    cell: Cell, store: Store, workshop: Workshop, key: str
) -> tuple[float, str | None]:
    r"""Computes one cell and writes its record; returns the time it took, and
    why it could not be computed.
    """
    began = time.perf_counter()
    try:
        if cell.keeps is not None:
            # Between now and the end, nobody knows whose it is.
            _key_file(cell.keeps, workshop).unlink(missing_ok=True)
        result = cell.run(workshop)
        seconds = time.perf_counter() - began
        if cell.keeps is not None:
            _key_file(cell.keeps, workshop).write_text(key)
        store.write(cell, key, result, seconds)
    except (CAGPError, OSError) as error:
        return time.perf_counter() - began, str(error)
    except Exception as error:
        # What went wrong in one cell must not end the night's work on others.
        traceback.print_exc()
        reason = f"{type(error).__name__}: {error}"
        return time.perf_counter() - began, reason
    return seconds, None


def _check_instructions(workshop: Workshop, used: str) -> None:
    r"""Models that were trained with other instructions are other models,
    though they have the same name.
    """
    mark = workshop.path(MARK)
    before = mark.read_text() if mark.exists() else used
    if before != used:
        raise InvalidInputError(
            f"'{workshop.folder}' holds what was computed with {before} (got "
            f"{used}); choose another folder for models and scores, or delete "
            f"it"
        )
    mark.write_text(used)


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
    keys: dict[str, str],
) -> list[Cell]:
    there = {
        cell.name: cell.name in keys and store.has(cell, keys[cell.name])
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
                if not _is_kept(by_name[name], workshop, keys.get(name))
            )
    return [cell for cell in cells if cell.name in wanted]


def _is_kept(cell: Cell, workshop: Workshop, key: str | None) -> bool:
    r"""Tells whether what others read of a cell is there, computed from the
    same inputs, code and data: other records may share the workshop.
    """
    if cell.keeps is None:
        return True
    file = _key_file(cell.keeps, workshop)
    return (
        workshop.has(cell.keeps) and file.exists() and file.read_text() == key
    )


def _key_file(keeps: str, workshop: Workshop) -> Path:
    return workshop.path(f"{keeps}.key")


def _computed(
    todo: dict[str, Cell],
    store: Store,
    workshop: Workshop,
    keys: dict[str, str],
    jobs: int,
    failed: dict[str, str],
    spawn: bool,
    bar: GridBar,
) -> Iterator[tuple[Cell, float, str | None]]:
    if not spawn:
        for cell in todo.values():
            error = _cannot(cell, failed)
            if error is not None:
                yield cell, 0.0, error
                continue
            bar.began(cell)
            with one_blas_thread():
                found = compute(cell, store, workshop, keys[cell.name])
            yield cell, *found
        return
    threads = max(1, torch.get_num_threads() // jobs)
    waiting = dict(todo)
    done: set[str] = set()
    running: dict[Future, Cell] = {}
    while waiting:
        with ProcessPoolExecutor(
            jobs, get_context("spawn"), begin, (threads,)
        ) as pool:
            try:
                while waiting or running:
                    for cell in _ready(waiting, running, todo, done, jobs):
                        error = _cannot(cell, failed)
                        if error is not None:
                            done.add(cell.name)
                            yield cell, 0.0, error
                        else:
                            # If there is nobody to take it, it still waits.
                            waiting[cell.name] = cell
                            key = keys[cell.name]
                            future = pool.submit(
                                compute, cell, store, workshop, key
                            )
                            running[future] = waiting.pop(cell.name)
                            bar.began(cell)
                    finished, _ = wait(running, TICK, FIRST_COMPLETED)
                    bar.tick()
                    for future in finished:
                        found = future.result()
                        cell = running.pop(future)
                        done.add(cell.name)
                        yield cell, *found
            except BrokenProcessPool:
                # One of them was killed, and it cannot be told which; others
                # go on with new processes.
                for future, cell in running.items():
                    done.add(cell.name)
                    if future.done() and future.exception() is None:
                        yield cell, *future.result()
                    else:
                        less = "; '--jobs 1' needs less" if jobs > 1 else ""
                        yield cell, 0.0, f"{KILLED}{less}"
                running.clear()
            except (KeyboardInterrupt, GeneratorExit):
                # Who interrupts it does not want to wait for what began: some
                # cells take an hour.
                for process in active_children():
                    process.terminate()
                raise


def _ready(
    waiting: dict[str, Cell],
    running: dict[Future, Cell],
    todo: dict[str, Cell],
    done: set[str],
    jobs: int,
) -> Iterator[Cell]:
    r"""Takes cells that can start now from those that wait, first those that
    take longest: if they came last, other processes would wait for them.
    """
    for cell in sorted(waiting.values(), key=lambda c: -effort(c.name)):
        if len(running) == jobs:
            break
        if any(n in todo and n not in done for n in cell.needs):
            continue
        if cell.large and any(c.large for c in running.values()):
            continue
        del waiting[cell.name]
        yield cell


def _cannot(cell: Cell, failed: dict[str, str]) -> str | None:
    for name in cell.needs:
        if name in failed:
            return f"it needs '{name}', which was not computed"
    return None
