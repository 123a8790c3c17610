r"""Prints the tables of models in the docs from the committed records.

python benchmark/models/table.py
"""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KINDS = {"": "", "-twin": ", no variances", "-paper": ", paper's recipe"}


def records() -> dict[str, dict[str, Any]]:
    return {
        path.stem: json.loads(path.read_text())
        for path in sorted((HERE / "results").glob("*-*.json"))
    }


def models() -> str:
    lines = [
        "| dataset | model | MRR | Hits@10 | Spearman | AUROC of emerging "
        "| training |",
        "|---|---|---|---|---|---|---|",
    ]
    for stem, record in records().items():
        (kind,) = (
            text
            for suffix, text in KINDS.items()
            if stem.endswith(record["config"]["model"]["name"] + suffix)
        )
        variances = record["shipped"]
        texts = [
            record["dataset"],
            record["config"]["model"]["name"] + kind,
            f"{record['test']['mrr']:.4f}",
            f"{record['test']['hits@10']:.4f}",
            f"{variances['spearman(frequency, variance)']:.3f}",
            f"{variances['auroc of emerging']:.3f}",
            f"{record['seconds']['training'] / 60:.0f} min",
        ]
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)


def posteriors(stem: str = "fb15k-237-gaussian-distmult") -> str:
    lines = [
        "| posterior | prior variance | Spearman | AUROC of emerging |",
        "|---|---|---|---|",
    ]
    for name, variances in records()[stem]["posteriors"].items():
        prior = variances.get("prior variance")
        texts = [
            name,
            "-" if prior is None else f"{prior:.3f}",
            f"{variances['spearman(frequency, variance)']:.3f}",
            f"{variances['auroc of emerging']:.3f}",
        ]
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)


def speed() -> str:
    record = json.loads(
        (HERE.parent / "speed" / "results" / "training.json").read_text()
    )
    lines = ["| loss | training | speed | range |", "|---|---|---|---|"]
    for title, part in record.items():
        if not isinstance(part, dict) or "ratios" not in part:
            continue
        lines.append(f"| {title} | {part['base']} | 1.00 | |")
        for name, ratio in part["ratios"].items():
            low, high = ratio["range"]
            lines.append(
                f"| {title} | {name} | {ratio['median']:.2f} "
                f"| {low:.2f} to {high:.2f} |"
            )
    return "\n".join(lines)


def main() -> None:
    print(models(), posteriors(), speed(), sep="\n\n")


if __name__ == "__main__":
    main()
