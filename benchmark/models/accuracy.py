r"""The ranking and the variances of a model with its shipped config.

    python benchmark/models/accuracy.py fb15k-237 gaussian-distmult
    python benchmark/models/accuracy.py fb15k-237 gaussian-distmult --twin
    python benchmark/models/accuracy.py fb15k-237 gaussian-distmult \
        --recipe paper

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
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.posterior import LaplacePosterior, ggn_diagonal
from pyg_cagp.train import Config, train_run
from pyg_cagp.transforms import TemporalLikeOOD

HERE = Path(__file__).parent
LAPLACE = {
    f"laplace, {structure}, prior {prior}": (prior, structure)
    for structure in ("isotropic", "diagonal")
    for prior in ("marginal", "validation", 1.0)
}
NUM_DRAWS = 4


def ranking(model: GaussianKGEModel, kg: Data) -> dict[str, float]:
    result = evaluate.ranking(model, kg)
    return {
        "mrr": result["mrr"],
        "mrr of tails": result["by_side"]["tail"]["mrr"],
        "mrr of heads": result["by_side"]["head"]["mrr"],
        **{f"hits@{k}": result[f"hits@{k}"] for k in (1, 3, 10)},
    }


@torch.no_grad()
def variances(model: GaussianKGEModel, kg: Data) -> dict[str, float]:
    """Measures how well variances follow frequency and detect rare entities."""
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


def posteriors(
    model: GaussianKGEModel,
    kg: Data,
    num_negatives: int | None,
) -> dict[str, dict[str, float]]:
    """Measures the variances of every posterior, with one curvature."""
    train, val = triples(kg, "train"), triples(kg, "val")
    results = {}
    if model.variational:
        model.set_posterior(None)
        results["variational"] = variances(model, kg)
    generator = torch.Generator().manual_seed(0)
    curvature = ggn_diagonal(
        model,
        *train,
        num_negatives=num_negatives,
        generator=generator,
        progress=True,
    )
    kinds: dict[str, tuple[Any, Any, int]] = {
        name: (*chosen, 0) for name, chosen in LAPLACE.items()
    }
    curvatures = {0: curvature}
    if model.variational:
        curvatures[NUM_DRAWS] = ggn_diagonal(
            model,
            *train,
            num_negatives=num_negatives,
            generator=generator,
            progress=True,
            num_draws=NUM_DRAWS,
        )
        kinds |= {
            f"{name}, drawn": (*chosen, NUM_DRAWS)
            for name, chosen in LAPLACE.items()
            if chosen[0] == "marginal"
        }
    for name, (prior, structure, num_draws) in kinds.items():
        posterior = LaplacePosterior(
            prior, structure=structure, num_draws=num_draws
        ).fit(model, *train, val=val, curvature=curvatures[num_draws])
        model.set_posterior(posterior)
        results[name] = {
            "prior variance": posterior.prior_variance,
            **variances(model, kg),
        }
    return results


def measure(dataset: str, config: Config, root: str | None, seed: int) -> Any:
    kg = load(dataset, root=root)
    with tempfile.TemporaryDirectory() as folder:
        run = train_run(
            kg, config, out=Path(folder) / "run", dataset=dataset, seed=seed
        )
    record = {
        "test": ranking(run.model, kg),
        "shipped": variances(run.model, kg),
    }
    if run.config.model["name"] != "kg2e":
        record["posteriors"] = posteriors(
            run.model, kg, config.posterior.num_negatives or None
        )
    run.record.pop("progress")
    return {**record, **run.record}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dataset")
    parser.add_argument("model")
    parser.add_argument("--twin", action="store_true")
    parser.add_argument("--recipe", choices=("paper",))
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--root")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    config = Config.find(args.dataset, args.model, recipe=args.recipe)
    changes = dict(map(parse_change, args.set))
    if args.twin:
        changes["model.variational"] = False
    record = measure(
        args.dataset, config.override(changes), args.root, args.seed
    )
    kind = "-twin" if args.twin else f"-{args.recipe}" if args.recipe else ""
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
