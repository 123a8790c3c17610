r"""The result of a search for a config."""

from dataclasses import dataclass, field
from typing import Any

from pyg_cagp._utils.table import data_frame, format_table
from pyg_cagp.train.config import Config
from pyg_cagp.train.trial import TRIAL


@dataclass(frozen=True)
class TuneResult:
    r"""The result of :func:`tune`.

    Args:
        config (Config): The config of the best trial of the last rung.
        trials (list): The trials, in the order in which they were trained.
        minutes (float): The time of the search, in minutes.
    """

    config: Config
    trials: list[dict[str, Any]] = field(repr=False)
    minutes: float

    @property
    def best(self) -> dict[str, Any]:
        r"""The trial with the best validation MRR of the last rung."""
        last = max(trial["rung"] for trial in self.trials)
        trials = [trial for trial in self.trials if trial["rung"] == last]
        return max(trials, key=lambda trial: trial["val/mrr"])

    def to_dict(self) -> dict[str, Any]:
        r"""Returns the result as plain values."""
        return {
            "config": self.config.to_dict(),
            "best": self.best,
            "trials": self.trials,
            "minutes": self.minutes,
        }

    def to_frame(self) -> Any:
        r"""Returns the trials as a :class:`pandas.DataFrame`."""
        return data_frame(self.trials)

    def to_toml(self) -> str:
        r"""Returns the config as TOML, with the validation MRR on top."""
        best = self.best
        loss = best["val/log_loss"]
        lines = (
            f"validation MRR {best['val/mrr']:.4f}",
            f"validation log loss {'-' if loss is None else f'{loss:.4f}'}",
            f"measured on {best['triples']:,} training triples, after epoch "
            f"{best['epochs']} {best['note']}".rstrip(),
            f"{len(self.trials)} trainings in {self.minutes:.1f} minutes",
        )
        text = "".join(f"# {line}\n" for line in lines)
        return f"{text}\n{self.config.to_toml()}"

    def __repr__(self) -> str:
        names = [name for name in TRIAL if name != "changes"]
        rows = [(*names, "changes of the first config")]
        for trial in sorted(
            self.trials, key=lambda t: (-t["rung"], -t["val/mrr"])
        ):
            changes = (f"{k}={v}" for k, v in trial["changes"].items())
            rows.append((*(trial[name] for name in names), ", ".join(changes)))
        return format_table(rows)
