"""All metrics accept the same forms of numbers, and reject the same errors."""

import math

import numpy as np
import pytest
import torch

from pyg_cagp import metrics as m
from pyg_cagp.metrics.inputs import check_same_length
from tests.loops import for_each

DETECTION = {
    "sweep": m.sweep,
    "auroc": m.auroc,
    "roc_curve": m.roc_curve,
    "aupr": m.aupr,
    "aupr_id": lambda s, y: m.aupr(s, y, positive="id"),
    "fpr_at_tpr": lambda s, y: m.fpr_at_tpr(s, y, tpr=0.6),
    "detection_accuracy": m.detection_accuracy,
    "best_threshold": m.best_threshold,
    "best_threshold_accuracy": lambda s, y: m.best_threshold(
        s, y, by="accuracy"
    ),
    "delong_interval": m.delong_interval,
    "platt": lambda s, y: m.PlattCalibrator().fit(s, y)([0.25, 1.5]),
    "isotonic": lambda s, y: m.IsotonicCalibrator().fit(s, y)([0.25, 1.5]),
}
COUNTING = {
    "confusion": lambda s, y: m.confusion(s, y, 0.5),
}
PROBABILITY = {
    "calibration_bins": lambda p, y: m.calibration_bins(p, y, num_bins=3),
    "ece": lambda p, y: m.expected_calibration_error(p, y, num_bins=3),
    "ece_mass": lambda p, y: m.expected_calibration_error(
        p, y, num_bins=3, binning="mass"
    ),
    "mce": lambda p, y: m.maximum_calibration_error(p, y, num_bins=3),
    "brier_score": m.brier_score,
    "brier_parts": m.brier_parts,
    "log_loss": m.log_loss,
}
LOSS = {
    "risk_coverage_curve": m.risk_coverage_curve,
    "aurc": m.aurc,
    "e_aurc": m.e_aurc,
    "augrc": m.augrc,
}
ERROR = {
    "accuracy_at": lambda u, e: m.accuracy_at(u, e, 0.5),
    "answer_rate_at": lambda u, e: m.answer_rate_at(u, e, 0.3),
    "threshold_for_risk": lambda u, e: m.threshold_for_risk(u, e, 0.3),
    "select": lambda u, e: m.select(u, e, 0.5),
}
COUNTS = {
    "ranks": m.ranks,
    "reciprocal_ranks": m.reciprocal_ranks,
    "hits": lambda a, b: m.hits(a, b, 2),
}
#: For each metric of two vectors, what these are called.
NAMES = {
    **{name: (f, "score", "label") for name, f in DETECTION.items()},
    **{name: (f, "score", "label") for name, f in COUNTING.items()},
    **{name: (f, "probability", "label") for name, f in PROBABILITY.items()},
    **{name: (f, "uncertainty", "loss") for name, f in LOSS.items()},
    **{name: (f, "uncertainty", "error") for name, f in ERROR.items()},
    **{name: (f, "higher", "equal") for name, f in COUNTS.items()},
}
each_metric = for_each("name", NAMES)

# Eighths, which single precision holds exactly; tied and not in order.
NUMBERS = [0.25, 0.125, 1.0, 0.5, 0.25, 0.875, 0.0, 0.5, 0.75, 0.125]
BITS = [0, 0, 1, 0, 1, 1, 0, 1, 1, 0]


def given(name):
    if name in COUNTS:
        return [8 * x for x in NUMBERS], BITS
    return NUMBERS, BITS


def flat(result):
    """All numbers of a result, in order."""
    if isinstance(result, torch.Tensor):
        return result.double().tolist()
    if isinstance(result, tuple):
        return [x for part in result for x in flat(part)]
    return [result]


def non_contiguous(values):
    """The same numbers in an array that is not contiguous."""
    array = np.full((len(values), 3), 7.0)
    array[:, 1] = values
    assert not array[:, 1].flags.c_contiguous
    return array[:, 1]


def reversed_view(values):
    """The same numbers in an array with a negative stride."""
    view = np.array(values[::-1])[::-1]
    assert view.strides[0] < 0
    return view


