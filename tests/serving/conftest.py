"""What is served in all tests, and the ways to serve it."""

import shutil

import pytest
import torch

from pyg_cagp import Coverage, GaussianComplEx, GaussianDistMult
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.serving import ServedModel
from pyg_cagp.serving.embeddings import plain_embeddings

CAN_BUILD = bool(shutil.which("c++") and shutil.which("ninja"))
needs_compiler = pytest.mark.skipif(
    not CAN_BUILD, reason="there is no C++ compiler, or no ninja"
)


@pytest.fixture(
    params=[
        "pytorch",
        pytest.param("native", marks=needs_compiler),
        pytest.param("native scores", marks=needs_compiler),
    ]
)
def serve(request):
    """Serves a model: by PyTorch, with doubts by C++, or all by C++, as in a
    pass without gradients of a model that does not train.
    """
    scores = request.param == "native scores"

    def served(model, doubt):
        model.train(not scores)
        made = ServedModel(model, doubt, native=request.param != "pytorch")
        assert (made._native() is None) == (request.param == "pytorch")
        assert (plain_embeddings(model) is not None) == scores
        return made

    with torch.set_grad_enabled(not scores):
        yield served


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
