"""`load`, `score` and `update` read the same triples of a file, or raise the
same error."""

import csv
import gzip
import tracemalloc
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyg_cagp.data import Malformed, parquet, read_chunks, read_table, text
from pyg_cagp.data.reader import MAX_MESSAGES
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import (
    CAGPError,
    DatasetFormatError,
    InvalidInputError,
    MissingDependencyError,
)
from pyg_cagp.inference import Predictor, score_file
from pyg_cagp.inference.contents import Names

ROWS = [("Zürich, City", "in", "Schweiz"), ('the "x"', "is a", "y z")]
TSV = "".join("\t".join(row) + "\n" for row in ROWS)
CSV = '"Zürich, City",in,Schweiz\n"the ""x""",is a,y z\n'
WIDE = "score\tT\tr\tkind\tH\n1\ty\tlikes\t?\tx\n"


def parquet_of(**columns):
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue().to_pybytes()


def write(path, content):
    is_text = isinstance(content, str)
    path.write_bytes(content.encode() if is_text else content)
    return path


@pytest.fixture
def readers(trained_run, tmp_path, monkeypatch):
    """Three commands; each returns the triples that it reads of a file."""
    predictor = Predictor.load(trained_run)
    find, columns_read = Names.find, []

    def spy(names, values):
        columns_read.append(list(values))
        return find(names, values)

    def by_load(path):
        for split in ("valid", "test"):
            other = path.with_name(path.name.replace("train", split))
            other.write_bytes(path.read_bytes())
        kg = load(path.parent)
        edges = kg.edge_index[:, kg.train_mask].t().tolist()
        return [
            (kg.node_names[h], kg.relation_names[r], kg.node_names[t])
            for (h, t), r in zip(edges, kg.edge_type.tolist(), strict=False)
        ]

    def by_score(path, **options):
        out = tmp_path / "scored.parquet"
        summary = score_file(predictor, path, out, **options)
        columns = list(pq.read_table(out).to_pydict().values())
        rows = list(zip(*columns[:3], strict=True))
        return (rows, summary.malformed) if options else rows

    def by_update(path, **options):
        # No name is known to the run, so it stays as it is.
        columns_read.clear()
        with monkeypatch.context() as patch:
            patch.setattr(Names, "find", spy)
            summary = predictor.update(path, **options)
        rows = [
            row
            for i in range(0, len(columns_read), 3)
            for row in zip(*columns_read[i : i + 3], strict=True)
        ]
        return (rows, summary.malformed) if options else rows

    return by_load, by_score, by_update


GOOD = [
    (".txt", TSV, ROWS),
    (".tsv", TSV.rstrip("\n"), ROWS),
    (".tsv", TSV.replace("\n", "\r\n"), ROWS),
    (".tsv", "\ufeff" + TSV, ROWS),
    (".tsv", "\r\n\n" + TSV.replace("\n", "\n\n"), ROWS),
    (".tsv", "head\trelation\ttail\n" + TSV, ROWS),
    (".csv", CSV, ROWS),
    (".csv", "\ufeff" + CSV.replace("\n", "\r\n"), ROWS),
    (".csv", "\n" + CSV + "\n", ROWS),
    (".csv", "Subject,Predicate,Object\n" + CSV, ROWS),
    (".tsv.gz", gzip.compress(TSV.encode()), ROWS),
    (".CSV.GZ", gzip.compress(CSV.encode()), ROWS),
    (".tsv", 'a\t"r\tb"\n', [("a", '"r', 'b"')]),
    (".tsv", "a\u2028b\tr\x0b\tc\x85\n", [("a\u2028b", "r\x0b", "c\x85")]),
    (".csv", 'a,r,"two\r\nlines"\nc,r,d\n', "a r two\nlines,c r d"),
    # Short names are a header only where there are further columns.
    (".tsv", "s\tp\to\n", "s p o"),
    (".tsv", "h\tr\tt\t2014\n", "h r t"),
    (".tsv", WIDE, "x likes y"),
    (".csv", "tail,colour,rel,head\ny,red,likes,x\n", "x likes y"),
    # A CSV file with a byte order mark was converted.
    (".parquet", parquet_of(**{"\ufeffh": "a", "r": "r", "t": "b"}), "a r b"),
    # A fourth column belongs to graphs; others skip it.
    (".csv", "date,tail,type,source\n2014-01-01,c,b,a\n", "a b c"),
    (".tsv", "a\tb\tc\t0.5\n", "a b c"),
    (
        ".parquet",
        parquet_of(
            O=[1, 2],
            Head=["a", "b"],
            weight=[0.5, 1.0],
            predicate=pa.array(["r", "r"]).dictionary_encode(),
            colour=[None, "red"],
        ),
        "a r 1,b r 2",
    ),
]


