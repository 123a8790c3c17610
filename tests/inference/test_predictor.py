"""The values of a predictor equal those of the model and the estimators."""

import json
import math
import shutil
import sys
import unicodedata
from itertools import product
from types import SimpleNamespace

import pytest
import torch

from pyg_cagp import CAGP, Coverage, evaluate
from pyg_cagp.exceptions import (
    CAGPWarning,
    CheckpointError,
    InvalidInputError,
    MissingDependencyError,
)
from pyg_cagp.inference import KINDS, Predictor, prepare
from pyg_cagp.inference.scores import NUMBERS
from pyg_cagp.nn.scoring.softmax_terms import softmax_terms
from pyg_cagp.train import load_run
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import EvidenceUncertainty
from tests.inference.graph import ENTITIES, RELATIONS, TEST, TRAIN
from tests.loops import for_each

COLUMNS = list(zip(*TEST, strict=True))


def ids_of(kg, triples):
    head, rel, tail = zip(*triples, strict=True)
    return (
        torch.tensor([kg.node_names.index(name) for name in head]),
        torch.tensor([kg.relation_names.index(name) for name in rel]),
        torch.tensor([kg.node_names.index(name) for name in tail]),
    )


def test_scores_equal_the_estimators(predictor, kg, trained_run):
    table = predictor.score(*COLUMNS)
    model = load_run(trained_run).model
    coverage = Coverage.from_data(kg)
    triples = ids_of(kg, TEST)
    cagp = CAGP(model, coverage).fit(kg, protocol="comprehensive")
    parts = cagp.decompose(*triples)
    evidence = EvidenceUncertainty(coverage, model)
    evidence.fit(kg, protocol="comprehensive")
    head, rel, tail = triples
    terms = softmax_terms(model, head, rel, tail)
    for value, expected in (
        (table.score, model(*triples)),
        (table.probability, terms.tail.log_prob().exp()),
        (table.semantic, parts.semantic),
        (table.structural, parts.structural),
        (table.cagp, parts.total),
        (table.p_ood, evidence(*triples)),
    ):
        assert torch.allclose(value, expected.double(), rtol=1e-5, atol=1e-6)
    assert torch.equal(table.abstain, table.p_ood >= predictor.threshold)
    assert 0 < int(table.abstain.sum()) < len(table)


def test_kinds_equal_the_transform(predictor, kg):
    labels = TemporalLikeOOD.preset("stated")(kg)
    table = predictor.score(*COLUMNS)
    assert torch.equal(table.kind, labels.ood_type[labels.test_mask])
    assert predictor.tau == labels.ood_tau
    assert sum(table.counts().values()) == len(TEST)


def test_kinds_of_an_inclusive_preset(own_run, kg):
    prepare(own_run, kg, load_run(own_run).model, preset="inclusive")
    labels, strict = (
        TemporalLikeOOD.preset(name)(kg).ood_type[kg.test_mask]
        for name in ("inclusive", "stated")
    )
    assert not torch.equal(labels, strict)
    table = Predictor.load(own_run).score(*COLUMNS)
    assert torch.equal(table.kind, labels)


def test_unknown_names_have_a_kind_and_no_values(predictor):
    known, rel = ENTITIES[0], RELATIONS[0]
    table = predictor.score(
        [known, "no entity", known, "no entity"],
        [rel, rel, "no relation", "no relation"],
        [ENTITIES[1], known, known, known],
    )
    kinds = [KINDS[kind] for kind in table.kind.tolist()]
    assert kinds[1:] == ["unknown entity", "unknown relation", "unknown entity"]
    assert table.abstain[1:].all()
    columns = table.columns()
    for name in ("score", "probability", "semantic", "cagp", "p_ood"):
        assert columns[name][0] is not None
        assert columns[name][1:] == [None] * 3
    assert columns["head"][1] == "no entity"


def test_names_are_normalised(predictor):
    decomposed = unicodedata.normalize("NFD", "Zürich")
    assert decomposed != "Zürich"
    ids = predictor.entities.find([decomposed, " Zürich ", "zürich"])
    assert ids.tolist() == [predictor.entities.find(["Zürich"])[0]] * 2 + [-1]


def test_empty_and_unequal_columns(predictor):
    assert len(predictor.score([], [], [])) == 0
    with pytest.raises(InvalidInputError, match="one length"):
        predictor.score(["a"], [], ["b"])


