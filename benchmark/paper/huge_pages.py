r"""Memory in huge pages for processes that compute cells."""

import os
from contextlib import AbstractContextManager, nullcontext

from benchmark.paper.environment import for_processes

VARIABLE = "GLIBC_TUNABLES"
TUNABLE = "glibc.malloc.hugetlb"
HUGE = f"{TUNABLE}=1"


def huge_pages() -> AbstractContextManager[None]:
    r"""Has processes that are started meanwhile ask Linux for large blocks in
    pages of 2 MiB in place of 4 KiB.

    The C library gives a large tensor back as soon as it is free, and each new
    one is filled with zeros, page by page. With huge pages there are 512 times
    fewer of them, and figures stay the same. It takes glibc 2.35 or newer and a
    Linux that gives them to programs that ask; elsewhere nothing changes.
    Whoever has set this tunable knows best, and others are kept.
    """
    given = os.environ.get(VARIABLE, "")
    if TUNABLE in given:
        return nullcontext()
    return for_processes(VARIABLE, f"{given}:{HUGE}" if given else HUGE)
