"""The contract of all estimators."""

import copy
import json

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


def _jittered(model, num=3):
    """Copies of a model that do not quite agree."""
    generator = torch.Generator().manual_seed(0)
    copies = [copy.deepcopy(model) for _ in range(num)]
    for other in copies[1:]:
        weight = other.node_emb.weight
        noise = torch.randn(weight.shape, generator=generator)
        weight.data += 0.05 * noise.to(weight.device)
    return copies


def _dropped(model):
    """A copy of a model as if it had been trained with dropout."""
    other = copy.deepcopy(model)
    other.dropout = 0.2
    return other


def _sngp(model):
    return SNGPModel(
        model.num_nodes, model.num_relations, hidden_channels=8, num_features=64
    )


#: How each estimator is made of a model and a coverage.
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
    "ensemble": lambda model, cov: DeepEnsemble(_jittered(model)),
    "ensemble, variance": lambda model, cov: DeepEnsemble(
        _jittered(model), measure="variance", probability="sigmoid"
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
    "dropout": lambda model, cov: MCDropout(_dropped(model)),
    "energy": lambda model, cov: Energy(model),
    "energy of triples": lambda model, cov: Energy(model, of="triple"),
}
#: The kind of triples that each detects better than by chance in the generated
#: graph, whose truth is known (1 emerging, 2 novel, 3 false).
FINDS = {
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
    made = {}

    def get(name):
        if name not in made:
            made[name] = MAKERS[name](model, coverage).fit(world)
        return made[name]

    return get


@pytest.mark.parametrize("name", MAKERS)
class TestContract:
    def test_one_finite_number_a_triple(self, name, fitted, triples):
        got = fitted(name)(*triples)
        assert got.shape == triples[0].shape
        assert got.dtype in (torch.float, torch.double)
        assert bool(got.isfinite().all())
        assert got.requires_grad is False
        assert fitted(name)(*(part[:0] for part in triples)).shape == (0,)

    def test_no_score_depends_on_its_batch(self, name, fitted, triples):
        estimator = fitted(name)
        whole = estimator(*triples)
        order = torch.randperm(whole.numel(), generator=torch.Generator())
        permuted = estimator(*(part[order] for part in triples))
        torch.testing.assert_close(permuted, whole[order])
        pieces = [
            estimator(*(part[i : i + 7] for part in triples))
            for i in range(0, whole.numel(), 7)
        ]
        torch.testing.assert_close(torch.cat(pieces), whole)
        alone = [
            estimator(*(part[i : i + 1] for part in triples))
            for i in range(0, whole.numel(), 10)
        ]
        torch.testing.assert_close(torch.cat(alone), whole[::10])

    def test_an_unfitted_estimator_is_refused(
        self, name, model, coverage, triples
    ):
        estimator = MAKERS[name](model, coverage)
        if not estimator.needs_fit:
            estimator(*triples)
            return
        with pytest.raises(NotFittedError, match=r"call 'fit\(kg\)' first"):
            estimator(*triples)
        with pytest.raises(NotFittedError):
            estimator.save("nowhere")

    def test_refit_is_the_same(
        self, name, fitted, world, model, coverage, triples
    ):
        estimator = MAKERS[name](model, coverage)
        assert estimator.fit(world) is estimator
        assert torch.equal(estimator(*triples), fitted(name)(*triples))
        estimator.fit(world)
        assert torch.equal(estimator(*triples), fitted(name)(*triples))

    @pytest.mark.parametrize(
        "protocol", ["temporal-like", "standard", "comprehensive"]
    )
    def test_nothing_of_test_reaches_a_fit(
        self, name, protocol, world, model, coverage, triples
    ):
        if MAKERS[name](model, coverage).trained and protocol != "standard":
            pytest.skip("trained without labels, for all protocols")
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

    def test_fit_takes_no_other_options(self, name, world, model, coverage):
        estimator = MAKERS[name](model, coverage)
        with pytest.raises(TypeError, match="argument 'protcol'"):
            estimator.fit(world, protcol="standard")
        with pytest.raises(TypeError, match="positional argument"):
            estimator.fit(world, "standard")

    def test_save_and_load(
        self, name, fitted, model, coverage, triples, tmp_path
    ):
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

    def test_a_state_dict_makes_an_equal_estimator(
        self, name, fitted, model, coverage, triples
    ):
        estimator = fitted(name)
        fresh = MAKERS[name](copy.deepcopy(model), coverage)
        result = fresh.load_state_dict(estimator.state_dict())
        assert not result.missing_keys
        assert not result.unexpected_keys
        assert torch.equal(fresh(*triples), estimator(*triples))
        assert repr(fresh) == repr(estimator)

    def test_it_stays_where_it_is(self, name, fitted, triples):
        estimator = fitted(name)
        want = estimator(*triples)
        assert estimator.to("cpu") is estimator
        assert torch.equal(estimator(*triples), want)

    def test_a_copy_is_equal_and_apart(self, name, fitted, triples):
        estimator = fitted(name)
        other = copy.deepcopy(estimator)
        assert torch.equal(other(*triples), estimator(*triples))
        for value in other.buffers():
            value.zero_()
        assert torch.equal(estimator(*triples), fitted(name)(*triples))

    def test_a_misspelt_option_is_refused(self, name, model, coverage):
        estimator = MAKERS[name](model, coverage)
        parts = _arguments(estimator, model, coverage)
        with pytest.raises(TypeError, match="argument 'optoin'"):
            type(estimator)(*parts, optoin=1)
        with pytest.raises(TypeError, match="positional argument"):
            type(estimator)(*parts, *([None] * 2))

    def test_the_repr_shows_parts_options_and_fit(
        self, name, fitted, model, coverage
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

    def test_shared_terms_change_nothing(self, name, fitted, triples):
        estimator = fitted(name)
        if not estimator.reads_scores:
            return
        scored = getattr(estimator, "evidence", estimator).model
        terms = softmax_terms(scored, *triples, sides=estimator.reads_scores)
        assert torch.equal(
            estimator(*triples, terms=terms), estimator(*triples)
        )

    def test_bad_ids(self, name, fitted, world, triples):
        head, rel, tail = triples
        for place, size, what in (
            (0, world.num_nodes, "head_index"),
            (1, world.num_relations, "rel_type"),
            (2, world.num_nodes, "tail_index"),
        ):
            broken = [head.clone(), rel.clone(), tail.clone()]
            broken[place][3] = size
            with pytest.raises(InvalidInputError, match=f"'{what}' must lie"):
                fitted(name)(*broken)
        with pytest.raises(InvalidInputError, match="the same shape"):
            fitted(name)(head, rel[:1], tail)

    @pytest.mark.gpu
    def test_device(self, name, world, model, coverage, triples, fitted):
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
    # Confidence models are trained by the estimator: this one is not yet.
    is_own = isinstance(estimator, ConfidenceUncertainty)
    return [estimator.model if is_own else model]


@pytest.mark.parametrize(
    "name", ["average", "cagp", "evidence", "evidence, no score"]
)
def test_another_posterior_is_refused(name, world, model, coverage, triples):
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
    # An equal posterior is as good, as another object.
    model.set_posterior(VariationalPosterior().fit(model, *train))
    assert torch.equal(estimator(*triples), want)
    model.set_posterior(laplace)
    assert bool(estimator.accept_posterior()(*triples).isfinite().all())
    assert torch.equal(
        estimator.fit(world)(*triples),
        MAKERS[name](model, coverage).fit(world)(*triples),
    )


def test_a_file_remembers_its_posterior(
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


def test_an_unfitted_weight_is_not_fitted(model, coverage):
    for name in ("alpha", "alpha_", "low_"):
        with pytest.raises(NotFittedError, match=r"call 'fit\(kg\)' first"):
            getattr(CAGP(model, coverage), name)
    with pytest.raises(AttributeError, match="no attribute 'weight'"):
        _ = CAGP(model, coverage).weight


@pytest.mark.parametrize("name", FINDS)
def test_direction(name, fitted, world):
    """Higher means more uncertainty, by the truth of the generated graph."""
    from sklearn.metrics import roc_auc_score

    from pyg_cagp.datasets import SyntheticKG

    kind, least = FINDS[name]
    head, rel, tail, truth = SyntheticKG.labelled(world)
    chosen = (truth == 0) | (truth == kind)
    score = fitted(name)(head[chosen], rel[chosen], tail[chosen])
    assert roc_auc_score(truth[chosen] == kind, score) > least


def test_a_file_of_another_estimator_is_refused(
    fitted, model, coverage, tmp_path
):
    path = tmp_path / "x.safetensors"
    fitted("cagp").save(path)
    with pytest.raises(CheckpointError, match="another 'options'"):
        CAGP.load(path, model, coverage, fit_by="auroc")
    with pytest.raises(CheckpointError, match="another 'class'"):
        SimpleAverage.load(path, model, coverage)
    structural = StructuralUncertainty(coverage, view="directed")
    with pytest.raises(CheckpointError, match="another 'parts'"):
        CAGP.load(path, model, structural)
    path.write_bytes(b"nonsense")
    with pytest.raises(CheckpointError, match="is not the file of an est"):
        CAGP.load(path, model, coverage)


@pytest.mark.parametrize(
    "name", ["fit", "device", "alpha", "semantic", "requires_grad_", "_met_"]
)
@pytest.mark.parametrize("form", ["value", "tensor"])
def test_a_file_sets_fitted_attributes_alone(
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
    with pytest.raises(CheckpointError, match=f"has a value '{name}', which"):
        CAGP.load(path, model, coverage)


def test_a_file_without_fitted_values_is_refused(
    fitted, model, coverage, tmp_path
):
    path = tmp_path / "cagp.safetensors"
    fitted("cagp").save(path)
    with safe_open(path, "pt") as file:
        document = json.loads(file.metadata()["estimator"])
    for other in (None, [], "x"):
        text = json.dumps({**document, "fitted": other})
        save_file({}, path, {"estimator": text})
        with pytest.raises(CheckpointError, match="has no fitted values"):
            CAGP.load(path, model, coverage)
