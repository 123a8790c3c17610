r"""Saving and loading of the state of a training run."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pyg_cagp.exceptions import CheckpointError
from pyg_cagp.train.checkpoint import (
    load_checkpoint,
    nest,
    save_checkpoint,
    unnest,
)
from pyg_cagp.train.optim import load_optimizer_state, optimizer_state

if TYPE_CHECKING:
    from pyg_cagp.train.trainer import Trainer


@dataclass
class Progress:
    r"""The progress of a training run, in plain numbers.

    Args:
        epoch (int): The number of finished epochs.
        batch (int): The number of finished batches of the next epoch.
        loss (float): The sum of the losses of those batches.
        nll (float): The sum of their negative log-likelihoods.
        kl (float): The sum of their prior terms.
        best_mrr (float, optional): The best validation MRR so far.
        best_epoch (int): The epoch of the best validation MRR.
        misses (int): The number of validation passes since the best.
        history (list): The measurements after each epoch.
    """

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    nll: float = 0.0
    kl: float = 0.0
    best_mrr: float | None = None
    best_epoch: int = 0
    misses: int = 0
    history: list[dict[str, float]] = field(default_factory=list)


def write_state(trainer: "Trainer", path: Path) -> None:
    r"""Writes the state that determines the rest of a training run."""
    model = trainer.model
    assert model.generator is not None
    tensors = nest("model", model.state_dict()) | nest("best", trainer.best)
    tensors |= nest("optim", optimizer_state(model, trainer.optimizers))
    tensors["rng.order"] = trainer.order_state
    tensors["rng.model"] = model.generator.get_state()
    meta = {
        "fingerprint": trainer.fingerprint,
        "device": trainer.device.type,
        "progress": asdict(trainer.state),
        "seconds": trainer.seconds,
    }
    save_checkpoint(path, tensors, meta)


def read_state(trainer: "Trainer", path: Path) -> None:
    r"""Restores the state that :func:`write_state` wrote."""
    model = trainer.model
    assert model.generator is not None
    tensors, meta = load_checkpoint(path, device=trainer.device)
    if not {"fingerprint", "device", "progress", "seconds"} <= meta.keys():
        raise CheckpointError(f"'{path}' is not the state of a training run")
    if meta["device"] != trainer.device.type:
        raise CheckpointError(
            f"'{path}' was written on device '{meta['device']}' and cannot "
            f"resume on '{trainer.device.type}', which has other random numbers"
        )
    if meta["fingerprint"] != trainer.fingerprint:
        raise CheckpointError(
            f"'{path}' belongs to another run: its graph, seed or config "
            f"differs; resume with the original ones, or train into another "
            f"folder"
        )
    model.load_state_dict(unnest("model", tensors))
    trainer.best = unnest("best", tensors)
    load_optimizer_state(model, trainer.optimizers, unnest("optim", tensors))
    # States of generators are on the CPU, also those of other devices.
    trainer.order_state = tensors["rng.order"].cpu()
    trainer.batches.generator.set_state(trainer.order_state)
    model.generator.set_state(tensors["rng.model"].cpu())
    trainer.state = Progress(**meta["progress"])
    trainer.seconds = meta["seconds"]
