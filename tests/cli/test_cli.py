"""The command line: partition, datasets, help and errors."""

import json
import subprocess
import sys

import pytest

from pyg_cagp import __version__
from pyg_cagp.cli import main
from pyg_cagp.cli.main import COMMANDS, build_parser
from tests.conftest import DATA_ROOT
from tests.loops import for_each


def run(capsys, *args):
    code = main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_partition_prints_a_table(capsys):
    code, out, err = run(capsys, "partition", "synthetic")
    assert (code, err) == (0, "")
    assert "2,000 entities, 30 relations" in out
    assert "quantile 0.1, preset stated" in out
    assert "by construction" in out


def test_partition_prints_json_and_nothing_else(capsys):
    code, out, _ = run(
        capsys,
        "partition",
        "synthetic",
        "--quantile",
        0.3,
        "--inclusive",
        "--json",
    )
    got = json.loads(out)
    assert code == 0
    assert got["preset"] is None
    assert got["inclusive"] is True
    test = got["splits"]["test"]
    assert test["id"] + test["emerging"] + test["novel"] == test["total"]


@for_each(
    "args",
    [
        ["train", "FB15k-237"],
        ["partition", "FB15k-237"],
        ["evaluate", "run", "--protocol", "standard", "--dataset", "FB15k-237"],
        ["report", "run", "--dataset", "FB15k-237"],
    ],
)
def test_dataset_names_ignore_case(args):
    options = build_parser().parse_args(args)
    name = getattr(options, "dataset", None) or options.datasets[0]
    assert name == "fb15k-237"


def test_folder_names_keep_their_case():
    options = build_parser().parse_args(["train", "My_Graph"])
    assert options.dataset == "My_Graph"


def test_seed_of_the_split_of_a_file(capsys, tmp_path):
    path = tmp_path / "my.tsv"
    path.write_text("".join(f"a{i % 9}\tr{i % 5}\tb{i}\n" for i in range(60)))
    sizes = [
        json.loads(run(capsys, "partition", path, "--json", "--seed", s)[1])
        for s in (0, 1)
    ]
    assert sizes[0]["num_train"] == sizes[1]["num_train"] == 48
    assert sizes[0]["coverage"] != sizes[1]["coverage"]


def test_a_changed_rule_has_no_preset(capsys):
    out = run(capsys, "partition", "synthetic", "--population", "all", "--json")
    assert json.loads(out[1])["preset"] is None


def test_datasets_lists_sizes_and_missing_files(capsys, tmp_path):
    raw = tmp_path / "YAGO3-10" / "raw"
    raw.mkdir(parents=True)
    (raw / "test.txt").touch()
    code, out, _ = run(capsys, "datasets", "--root", tmp_path)
    assert code == 0
    assert "1,079,040" in out
    assert "without train.txt, valid.txt" in out
    assert "to download" in out
    got = json.loads(run(capsys, "datasets", "--root", tmp_path, "--json")[1])
    by_name = {item["name"]: item for item in got["datasets"]}
    assert by_name["yago3-10"]["missing"] == ["train.txt", "valid.txt"]
    assert by_name["wn18rr"]["entities"] == 40_943
    # The folder to copy the files to.
    assert by_name["wn18rr"]["folder"] == "WN18RR"
    assert "CoDEx-S" in out


@for_each(
    ("args", "message"),
    [
        (["partition", "no-such-graph"], "(got 'no-such-graph')"),
        (["partition", ""], "(got '')"),
        (["partition", "~no-such-user/x"], "cannot be expanded"),
        (["datasets", "--root", "~no-such-user/x"], "cannot be expanded"),
        (["partition", "synthetic", "--quantile", "2"], "(got 2.0)"),
        (
            [
                "partition",
                "synthetic",
                "--quantile",
                "0.2",
                "--preset",
                "table2",
            ],
            "not both",
        ),
        (["partition", "synthetic", "--inclusive"], "goes with --quantile"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(capsys, args, message):
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("pyg-cagp: ")
    assert err.count("\n") == 1


def test_self_loops_count_by_the_option(capsys, tmp_path):
    # Entity a fills six slots of three triples, b to g one slot each.
    lines = "a\tr\ta\n" * 3 + "b\tr\tc\nd\tr\te\nf\tr\tg\n"
    for name in ("train", "valid", "test"):
        (tmp_path / f"{name}.txt").write_text(lines)
    taus = [
        json.loads(
            run(
                capsys,
                "partition",
                tmp_path,
                "--json",
                "--quantile",
                0.999,
                "--self-loops",
                count,
            )[1]
        )["tau"]
        for count in ("twice", "once")
    ]
    assert taus == pytest.approx([6, 3], abs=0.05)


def test_a_file_that_cannot_be_read(capsys, tmp_path):
    for name in ("train", "valid", "test"):
        (tmp_path / f"{name}.txt").write_text("a\tr\tb\n")
    (tmp_path / "entities.dict").mkdir()
    code, out, err = run(capsys, "partition", tmp_path)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_a_malformed_folder(capsys, tmp_path):
    (tmp_path / "train.txt").write_text("a\tb\n")
    code, _, err = run(capsys, "partition", tmp_path)
    assert code == 2
    assert "line 1: expected 3 columns" in err


@for_each(
    "args",
    [
        [],
        ["nonsense"],
        ["partition"],
        ["partition", "synthetic", "--seed", "9" * 30],
        ["partition", "synthetic", "--seed", "-1"],
    ],
)
def test_usage_errors_exit_with_2(capsys, args):
    with pytest.raises(SystemExit) as caught:
        main(args)
    assert caught.value.code == 2
    assert "usage: pyg-cagp" in capsys.readouterr().err


@for_each("name", COMMANDS)
def test_help_has_an_example_and_the_common_options(capsys, name):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    _, _, example = text.partition("\nexample")
    assert f"pyg-cagp {name} " in example
    assert "--json " in text
    with_model = ("train", "tune", "score", "predict", "update", "evaluate")
    assert "--device " in text or name not in with_model


def test_interrupt_exits_with_130(capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyg_cagp.datasets.load", interrupt)
    code, _, err = run(capsys, "partition", "synthetic")
    assert (code, err) == (130, "pyg-cagp: interrupted\n")


def test_version_and_a_closed_pipe():
    command = [sys.executable, "-m", "pyg_cagp", "datasets"]
    version = subprocess.run(
        [*command[:-1], "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout == f"pyg-cagp {__version__}\n"
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.data
@for_each(
    ("dataset", "preset", "expected"),
    [
        ("fb15k-237", "table2", (2_223, 5_193, 13_050)),
        ("fb15k-237", "appendix", (1_317, 5_678, 13_471)),
        ("fb15k-237", "stated", (448, 6_168, 13_850)),
        ("wn18rr", "stated", (210, 1_227, 1_697)),
    ],
)
def test_partitions_of_the_paper(capsys, dataset, preset, expected):
    code, out, _ = run(
        capsys,
        "partition",
        dataset,
        "--preset",
        preset,
        "--json",
        "--root",
        DATA_ROOT,
    )
    assert code == 0
    test = json.loads(out)["splits"]["test"]
    assert (test["emerging"], test["novel"], test["id"]) == expected
