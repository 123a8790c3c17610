r"""The report of a run, written into its folder."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from pyg_cagp._utils.files import check_target, make_folder, write_atomically
from pyg_cagp.evaluate import Result
from pyg_cagp.report.canvas import check_matplotlib, to_png
from pyg_cagp.report.findings import gather
from pyg_cagp.report.page import render_page
from pyg_cagp.report.pictures import Picture, all_pictures
from pyg_cagp.train.tracker import Tracker

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

#: The file of the page in the folder of a run.
PAGE = "report.html"


def write_report(
    run_folder: str | Path,
    *,
    root: str | Path | None = None,
    dataset: str | Path | None = None,
    device: torch.device | str = "cpu",
    seed: int = 0,
    progress: bool = False,
) -> dict[str, Any]:
    r"""Evaluates a run by every protocol that applies to its graph. Writes into
    its folder one page without links (:obj:`report.html`), its pictures
    (:obj:`report/*.png`), all figures (:obj:`report.json`), the results of all
    evaluations, and event files for TensorBoard.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        root (str or pathlib.Path, optional): The folder of all datasets.
            (default: :obj:`None`)
        dataset (str or pathlib.Path, optional): The graph, if it is no longer
            in the place of training. (default: :obj:`None`)
        device (torch.device or str, optional): The device.
            (default: :obj:`"cpu"`)
        seed (int, optional): The seed of all random draws. (default: :obj:`0`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Returns:
        The figures of :obj:`report.json`.
    """
    # Before a minute of computing, not after it.
    check_matplotlib()
    check_target(Path(run_folder) / PAGE)
    source: dict[str, Any] = {"root": root, "dataset": dataset}
    found = gather(
        run_folder, **source, device=device, seed=seed, progress=progress
    )
    draw_report(run_folder, found)
    return found


def draw_report(run_folder: str | Path, found: dict[str, Any]) -> Path:
    r"""Writes the page, its pictures and event files for TensorBoard, and
    returns the path of the page.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        found (dict): The figures from :func:`~pyg_cagp.report.gather`.
    """
    folder = Path(run_folder)
    out = folder / "report"
    make_folder(out)
    for old in out.glob("*.png"):
        old.unlink()
    pictures = all_pictures(found)
    for part in pictures:
        write_atomically(out / f"{part.name}.png", to_png(part.figure))
    page = render_page(found, pictures=pictures)
    write_board(folder, found, pictures=pictures)
    write_atomically(folder / PAGE, page.encode())
    return folder / PAGE


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
