r"""The estimators of this package on a model of PyKEEN.

    pip install 'pyg_cagp[benchmark]'
    python examples/pykeen_model.py
    python examples/pykeen_model.py --dataset fb15k-237 --epochs 50

The PyKEEN model is not converted. All evaluations accept it, and so do all
estimators that need no variances.
"""

import argparse

import torch
from pykeen.models import DistMult
from pykeen.training import SLCWATrainingLoop
from pykeen.triples import CoreTriplesFactory

from pyg_cagp import Coverage, EvidenceUncertainty, evaluate
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.uncertainty import ScoreUncertainty, StructuralUncertainty


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()

    kg = load(args.dataset)
    factory = CoreTriplesFactory.create(
        torch.stack(triples(kg, "train"), dim=1),
        kg.num_nodes,
        kg.num_relations,
        create_inverse_triples=True,
    )
    model = DistMult(
        triples_factory=factory,
        embedding_dim=50,
        loss="crossentropy",
        random_seed=0,
    )
    loop = SLCWATrainingLoop(
        model=model,
        triples_factory=factory,
        optimizer="adam",
        optimizer_kwargs={"lr": 0.01},
        negative_sampler_kwargs={"num_negs_per_pos": 50},
    )
    loop.train(
        triples_factory=factory,
        num_epochs=args.epochs,
        batch_size=1000,
        use_tqdm=False,
    )

    coverage = Coverage.from_data(kg)
    estimators = {
        "score": ScoreUncertainty(model, kind="softmax"),
        "U_str": StructuralUncertainty(coverage),
        "evidence": EvidenceUncertainty(coverage, model).fit(kg),
    }
    ranks = evaluate.ranking(model, kg)
    sets = evaluate.conformal(model, kg)
    detected = evaluate.ood(estimators, kg, num_resamples=100)["methods"]
    errors = evaluate.error_ranking(model, estimators, kg, num_resamples=100)
    print(f"MRR {ranks['mrr']:.3f}, hits@10 {ranks['hits@10']:.3f}")
    print(f"answer sets: {sets['coverage']:.3f} hold the answer")
    for name in estimators:
        auroc = detected[name]["overall"]["auroc"]
        aurc = errors["methods"][name]["aurc"]
        print(f"{name:8s} AUROC {auroc:.3f}, AURC of errors {aurc:.3f}")


if __name__ == "__main__":
    main()
