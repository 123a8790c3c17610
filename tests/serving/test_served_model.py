"""A served model says what the model and the estimator say, only faster."""

import copy
import itertools

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import FlopCounterMode
from torch_geometric import Index
from torch_geometric.nn import DistMult

from pyg_cagp import CAGP, GaussianComplEx, GaussianDistMult
from pyg_cagp.exceptions import InvalidInputError, NotFittedError
from pyg_cagp.serving import ServedModel
from pyg_cagp.uncertainty import (
    FrequencyUncertainty,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)

VIEWS = ("binary", "directed", "log", "tfidf", "smoothed")
COMBINE = ("mean", "max", "head", "tail")


@pytest.mark.parametrize("view", VIEWS)
def test_structural_doubt_is_that_of_the_estimator(
    serve, model, coverage, triples, view
):
    estimator = StructuralUncertainty(coverage, view)
    score, doubt = serve(model, estimator)(*triples)
    torch.testing.assert_close(doubt, estimator(*triples))
    torch.testing.assert_close(score, model(*triples))
    assert doubt.unique().numel() > 1


def test_doubt_alone_is_that_of_a_pass(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage, "directed"))
    expected = served(*triples).doubt
    assert torch.equal(served.doubt(*triples), expected)
    head, rel, tail = triples
    by_name = served.doubt(tail_index=tail, head_index=head, rel_type=rel)
    assert torch.equal(by_name, expected)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("combine", COMBINE)
def test_mixed_doubt_is_that_of_the_estimator(
    serve, kg, model, coverage, triples, view, combine
):
    cagp = CAGP(
        SemanticUncertainty(model, combine),
        StructuralUncertainty(coverage, view),
    ).fit(kg)
    # A weight at an end would hide one of both parts.
    cagp.alpha_ = 0.3
    doubt = serve(model, cagp)(*triples).doubt
    torch.testing.assert_close(doubt, cagp(*triples))


def test_rarity_in_place_of_variance(serve, kg, coverage, triples):
    average = SimpleAverage(FrequencyUncertainty(coverage), coverage).fit(kg)
    model = DistMult(kg.num_nodes, kg.num_relations, 8)
    served = serve(model, average)
    torch.testing.assert_close(served(*triples).doubt, average(*triples))


def test_equal_variances_do_not_divide_by_zero(serve, kg, coverage, triples):
    model = GaussianComplEx(kg.num_nodes, kg.num_relations, 8)
    average = SimpleAverage(model, coverage).fit(kg)
    doubt = serve(model, average)(*triples).doubt
    torch.testing.assert_close(doubt, average(*triples))
    assert bool(doubt.isfinite().all())


def test_a_role_that_makes_no_difference_takes_no_memory(
    model, reciprocal, coverage
):
    cells = model.num_nodes * model.num_relations
    either = StructuralUncertainty(coverage)
    directed = StructuralUncertainty(coverage, "directed")
    assert ServedModel(model, either).pair.nbytes == cells
    assert ServedModel(model, directed).pair.nbytes == 2 * cells
    assert ServedModel(reciprocal, either).pair.nbytes == 2 * cells
    assert ServedModel(reciprocal, directed).pair.nbytes == 3 * cells


def test_doubt_does_not_depend_on_its_batch(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage, "smoothed"))
    together = served(*triples).doubt
    alone = torch.cat(
        [served(*(part[i : i + 1] for part in triples)).doubt for i in range(9)]
    )
    assert torch.equal(together[:9], alone)


def test_short_ids(serve, kg, model, coverage, triples):
    semantic = SemanticUncertainty(model, "max")
    served = serve(model, CAGP(semantic, coverage).fit(kg))
    short = served.doubt(*(part.short() for part in triples))
    assert torch.equal(short, served.doubt(*triples))


def test_triples_of_any_shape_and_width(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage, "directed"))
    expected = served(*triples)
    grid = served(*(part.view(5, 100).int() for part in triples))
    assert torch.equal(grid.doubt, expected.doubt.view(5, 100))
    torch.testing.assert_close(grid.score, expected.score.view(5, 100))
    one = served.doubt(*(part[3] for part in triples))
    assert one.shape == ()
    assert one == expected.doubt[3]


def test_no_triples(serve, model, coverage):
    served = serve(model, StructuralUncertainty(coverage))
    none = torch.empty(0, dtype=torch.long)
    assert served(none, none, none).doubt.shape == (0,)


def test_weights_are_those_of_the_model(model, coverage):
    served = ServedModel(model, StructuralUncertainty(coverage))
    names = {f"model.{name}" for name in model.state_dict()}
    assert set(served.state_dict()) == names


class Part(torch.nn.Module):
    def __init__(self, served, part):
        super().__init__()
        self.served, self.part = served, part

    def forward(self, head, rel, tail):
        return getattr(self.served, self.part)(head, rel, tail)