@for_each("side", ["tail", "head"])
def test_answers_equal_the_model(predictor, kg, side):
    h, r, t = TRAIN[0]
    given_name = {"head": h} if side == "tail" else {"tail": t}
    prediction = predictor.predict(relation=r, k=5, **given_name)
    assert prediction.side == side
    assert [len(prediction.answers), prediction.promised] == [5, 0.9]
    head, rel, tail = ids_of(kg, [TRAIN[0]])
    given = head if side == "tail" else tail
    known = ~kg.test_mask & (kg.edge_type == rel)
    row, answers = (0, 1) if side == "tail" else (1, 0)
    known &= kg.edge_index[row] == given
    left_out = set(kg.edge_index[answers, known].tolist())
    model = predictor.model
    heads, tails = model.score_heads(rel, given), model.score_tails(given, rel)
    scores = (tails if side == "tail" else heads)[0].detach()
    order = [
        entity
        for entity in scores.argsort(descending=True).tolist()
        if entity not in left_out
    ]
    assert prediction.num_known == len(left_out) > 0
    assert prediction.num_candidates == len(order)
    names = [answer.name for answer in prediction.answers]
    assert names == [kg.node_names[entity] for entity in order[:5]]
    total = scores[order].logsumexp(0)
    for answer, entity in zip(prediction.answers, order, strict=False):
        share = float((scores[entity] - total).exp())
        assert answer.probability == pytest.approx(share, rel=1e-4)
        triple = (h, r, answer.name) if side == "tail" else (answer.name, r, t)
        table = predictor.score(*([name] for name in triple))
        assert answer.p_ood == pytest.approx(float(table.p_ood), rel=1e-4)
        assert answer.kind == KINDS[int(table.kind)]
        assert answer.abstain == bool(table.abstain)


def test_answer_sets_equal_the_conformal_evaluation(predictor, kg):
    record = evaluate.conformal(predictor.model, kg, alpha=0.1)
    for row, (h, r, t) in enumerate(TEST[:10]):
        sizes = [
            predictor.predict(head=h, relation=r).set_size,
            predictor.predict(relation=r, tail=t).set_size,
        ]
        samples = record.samples
        assert sizes == [
            int(samples["tail_size"][row]),
            int(samples["head_size"][row]),
        ]
    every = predictor.predict(head=h, relation=r, k=1000)
    assert len(every.answers) == every.num_candidates
    assert sum(answer.in_set for answer in every.answers) == every.set_size


def test_a_row_has_the_same_bits_in_any_batch(predictor):
    rows = [*TEST, ("no entity", RELATIONS[0], ENTITIES[0])]
    table = predictor.score(*zip(*rows, strict=True))
    generator = torch.Generator().manual_seed(0)
    for size in (1, 2, 3, 5, 20, len(rows)):
        order = torch.randperm(len(rows), generator=generator)[:size]
        some = [rows[row] for row in order.tolist()]
        part = predictor.score(*zip(*some, strict=True))
        for name in (*NUMBERS, "kind", "abstain"):
            expected = getattr(table, name)[order]
            value = getattr(part, name)
            assert torch.allclose(
                value, expected, rtol=0, atol=0, equal_nan=True
            ), name


def test_p_ood_of_an_answer_equals_that_of_its_triple(predictor):
    h, r, _ = TEST[0]
    answers = predictor.predict(h, r, k=12).answers
    names = [answer.name for answer in answers]
    table = predictor.score([h] * 12, [r] * 12, names)
    assert [answer.p_ood for answer in answers] == table.p_ood.tolist()


@for_each("side", ["tail", "head"])
def test_a_query_scores_all_candidates_once_a_side(
    predictor, monkeypatch, side
):
    passes = []
    for name in ("score_tails", "score_heads"):
        score = getattr(type(predictor.model), name)

        def counted(model, first, second, score=score, name=name):
            passes.append(name)
            return score(model, first, second)

        monkeypatch.setattr(type(predictor.model), name, counted)
    h, r, t = TEST[0]
    ends = {"head": h} if side == "tail" else {"tail": t}
    assert len(predictor.predict(relation=r, k=10, **ends).answers) == 10
    both = ["score_tails", "score_heads"]
    assert passes == (both if side == "tail" else both[::-1])


def test_to_frame(predictor, monkeypatch):
    table = predictor.score(*COLUMNS)
    prediction = predictor.predict(TEST[0][0], TEST[0][1], k=3)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"pyg_cagp\[frame\]"):
        table.to_frame()
    # A stand-in for pandas.
    stub = SimpleNamespace(DataFrame=dict)
    monkeypatch.setitem(sys.modules, "pandas", stub)
    frame = table.to_frame()
    assert list(frame) == [
        *("head", "relation", "tail", "score", "probability", "semantic"),
        *("structural", "cagp", "p_ood", "kind", "abstain"),
    ]
    assert frame["head"] == list(COLUMNS[0])
    assert frame["cagp"] == table.cagp.tolist()
    frame = prediction.to_frame()
    assert frame["head"] == [TEST[0][0]] * 3
    assert frame["tail"] == [answer.name for answer in prediction.answers]
    assert frame["p_ood"] == [answer.p_ood for answer in prediction.answers]


