r"""Advice about all triples of a file."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from pyg_cagp.data.reader import Malformed, check_readable, read_chunks
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.kinds import KINDS
from pyg_cagp.inference.predictor import Predictor
from pyg_cagp.inference.writer import open_writer


@dataclass(frozen=True)
class ScoreSummary:
    r"""What came of a file.

    Args:
        rows (int): How many triples were judged.
        kinds (dict): How many there are of each kind.
        abstain (int): How many to leave undecided.
        malformed (int): How many rows were no triples, and passed over.
        complaints (list): What was wrong with the first of these.
        threshold (float): From which doubt on to abstain; :obj:`None` if
            validation could not tell.
    """

    rows: int
    kinds: dict[str, int]
    abstain: int
    malformed: int
    complaints: list[str]
    threshold: float | None

    def to_dict(self) -> dict[str, Any]:
        r"""Returns all of it, ready for JSON."""
        return asdict(self)


def score_file(
    predictor: Predictor,
    triples: str | Path,
    out: str | Path,
    format: str | None = None,
    skip_malformed: bool = False,
    progress: bool = False,
) -> ScoreSummary:
    r"""Judges all triples of a file into another one, which is written whole
    or not at all. Neither is ever in memory as a whole.

    Args:
        predictor (Predictor): What judges them.
        triples (str or pathlib.Path): The file of triples; see
            :func:`~pyg_cagp.data.read_chunks`.
        out (str or pathlib.Path): The file to be written, as :obj:`.tsv`,
            :obj:`.csv` or :obj:`.parquet`, with the columns of
            :class:`ScoreTable`.
        format (str, optional): :obj:`"tsv"`, :obj:`"csv"` or
            :obj:`"parquet"`; told by the ending if set to :obj:`None`.
            (default: :obj:`None`)
        skip_malformed (bool, optional): If set to :obj:`True`, passes over
            rows that are no triples, instead of refusing the file.
            (default: :obj:`False`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`False`)
    """
    source, target = check_readable(triples), Path(out)
    if target.exists() and target.samefile(source):
        raise InvalidInputError(
            f"'{source}' cannot be written over while it is read; choose "
            f"another file"
        )
    malformed = Malformed(skip=skip_malformed)
    kinds = dict.fromkeys(KINDS, 0)
    rows = abstain = 0
    hide = None if progress else True
    with (
        open_writer(target, format) as write,
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
        rows,
        kinds,
        abstain,
        malformed.count,
        malformed.messages,
        predictor.threshold,
    )