def _compiled(module, triples):
    torch._dynamo.reset()
    return torch.compile(module, fullgraph=True, backend="eager")


WAYS = {
    "compile": _compiled,
    "export": lambda module, triples: torch.export.export(
        module, triples
    ).module(),
    "strict export": lambda module, triples: torch.export.export(
        module, triples, strict=True
    ).module(),
    "trace": lambda module, triples: torch.jit.trace(
        module.forward, triples, check_trace=False
    ),
    "make_fx": lambda module, triples: make_fx(module)(*triples),
    "vmap": lambda module, triples: torch.vmap(module),
    "functionalize": lambda module, triples: torch.func.functionalize(module),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit.trace", "ignore:Converting")
@pytest.mark.parametrize("way", WAYS)
def test_programs_made_of_a_served_model(serve, model, coverage, triples, way):
    served = serve(model, StructuralUncertainty(coverage, "directed"))
    # Of other triples than those that are asked about: what is read while a
    # program is made must not be all that it knows.
    other = tuple(part.flip(0) for part in triples)
    program = WAYS[way](served, other)
    score, doubt = program(*triples)
    torch.testing.assert_close(score, served(*triples).score)
    assert torch.equal(doubt, served(*triples).doubt)


PARTS = list(
    itertools.product(
        ["doubt", "score"],
        ["compile", "export", "strict export", "vmap", "functionalize"],
    )
)


@pytest.mark.parametrize(("part", "way"), PARTS)
def test_programs_made_of_one_part(serve, model, coverage, triples, part, way):
    served = serve(model, StructuralUncertainty(coverage, "directed"))
    program = WAYS[way](Part(served, part), triples)
    expected = getattr(served(*triples), part)
    torch.testing.assert_close(program(*triples), expected)


def test_many_tails_of_one_query(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage))
    head, rel, tail = triples
    many = torch.vmap(served, in_dims=(None, None, 0))(head[0], rel[0], tail)
    one = served(head[:1].expand_as(tail), rel[:1].expand_as(tail), tail)
    torch.testing.assert_close(many.score, one.score)
    assert torch.equal(many.doubt, one.doubt)


def test_buffers_of_another_model(serve, model, coverage, triples):
    first, second = (
        serve(model, StructuralUncertainty(coverage, view))
        for view in ("log", "tfidf")
    )
    _, doubt = torch.func.functional_call(
        first, dict(second.named_buffers()), triples
    )
    torch.testing.assert_close(doubt, second(*triples).doubt)
    assert not torch.equal(doubt, first(*triples).doubt)


def test_entities_of_another_model(serve, kg, model, coverage, triples):
    cagp = CAGP(SemanticUncertainty(model, "max"), coverage).fit(kg)
    served = serve(model, cagp)
    other = {"entity": served.entity + 1}
    _, doubt = torch.func.functional_call(served, other, triples)
    torch.testing.assert_close(doubt, served(*triples).doubt + 1)


def test_what_looks_on_changes_nothing(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage))
    head, rel, tail = triples
    expected = served.doubt(*triples)
    marked = Index(head, dim_size=model.num_nodes)
    assert torch.equal(served.doubt(marked, rel, tail), expected)
    with FlopCounterMode(display=False):
        assert torch.equal(served.doubt(*triples), expected)
        with pytest.raises(InvalidInputError, match="same shape"):
            served(head[:1], rel, tail)
        rel = rel.clone()
        rel[3] = model.num_relations
        with pytest.raises(InvalidInputError, match="'rel_type'"):
            served.doubt(head, rel, tail)
    with pytest.raises(InvalidInputError, match="'rel_type'"):
        served.doubt(marked, rel, tail)


class Marked(torch.Tensor):
    """Passes itself on to whatever is made of it."""


class Watching(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.calls += 1
        return func(*args, **(kwargs or {}))


def test_who_has_a_say_is_asked(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage))
    head, rel, tail = triples
    for ask in (served, served.doubt, served.score):
        with Watching() as watching:
            ask(*triples)
        assert watching.calls > 0
    score, doubt = served(head.as_subclass(Marked), rel, tail)
    assert isinstance(score, Marked)
    assert isinstance(doubt, Marked)


def test_ids_with_a_negative_bit(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage))
    negated = tuple(torch._neg_view(-part) for part in triples)
    assert negated[0].is_neg()
    torch.testing.assert_close(served(*negated), served(*triples))
    assert torch.equal(served.doubt(*negated), served.doubt(*triples))
    # Below zero, though what lies in memory is not.
    below = tuple(torch._neg_view(part + 1) for part in triples)
    for ask in (served, served.doubt, served.score):
        with pytest.raises(InvalidInputError, match="'head_index'"):
            ask(*below)


