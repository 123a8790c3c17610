"""Dataset classes on small stand-ins in the published layout."""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest

from pyg_cagp.datasets import ICEWS14, YAGO3_10, CoDEx, UncertainKG, cache
from pyg_cagp.datasets.cache import describe, locked
from pyg_cagp.datasets.pins import Pin
from pyg_cagp.datasets.registry import REGISTRY
from pyg_cagp.datasets.remote import RemoteFile
from pyg_cagp.exceptions import (
    CacheError,
    ChecksumError,
    DatasetFormatError,
    InvalidInputError,
)
from pyg_cagp.transforms import TemporalLikeOOD
from tests.conftest import DATA_ROOT
from tests.datasets.server import https_server
from tests.datasets.test_fetch import archive
from tests.loops import for_each

TRIPLES = {
    "train.txt": b"a\tr\tb\nb\ts\tc\n",
    "valid.txt": b"a\tr\tc\n",
    "test.txt": b"d\tr\ta\nc\tq\ta\n",
}


def pinned(files, url="https://nowhere.invalid"):
    return MappingProxyType(
        {
            name: RemoteFile(
                f"{url}/{name}",
                (Pin("sha256", hashlib.sha256(content).hexdigest()),),
            )
            for name, content in files.items()
        }
    )


def lay_out(root, files):
    (root / "raw").mkdir(parents=True)
    for name, content in files.items():
        (root / "raw" / name).write_bytes(content)
    return root


@pytest.fixture
def yago(tmp_path, monkeypatch):
    """A small YAGO3-10, as the training file of the real one is not here."""
    monkeypatch.setattr(YAGO3_10, "sources", pinned(TRIPLES))
    return lay_out(tmp_path / "yago", TRIPLES)


def test_local_raw_files_are_not_downloaded(yago):
    dataset = YAGO3_10(yago)
    data = dataset[0]
    assert len(dataset) == 1
    assert data.node_names == ["a", "b", "c", "d"]
    assert data.relation_names == ["r", "s", "q"]
    assert data.edge_index.tolist() == [[0, 1, 0, 3, 2], [1, 2, 2, 0, 0]]
    assert data.edge_type.tolist() == [0, 1, 0, 0, 2]
    assert data.train_mask.tolist() == [True, True, False, False, False]
    assert data.test_mask.tolist() == [False, False, False, True, True]
    assert dataset.num_relations == 3
    assert repr(dataset) == "YAGO3_10()"


def mark(data):
    data.marked = 1
    return data


def test_transform_and_pre_transform(yago):
    assert "marked" not in YAGO3_10(yago)[0]
    assert YAGO3_10(yago, transform=mark)[0].marked == 1
    # Each pre_transform has a cache of its own.
    assert YAGO3_10(yago, pre_transform=mark)[0].marked == 1
    assert "marked" not in YAGO3_10(yago)[0]
    one = YAGO3_10(yago, pre_transform=TemporalLikeOOD(quantile=0.5))[0]
    two = YAGO3_10(
        yago, pre_transform=TemporalLikeOOD(quantile=0.5, inclusive=True)
    )[0]
    assert one.ood_type.tolist() != two.ood_type.tolist()


def test_functions_with_other_code_have_other_caches(yago):
    def marker(value):
        def transform(data):
            data.marked = value
            return data

        return transform

    for value in (1, 2):
        data = YAGO3_10(yago, pre_transform=marker(value))[0]
        assert data.marked == value
    one = YAGO3_10(yago, pre_transform=lambda d: d.update({"marked": 3}))
    two = YAGO3_10(yago, pre_transform=lambda d: d.update({"marked": 4}))
    assert (one[0].marked, two[0].marked) == (3, 4)
    assert describe(marker(1)) == describe(marker(1))
    assert describe(partial(max, 1)) != describe(partial(max, 2))


def test_force_reload(yago):
    path = Path(YAGO3_10(yago).processed_paths[0])
    before = path.stat().st_mtime_ns
    YAGO3_10(yago)
    assert path.stat().st_mtime_ns == before
    YAGO3_10(yago, force_reload=True)
    assert path.stat().st_mtime_ns > before


@for_each("size", [0, 100, None])
def test_a_damaged_cache_is_rebuilt(yago, size):
    path = Path(YAGO3_10(yago).processed_paths[0])
    content = path.read_bytes()
    path.write_bytes(b"x" * 99 if size is None else content[:size])
    assert YAGO3_10(yago)[0].num_edges == 5
    assert path.stat().st_size > 100


