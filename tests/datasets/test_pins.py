"""Digests against those of command-line tools."""

import pytest

from pyg_cagp.datasets.pins import KINDS, Pin, verify
from pyg_cagp.exceptions import ChecksumError
from tests.loops import for_each


@for_each(
    ("kind", "content", "expected"),
    [
        (
            "sha256",
            b"abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        ("md5", b"abc", "900150983cd24fb0d6963f7d28e17f72"),
        # git hash-object of a file with the line "hello".
        (
            "git blob id",
            b"hello\n",
            "ce013625030ba8dba906f756967f9e9ca394464a",
        ),
        ("number of lines", b"a\nb\n", "2"),
        ("number of lines", b"a\nb", "2"),
    ],
)
def test_digests_equal_known_values(tmp_path, kind, content, expected):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert KINDS[kind](path) == expected
    verify(path, [Pin(kind, expected)])
    path.write_bytes(content + b"\nx\n")
    with pytest.raises(ChecksumError, match=f"its {kind} is .*, expected"):
        verify(path, [Pin(kind, expected)])


def test_digest_of_sorted_lines_ignores_their_order(tmp_path):
    a, b, c = (tmp_path / name for name in "abc")
    a.write_bytes(b"1\n2\n3\n")
    b.write_bytes(b"3\n1\n2\n")
    c.write_bytes(b"3\n1\n1\n")
    digest = KINDS["sha256 of the sorted lines"]
    assert digest(a) == digest(b) != digest(c)
