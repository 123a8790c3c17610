r"""A process that computes cells for another one."""

import os
from contextlib import ExitStack
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from threading import Thread

import torch

from pyg_cagp._utils.threads import one_blas_thread

#: What holds for as long as the process lives.
_kept = ExitStack()


def begin(threads: int) -> None:
    r"""Leaves this process no more than its share of the cores, and has it end
    with the one that started it.

    Args:
        threads (int): How many threads it may have.
    """
    torch.set_num_threads(threads)
    _kept.enter_context(one_blas_thread())
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    r"""Ends this process when another one is gone, even if that was killed:
    nobody would learn what this one computes, for hours perhaps, and it would
    then wait for work for ever.
    """
    parent.join()
    os._exit(1)
