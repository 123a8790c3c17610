r"""Several trainings that differ by their seeds alone."""

from pathlib import Path
from typing import Any

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train.config import Config
from pyg_cagp.train.run import Run, train_run
from pyg_cagp.typing import ModelName


def train_ensemble(
    kg: Any,
    config: Config | ModelName,
    *,
    num_members: int = 5,
    out: str | Path | None = None,
    dataset: str | None = None,
    seed: int = 0,
    progress: bool = True,
) -> list[Run]:
    r"""Trains the same model from several seeds.

    Args:
        kg (Data or Any): The graph.
        config (Config or str): The config, or the name of a model; see
            :func:`train_run`.
        num_members (int, optional): The number of members.
            (default: :obj:`5`)
        out (str or pathlib.Path, optional): A folder, in which each member has
            a folder, numbered from 0. (default: :obj:`None`)
        dataset (str, optional): See :func:`train_run`. (default: :obj:`None`)
        seed (int, optional): The seed of the first member, one less than that
            of the next. (default: :obj:`0`)
        progress (bool, optional): See :func:`train_run`.
            (default: :obj:`True`)
    """
    if num_members < 1:
        raise InvalidInputError(
            f"'num_members' must be positive (got {num_members})"
        )
    return [
        train_run(
            kg,
            config,
            out=None if out is None else Path(out) / str(member),
            dataset=dataset,
            seed=seed + member,
            progress=progress,
        )
        for member in range(num_members)
    ]
