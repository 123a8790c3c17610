r"""Names of datasets, entities and relations."""

import unicodedata
from pathlib import Path


def dataset_key(name: str | Path) -> str:
    r"""Returns the name of a dataset as the registry and the configs spell it.

    Example:
        >>> dataset_key("FB15k-237")
        'fb15k-237'
    """
    return str(name).lower()


def plain_name(name: str) -> str:
    r"""Returns a name without surrounding blanks and in composed Unicode form,
    in which a letter and its accent are one character.

    Example:
        >>> plain_name(" Zu\u0308rich") == "Z\u00fcrich"
        True
    """
    plain = name.strip()
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)