def test_missing_members_are_taken_from_the_archive(
    yago, tmp_path, monkeypatch
):
    (yago / "raw" / "train.txt").unlink()
    before = (yago / "raw" / "valid.txt").stat().st_mtime_ns
    content = {k.replace(".", "__"): v for k, v in TRIPLES.items()}
    files = {"/y.tar.gz": archive(**content)}
    with https_server(files, tmp_path) as (url, pem, requested):
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        monkeypatch.setattr(YAGO3_10, "url", f"{url}/y.tar.gz")
        assert YAGO3_10(yago)[0].num_edges == 5
        YAGO3_10(yago, force_reload=True)
        assert requested == ["/y.tar.gz"]
    assert (yago / "raw" / "valid.txt").stat().st_mtime_ns == before


def test_files_without_an_archive_are_downloaded(tmp_path, monkeypatch):
    dated = {
        name.replace("txt", "x"): content.replace(b"\n", b"\t2014-01-02\n")
        for name, content in TRIPLES.items()
    }
    files = dict(zip(ICEWS14.split_files, dated.values(), strict=True))
    served = {f"/{name}": content for name, content in files.items()}
    with https_server(served, tmp_path) as (url, pem, requested):
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        monkeypatch.setattr(ICEWS14, "sources", pinned(files, url))
        data = ICEWS14(tmp_path / "icews")[0]
        assert len(requested) == 3
    assert data.edge_time.tolist() == [16072] * 5  # 2 January 2014.
    assert data.time_unit == "D"


def test_a_changed_raw_file_raises(yago):
    path, content = yago / "raw" / "train.txt", TRIPLES["train.txt"]
    for changed in (content[:-4], content + b"x\n"):
        path.write_bytes(changed)
        with pytest.raises(ChecksumError, match="sha256"):
            YAGO3_10(yago)
        assert list((yago / "processed").iterdir()) == []


def test_a_malformed_raw_file_leaves_no_cache(yago, monkeypatch):
    bad = {**TRIPLES, "test.txt": b"a\tr\n"}
    monkeypatch.setattr(YAGO3_10, "sources", pinned(bad))
    (yago / "raw" / "test.txt").write_bytes(bad["test.txt"])
    with pytest.raises(DatasetFormatError, match=r"test.txt', line 1"):
        YAGO3_10(yago)
    assert list((yago / "processed").iterdir()) == []


def test_a_failing_pre_transform_leaves_no_cache(yago):
    def fail(_):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        YAGO3_10(yago, pre_transform=fail)
    assert not [p for p in (yago / "processed").rglob("*") if p.is_file()]
    assert YAGO3_10(yago)[0].num_edges == 5


def test_a_read_only_root_raises_unless_prepared(yago):
    yago.chmod(0o555)
    try:
        with pytest.raises(CacheError, match="cannot be written to; pass"):
            YAGO3_10(yago)
        assert [p.name for p in yago.iterdir()] == ["raw"]
        yago.chmod(0o755)
        YAGO3_10(yago)
        yago.chmod(0o555)
        # A prepared dataset is only read.
        assert YAGO3_10(yago)[0].num_edges == 5
    finally:
        yago.chmod(0o755)