def test_a_broken_variance_is_not_hidden(serve, kg, model, coverage, triples):
    broken = copy.deepcopy(model)
    cagp = CAGP(
        SemanticUncertainty(broken, "max"), StructuralUncertainty(coverage)
    ).fit(kg)
    head, _, tail = triples
    with torch.no_grad():
        broken.node_log_var.weight[tail[:9]] = torch.nan
    doubt = serve(broken, cagp).doubt(*triples)
    expected = cagp(*triples)
    torch.testing.assert_close(doubt, expected, equal_nan=True)
    # The larger one of a number and NaN, on either side.
    lost = expected.isnan()
    assert bool((lost & ~torch.isin(head, tail[:9])).any())
    assert bool((lost & ~torch.isin(tail, tail[:9])).any())


@pytest.mark.parametrize(
    ("place", "name"),
    list(enumerate(["head_index", "rel_type", "tail_index"])),
)
@pytest.mark.parametrize("bad", [-1, 10**6, 2**62])
def test_unknown_ids_are_named(
    serve, model, coverage, triples, place, name, bad
):
    served = serve(model, StructuralUncertainty(coverage))
    broken = [part.clone() for part in triples]
    broken[place][7] = bad
    # Doubts alone must not rely on a model that looks ids up.
    for ask in (served, served.doubt, served.score):
        with pytest.raises(
            InvalidInputError, match=f"'{name}'.*{bad}.*position 7"
        ):
            ask(*broken)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("combine", COMBINE)
def test_an_inverse_relation_is_doubted_as_the_relation_is(
    serve, kg, model, reciprocal, coverage, triples, view, combine
):
    cagp = CAGP(
        SemanticUncertainty(model, combine),
        StructuralUncertainty(coverage, view),
    ).fit(kg)
    cagp.alpha_ = 0.3
    served = serve(reciprocal, cagp)
    head, rel, tail = triples
    inverse = tail, rel + kg.num_relations, head
    torch.testing.assert_close(served(*triples).doubt, cagp(*triples))
    torch.testing.assert_close(served(*inverse).doubt, cagp(*triples))
    torch.testing.assert_close(served(*inverse).score, reciprocal(*inverse))


def test_ids_beyond_inverse_relations_are_named(
    serve, kg, reciprocal, coverage, triples
):
    served = serve(reciprocal, StructuralUncertainty(coverage))
    head, rel, tail = triples
    match = f"'rel_type' must lie in .*{2 * kg.num_relations}"
    with pytest.raises(InvalidInputError, match=match):
        served(head, rel + 2 * kg.num_relations, tail)


def test_what_is_no_tensor_is_named(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage))
    head, rel, tail = triples
    for ask in (served, served.doubt, served.score):
        with pytest.raises(InvalidInputError, match="'tail_index' must be a"):
            ask(head, rel, tail.tolist())
        with pytest.raises(InvalidInputError, match="'head_index' must hold"):
            ask(head.float(), rel, tail)
        with pytest.raises(InvalidInputError, match="'rel_type' must hold"):
            ask(head, rel.to(torch.uint16), tail)
        with pytest.raises(
            InvalidInputError, match="'rel_type' must be on cpu"
        ):
            ask(head, rel.to("meta"), tail)
        with pytest.raises(TypeError, match="tail_index"):
            ask(head, rel)


def test_lengths_that_differ_are_named(serve, model, coverage, triples):
    served = serve(model, StructuralUncertainty(coverage))
    head, rel, tail = triples
    for ask in (served, served.doubt, served.score):
        with pytest.raises(InvalidInputError, match="same shape"):
            ask(head, rel[:-1], tail)
        with pytest.raises(InvalidInputError, match="same shape"):
            ask(head[:1], rel, tail)


def test_what_cannot_be_served(kg, model, coverage):
    with pytest.raises(NotFittedError, match="CAGP is not fitted"):
        ServedModel(model, CAGP(model, coverage))
    with pytest.raises(InvalidInputError, match="'max_bytes' must allow"):
        ServedModel(model, StructuralUncertainty(coverage), max_bytes=100)
    other = GaussianDistMult(kg.num_nodes + 1, kg.num_relations, 8)
    with pytest.raises(InvalidInputError, match="one graph"):
        ServedModel(other, StructuralUncertainty(coverage))
    with pytest.raises(InvalidInputError, match="'doubt' must be a"):
        ServedModel(model, SemanticUncertainty(model))
    looped = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    looped.rel_emb = torch.nn.Embedding(kg.num_relations + 1, 8)
    with pytest.raises(InvalidInputError, match=r"20 relations.*got 21"):
        ServedModel(looped, StructuralUncertainty(coverage))


@pytest.mark.gpu
def test_doubt_on_a_gpu(model, coverage, triples):
    served = ServedModel(model, StructuralUncertainty(coverage)).cuda()
    doubt = served(*(part.cuda() for part in triples)).doubt
    expected = StructuralUncertainty(coverage)(*triples)
    assert torch.equal(doubt.cpu(), expected)
    served.cpu()
