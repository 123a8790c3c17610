"""Files of triples, good and bad."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyg_cagp.data import parquet, read_table
from pyg_cagp.exceptions import DatasetFormatError, MissingDependencyError

ROWS = [("Zürich, City", "in", "Schweiz"), ('the "x"', "is a", "y z")]


def write(path, content):
    path.write_bytes(
        content if isinstance(content, bytes) else content.encode("utf-8")
    )
    return path


def rows(got):
    columns = [got.head, got.relation, got.tail]
    if got.extra is not None:
        columns.append(got.extra)
    return list(zip(*columns, strict=True))


TSV = "".join("\t".join(row) + "\n" for row in ROWS)
CSV = '"Zürich, City",in,Schweiz\n"the ""x""",is a,y z\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", TSV),
        ("a.tsv", TSV.rstrip("\n")),  # No line end at the end.
        ("a.tsv", TSV.replace("\n", "\r\n")),
        ("a.tsv", "\ufeff" + TSV),
        ("a.tsv", "\n" + TSV.replace("\n", "\n\n")),
        ("a.tsv", "head\trelation\ttail\n" + TSV),
        ("a.csv", CSV),
        ("a.csv", CSV.replace("\n", "\r\n")),
        ("a.csv", "\n" + CSV + "\n"),
        ("a.csv", "Subject,Predicate,Object\n" + CSV),
        ("a.tsv.gz", gzip.compress(TSV.encode(), mtime=0)),
        ("A.CSV.GZ", gzip.compress(CSV.encode(), mtime=0)),
    ],
)
def test_the_same_triples_in_every_dress(tmp_path, name, content):
    assert rows(read_table(write(tmp_path / name, content))) == ROWS


def test_short_names_are_a_header_in_parquet_only(tmp_path):
    got = read_table(write(tmp_path / "a.tsv", "s\tp\to\n"))
    assert rows(got) == [("s", "p", "o")]


def test_only_line_feeds_end_a_line(tmp_path):
    odd = "a\u2028b\tr\x0b\tc\x85\n"
    got = read_table(write(tmp_path / "a.txt", odd))
    assert rows(got) == [("a\u2028b", "r\x0b", "c\x85")]


def test_fourth_column_and_its_header(tmp_path):
    text = "date,tail,type,source\n2014-01-01,c,b,a\n"
    got = read_table(write(tmp_path / "a.csv", text))
    assert rows(got) == [("a", "b", "c", "2014-01-01")]
    assert got.extra_kind == "time"
    assert len(got) == 1
    got = read_table(write(tmp_path / "a.tsv", "a\tb\tc\t0.5\n"))
    assert got.extra_kind is None
    assert got.extra == ["0.5"]


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    columns = {
        "tail": [1, 2],
        "Head": ["a", "b"],
        "relation": pa.array(["r", "r"]).dictionary_encode(),
        "weight": [0.5, 1.0],
    }
    pq.write_table(pa.table(columns), path)
    got = read_table(path)
    assert rows(got) == [("a", "r", "1", "0.5"), ("b", "r", "2", "1")]
    assert got.extra_kind == "confidence"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"head": ["a"], "tail": ["b"]}, "one column called 'relation'"),
        (
            {"h": ["a"], "head": ["a"], "r": ["a"], "t": ["b"]},
            "one column called 'head'",
        ),
        ({"h": ["a"], "H": ["a"], "r": ["a"], "t": ["b"]}, "of one name"),
        (
            {"h": ["a", None], "r": ["a"] * 2, "t": ["b"] * 2},
            "row 2: column 'h'",
        ),
        (
            {"h": ["a"], "r": ["a"], "t": ["b"], "time": [1], "conf": [1.0]},
            "more than one column",
        ),
        ({"h": [], "r": [], "t": []}, "holds no triple"),
        ({"h": [[1]], "r": ["r"], "t": ["b"]}, "column 'h' cannot be read"),
        ({"h": [b"\xff"], "r": ["r"], "t": ["b"]}, "column 'h' cannot be"),
        ({"h": ["a", ""], "r": ["r"] * 2, "t": ["b"] * 2}, "row 2: the head"),
    ],
)
def test_bad_parquet(tmp_path, columns, message):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(DatasetFormatError, match=message):
        read_table(path)


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "WITH_PYARROW", False)
    with pytest.raises(MissingDependencyError, match=r"pyg_cagp\[parquet\]"):
        read_table(write(tmp_path / "a.parquet", b"PAR1"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "a\tb\tc\na\tb\n", r"line 2: expected 3 .*got 2.*cut off"),
        ("a.tsv", "a\tb\tc\n\na\tb\tc\td\n", r"line 3: expected 3 .*got 4"),
        ("a.tsv", "a b c\n", r"line 1: expected 3 .* by tabs \(got 1\)"),
        ("a.tsv", "a\tb\tc\td\te\n", r"line 1: .*\(got 5\)"),
        ("a.tsv", "a\tb\tc\na\t\tc\n", "line 2: the relation is empty"),
        ("a.tsv", "a\tb\tc\na\tb\t  \n", "line 2: the tail is empty"),
        ("a.tsv", "", "holds no triple"),
        ("a.tsv", "\n\n", "holds no triple"),
        ("a.tsv", "head\trelation\ttail\n", "holds no triple"),
        ("a.tsv", b"a\tb\tc\nx\xff\tb\tc\n", "line 2: byte 0xff is not UTF-8"),
        ("a.csv", "a,b,c\na,b\n", r"line 2: expected 3 .*\(got 2\)"),
        ("a.csv", 'a,"b\n\n",c\n\na,b\n', r"line 5: expected 3 .*\(got 2\)"),
        ("a.csv", "a,b\n", r"line 1: .* by commas \(got 2\)"),
        ("a.csv", 'a,b,c\n"a,b,c\n', "cut off"),
        ("a.csv", "", "holds no triple"),
        ("a.csv", "head,rel,tail,colour\na,b,c,d\n", "column 'colour'"),
        ("a.csv", "source,target,kind\na,b,c\n", "line 1 looks like a header"),
        ("a.csv", "head,rel,tail,dst\na,b,c,d\n", "looks like a header"),
        (
            "a.tsv.gz",
            gzip.compress(TSV.encode(), mtime=0)[:-9],
            "not a whole gzip",
        ),
        ("a.tsv.gz", TSV, "not a whole gzip file"),
        ("a.parquet", b"PAR1 no", "not a whole Parquet file"),
        ("a.xlsx", "x", "must end in one of .txt"),
    ],
)
def test_bad_files_name_file_line_and_remedy(tmp_path, name, content, message):
    path = write(tmp_path / name, content)
    with pytest.raises(DatasetFormatError, match=message) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
