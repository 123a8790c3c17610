r"""Several trainings that differ by their seeds alone."""

from pathlib import Path

from torch_geometric.data import Data

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train.options import Config
from pyg_cagp.train.run import Run, train_run


def train_ensemble(
    kg: Data,
    config: Config,
    out: str | Path,
    num_members: int = 5,
    dataset: str = "",
    seed: int = 0,
    progress: bool = True,
) -> list[Run]:
    r"""Trains the same model from several seeds, each into a folder of its own.

    Args:
        kg (Data): The graph.
        config (Config): How to train.
        out (str or pathlib.Path): The folder, in which members are numbered
            from 0 on.
        num_members (int, optional): The number of members.
            (default: :obj:`5`)
        dataset (str, optional): The name of the graph, for the records.
            (default: :obj:`""`)
        seed (int, optional): The seed of the first member; the next one has the
            next. (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`False`, shows no progress
            bar. (default: :obj:`True`)
    """
    if num_members < 1:
        raise InvalidInputError(
            f"'num_members' must be positive (got {num_members})"
        )
    return [
        train_run(
            kg,
            config,
            Path(out) / str(member),
            dataset,
            seed + member,
            progress=progress,
        )
        for member in range(num_members)
    ]