def test_files_of_a_killed_process_are_removed(yago):
    """Kills a loader in the middle of writing its cache."""
    killed = subprocess.run(
        [
            sys.executable,
            "-c",
            LOADER.replace(
                'print("ready"',
                "import os, signal\n"
                "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
                'print("ready"',
            ),
        ],
        input=f"remote 0 {yago}\n",
        text=True,
        capture_output=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    (partial_file,) = (yago / "processed").iterdir()
    assert partial_file.suffix == ".part"
    data = YAGO3_10(yago)
    assert data[0].num_edges == 5
    assert not partial_file.exists()


def test_processes_wait_for_the_one_that_prepares(yago, monkeypatch):
    with ThreadPoolExecutor(1) as pool:
        with locked(yago):
            waiting = pool.submit(lambda: YAGO3_10(yago)[0].num_edges)
            time.sleep(0.5)
            assert not waiting.done()
            assert not (yago / "processed").exists()
            # A cache written while the lock was held is not rebuilt.
            with monkeypatch.context() as patch:
                patch.setattr(
                    cache, "locked", lambda _: contextlib.nullcontext()
                )
                cached = Path(YAGO3_10(yago).processed_paths[0])
            before = cached.stat().st_mtime_ns
        assert waiting.result(timeout=60) == 5
    assert cached.stat().st_mtime_ns == before


def test_a_failed_save_leaves_no_file(yago, monkeypatch):
    def fail(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        YAGO3_10(yago)
    assert list((yago / "processed").iterdir()) == []


#: Loads a dataset for each line of its input, and prints the number of edges.
LOADER = """
import sys
from tests.datasets.test_remote import TRIPLES, pinned
from pyg_cagp.datasets import KGFolder, YAGO3_10, load
YAGO3_10.sources = pinned(TRIPLES)
print("ready", flush=True)
for line in sys.stdin:
    kind, force, root = line.rstrip("\\n").split(" ", 2)
    if kind == "remote":
        data = YAGO3_10(root, force_reload=force == "1")[0]
    elif kind == "folder":
        cache = root + "-cache"
        data = KGFolder(root, root=cache, force_reload=force == "1")[0]
    else:
        data = load(kind, root=root)
    print(data.num_edges, flush=True)
"""


def load_twice_at_once(*lines, **environment):
    """The numbers of edges that two processes print for each line."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", LOADER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        )
        for _ in range(2)
    ]
    # Both have imported the package before either starts.
    assert [run.stdout.readline() for run in runs] == ["ready\n"] * 2
    sizes = []
    for line in lines:
        for run in runs:
            run.stdin.write(line + "\n")
            run.stdin.flush()
        sizes.append([int(run.stdout.readline()) for run in runs])
    for run in runs:
        run.communicate(timeout=300)
        assert run.returncode == 0
    return sizes


@pytest.mark.slow
def test_two_processes_load_the_same_dataset(tmp_path):
    lines = [
        f"{kind} {force} {lay_out(tmp_path / (kind + force), TRIPLES)}"
        for kind in ("remote", "folder")
        for force in ("0", "1")
    ]
    assert load_twice_at_once(*lines) == [[5, 5]] * 4


@pytest.mark.slow
@pytest.mark.data
def test_two_processes_load_the_same_pyg_dataset(tmp_path):
    """PyG writes its own cache in place."""
    if REGISTRY["wn18rr"].missing(DATA_ROOT):
        pytest.skip("WN18RR is not present")
    sizes = load_twice_at_once(
        f"wn18rr 0 {DATA_ROOT}", PYG_CAGP_CACHE=str(tmp_path)
    )
    assert sizes == [[93_003, 93_003]]


def test_negatives_of_codex(tmp_path, monkeypatch):
    files = {
        **TRIPLES,
        "valid_negatives.txt": b"b\tr\ta\n",
        "test_negatives.txt": b"a\ts\td\nd\tq\tb\n",
    }
    monkeypatch.setattr(CoDEx, "sources", pinned(files))
    dataset = CoDEx(lay_out(tmp_path / "codex", files))
    data = dataset[0]
    assert data.val_neg_edge_index.tolist() == [[1], [0]]
    assert data.test_neg_edge_index.tolist() == [[0, 3], [3, 1]]
    assert data.test_neg_edge_type.tolist() == [1, 2]
    assert repr(dataset) == "CoDEx-S()"


def test_files_of_codex_sizes():
    sources = CoDEx.sources_of
    assert len(sources("S")) == len(sources("M")) == 5
    assert list(sources("L")) == ["train.txt", "valid.txt", "test.txt"]
    assert sources("M")["train.txt"].url.endswith("/codex-m/train.txt")
    with pytest.raises(InvalidInputError, match="'size'"):
        CoDEx("root", size="XL")


def test_confidences_of_uncertain_graphs(tmp_path, monkeypatch):
    files = {
        name: content.replace(b"\n", b"\t0.75\n")
        for name, content in TRIPLES.items()
    }
    files["softlogic.txt"] = b"a\ts\tb\t0.25\n"
    monkeypatch.setattr(UncertainKG, "sources", pinned(files))
    dataset = UncertainKG(lay_out(tmp_path / "u", files))
    data = dataset[0]
    assert data.edge_confidence.tolist() == [0.75] * 5
    assert data.psl_edge_index.tolist() == [[0], [1]]
    assert data.psl_confidence.tolist() == [0.25]
    assert repr(dataset) == "NL27k()"
    with pytest.raises(InvalidInputError, match="'name'"):
        UncertainKG("root", name="NL28k")


def test_urls_of_uncertain_graphs():
    sources = UncertainKG.sources_of("CN15k")
    assert sources["valid.txt"].url.endswith("/cn15k/val.tsv")
    assert "softlogic.txt" not in sources
