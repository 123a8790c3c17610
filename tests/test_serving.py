"""A served model says what the model and the estimator say, only faster."""

import copy
import functools
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode
from torch_geometric import Index
from torch_geometric.nn import DistMult

from pyg_cagp import CAGP, Coverage, GaussianComplEx, GaussianDistMult
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import (
    InvalidInputError,
    MissingDependencyError,
    NotFittedError,
)
from pyg_cagp.serving import ServedModel, native
from pyg_cagp.uncertainty import (
    FrequencyUncertainty,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)

VIEWS = ("binary", "directed", "log", "tfidf", "smoothed")
COMBINE = ("mean", "max", "head", "tail")
CAN_BUILD = bool(shutil.which("c++") and shutil.which("ninja"))
needs_compiler = pytest.mark.skipif(
    not CAN_BUILD, reason="there is no C++ compiler, or no ninja"
)


@pytest.fixture(
    params=[False, pytest.param(True, marks=needs_compiler)],
    ids=["pytorch", "native"],
)
def serve(request):
    """Serves a model, by PyTorch and by C++."""
    return functools.partial(ServedModel, native=request.param)


@pytest.fixture(scope="module")
def kg():
    return SyntheticKG(num_nodes=600, num_relations=20, num_triples=8000)[0]


@pytest.fixture(scope="module")
def coverage(kg):
    return Coverage.from_data(kg)


@pytest.fixture(scope="module")
def model(kg):
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    generator = torch.Generator().manual_seed(0)
    model.observe(*kg.edge_index[:, kg.train_mask])
    with torch.no_grad():
        model.node_log_var.weight.normal_(generator=generator)
    return model


@pytest.fixture(scope="module")
def reciprocal(kg):
    return GaussianComplEx(kg.num_nodes, kg.num_relations, 8, reciprocal=True)


@pytest.fixture(scope="module")
def triples(kg):
    generator = torch.Generator().manual_seed(1)
    return (
        torch.randint(kg.num_nodes, (500,), generator=generator),
        torch.randint(kg.num_relations, (500,), generator=generator),
        torch.randint(kg.num_nodes, (500,), generator=generator),
    )


@pytest.mark.parametrize("view", VIEWS)
def test_structural_doubt_is_that_of_the_estimator(
    serve, model, coverage, triples, view
):
    estimator = StructuralUncertainty(coverage, view)
    score, doubt = serve(model, estimator)(*triples)
    torch.testing.assert_close(doubt, estimator(*triples))
    assert torch.equal(score, model(*triples))
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


class DoubtAlone(torch.nn.Module):
    def __init__(self, served):
        super().__init__()
        self.served = served

    def forward(self, head, rel, tail):
        return self.served.doubt(head, rel, tail)


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


@pytest.mark.parametrize("way", ["compile", "export", "strict export", "vmap"])
def test_programs_made_of_doubt_alone(serve, model, coverage, triples, way):
    served = serve(model, StructuralUncertainty(coverage, "directed"))
    program = WAYS[way](DoubtAlone(served), triples)
    assert torch.equal(program(*triples), served(*triples).doubt)


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
    for ask in (served, served.doubt):
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
    assert torch.equal(served(*inverse).score, reciprocal(*inverse))


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
    for ask in (served, served.doubt):
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
    for ask in (served, served.doubt):
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


@needs_compiler
def test_native_tables_are_small(model, reciprocal, coverage):
    row = (model.num_relations + 7) // 8
    both = (2 * model.num_relations + 7) // 8
    for served, size in (
        (ServedModel(model, StructuralUncertainty(coverage), native=True), row),
        (
            ServedModel(
                reciprocal,
                StructuralUncertainty(coverage, "directed"),
                native=True,
            ),
            both,
        ),
    ):
        assert served.native_table.cells.nbytes == model.num_nodes * size


@needs_compiler
def test_many_triples(kg, model, coverage):
    generator = torch.Generator().manual_seed(2)
    head, tail = torch.randint(kg.num_nodes, (2, 10**5), generator=generator)
    rel = torch.randint(kg.num_relations, (10**5,), generator=generator)
    estimator = StructuralUncertainty(coverage, "directed")
    served = ServedModel(model, estimator, native=True)
    doubt = served(head, rel, tail).doubt
    assert torch.equal(doubt, estimator(head, rel, tail))
    # Rows that do not lie one after another in memory.
    apart = torch.stack([head, rel, tail], dim=1).unbind(1)
    assert torch.equal(served(*apart).doubt, doubt)
    # An error leaves the reading of many triples, for which Python's lock is
    # given back.
    rel[77_777] = kg.num_relations
    with pytest.raises(InvalidInputError, match="got 20 at position 77777"):
        served.doubt(head, rel, tail)


