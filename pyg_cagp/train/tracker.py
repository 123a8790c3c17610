r"""Event files of a training run for TensorBoard."""

import contextlib
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.typing import WITH_MATPLOTLIB

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Tracker:
    r"""Writes event files for TensorBoard.

    Args:
        folder (str or pathlib.Path): The folder of the event files.
        purge_step (int, optional): The first step of which events of an
            earlier run in the folder are hidden. (default: :obj:`None`)
    """

    #: The largest number of entities in the projector. The most frequent are
    #: shown.
    max_embeddings = 5000

    def __init__(
        self, folder: str | Path, *, purge_step: int | None = None
    ) -> None:
        from torch.utils.tensorboard import SummaryWriter

        # TensorBoard reads event files in the order of their names, which begin
        # with the time in seconds. The names of two files of the same second
        # may be in the wrong order.
        stamp = f"events.out.tfevents.{int(time.time())}"
        if any(Path(folder).glob(f"{stamp}.*")):
            time.sleep(1)
        self.writer = SummaryWriter(str(folder), purge_step=purge_step)

    def scalars(self, values: dict[str, float], step: int) -> None:
        r"""Writes numbers.

        Args:
            values (dict): The numbers by name.
            step (int): The step of the measurement.
        """
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)

    @torch.no_grad()
    def variances(self, model: GaussianKGEModel, step: int) -> None:
        r"""Writes the variances of the entities: quantiles, a histogram for
        each tenth of the entities by frequency, and, if :obj:`matplotlib` is
        installed, variance against frequency.

        Args:
            model (GaussianKGEModel): The model.
            step (int): The step of the model.
        """
        entity = (model.node_freq > 0).nonzero().view(-1)
        if entity.numel() == 0:
            return
        freq = model.node_freq[entity].float()
        variance = model.mean_variance(entity).float()
        shares = torch.tensor(QUANTILES, device=variance.device)
        values = variance.quantile(shares).tolist()
        for share, value in zip(QUANTILES, values, strict=True):
            name = f"variance/quantile_{share:g}"
            self.writer.add_scalar(name, value, step)
        by_freq = variance[freq.argsort(stable=True)].log10().cpu()
        for tenth, part in enumerate(by_freq.tensor_split(10)):
            if part.numel():
                name = f"log10_variance_by_frequency/tenth_{tenth + 1:02d}"
                self.writer.add_histogram(name, part, step)
        if WITH_MATPLOTLIB:
            self._figure(freq.cpu(), variance.cpu(), step)

    def _figure(self, freq: Tensor, variance: Tensor, step: int) -> None:
        # Not pyplot, which holds figures in memory and needs a display.
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 4), layout="constrained")
        axes = figure.add_subplot()
        axes.scatter(freq, variance, s=4, alpha=0.3, linewidths=0)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="training triples of the entity",
            ylabel="mean posterior variance",
        )
        self.writer.add_figure("variance_vs_frequency", figure, step)

    @torch.no_grad()
    def embeddings(self, model: GaussianKGEModel, kg: Data, step: int) -> None:
        r"""Writes the means of the most frequent entities for the projector,
        with their names, frequencies and variances.

        Args:
            model (GaussianKGEModel): The model.
            kg (Data): The graph, for the names.
            step (int): The step of the model.
        """
        order = model.node_freq.argsort(descending=True, stable=True)
        order = order[: self.max_embeddings]
        names = kg.get("node_names") or [f"#{i}" for i in range(kg.num_nodes)]
        columns = order, model.node_freq[order], model.mean_variance(order)
        lists = (column.tolist() for column in columns)
        rows = [
            # A tab or a line break would end the field.
            [" ".join(str(names[i]).split()), freq, f"{variance:.4g}"]
            for i, freq, variance in zip(*lists, strict=True)
        ]
        # It may print a warning. Standard output is for results.
        with contextlib.redirect_stdout(sys.stderr):
            self.writer.add_embedding(
                model.node_emb(order).cpu(),
                metadata=rows,
                metadata_header=["name", "frequency", "variance"],
                global_step=step,
                tag="entities",
            )

    def result(
        self, model: GaussianKGEModel, kg: Data, record: dict[str, Any]
    ) -> None:
        r"""Writes the variances and the embeddings of a finished model, and its
        options beside its results.

        Args:
            model (GaussianKGEModel): The model.
            kg (Data): The graph, for the names.
            record (dict): The record of the run.
        """
        step = record["epochs"] + 1
        self.variances(model, step)
        self.embeddings(model, kg, step)
        plain = bool, int, float, str
        flat = {
            f"{section}.{key}": v if isinstance(v, plain) else str(v)
            for section, options in record["config"].items()
            for key, v in options.items()
        }
        results = {f"hparam/{k}": v for k, v in record["validation"].items()}
        self.writer.add_hparams(flat, results, run_name=".")

    def flush(self) -> None:
        r"""Writes buffered events."""
        self.writer.flush()

    def close(self) -> None:
        r"""Writes buffered events and closes the file."""
        self.writer.close()
