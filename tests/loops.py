"""A test of many values that counts as one test."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def for_each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable:
    """Runs a test with each value, and reports every value that fails.

    It takes the arguments of :func:`pytest.mark.parametrize`, but makes one
    test, so that all values share the fixtures of the test.
    """
    names = (names,) if isinstance(names, str) else names
    rows = [(row,) if len(names) == 1 else row for row in values]

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            errors: list[BaseException] = []
            for row in rows:
                arguments = dict(zip(names, row, strict=True))
                try:
                    test(**arguments, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"with {arguments}")
                    errors.append(error)
            if errors:
                message = f"{len(errors)} of {len(rows)} values fail"
                raise BaseExceptionGroup(message, errors)

        signature = inspect.signature(test)
        run.__signature__ = signature.replace(
            parameters=[
                parameter
                for name, parameter in signature.parameters.items()
                if name not in names
            ]
        )
        return run

    return decorate
