r"""Downloads files over TLS and checks them."""

import shutil
import ssl
import tarfile
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    HTTPSHandler,
    Request,
    build_opener,
)

from tqdm import tqdm

from pyg_cagp._utils.files import atomic_path
from pyg_cagp.datasets.pins import Pin, verify
from pyg_cagp.exceptions import CAGPError, DownloadError

TIMEOUT = 60  #: Seconds without an answer after which a download fails.
_CHUNK = 1 << 20


def fetch(url: str, path: Path, pins: Sequence[Pin] = ()) -> None:
    r"""Downloads a file to a path and checks it, atomically."""
    with atomic_path(path) as temporary:
        with open(temporary, "wb") as file:
            _stream(url, file, path)
        verify(temporary, pins, url)


def fetch_members(
    url: str, folder: Path, members: Mapping[str, Sequence[Pin]]
) -> None:
    r"""Downloads a tar archive and extracts some of its files."""
    with tempfile.TemporaryFile() as archive:
        _stream(url, archive, folder / next(iter(members)))
        archive.seek(0)
        try:
            with tarfile.open(fileobj=archive) as tar:
                for name, pins in members.items():
                    _extract(tar, name, folder / name, pins, url)
        except CAGPError:
            raise
        except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
            raise DownloadError(
                f"'{url}' is not a complete archive ({error}); try again"
            ) from error


def _extract(
    tar: tarfile.TarFile, name: str, path: Path, pins: Sequence[Pin], url: str
) -> None:
    files = (member for member in tar if member.isfile())
    matches = (m for m in files if m.name.removeprefix("./") == name)
    source = next(map(tar.extractfile, matches), None)
    if source is None:
        raise DownloadError(
            f"the archive '{url}' has no file '{name}', or is damaged"
        )
    with atomic_path(path) as temporary:
        with open(temporary, "wb") as file:
            shutil.copyfileobj(source, file)
        verify(temporary, pins, f"{url}#{name}")


class _StayOnHTTPS(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, url: str
    ) -> Request | None:
        if urlsplit(url).scheme != "https":
            raise DownloadError(
                f"'{req.full_url}' redirects away from https, to '{url}'"
            )
        return super().redirect_request(req, fp, code, msg, headers, url)


def _stream(url: str, file: IO[bytes], path: Path) -> None:
    if urlsplit(url).scheme != "https":
        raise DownloadError(f"'{url}' must start with 'https'")
    request = Request(  # noqa: S310 (the scheme was checked)
        url, headers={"User-Agent": "pyg_cagp"}
    )
    hint = f"or put the file at '{path}'"
    try:
        opener = build_opener(
            HTTPSHandler(context=ssl.create_default_context()), _StayOnHTTPS
        )
        with opener.open(request, timeout=TIMEOUT) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            style = {"unit": "B", "unit_scale": True, "disable": None}
            name = url.rpartition("/")[2]
            with tqdm(total=size or None, desc=name, **style) as bar:
                while chunk := answer.read(_CHUNK):
                    file.write(chunk)
                    bar.update(len(chunk))
    except DownloadError:
        raise
    except (URLError, HTTPException, TimeoutError, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(
            f"cannot fetch '{url}' ({reason}); try again {hint}"
        ) from error
    num_bytes = file.tell()
    if size and num_bytes != size:
        raise DownloadError(
            f"'{url}' was cut off after {num_bytes} of {size} bytes; try again"
        )
