r"""A Gaussian model in PyG's own training loop.

    python examples/kge_fb15k_237.py --model distmult
    python examples/kge_fb15k_237.py --dataset fb15k-237 --epochs 50

The loop is that of PyG's :obj:`examples/kge_fb15k_237.py`. Only the model
differs: its entities also have variances.
"""

import argparse

import torch
from torch.optim import Adam

from pyg_cagp import GaussianComplEx, GaussianDistMult, GaussianTransE
from pyg_cagp.data import triples
from pyg_cagp.datasets import load

MODELS = {
    "distmult": GaussianDistMult,
    "complex": GaussianComplEx,
    "transe": GaussianTransE,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--model", choices=tuple(MODELS), default="distmult")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    kg = load(args.dataset)
    edges = {
        split: [part.to(device) for part in triples(kg, split)]
        for split in ("train", "val", "test")
    }
    model = MODELS[args.model](
        num_nodes=kg.num_nodes,
        num_relations=kg.num_relations,
        hidden_channels=50,
    ).to(device)
    head, rel, tail = edges["train"]
    loader = model.loader(
        head_index=head,
        rel_type=rel,
        tail_index=tail,
        batch_size=1000,
        shuffle=True,
    )
    optimizer = Adam(model.parameters(), lr=0.01)

    def train() -> float:
        model.train()
        total_loss = total_examples = 0.0
        for head_index, rel_type, tail_index in loader:
            optimizer.zero_grad()
            loss = model.loss(head_index, rel_type, tail_index)
            loss.backward()
            optimizer.step()
            total_loss += float(loss.detach()) * head_index.numel()
            total_examples += head_index.numel()
        return total_loss / total_examples

    @torch.no_grad()
    def test(split: str) -> tuple[float, float, float]:
        model.eval()
        head, rel, tail = edges[split]
        return model.test(
            head_index=head,
            rel_type=rel,
            tail_index=tail,
            batch_size=20000,
            k=10,
            log=False,
        )

    for epoch in range(1, args.epochs + 1):
        loss = train()
        print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}")
    rank, mrr, hits = test("test")
    print(f"Test Mean Rank: {rank:.2f}, MRR: {mrr:.4f}, Hits@10: {hits:.4f}")

    frequency = model.node_freq
    with torch.no_grad():
        variance = model.mean_variance(torch.arange(kg.num_nodes).to(device))
    rare = frequency <= frequency.float().quantile(0.1)
    print(
        f"Mean variance: {float(variance[rare].mean()):.4f} of the rarest "
        f"tenth of entities, {float(variance[~rare].mean()):.4f} of the rest"
    )


if __name__ == "__main__":
    main()
