r"""How well a model with its shipped config ranks, and what its variance knows.

    python benchmark/models/accuracy.py fb15k-237 gaussian-distmult
    python benchmark/models/accuracy.py fb15k-237 gaussian-distmult --twin
    python benchmark/models/accuracy.py fb15k-237 gaussian-distmult \
        --preset paper

Trains, ranks the test triples on both sides (filtered, realistic ties), and
writes one record. With :obj:`--twin`, the same model is trained without
variances; :obj:`--set model.prior_variance=0.02` then sets how hard its weights
are held back.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from torch_geometric.data import Data

from pyg_cagp import evaluate
from pyg_cagp.cli.train import parse_change
from pyg_cagp.data import split_edges
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.posterior import LaplacePosterior, ggn_diagonal
from pyg_cagp.train import Config, load_checkpoint, train_run
from pyg_cagp.train.checkpoint import unnest
from pyg_cagp.transforms import TemporalLikeOOD

HERE = Path(__file__).parent
LAPLACE = {
    f"laplace, {structure}, prior {prior}": (prior, structure)
    for structure in ("isotropic", "diagonal")
    for prior in ("marginal", "validation", 1.0)
}
NUM_DRAWS = 4


def ranking(model: GaussianKGEModel, kg: Data) -> dict[str, float]:
    found = evaluate.ranking(model, kg)
    return {
        "mrr": found["mrr"],
        "mrr of tails": found["by_side"]["tail"]["mrr"],
        "mrr of heads": found["by_side"]["head"]["mrr"],
        **{f"hits@{k}": found[f"hits@{k}"] for k in (1, 3, 10)},
    }


@torch.no_grad()
def doubt(model: GaussianKGEModel, kg: Data) -> dict[str, float]:
    """What the mean variance of head and tail knows of a triple."""
    variance = model.mean_variance(torch.arange(kg.num_nodes)).double()
    data = TemporalLikeOOD.preset("stated")(kg)
    head, tail = data.edge_index[:, data.test_mask]
    kind = data.ood_type[data.test_mask]
    emerging = kind[kind != 2] == 1
    semantic = (variance[head] + variance[tail])[kind != 2] / 2
    larger = torch.maximum(variance[head], variance[tail])[kind != 2]
    return {
        "spearman(frequency, variance)": float(
            spearmanr(model.node_freq, variance)[0]
        ),
        "auroc of emerging": float(roc_auc_score(emerging, semantic)),
        "auroc of emerging, max": float(roc_auc_score(emerging, larger)),
    }


def doubts(
    model: GaussianKGEModel,
    kg: Data,
    variational: bool,
    num_negatives: int | None,
) -> dict[str, dict[str, float]]:
    """Of every kind of posterior, all with one curvature."""
    train, val = split_edges(kg, "train"), split_edges(kg, "val")
    found = {}
    if variational:
        found["variational"] = doubt(model, kg)
    generator = torch.Generator().manual_seed(0)
    curvature = ggn_diagonal(
        model, *train, num_negatives, generator, progress=True
    )
    kinds: dict[str, tuple[Any, Any, int]] = {
        name: (*chosen, 0) for name, chosen in LAPLACE.items()
    }
    curvatures = {0: curvature}
    if variational:
        curvatures[NUM_DRAWS] = ggn_diagonal(
            model, *train, num_negatives, generator, 2**22, True, NUM_DRAWS
        )
        kinds |= {
            f"{name}, drawn": (*chosen, NUM_DRAWS)
            for name, chosen in LAPLACE.items()
            if chosen[0] == "marginal"
        }
    for name, (prior, structure, num_draws) in kinds.items():
        laplace = LaplacePosterior(prior, structure, num_draws=num_draws)
        laplace.fit(model, *train, *val, curvature=curvatures[num_draws])
        laplace.apply_to(model)
        found[name] = {
            "prior variance": laplace.prior_variance_,
            **doubt(model, kg),
        }
    return found


def measure(dataset: str, config: Config, root: str | None, seed: int) -> Any:
    kg = load(dataset, root)
    with tempfile.TemporaryDirectory() as folder:
        run = train_run(kg, config, Path(folder) / "run", dataset, seed)
        state, _ = load_checkpoint(Path(folder) / "run" / "last.safetensors")
    record = {"test": ranking(run.model, kg), "shipped": doubt(run.model, kg)}
    if run.config.model["name"] != "kg2e":
        # Before the posterior was put in, the model had its own variances.
        variational = run.config.model.get("variational", True)
        run.model.load_state_dict(unnest("best", state))
        record["posteriors"] = doubts(
            run.model,
            kg,
            variational,
            config.posterior.num_negatives or None,
        )
    run.record.pop("progress")
    return {**record, **run.record}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dataset")
    parser.add_argument("model")
    parser.add_argument("--twin", action="store_true")
    parser.add_argument("--preset", choices=("paper",))
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--root")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    config = Config.find(args.dataset, args.model, args.preset)
    changes = dict(map(parse_change, args.set))
    if args.twin:
        changes["model.variational"] = False
    record = measure(
        args.dataset, config.override(changes), args.root, args.seed
    )
    kind = "-twin" if args.twin else f"-{args.preset}" if args.preset else ""
    name = f"{args.dataset}-{args.model}{kind}.json"
    out = args.out or HERE / "results" / name
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=2) + "\n")
    for section in ("test", "validation", "seconds", "shipped"):
        print(section)
        for key, value in record[section].items():
            print(f"    {key:32s} {value:9.4f}")
    for name, values in record.get("posteriors", {}).items():
        print(f"{name:44s}", *(f"{value:9.4f}" for value in values.values()))
    print(f"written to {out}")


if __name__ == "__main__":
    main()
