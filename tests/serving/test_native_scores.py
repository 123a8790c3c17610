"""Scores by C++ are those of the model, whatever is done to it."""

import copy

import pytest
import torch
from torch.nn.modules.module import register_module_forward_hook
from torch.nn.utils import parametrize
from torch_geometric.nn import DistMult

from pyg_cagp import CAGP, GaussianComplEx, GaussianDistMult, GaussianTransE
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.serving import ServedModel
from pyg_cagp.uncertainty import StructuralUncertainty
from tests.serving.conftest import needs_compiler

pytestmark = needs_compiler


@pytest.fixture(autouse=True)
def no_gradients():
    with torch.no_grad():
        yield


@pytest.fixture
def own(model):
    """A model of one's own, which may be broken."""
    return copy.deepcopy(model).eval()


@pytest.fixture
def structural(coverage):
    return StructuralUncertainty(coverage)


def _served(model, structural):
    served = ServedModel(model.eval(), structural, native=True)
    assert served._native().scoring() is not None
    return served


@pytest.mark.parametrize("channels", [1, 16, 33, 100])
def test_scores_are_what_the_formula_says(kg, structural, triples, channels):
    sizes = kg.num_nodes, kg.num_relations, channels
    head, rel, tail = triples
    for model in (GaussianDistMult(*sizes), DistMult(*sizes)):
        score, _ = _served(model, structural)(*triples)
        node, relation = (
            part.weight.double() for part in (model.node_emb, model.rel_emb)
        )
        expected = (node[head] * relation[rel] * node[tail]).sum(dim=1)
        torch.testing.assert_close(
            score.double(), expected, rtol=1e-5, atol=1e-6
        )
    model = GaussianComplEx(*sizes, reciprocal=True)
    inverse = tail, rel + kg.num_relations, head
    for h, r, t in (triples, inverse):
        score, _ = _served(model, structural)(h, r, t)
        node, relation = (
            torch.complex(*part.weight.double().chunk(2, dim=1))
            for part in (model.node_emb, model.rel_emb)
        )
        expected = (node[h] * relation[r] * node[t].conj()).sum(dim=1).real
        torch.testing.assert_close(
            score.double(), expected, rtol=1e-5, atol=1e-6
        )


def test_scores_do_not_depend_on_their_batch_or_threads(kg, own, structural):
    served = _served(own, structural)
    generator = torch.Generator().manual_seed(2)
    head, tail = torch.randint(kg.num_nodes, (2, 50_000), generator=generator)
    rel = torch.randint(kg.num_relations, (50_000,), generator=generator)
    together = served(head, rel, tail)
    torch.testing.assert_close(together.score, own(head, rel, tail))
    assert torch.equal(together.doubt, structural(head, rel, tail))
    order = torch.randperm(50_000, generator=generator)
    moved = served(head[order], rel[order], tail[order])
    assert torch.equal(moved.score, together.score[order])
    assert torch.equal(moved.doubt, together.doubt[order])
    for size in (1, 255, 257, 1000):
        part = served(head[:size], rel[:size], tail[:size])
        assert torch.equal(part.score, together.score[:size])
        assert torch.equal(part.doubt, together.doubt[:size])
    threads = torch.get_num_threads()
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            again = served(head, rel, tail)
            assert torch.equal(again.score, together.score)
            assert torch.equal(again.doubt, together.doubt)
    finally:
        torch.set_num_threads(threads)


def test_scores_alone_are_those_of_a_pass(serve, model, structural, triples):
    served = serve(model, structural)
    score = served.score(*triples)
    assert torch.equal(score, served(*triples).score)
    grid = served.score(*(part.view(5, 100) for part in triples))
    torch.testing.assert_close(grid, score.view(5, 100))


def test_doubts_with_scores_are_those_without(kg, own, coverage, triples):
    served = _served(own, CAGP(own, coverage).fit(kg))
    assert torch.equal(served(*triples).doubt, served.doubt(*triples))


def test_weights_are_read_where_they_are(own, structural, triples):
    served = _served(own, structural)
    before = served(*triples).score
    own.load_state_dict(
        {name: 2 * part for name, part in own.state_dict().items()}
    )
    after = served(*triples).score
    torch.testing.assert_close(after, 8 * before)
    own.node_emb.weight.data = 3 * own.node_emb.weight.data
    torch.testing.assert_close(served(*triples).score, 9 * after)
    assert served._native().scoring() is not None


class Doubled(torch.nn.Module):
    def forward(self, weight):
        return 2 * weight


def _replace_weight(model):
    model.node_emb.weight = torch.nn.Parameter(2 * model.node_emb.weight)


def _replace_embedding(model):
    model.rel_emb = torch.nn.Embedding.from_pretrained(2 * model.rel_emb.weight)


def _parametrize(model):
    parametrize.register_parametrization(model.rel_emb, "weight", Doubled())


def _limit_norms(model):
    model.node_emb.max_norm = 0.1


def _replace_forward(model):
    forward = model.forward
    model.forward = lambda *triples: 2 * forward(*triples)


def _replace_look_up(model):
    forward = model.node_emb.forward
    model.node_emb.forward = lambda entity: 2 * forward(entity)


def _hook(name):
    def change(model):
        part = model.get_submodule(name)
        part.register_forward_hook(lambda module, args, out: 2 * out)

    return change


def _hook_before(model):
    model.register_forward_pre_hook(
        lambda module, args: (args[2], args[1], args[2])
    )


def _widen(model):
    model.double()


def _spread(model):
    weight = model.node_emb.weight
    weight.data = 2 * weight.data.t().contiguous().t()


CHANGES = {
    "weight": _replace_weight,
    "embedding": _replace_embedding,
    "parametrization": _parametrize,
    "norm": _limit_norms,
    "forward": _replace_forward,
    "look-up": _replace_look_up,
    "hook": _hook(""),
    "hook of entities": _hook("node_emb"),
    "hook of relations": _hook("rel_emb"),
    "hook before": _hook_before,
    "double": _widen,
    "not contiguous": _spread,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_model_that_was_changed_is_asked_itself(
    own, structural, triples, change
):
    served = _served(own, structural)
    before = served(*triples).score
    CHANGES[change](own)
    expected = own(*triples)
    assert torch.equal(served(*triples).score, expected)
    assert torch.equal(served.score(*triples), expected)
    assert not torch.equal(before, expected)
    assert torch.equal(served(*triples).doubt, structural(*triples))


def test_hooks_of_all_modules_are_called(own, structural, triples):
    served = _served(own, structural)
    seen = []
    handle = register_module_forward_hook(
        lambda module, args, out: seen.append(type(module))
    )
    served(*triples)
    handle.remove()
    assert GaussianDistMult in seen


def test_weights_of_another_model(own, structural, triples):
    served = _served(own, structural)
    other = {f"model.{name}": 2 * part for name, part in own.named_parameters()}
    score, _ = torch.func.functional_call(served, other, triples)
    torch.testing.assert_close(score, 8 * served(*triples).score)


def test_gradients_reach_the_weights(own, structural, triples):
    served = _served(own, structural)
    with torch.enable_grad():
        for score in (served(*triples).score, served.score(*triples)):
            (grad,) = torch.autograd.grad(score.sum(), own.node_emb.weight)
            assert grad.abs().sum() > 0
        own.requires_grad_(False)
        assert not served(*triples).score.requires_grad


def test_what_trains_drops_numbers(kg, structural, triples):
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8, dropout=0.5)
    served = _served(model, structural)
    sure = served(*triples).score
    served.train()
    first, second = served(*triples).score, served(*triples).score
    assert not torch.equal(first, second)
    served.eval()
    assert torch.equal(served(*triples).score, sure)


def test_embeddings_that_are_not_there_are_not_read(own, structural, triples):
    head, rel, tail = triples
    served = _served(own, structural)
    # Cut by somebody else, so that ids of the table lead beyond the end.
    weight = own.node_emb.weight
    for data in (weight.data[:10], weight.data[:, :4], weight.data[0]):
        weight.data = data.clone()
        for ask in (served, served.score):
            with pytest.raises((IndexError, RuntimeError)):
                ask(head.clamp(min=10), rel, tail)


class Negated(GaussianDistMult):
    def forward(self, *triples):
        return -super().forward(*triples)


@pytest.mark.parametrize("kind", [GaussianTransE, Negated])
def test_other_models_score_by_themselves(kg, structural, triples, kind):
    model = kind(kg.num_nodes, kg.num_relations, 8).eval()
    served = ServedModel(model, structural, native=True)
    assert served._native().scoring() is None
    assert torch.equal(served(*triples).score, model(*triples))
    assert torch.equal(served.score(*triples), model(*triples))
    assert torch.equal(served(*triples).doubt, structural(*triples))


def test_ids_are_named_by_name_too(own, structural, triples):
    served = _served(own, structural)
    head, rel, tail = triples
    named = {"tail_index": tail, "head_index": head, "rel_type": rel}
    for one, other in zip(served(**named), served(*triples), strict=True):
        assert torch.equal(one, other)
    named["rel_type"] = rel.clone()
    named["rel_type"][3] = -1
    with pytest.raises(InvalidInputError, match=r"'rel_type'.*position 3"):
        served(**named)


def test_a_moved_model_is_found_again(own, structural, triples):
    served = _served(own, structural)
    before = served(*triples)
    for moved in (served.double().float(), copy.deepcopy(served)):
        assert moved._native().scoring() is not None
        for one, other in zip(moved(*triples), before, strict=True):
            assert torch.equal(one, other)


def test_memory_is_given_back(own, structural, triples):
    served = _served(own, structural)
    resource = pytest.importorskip("resource")

    def most():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    many = [part.repeat(400) for part in triples]
    for _ in range(20):
        served(*many)
    before = most()
    for _ in range(400):
        served(*many)
    # Each pass makes 1.6 MB, so 640 MB if none of it was given back.
    assert most() - before < 2**17