FORMS = {
    "double": lambda x: torch.tensor(x, dtype=torch.double),
    "float": lambda x: torch.tensor(x, dtype=torch.float),
    "half": lambda x: torch.tensor(x, dtype=torch.half),
    "grad": lambda x: torch.tensor(x, dtype=torch.double, requires_grad=True),
    "strided": lambda x: torch.tensor([x, x], dtype=torch.float).t()[:, 1],
    "numpy": np.array,
    "numpy32": lambda x: np.array(x, dtype=np.float32),
    "tuple": tuple,
    "non_contiguous": non_contiguous,
    "reversed_view": reversed_view,
}
LABELS = {
    "long": torch.tensor,
    "bool": lambda y: torch.tensor(y).bool(),
    "float": lambda y: torch.tensor(y).float(),
    "np_bool": lambda y: np.array(y, dtype=bool),
    "np_uint8": lambda y: np.array(y, dtype=np.uint8),
    "bools": lambda y: [bool(x) for x in y],
    "reversed_view": reversed_view,
}


@each_metric
def test_forms_of_numbers_give_the_same_result(name):
    metric, numbers, bits = NAMES[name][0], *given(name)
    expected = flat(metric(numbers, bits))
    for form, cast in FORMS.items():
        assert flat(metric(cast(numbers), bits)) == expected, form


@each_metric
def test_forms_of_labels_give_the_same_result(name):
    metric, numbers, bits = NAMES[name][0], *given(name)
    expected = flat(metric(numbers, bits))
    for form, cast in LABELS.items():
        assert flat(metric(numbers, cast(bits))) == expected, form


@for_each("name", [*DETECTION, *COUNTING, *LOSS, *ERROR])
def test_integer_scores_are_accepted(name):
    integers = torch.tensor([8 * x for x in NUMBERS]).long()
    metric = NAMES[name][0]
    expected = flat(metric(integers.double(), BITS))
    assert flat(metric(integers.tolist(), BITS)) == expected
    for dtype in (torch.long, torch.int32, torch.uint8):
        assert flat(metric(integers.to(dtype), BITS)) == expected, dtype


def test_lists_are_read_in_double_precision():
    # In single precision both pairs are ties.
    assert m.auroc([0.1, 0.1 + 1e-12], [0, 1]) == 1
    assert m.aurc([0.1, 0.1 + 1e-12], [0, 1]) == 0.25
    assert m.conformal_threshold([0.1], alpha=0.5) == 0.1


def test_inputs_are_not_modified():
    for name, (metric, *_) in NAMES.items():
        numbers, bits = (torch.tensor(x).double() for x in given(name))
        before = numbers.clone(), bits.clone()
        metric(numbers, bits)
        assert torch.equal(numbers, before[0]), name
        assert torch.equal(bits, before[1]), name


@each_metric
def test_nan_raises_with_its_position(name):
    metric, first, second = NAMES[name]
    place = 3
    numbers, bits = map(list, given(name))
    # The message names the first of two.
    numbers[place] = numbers[7] = math.nan
    with pytest.raises(ValueError, match=f"'{first}'.*nan at position {place}"):
        metric(numbers, bits)
    numbers[place] = numbers[7] = 0
    bits[place] = bits[7] = math.nan
    with pytest.raises(
        ValueError, match=f"'{second}'.*nan at position {place}"
    ):
        metric(numbers, bits)


@each_metric
def test_wrong_shapes_raise(name):
    metric, first, second = NAMES[name]
    numbers, bits = given(name)
    with pytest.raises(ValueError, match=rf"'{first}' .*shape \[10, 1\]"):
        metric(torch.tensor(numbers)[:, None], bits)
    with pytest.raises(ValueError, match=rf"'{second}' .*shape \[2, 5\]"):
        metric(numbers, np.array(bits).reshape(2, 5))
    with pytest.raises(ValueError, match=rf"'{first}' .*shape \[\]"):
        metric(numbers[0], bits)


@each_metric
def test_different_lengths_raise(name):
    metric, first, second = NAMES[name]
    numbers, bits = given(name)
    with pytest.raises(ValueError, match=f"'{first}' and '{second}'.*9 and 10"):
        metric(numbers[1:], bits)
    with pytest.raises(ValueError, match="10 and 9"):
        metric(numbers, bits[1:])


@each_metric
def test_empty_input_raises(name):
    metric, first, second = NAMES[name]
    numbers, bits = given(name)
    with pytest.raises(ValueError, match=f"'{first}' is empty"):
        metric([], bits)
    with pytest.raises(ValueError, match=f"'{second}' is empty"):
        metric(numbers, torch.empty(0))


