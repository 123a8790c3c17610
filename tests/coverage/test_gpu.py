"""Coverage on a CUDA device."""

import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.exceptions import InvalidInputError
from tests.conftest import random_edges


@pytest.mark.gpu
def test_coverage_on_cuda_equals_the_cpu():
    edge_index, edge_type = random_edges(300, 90, 5_000)
    cpu = Coverage.from_edges(edge_index, edge_type, 300, 90)
    gpu = Coverage.from_edges(
        edge_index[:, :3_000].cuda(), edge_type[:3_000].cuda(), 300, 90
    )
    gpu.update(edge_index[:, 3_000:].cuda(), edge_type[3_000:].cuda())
    assert gpu.device.type == "cuda"
    every = torch.cartesian_prod(torch.arange(300), torch.arange(90)).t()
    for role in ("any", "head", "tail"):
        got = gpu.count(*every.cuda(), role=role)
        assert torch.equal(got.cpu(), cpu.count(*every, role=role))
    assert torch.equal(gpu.contains(*every.cuda()).cpu(), cpu.contains(*every))
    with pytest.raises(InvalidInputError, match=r"same device|the device"):
        gpu.contains(*every)
    assert gpu.to("cpu").equal(cpu)
