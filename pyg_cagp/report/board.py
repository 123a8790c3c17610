r"""The event files of a report for TensorBoard."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyg_cagp.evaluate import Result
from pyg_cagp.report.pictures import Picture
from pyg_cagp.train.tracker import Tracker

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


def write_board(
    folder: str | Path,
    found: dict[str, Any],
    *,
    pictures: Sequence[Picture] = (),
) -> None:
    r"""Writes event files for TensorBoard: the config and the AUROC of
    detection as cards of text, precision and recall of each method by
    protocol, and the report's pictures.

    Args:
        folder (str or pathlib.Path): The folder of the run; events go to its
            folder :obj:`report`.
        found (dict): The figures from :func:`~pyg_cagp.report.gather`.
        pictures (sequence, optional): The pictures. (default: :obj:`()`)
    """
    run = Path(folder)
    out = run / "report"
    # Those of an earlier report.
    for old in out.glob("events.out.tfevents.*"):
        old.unlink()
    tracker = Tracker(out)
    try:
        writer = tracker.writer
        writer.add_text("config", _card(found["run"]))
        if found["detection"]:
            writer.add_text("detection", _areas(found["detection"]))
        for protocol in found["detection"]:
            result = Result.load(run / f"evaluate-{protocol}.json")
            _curves(writer, protocol, result)
        for part in pictures:
            writer.add_figure(f"report/{part.name}", part.figure, 0)
    finally:
        tracker.close()


def _curves(writer: "SummaryWriter", protocol: str, result: Result) -> None:
    samples = result.samples
    label = (samples["kind"] > 0).long()
    for name in result["methods"]:
        score = samples[f"score/{name}"]
        # TensorBoard wants numbers in [0, 1]; only their order counts.
        place = score.unique(return_inverse=True)[1].double()
        share = place / place.max().clamp(min=1)
        writer.add_pr_curve(f"{protocol}/{name}", label, share, 0)


def _areas(detected: Mapping[str, Any]) -> str:
    # Not scalars: a card for each single number would hide those of training.
    methods = list(next(iter(detected.values()))["methods"])
    rows = [["AUROC", *methods], ["---"] * (1 + len(methods))]
    for protocol, part in detected.items():
        rated = [part["methods"][method]["overall"] for method in methods]
        rows.append([protocol, *(f"{row['auroc']:.4f}" for row in rated)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _card(record: Mapping[str, Any]) -> str:
    config = json.dumps(record["config"], indent=2)
    graph = ", ".join(f"{k} {v}" for k, v in record["graph"].items())
    return (
        f"**{record['config']['model']['name']}** on "
        f"**{record['dataset'] or 'a graph'}**, seed {record['seed']}\n\n"
        f"{graph}\n\n```json\n{config}\n```"
    )