def test_readers_return_the_same_triples(readers, tmp_path):
    for number, (suffix, content, rows) in enumerate(GOOD):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = write(folder / f"train{suffix}", content)
        if isinstance(rows, str):
            rows = [tuple(row.split(" ")) for row in rows.split(",")]
        for read in readers:
            assert read(path) == rows, (read.__name__, suffix, content)


def test_fourth_column_of_a_graph(tmp_path):
    for suffix, content, extra, kind in (
        (*GOOD[-3][:2], ["2014-01-01"], "time"),
        (*GOOD[-2][:2], ["0.5"], None),
        (*GOOD[-1][:2], ["0.5", "1"], "confidence"),
    ):
        table = read_table(write(tmp_path / f"a{suffix}", content))
        assert (table.extra, table.extra_kind) == (extra, kind)


# Suffix, content, message, and the number of triples without the bad row.
BAD_ROWS = [
    (".tsv", "a\tb\tc\na\tb\n", "line 2: expected 3 columns", 1),
    (".tsv", "a\tb\tc\n\na\tb\tc\td\n", "line 3: expected 3 columns", 1),
    (".tsv", "a b c\nx\tr\ty\n", "line 1: expected 3 columns", 1),
    (".tsv", "1\t2\t3\t4\t5\nx\tr\ty\n", "or a header (got 5 columns)", 1),
    (".tsv", WIDE + "a\tb\tc\n", "line 3: expected 5 columns", 1),
    (".tsv", "a\tb\tc\na\t\tc\n", "line 2: the relation is empty", 1),
    (".tsv", "a\tb\tc\na\tb\t  \nx\tr\ty\n", "line 2: the tail is empty", 2),
    (".tsv", b"a\tb\tc\nx\xff\tb\tc\n", "line 2: byte 0xff is not UTF-8", 1),
    (".csv", "a,b,c\na;b;c\n", "line 2: expected 3 columns", 1),
    (".csv", 'a,"b\n\n",c\n\na,b\n', "line 5: expected 3 columns", 1),
    (".csv", b'a,r,b\n"\xff\n",r,b\n', "line 2: byte 0xff is not UTF-8", 1),
    (".csv", 'a,r,b\n"x"y,r,b\nc,r,d\n', "line 2: ", 2),
    (".csv", 'a,r,b\nc,r,"d\n', "line 2: unexpected end of data", 1),
    (
        ".parquet",
        parquet_of(head=["a", None, " "], r=["r"] * 3, tail=[4, 5, 6]),
        "row 2: the head is empty",
        1,
    ),
]
BAD_FILES = [
    (".tsv", "", "holds no triple"),
    (".csv", "\n\r\n", "holds no triple"),
    (".tsv.gz", gzip.compress(b""), "holds no triple"),
    (".tsv", "head\trelation\ttail\n", "holds no triple"),
    (".parquet", parquet_of(h=[], r=[], t=[]), "holds no triple"),
    (".csv", "source,target,kind\na,b,c\n", "line 1 must name one column 'rel"),
    (".csv", "head,rel,tail,dst\na,b,c,d\n", "line 1 must name one column 'ta"),
    (".tsv.gz", gzip.compress(TSV.encode())[:-9], "gzip file"),
    (".tsv.gz", TSV, "gzip file"),
    (".parquet", b"PAR1 no", "Parquet file"),
    (".parquet", parquet_of(head=["a"]), "must name one column 'relation'"),
    (
        ".parquet",
        parquet_of(h=["a"], head=["a"], r=["a"], t=["b"]),
        "must name one column 'head'",
    ),
    (
        ".parquet",
        parquet_of(h=[[1]], r=["r"], t=["b"]),
        "column 'h' cannot be read as text",
    ),
    (
        ".parquet",
        parquet_of(h=[b"\xff"], r=["r"], t=["b"]),
        "column 'h' cannot be read as text",
    ),
]


def message_of(read, path):
    with pytest.raises(CAGPError) as caught:
        read(path)
    return str(caught.value)


def test_readers_raise_the_same_messages(readers, tmp_path):
    bad = [row[:3] for row in BAD_ROWS] + BAD_FILES
    for number, (suffix, content, expected) in enumerate(bad):
        path = write(tmp_path / f"{number}{suffix}", content)
        message = message_of(load, path)
        assert message.startswith(f"'{path}'")
        assert expected in message
        assert "\n" not in message
        # Only `score` and `update` can skip rows.
        hint = ", or skip such rows with '--skip-malformed' (skip_malformed"
        for read in readers[1:]:
            other = message_of(read, path)
            assert other.split(hint)[0] == message
            assert (hint in other) == (number < len(BAD_ROWS))


