"""The contract of all estimators."""

import copy
import json
from itertools import product

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from pyg_cagp.data import triples as triples_of
from pyg_cagp.exceptions import (
    CheckpointError,
    InvalidInputError,
    NotFittedError,
    PosteriorChangedError,
)
from pyg_cagp.nn.kge import UKGE, BEUrRE, SNGPModel
from pyg_cagp.nn.posterior import LaplacePosterior, VariationalPosterior
from pyg_cagp.nn.scoring import softmax_terms
from pyg_cagp.uncertainty import (
    CAGP,
    Energy,
    EvidenceUncertainty,
    FrequencyUncertainty,
    ScoreUncertainty,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)
from pyg_cagp.uncertainty.baselines import (
    SNGP,
    BEUrREUncertainty,
    ConfidenceUncertainty,
    DeepEnsemble,
    GraphPosteriorNetwork,
    MCDropout,
    RelationConditionedVariance,
    UKGEUncertainty,
)
from tests.loops import for_each


def _perturbed(model, num=3):
    """Copies of a model with small differences."""
    generator = torch.Generator().manual_seed(0)
    copies = [copy.deepcopy(model) for _ in range(num)]
    for other in copies[1:]:
        weight = other.node_emb.weight
        noise = torch.randn(weight.shape, generator=generator)
        weight.data += 0.05 * noise.to(weight.device)
    return copies


def _with_dropout(model):
    """A copy of a model with dropout."""
    other = copy.deepcopy(model)
    other.dropout = 0.2
    return other


def _sngp(model):
    return SNGPModel(
        model.num_nodes, model.num_relations, hidden_channels=8, num_features=64
    )


#: Each estimator, from a model and a coverage.
MAKERS = {
    "semantic": lambda model, cov: SemanticUncertainty(model),
    "semantic, max": lambda model, cov: SemanticUncertainty(
        model, combine="max"
    ),
    "semantic, tail": lambda model, cov: SemanticUncertainty(
        model, combine="tail"
    ),
    "frequency": lambda model, cov: FrequencyUncertainty(cov),
    "structural": lambda model, cov: StructuralUncertainty(cov),
    "structural, directed": lambda model, cov: StructuralUncertainty(
        cov, view="directed"
    ),
    "structural, log": lambda model, cov: StructuralUncertainty(
        cov, view="log"
    ),
    "structural, tfidf": lambda model, cov: StructuralUncertainty(
        cov, view="tfidf"
    ),
    "structural, smoothed": lambda model, cov: StructuralUncertainty(
        cov, view="smoothed"
    ),
    "average": SimpleAverage,
    "cagp": CAGP,
    "cagp, auroc": lambda model, cov: CAGP(model, cov, fit_by="auroc"),
    "cagp, frequency": lambda model, cov: CAGP(FrequencyUncertainty(cov), cov),
    "evidence": lambda model, cov: EvidenceUncertainty(cov, model),
    "evidence, no score": lambda model, cov: EvidenceUncertainty(
        cov, model, use_score=False
    ),
    "score": lambda model, cov: ScoreUncertainty(model),
    "score, sigmoid": lambda model, cov: ScoreUncertainty(
        model, kind="sigmoid"
    ),
    "score, softmax": lambda model, cov: ScoreUncertainty(
        model, kind="softmax"
    ),
    "ukge": lambda model, cov: UKGEUncertainty(
        UKGE(model.num_nodes, model.num_relations, hidden_channels=16),
        epochs=4,
        lr=0.03,
    ),
    "ukge, rectified": lambda model, cov: UKGEUncertainty(
        UKGE(
            model.num_nodes,
            model.num_relations,
            hidden_channels=16,
            map="rectified",
        ),
        epochs=4,
        lr=0.03,
    ),
    "beurre": lambda model, cov: BEUrREUncertainty(
        BEUrRE(
            model.num_nodes,
            model.num_relations,
            hidden_channels=16,
            num_negatives=10,
        ),
        epochs=4,
        lr=0.02,
    ),
    "ensemble": lambda model, cov: DeepEnsemble(_perturbed(model)),
    "ensemble, variance": lambda model, cov: DeepEnsemble(
        _perturbed(model), measure="variance", probability="sigmoid"
    ),
    "relation variance": lambda model, cov: RelationConditionedVariance(
        model, hidden_channels=16, epochs=12
    ),
    "sngp": lambda model, cov: SNGP(_sngp(model), epochs=6, lr=0.02),
    "sngp, probability": lambda model, cov: SNGP(
        _sngp(model), measure="probability", epochs=6, lr=0.02
    ),
    "gpn": lambda model, cov: GraphPosteriorNetwork(
        model,
        latent_channels=8,
        hidden_channels=16,
        num_layers=4,
        num_hops=3,
        warm_up=2,
        epochs=40,
    ),
    "dropout": lambda model, cov: MCDropout(_with_dropout(model)),
    "energy": lambda model, cov: Energy(model),
    "energy of triples": lambda model, cov: Energy(model, of="triple"),
}
#: The kind of triples that each detects in the generated graph (1 emerging,
#: 2 novel, 3 false), with the least AUROC.
DETECTS = {
    "semantic": (1, 0.7),
    "frequency": (1, 0.7),
    "structural": (2, 0.7),
    "structural, directed": (3, 0.55),
    "structural, smoothed": (2, 0.7),
    "cagp": (1, 0.7),
    "evidence": (3, 0.65),
    "score": (3, 0.57),
    "relation variance": (2, 0.55),
    "gpn": (1, 0.7),
    "sngp, probability": (3, 0.55),
    "ukge": (3, 0.6),
    "beurre": (3, 0.6),
}