@needs_compiler
def test_native_reading_survives_copies_and_files(kg, model, coverage, triples):
    cagp = CAGP(model, coverage).fit(kg)
    served = ServedModel(model, cagp, native=True)
    file = io.BytesIO()
    torch.save(served, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    for other in (copy.deepcopy(served), loaded, copy.copy(served).float()):
        assert other._read is not None
        assert torch.equal(other(*triples).doubt, served(*triples).doubt)


@needs_compiler
def test_a_file_is_of_use_without_a_compiler(
    model, coverage, triples, monkeypatch
):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)
    file = io.BytesIO()
    torch.save(served, file)
    file.seek(0)
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", "/dev/null/nowhere")
    native._library.cache_clear()
    with pytest.warns(UserWarning, match="read by PyTorch: 'native' needs"):
        loaded = torch.load(file, weights_only=False)
    with pytest.warns(UserWarning, match="read by PyTorch"):
        loaded = loaded.float()
    native._library.cache_clear()
    assert torch.equal(loaded(*triples).doubt, served(*triples).doubt)


@needs_compiler
def test_tables_that_would_be_read_beyond_their_end_are_refused(
    model, coverage
):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)
    table = served.native_table
    for wrong in (
        dict.fromkeys(("num_relations", "num_ids", "columns"), -1),
        {"num_ids": table.num_ids + 1},
        {"columns": table.columns + 1},
        {"cells": table.cells[:, :-1].contiguous()},
        {"cells": table.cells.t()},
        {"cells": table.cells.double()},
        {"head_own": torch.zeros(model.num_nodes)},
        {"head_own": torch.zeros(3), "tail_own": torch.zeros(3)},
    ):
        with pytest.raises(RuntimeError, match="do not fit together"):
            native.reader(table._replace(**wrong), served._table())


@needs_compiler
def test_what_is_not_on_the_cpu_is_read_by_pytorch(model, coverage, triples):
    served = ServedModel(
        copy.deepcopy(model), StructuralUncertainty(coverage), native=True
    )
    served.to("meta")
    doubt = served(*(part.to("meta") for part in triples)).doubt
    assert doubt.device.type == "meta"


@needs_compiler
def test_an_interrupted_build_is_built_again(tmp_path):
    code = (
        "import os, shutil, sys\n"
        "from pathlib import Path\n"
        "from torch.utils import cpp_extension\n"
        "from pyg_cagp.serving import native\n"
        # In place of half a minute of building.
        "def load(name, sources, build_directory, **kwargs):\n"
        "    name += '_v1' + cpp_extension.LIB_EXT\n"
        "    path = Path(build_directory, name)\n"
        "    path.touch()\n"
        "    if sys.argv[1] == 'die':\n"
        "        os._exit(9)\n"
        "    shutil.copy(sys.argv[1], path)\n"
        "cpp_extension.load = load\n"
        "print(native._library().__file__)\n"
    )
    built = native._library().__file__
    run = functools.partial(
        subprocess.run,
        env={**os.environ, "TORCH_EXTENSIONS_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run([sys.executable, "-c", code, "die"]).returncode == 9
    again = run([sys.executable, "-c", code, built])
    assert again.stdout.startswith(str(tmp_path)), again.stderr
    # A file that cannot be loaded is built again too.
    path = Path(again.stdout.strip())
    path.write_bytes(b"damaged")
    again = run([sys.executable, "-c", code, built])
    assert again.stdout.strip() == str(path), again.stderr
    assert path.read_bytes() == Path(built).read_bytes()


@needs_compiler
def test_what_is_built_needs_no_compiler():
    built = native._library().__file__
    code = "from pyg_cagp.serving import native; print(native._library())"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PATH": "", "CXX": "nothing"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built in found.stdout, found.stderr


def test_no_compiler_is_named(model, coverage, monkeypatch, tmp_path):
    from torch.utils import cpp_extension

    def load(*args, **kwargs):
        raise RuntimeError("Ninja is required to load C++ extensions\nmore")

    monkeypatch.setattr(cpp_extension, "load", load)
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    native._library.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"extensions\); without"):
        ServedModel(model, StructuralUncertainty(coverage), native=True)
    native._library.cache_clear()
    assert not list(tmp_path.iterdir())


@pytest.mark.gpu
def test_doubt_on_a_gpu(model, coverage, triples):
    served = ServedModel(model, StructuralUncertainty(coverage)).cuda()
    doubt = served(*(part.cuda() for part in triples)).doubt
    expected = StructuralUncertainty(coverage)(*triples)
    assert torch.equal(doubt.cpu(), expected)
    served.cpu()


@pytest.mark.gpu
@needs_compiler
def test_a_file_loaded_to_a_gpu_comes_back(model, coverage, triples):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)
    file = io.BytesIO()
    torch.save(served, file)
    file.seek(0)
    loaded = torch.load(file, map_location="cuda", weights_only=False).cpu()
    assert torch.equal(loaded.doubt(*triples), served.doubt(*triples))
