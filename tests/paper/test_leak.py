"""Scales that use labels, by hand."""

import pytest
import torch

from benchmark.paper.experiments.leak import per_population
from tests.loops import for_each

SIGNAL = torch.tensor([1.0, 10.0, 3.0, 20.0, 5.0, 40.0], dtype=torch.double)
LABEL = torch.tensor([0, 1, 0, 1, 0, 1])


@for_each(
    ("scale", "expected"),
    [
        ("range", [0, 0, 1, 2 / 3, 2, 2]),
        ("largest", [-8, -60, -4, -40, 0, 0]),
    ],
)
def test_each_population_has_its_own_scale(scale, expected):
    got = per_population(SIGNAL, LABEL, scale)
    assert got.tolist() == pytest.approx(expected)


@for_each("scale", ["range", "largest"])
def test_one_label_changes_other_values(scale):
    label = LABEL.clone()
    label[5] = 0
    got = per_population(SIGNAL, label, scale)
    before = per_population(SIGNAL, LABEL, scale)
    assert got[2] < before[2]
    assert got[3] > before[3]


def test_range_scale_has_minimum_0_and_maximum_2():
    generator = torch.Generator().manual_seed(0)
    signal = torch.randn(200, generator=generator, dtype=torch.double) * 7 - 3
    label = torch.randint(2, (200,), generator=generator)
    got = per_population(signal, label, "range")
    for kind in (0, 1):
        part, raw = got[label == kind], signal[label == kind]
        assert [float(part.min()), float(part.max())] == [0, 2]
        assert torch.equal(part.argsort(), raw.argsort())
