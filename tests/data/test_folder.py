"""Graphs of a folder or a file."""

import pytest
import torch

from pyg_cagp.data import read_folder
from pyg_cagp.exceptions import (
    CAGPWarning,
    DatasetFormatError,
    InvalidInputError,
)
from tests.loops import for_each


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.write_text(text, encoding="utf-8")
    return folder


LINES = [f"e{i}\tr{i % 3}\te{i + 1}\t{i}" for i in range(100)]


def test_mixed_formats_and_spellings(tmp_path):
    write(
        tmp_path,
        TRAIN__csv="a,r,b,0.5\n",
        val__tsv="a\tr\tc\t0.25\n",
        test__txt="b\tr\tc\t1.0\n",
        README__md="not a graph",
    )
    kg = read_folder(tmp_path)
    assert kg.edge_confidence.tolist() == [0.5, 0.25, 1.0]
    assert kg.node_names == ["a", "b", "c"]
    assert "edge_time" not in kg


def test_folder_with_a_raw_subfolder(tmp_path):
    write(tmp_path / "raw", train__txt="a\tr\tb\n", valid__txt="a\tr\tb\n")
    (tmp_path / "raw" / "test.txt").write_text("b\tr\ta\n")
    assert read_folder(tmp_path).num_edges == 3


def test_other_files_beside_raw_are_ignored(tmp_path):
    write(tmp_path, README__txt="read me\n")
    write(tmp_path / "raw", train__txt="a\tr\tb\n", valid__txt="a\tr\tb\n")
    (tmp_path / "raw" / "test.txt").write_text("b\tr\ta\n")
    assert read_folder(tmp_path).num_edges == 3


def test_kind_of_a_column_of_zeros_and_ones_is_that_of_other_splits(tmp_path):
    write(
        tmp_path,
        train__txt="a\tr\tb\t0.5\n",
        valid__txt="a\tr\tb\t1\n",
        test__txt="a\tr\tb\t0\n",
    )
    assert read_folder(tmp_path).edge_confidence.tolist() == [0.5, 1, 0]


def test_one_file_is_split_by_seed(tmp_path):
    path = tmp_path / "all.tsv"
    path.write_text("\n".join(LINES))
    kg = read_folder(path)
    sizes = [int(m.sum()) for m in (kg.train_mask, kg.val_mask, kg.test_mask)]
    assert sizes == [80, 10, 10]
    # Every triple is in one split.
    assert sorted(kg.edge_time.tolist()) == list(range(100))
    again = read_folder(tmp_path)  # The one file of a folder.
    assert torch.equal(again.edge_index, kg.edge_index)
    other = read_folder(path, seed=1)
    assert not torch.equal(other.edge_index, kg.edge_index)
    half = read_folder(path, ratios=(0.5, 0.25, 0.25))
    assert int(half.train_mask.sum()) == 50


def test_one_file_is_split_by_time(tmp_path):
    path = tmp_path / "all.tsv"
    path.write_text("\n".join(reversed(LINES)))
    kg = read_folder(path, split="time")
    train, val, test = (
        kg.edge_time[m] for m in (kg.train_mask, kg.val_mask, kg.test_mask)
    )
    assert train.max() < val.min()
    assert val.max() < test.min()
    assert [t.numel() for t in (train, val, test)] == [80, 10, 10]


def test_equal_times_are_in_one_split(tmp_path):
    path = tmp_path / "all.tsv"
    lines = [f"e{i}\tr\te{i + 1}\t{i // 15 + 2}" for i in range(100)]
    path.write_text("\n".join(lines))
    kg = read_folder(path, split="time")
    times = [
        set(kg.edge_time[m].tolist())
        for m in (kg.train_mask, kg.val_mask, kg.test_mask)
    ]
    assert all(times)
    assert not times[0] & times[1]
    assert not times[1] & times[2]


