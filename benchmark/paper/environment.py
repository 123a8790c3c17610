r"""What processes that compute cells find in their environment."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def for_processes(variable: str, value: str) -> Iterator[None]:
    r"""Sets a variable for processes that are started meanwhile.

    Args:
        variable (str): Its name.
        value (str): Its value.
    """
    before = os.environ.get(variable)
    os.environ[variable] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before