@pytest.fixture(scope="session")
def fitted(world, model, coverage):
    estimators = {}

    def get(name):
        if name not in estimators:
            estimators[name] = MAKERS[name](model, coverage).fit(world)
        return estimators[name]

    return get


@for_each("name", MAKERS)
def test_values_are_finite_and_one_a_triple(name, fitted, triples):
    got = fitted(name)(*triples)
    assert got.shape == triples[0].shape
    assert got.dtype in (torch.float, torch.double)
    assert bool(got.isfinite().all())
    assert got.requires_grad is False
    assert fitted(name)(*(part[:0] for part in triples)).shape == (0,)


@for_each("name", MAKERS)
def test_values_do_not_depend_on_the_batch(name, fitted, triples):
    estimator = fitted(name)
    values = estimator(*triples)
    order = torch.randperm(values.numel(), generator=torch.Generator())
    permuted = estimator(*(part[order] for part in triples))
    torch.testing.assert_close(permuted, values[order])
    pieces = [
        estimator(*(part[i : i + 7] for part in triples))
        for i in range(0, values.numel(), 7)
    ]
    torch.testing.assert_close(torch.cat(pieces), values)
    alone = [
        estimator(*(part[i : i + 1] for part in triples))
        for i in range(0, values.numel(), 10)
    ]
    torch.testing.assert_close(torch.cat(alone), values[::10])


@for_each("name", MAKERS)
def test_unfitted_estimators_raise(name, model, coverage, triples):
    estimator = MAKERS[name](model, coverage)
    if not estimator.needs_fit:
        estimator(*triples)
        return
    with pytest.raises(NotFittedError, match=r"fit\(kg\)"):
        estimator(*triples)
    with pytest.raises(NotFittedError):
        estimator.save("nowhere")


@for_each("name", MAKERS)
def test_refits_are_equal(name, fitted, world, model, coverage, triples):
    estimator = MAKERS[name](model, coverage)
    assert estimator.fit(world) is estimator
    assert torch.equal(estimator(*triples), fitted(name)(*triples))
    estimator.fit(world)
    assert torch.equal(estimator(*triples), fitted(name)(*triples))


@for_each(
    ("name", "protocol"),
    product(MAKERS, ["temporal-like", "standard", "comprehensive"]),
)
def test_fit_does_not_depend_on_test_triples(
    name, protocol, world, model, coverage, triples
):
    if MAKERS[name](model, coverage).trained and protocol != "standard":
        return  # Trained without labels, for all protocols.
    changed = world.clone()
    generator = torch.Generator().manual_seed(1)
    test = world.test_mask.nonzero().view(-1)
    changed.edge_index = world.edge_index.clone()
    changed.edge_index[1, test] = changed.edge_index[
        1, test[torch.randperm(test.numel(), generator=generator)]
    ]
    changed.test_mask = world.test_mask.clone()
    changed.test_mask[test[::2]] = False
    options = {"protocol": protocol, "seed": 3}
    if protocol != "standard":
        options["preset"] = "table2"
    want = MAKERS[name](model, coverage).fit(world, **options)
    got = MAKERS[name](model, coverage).fit(changed, **options)
    assert torch.equal(got(*triples), want(*triples))


@for_each("name", MAKERS)
def test_unknown_options_of_fit_raise(name, world, model, coverage):
    estimator = MAKERS[name](model, coverage)
    with pytest.raises(TypeError, match="argument 'protcol'"):
        estimator.fit(world, protcol="standard")
    with pytest.raises(TypeError, match="positional argument"):
        estimator.fit(world, "standard")


