r"""The records of cells that are done."""

import json
from pathlib import Path
from typing import Any

from benchmark.paper.cell import Cell
from benchmark.paper.instructions import instructions
from pyg_cagp._utils.files import write_atomically
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.evaluate.record import plain
from pyg_cagp.exceptions import DatasetFormatError

SCHEMA = 1

#: Figures are kept with so many digits, which is more than any table shows.
DIGITS = 6


class Store:
    r"""A folder with one JSON record for each cell.

    Args:
        folder (str or pathlib.Path): The folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path(self, name: str) -> Path:
        r"""Returns the file of a cell."""
        return self.folder / f"{name}.json"

    def read(self, name: str) -> dict[str, Any] | None:
        r"""Returns the record of a cell, or :obj:`None`."""
        try:
            record = json.loads(self.path(name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise DatasetFormatError(
                f"'{self.path(name)}' is no record ({error}); delete it to "
                f"compute it again, or choose another folder of records"
            ) from None
        schema = record.get("schema") if isinstance(record, dict) else None
        if schema != SCHEMA or not {"key", "result"} <= record.keys():
            raise DatasetFormatError(
                f"'{self.path(name)}' is no record of schema {SCHEMA} (its "
                f"schema is {schema}); delete it to compute it again, or "
                f"choose another folder of records"
            )
        return record

    def names(self) -> list[str]:
        r"""Returns the names of all cells that have a record."""
        files = sorted(self.folder.rglob("*.json"))
        return [
            str(file.relative_to(self.folder).with_suffix(""))
            for file in files
            if not file.name.startswith(".")
        ]

    def has(self, cell: Cell, key: str) -> bool:
        r"""Tells whether a cell was computed, from the same data by the same
        code.

        Args:
            cell (Cell): The cell.
            key (str): Its key.
        """
        record = self.read(cell.name)
        return record is not None and record["key"] == key

    def write(
        self, cell: Cell, key: str, result: dict[str, Any], seconds: float
    ) -> None:
        r"""Writes the record of a cell, whole or not at all.

        Args:
            cell (Cell): The cell.
            key (str): Its key.
            result (dict): Its figures.
            seconds (float): How long it took.
        """
        record = {
            "schema": SCHEMA,
            "cell": cell.name,
            "key": key,
            "dataset": cell.dataset,
            "inputs": cell.inputs,
            "versions": package_versions(),
            "instructions": instructions(),
            "seconds": round(seconds, 2),
            "result": _rounded(plain(result)),
        }
        path = self.path(cell.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(record, indent=1, allow_nan=False)
        write_atomically(path, f"{text}\n".encode())


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return value
