"""Triples are read in chunks, and nothing wrong with them goes unsaid."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyg_cagp.advice import parquet_chunks, read_chunks, text_rows
from pyg_cagp.advice.reader import MAX_COMPLAINTS, Malformed
from pyg_cagp.exceptions import (
    DatasetFormatError,
    InvalidInputError,
    MissingDependencyError,
)


def read(path, chunk=None, malformed=None):
    rows, sizes = [], []
    for columns in read_chunks(path, malformed, chunk):
        sizes.append(len(columns[0]))
        rows += zip(*columns, strict=True)
    return rows, sizes


def write(tmp_path, content, name="new.tsv"):
    path = tmp_path / name
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(content)
    return path


def test_text_comes_in_chunks(tmp_path):
    lines = "".join(f"a{i}\tr\tb{i}\n" for i in range(7))
    path = write(tmp_path, lines)
    rows, sizes = read(path, 3)
    assert sizes == [3, 3, 1]
    assert rows == [(f"a{i}", "r", f"b{i}") for i in range(7)]
    zipped = write(tmp_path, gzip.compress(lines.encode()), "new.txt.gz")
    assert read(zipped, 3) == (rows, sizes)
    table = pa.table(list(zip(*rows, strict=True)), names=["S", "p", "object"])
    pq.write_table(table, tmp_path / "new.parquet")
    assert read(tmp_path / "new.parquet", 3) == (rows, sizes)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.tsv", "\ufeffa\tr\tb\r\n\r\n\nc\tr\td", "arb crd"),
        ("a.tsv", 'a\t"r\tb"\n', ['a|"r|b"']),
        ("a.tsv", "tail\thead\trelation\nb\ta\tr\n", "arb"),
        ("a.tsv", "a\tr\tb\t2014\n", "arb"),
        ("a.tsv", "h\tr\tt\n", "hrt"),
        ("a.tsv", "h\tr\tt\tscore\tkind\na\tr\tb\t1\tx\n", "arb"),
        ("a.csv", '"a, b",r,"the ""c"""\n', ['a, b|r|the "c"']),
        ("a.csv", 'a,r,"two\r\nlines"\nc,r,d\n', ["a|r|two\nlines", "c|r|d"]),
        ("a.csv", "\n\na,r,b\n\n", "arb"),
    ],
)
def test_forms_of_text(tmp_path, name, content, expected):
    if isinstance(expected, str):
        expected = ["|".join(letters) for letters in expected.split()]
    rows, _ = read(write(tmp_path, content, name))
    assert ["|".join(row) for row in rows] == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "a\tr\tb\na\tb\n", "line 2: expected 3 columns"),
        ("a.tsv", "a\tr\tb\na\tr\tb\tc\n", "before (got 4)"),
        ("a.tsv", "a r b\nc\tr\td\n", "separated by tabs (got 1)"),
        ("a.tsv", "a\tr\tb\n\t r\tb\n", "line 2: a name is empty"),
        ("a.tsv", b"a\tr\tb\n\xff\tr\tb\n", "line 2 is not UTF-8"),
        ("a.csv", "a,r,b\na;r;b\n", "line 2: expected 3 columns"),
        ("a.csv", 'a,r,b\n"x"y,r,b\n', "line 2: "),
        ("a.csv", b'a,r,b\n"\xff\n",r,b\n', "line 2 is not UTF-8"),
        ("a.csv", 'a,r,b\nc,r,"d\n', "unexpected end of data"),
    ],
)
def test_malformed_rows_are_refused_or_counted(
    tmp_path, name, content, message
):
    path = write(tmp_path, content, name)
    with pytest.raises(DatasetFormatError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)
    assert "--skip-malformed" in str(caught.value)
    malformed = Malformed(skip=True)
    rows, _ = read(path, malformed=malformed)
    assert len(rows) == 1
    assert malformed.count == len(malformed.complaints) == 1
    assert message in malformed.complaints[0]


def test_only_the_first_complaints_are_kept(tmp_path):
    malformed = Malformed(skip=True)
    path = write(tmp_path, "a\tr\tb\n" + "x\n" * 99)
    assert len(read(path, malformed=malformed)[0]) == 1
    assert malformed.count == 99
    assert len(malformed.complaints) == MAX_COMPLAINTS


def test_parquet_with_gaps_and_numbers(tmp_path):
    table = pa.table({"head": [1, None, 3], "r": ["r"] * 3, "tail": [4, 5, 6]})
    path = tmp_path / "new.parquet"
    pq.write_table(table, path)
    with pytest.raises(DatasetFormatError, match="row 2: a name is empty"):
        read(path)
    malformed = Malformed(skip=True)
    rows, _ = read(path, 2, malformed)
    assert rows == [("1", "r", "4"), ("3", "r", "6")]
    assert malformed.count == 1


def test_files_that_are_no_tables(tmp_path, monkeypatch):
    def refuses(error, message, content, name):
        with pytest.raises(error, match=message):
            read(write(tmp_path, content, name))

    with pytest.raises(InvalidInputError, match="there is no file"):
        read(tmp_path / "none.tsv")
    with pytest.raises(InvalidInputError, match="is not a file"):
        read(tmp_path)
    with pytest.raises(InvalidInputError, match=r"'chunk'.*\(got 0\)"):
        read(write(tmp_path, "a\tr\tb\n"), 0)
    refuses(DatasetFormatError, "must end in one of", "a", "new.json")
    refuses(
        DatasetFormatError, "whole gzip", gzip.compress(b"a")[:9], "x.tsv.gz"
    )
    refuses(DatasetFormatError, "looks like a header", "head\ttail\tx", "x.tsv")
    refuses(DatasetFormatError, "cannot be read as", b"PAR1", "x.parquet")
    pq.write_table(pa.table({"head": ["a"]}), tmp_path / "y.parquet")
    with pytest.raises(DatasetFormatError, match="one column called 'rel"):
        read(tmp_path / "y.parquet")
    monkeypatch.setattr(text_rows, "MAX_LINE", 10)
    refuses(DatasetFormatError, "longer than 10", "a" * 20, "x.tsv")
    monkeypatch.setattr(parquet_chunks, "WITH_PYARROW", False)
    with pytest.raises(MissingDependencyError, match=r"pyg_cagp\[parquet\]"):
        read(tmp_path / "y.parquet")
