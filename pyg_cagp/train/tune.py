r"""A search for the config of a graph in limited time."""

import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data
from tqdm import tqdm

from pyg_cagp._utils.documents import fits, read_document
from pyg_cagp._utils.files import check_target, make_folder, write_atomically
from pyg_cagp.data import as_kg, kg_digest
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train.config import Config
from pyg_cagp.train.rungs import Rung, make_rungs
from pyg_cagp.train.trial import (
    CUT,
    TRIAL,
    draw_changes,
    measure,
    write_events,
)
from pyg_cagp.train.tune_result import TuneResult
from pyg_cagp.typing import ModelName

SCHEMA = 1

#: The largest number of trials, the share of a rung that enters the next one,
#: and the least number of those.
MAX_TRIALS, PROMOTED, LEAST_PROMOTED = 64, 1 / 4, 2


def tune(
    kg: Any,
    model: ModelName = "gaussian-distmult",
    *,
    minutes: float = 20,
    out: str | Path | None = None,
    seed: int = 0,
    device: torch.device | str = "cpu",
    progress: bool = True,
) -> TuneResult:
    r"""Searches for a config by validation MRR, in limited time.

    Many configs are trained on a small dense core of the graph (see
    :func:`k_core`) for half of the epochs, the best quarter of them on a larger
    core, and the best of those on the whole graph: successive halving, as in
    the `"Start Small, Think Big: On Hyperparameter Optimization for Large-Scale
    Knowledge Graph Embeddings" <https://arxiv.org/abs/2207.04979>`_ paper. The
    last rung has half of the time, and trains others while some is left. The
    first config is that of :meth:`Config.for_graph`, which enters every rung;
    the others change it at random. A training that diverges has an MRR of 0.

    With :obj:`out`, the config is written to a file. The trials are written
    beside it (:obj:`<out>.trials.json`), with event files for TensorBoard
    (:obj:`<out>.trials/`). A later call with the same file continues the
    search.

    Args:
        kg (Data or Any): The graph; see :func:`~pyg_cagp.data.as_kg`.
        model (str, optional): The name of the model.
            (default: :obj:`"gaussian-distmult"`)
        minutes (float, optional): The time, with that of interrupted calls.
            (default: :obj:`20`)
        out (str or pathlib.Path, optional): The TOML file of the config.
            (default: :obj:`None`)
        seed (int, optional): The seed of configs and of training.
            (default: :obj:`0`)
        device (torch.device or str, optional): The device to train on.
            (default: :obj:`"cpu"`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`True`)
    """
    if not 0 < minutes < math.inf:
        raise InvalidInputError(f"'minutes' must be positive (got {minutes})")
    kg = as_kg(kg)
    if not kg.val_mask.any():
        raise InvalidInputError(
            "'kg' has no validation triples, by which configs are compared; "
            "load(path, seed=...) holds some out at random from a single file, "
            "and from a folder without 'valid'"
        )
    path = None if out is None else Path(out)
    search = _Search(kg, model, 60 * minutes, path, seed, device)
    with tqdm(
        total=round(60 * minutes),
        desc="tuning",
        unit="s",
        disable=None if progress else True,
    ) as bar:
        search.run(bar)
    result = TuneResult(search.base, search.trials, search.clock() / 60)
    config = search.base.override(result.best["changes"])
    source = f"tuned by validation MRR for {result.minutes:.1f} minutes"
    result = replace(result, config=replace(config, source=source))
    if path is not None:
        write_atomically(path, result.to_toml().encode())
    return result


