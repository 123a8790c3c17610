r"""What processes that compute cells find in their environment."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def for_processes(variable: str, value: str) -> Iterator[None]:
    r"""Sets a variable for processes that are started meanwhile, unless it is
    set: whoever has set it knows best.

    Args:
        variable (str): Its name.
        value (str): Its value.
    """
    if variable in os.environ:
        yield
        return
    os.environ[variable] = value
    try:
        yield
    finally:
        del os.environ[variable]
