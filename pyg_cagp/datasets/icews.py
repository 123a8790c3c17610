r"""The ICEWS14 dataset."""

from collections.abc import Mapping
from typing import ClassVar

from pyg_cagp.datasets.pins import Pin, sha256
from pyg_cagp.datasets.remote import RemoteFile, RemoteTriples

_URL = (
    "https://raw.githubusercontent.com/mniepert/mmkb/master/TemporalKGs/icews14"
)
# Published copies of the training file differ in the order of lines.
_PINS = {
    "icews_2014_train.txt": (
        Pin(
            "sha256 of the sorted lines",
            "29bca527a730e4bb02838bda1399fa6d92878d56dd3e58773083289759b43f56",
        ),
    ),
    "icews_2014_valid.txt": sha256(
        "23dfa5cd6f3bb5421efcc30fc03bed0e8de4c2cf251d1765ff722d6f8b15dbe3"
    ),
    "icews_2014_test.txt": sha256(
        "50d53602409a3dbaca2f13d9c7e30bf7311d8c1868fac890dc0c2836118b4cb4"
    ),
}


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
        transform (callable, optional): A transform at every access.
            (default: :obj:`None`)
        pre_transform (callable, optional): A transform before saving.
            (default: :obj:`None`)
        force_reload (bool, optional): Processes again. (default: :obj:`False`)
    """

    split_files = tuple(_PINS)
    extra = "time"
    sources: ClassVar[Mapping[str, RemoteFile]] = {
        name: RemoteFile(f"{_URL}/{name}", pins) for name, pins in _PINS.items()
    }
