r"""A page on how far the predictions of a run can be trusted."""

from pyg_cagp.report.page import render_page
from pyg_cagp.report.record import gather
from pyg_cagp.report.report import draw_report, write_report, write_tensorboard

functions = [
    "draw_report",
    "gather",
    "render_page",
    "write_tensorboard",
    "write_report",
]

__all__ = functions
