r"""Metrics: pure functions of tensors, exact with ties.

Each takes tensors, arrays or lists and returns a float, or tensors with one
value for each sample. Label 1 marks the class of high scores, such as OOD for
an uncertainty. Missing classes and NaN are errors.
"""

from pyg_cagp.metrics.bca import Interval, bca_interval
from pyg_cagp.metrics.bootstrap import (
    Comparison,
    bootstrap_values,
    compare,
    paired_bootstrap,
)
from pyg_cagp.metrics.calibration import (
    Bins,
    calibration_bins,
    expected_calibration_error,
    maximum_calibration_error,
)
from pyg_cagp.metrics.calibrators import (
    BetaCalibrator,
    Calibrator,
    IsotonicCalibrator,
    PlattCalibrator,
)
from pyg_cagp.metrics.conformal import conformal_threshold, mondrian_thresholds
from pyg_cagp.metrics.correction import holm
from pyg_cagp.metrics.delong import DeLong, delong_interval, delong_test
from pyg_cagp.metrics.detection import (
    Sweep,
    aupr,
    auroc,
    detection_accuracy,
    fpr_at_tpr,
    kind_auroc,
    roc_curve,
    sweep,
)
from pyg_cagp.metrics.logistic import monotone_logistic
from pyg_cagp.metrics.proper import (
    BrierParts,
    brier_parts,
    brier_score,
    log_loss,
)
from pyg_cagp.metrics.ranking import (
    hits,
    ranking_metrics,
    ranks,
    reciprocal_ranks,
)
from pyg_cagp.metrics.resampling import Resampler
from pyg_cagp.metrics.selection import (
    AnswerRate,
    Selection,
    accuracy_at,
    answer_rate_at,
    select,
    threshold_for_rate,
    threshold_for_risk,
)
from pyg_cagp.metrics.selective import (
    RiskCoverage,
    augrc,
    aurc,
    e_aurc,
    optimal_aurc,
    risk_coverage_curve,
)
from pyg_cagp.metrics.threshold import Confusion, best_threshold, confusion
from pyg_cagp.metrics.weighted import (
    WeightedAURC,
    WeightedAUROC,
    WeightedMean,
    WeightedStatistic,
)

classes = [
    "AnswerRate",
    "BetaCalibrator",
    "Bins",
    "BrierParts",
    "Calibrator",
    "Comparison",
    "Confusion",
    "DeLong",
    "Interval",
    "IsotonicCalibrator",
    "PlattCalibrator",
    "Resampler",
    "RiskCoverage",
    "Selection",
    "Sweep",
    "WeightedAURC",
    "WeightedAUROC",
    "WeightedMean",
    "WeightedStatistic",
]
functions = [
    "accuracy_at",
    "answer_rate_at",
    "augrc",
    "aupr",
    "aurc",
    "auroc",
    "bca_interval",
    "best_threshold",
    "bootstrap_values",
    "brier_parts",
    "brier_score",
    "calibration_bins",
    "compare",
    "conformal_threshold",
    "confusion",
    "delong_interval",
    "delong_test",
    "detection_accuracy",
    "e_aurc",
    "expected_calibration_error",
    "fpr_at_tpr",
    "hits",
    "holm",
    "kind_auroc",
    "log_loss",
    "maximum_calibration_error",
    "mondrian_thresholds",
    "monotone_logistic",
    "optimal_aurc",
    "paired_bootstrap",
    "ranking_metrics",
    "ranks",
    "reciprocal_ranks",
    "risk_coverage_curve",
    "roc_curve",
    "select",
    "sweep",
    "threshold_for_rate",
    "threshold_for_risk",
]

__all__ = classes + functions