@for_each("missing", ["valid", "test"])
def test_a_missing_split_is_drawn_from_train(tmp_path, missing):
    present = "test" if missing == "valid" else "valid"
    folder = write(tmp_path / missing, train__txt="\n".join(LINES))
    (folder / f"{present}.txt").write_text("e0\tr0\te1\t5\n")
    with pytest.warns(CAGPWarning, match=missing[:3]):
        kg = read_folder(folder)
    mask = kg.val_mask if missing == "valid" else kg.test_mask
    assert int(mask.sum()) == 10
    assert int(kg.train_mask.sum()) == 90
    assert kg.num_edges == 101


def test_dictionaries_define_the_numbers(tmp_path):
    write(
        tmp_path,
        train__txt="a\tr\tb\n",
        valid__txt="a\tr\tb\n",
        test__txt="b\tr\ta\n",
        entities__dict="1\ta\r\n0\tb\r\n2\tnever used\r\n",
        relations__dict="0\tr\n",
    )
    kg = read_folder(tmp_path)
    assert kg.num_nodes == 3
    assert kg.node_names == ["b", "a", "never used"]
    assert kg.edge_index[:, 0].tolist() == [1, 0]


@for_each(
    ("text", "message"),
    [
        ("0\ta\n1\ta\n", "line 2: 'a' is listed twice"),
        ("0\ta\n0\tb\n", "with no number left out or used twice"),
        ("a\tb\n", "line 1: expected a number, a tab and a name"),
        ("²\tb\n", "line 1: expected a number, a tab and a name"),
        ("0\tb\n", "line 1: entity 'a'"),
    ],
)
def test_bad_dictionaries_raise(tmp_path, text, message):
    write(
        tmp_path,
        train__txt="a\tr\tb\n",
        valid__txt="a\tr\tb\n",
        test__txt="b\tr\ta\n",
        entities__dict=text,
    )
    with pytest.raises(DatasetFormatError, match=message):
        read_folder(tmp_path)


@for_each(
    ("files", "message"),
    [
        ({}, "holds no triples: expected train"),
        ({"a__txt": "a\tr\tb", "b__txt": "a\tr\tb"}, "holds a.txt, b.txt: ex"),
        ({"valid__txt": "a\tr\tb\n"}, "no train file"),
        (
            {"train__txt": "a\tr\tb\n", "train__tsv": "a\tr\tb\n"},
            "two files for one split: 'train.tsv' and 'train.txt'",
        ),
        (
            {"train__txt": "a\tr\tb\n", "val__txt": "", "test__txt": "a\tr\tb"},
            "val.txt' holds no triple",
        ),
        (
            {"train__txt": "a\tr\tb\t1.5", "val__txt": "a\tr\tb\n"},
            "three columns where another split has four",
        ),
        (
            {"train__txt": "a\tr\tb\t1", "val__txt": "a\tr\tb\t0\n"},
            "only 0 and 1",
        ),
        (
            {"train__txt": "a\tr\tb\t0.5", "val__txt": "a\tr\tb\t7\n"},
            "a time in one split and a confidence in another",
        ),
        (
            {"train__txt": "a\tr\tb\t2014-01-01", "val__txt": "a\tr\tb\t7\n"},
            "another form",
        ),
        ({"train__txt": "a\tr\tb\na \tr\tb\n"}, "'a' and 'a '"),
        ({"all__txt": "a\tr\tb\n"}, "too few triples"),
    ],
)
def test_bad_folders_raise(tmp_path, files, message):
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    write(folder, **files)
    with pytest.raises(DatasetFormatError, match=message):
        read_folder(folder)


def test_bad_options_raise(tmp_path):
    write(tmp_path, all__tsv="a\tr\tb\n" * 30)
    with pytest.raises(DatasetFormatError, match="neither a folder nor a file"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(InvalidInputError, match="three positive shares"):
        read_folder(tmp_path, ratios=(0.5, 0.5, 0.5))
    with pytest.raises(InvalidInputError, match="'split'"):
        read_folder(tmp_path, split="alphabet")
    with pytest.raises(InvalidInputError, match="'extra'"):
        read_folder(tmp_path, extra="colour")
    with pytest.raises(DatasetFormatError, match="needs a fourth column"):
        read_folder(tmp_path, split="time")
