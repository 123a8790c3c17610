r"""Computes the experiments that have no record, several at a time."""

import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import ExitStack
from itertools import groupby
from multiprocessing import get_context
from typing import Any, NamedTuple

import torch
from tqdm import tqdm

from benchmark.paper.artifacts import Artifacts
from benchmark.paper.experiment import Experiment
from benchmark.paper.store import Store, figures, provenance, rounded
from pyg_cagp._utils.threads import one_blas_thread
from pyg_cagp.evaluate.record import plain
from pyg_cagp.exceptions import CAGPError

KILLED = (
    "a process was killed, perhaps for lack of memory; run it again with "
    "'--jobs 1'"
)

_limits = ExitStack()


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
) -> tuple[int, dict[str, str]]:
    r"""Computes the experiments that have no record of the same identity, and
    returns how many were computed, and why others were not.

    Models come first, then stored scores, then the experiments that read both.
    If stored scores are missing and an experiment needs them, they are computed
    again.
    """
    data, failed = _digests(experiments, artifacts)
    there = [e for e in experiments if e.name not in failed]
    todo = _missing(there, store, artifacts, data)
    computed = 0
    with tqdm(total=len(todo), disable=None if progress else True) as bar:
        for part, workers in _phases(todo, jobs):
            for experiment, answer in _answers(part, artifacts, workers):
                bar.update()
                bar.set_postfix_str(experiment.name)
                if answer.error:
                    failed[experiment.name] = answer.error
                    continue
                digest = data[experiment.dataset]
                store.write(experiment, digest, *answer[:2])
                computed += 1
    return computed, failed


def _phases(
    todo: Sequence[Experiment], jobs: int
) -> Iterator[tuple[list[Experiment], int]]:
    r"""Yields experiments that may run at the same time, and how many."""

    def phase(experiment: Experiment) -> tuple[int, bool]:
        if experiment.alone:
            return 3, True
        depth = 1 if experiment.stores else 2 if experiment.needs else 0
        return depth, experiment.large

    for key, part in groupby(sorted(todo, key=phase), phase):
        yield list(part), 1 if key[1] else jobs


def compute(experiment: Experiment, artifacts: Artifacts) -> Answer:
    r"""Computes one experiment."""
    began = time.perf_counter()
    try:
        result = experiment.run(artifacts)
    except (CAGPError, OSError) as error:
        return Answer({}, {}, str(error))
    except Exception as error:
        # A defect in one experiment must not stop the others.
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
) -> list[Experiment]:
    by_name = {e.name: e for e in experiments}
    wanted: set[str] = set()
    for experiment in reversed(experiments):
        if not store.has(experiment, data[experiment.dataset]):
            wanted.add(experiment.name)
        if experiment.name in wanted:
            wanted.update(
                name
                for name in experiment.needs
                if not _has_scores(by_name[name], artifacts)
            )
    return [e for e in experiments if e.name in wanted]


def _has_scores(experiment: Experiment, artifacts: Artifacts) -> bool:
    if not experiment.stores:
        return True
    return artifacts.tensors_path(experiment.dataset, experiment.key).exists()


def _begin(threads: int) -> None:
    torch.set_num_threads(threads)
    _limits.enter_context(one_blas_thread())


def _answers(
    todo: Sequence[Experiment], artifacts: Artifacts, jobs: int
) -> Iterator[tuple[Experiment, Answer]]:
    r"""Yields answers as they come, from processes with no other tasks."""
    threads = max(1, torch.get_num_threads() // jobs)
    with ProcessPoolExecutor(
        jobs, get_context("spawn"), _begin, (threads,)
    ) as pool:
        running = {pool.submit(compute, e, artifacts): e for e in todo}
        try:
            for future in as_completed(running):
                try:
                    answer = future.result()
                except BrokenProcessPool:
                    answer = Answer({}, {}, KILLED)
                yield running[future], answer
        except (KeyboardInterrupt, GeneratorExit):
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(getattr(pool, "_processes", {}).values()):
                process.terminate()
            raise


def recompute(
    experiments: Sequence[Experiment],
    names: Sequence[str],
    store: Store,
    artifacts: Artifacts,
) -> Iterator[tuple[str, list[str]]]:
    r"""Computes records again, with all they need, and yields which figures
    differ. The provenance of an equal record is renewed.
    """
    for experiment in tqdm(experiments, disable=None):
        stored = store.read(experiment.name)
        if experiment.name not in names and not experiment.stores:
            continue
        answer = compute(experiment, artifacts)
        if experiment.name not in names:
            continue
        if answer.error or stored is None:
            yield experiment.name, [answer.error or "there is no record"]
            continue
        before, now = (
            dict(figures(value))
            for value in (stored["result"], rounded(plain(answer.result)))
        )
        different = [
            f"{place}: {before.get(place)} -> {now.get(place)}"
            for place in before | now
            if before.get(place) != now.get(place)
        ]
        if not different:
            verified = {**answer.provenance, "verified_by": "recomputation"}
            store.add([{**stored, "provenance": verified}])
        yield experiment.name, different
