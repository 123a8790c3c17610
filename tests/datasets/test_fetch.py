"""Downloads over real TLS on loopback: trusted, untrusted, corrupted."""

import hashlib
import io
import tarfile

import pytest

from pyg_cagp.datasets.fetch import fetch, fetch_members
from pyg_cagp.datasets.pins import Pin, sha256
from pyg_cagp.exceptions import CacheError, ChecksumError, DownloadError
from tests.datasets.server import https_server
from tests.loops import for_each

TEXT = b"a\tr\tb\n" * 1000


def archive(**files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name.replace("__", "."))
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    complete = archive(train__txt=TEXT, valid__txt=b"x")
    files = {
        "/a.txt": TEXT,
        "/short.txt": TEXT,
        "/a.tar.gz": complete,
        "/cut.tar.gz": complete[: len(complete) // 2],
        "/flipped.tar.gz": bytes(
            byte ^ (255 if 30 < i < 60 else 0)
            for i, byte in enumerate(complete)
        ),
        "/moved.txt": b"http://127.0.0.1:9/a.txt",
    }
    with https_server(files, tmp_path_factory.mktemp("tls")) as running:
        yield running


@pytest.fixture
def url(server, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(server[1]))
    return server[0]


PINS = sha256(hashlib.sha256(TEXT).hexdigest())


def test_pinned_file_is_downloaded(url, tmp_path):
    fetch(f"{url}/a.txt", tmp_path / "b.txt", PINS)
    assert (tmp_path / "b.txt").read_bytes() == TEXT
    assert [p.name for p in tmp_path.iterdir()] == ["b.txt"]


def test_members_of_an_archive_are_extracted(url, tmp_path):
    members = {"train.txt": PINS, "valid.txt": ()}
    fetch_members(f"{url}/a.tar.gz", tmp_path, members)
    assert (tmp_path / "train.txt").read_bytes() == TEXT
    assert (tmp_path / "valid.txt").read_bytes() == b"x"


@for_each(
    ("name", "pins", "error", "message"),
    [
        ("a.txt", sha256("0" * 64), ChecksumError, "is not the published file"),
        ("a.txt", (Pin("md5", "0" * 32),), ChecksumError, "its md5 is"),
        ("none.txt", (), DownloadError, "cannot fetch"),
        ("short.txt", (), DownloadError, "cannot fetch|cut off"),
        ("moved.txt", (), DownloadError, "https.*'http:"),
    ],
)
def test_a_bad_download_leaves_no_file(
    url, tmp_path, name, pins, error, message
):
    with pytest.raises(error, match=message):
        fetch(f"{url}/{name}", tmp_path / "b.txt", pins)
    assert list(tmp_path.iterdir()) == []


@for_each(
    ("name", "members", "error", "message"),
    [
        ("a.tar.gz", {"test.txt": ()}, DownloadError, "has no file 'test.txt'"),
        ("cut.tar.gz", {"train.txt": ()}, DownloadError, "archive"),
        ("a.txt", {"train.txt": ()}, DownloadError, "archive"),
        ("flipped.tar.gz", {"train.txt": ()}, DownloadError, "archive"),
        (
            "a.tar.gz",
            {"train.txt": sha256("0" * 64)},
            ChecksumError,
            "#train.txt' is not the published file",
        ),
    ],
)
def test_a_bad_archive_leaves_no_file(
    url, tmp_path, name, members, error, message
):
    with pytest.raises(error, match=message):
        fetch_members(f"{url}/{name}", tmp_path, members)
    assert list(tmp_path.iterdir()) == []


def test_an_untrusted_server_raises(server, tmp_path, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(DownloadError, match="CERTIFICATE_VERIFY_FAILED"):
        fetch(f"{server[0]}/a.txt", tmp_path / "b.txt")
    assert list(tmp_path.iterdir()) == []


def test_urls_without_https_raise(tmp_path):
    for url in ("http://127.0.0.1/a.txt", "file:///etc/hostname"):
        with pytest.raises(DownloadError, match="https"):
            fetch(url, tmp_path / "b.txt")


def test_a_missing_folder_raises(url, tmp_path):
    members = {"train.txt": ()}
    with pytest.raises(CacheError, match="cannot write to"):
        fetch_members(f"{url}/a.tar.gz", tmp_path / "nowhere", members)
    with pytest.raises(CacheError, match="cannot write to"):
        fetch(f"{url}/a.txt", tmp_path / "nowhere" / "b.txt")