class _Search:
    r"""The trials of a search, stored after each of them."""

    def __init__(
        self,
        kg: Data,
        model: ModelName,
        seconds: float,
        out: Path | None,
        seed: int,
        device: torch.device | str,
    ) -> None:
        self.start = time.monotonic()
        self.kg, self.seconds, self.seed = kg, seconds, seed
        self.device = device
        self.trials: list[dict[str, Any]] = []
        self.spent = 0.0
        self.out = out
        self.identity = {"graph": kg_digest(kg), "model": model, "seed": seed}
        self.base = Config.for_graph(kg, model)
        if out is not None:
            make_folder(out.parent)
            check_target(out)
            self.state = out.with_suffix(".trials.json")
            if self.state.exists():
                self._load()
            elif out.exists():
                raise InvalidInputError(
                    f"'{out}' already exists; choose another file (--out)"
                )

    def clock(self) -> float:
        r"""Returns the seconds of the search so far."""
        return self.spent + time.monotonic() - self.start

    def run(self, bar: Any) -> None:
        r"""Trains rung by rung until the time is over."""
        trials, rungs = (
            list(range(MAX_TRIALS)),
            make_rungs(self.kg, self.seconds),
        )
        for number, rung in enumerate(rungs):
            for trial in trials:
                done = (trial, number) in {
                    (t["trial"], t["rung"]) for t in self.trials
                }
                # There is one result at least.
                late = self.trials and self.clock() >= rung.end
                if not done and not late:
                    self._train(trial, number, rung)
                bar.n = min(round(self.clock()), bar.total)
                bar.set_postfix(rung=number, trials=len(self.trials))
            trials = self._promoted(number, last=number == len(rungs) - 2)

    def _promoted(self, rung: int, *, last: bool) -> list[int]:
        r"""Returns the best trials of a rung, and the first one. The others
        follow in the last rung, which goes on as long as there is time.
        """
        trials = [t for t in self.trials if t["rung"] == rung]
        trials.sort(key=lambda t: (-t["val/mrr"], t["trial"]))
        count = max(LEAST_PROMOTED, round(PROMOTED * len(trials)))
        order = [t["trial"] for t in trials]
        rest = order[count:] if last else []
        return list(dict.fromkeys([*order[:count], 0, *rest]))

    def _train(self, trial: int, number: int, rung: Rung) -> None:
        changes = draw_changes(self.base, self.kg.num_nodes, self.seed, trial)
        config = self.base.override(changes)
        epochs = max(1, round(rung.share * config.train.epochs))
        every = min(epochs, config.train.eval_every)
        config = config.override(
            {"train.epochs": epochs, "train.eval_every": every}
        )
        began = time.monotonic()
        end = began + rung.end - self.clock()
        measured = measure(rung.kg, config, self.seed, self.device, end)
        self.trials.append(
            {
                "trial": trial,
                "rung": number,
                "k": rung.k,
                "triples": int(rung.kg.train_mask.sum()),
                **measured,
                "seconds": round(time.monotonic() - began, 2),
                "changes": changes,
            }
        )
        if self.out is not None:
            self._save(config)

    def _save(self, config: Config) -> None:
        document = {
            "schema": SCHEMA,
            "search": self.identity,
            "first": self.base.to_dict(),
            "limit": self.seconds,
            "seconds": self.clock(),
            "trials": self.trials,
        }
        text = json.dumps(document, indent=1, allow_nan=False)
        write_atomically(self.state, text.encode())
        write_events(self.state.with_suffix(""), config, self.trials[-1])

    def _load(self) -> None:
        forms = {
            "search": dict,
            "first": dict,
            "limit": (int, float),
            "seconds": (int, float),
            "trials": lambda v: (
                isinstance(v, list) and all(fits(trial, TRIAL) for trial in v)
            ),
        }
        remedy = "delete it to search anew"
        stored = read_document(self.state, SCHEMA, forms, remedy)
        if stored["search"] != self.identity:
            raise InvalidInputError(
                f"'{self.state}' belongs to another search: its graph, model "
                f"or seed differs; choose another file (--out)"
            )
        self.base = Config.from_dict(stored["first"], f"'{self.state}'")
        self.trials, self.spent = stored["trials"], float(stored["seconds"])
        if self.seconds > stored["limit"]:
            # With more time, trainings that were cut short are repeated.
            self.trials = [t for t in self.trials if t["note"] != CUT]
