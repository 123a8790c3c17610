r"""Reads a graph from a folder or a single file."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.files import expand
from pyg_cagp.data.columns import (
    check_names,
    encode,
    extra_kind,
    number_names,
    parse_confidence,
    parse_time,
)
from pyg_cagp.data.kg import join_splits
from pyg_cagp.data.reader import read_table
from pyg_cagp.data.splits import complete_splits
from pyg_cagp.data.table import SUFFIXES, TripleTable, table_suffix
from pyg_cagp.data.text import find_surrogate, read_blocks
from pyg_cagp.exceptions import (
    CAGPWarning,
    DatasetFormatError,
    InvalidInputError,
)
from pyg_cagp.typing import Extra, SplitRule

_SPLIT_OF = {
    "train": "train",
    **dict.fromkeys(("valid", "val", "validation", "dev"), "val"),
    "test": "test",
}


def find_files(path: str | Path) -> dict[str, Path]:
    r"""Returns the file of each split, or a single file as :obj:`"all"`."""
    path = expand(path)
    if path.is_file():
        return {"all": path}
    if not path.is_dir():
        raise DatasetFormatError(f"'{path}' is neither a folder nor a file")
    folders = [folder for folder in (path, path / "raw") if folder.is_dir()]
    listed = [_tables_in(folder) for folder in folders]
    for folder, tables in zip(folders, listed, strict=True):
        if files := _split_files(folder, tables):
            return files
    for tables in listed:
        if len(tables) == 1:
            return {"all": tables[0]}
    names = [file.name for tables in listed for file in tables]
    raise DatasetFormatError(
        f"'{path}' holds {', '.join(names) or 'no triples'}: expected train, "
        f"valid and test (or one file) ending in one of {', '.join(SUFFIXES)}"
    )


def _tables_in(folder: Path) -> list[Path]:
    files = filter(Path.is_file, folder.iterdir())
    return sorted(file for file in files if table_suffix(file) is not None)


def _split_files(folder: Path, tables: list[Path]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for file in tables:
        stem = file.name[: -len(table_suffix(file) or "")].lower()
        split = _SPLIT_OF.get(stem)
        if split in files:
            raise DatasetFormatError(
                f"'{folder}' has two files for one split: "
                f"'{files[split].name}' and '{file.name}'; remove one"
            )
        if split is not None:
            files[split] = file
    if files and "train" not in files:
        raise DatasetFormatError(
            f"'{folder}' has {', '.join(f.name for f in files.values())} but "
            f"no train file"
        )
    return files


def read_folder(
    path: str | Path,
    *,
    extra: Extra = "auto",
    split: SplitRule = "random",
    ratios: Sequence[float] = (0.8, 0.1, 0.1),
    seed: int = 0,
) -> Data:
    r"""Reads the files of a graph into the one graph form.

    Args:
        path (str or pathlib.Path): A file of triples, or a folder (or one
            with a folder :obj:`raw`) that holds one file or :obj:`train`,
            :obj:`valid` and :obj:`test`. Files :obj:`entities.dict` and
            :obj:`relations.dict` beside them (lines of a number, a tab and a
            name) fix the numbering.
        extra (str, optional): The content of a fourth column: :obj:`"time"`,
            :obj:`"confidence"`, or :obj:`"auto"` to infer it from the header
            or the values. (default: :obj:`"auto"`)
        split (str, optional): The split of one file: :obj:`"random"` by
            :obj:`seed`, or :obj:`"time"`, the latest triples last.
            (default: :obj:`"random"`)
        ratios (sequence, optional): The shares of train, validation and test,
            for splits without a file. (default: :obj:`(0.8, 0.1, 0.1)`)
        seed (int, optional): The seed of a random split. (default: :obj:`0`)
    """
    check_choice("extra", extra, Extra)
    check_choice("split", split, SplitRule)
    sums_to_one = abs(sum(ratios) - 1) <= 1e-6
    if len(ratios) != 3 or min(ratios) <= 0 or not sums_to_one:
        raise InvalidInputError(
            f"'ratios' must be three positive shares that sum to 1 (got "
            f"{tuple(ratios)})"
        )
    files = find_files(path)
    tables = {name: read_table(file) for name, file in files.items()}
    order = [tables[n] for n in ("all", "train", "val", "test") if n in tables]
    entities, relations = number_names(order)
    folder = order[0].path.parent
    check_names("entity", entities, folder)
    check_names("relation", relations, folder)
    entities = _read_dict(folder / "entities.dict") or entities
    relations = _read_dict(folder / "relations.dict") or relations

    kind = _common_kind(order, extra)
    parts: dict[str, Data] = {}
    units: set[str] = set()
    for name, table in tables.items():
        edge_index, edge_type = encode(table, entities, relations)
        parts[name] = Data(edge_index=edge_index, edge_type=edge_type)
        if kind == "time":
            parts[name].edge_time, unit = parse_time(table)
            units.add(unit)
            if len(units) > 1:
                raise DatasetFormatError(
                    f"'{table.path}' has times of another form than the "
                    f"other splits; use one form"
                )
        elif kind == "confidence":
            parts[name].edge_confidence = parse_confidence(table)
    warn_if_incomplete(files)
    return join_splits(
        complete_splits(parts, split, ratios, seed, folder),
        num_nodes=len(entities),
        num_relations=len(relations),
        node_names=sorted(entities, key=entities.__getitem__),
        relation_names=sorted(relations, key=relations.__getitem__),
        time_unit=next(iter(units), None),
    )


def warn_if_incomplete(files: Mapping[str, Path]) -> None:
    r"""Warns if a folder has a train file but lacks other splits."""
    missing = [name for name in ("val", "test") if name not in files]
    if missing and "all" not in files:
        warnings.warn(
            f"'{files['train'].parent}' has no {' and no '.join(missing)} "
            f"split; its triples are taken out of train",
            CAGPWarning,
            stacklevel=3,
        )


def _common_kind(tables: list[TripleTable], extra: Extra) -> str | None:
    widths = {table.extra is not None for table in tables}
    if len(widths) > 1:
        short = next(table for table in tables if table.extra is None)
        raise DatasetFormatError(
            f"'{short.path}' has three columns where another split has four"
        )
    if widths == {False}:
        return None
    if extra != "auto":
        return extra
    # A split of zeros and ones only has the kind of the others.
    kinds = {extra_kind(table) for table in tables} - {None}
    hint = "pass extra='time' or extra='confidence'"
    if not kinds:
        raise DatasetFormatError(
            f"'{tables[0].path}': the fourth column holds only 0 and 1, which "
            f"could be time or confidence; name it by a header line or {hint}"
        )
    if len(kinds) > 1:
        raise DatasetFormatError(
            f"'{tables[0].path.parent}': the fourth column is a time in one "
            f"split and a confidence in another; {hint}"
        )
    return kinds.pop()


def _read_dict(path: Path) -> dict[str, int] | None:
    if not path.exists():
        return None
    index: dict[str, int] = {}
    lines = "".join(read_blocks(path)).removesuffix("\n").split("\n")
    for line, text in enumerate(lines, start=1):
        number, _, name = text.partition("\t")
        is_number = number.isascii() and number.isdecimal()
        if not (is_number and name) or find_surrogate(name) is not None:
            raise DatasetFormatError(
                f"'{path}', line {line}: expected a number, a tab and a name "
                f"in UTF-8 (got {text!r})"
            )
        if name in index:
            raise DatasetFormatError(
                f"'{path}', line {line}: '{name}' is listed twice"
            )
        index[name] = int(number)
    if sorted(index.values()) != list(range(len(index))):
        raise DatasetFormatError(
            f"'{path}' must number its {len(index)} names 0, 1, 2, ... with no "
            f"number left out or used twice"
        )
    return index
