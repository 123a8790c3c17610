r"""The report of a run, written into its folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from pyg_cagp._utils.files import check_target, make_folder, write_atomically
from pyg_cagp.evaluate import Result
from pyg_cagp.report.canvas import check_packages, to_png
from pyg_cagp.report.page import render_page, run_as_text
from pyg_cagp.report.pictures import Picture, all_pictures
from pyg_cagp.report.record import gather
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
    (:obj:`report/*.png`), all numbers (:obj:`report.json`), the results of all
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
        The record, as in :obj:`report.json`.
    """
    # Checked first, because the evaluation takes minutes.
    check_packages()
    check_target(Path(run_folder) / PAGE)
    record = gather(
        run_folder,
        root=root,
        dataset=dataset,
        device=device,
        seed=seed,
        progress=progress,
    )
    draw_report(run_folder, record)
    return record


def draw_report(run_folder: str | Path, record: dict[str, Any]) -> Path:
    r"""Writes the page, its pictures and event files for TensorBoard, and
    returns the path of the page.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        record (dict): The record of :func:`~pyg_cagp.report.gather`.
    """
    folder = Path(run_folder)
    out = folder / "report"
    make_folder(out)
    for old in out.glob("*.png"):
        old.unlink()
    pictures = all_pictures(record)
    for picture in pictures:
        write_atomically(out / f"{picture.name}.png", to_png(picture.figure))
    page = render_page(record, pictures=pictures)
    write_tensorboard(folder, record, pictures=pictures)
    write_atomically(folder / PAGE, page.encode())
    return folder / PAGE


def write_tensorboard(
    run_folder: str | Path,
    record: dict[str, Any],
    *,
    pictures: Sequence[Picture] = (),
) -> None:
    r"""Writes event files for TensorBoard into the folder :obj:`report` of a
    run: the config and the results as text, the precision-recall curve of each
    method by protocol, and the pictures.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        record (dict): The record of :func:`~pyg_cagp.report.gather`.
        pictures (sequence, optional): The pictures. (default: :obj:`()`)
    """
    folder = Path(run_folder)
    for old in (folder / "report").glob("events.out.tfevents.*"):
        old.unlink()
    tracker = Tracker(folder / "report")
    try:
        writer = tracker.writer
        writer.add_text("config", f"```json\n{run_as_text(record)}\n```")
        for protocol in record["detection"]:
            result = Result.load(folder / f"evaluate-{protocol}.json")
            # As scalars, the numbers would hide the curves of training.
            writer.add_text(f"detection/{protocol}", f"```\n{result}\n```")
            _add_curves(writer, result)
        for picture in pictures:
            writer.add_figure(f"report/{picture.name}", picture.figure, 0)
    finally:
        tracker.close()


def _add_curves(writer: "SummaryWriter", result: Result) -> None:
    label = (result.samples["kind"] > 0).long()
    for name in result["methods"]:
        score = result.samples[f"score/{name}"]
        # TensorBoard needs numbers in [0, 1]; only their order counts.
        position = score.unique(return_inverse=True)[1].double()
        share = position / position.max().clamp(min=1)
        writer.add_pr_curve(f"{result.protocol}/{name}", label, share, 0)
