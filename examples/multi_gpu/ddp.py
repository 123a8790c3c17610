r"""Training by several processes at once, with DistributedDataParallel.

    python examples/multi_gpu/ddp.py
    python examples/multi_gpu/ddp.py --world-size 1
    python examples/multi_gpu/ddp.py --dataset fb15k-237 --epochs 30

There is one process for each CUDA device, with NCCL; without CUDA, two
processes on the CPU, with Gloo. In each epoch, all processes make the same
permutation of the training triples, and each takes another part of it. Each
draws other noise and negatives. Gradients are averaged, so all processes have
the same weights.

With one process, every weight equals that of :class:`~pyg_cagp.train.Trainer`
with the same options and seed, bit for bit. The script compares both.
"""

import argparse
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Adam
from torch_geometric.data import Data

from pyg_cagp import GaussianDistMult, evaluate
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.train import Trainer, TrainOptions


class Loss(torch.nn.Module):
    r"""Computes a model's loss in :meth:`forward`, the only method whose
    gradients DistributedDataParallel averages.
    """

    def __init__(self, model: GaussianDistMult) -> None:
        super().__init__()
        self.model = model

    def forward(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns the loss of a batch."""
        return self.model.loss(head, rel, tail)


def build_model(kg: Data, seed: int) -> GaussianDistMult:
    torch.manual_seed(seed)
    return GaussianDistMult(kg.num_nodes, kg.num_relations, hidden_channels=32)


def part_of_epoch(order: Tensor, rank: int, size: int) -> Tensor:
    r"""Returns the part of a rank. All parts have the same length, so no
    process waits for a missing gradient. The few remaining triples differ from
    epoch to epoch.
    """
    return order[rank::size][: order.numel() // size]


def train(rank: int, size: int, store: str, args: argparse.Namespace) -> None:
    on_gpu = torch.cuda.is_available()
    device = torch.device("cuda", rank) if on_gpu else torch.device("cpu")
    if on_gpu:
        torch.cuda.set_device(device)
    else:
        torch.set_num_threads(max(1, torch.get_num_threads() // size))
    dist.init_process_group(
        "nccl" if on_gpu else "gloo",
        init_method=f"file://{store}",
        rank=rank,
        world_size=size,
    )
    kg = load(args.dataset)
    head, rel, tail = (part.to(device) for part in triples(kg, "train"))
    model = build_model(kg, args.seed).to(device)
    # The prior needs the frequencies of entities in all parts together.
    model.observe(head, tail)
    model.generator = torch.Generator(device).manual_seed(args.seed + 1 + rank)
    loss_of = DistributedDataParallel(Loss(model))
    optimizer = Adam(model.parameters(), lr=args.lr, fused=True)
    order = torch.Generator(device).manual_seed(args.seed)
    for epoch in range(1, args.epochs + 1):
        mixed = torch.randperm(head.numel(), generator=order, device=device)
        total = torch.zeros((), device=device)
        batches = part_of_epoch(mixed, rank, size).split(
            max(1, args.batch_size // size)
        )
        for batch in batches:
            optimizer.zero_grad()
            loss = loss_of(head[batch], rel[batch], tail[batch])
            loss.backward()
            optimizer.step()
            total += loss.detach()
        # The handle is stored until the end. Otherwise a thread of Gloo needs
        # Python's lock to release it, while `destroy_process_group` holds the
        # lock and waits for the thread.
        summing = dist.all_reduce(total, async_op=True)
        summing.wait()
        if rank == 0:
            mean = float(total) / (size * len(batches))
            print(f"epoch {epoch}: loss {mean:.4f} over {size} processes")
    if rank == 0:
        model.eval()
        mrr = evaluate.ranking(model, kg)["mrr"]
        print(f"filtered MRR on test: {mrr:.4f}")
        if size == 1:
            print(
                f"every weight equal to Trainer's: {is_plain(model, kg, args)}"
            )
    dist.destroy_process_group()


def is_plain(
    model: GaussianDistMult, kg: Data, args: argparse.Namespace
) -> bool:
    r"""Trains without distribution, and compares every weight."""
    options = TrainOptions(
        epochs=args.epochs,
        batch_size=args.batch_size,
        lr=args.lr,
        schedule="constant",
        # The best validated weights are used: here, the last ones.
        eval_every=args.epochs,
    )
    plain = build_model(kg, args.seed).to(model.node_freq.device)
    Trainer(plain, kg, options=options, seed=args.seed, progress=False).fit()
    weights, expected = model.state_dict(), plain.state_dict()
    return all(torch.equal(weights[name], expected[name]) for name in expected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument(
        "--batch-size", type=int, default=1024, help="of all processes together"
    )
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--world-size",
        type=int,
        default=torch.cuda.device_count() or 2,
        help="how many processes (default: one for each CUDA device, or 2)",
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(
            train,
            args=(args.world_size, f"{folder}/store", args),
            nprocs=args.world_size,
        )


if __name__ == "__main__":
    main()
