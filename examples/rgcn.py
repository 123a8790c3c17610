r"""An R-GCN encoder with a DistMult decoder, beside a Gaussian DistMult.

    python examples/rgcn.py
    python examples/rgcn.py --dataset fb15k-237 --epochs 200

The encoder is PyG's :class:`~torch_geometric.nn.RGCNConv`. After training,
:func:`~pyg_cagp.nn.scoring.as_scorer` calls it once, and its output takes the
place of the decoder's entities: ranking, a Laplace posterior of the last layer,
and all estimators work as on any other model.
"""

import argparse

import torch
from torch import Tensor
from torch.nn import Parameter
from torch_geometric.data import Data
from torch_geometric.nn import GAE, RGCNConv

from pyg_cagp import (
    CAGP,
    Coverage,
    GaussianDistMult,
    LaplacePosterior,
    SemanticUncertainty,
    StructuralUncertainty,
    evaluate,
)
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge.draw import Draws
from pyg_cagp.nn.scoring import as_scorer

CHANNELS = 32


class Encoder(torch.nn.Module):
    r"""A layer over the graph and its inverse relations."""

    def __init__(self, num_nodes: int, num_relations: int) -> None:
        super().__init__()
        self.num_relations = num_relations
        self.node_emb = Parameter(torch.empty(num_nodes, CHANNELS))
        sizes = CHANNELS, CHANNELS, 2 * num_relations
        self.conv = RGCNConv(*sizes, num_bases=4)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Resets all weights."""
        torch.nn.init.xavier_uniform_(self.node_emb)
        self.conv.reset_parameters()

    def forward(
        self, x: Tensor | None, edge_index: Tensor, edge_type: Tensor
    ) -> Tensor:
        r"""Returns the embeddings of all entities."""
        x = self.node_emb if x is None else x
        edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
        edge_type = torch.cat([edge_type, edge_type + self.num_relations])
        return x + self.conv(x, edge_index, edge_type).relu()


def train_rgcn(kg: Data, epochs: int) -> GAE:
    decoder = GaussianDistMult(
        kg.num_nodes, kg.num_relations, CHANNELS, variational=False
    )
    model = GAE(Encoder(kg.num_nodes, kg.num_relations), decoder)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    head, rel, tail = triples(kg, "train")
    for _ in range(epochs):
        # One half of the triples passes messages, the other is predicted.
        sent = torch.rand(rel.numel()) < 0.5
        edge_index = torch.stack([head[sent], tail[sent]])
        node = model.encode(None, edge_index, rel[sent])
        batch = head[~sent], rel[~sent], tail[~sent]
        other = decoder.objective.negatives(decoder, *batch)
        drawn = Draws(node[batch[0]], node[batch[2]], node[other])
        loss = decoder.objective(decoder, *batch, other, drawn)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def train_distmult(kg: Data, epochs: int) -> GaussianDistMult:
    head, rel, tail = triples(kg, "train")
    model = GaussianDistMult(
        kg.num_nodes, kg.num_relations, CHANNELS, variational=False
    )
    loader = model.loader(head, rel, tail, batch_size=1000, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            model.loss(*batch).backward()
            optimizer.step()
    return model


def measure(model: GaussianDistMult, kg: Data) -> list[float]:
    r"""Returns one row of the table."""
    posterior = LaplacePosterior().fit(model, *triples(kg, "train"))
    model.set_posterior(posterior)
    coverage = Coverage.from_data(kg)
    estimators = {
        "U_sem": SemanticUncertainty(model),
        "U_str": StructuralUncertainty(coverage),
        "CAGP": CAGP(model, coverage).fit(kg),
    }
    ranks = evaluate.ranking(model, kg)
    detected = evaluate.ood(estimators, kg, num_resamples=100)["methods"]
    errors = evaluate.error_ranking(model, estimators, kg, num_resamples=100)
    aurc = [
        errors["methods"][name]["aurc"] for name in ("max probability", "CAGP")
    ]
    auroc = [detected[name]["overall"]["auroc"] for name in estimators]
    return [ranks["mrr"], ranks["hits@10"], *auroc, *aurc]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()

    torch.manual_seed(0)
    kg = load(args.dataset)
    models = {
        "R-GCN": as_scorer(train_rgcn(kg, args.epochs), kg),
        "GaussianDistMult": train_distmult(kg, max(1, args.epochs // 5)).eval(),
    }
    columns = ["MRR", "hits@10"]
    columns += [f"AUROC {name}" for name in ("U_sem", "U_str", "CAGP")]
    columns += ["AURC max probability", "AURC CAGP"]
    print("  ".join([f"{'model':16s}", *columns]))
    for name, model in models.items():
        texts = [
            f"{value:{len(column)}.3f}"
            for column, value in zip(columns, measure(model, kg), strict=True)
        ]
        print("  ".join([f"{name:16s}", *texts]))


if __name__ == "__main__":
    main()
