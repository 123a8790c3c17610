r"""Draws figures of the page on concepts, from a run on the generated graph.

    python docs/figures.py

Needs matplotlib (:obj:`pip install 'pyg_cagp[plot]'`).
"""

import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

import matplotlib.pyplot as plt  # noqa: E402

from benchmark.paper.plots import (  # noqa: E402
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    STYLE,
)
from pyg_cagp import (  # noqa: E402
    Coverage,
    SemanticUncertainty,
    StructuralUncertainty,
)
from pyg_cagp.datasets import load  # noqa: E402
from pyg_cagp.protocols import TemporalLike  # noqa: E402
from pyg_cagp.train import Config, train_run  # noqa: E402

KINDS = ("ordinary", "emerging\nentities", "novel\ncontexts")


def by_kind(kind: Tensor, semantic: Tensor, structural: Tensor) -> Any:
    """Both kinds of uncertainty for each kind of test triple."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
    groups = [semantic[kind == number].numpy() for number in range(3)]
    drawn = left.boxplot(
        groups, whis=(5, 95), showfliers=False, patch_artist=True, widths=0.5
    )
    for patch in drawn["boxes"]:
        patch.set_facecolor("#cfe3f1")
    for line in drawn["medians"]:
        line.set_color(BLUE)
    left.set_xticks((1, 2, 3), KINDS)
    left.set_ylim(bottom=0)
    left.set_ylabel("mean variance of both ends")
    left.set_title("semantic", loc="left")
    bottom = torch.zeros(3)
    colours = ("#dddddd", "#f2b48c", ORANGE)
    for missing, colour in enumerate(colours):
        share = torch.stack(
            [
                (structural[kind == number] == missing).float().mean()
                for number in range(3)
            ]
        )
        right.bar(range(3), share, 0.5, bottom, color=colour, label=missing)
        bottom += share
    right.set_xticks(range(3), KINDS)
    right.set_ylabel("share of test triples")
    right.set_title("structural", loc="left")
    right.legend(
        title="pairs never seen",
        loc="upper left",
        bbox_to_anchor=(1, 1),
        frameon=False,
    )
    return figure


def one_entity(model: Any, coverage: Coverage, names: list[str]) -> Any:
    """One entity, all relations: variance is flat, coverage is not."""
    frequency = coverage.frequency()
    # An entity with many training triples, yet not the most frequent one.
    order = frequency.argsort(descending=True, stable=True)
    entity = int(order[len(order) // 10])
    relation = torch.arange(coverage.num_relations)
    same = torch.full_like(relation, entity)
    count = coverage.count(same, relation)
    relation = relation[count.argsort(descending=True, stable=True)]
    count = coverage.count(same, relation)
    figure, (top, low) = plt.subplots(
        2, 1, figsize=(7.2, 3.4), sharex=True, height_ratios=(1, 1.6)
    )
    with torch.no_grad():
        variance = model.mean_variance(same)
    places = range(relation.numel())
    top.plot(places, variance, color=BLUE)
    top.set_ylim(0, 2 * float(variance[0]))
    top.set_ylabel("variance")
    top.set_title(
        f"One entity ({names[entity]}, {int(frequency[entity])} training "
        "slots), every relation",
        loc="left",
    )
    low.bar(places, count, color=GREEN)
    unseen = [place for place in places if int(count[place]) == 0]
    low.plot(unseen, [0.4] * len(unseen), "x", color=ORANGE, clip_on=False)
    low.annotate(
        "never seen with it: novel contexts",
        (unseen[0], 0.8),
        (unseen[0], 0.35 * float(count[0])),
        color=ORANGE,
        arrowprops={"arrowstyle": "-", "color": GREY},
    )
    low.set_ylabel("times seen")
    low.set_xlabel("relations, by how often the entity was seen with them")
    low.set_xticks([])
    return figure


def main() -> None:
    """Trains, and draws all figures."""
    kg = load("synthetic")
    config = Config.find("synthetic", "gaussian-distmult")
    run = train_run(kg, config, progress=False)
    coverage = Coverage.from_data(kg)
    test = TemporalLike().label(kg, "test")
    triples = test.triples
    semantic = SemanticUncertainty(run.model)(*triples)
    structural = StructuralUncertainty(coverage)(*triples)
    plt.rcParams.update(STYLE)
    figures = {
        "by_kind": by_kind(test.kind, semantic, structural),
        "one_entity": one_entity(run.model, coverage, kg.node_names),
    }
    for name, figure in figures.items():
        figure.tight_layout()
        path = DOCS / "images" / f"{name}.svg"
        figure.savefig(path, metadata={"Date": None})
        print(path)


if __name__ == "__main__":
    main()
