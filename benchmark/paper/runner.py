r"""Computes the experiments that have no record, several at a time."""

import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from typing import Any, NamedTuple

import torch
from tqdm import tqdm

from benchmark.paper.artifacts import Artifacts
from benchmark.paper.experiment import Experiment
from benchmark.paper.store import Store, provenance
from pyg_cagp._utils.threads import one_blas_thread
from pyg_cagp.exceptions import CAGPError

KILLED = (
    "a process was killed, perhaps for lack of memory; run it again with "
    "'--jobs 1'"
)

_limits = ExitStack()


class Outcome(NamedTuple):
    r"""How many experiments were computed, and why others were not."""

    computed: int
    failed: dict[str, str]


class Answer(NamedTuple):
    r"""The figures of an experiment, or the reason why there are none."""

    result: dict[str, Any]
    provenance: dict[str, Any]
    error: str = ""


def run_experiments(
    experiments: Sequence[Experiment],
    store: Store,
    artifacts: Artifacts,
    *,
    jobs: int = 1,
    progress: bool = True,
) -> Outcome:
    r"""Computes the experiments that have no record of the same identity.

    An experiment whose artifact is gone is computed again if another one
    needs it.

    Args:
        experiments (sequence): The experiments, each after those it needs.
        store (Store): Where records are.
        artifacts (Artifacts): Where graphs, models and scores come from.
        jobs (int, optional): How many are computed at a time, each by a
            process with its share of the cores. (default: :obj:`1`)
        progress (bool, optional): If set to :obj:`False`, shows no progress
            bar. (default: :obj:`True`)
    """
    data, failed = _digests(experiments, artifacts)
    todo = _missing(experiments, store, artifacts, data)
    todo = {name: e for name, e in todo.items() if name not in failed}
    computed = 0
    with tqdm(total=len(todo), disable=None if progress else True) as bar:
        # Experiments that measure time run one by one after all others.
        for alone in (False, True):
            part = {n: e for n, e in todo.items() if e.alone == alone}
            workers = 1 if alone else jobs
            for name, answer in _answers(part, failed, artifacts, workers):
                bar.update()
                bar.set_postfix_str(name)
                if answer.error:
                    failed[name] = answer.error
                    continue
                digest = data[todo[name].dataset]
                store.write(todo[name], digest, *answer[:2])
                computed += 1
    return Outcome(computed, failed)


def compute(experiment: Experiment, artifacts: Artifacts) -> Answer:
    r"""Computes one experiment.

    Args:
        experiment (Experiment): The experiment.
        artifacts (Artifacts): Where graphs, models and scores come from.
    """
    began = time.perf_counter()
    try:
        result = experiment.run(artifacts)
    except (CAGPError, OSError) as error:
        return Answer({}, {}, str(error))
    except Exception as error:
        # A defect in one experiment must not end hours of work on others.
        traceback.print_exc()
        return Answer({}, {}, f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - began
    return Answer(result, provenance(experiment.stages, seconds))


def _digests(
    experiments: Sequence[Experiment], artifacts: Artifacts
) -> tuple[dict[str, str], dict[str, str]]:
    r"""Returns the digest of each dataset, and which experiments have none."""
    digests, failed, reasons = {}, {}, {}
    for experiment in experiments:
        dataset = experiment.dataset
        if dataset not in digests and dataset not in reasons:
            try:
                digests[dataset] = artifacts.digest(dataset)
            except (CAGPError, OSError) as error:
                reasons[dataset] = str(error)
        if dataset in reasons:
            failed[experiment.name] = reasons[dataset]
    return digests, failed


def _missing(
    experiments: Sequence[Experiment],
    store: Store,
    artifacts: Artifacts,
    data: dict[str, str],
) -> dict[str, Experiment]:
    by_name = {e.name: e for e in experiments}
    wanted: set[str] = set()
    for experiment in reversed(experiments):
        digest = data.get(experiment.dataset, "")
        if not store.has(experiment, digest):
            wanted.add(experiment.name)
        if experiment.name in wanted and digest:
            wanted.update(
                name
                for name in experiment.needs
                if not _has_scores(by_name[name], artifacts)
            )
    return {e.name: e for e in experiments if e.name in wanted}


def _has_scores(experiment: Experiment, artifacts: Artifacts) -> bool:
    if not experiment.stores:
        return True
    return artifacts.tensors_path(experiment.dataset, experiment.key).exists()


def _begin(threads: int) -> None:
    torch.set_num_threads(threads)
    _limits.enter_context(one_blas_thread())


def _answers(
    todo: dict[str, Experiment],
    failed: dict[str, str],
    artifacts: Artifacts,
    jobs: int,
) -> Iterator[tuple[str, Answer]]:
    r"""Yields answers as they come, from processes with no other tasks."""
    if not todo:
        return
    threads = max(1, torch.get_num_threads() // jobs)
    waiting, left = dict(todo), dict(todo)
    running: dict[Future, Experiment] = {}
    with ProcessPoolExecutor(
        jobs, get_context("spawn"), _begin, (threads,)
    ) as pool:
        try:
            while waiting or running:
                for name in [n for n, e in waiting.items() if _lost(e, failed)]:
                    del left[name]
                    reason = _lost(waiting.pop(name), failed)
                    yield name, Answer({}, {}, reason)
                for experiment in _ready(waiting, running, set(left), jobs):
                    future = pool.submit(compute, experiment, artifacts)
                    running[future] = waiting.pop(experiment.name)
                for future in wait(running, return_when=FIRST_COMPLETED)[0]:
                    answer = future.result()
                    name = running.pop(future).name
                    del left[name]
                    yield name, answer
        except BrokenProcessPool:
            for name in left:
                yield name, Answer({}, {}, KILLED)
        except (KeyboardInterrupt, GeneratorExit):
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(getattr(pool, "_processes", {}).values()):
                process.terminate()
            raise


def _lost(experiment: Experiment, failed: dict[str, str]) -> str:
    for name in experiment.needs:
        if name in failed:
            return f"it needs '{name}', which was not computed"
    return ""


def _ready(
    waiting: dict[str, Experiment],
    running: dict[Future, Experiment],
    left: set[str],
    jobs: int,
) -> list[Experiment]:
    r"""Returns experiments that can start now: nothing they need is left to
    compute.
    """
    found: list[Experiment] = []
    for experiment in waiting.values():
        others = [*running.values(), *found]
        if len(others) == jobs:
            break
        crowded = experiment.large and any(e.large for e in others)
        if not crowded and left.isdisjoint(experiment.needs):
            found.append(experiment)
    return found
