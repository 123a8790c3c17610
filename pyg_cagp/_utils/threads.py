r"""A limit on the threads of linear algebra, for small problems."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_blas_thread() -> Iterator[None]:
    r"""Lets NumPy and SciPy use one thread for linear algebra.

    A logistic regression on a few features takes thousands of steps with
    matrices of a few numbers. Threads that wait for each other at every step
    make that several times slower. PyTorch keeps its threads.
    """
    # The limit reaches libraries that are loaded already.
    import scipy.optimize  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield
