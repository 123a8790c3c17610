"""Scores by C++ are those of the model, whatever is done to it."""

import copy
import os
import subprocess
import sys
import weakref

import pytest
import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.nn.utils import parametrize
from torch_geometric.nn import DistMult

from pyg_cagp import CAGP, GaussianComplEx, GaussianDistMult, GaussianTransE
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.serving import ServedModel
from pyg_cagp.serving.embeddings import plain_embeddings
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


def _served(model, doubt):
    served = ServedModel(model.eval(), doubt, native=True)
    assert _is_native(served)
    return served


def _is_native(served):
    """Tells whether the model is not asked."""
    plain = plain_embeddings(served.model)
    if plain is None:
        return False
    ids = torch.zeros(1, dtype=torch.long)
    return served._native().both(ids, ids, ids, *plain) is not None


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
    own.node_emb.weight = torch.nn.Parameter(own.node_emb.weight / 3)
    torch.testing.assert_close(served(*triples).score, after)
    served.model = GaussianDistMult(own.num_nodes, own.num_relations, 4).eval()
    expected = served.model(*triples)
    torch.testing.assert_close(served(*triples).score, expected)
    assert _is_native(served)


class Negated(GaussianDistMult):
    def forward(self, *triples):
        return -super().forward(*triples)


class Doubled(torch.nn.Module):
    def forward(self, weight):
        return 2 * weight


class Look(torch.nn.Embedding):
    def forward(self, entity):
        return 2 * super().forward(entity)


def _replace_embedding(model):
    model.rel_emb = Look.from_pretrained(model.rel_emb.weight)


def _parametrize(model):
    parametrize.register_parametrization(model.rel_emb, "weight", Doubled())


def _limit_norms(model):
    model.node_emb.max_norm = 0.1


def _replace(*names):
    def change(model):
        *path, name = names
        part = model.get_submodule(".".join(path))
        before = getattr(part, name)
        setattr(part, name, lambda *args: 2 * before(*args))

    return change


def _replace_class(model):
    model.__class__ = Negated


def _negate(model):
    weight = model.node_emb.weight
    weight.data = torch._neg_view(weight.data)
    weight = model.rel_emb.weight
    weight.data = torch._neg_view(weight.data)


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
    "embedding": _replace_embedding,
    "parametrization": _parametrize,
    "norm": _limit_norms,
    "forward": _replace("forward"),
    "interaction": _replace("interaction"),
    "relations": _replace("embed_rel"),
    "look-up": _replace("node_emb", "forward"),
    "class": _replace_class,
    "negative bits": _negate,
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
    # Of a copy: what is asked may change, as it does with a limit of norms.
    expected = copy.deepcopy(own)(*triples)
    assert not _is_native(served)
    assert torch.equal(served(*triples).score, expected)
    assert torch.equal(served.score(*triples), expected)
    assert not torch.equal(before, expected)
    assert torch.equal(served(*triples).doubt, structural(*triples))


@pytest.mark.parametrize(
    "register", [register_module_forward_hook, register_module_forward_pre_hook]
)
def test_hooks_of_all_modules_are_called(own, structural, triples, register):
    served = _served(own, structural)
    seen = []
    handle = register(lambda module, *_: seen.append(type(module)))
    try:
        served(*triples)
    finally:
        handle.remove()
    assert GaussianDistMult in seen
    assert torch.nn.Embedding in seen


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


@pytest.mark.parametrize("kind", [GaussianTransE, Negated])
def test_other_models_score_by_themselves(kg, structural, triples, kind):
    model = kind(kg.num_nodes, kg.num_relations, 8).eval()
    served = ServedModel(model, structural, native=True)
    assert not _is_native(served)
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
        assert _is_native(moved)
        for one, other in zip(moved(*triples), before, strict=True):
            assert torch.equal(one, other)


def test_what_is_returned_is_given_back(own, structural, triples):
    served = _served(own, structural)
    found = served(*triples)
    score, doubt = map(weakref.ref, found)
    del found
    alone = weakref.ref(served.score(*triples))
    # A tensor that C++ held on to would live.
    assert [score(), doubt(), alone()] == [None] * 3


def test_weights_can_be_swapped(own, structural, triples):
    """Whoever swaps tensors wants nobody else to hold them."""
    served = _served(own, structural)
    before = served(*triples).score
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        served.double().float()
        own.load_state_dict({k: 2 * v for k, v in own.state_dict().items()})
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)
    assert _is_native(served)
    torch.testing.assert_close(served(*triples).score, 8 * before)


def test_tangents_are_not_lost(own, structural, triples):
    served = _served(own, structural)
    parameters = dict(served.named_parameters())
    weight = parameters["model.node_emb.weight"]
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(
            weight.detach(), torch.ones_like(weight)
        )
        parameters["model.node_emb.weight"] = dual
        score, _ = torch.func.functional_call(served, parameters, triples)
        assert torch.autograd.forward_ad.unpack_dual(score).tangent is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing can be forked")
def test_a_forked_process_does_not_wait_for_threads():
    """As with a server that makes its model, tries it and then forks."""
    code = (
        "import os, sys, torch\n"
        "from pyg_cagp import Coverage, GaussianDistMult\n"
        "from pyg_cagp import StructuralUncertainty\n"
        "from pyg_cagp.serving import ServedModel\n"
        "torch.set_num_threads(2)\n"
        "ids = torch.arange(2000) % 50\n"
        "edges, rel = torch.stack([ids, ids]), ids % 5\n"
        "coverage = Coverage.from_edges(edges, rel, 50, 5)\n"
        "model = GaussianDistMult(50, 5, 8).eval()\n"
        "served = ServedModel(model, StructuralUncertainty(coverage),"
        " native=True)\n"
        "with torch.no_grad():\n"
        "    before = served(ids, rel, ids)\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        after = served(ids, rel, ids)\n"
        "        same = torch.equal(before.score, after.score)\n"
        "        os._exit(0 if same else 1)\n"
        "    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
