r"""The instructions of the processor that figures are computed with."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from benchmark.paper.environment import for_processes

VARIABLE = "ATEN_CPU_CAPABILITY"


def instructions() -> str:
    r"""Returns what PyTorch computes with in this process."""
    return torch.backends.cpu.get_cpu_capability()


@contextmanager
def same_instructions() -> Iterator[str]:
    r"""Has processes that are started meanwhile compute with AVX2 where the
    processor can do more, and tells what they compute with.

    AVX-512 adds twice as many numbers at a time, and so in another order. Two
    sums then differ in their last digit, and training goes another way from
    there: figures of networks that are trained would hang on the machine. This
    process has chosen when PyTorch was imported, so only others can follow.
    Whoever has set the variable knows best.
    """
    if VARIABLE in os.environ or instructions() != "AVX512":
        yield instructions()
        return
    with for_processes(VARIABLE, "avx2"):
        yield "AVX2"
