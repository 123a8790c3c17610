"""KGFolder and its cache, which lies outside the folder of the user."""

import gzip

import pytest

from pyg_cagp.datasets import KGFolder
from pyg_cagp.exceptions import CAGPWarning, DatasetFormatError


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "my graph"
    path.mkdir()
    (path / "train.tsv").write_text('Zoë "Z"\tknows\tBob\nBob\tknows\tAda\n')
    (path / "valid.csv").write_text('"Zoë ""Z""",knows,Ada\n')
    (path / "test.txt.gz").write_bytes(gzip.compress(b"Ada\tknows\tBob\n"))
    return path


def test_the_folder_is_not_modified(folder):
    before = sorted(p.name for p in folder.iterdir())
    dataset = KGFolder(folder)
    data = dataset[0]
    assert data.node_names == ['Zoë "Z"', "Bob", "Ada"]
    assert data.num_edges == 4
    assert sorted(p.name for p in folder.iterdir()) == before
    assert repr(dataset) == f"KGFolder('{folder}')"


def test_an_edited_graph_is_read_again(folder, tmp_path):
    root = tmp_path / "cache"
    assert KGFolder(folder, root=root)[0].num_edges == 4
    caches = set((root / "processed").glob("data-*"))
    KGFolder(folder, root=root)
    assert set((root / "processed").glob("data-*")) == caches
    with open(folder / "train.tsv", "a") as file:
        file.write("Ada\tknows\tAda\n")
    assert KGFolder(folder, root=root)[0].num_edges == 5
    (folder / "entities.dict").write_text('0\tBob\n1\tAda\n2\tZoë "Z"\n')
    assert KGFolder(folder, root=root)[0].node_names[0] == "Bob"


def test_options_have_separate_caches(tmp_path):
    path = tmp_path / "g.tsv"
    path.write_text("".join(f"a{i}\tr\tb{i}\n" for i in range(50)))
    first, second = KGFolder(path, seed=0)[0], KGFolder(path, seed=1)[0]
    assert first.edge_index.tolist() != second.edge_index.tolist()
    assert KGFolder(path, seed=0)[0].edge_index.equal(first.edge_index)


def test_transform_and_pre_transform(folder):
    def mark(data):
        data.marked = 1
        return data

    assert KGFolder(folder, transform=mark)[0].marked == 1
    assert KGFolder(folder, pre_transform=mark)[0].marked == 1
    assert "marked" not in KGFolder(folder)[0]


def test_the_suffix_is_part_of_the_cache_key(tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("".join(f"a,{i}\tb\tc,r,{i}\n" for i in range(30)))
    assert KGFolder(path)[0].num_relations == 1
    path = path.rename(tmp_path / "g.csv")
    assert KGFolder(path)[0].num_relations == 30


def test_a_missing_split_warns_every_time(tmp_path):
    lines = "".join(f"a{i}\tr\tb\n" for i in range(30))
    (tmp_path / "train.txt").write_text(lines)
    (tmp_path / "test.txt").write_text("a1\tr\tb\n")
    for _ in range(2):
        with pytest.warns(CAGPWarning, match="has no val split"):
            KGFolder(tmp_path)


def test_a_bad_file_leaves_no_cache(folder, tmp_path):
    (folder / "test.txt.gz").write_bytes(b"nonsense")
    root = tmp_path / "cache"
    with pytest.raises(DatasetFormatError, match="gzip file"):
        KGFolder(folder, root=root)
    assert not list((root / "processed").glob("data-*"))
