r"""Names of datasets."""

from pathlib import Path


def dataset_key(name: str | Path) -> str:
    r"""Returns the name of a dataset as the registry and the configs spell it.

    Args:
        name (str or pathlib.Path): The name, in any case.

    Example:
        >>> dataset_key("FB15k-237")
        'fb15k-237'
    """
    return str(name).lower()
