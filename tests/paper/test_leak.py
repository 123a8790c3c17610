"""The scale that sees labels, by hand."""

import pytest
import torch

from benchmark.paper.experiments.leak import per_population

SIGNAL = torch.tensor([1.0, 10.0, 3.0, 20.0, 5.0, 40.0], dtype=torch.double)
LABEL = torch.tensor([0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("range", [0, 0, 1, 2 / 3, 2, 2]),
        ("largest", [-8, -60, -4, -40, 0, 0]),
    ],
)
def test_each_population_has_a_scale_of_its_own(scale, expected):
    got = per_population(SIGNAL, LABEL, scale)
    assert got.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("scale", ["range", "largest"])
def test_one_label_changes_what_others_get(scale):
    label = LABEL.clone()
    label[5] = 0
    got = per_population(SIGNAL, label, scale)
    before = per_population(SIGNAL, LABEL, scale)
    assert got[2] < before[2]
    assert got[3] > before[3]


def test_ranges_are_brought_to_0_and_2():
    generator = torch.Generator().manual_seed(0)
    signal = torch.randn(200, generator=generator, dtype=torch.double) * 7 - 3
    label = torch.randint(2, (200,), generator=generator)
    got = per_population(signal, label, "range")
    for kind in (0, 1):
        part, raw = got[label == kind], signal[label == kind]
        assert [float(part.min()), float(part.max())] == [0, 2]
        assert torch.equal(part.argsort(), raw.argsort())
