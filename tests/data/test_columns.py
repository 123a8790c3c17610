"""Names, times and confidences."""

import datetime
import unicodedata

import pytest
import torch

from pyg_cagp.data import read_table
from pyg_cagp.data.columns import (
    check_names,
    encode,
    extra_kind,
    number_names,
    parse_confidence,
    parse_time,
)
from pyg_cagp.exceptions import DatasetFormatError
from tests.loops import for_each


@pytest.fixture
def table(tmp_path):
    """Writes a file and reads it back."""

    def make(extra=None, header=None, triples=(("a", "r", "b"),)):
        if extra is not None:
            triples = [("a", "r", "b", value) for value in extra]
        lines = [header] if header else []
        lines += ["\t".join(triple) for triple in triples]
        path = tmp_path / "file.tsv"
        path.write_text("\n\n".join(lines), encoding="utf-8")
        return read_table(path)

    return make


def test_numbers_follow_the_order_of_names_in_the_files(table):
    first = table(triples=[("x", "r", "y"), ("z", "s", "x")])
    second = table(triples=[("w", "r", "v")])
    entities, relations = number_names([first, second])
    assert list(entities) == ["x", "y", "z", "w", "v"]
    assert relations == {"r": 0, "s": 1}
    edge_index, edge_type = encode(second, entities, relations)
    assert edge_index.tolist() == [[3], [4]]
    assert edge_type.tolist() == [0]


def test_unknown_names_raise_with_their_line(table):
    entities, relations = {"a": 0, "b": 1}, {"r": 0}
    wrong = table(
        header="head\trelation\ttail",
        triples=[("a", "r", "b"), ("a", "r", "c")],
    )
    # The header, a blank line, a triple, a blank line, and then this one.
    with pytest.raises(DatasetFormatError, match="line 5: entity 'c'"):
        encode(wrong, entities, relations)


def test_dates_are_days_since_1970(table):
    time, unit = parse_time(table(["2014-03-06", "1970-01-02"]))
    expected = (datetime.date(2014, 3, 6) - datetime.date(1970, 1, 1)).days
    assert (time.tolist(), unit) == ([expected, 1], "D")


def test_date_times_are_seconds_and_numbers_are_steps(table):
    time, unit = parse_time(table(["1970-01-01T00:01:00", "1970-01-02T00:00"]))
    assert (time.tolist(), unit) == ([60, 86_400], "s")
    # A date among date-times is the beginning of its day.
    time, unit = parse_time(table(["1970-01-02", "1970-01-01 00:00:07"]))
    assert (time.tolist(), unit) == ([86_400, 7], "s")
    time, unit = parse_time(table(["7", "-3", "+2"]))
    assert (time.tolist(), unit) == ([7, -3, 2], "step")
    assert time.dtype == torch.long


@for_each(
    ("values", "message"),
    [
        (["2014-01-01", "soon"], "line 3: 'soon' is not a time"),
        (["2014-01-01", "today"], "line 3: 'today' is not a time"),
        (["2014-01-01", ""], "line 3: '' is not a time"),
        (["2014-13-01"], "line 1: '2014-13-01' is not a time"),
        (["2014-01-01", "20140101"], "line 3: '20140101' is not a time"),
        (["2014-01-01T00:00", "2014-01-01T00:00Z"], "line 3: '2014-01-01T00"),
        (["7", "--3"], "line 1: '7' is not a time"),
        (["1", "9" * 20], "line 3: '99999999999999999999' does not fit"),
    ],
)
def test_bad_times_raise(table, values, message):
    with pytest.raises(DatasetFormatError, match=message):
        parse_time(table(values))


def test_confidences(table):
    got = parse_confidence(table(["0", "1", "0.25"]))
    assert got.tolist() == [0.0, 1.0, 0.25]
    for bad in ("1.01", "-0.1", "nan", "high"):
        with pytest.raises(DatasetFormatError, match=f"line 3: '{bad}'"):
            parse_confidence(table(["0.5", bad]))


def test_kind_of_the_fourth_column(table):
    assert extra_kind(table()) is None
    assert extra_kind(table(["0.5"])) == "confidence"
    assert extra_kind(table(["2014", "2015"])) == "time"
    assert extra_kind(table(["2014-01-01"])) == "time"
    named = table(["1"], header="head\trelation\ttail\tweight")
    assert extra_kind(named) == "confidence"
    assert extra_kind(table(["1", "0"])) is None  # Could be either.


def test_names_that_look_the_same_raise():
    check_names("entity", ["a", "b", "Zürich"], "here")
    with pytest.raises(DatasetFormatError, match="'a' and 'a '"):
        check_names("entity", ["a", "a "], "here")
    pair = ["Zürich", unicodedata.normalize("NFD", "Zürich")]
    with pytest.raises(DatasetFormatError, match="Unicode form"):
        check_names("entity", pair, "here")