@for_each(
    ("query", "message"),
    [
        ({"relation": "lies in"}, "neither"),
        ({"head": "a", "relation": "lies in", "tail": "b"}, "both"),
        ({"head": "Zürich"}, "'relation'"),
        ({"head": "Zürich", "relation": "lies in", "k": 0}, "(got 0)"),
        ({"head": "zurich", "relation": "lies in"}, "'Zürich'"),
        ({"head": "Zürich", "relation": "Lies in"}, "'lies in'"),
        ({"head": "q" * 99, "relation": "lies in"}, "q" * 99),
    ],
)
def test_bad_queries_raise(predictor, query, message):
    with pytest.raises(InvalidInputError) as caught:
        predictor.predict(**query)
    assert message in str(caught.value)


def test_graphs_without_names_or_validation(own_run, kg):
    for key in ("node_names", "relation_names"):
        del kg[key]
    kg.train_mask |= kg.val_mask
    kg.val_mask = torch.zeros_like(kg.val_mask)
    model = load_run(own_run).model
    with pytest.warns(CAGPWarning, match="validation"):
        document = prepare(own_run, kg, model)
    assert document["evidence"] is document["threshold"] is None
    predictor = Predictor.load(own_run)
    table = predictor.score(["0", "0"], ["0", "9"], ["1", "1"])
    assert table.p_ood.isnan().all()
    assert table.score.isnan().tolist() == [False, True]
    assert torch.equal(table.abstain, table.kind > 0)
    assert predictor.cagp.alpha == 0.5
    prediction = predictor.predict(head="0", relation="0")
    assert prediction.set_size == prediction.num_candidates
    assert prediction.answers[0].p_ood is None


def test_names_that_are_not_unique_are_replaced_by_ids(own_run, kg):
    kg.node_names = ["same"] * kg.num_nodes
    prepare(own_run, kg, load_run(own_run).model)
    assert Predictor.load(own_run).entities.names[:2] == ["0", "1"]


def test_inference_state_is_json_and_safetensors(trained_run, predictor):
    folder = trained_run / "inference"
    document = json.loads((folder / "inference.json").read_text())
    assert document["schema"] == 1
    assert document["updates"] == []
    assert 0 < document["threshold"] < 1
    assert math.isfinite(document["tau"])
    names = json.loads((folder / "000/names.json").read_text())
    assert set(names["relations"]) == set(RELATIONS)
    assert repr(predictor) == "Predictor(40 entities, 4 relations)"


PARTS = [
    "inference.json",
    "000/coverage.safetensors",
    "000/cagp.safetensors",
    "000/evidence.safetensors",
    "000/known.safetensors",
    "000/names.json",
    "../model.safetensors",
]


@for_each(("part", "fault"), product(PARTS, ["missing", "empty", "cut off"]))
def test_errors_name_the_damaged_part(own_run, part, fault):
    path = own_run / "inference" / part
    content = path.read_bytes()
    path.unlink()
    if fault != "missing":
        path.write_bytes(content[: len(content) // 2 * (fault == "cut off")])
    with pytest.raises(CheckpointError) as caught:
        Predictor.load(own_run)
    path.write_bytes(content)
    assert path.name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_states_of_other_versions_and_models_raise(own_run, kg):
    path = own_run / "inference/inference.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "schema": 99}))
    with pytest.raises(CheckpointError, match="upgrade"):
        Predictor.load(own_run)
    path.write_text(json.dumps({"schema": 1}))
    with pytest.raises(CheckpointError, match="'version'"):
        Predictor.load(own_run)
    path.write_text(json.dumps({**document, "model_crc32": 1}))
    with pytest.raises(CheckpointError, match="another model"):
        Predictor.load(own_run)
    # Older states have no checksums.
    old = {key: value for key, value in document.items() if key != "crc32"}
    path.write_text(json.dumps(old))
    assert len(Predictor.load(own_run).entities) == 40
    other = Coverage.from_edges(kg.edge_index[:, :0], kg.edge_type[:0], 3, 2)
    other.save(own_run / "inference/000/coverage.safetensors")
    with pytest.raises(CheckpointError, match="another graph"):
        Predictor.load(own_run)
    shutil.rmtree(own_run)
    with pytest.raises(CheckpointError, match="no run"):
        Predictor.load(own_run)
