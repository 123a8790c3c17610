r"""A limit on the threads of linear algebra, for small problems."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_blas_thread() -> Iterator[None]:
    r"""Lets NumPy and SciPy use one thread for linear algebra.

    A logistic regression on a few features takes thousands of steps with small
    matrices. Several threads would wait for each other at every step and be
    several times slower. The threads of PyTorch are not limited.
    """
    # The limit applies to libraries that are loaded already.
    import scipy.optimize  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield
