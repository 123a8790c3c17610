r"""The speed of ranking all candidates, against PyKEEN and against PyG.

    pip install -c constraints.txt -e '.[benchmark]'
    python benchmark/speed/ranking.py [--out FILE]

All three rank the test triples of FB15k-237 with the same DistMult weights, 100
channels: PyKEEN's evaluator filtered and on both sides, as ours does; PyG's
:obj:`KGEModel.test` unfiltered tails only, of which the first 300 are timed.

Weights are rounded to multiples of 1/32 within [-1, 1]: every sum is then exact
in single precision in any order, so the ranks of all triples have to agree.
Many of them have ties. Ranks by weights that were not rounded are compared,
too; rounding decides a few near-ties. Compare the ratios of one run, not times.
Run it on an idle machine.
"""

import argparse
from pathlib import Path
from typing import Any

import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.models import DistMult as PyKEENDistMult
from pykeen.triples import CoreTriplesFactory
from timing import seconds, write_record
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn.kge import DistMult

from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.scoring import rank_counts

HERE = Path(__file__).parent
CHANNELS, NUM_PYG = 100, 300


def rows(kg: Data, split: str) -> Tensor:
    return torch.stack(triples(kg, split), dim=1)


class PyKEENSide:
    """PyKEEN's evaluator, with the weights of a PyG model."""

    def __init__(self, kg: Data, model: DistMult) -> None:
        factory = CoreTriplesFactory.create(
            rows(kg, "train"), kg.num_nodes, kg.num_relations
        )
        self.model = PyKEENDistMult(
            triples_factory=factory, embedding_dim=CHANNELS
        )
        with torch.no_grad():
            for mine, other in (
                (self.model.entity_representations[0], model.node_emb),
                (self.model.relation_representations[0], model.rel_emb),
            ):
                mine._embeddings.weight.copy_(other.weight)
        self.model.eval()
        self.test = rows(kg, "test")
        self.others = [rows(kg, "train"), rows(kg, "val")]
        self.ranks: dict[str, Tensor] = {}

    def run(self, batch_size: int = 512) -> None:
        """Ranks both sides of the test triples."""
        evaluator = RankBasedEvaluator(filtered=True, clear_on_finalize=False)
        evaluator.evaluate(
            self.model,
            self.test,
            batch_size=batch_size,
            additional_filter_triples=self.others,
            use_tqdm=False,
        )
        for side in ("tail", "head"):
            parts = evaluator.ranks[side, "realistic"]
            self.ranks[side] = torch.cat([torch.as_tensor(p) for p in parts])


def mismatches(ours: Any, theirs: dict[str, Tensor]) -> dict[str, int]:
    return {
        side: int((ours[side].rank() != theirs[side]).sum()) for side in theirs
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--root")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "ranking.json"
    )
    args = parser.parse_args()
    kg = load("fb15k-237", root=args.root)
    head, rel, tail = triples(kg, "test")
    torch.manual_seed(0)
    model = DistMult(kg.num_nodes, kg.num_relations, CHANNELS)
    for emb in (model.node_emb, model.rel_emb):
        torch.nn.init.normal_(emb.weight, std=0.3)
    plain = PyKEENSide(kg, model)
    plain.run()
    results: dict[str, Any] = {}

    def ours() -> None:
        # The index of known triples is part of the work.
        known = AnswerIndex.from_data(kg)
        results["counts"] = rank_counts(model, head, rel, tail, known=known)

    ours()
    unrounded = mismatches(results["counts"], plain.ranks)
    with torch.no_grad():
        for emb in (model.node_emb, model.rel_emb):
            emb.weight.copy_((emb.weight * 32).round().clamp(-32, 32) / 32)
    pykeen = PyKEENSide(kg, model)
    queries = 2 * rel.numel()
    times = {
        "ours": seconds(ours, args.repeats) / queries,
        "PyKEEN": seconds(pykeen.run) / queries,
        "PyG": seconds(
            lambda: model.test(
                head[:NUM_PYG],
                rel[:NUM_PYG],
                tail[:NUM_PYG],
                batch_size=20_000,
                log=False,
            )
        )
        / NUM_PYG,
    }
    counts = results["counts"]
    ties = sum(int((part.equal > 0).sum()) for part in counts.values())
    ratios = {name: times[name] / times["ours"] for name in ("PyKEEN", "PyG")}
    for name, time_ in times.items():
        print(f"{name:8s} {1e6 * time_:10.1f} us a query")
    for name, ratio in ratios.items():
        print(f"{ratio:8.1f} times faster than {name}")
    different = mismatches(counts, pykeen.ranks)
    print(f"ranks that differ from PyKEEN's: {different}, {ties} with ties")
    print(f"without rounding: {unrounded} of {queries}")
    record = {
        "dataset": "fb15k-237",
        "queries": queries,
        "hidden_channels": CHANNELS,
        "seconds_a_query": times,
        "times_faster_than": ratios,
        "ranks_that_differ": different,
        "queries_with_ties": ties,
        "ranks_that_differ_without_rounding": unrounded,
    }
    write_record(record, args.out)


if __name__ == "__main__":
    main()
