r"""Memory in huge pages for processes that compute cells."""

from contextlib import AbstractContextManager

from pyg_cagp.reproduce.environment import for_processes

VARIABLE = "GLIBC_TUNABLES"
HUGE = "glibc.malloc.hugetlb=1"


def huge_pages() -> AbstractContextManager[None]:
    r"""Has processes that are started meanwhile ask Linux for large blocks in
    pages of 2 MiB in place of 4 KiB.

    The C library gives a large tensor back as soon as it is free, and each new
    one is filled with zeros, page by page. With huge pages there are 512 times
    fewer of them, and figures stay the same. It takes glibc 2.35 or newer and a
    Linux that lets programs ask; elsewhere nothing changes.
    """
    return for_processes(VARIABLE, HUGE)
