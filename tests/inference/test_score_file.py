"""Scored files: chunks, formats and errors."""

import csv

import pyarrow.parquet as pq
import pytest

from pyg_cagp.data import parquet, reader
from pyg_cagp.exceptions import (
    CAGPError,
    DatasetFormatError,
    InvalidInputError,
    MissingDependencyError,
)
from pyg_cagp.inference import predictor as predictor_module
from pyg_cagp.inference import score_file
from tests.inference.graph import RELATIONS, TEST, to_tsv

UNKNOWN = ("no entity", RELATIONS[0], TEST[0][2])
ROWS = [*TEST[:20], UNKNOWN, *TEST[20:]]


@pytest.fixture
def triples(tmp_path):
    path = tmp_path / "new.tsv"
    path.write_text(to_tsv(ROWS), encoding="utf-8")
    return path


def read_text(path):
    delimiter, quoting = "\t", csv.QUOTE_NONE
    if path.suffix == ".csv":
        delimiter, quoting = ",", csv.QUOTE_MINIMAL
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter, quoting=quoting))


def test_chunk_size_does_not_change_the_file(
    predictor, triples, tmp_path, monkeypatch
):
    sizes = []
    score = predictor.score
    monkeypatch.setattr(
        predictor,
        "score",
        lambda *names: sizes.append(len(names[0])) or score(*names),
    )
    monkeypatch.setattr(predictor_module, "BATCH", 4)
    score_file(predictor, triples, tmp_path / "one.tsv")
    monkeypatch.setattr(reader, "CHUNK", 8)
    summary = score_file(predictor, triples, tmp_path / "many.tsv")
    assert sizes == [61, *[8] * 7, 5]
    one, many = tmp_path / "one.tsv", tmp_path / "many.tsv"
    assert one.read_bytes() == many.read_bytes()
    assert summary.rows == 61
    assert summary.kinds["unknown entity"] == 1
    assert sum(summary.kinds.values()) == 61


def test_formats_contain_equal_values(predictor, triples, tmp_path):
    for suffix in ("tsv", "csv", "parquet"):
        summary = score_file(predictor, triples, tmp_path / f"out.{suffix}")
    score_file(predictor, triples, tmp_path / "out", format="csv")
    tsv = read_text(tmp_path / "out.tsv")
    assert read_text(tmp_path / "out.csv") == tsv
    assert (tmp_path / "out").read_bytes() == (
        tmp_path / "out.csv"
    ).read_bytes()
    names = "head relation tail score probability semantic structural cagp"
    assert tsv[0] == [*names.split(), "p_ood", "kind", "abstain"]
    assert [tuple(row[:3]) for row in tsv[1:]] == ROWS
    assert tsv[21][3:] == [""] * 6 + ["unknown entity", "true"]
    table = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert table["score"][20] is None
    assert table["abstain"][20] is True
    assert sum(table["abstain"]) == summary.abstain
    assert [float(row[8]) for row in tsv[1:21]] == pytest.approx(
        table["p_ood"][:20], rel=1e-8
    )


def test_a_scored_file_can_be_scored(predictor, triples, tmp_path):
    score_file(predictor, triples, tmp_path / "one.csv")
    score_file(predictor, tmp_path / "one.csv", tmp_path / "two.csv")
    assert (tmp_path / "one.csv").read_bytes() == (
        tmp_path / "two.csv"
    ).read_bytes()


def test_a_failed_call_leaves_no_files(predictor, tmp_path, monkeypatch):
    path = tmp_path / "new.tsv"
    path.write_text(to_tsv(ROWS) + "one\ttwo\n", encoding="utf-8")
    monkeypatch.setattr(reader, "CHUNK", 8)
    for suffix in ("tsv", "csv", "parquet"):
        with pytest.raises(DatasetFormatError, match="line 62"):
            score_file(predictor, path, tmp_path / f"out.{suffix}")
    assert [file.name for file in tmp_path.iterdir()] == ["new.tsv"]
    summary = score_file(
        predictor, path, tmp_path / "out.tsv", skip_malformed=True
    )
    assert (summary.rows, summary.malformed) == (61, 1)


def test_bad_inputs_and_outputs_raise(
    predictor, triples, tmp_path, monkeypatch
):
    def check(error, message, source, out, **options):
        before = sorted(tmp_path.iterdir())
        with pytest.raises(error, match=message) as caught:
            score_file(predictor, source, out, **options)
        assert isinstance(caught.value, CAGPError)
        assert sorted(tmp_path.iterdir()) == before

    check(InvalidInputError, "cannot be both", triples, triples)
    check(InvalidInputError, "xlsx", triples, tmp_path / "out.xlsx")
    check(OSError, "none", triples, tmp_path / "none" / "out.tsv")
    empty = tmp_path / "empty.tsv"
    empty.touch()
    check(DatasetFormatError, "no triple", empty, tmp_path / "o.tsv")
    tabbed = tmp_path / "tabbed.csv"
    tabbed.write_text('"a\tb",r,c\n')
    check(InvalidInputError, "tab", tabbed, tmp_path / "o.tsv")
    monkeypatch.setattr(parquet, "WITH_PYARROW", False)
    out = tmp_path / "o.parquet"
    check(MissingDependencyError, r"pyg_cagp\[parquet\]", triples, out)