@for_each("name", MAKERS)
def test_save_and_load(name, fitted, model, coverage, triples, tmp_path):
    estimator = fitted(name)
    path = tmp_path / "estimator.safetensors"
    estimator.save(path)
    fresh = MAKERS[name](model, coverage)
    options = {option: getattr(fresh, option) for option in fresh.options}
    parts = _arguments(fresh, model, coverage)
    again = type(fresh).load(path, *parts, **options)
    assert torch.equal(again(*triples), estimator(*triples))
    assert repr(again) == repr(estimator)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@for_each("name", MAKERS)
def test_state_dict_round_trip(name, fitted, model, coverage, triples):
    estimator = fitted(name)
    fresh = MAKERS[name](copy.deepcopy(model), coverage)
    result = fresh.load_state_dict(estimator.state_dict())
    assert not result.missing_keys
    assert not result.unexpected_keys
    assert torch.equal(fresh(*triples), estimator(*triples))
    assert repr(fresh) == repr(estimator)


@for_each("name", MAKERS)
def test_copies_are_equal_and_independent(name, fitted, triples):
    estimator = fitted(name)
    other = copy.deepcopy(estimator)
    assert other.to("cpu") is other
    assert torch.equal(other(*triples), estimator(*triples))
    for value in other.buffers():
        value.zero_()
    assert torch.equal(estimator(*triples), fitted(name)(*triples))


@for_each("name", MAKERS)
def test_unknown_options_raise(name, model, coverage):
    estimator = MAKERS[name](model, coverage)
    parts = _arguments(estimator, model, coverage)
    with pytest.raises(TypeError, match="argument 'optoin'"):
        type(estimator)(*parts, optoin=1)
    with pytest.raises(TypeError, match="positional argument"):
        type(estimator)(*parts, *([None] * 2))


@for_each("name", MAKERS)
def test_repr_shows_parts_options_and_fitted_values(
    name, fitted, model, coverage
):
    estimator, fresh = fitted(name), MAKERS[name](model, coverage)
    for option in estimator.options:
        value = getattr(estimator, option)
        assert f"{option}={value!r}" in repr(estimator)
    for part in estimator._made_of():
        assert repr(part) in repr(estimator)
    assert (repr(estimator) == repr(fresh)) is not estimator.needs_fit
    for key in estimator._fitted():
        assert f"{key}=" in repr(estimator)
        assert f"{key}=" not in repr(fresh)


@for_each("name", MAKERS)
def test_shared_softmax_terms_give_equal_values(name, fitted, triples):
    estimator = fitted(name)
    if not estimator.reads_scores:
        return
    scored = getattr(estimator, "evidence", estimator).model
    terms = softmax_terms(scored, *triples, sides=estimator.reads_scores)
    assert torch.equal(estimator(*triples, terms=terms), estimator(*triples))


@for_each("name", MAKERS)
def test_bad_ids_raise(name, fitted, world, triples):
    head, rel, tail = triples
    for place, size, argument in (
        (0, world.num_nodes, "head_index"),
        (1, world.num_relations, "rel_type"),
        (2, world.num_nodes, "tail_index"),
    ):
        broken = [head.clone(), rel.clone(), tail.clone()]
        broken[place][3] = size
        with pytest.raises(InvalidInputError, match=argument):
            fitted(name)(*broken)
    with pytest.raises(InvalidInputError, match="shape"):
        fitted(name)(head, rel[:1], tail)


@pytest.mark.gpu
@for_each("name", MAKERS)
def test_gpu_values_equal_cpu_values(
    name, world, model, coverage, triples, fitted
):
    cuda = torch.device("cuda")
    estimator = MAKERS[name](
        copy.deepcopy(model).to(cuda), coverage.clone().to(cuda)
    ).fit(world.clone().to(cuda))
    got = estimator(*(part.to(cuda) for part in triples))
    assert got.device.type == "cuda"
    torch.testing.assert_close(
        got.cpu(), fitted(name)(*triples), rtol=1e-3, atol=1e-4
    )


def _arguments(estimator, model, coverage):
    """The model and the coverage of an estimator."""
    if isinstance(estimator, SimpleAverage):
        return [estimator.semantic, estimator.structural]
    if isinstance(estimator, EvidenceUncertainty):
        return [coverage, model]
    if isinstance(estimator, DeepEnsemble):
        return [estimator.models]
    if isinstance(estimator, (FrequencyUncertainty, StructuralUncertainty)):
        return [coverage]
    if isinstance(estimator, MCDropout):
        return [estimator.model]
    # The estimator trains its own confidence model.
    is_own = isinstance(estimator, ConfidenceUncertainty)
    return [estimator.model if is_own else model]


