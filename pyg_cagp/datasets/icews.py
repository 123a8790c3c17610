r"""ICEWS14."""

from collections.abc import Mapping
from typing import ClassVar

from pyg_cagp.datasets.pins import Pin, sha256
from pyg_cagp.datasets.remote import RemoteFile, RemoteTriples


class ICEWS14(RemoteTriples):
    r"""The ICEWS14 dataset from the `"Learning Sequence Encoders for Temporal
    Knowledge Graph Completion" <https://arxiv.org/abs/1809.03202>`_ paper,
    containing 7,128 entities, 230 relations and 90,730 dated events of the
    year 2014 from the Integrated Crisis Early Warning System.

    :obj:`edge_time` holds the day of each event, counted from 1 January 1970
    (:obj:`time_unit` is :obj:`"D"`). The same event may recur on many days,
    and some entities of the validation and test splits never occur in train.

    Args:
        root (str): Root directory where the dataset should be saved.
        transform (callable, optional): A transform of the data object, before
            every access. (default: :obj:`None`)
        pre_transform (callable, optional): A transform of the data object,
            before it is saved to disk. (default: :obj:`None`)
        force_reload (bool, optional): Whether to re-process the dataset.
            (default: :obj:`False`)
    """

    url = (
        "https://raw.githubusercontent.com/mniepert/mmkb/master/"
        "TemporalKGs/icews14"
    )
    split_files = (
        "icews_2014_train.txt",
        "icews_2014_valid.txt",
        "icews_2014_test.txt",
    )
    extra = "time"

    # The training file is in circulation in more than one order of its lines.
    sources: ClassVar[Mapping[str, RemoteFile]] = {
        split_files[0]: RemoteFile(
            f"{url}/{split_files[0]}",
            (
                Pin(
                    "sha256 of the sorted lines",
                    "29bca527a730e4bb02838bda1399fa6d"
                    "92878d56dd3e58773083289759b43f56",
                ),
            ),
        ),
        split_files[1]: RemoteFile(
            f"{url}/{split_files[1]}",
            sha256(
                "23dfa5cd6f3bb5421efcc30fc03bed0e"
                "8de4c2cf251d1765ff722d6f8b15dbe3"
            ),
        ),
        split_files[2]: RemoteFile(
            f"{url}/{split_files[2]}",
            sha256(
                "50d53602409a3dbaca2f13d9c7e30bf7"
                "311d8c1868fac890dc0c2836118b4cb4"
            ),
        ),
    }
