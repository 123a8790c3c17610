r"""The report of a run, written into its folder."""

from pathlib import Path
from typing import Any

import torch

from pyg_cagp._utils.files import check_target, make_folder, write_atomically
from pyg_cagp.report.board import write_board
from pyg_cagp.report.canvas import check_matplotlib, to_png
from pyg_cagp.report.findings import gather
from pyg_cagp.report.page import render_page
from pyg_cagp.report.pictures import all_pictures

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