@for_each("name", ["average", "cagp", "evidence", "evidence, no score"])
def test_another_posterior_raises(name, world, model, coverage, triples):
    model = copy.deepcopy(model)
    train = triples_of(world, "train")
    laplace = LaplacePosterior().fit(model, *train)
    model.set_posterior(VariationalPosterior().fit(model, *train))
    estimator = MAKERS[name](model, coverage).fit(world)
    want = estimator(*triples)
    model.set_posterior(laplace)
    for call in (estimator, getattr(estimator, "decompose", estimator)):
        with pytest.raises(PosteriorChangedError, match="another posterior"):
            call(*triples)
    # Another object with equal values is accepted.
    model.set_posterior(VariationalPosterior().fit(model, *train))
    assert torch.equal(estimator(*triples), want)
    model.set_posterior(laplace)
    assert bool(estimator.accept_posterior()(*triples).isfinite().all())
    assert torch.equal(
        estimator.fit(world)(*triples),
        MAKERS[name](model, coverage).fit(world)(*triples),
    )


def test_a_loaded_estimator_raises_at_another_posterior(
    world, model, coverage, triples, tmp_path
):
    model, path = copy.deepcopy(model), tmp_path / "cagp.safetensors"
    CAGP(model, coverage).fit(world).save(path)
    other = VariationalPosterior().fit(model, *triples_of(world, "train"))
    assert other.key != model.posterior.key
    model.set_posterior(other)
    again = CAGP.load(path, model, coverage)
    with pytest.raises(PosteriorChangedError, match="another posterior"):
        again(*triples)


def test_fitted_attributes_before_fit_raise(model, coverage):
    for name in ("alpha", "alpha_", "low_"):
        with pytest.raises(NotFittedError, match=r"fit\(kg\)"):
            getattr(CAGP(model, coverage), name)
    with pytest.raises(AttributeError, match="no attribute 'weight'"):
        _ = CAGP(model, coverage).weight


@for_each("name", DETECTS)
def test_higher_values_are_more_uncertain(name, fitted, world):
    from sklearn.metrics import roc_auc_score

    from pyg_cagp.datasets import SyntheticKG

    kind, least = DETECTS[name]
    head, rel, tail, truth = SyntheticKG.labelled(world)
    chosen = (truth == 0) | (truth == kind)
    score = fitted(name)(head[chosen], rel[chosen], tail[chosen])
    assert roc_auc_score(truth[chosen] == kind, score) > least


def test_loading_a_file_of_another_estimator_raises(
    fitted, model, coverage, tmp_path
):
    path = tmp_path / "x.safetensors"
    fitted("cagp").save(path)
    with pytest.raises(CheckpointError, match="'options'"):
        CAGP.load(path, model, coverage, fit_by="auroc")
    with pytest.raises(CheckpointError, match="'class'"):
        SimpleAverage.load(path, model, coverage)
    structural = StructuralUncertainty(coverage, view="directed")
    with pytest.raises(CheckpointError, match="'parts'"):
        CAGP.load(path, model, structural)
    path.write_bytes(b"nonsense")
    with pytest.raises(CheckpointError, match="file"):
        CAGP.load(path, model, coverage)


ATTRIBUTES = ["fit", "device", "alpha", "semantic", "requires_grad_", "_met_"]


@for_each(("name", "form"), product(ATTRIBUTES, ["value", "tensor"]))
def test_loading_a_file_with_other_attributes_raises(
    name, form, fitted, model, coverage, tmp_path
):
    path = tmp_path / "cagp.safetensors"
    fitted("cagp").save(path)
    with safe_open(path, "pt") as file:
        document = json.loads(file.metadata()["estimator"])
        tensors = {key: file.get_tensor(key) for key in list(file.keys())}
    if form == "value":
        document["fitted"][name] = 1.0
    else:
        tensors[name] = torch.ones(1)
    save_file(tensors, path, {"estimator": json.dumps(document)})
    with pytest.raises(CheckpointError, match=f"'{name}'"):
        CAGP.load(path, model, coverage)


def test_loading_a_file_without_fitted_values_raises(
    fitted, model, coverage, tmp_path
):
    path = tmp_path / "cagp.safetensors"
    fitted("cagp").save(path)
    with safe_open(path, "pt") as file:
        document = json.loads(file.metadata()["estimator"])
    for other in (None, [], "x"):
        text = json.dumps({**document, "fitted": other})
        save_file({}, path, {"estimator": text})
        with pytest.raises(CheckpointError, match="fitted"):
            CAGP.load(path, model, coverage)
