r"""Scores all triples of a file into another file, chunk by chunk."""

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from tqdm import tqdm

from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.files import atomic_path, check_target
from pyg_cagp.data import Malformed, read_chunks
from pyg_cagp.data.parquet import check_pyarrow
from pyg_cagp.data.reader import check_readable
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.predictor import Predictor
from pyg_cagp.inference.scores import COLUMNS, KINDS, ScoreTable

Format: TypeAlias = Literal["tsv", "csv", "parquet"]

#: The formats, by the endings of files.
FORMATS: dict[str, Format] = {
    ".tsv": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".parquet": "parquet",
}


@dataclass(frozen=True)
class ScoreSummary:
    r"""The counts of a scored file.

    Args:
        rows (int): The number of triples.
        kinds (dict): The number of triples of each kind.
        abstain (int): The number of triples to leave undecided.
        malformed (int): The number of skipped rows that are not triples.
        messages (list): The errors of the first skipped rows.
        threshold (float): The smallest :obj:`p_ood` of triples to abstain from;
            :obj:`None` if it was not fitted.
    """

    rows: int
    kinds: dict[str, int]
    abstain: int
    malformed: int
    messages: list[str]
    threshold: float | None

    def to_dict(self) -> dict[str, Any]:
        r"""Returns all fields, ready for JSON."""
        return asdict(self)


def score_file(
    predictor: Predictor,
    triples: str | Path,
    out: str | Path,
    *,
    format: Format | None = None,
    skip_malformed: bool = False,
    progress: bool = False,
) -> ScoreSummary:
    r"""Scores all triples of a file into another file, chunk by chunk. The
    other file is written atomically.

    Args:
        predictor (Predictor): The run.
        triples (str or pathlib.Path): The file of triples; see
            :func:`~pyg_cagp.data.read_chunks`.
        out (str or pathlib.Path): The file to be written, with the columns of
            :class:`ScoreTable`.
        format (str, optional): :obj:`"tsv"`, :obj:`"csv"` or
            :obj:`"parquet"`, by default that of the ending of :obj:`out`.
            (default: :obj:`None`)
        skip_malformed (bool, optional): If set to :obj:`True`, counts and
            skips rows that are not triples, instead of raising an error.
            (default: :obj:`False`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`False`)
    """
    source, target = check_readable(triples), Path(out)
    if target.exists() and target.samefile(source):
        raise InvalidInputError(
            f"'{source}' cannot be both the input and the output; choose "
            f"another file"
        )
    malformed = Malformed(skip=skip_malformed)
    kinds = dict.fromkeys(KINDS, 0)
    rows = abstain = 0
    hide = None if progress else True
    with (
        _open(target, format) as write,
        tqdm(unit="triple", disable=hide, leave=False) as bar,
    ):
        for chunk in read_chunks(source, malformed=malformed):
            table = predictor.score(chunk.head, chunk.relation, chunk.tail)
            write(table)
            rows += len(table)
            abstain += int(table.abstain.sum())
            for kind, number in table.counts().items():
                kinds[kind] += number
            bar.update(len(table))
    return ScoreSummary(
        rows=rows,
        kinds=kinds,
        abstain=abstain,
        malformed=malformed.count,
        messages=malformed.messages,
        threshold=predictor.threshold,
    )


# Writers #####################################################################

#: Appends a table to a file.
Writer: TypeAlias = Callable[[ScoreTable], None]


def _format_of(path: Path, format: Format | None) -> Format:
    if format is not None:
        check_choice("format", format, get_args(Format))
        return format
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(
            f"'{path}' must end in one of {', '.join(FORMATS)}, or its format "
            f"must be given (--format)"
        )
    return FORMATS[path.suffix.lower()]


@contextmanager
def _open(path: Path, format: Format | None) -> Iterator[Writer]:
    r"""Opens a file for tables. It is removed on errors."""
    check_target(path)
    kind = _format_of(path, format)
    if kind == "parquet":
        check_pyarrow(path)
    opened = _open_parquet if kind == "parquet" else _open_text
    with atomic_path(path) as temporary, opened(temporary, path, kind) as out:
        yield out


@contextmanager
def _open_text(temporary: Path, path: Path, format: Format) -> Iterator[Writer]:
    # Tab-separated files have no quotes, here as in the reader.
    style: dict[str, Any] = {"lineterminator": "\n"}
    if format == "tsv":
        style |= {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
        style["quotechar"] = None
    with open(temporary, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, **style)
        out.writerow(COLUMNS)

        def write(table: ScoreTable) -> None:
            if format == "tsv":
                for names in (table.head, table.relation, table.tail):
                    _check_tsv(names, path)
            columns = table.columns().values()
            out.writerows(zip(*(map(_text, c) for c in columns), strict=True))

        yield write


def _check_tsv(names: Any, path: Path) -> None:
    for name in names:
        if "\t" in name or "\n" in name or "\r" in name:
            raise InvalidInputError(
                f"'{path}' cannot hold the name {name!r}, which has a tab or a "
                f"line break; write a .csv or a .parquet file"
            )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.9g}" if isinstance(value, float) else value


@contextmanager
def _open_parquet(
    temporary: Path, path: Path, format: Format
) -> Iterator[Writer]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {str: pa.string(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema(
        [(name, types[column["kind"]]) for name, column in COLUMNS.items()]
    )
    with pq.ParquetWriter(temporary, schema) as out:
        yield lambda table: out.write_table(
            pa.table(table.columns(), schema=schema)
        )