@each_metric
def test_values_that_are_not_real_numbers_raise(name):
    metric, first, second = NAMES[name]
    numbers, bits = given(name)
    with pytest.raises(ValueError, match=f"'{first}' must hold numbers"):
        metric(["a"] * 10, bits)
    with pytest.raises(ValueError, match=f"'{second}' must hold numbers"):
        metric(numbers, [None] * 10)
    with pytest.raises(ValueError, match=f"'{first}' must be real"):
        metric(torch.tensor(numbers) + 1j, bits)
    with pytest.raises(ValueError, match=f"'{first}' must hold numbers"):
        metric(np.array(numbers) + 1j, bits)


@for_each("name", [*DETECTION, *COUNTING, *PROBABILITY, *ERROR])
def test_labels_other_than_0_and_1_raise(name):
    metric, _, second = NAMES[name]
    for bad in (-1, 2, 0.5, math.inf):
        bits = list(BITS)
        bits[4] = bad
        with pytest.raises(
            ValueError,
            match=f"'{second}' must hold 0 and 1 only.*at position 4",
        ):
            metric(NUMBERS, bits)


@for_each("missing", [0, 1])
@for_each("name", DETECTION)
def test_a_missing_class_raises(name, missing):
    for size in (1, 4):
        with pytest.raises(
            ValueError, match=f"'label'.*no {missing} among {size}"
        ):
            DETECTION[name](NUMBERS[:size], [1 - missing] * size)


@for_each("name", [*COUNTING, *PROBABILITY, *ERROR])
@for_each("bit", [0, 1])
def test_one_class_is_enough_for_other_metrics(name, bit):
    assert flat(NAMES[name][0](NUMBERS, [bit] * 10))


def test_one_sample_is_enough_for_other_metrics():
    assert m.confusion([0.5], [1], 0.5) == (1, 0, 0, 0)
    assert m.brier_score([0.25], [1]) == 0.5625
    assert m.log_loss([0.5], [1]) == pytest.approx(math.log(2))
    assert m.expected_calibration_error([0.25], [1]) == 0.75
    assert m.expected_calibration_error([0.25], [1], debiased=True) == 0.75
    assert m.expected_calibration_error(
        [0.25], [1], binning="mass", norm="l2", debiased=True
    ) == pytest.approx(0.75)
    assert m.maximum_calibration_error([1.0], [0]) == 1
    assert m.brier_parts([0.25], [1]) == (0.5625, 0, 0)
    assert m.aurc([3.0], [1]) == 1
    assert m.e_aurc([3.0], [1]) == 0
    assert m.augrc([3.0], [1]) == 0.5
    assert m.accuracy_at([3.0], [1], 0.1) == (1, 0, 0)
    assert m.answer_rate_at([3.0], [0], 0.0) == (1, 1)
    assert m.conformal_threshold([3.0], alpha=0.5) == 3
    assert m.ranking_metrics([0], [0], [1], ks=(1,)) == {
        "mrr": 1,
        "mean_rank": 1,
        "hits@1": 1,
        "amr": 1,
        "amri": 0,
    }


@for_each("name", PROBABILITY)
def test_probabilities_outside_0_and_1_raise(name):
    for bad in (-1e-9, 1 + 1e-9, 7, math.inf, -math.inf):
        p = list(NUMBERS)
        p[6] = bad
        with pytest.raises(
            ValueError, match=r"'probability' must lie in \[0, 1\].*position 6"
        ):
            PROBABILITY[name](p, BITS)


def test_infinite_scores_are_ranked():
    finite = [9.0 if x == 1 else -1.0 if x == 0 else x for x in NUMBERS]
    infinite = [
        math.inf if x == 1 else -math.inf if x == 0 else x for x in NUMBERS
    ]
    for name in (
        "auroc",
        "aupr",
        "aupr_id",
        "roc_curve",
        "fpr_at_tpr",
        "detection_accuracy",
        "delong_interval",
        *COUNTING,
        *LOSS,
        *ERROR,
    ):
        metric = NAMES[name][0]
        assert flat(metric(infinite, BITS)) == flat(metric(finite, BITS)), name
    assert m.conformal_threshold([1.0, math.inf, 2.0], alpha=0.25) == math.inf
    assert m.conformal_threshold([1.0, -math.inf, 2.0], alpha=0.75) == -math.inf


