r"""One page on how far a run can be trusted."""

from pyg_cagp.report.findings import gather
from pyg_cagp.report.page import render_page
from pyg_cagp.report.report import draw_report, write_board, write_report

functions = [
    "draw_report",
    "gather",
    "render_page",
    "write_board",
    "write_report",
]

__all__ = functions
