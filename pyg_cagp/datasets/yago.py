r"""The YAGO3-10 dataset."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pyg_cagp.datasets.fetch import fetch_members
from pyg_cagp.datasets.pins import Pin, sha256
from pyg_cagp.datasets.remote import RemoteFile, RemoteTriples


class YAGO3_10(RemoteTriples):
    r"""The YAGO3-10 dataset from the `"Convolutional 2D Knowledge Graph
    Embeddings" <https://arxiv.org/abs/1707.01476>`_ paper, containing 123,182
    entities, 37 relations and 1,089,040 fact triples.

    Its triples come from the `"YAGO3: A Knowledge Base from Multilingual
    Wikipedias" <https://hal.science/hal-01699874>`_ paper, restricted to
    entities with at least ten relations.

    Args:
        root (str): Root directory where the dataset should be saved.
        transform (callable, optional): A transform at every access.
            (default: :obj:`None`)
        pre_transform (callable, optional): A transform before saving.
            (default: :obj:`None`)
        force_reload (bool, optional): Processes again. (default: :obj:`False`)
    """

    url = "https://github.com/TimDettmers/ConvE/raw/master/YAGO3-10.tar.gz"

    sources: ClassVar[Mapping[str, RemoteFile]] = {
        "train.txt": RemoteFile(
            url,
            (
                Pin("md5", "a9da8f583ec3920570eeccf07199229a"),
                Pin("git blob id", "1543056ff5af6d3bf841510129529e91e9a8627c"),
            ),
        ),
        "valid.txt": RemoteFile(
            url,
            sha256(
                "c9018b77ec77e99f8d48bc3258d404f10b2049a6c7b4ac6eb663697e799dc6f5"
            ),
        ),
        "test.txt": RemoteFile(
            url,
            sha256(
                "003887ca8a34c90fcaf9b0250b1c30a4b5f617f80f8cf0aeab9723333061598a"
            ),
        ),
    }

    def download(self) -> None:
        r"""Downloads the archive and extracts the missing files."""
        folder = Path(self.raw_dir)
        missing = {
            name: source.pins
            for name, source in self.sources.items()
            if not (folder / name).exists()
        }
        fetch_members(self.url, folder, missing)
