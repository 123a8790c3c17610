r"""The events that training writes for TensorBoard, and how to add others.

    python examples/tensorboard_logging.py --out runs/logged
    tensorboard --logdir runs/logged

TensorBoard shows all event files of a folder. A tracker of the same folder adds
values after training; a subclass of :class:`~pyg_cagp.train.Tracker` adds them
during training.
"""

import argparse
import tempfile
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import (
    EventAccumulator,
)
from torch_geometric.data import Data

from pyg_cagp import (
    CAGP,
    Coverage,
    GaussianDistMult,
    SemanticUncertainty,
    metrics,
)
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import TemporalLike
from pyg_cagp.train import Config, Tracker, Trainer, TrainOptions, train_run


class EmergingTracker(Tracker):
    r"""Also writes, at each validation pass, the AUROC of semantic
    uncertainty on emerging entities.
    """

    def __init__(self, folder: Path, kg: Data) -> None:
        super().__init__(folder)
        self.val = TemporalLike().label(kg, "val")
        self.emerging = self.val.rows()["emerging"]

    def variances(self, model: GaussianKGEModel, step: int) -> None:
        r"""Also writes the AUROC on emerging entities."""
        super().variances(model, step)
        uncertainty = SemanticUncertainty(model)(*self.val.triples)
        auroc = metrics.auroc(
            uncertainty[self.emerging], self.val.label[self.emerging]
        )
        self.scalars({"mine/emerging_auroc": auroc}, step)


def show(folder: Path, prefix: str = "") -> None:
    r"""Prints the tags of the event files of a folder."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    tags = events.Reload().Tags()
    for kind in ("scalars", "histograms", "images", "tensors"):
        for tag in sorted(tags[kind]):
            last_value = ""
            if kind == "scalars":
                last = events.Scalars(tag)[-1]
                last_value = f" = {last.value:.4g} at step {last.step}"
            if tag.startswith(prefix):
                print(f"  {kind.removesuffix('s'):9s} {tag}{last_value}")


def log(folder: Path, dataset: str, epochs: int) -> None:
    kg = load(dataset)
    config = Config.find(dataset, "gaussian-distmult")
    config = config.override({"train.epochs": epochs})
    run = train_run(kg, config, out=folder / "run", dataset=dataset)
    print("Training writes:")
    show(folder / "run")
    print("and the embeddings of frequent entities, for the projector.")

    # After training: another tracker of the same folder.
    cagp = CAGP(run.model, Coverage.from_data(kg)).fit(kg)
    head, rel, tail = triples(kg, "test")
    parts = cagp.decompose(head, rel, tail)
    tracker = Tracker(folder / "run")
    tracker.scalars({"mine/weight_of_semantic": cagp.alpha}, epochs)
    # The writer is a SummaryWriter of torch.utils.tensorboard.
    tracker.writer.add_histogram("mine/total", parts.total, epochs)
    tracker.writer.add_text("mine/note", "of all test triples", epochs)
    tracker.close()
    print("Added after training:")
    show(folder / "run", "mine/")

    # During training: a tracker that writes more values.
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 32)
    options = TrainOptions(epochs=epochs, lr=0.05, eval_every=1)
    tracker = EmergingTracker(folder / "watched", kg)
    Trainer(model, kg, options=options, tracker=tracker).fit()
    tracker.close()
    print("Added during training:")
    show(folder / "watched", "mine/")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--out", type=Path, help="a new folder for all files")
    args = parser.parse_args()
    if args.out is not None:
        log(args.out, args.dataset, args.epochs)
        return
    with tempfile.TemporaryDirectory() as folder:
        log(Path(folder), args.dataset, args.epochs)


if __name__ == "__main__":
    main()
