"""What the README shows is what happens."""

import importlib
import itertools
import json
import re

import pytest

from benchmark.paper import TABLES, Records, Store
from pyg_cagp.cli import main
from pyg_cagp.train import Config
from tests.conftest import DATA_ROOT, REPO

README = (REPO / "README.md").read_text(encoding="utf-8")


def test_the_examples_run_as_printed(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 8
    assert len([line for line in blocks[0].splitlines() if line]) <= 15
    names = {}
    for block in blocks:  # Each goes on from those before it.
        exec(compile(block, "README.md", "exec"), names)
    assert (names["variance"] > 0).all()
    out = capsys.readouterr().out
    assert "Coverage(2000, num_relations=30" in out
    assert "'emerging':" in out


@pytest.mark.data
@pytest.mark.parametrize("preset", ["stated", "appendix", "table2"])
def test_the_table_of_partitions_is_what_the_command_prints(capsys, preset):
    (row,) = re.findall(rf"^\| `{preset}` .*$", README, re.MULTILINE)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    main(
        [
            "partition",
            "fb15k-237",
            "--preset",
            preset,
            "--json",
            "--root",
            str(DATA_ROOT),
        ]
    )
    test = json.loads(capsys.readouterr().out)["splits"]["test"]
    assert cells[2:5] == [
        f"{test[kind]:,}" for kind in ("emerging", "novel", "id")
    ]
    auroc = test["u_str_auroc"]
    assert cells[5] == " / ".join(
        f"{auroc[kind]:.4f}" for kind in ("emerging", "novel", "overall")
    )


def test_the_speeds_are_those_of_the_records():
    record = json.loads(
        (REPO / "benchmark/speed/results/coverage.json").read_text()
    )
    for name, result in record.items():
        (row,) = re.findall(rf"^\| {name} .*$", README, re.MULTILINE)
        speed = result["million_pairs_a_second"]
        assert [cell.strip() for cell in row.strip("|").split("|")] == [
            name,
            f"{result['num_nodes']:,}",
            str(result["num_relations"]),
            f"{result['nnz']:,}",
            f"{result['ratios']['build / torch.sort (at most 1.5)']:.2f}",
            f"{speed['contains']:.0f}",
            f"{speed['count']:.0f}",
        ]
    stream = json.loads(
        (REPO / "benchmark/scale/results/stream.json").read_text()
    )
    text = " ".join(README.split())
    assert (
        f"{stream['nnz']:,} distinct pairs, {stream['coverage_mib']:.0f} MiB "
        f"of index, {stream['peak_mib']:.0f} MiB at the peak" in text
    )


def test_every_make_target_it_names_exists():
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"make ([a-z-]+)", README))
    assert {"run", "test", "lint", "test-ext", "bench"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_models_are_those_of_the_records(monkeypatch):
    monkeypatch.syspath_prepend(REPO / "benchmark" / "models")
    table = importlib.import_module("table")
    for part in (table.models(), table.posteriors(), table.speed()):
        assert part in README
    record = json.loads(
        (REPO / "benchmark/models/results/time_to_mrr.json").read_text()
    )
    assert record["reached"]
    found = table.records()["wn18rr-gaussian-complex"]
    doubt, text = found["posteriors"], " ".join(README.split())
    name = "spearman(frequency, variance)"
    still = doubt["laplace, isotropic, prior marginal"][name]
    assert f"at the means (Spearman {still:.3f})" in text
    learned = doubt["variational"][name]
    assert f"do not follow frequency (Spearman {learned:.3f})" in text
    larger = found["shipped"]["auroc of emerging, max"]
    assert f"found with an AUROC of {larger:.3f}" in text
    assert f"after {record['seconds']:.0f} seconds of training" in README
    record = json.loads(
        (REPO / "benchmark/scale/results/train.json").read_text()
    )
    epoch = record["seconds"]["an epoch, from steps"]
    memory = record["peak_mib"]["training"]
    assert f"{epoch:.0f} seconds an epoch and {memory:.0f} MiB" in README


@pytest.mark.parametrize(
    "path",
    sorted((REPO / "benchmark/models/results").glob("*-*.json")),
    ids=lambda path: path.stem,
)
def test_records_are_of_the_shipped_configs(path):
    record = json.loads(path.read_text())
    preset = "paper" if path.stem.endswith("-paper") else None
    model = record["config"]["model"]
    config = Config.find(record["dataset"], model["name"], preset).to_dict()
    if path.stem.endswith("-twin"):
        config["model"]["variational"] = False
    # Options that were added later had their defaults.
    recorded = Config.from_dict(record["config"], path.name).to_dict()
    assert recorded == json.loads(json.dumps(config))


def test_the_cost_of_doubt_is_that_of_the_record():
    path = REPO / "benchmark/speed/results/serving.json"
    record = json.loads(path.read_text())
    models = [name for name in record if ", " in name]
    assert len(models) == 4
    ways = (
        "estimator",
        "pass, native doubt",
        "served",
        "native",
        "native, doubts",
    )
    signals = {"structural": "U_str", "cagp": "CAGP"}
    for name, (signal, label) in itertools.product(models, signals.items()):
        found = record[name]
        costs = " | ".join(
            f"{found['cost'][f'{way}: {signal}']:z.0%}" for way in ways
        )
        costs = costs.replace("%", " %").replace("-", "\u2212")
        took = f"{1e3 * found['forward_seconds']:.2f} ms"
        assert f"| {name} | {took} | {label} | {costs} |" in README


def test_the_hours_of_the_grid_are_those_of_the_records():
    records = Records(Store(REPO / "benchmark/paper/results"))
    hours = float(TABLES["effort"][0](records).rows[-1][-1])
    text = " ".join(README.split())
    assert f"All cells together took {hours:.0f} hours" in text


def test_the_figures_of_judging_are_those_of_the_records():
    results = REPO / "benchmark"
    ranking, inference, scale = (
        json.loads((results / path).read_text())
        for path in (
            "speed/results/ranking.json",
            "speed/results/inference.json",
            "scale/results/rank.json",
        )
    )
    text = " ".join(README.split())
    faster = ranking["times_faster_than"]
    different = sum(ranking["ranks_that_differ"].values())
    assert (
        f"{faster['PyKEEN']:.0f} times faster than PyKEEN's evaluator, with "
        f"{different} of {ranking['queries']:,} ranks different" in text
    )
    assert f"{faster['PyG']:.0f} times faster than PyG's" in text
    assert f"10,000 queries take {scale['peak_mib']['ranking']:.0f} MiB" in text
    bootstrap = inference["bootstrap"]["times_faster_than_a_loop"]
    assert f"is {bootstrap:.0f} times faster than a loop over scikit" in text
    shares = inference["a3"]["overlap"]
    own, train = shares["id"], shares["train"]
    assert (
        f"{own['1']:.1%} have an ID test triple within a distance of 1 in both "
        f"frequencies and {own['100']:.1%} within 100" in text
    )
    assert f"the shares are {train['1']:.1%} and {train['100']:.1%}" in text