def test_skipped_rows_are_counted(readers, tmp_path):
    for number, (suffix, content, _, num_rows) in enumerate(BAD_ROWS):
        path = write(tmp_path / f"{number}{suffix}", content)
        for read in readers[1:]:
            rows, malformed = read(path, skip_malformed=True)
            assert len(rows) == num_rows
            assert malformed == (2 if suffix == ".parquet" else 1)
    path = write(tmp_path / "none.tsv", "x\n" * 99)
    malformed = Malformed(skip=True)
    with pytest.raises(DatasetFormatError, match=r"no triple \(99 malformed"):
        list(read_chunks(path, malformed=malformed))
    assert len(malformed.messages) == MAX_MESSAGES


def test_unreadable_files_raise(readers, tmp_path, monkeypatch):
    _, *others = readers
    for read in (load, *others):
        path = write(tmp_path / "a.xlsx", "x")
        assert "must end in one of .txt" in message_of(read, path)
    for read in others:
        path = tmp_path / "none.tsv"
        assert message_of(read, path) == f"there is no file '{path}'"
        assert "is not a file" in message_of(read, tmp_path)
    with pytest.raises(InvalidInputError, match=r"'chunk'.*\(got 0\)"):
        list(read_chunks(write(tmp_path / "a.tsv", TSV), chunk=0))
    both = parquet_of(h=["a"], r=["r"], t=["b"], time=[1], conf=[1.0])
    path = write(tmp_path / "both.parquet", both)
    assert readers[1](path) == [("a", "r", "b")]
    with pytest.raises(DatasetFormatError, match="got time, conf"):
        read_table(path)
    monkeypatch.setattr(parquet, "WITH_PYARROW", False)
    with pytest.raises(MissingDependencyError, match=r"pyg_cagp\[parquet\]"):
        read_table(path)


def test_a_long_line_raises_before_it_is_read(readers, tmp_path):
    path = tmp_path / "a.tsv.gz"
    long = b"x" * (8 * text.MAX_LINE)
    path.write_bytes(gzip.compress(b"a\tr\tb\n" + long))
    for read in (load, *readers[1:]):
        tracemalloc.start()
        assert "line 2 is longer than 1,048,576" in message_of(read, path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * text.MAX_LINE


def test_memory_is_bounded_by_the_chunk(tmp_path):
    rows = [(f"a{i}", "r", f"b{i}") for i in range(60_000)]
    names = ["head", "relation", "tail"]
    table = pa.table(list(zip(*rows, strict=True)), names)
    pq.write_table(table, tmp_path / "a.parquet")
    for suffix, separator in ((".tsv", "\t"), (".csv", ",")):
        lines = "".join(separator.join(row) + "\n" for row in rows)
        write(tmp_path / f"a{suffix}", lines)
    for suffix in (".tsv", ".csv", ".parquet"):
        path = tmp_path / f"a{suffix}"
        tracemalloc.start()
        sizes = [len(part) for part in read_chunks(path, chunk=2_000)]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        read_table(path)
        peak_of_table = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sizes == [2_000] * 30
        assert peak < peak_of_table / 3


NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff"),
    min_size=1,
    max_size=9,
).filter(str.strip)
TRIPLES = st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=30)


@given(TRIPLES, st.integers(1, 9), st.integers(1, 40), st.booleans())
def test_files_of_other_libraries_are_read_exactly(
    tmp_path_factory, rows, size, block, crlf
):
    folder = tmp_path_factory.mktemp("files")
    paths = [folder / name for name in ("a.csv", "a.csv.gz", "a.parquet")]
    with open(paths[0], "w", encoding="utf-8", newline="") as file:
        end = "\r\n" if crlf else "\n"
        csv.writer(file, lineterminator=end).writerows(rows)
    paths[1].write_bytes(gzip.compress(paths[0].read_bytes()))
    names = ["head", "relation", "tail"]
    pq.write_table(pa.table(list(zip(*rows, strict=True)), names), paths[2])
    if not any({"\t", "\n"} & set("".join(row)) for row in rows):
        paths.append(folder / "a.tsv")
        lines = ["\t".join(row) for row in rows]
        paths[3].write_bytes((end.join(lines) + end).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_BLOCK", block)
        patch.setattr(text, "_ROWS", block)
        patch.setattr(parquet, "_ROWS", block)
        for path in paths:
            chunks = list(read_chunks(path, chunk=size))
            assert {len(chunk) for chunk in chunks[:-1]} <= {size}
            got = [
                row
                for chunk in chunks
                for row in zip(
                    chunk.head, chunk.relation, chunk.tail, strict=True
                )
            ]
            assert got == rows
            lines = [number for chunk in chunks for number in chunk.line]
            ends = [1 + "".join(row).count("\n") for row in rows]
            if path.suffix == ".parquet":
                ends = [1] * len(rows)
            assert lines == list(accumulate(ends))