@for_each("bad", [math.inf, -math.inf])
def test_infinite_losses_and_training_scores_raise(bad):
    for metric in LOSS.values():
        with pytest.raises(ValueError, match=r"'loss'.*inf at position 1"):
            metric([1, 2, 3], [0, bad, 1])
    for calibrator in (m.PlattCalibrator(), m.IsotonicCalibrator()):
        with pytest.raises(ValueError, match=r"'score'.*inf at position 1"):
            calibrator.fit([1, bad, 3], [0, 1, 1])
    with pytest.raises(ValueError, match=r"'values'.*inf at position 2"):
        m.WeightedMean([1, 2, bad])


@for_each(
    ("call", "name"),
    [
        (lambda x: m.fpr_at_tpr(NUMBERS, BITS, tpr=x), "tpr"),
        (lambda x: m.accuracy_at(NUMBERS, BITS, x), "rate"),
        (lambda x: m.threshold_for_rate(NUMBERS, x), "rate"),
    ],
)
def test_rates_outside_their_range_raise(call, name):
    call(1)
    call(1e-6)
    for bad in (0, -0.1, 1.01, 95, math.nan):
        with pytest.raises(ValueError, match=f"'{name}'"):
            call(bad)


@for_each(
    ("call", "name"),
    [
        (lambda x: m.answer_rate_at(NUMBERS, BITS, x), "risk"),
        (lambda x: m.threshold_for_risk(NUMBERS, BITS, x), "risk"),
    ],
)
def test_risks_outside_their_range_raise(call, name):
    call(0)
    call(0.999)
    for bad in (1, -0.1, 5, math.nan):
        with pytest.raises(ValueError, match=f"'{name}'"):
            call(bad)


@for_each(
    ("call", "name"),
    [
        (lambda x: m.conformal_threshold(NUMBERS, alpha=x), "alpha"),
        (
            lambda x: m.mondrian_thresholds(
                NUMBERS, torch.tensor(BITS), 2, alpha=x
            ),
            "alpha",
        ),
        (lambda x: m.delong_interval(NUMBERS, BITS, level=x), "level"),
        (
            lambda x: m.paired_bootstrap(
                NUMBERS, NUMBERS, BITS, num_resamples=3, level=x
            ),
            "level",
        ),
        (
            lambda x: m.bca_interval(
                m.WeightedMean(NUMBERS),
                m.Resampler(10),
                num_resamples=3,
                level=x,
            ),
            "level",
        ),
    ],
)
def test_levels_outside_their_range_raise(call, name):
    call(0.5)
    for bad in (0, 1, -0.1, 95, math.nan):
        with pytest.raises(ValueError, match=rf"'{name}'.*\(0, 1\)"):
            call(bad)


@for_each(
    ("call", "message"),
    [
        (
            lambda: m.aupr(NUMBERS, BITS, positive="in"),
            "'positive'.*'ood', 'id'.*'in'",
        ),
        (lambda: m.best_threshold(NUMBERS, BITS, by="F1"), "'by'.*'F1'"),
        (
            lambda: m.expected_calibration_error(NUMBERS, BITS, binning="x"),
            "'binning'.*'width', 'mass'",
        ),
        (
            lambda: m.expected_calibration_error(NUMBERS, BITS, norm="max"),
            "'norm'.*'l1', 'l2'",
        ),
        (
            lambda: m.calibration_bins(NUMBERS, BITS, num_bins=0),
            "'num_bins'.*got 0",
        ),
        (lambda: m.ranks([1], [1], ties="mean"), "'ties'.*'realistic'"),
        (lambda: m.hits([1], [1], 0), "'k'.*got 0"),
        (
            lambda: m.mondrian_thresholds(
                [1.0], torch.tensor([0]), 1, fallback="none"
            ),
            "'fallback'.*'none'",
        ),
        (lambda: m.confusion(NUMBERS, BITS, math.nan), "'threshold'.*nan"),
    ],
)
def test_unknown_options_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_different_devices_raise():
    cpu, meta = torch.zeros(2), torch.zeros(2, device="meta")
    check_same_length(a=cpu, b=cpu.double())
    with pytest.raises(
        ValueError, match=r"'a' and 'c'.*same device.*cpu and meta"
    ):
        check_same_length(a=cpu, b=cpu, c=meta)
